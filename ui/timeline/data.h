// SPDX-License-Identifier: GPL-3.0-or-later
// What the timeline draws, apart from where it comes from: lanes of sorted spans and the memory alive in each operator.
#pragma once

#include "base/operator_kind.h"
#include "cost/time.h"
#include "simulation/simulation.h"
#include "timeline/range_max.h"

#include <QString>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace deltascope::ui {

struct TimelineSpan {
    double start = 0.0;    ///< seconds
    double duration = 0.0; ///< seconds
    std::uint64_t id = 0;  ///< the owner's: packed OperatorRef of a simulation (see packRef)
    std::uint32_t label = 0;
    OperatorClass cls = OperatorClass::other;
    Bound bound = Bound::none;
    OperatorKind kind = OperatorKind::copy; ///< of an operator

    [[nodiscard]] double end() const { return start + duration; }
};

/// Spans in order of start, without overlap; widest() answers from a pyramid.
class TimelineLane {
public:
    TimelineLane() = default;
    explicit TimelineLane(std::vector<TimelineSpan> spans);

    [[nodiscard]] const std::vector<TimelineSpan>& spans() const { return spans_; }
    [[nodiscard]] bool empty() const { return spans_.empty(); }
    [[nodiscard]] std::size_t size() const { return spans_.size(); }
    /// Index of the longest span in [first, last).
    [[nodiscard]] std::size_t widest(std::size_t first, std::size_t last) const {
        return durations_.argmax(first, last);
    }
    /// Index of the first span that ends after `time`; size() when there is none.
    [[nodiscard]] std::size_t firstEndingAfter(double time) const;
    /// Index of the first span at or after `from` that starts at or after `time`.
    [[nodiscard]] std::size_t firstStartingFrom(double time, std::size_t from = 0) const;
    /// Durations of the spans in [first, last), added up by class.
    [[nodiscard]] std::array<double, operatorClassCount> timeByClass(std::size_t first, std::size_t last) const;
    /// The span that covers `time`.
    [[nodiscard]] std::optional<std::size_t> at(double time) const;

private:
    std::vector<TimelineSpan> spans_;
    RangeMax durations_;
    std::vector<std::array<double, operatorClassCount>> chunkTimes_; ///< timeByClass of each whole chunk
};

/// A bar takes the first that fits.
struct TimelineLabel {
    QString full;
    QString brief;
};

enum class TimelineRow : std::uint8_t { part, layer, module, compute, link, host };
inline constexpr std::size_t timelineRowCount = 6;

struct TimelineData {
    std::array<TimelineLane, timelineRowCount> rows; ///< compute and link hold the operators, host what they wait for
    TimelineLane operators;                          ///< all of them, in order of execution
    std::vector<TimelineLabel> labels;
    std::vector<std::uint32_t> firstOfSegment; ///< index in `operators` of each segment's first
    double duration = 0.0;                     ///< seconds

    double resident = 0.0; ///< bytes of weights, caches and states
    RangeMax live;         ///< bytes of activations alive in each of `operators`; empty when not known
    std::size_t peak = 0;  ///< index in `operators` of the largest

    [[nodiscard]] const TimelineLane& row(TimelineRow which) const { return rows[static_cast<std::size_t>(which)]; }
    [[nodiscard]] TimelineLane& row(TimelineRow which) { return rows[static_cast<std::size_t>(which)]; }
    /// Index in `operators` of the operator with this id.
    [[nodiscard]] std::optional<std::size_t> indexOf(std::uint64_t id) const;
};

[[nodiscard]] constexpr std::uint64_t packRef(OperatorRef ref) {
    return (std::uint64_t{ref.segment} << 32U) | ref.index;
}
[[nodiscard]] constexpr OperatorRef unpackRef(std::uint64_t id) {
    return {static_cast<std::uint32_t>(id >> 32U), static_cast<std::uint32_t>(id & 0xffffffffU)};
}

[[nodiscard]] TimelineData timelineOf(const Simulation& simulation);

/// A made-up step of `operators` operators in layers of three linear ones and a full one: for measurements and tests.
[[nodiscard]] TimelineData syntheticTimeline(std::size_t operators);

} // namespace deltascope::ui
