// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/geometry.h"

#include "workbench/visible_range.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace deltascope::ui {
namespace {

/// Walks the spans on screen: calls `visit(first, last, x0, x1)` for each one that is at least a device pixel wide, and
/// for each run of narrower ones that start in the same pixel column. x is in device pixels, not yet rounded.
template <class Visit>
void walk(const TimelineLane& lane, const PlotView& view, Visit visit) {
    const auto& spans = lane.spans();
    if (!(view.to > view.from) || !(view.width > 0.0)) return;
    const double scale = view.width * view.pixelRatio / (view.to - view.from);
    std::size_t i = lane.firstEndingAfter(view.from);
    while (i < spans.size() && spans[i].start < view.to) {
        const double x0 = (spans[i].start - view.from) * scale;
        if (spans[i].duration * scale >= 1.0) {
            visit(i, i + 1, x0, (spans[i].end() - view.from) * scale);
            ++i;
            continue;
        }
        const double column = std::floor(x0) + 1.0;
        std::size_t last = std::max(lane.firstStartingFrom(view.from + column / scale, i), i + 1);
        // Only the last span that starts in a column can be wide.
        if (last > i + 1 && spans[last - 1].duration * scale >= 1.0) --last;
        visit(i, last, x0, std::min((spans[last - 1].end() - view.from) * scale, column));
        i = last;
    }
}

struct StripHeight {
    StripKind kind;
    double least, most; ///< in lines of text
    double gap;         ///< above, in pixels
};
constexpr std::array<StripHeight, 7> stripHeights{{{StripKind::part, 0.9, 1.0, 0.0},
                                                   {StripKind::layer, 1.25, 1.5, 3.0},
                                                   {StripKind::module, 1.15, 1.4, 3.0},
                                                   {StripKind::compute, 2.3, 11.0, 8.0},
                                                   {StripKind::link, 1.2, 4.0, 8.0},
                                                   {StripKind::host, 0.9, 1.4, 3.0},
                                                   {StripKind::ghost, 0.9, 2.2, 8.0}}};
constexpr double margin = 6.0; ///< above the first and below the last row

/// Two rows come and go: that of a baseline, and that of a device that waits for its host.
bool isShown(StripKind kind, const TimelineData& data, const TimelineData* baseline) {
    if (kind == StripKind::ghost) return baseline != nullptr;
    return kind != StripKind::host || !data.row(TimelineRow::host).empty();
}

double heightOf(double line, const TimelineData& data, const TimelineData* baseline, double StripHeight::*part) {
    double sum = 2.0 * margin;
    for (const auto& strip : stripHeights)
        if (isShown(strip.kind, data, baseline)) sum += std::round(strip.*part * line) + strip.gap;
    return sum;
}

} // namespace

std::vector<TimelineBox> layoutLane(const TimelineLane& lane, const PlotView& view) {
    std::vector<TimelineBox> boxes;
    const double ratio = view.pixelRatio;
    const double right = std::ceil(view.width * ratio);
    double filled = 0.0; // device pixels to the left of it are taken
    walk(lane, view, [&](std::size_t first, std::size_t last, double x0, double x1) {
        const bool wide = last == first + 1 && x1 - x0 >= 1.0;
        double left = wide ? std::round(x0) : std::floor(x0);
        double end = wide ? std::round(x1) : left + 1.0;
        left = std::clamp(left, 0.0, right);
        end = std::clamp(std::max(end, left + 1.0), 0.0, right);
        left = std::max(left, filled);
        const auto widest = static_cast<std::uint32_t>(lane.widest(first, last));
        const auto count = static_cast<std::uint32_t>(last - first);
        if (end <= left) {
            // The pixel is taken by its left neighbour: the wider of the two keeps it.
            if (boxes.empty()) return;
            TimelineBox& before = boxes.back();
            before.count += count;
            if (lane.spans()[widest].duration > lane.spans()[before.span].duration) before.span = widest;
            return;
        }
        filled = end;
        boxes.push_back({left / ratio, (end - left) / ratio, widest, count});
    });
    return boxes;
}

const TimelineBox* boxAt(const std::vector<TimelineBox>& boxes, double x, double tolerance) {
    const auto next =
        std::partition_point(boxes.begin(), boxes.end(), [x](const TimelineBox& box) { return box.x <= x; });
    const TimelineBox* before = next == boxes.begin() ? nullptr : &*(next - 1);
    if (before != nullptr && x < before->x + before->width) return before;
    const double toLeft = before != nullptr ? x - (before->x + before->width) : tolerance + 1.0;
    const double toRight = next != boxes.end() ? next->x - x : tolerance + 1.0;
    if (std::min(toLeft, toRight) > tolerance) return nullptr;
    return toLeft <= toRight ? before : &*next;
}

