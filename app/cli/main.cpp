// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/spelling.h"
#include "commands.h"
#include "outcome.h"

#include <csignal>
#include <exception>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace deltascope::cli {

Catalog loadCatalog() {
    std::error_code ignored;
    return Catalog::load(defaultCatalogFolders(std::filesystem::read_symlink("/proc/self/exe", ignored)));
}

namespace {

/// The refusal of what the parser could not place: a command or option that does not exist, or one argument too many.
Error unknownArgument(const CLI::App& place, const std::string& argument) {
    std::vector<std::string> known;
    if (argument.starts_with('-')) {
        for (const CLI::Option* option : place.get_options())
            for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
        const std::string name = argument.substr(0, argument.find('='));
        const auto meant = nearest(name, known);
        const std::string help = place.get_parent() ? place.get_name() + " --help lists the options" : orList(known);
        return {ErrorCode::usage, "option", name, "is not known", meant ? *meant + "?" : help, {}};
    }
    if (place.get_parent()) return {ErrorCode::usage, "argument", argument, "is one too many", "options only", {}};
    for (const Command& command : commands) known.emplace_back(command.name);
    const auto meant = nearest(argument, known);
    return {ErrorCode::usage, "command", argument, "is not known", meant ? "\"" + *meant + "\"?" : orList(known), {}};
}

int run(int argc, char** argv) {
    CLI::App app{"Time and memory of one inference step of a language model on an accelerator.", "deltascope-cli"};
    app.set_version_flag("--version", "deltascope-cli " DELTASCOPE_VERSION);
    app.set_help_flag("-h,--help", "print this help and exit");
    app.allow_extras();
    app.footer("Exit status: 0, 2 for a wrong command line or scenario, 1 for anything else.");
    std::vector<std::pair<CLI::App*, Run>> runs;
    for (const Command& command : commands) {
        CLI::App* sub = app.add_subcommand(std::string(command.name), std::string(command.summary));
        sub->allow_extras();
        runs.emplace_back(sub, command.add(*sub));
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& asked) { // --help, --version
        std::ostringstream text;
        app.exit(asked, text, text);
        return deliver(text.str(), {});
    } catch (const CLI::ParseError& error) {
        return refuse({ErrorCode::usage, "command line", {}, error.what(), "see deltascope-cli --help", {}});
    }
    for (const auto& [sub, run] : runs) {
        if (!sub->parsed()) continue;
        if (!sub->remaining().empty()) return refuse(unknownArgument(*sub, sub->remaining().front()));
        return run();
    }
    if (!app.remaining().empty()) return refuse(unknownArgument(app, app.remaining().front()));
    std::vector<std::string> names;
    for (const Command& command : commands) names.emplace_back(command.name);
    return refuse({ErrorCode::usage, "command", {}, "is missing", orList(names), {}});
}

} // namespace
} // namespace deltascope::cli

int main(int argc, char** argv) {
    std::signal(SIGPIPE, SIG_IGN); // a closed pipe is an error of writing
    try {
        return deltascope::cli::run(argc, argv);
    } catch (const std::exception& error) { // out of memory
        std::fprintf(stderr, "%s\n", error.what());
        return deltascope::cli::failure;
    }
}
