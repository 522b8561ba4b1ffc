// SPDX-License-Identifier: GPL-3.0-or-later
// Paints timeline geometry to any QPainter: a widget's cache now, PNG, SVG and PDF alike.
#pragma once

#include "theme/theme.h"
#include "timeline/geometry.h"

#include <QFont>
#include <QPainter>

#include <array>
#include <optional>

namespace deltascope::ui {

struct TimelinePicture {
    const TimelineData& data;
    const TimelineData* baseline = nullptr;
    const Theme& theme;
    QFont font;
    std::optional<OperatorClass> only; ///< every other class recedes
};

/// Colours of the operator classes as one row of the picture shows them.
using ClassPalette = std::array<QColor, operatorClassCount>;
[[nodiscard]] ClassPalette operatorColors(const Theme& theme, std::optional<OperatorClass> only = {});

[[nodiscard]] QColor mix(const QColor& a, const QColor& b, double shareOfB);

void paintTimeline(QPainter& painter, const TimelineGeometry& geometry, const TimelinePicture& picture);

/// Layers as a rhythm: linear ones lower and plain, full ones of the whole height and striped.
void paintLayers(QPainter& painter, const std::vector<TimelineBox>& boxes, const TimelineLane& lane, double y,
                 double height, const Theme& theme, double pixelRatio);

/// The hatching that stands for a bound, clipped to `rect`; nothing for the matrix unit and for communication.
void appendHatch(std::vector<QLineF>& lines, const QRectF& rect, Bound bound);

/// Full-height hairlines at the ticks.
void paintGrid(QPainter& painter, const std::vector<TimeTick>& ticks, double top, double bottom, const Theme& theme,
               double pixelRatio);

} // namespace deltascope::ui