const TimelineStrip* TimelineGeometry::strip(StripKind kind) const {
    const auto found =
        std::find_if(strips.begin(), strips.end(), [kind](const TimelineStrip& s) { return s.kind == kind; });
    return found == strips.end() ? nullptr : &*found;
}

const TimelineStrip* TimelineGeometry::stripAt(double y) const {
    const auto found =
        std::find_if(strips.begin(), strips.end(), [y](const TimelineStrip& s) { return s.contains(y); });
    return found == strips.end() ? nullptr : &*found;
}

double leastTimelineHeight(double line, const TimelineData& data, const TimelineData* baseline) {
    return heightOf(line, data, baseline, &StripHeight::least);
}

double mostTimelineHeight(double line, const TimelineData& data, const TimelineData* baseline) {
    return heightOf(line, data, baseline, &StripHeight::most);
}

const TimelineLane& laneOf(StripKind kind, const TimelineData& data, const TimelineData* baseline) {
    switch (kind) {
    case StripKind::part: return data.row(TimelineRow::part);
    case StripKind::layer: return data.row(TimelineRow::layer);
    case StripKind::module: return data.row(TimelineRow::module);
    case StripKind::compute: return data.row(TimelineRow::compute);
    case StripKind::link: return data.row(TimelineRow::link);
    case StripKind::host: return data.row(TimelineRow::host);
    case StripKind::ghost: break;
    }
    static const TimelineLane none;
    return baseline != nullptr ? baseline->operators : none;
}

TimelineGeometry layoutTimeline(const TimelineData& data, const TimelineData* baseline, const PlotView& view,
                                double height, double line) {
    TimelineGeometry geometry{view, height, {}};
    const double least = leastTimelineHeight(line, data, baseline);
    const double most = mostTimelineHeight(line, data, baseline);
    const double share = std::clamp((height - least) / (most - least), 0.0, 1.0);
    double y = margin;
    for (const auto& row : stripHeights) {
        if (!isShown(row.kind, data, baseline)) continue;
        TimelineStrip strip;
        strip.kind = row.kind;
        strip.y = y + row.gap;
        strip.height = std::floor(std::lerp(row.least, row.most, share) * line);
        strip.boxes = layoutLane(laneOf(row.kind, data, baseline), view);
        y = strip.y + strip.height;
        geometry.strips.push_back(std::move(strip));
    }
    return geometry;
}

std::vector<TimeTick> timeTicks(const PlotView& view, double spacing) {
    std::vector<TimeTick> ticks;
    const double range = view.to - view.from;
    if (!(range > 0.0) || !(view.width > 0.0) || !(spacing > 0.0)) return ticks;
    const double least = range * spacing / view.width;
    const double power = std::pow(10.0, std::floor(std::log10(least)));
    double step = 10.0 * power;
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= least * (1.0 - 1e-9)) {
            step = factor * power;
            break;
        }
    struct Unit {
        double seconds;
        const char* name;
    };
    // One unit for all labels, so that they can be compared: that of the right end.
    const Unit unit = view.to < 1e-6   ? Unit{1e-9, "ns"}
                      : view.to < 1e-3 ? Unit{1e-6, "µs"}
                      : view.to < 1.0  ? Unit{1e-3, "ms"}
                                       : Unit{1.0, "s"};
    const int decimals = std::clamp(static_cast<int>(std::ceil(-std::log10(step / unit.seconds) - 1e-9)), 0, 9);
    const double first = std::ceil(view.from / step - 1e-9);
    for (double k = first; k * step <= view.to + step * 1e-9; k += 1.0) {
        const double time = k * step;
        ticks.push_back(
            {pixelOfTime(time, view.from, view.to, view.width), time,
             QString::number(time / unit.seconds, 'f', decimals) + QLatin1Char(' ') + QString::fromUtf8(unit.name)});
    }
    return ticks;
}

std::vector<QPointF> layoutMemory(const TimelineData& data, const PlotView& view, double top, double height) {
    std::vector<QPointF> line;
    if (data.live.size() == 0 || !(top > 0.0)) return line;
    const double ratio = view.pixelRatio;
    walk(data.operators, view, [&](std::size_t first, std::size_t last, double x0, double x1) {
        const double bytes = static_cast<double>(data.live.value(data.live.argmax(first, last)));
        const double y = height * (1.0 - std::clamp(bytes / top, 0.0, 1.0));
        const double left = std::clamp(x0 / ratio, 0.0, view.width);
        const double right = std::clamp(x1 / ratio, 0.0, view.width);
        if (!line.empty() && line.back().y() == y)
            line.back().setX(right);
        else {
            line.emplace_back(line.empty() ? left : line.back().x(), y);
            line.emplace_back(right, y);
        }
    });
    return line;
}

} // namespace deltascope::ui
