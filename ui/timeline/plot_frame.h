// SPDX-License-Identifier: GPL-3.0-or-later
// The time axis that all widgets of the timeline line up on: a gutter for names on the left, a margin on the right; and
// the wheel, which means the same on each of them.
#pragma once

#include "timeline/geometry.h"
#include "workbench/visible_range.h"

#include <QWheelEvent>
#include <QWidget>

namespace deltascope::ui {

struct PlotFrame {
    double left = 0.0;
    double width = 0.0;

    [[nodiscard]] double right() const { return left + width; }
};

[[nodiscard]] PlotFrame plotFrame(const QWidget& widget);
[[nodiscard]] PlotView plotView(const QWidget& widget, const VisibleRange& range);
/// Height of a line of the widget's text.
[[nodiscard]] double lineHeight(const QWidget& widget);
/// The widget's font, a little smaller: for text inside bars.
[[nodiscard]] QFont smallFont(const QWidget& widget);
/// Time under a widget's x, not limited to the visible range.
[[nodiscard]] double timeAt(const QWidget& widget, const VisibleRange& range, double x);

/// The row's name in the gutter, with its middle at `y`.
void paintGutterLabel(QPainter& painter, const QWidget& widget, const QString& text, double y, bool strong,
                      const QColor& color);

/// Ctrl zooms at the cursor, Shift or a horizontal wheel pans. Anything else is left to who is around the widget.
bool handleWheel(const QWheelEvent& event, const QWidget& widget, VisibleRange& range);

} // namespace deltascope::ui
