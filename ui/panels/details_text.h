// SPDX-License-Identifier: GPL-3.0-or-later
// What the details panel says, row by row.
#pragma once

#include "panels/fact_sheet.h"
#include "simulation/explain.h"
#include "workbench/workbench.h"

namespace deltascope::ui {

using SheetRows = std::vector<SheetRow>;

/// Time, share, what it is, and how the time comes about.
[[nodiscard]] SheetRows operatorRows(const Workbench& workbench, OperatorRef ref, const Explanation& explanation);
/// Shapes and the values put into the formulas.
[[nodiscard]] SheetRows operandRows(const Explanation& explanation);
/// The step as a whole: what runs and why, the difference from the baseline, the longest kinds, metadata, notes.
[[nodiscard]] SheetRows stepRows(const Workbench& workbench);

} // namespace deltascope::ui
