// SPDX-License-Identifier: GPL-3.0-or-later
// The options that describe a scenario, shared by all commands that simulate one.
#pragma once

#include "base/result.h"
#include "catalog/catalog.h"
#include "explore/fits_report.h"
#include "scenario/fields.h"
#include "scenario/scenario.h"
#include "simulation/simulation.h"

#include <CLI/CLI.hpp>

#include <string_view>
#include <utility>
#include <vector>

namespace deltascope::cli {

class ScenarioOptions {
public:
    /// Adds --scenario and one option per field.
    explicit ScenarioOptions(CLI::App& command);

    /// Simulates the scenario file, if any, with the options over it.
    [[nodiscard]] Result<Simulation> simulate() const;
    /// The same scenario, looked at for what fits.
    [[nodiscard]] Result<FitsReport> fits() const;

private:
    struct Given {
        const ScenarioField* field;
        CLI::Option* option;
    };

    /// What `compute` makes of the scenario.
    template <class Compute>
    auto computed(Compute compute) const -> decltype(compute(std::declval<const Catalog&>(), Scenario{}));
    /// Files and folders that the scenario names are added to the catalog.
    [[nodiscard]] Result<Scenario> read(Catalog& catalog) const;
    [[nodiscard]] Result<Scenario> readFile() const;
    [[nodiscard]] bool isGiven(std::string_view name) const;

    CLI::Option* file_;
    std::vector<Given> given_;
};

} // namespace deltascope::cli
