// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/summary.h"

#include <algorithm>

namespace deltascope::ui {

RangeSummary summarise(const TimelineData& data, TimeSpan range) {
    RangeSummary summary;
    const auto& spans = data.operators.spans();
    for (std::size_t i = data.operators.firstEndingAfter(range.from); i < spans.size() && spans[i].start < range.to;
         ++i) {
        const TimelineSpan& span = spans[i];
        const double inside = std::min(span.end(), range.to) - std::max(span.start, range.from);
        ++summary.operators;
        summary.time += inside;
        summary.byClass[static_cast<std::size_t>(span.cls)] += inside;
    }
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
        const bool paired = baseline[i] >= 0.0F;
        const double change = spans[i].duration - (paired ? static_cast<double>(baseline[i]) : 0.0);
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
