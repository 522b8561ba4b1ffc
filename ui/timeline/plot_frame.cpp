// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/plot_frame.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace deltascope::ui {
namespace {

constexpr double rightMargin = 14.0;
constexpr double gutterPadding = 12.0;

} // namespace

PlotFrame plotFrame(const QWidget& widget) {
    QFont bold = widget.font();
    bold.setBold(true);
    const double left =
        std::ceil(QFontMetricsF(bold).horizontalAdvance(QStringLiteral("selection")) + 2.0 * gutterPadding);
    return {left, std::max(1.0, widget.width() - left - rightMargin)};
}

PlotView plotView(const QWidget& widget, const VisibleRange& range) {
    return {range.from(), range.to(), plotFrame(widget).width, widget.devicePixelRatioF()};
}

double lineHeight(const QWidget& widget) { return QFontMetricsF(widget.font()).height(); }

QFont smallFont(const QWidget& widget) {
    QFont font = widget.font();
    if (font.pointSizeF() > 0.0)
        font.setPointSizeF(font.pointSizeF() * 0.9);
    else
        font.setPixelSize(std::max(1, static_cast<int>(std::lround(font.pixelSize() * 0.9))));
    return font;
}

double timeAt(const QWidget& widget, const VisibleRange& range, double x) {
    const PlotFrame frame = plotFrame(widget);
    return range.time(x - frame.left, frame.width);
}

void paintGutterLabel(QPainter& painter, const QWidget& widget, const QString& text, double y, bool strong,
                      const QColor& color) {
    QFont font = widget.font();
    font.setBold(strong);
    const QFontMetricsF metrics(font);
    const double room = plotFrame(widget).left - 1.5 * gutterPadding;
    painter.setFont(font);
    painter.setPen(color);
    painter.drawText(QRectF(gutterPadding, y - metrics.height(), room, 2.0 * metrics.height()),
                     Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                     metrics.elidedText(text, Qt::ElideRight, room));
}

bool handleWheel(const QWheelEvent& event, const QWidget& widget, VisibleRange& range) {
    constexpr double notch = 120.0; // eighths of a degree
    const QPoint angle = event.angleDelta();
    if (event.modifiers().testFlag(Qt::ControlModifier)) {
        if (angle.y() == 0) return false;
        range.zoom(std::pow(0.8, angle.y() / notch), timeAt(widget, range, event.position().x()));
        return true;
    }
    const int sideways = event.modifiers().testFlag(Qt::ShiftModifier) && angle.x() == 0 ? angle.y() : angle.x();
    if (sideways == 0) return false;
    range.pan(-sideways / notch * 0.1 * (range.to() - range.from()));
    return true;
}

} // namespace deltascope::ui
