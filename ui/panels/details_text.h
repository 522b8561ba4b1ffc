// SPDX-License-Identifier: GPL-3.0-or-later
// What the details panel says, as rich text.
#pragma once

#include "explore/compare.h"
#include "simulation/explain.h"
#include "simulation/simulation.h"
#include "workbench/workbench.h"

#include <QString>

#include <vector>

namespace deltascope::ui {

struct Fact {
    QString label;
    QString value;
    QString beneath; ///< small, under the two: a formula with its numbers
};

/// Labels on the left, values on the right, in the theme's colours.
[[nodiscard]] QString factTable(const std::vector<Fact>& facts);

[[nodiscard]] std::vector<Fact> operatorFacts(const Workbench& workbench, OperatorRef ref);
[[nodiscard]] QString explanationLines(const std::vector<ExplanationLine>& lines);
[[nodiscard]] QString shapeLines(const std::vector<std::string>& shapes);

/// The step in a sentence or two: what runs and why.
[[nodiscard]] QString stepInWords(const Simulation& simulation);
[[nodiscard]] std::vector<Fact> stepFacts(const Simulation& simulation);
[[nodiscard]] std::vector<Fact> longestKinds(const Simulation& simulation);
[[nodiscard]] std::vector<Fact> metadataFacts(const Simulation& simulation);
/// What differs from the baseline, and by what causes the time does.
[[nodiscard]] QString comparisonText(const Workbench& workbench);

} // namespace deltascope::ui
