// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/summary.h"

#include <algorithm>
#include <numeric>

namespace deltascope::ui {

RangeSummary summarise(const TimelineData& data, TimeSpan range) {
    RangeSummary summary;
    const auto& spans = data.operators.spans();
    const std::size_t first = data.operators.firstEndingAfter(range.from);
    const std::size_t last = data.operators.firstStartingFrom(range.to, first);
    if (first >= last) return summary;
    summary.operators = static_cast<std::int64_t>(last - first);
    summary.byClass = data.operators.timeByClass(first, last);
    // What reaches over the ends of the range; both ends may be in the same operator.
    const double before = std::max(0.0, range.from - spans[first].start);
    const double after = std::max(0.0, spans[last - 1].end() - range.to);
    summary.byClass[static_cast<std::size_t>(spans[first].cls)] -= before;
    summary.byClass[static_cast<std::size_t>(spans[last - 1].cls)] -= after;
    summary.time = std::accumulate(summary.byClass.begin(), summary.byClass.end(), 0.0);
    const TimelineLane& layers = data.row(TimelineRow::layer);
    const auto& layerSpans = layers.spans();
    for (std::size_t i = layers.firstEndingAfter(range.from); i < layers.size() && layerSpans[i].start < range.to; ++i)
        if (layerSpans[i].cls != OperatorClass::other) ++summary.layers;
    return summary;
}

RangeDifference differenceIn(const TimelineData& data, const BaselineTimes& baseline, TimeSpan range) {
    RangeDifference difference;
    const auto& spans = data.operators.spans();
    // An operator whose end is the end of the range within rounding is inside it.
    const double slack = 1e-9 * std::max(range.to - range.from, 0.0);
    for (std::size_t i = data.operators.firstEndingAfter(range.from + slack);
         i < spans.size() && i < baseline.size() && spans[i].end() <= range.to + slack; ++i) {
        if (spans[i].start < range.from - slack) continue;
        const bool paired = baseline[i] >= 0.0;
        const double change = spans[i].duration - (paired ? baseline[i] : 0.0);
        if (!paired) ++difference.onlyHere;
        difference.total += change;
        difference.byClass[static_cast<std::size_t>(spans[i].cls)] += change;
    }
    return difference;
}

std::vector<KindTime> kindsByClass(const std::vector<KindSummary>& byKind) {
    std::array<double, operatorClassCount> classTime{};
    std::vector<KindTime> kinds;
    for (const KindSummary& summary : byKind) {
        kinds.push_back({summary.kind, summary.calls, summary.time.value()});
        classTime[static_cast<std::size_t>(classOf(summary.kind))] += summary.time.value();
    }
    std::stable_sort(kinds.begin(), kinds.end(), [&](const KindTime& a, const KindTime& b) {
        const auto ca = static_cast<std::size_t>(classOf(a.kind));
        const auto cb = static_cast<std::size_t>(classOf(b.kind));
        if (ca != cb) return classTime[ca] != classTime[cb] ? classTime[ca] > classTime[cb] : ca < cb;
        return a.time > b.time;
    });
    return kinds;
}

} // namespace deltascope::ui
