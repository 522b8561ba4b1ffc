// SPDX-License-Identifier: GPL-3.0-or-later
// A simulation as text: for programs (JSON, CSV), for trace viewers, and for people.
#pragma once

#include "simulation/simulation.h"

#include <string>

namespace deltascope {

/// Schema "deltascope.simulation/1". Times in seconds, sizes in bytes. The same simulation gives the same bytes.
[[nodiscard]] std::string toJson(const Simulation& simulation);

/// One row per operator in order of execution, in seconds, bytes and FLOPs, below a header.
[[nodiscard]] std::string toCsv(const Simulation& simulation);

/// Chrome's trace event format, which Perfetto opens: threads for parts, layers, modules, compute and communication,
/// and a counter of the memory in use.
[[nodiscard]] std::string toChromeTrace(const Simulation& simulation);

/// Headline, where the time goes, layers, memory, notes; plain text, at most 100 columns.
[[nodiscard]] std::string toReport(const Simulation& simulation);

/// Model, device and engine; requests; choices: the three lines that head a report.
[[nodiscard]] std::string scenarioLines(const ResolvedScenario& scenario);

} // namespace deltascope
