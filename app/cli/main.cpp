// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/spelling.h"
#include "commands.h"
#include "outcome.h"

#include <csignal>
#include <exception>
#include <filesystem>
#include <optional>
#include <sstream>
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

/// An option without its value: the parser has noticed, or has taken the next option for it.
Error missingValue(const CLI::Option& option) {
    return {ErrorCode::usage, "option", option.get_name(), "needs a value", option.get_type_name(), {}};
}

Error parseFailure(const CLI::App& app, const CLI::ParseError& error) {
    const std::string what = error.what();
    const std::string name = what.substr(0, what.find(':'));
    for (const CLI::App* place : app.get_subcommands())
        for (const CLI::Option* option : place->get_options())
            if (option->get_name() == name) return missingValue(*option);
    return {ErrorCode::usage, "command line", {}, what, "see deltascope-cli --help", {}};
}

std::optional<Error> wrongArgument(const CLI::App& place) {
    for (const CLI::Option* option : place.get_options())
        for (const std::string& value : option->results())
            if (value.starts_with("--")) return missingValue(*option);
    if (!place.remaining().empty()) return unknownArgument(place, place.remaining().front());
    return std::nullopt;
}

int run(int argc, char** argv) {
    CLI::App app{"Time and memory of one inference step of a language model on an accelerator.", "deltascope-cli"};
    app.set_version_flag("--version", "deltascope-cli " DELTASCOPE_VERSION);
    app.set_help_flag("-h,--help", "print this help and exit");
    app.allow_extras();
    app.require_subcommand(0, 1);
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
        return deliver(text.str());
    } catch (const CLI::ParseError& error) { return refuse(parseFailure(app, error)); }
    for (const auto& [sub, run] : runs) {
        if (!sub->parsed()) continue;
        for (const CLI::App* place : {static_cast<const CLI::App*>(sub), static_cast<const CLI::App*>(&app)})
            if (const std::optional<Error> error = wrongArgument(*place)) return refuse(*error);
        return run();
    }
    if (const std::optional<Error> error = wrongArgument(app)) return refuse(*error);
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
