// SPDX-License-Identifier: GPL-3.0-or-later
// Scenario files: YAML written by hand, with the words of the command line.
#pragma once

#include "base/result.h"
#include "catalog/catalog.h"
#include "scenario/scenario.h"

#include <filesystem>
#include <string>
#include <string_view>

namespace deltascope {

/// A model, device or engine named by a path ("./mine/config.json") is relative to the file and absolute afterwards.
/// The error names file and line, field, value and what would be accepted.
[[nodiscard]] Result<Scenario> readScenario(const std::filesystem::path& path);

/// `where` names the text in errors. Paths stay as they are.
[[nodiscard]] Result<Scenario> parseScenario(std::string_view text, const std::string& where);

/// The YAML that parseScenario reads as the same scenario. What is the default is left out, save what it is about.
[[nodiscard]] std::string scenarioText(const Scenario& scenario);

/// Writes scenarioText, whole or not at all. What `catalog` has read from a file of the user's is named by its path,
/// relative to the scenario's where that is shorter.
Result<void> writeScenario(const std::filesystem::path& path, const Scenario& scenario, const Catalog& catalog);

} // namespace deltascope
