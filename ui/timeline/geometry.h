// SPDX-License-Identifier: GPL-3.0-or-later
// Plain rectangles of the timeline, computed once from lanes, visible range and size; painters, hit tests, exports and
// tests all read the same ones.
#pragma once

#include "timeline/data.h"

#include <QPointF>
#include <QRectF>
#include <QString>

#include <cstdint>
#include <optional>
#include <vector>

namespace deltascope::ui {

struct PlotView {
    double from = 0.0; ///< seconds
    double to = 0.0;
    double width = 0.0; ///< pixels
    double pixelRatio = 1.0;
};

/// What one lane shows at [x, x + width): a span, or a run of spans too narrow to be told apart.
struct TimelineBox {
    double x = 0.0;
    double width = 0.0;
    std::uint32_t span = 0;  ///< index in the lane; the widest of the run
    std::uint32_t count = 1; ///< spans in it
};

/// Boxes from left to right on whole device pixels, without overlap. Spans narrower than a device pixel merge with
/// those that start in the same pixel column.
[[nodiscard]] std::vector<TimelineBox> layoutLane(const TimelineLane& lane, const PlotView& view);

/// The box at `x`, or the nearest one within `tolerance` pixels.
[[nodiscard]] const TimelineBox* boxAt(const std::vector<TimelineBox>& boxes, double x, double tolerance = 2.0);

/// What one row of the picture holds; the host row is when the device waits for it, the ghost row all operators of the
/// baseline.
enum class StripKind : std::uint8_t { part, layer, module, compute, link, host, ghost };

/// The row on which operators of a class run.
[[nodiscard]] constexpr StripKind stripOf(OperatorClass cls) {
    return cls == OperatorClass::communication ? StripKind::link : StripKind::compute;
}

struct TimelineStrip {
    StripKind kind = StripKind::compute;
    double y = 0.0;
    double height = 0.0;
    std::vector<TimelineBox> boxes;

    [[nodiscard]] QRectF rect(const TimelineBox& box) const { return {box.x, y, box.width, height}; }
    [[nodiscard]] bool contains(double at) const { return at >= y && at < y + height; }
};

struct TimelineGeometry {
    PlotView view;
    double height = 0.0;
    std::vector<TimelineStrip> strips; ///< from top to bottom

    [[nodiscard]] const TimelineStrip* strip(StripKind kind) const;
    [[nodiscard]] const TimelineStrip* stripAt(double y) const;
};

/// Heights for rows of text `line` pixels high: what is left over goes to the operators first.
[[nodiscard]] TimelineGeometry layoutTimeline(const TimelineData& data, const TimelineData* baseline,
                                              const PlotView& view, double height, double line);
/// The least height that shows every row, and the height from which more is of no use.
[[nodiscard]] double leastTimelineHeight(double line, const TimelineData& data, const TimelineData* baseline);
[[nodiscard]] double mostTimelineHeight(double line, const TimelineData& data, const TimelineData* baseline);

[[nodiscard]] const TimelineLane& laneOf(StripKind kind, const TimelineData& data, const TimelineData* baseline);

struct TimeTick {
    double x = 0.0;
    double time = 0.0;
    QString label;
};
/// Ticks at 1, 2 or 5 times a power of ten, at least `spacing` pixels apart.
[[nodiscard]] std::vector<TimeTick> timeTicks(const PlotView& view, double spacing);

/// Pixels between ticks that every view of the timeline asks for, with text `line` pixels high.
[[nodiscard]] constexpr double tickSpacing(double line) { return 6.0 * line; }

/// Upper edge of the activations alive, as a step line; where operators merge, the largest of a pixel column.
/// y is 0 at `top` bytes and `height` at none.
[[nodiscard]] std::vector<QPointF> layoutMemory(const TimelineData& data, const PlotView& view, double top,
                                                double height);

} // namespace deltascope::ui
