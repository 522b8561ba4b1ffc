// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"

#include "io/fits_output.h"
#include "outcome.h"
#include "scenario_options.h"

#include <memory>

namespace deltascope::cli {
namespace {

struct Fits {
    explicit Fits(CLI::App& command) : scenario(command), output(command) {
        command.add_option("--format", format, "text (a report) or json")->take_last();
    }

    int run() const {
        constexpr std::array<std::string_view, 2> names{"text", "json"};
        const Result<std::size_t> chosen = choiceOf("format", format, names);
        if (!chosen) return refuse(chosen.error());
        const Result<FitsReport> report = scenario.fits();
        if (!report) return refuse(report.error());
        return output.deliver(*chosen == 0 ? toReport(*report) : toJson(*report));
    }

    ScenarioOptions scenario;
    std::string format = "text";
    Output output;
};

} // namespace

Run addFits(CLI::App& command) {
    const auto fits = std::make_shared<Fits>(command);
    return [fits] { return fits->run(); };
}

} // namespace deltascope::cli
