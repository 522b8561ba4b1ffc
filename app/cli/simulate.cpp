// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"

#include "io/simulation_output.h"
#include "outcome.h"
#include "scenario_options.h"

#include <memory>
#include <utility>

namespace deltascope::cli {
namespace {

struct Format {
    std::string_view name;
    std::string (*text)(const Simulation&);
};
constexpr std::array formats{Format{"text", toReport}, Format{"json", toJson}, Format{"csv", toCsv},
                             Format{"chrome-trace", toChromeTrace}};

struct Simulate {
    explicit Simulate(CLI::App& command) : scenario(command), output(command) {
        command.add_option("--format", format, "text (a report), json, csv or chrome-trace")->take_last();
    }

    int run() const {
        std::array<std::string_view, formats.size()> names{};
        for (std::size_t i = 0; i < formats.size(); ++i) names[i] = formats[i].name;
        const Result<std::size_t> chosen = choiceOf("format", format, names);
        if (!chosen) return refuse(chosen.error());
        const Result<Simulation> simulation = scenario.simulate();
        if (!simulation) return refuse(simulation.error());
        return output.deliver(formats[*chosen].text(*simulation));
    }

    ScenarioOptions scenario;
    std::string format = "text";
    Output output;
};

} // namespace

Run addSimulate(CLI::App& command) {
    const auto simulate = std::make_shared<Simulate>(command);
    return [simulate] { return simulate->run(); };
}

} // namespace deltascope::cli
