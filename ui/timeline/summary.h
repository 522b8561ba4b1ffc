// SPDX-License-Identifier: GPL-3.0-or-later
// What a stretch of the step adds up to, and how it differs from the baseline.
#pragma once

#include "timeline/data.h"

#include <array>
#include <cstdint>
#include <vector>

namespace deltascope::ui {

struct TimeSpan {
    double from = 0.0; ///< seconds
    double to = 0.0;
    bool operator==(const TimeSpan&) const = default;
};

struct RangeSummary {
    std::int64_t operators = 0; ///< that touch the range
    std::int64_t layers = 0;    ///< of the trunk, that touch it
    double time = 0.0;          ///< of the operators inside the range, those at its ends cut off there
    std::array<double, operatorClassCount> byClass{};
};

[[nodiscard]] RangeSummary summarise(const TimelineData& data, TimeSpan range);

/// Time of each operator of a simulation in the baseline; negative where the baseline has none.
using BaselineTimes = std::vector<double>;

/// B - A by class, over the operators that lie wholly in `range`: those that A lacks count in full.
struct RangeDifference {
    double total = 0.0;
    std::array<double, operatorClassCount> byClass{};
    std::int64_t onlyHere = 0; ///< operators without a counterpart
};
[[nodiscard]] RangeDifference differenceIn(const TimelineData& data, const BaselineTimes& baseline, TimeSpan range);

/// Class of each kind with its kinds, the class with the longest time first: the order of the by-kind bar.
struct KindTime {
    OperatorKind kind = OperatorKind::copy;
    std::int64_t calls = 0;
    double time = 0.0;
};
[[nodiscard]] std::vector<KindTime> kindsByClass(const std::vector<KindSummary>& byKind);

} // namespace deltascope::ui
