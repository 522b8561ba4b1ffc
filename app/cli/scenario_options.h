// SPDX-License-Identifier: GPL-3.0-or-later
// The options that describe a scenario, shared by all commands that simulate one.
#pragma once

#include "base/result.h"
#include "catalog/catalog.h"
#include "scenario/fields.h"
#include "scenario/scenario.h"
#include "simulation/simulation.h"

#include <CLI/CLI.hpp>

#include <string_view>
#include <vector>

namespace deltascope::cli {

class ScenarioOptions {
public:
    /// Adds --scenario and one option per field.
    explicit ScenarioOptions(CLI::App& command);

    /// Simulates the scenario file, if any, with the options over it.
    [[nodiscard]] Result<Simulation> simulate() const;

private:
    struct Given {
        const ScenarioField* field;
        CLI::Option* option;
    };

    /// Files and folders that the scenario names are added to the catalog.
    [[nodiscard]] Result<Scenario> read(Catalog& catalog) const;
    [[nodiscard]] Result<Scenario> readFile() const;
    [[nodiscard]] bool isGiven(std::string_view name) const;

    CLI::Option* file_;
    std::vector<Given> given_;
};

} // namespace deltascope::cli
