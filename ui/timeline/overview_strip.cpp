// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/overview_strip.h"

#include "timeline/painter.h"
#include "timeline/picture_cache.h"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace deltascope::ui {
namespace {

constexpr double gripWidth = 5.0;
constexpr double topMargin = 6.0;

} // namespace

OverviewStrip::OverviewStrip(TimelineModel& model, QWidget* parent) : QWidget(parent), model_(model) {
    setMouseTracking(true);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Whole step"));
    setToolTip(tr("The whole step: drag the window to move, its edges to zoom; double-click to see all"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&model, &TimelineModel::dataChanged, this, qOverload<>(&QWidget::update));
    connect(&model.range(), &VisibleRange::changed, this, qOverload<>(&QWidget::update));
}

QSize OverviewStrip::sizeHint() const {
    return {800, static_cast<int>(std::ceil(1.5 * lineHeight(*this) + topMargin))};
}

PlotView OverviewStrip::wholeView() const {
    return {0.0, model_.range().fullTo(), plotFrame(*this).width, devicePixelRatioF()};
}

double OverviewStrip::timeOnStrip(double x) const {
    const PlotFrame frame = plotFrame(*this);
    return timeOfPixel(x - frame.left, 0.0, model_.range().fullTo(), frame.width);
}

QRectF OverviewStrip::windowRect() const {
    const PlotFrame frame = plotFrame(*this);
    const VisibleRange& range = model_.range();
    const double from = pixelOfTime(range.from(), 0.0, range.fullTo(), frame.width);
    const double to = pixelOfTime(range.to(), 0.0, range.fullTo(), frame.width);
    const double width = std::max(to - from, 4.0); // so that it can be found and held
    return {frame.left + std::min(from, frame.width - width), topMargin - 3.0, width, height() - topMargin + 1.0};
}

void OverviewStrip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& t = theme();
    painter.fillRect(rect(), t.panel);
    const PlotFrame frame = plotFrame(*this);
    const double barHeight = height() - topMargin - 5.0;
    paintGutterLabel(painter, *this, tr("whole step"), topMargin + 0.5 * barHeight, false, t.mutedText);

    painter.save();
    if (model_.stale()) painter.setOpacity(staleOpacity);
    painter.translate(frame.left, 0.0);
    const TimelineLane& layers = model_.data().row(TimelineRow::layer);
    paintLayers(painter, layoutLane(layers, wholeView()), layers, topMargin, barHeight, t, devicePixelRatioF());
    painter.restore();

    const QRectF window = windowRect();
    QColor veil = t.panel;
    veil.setAlpha(t.dark ? 150 : 160);
    painter.fillRect(QRectF(frame.left, 0.0, window.left() - frame.left, height()), veil);
    painter.fillRect(QRectF(window.right(), 0.0, frame.right() - window.right(), height()), veil);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(t.selection, 1.5));
    painter.drawRoundedRect(window.adjusted(0.75, 0.75, -0.75, -0.75), 3.0, 3.0);
}

OverviewStrip::Grip OverviewStrip::gripAt(double x) const {
    const QRectF window = windowRect();
    if (std::abs(x - window.left()) <= gripWidth && x < window.center().x()) return Grip::left;
    if (std::abs(x - window.right()) <= gripWidth) return Grip::right;
    return x > window.left() && x < window.right() ? Grip::move : Grip::none;
}

void OverviewStrip::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    VisibleRange& range = model_.range();
    range.endGesture();
    const double time = timeOnStrip(event->position().x());
    grip_ = gripAt(event->position().x());
    if (grip_ == Grip::none) {
        const double half = 0.5 * (range.to() - range.from());
        range.setRange(time - half, time + half, true);
        grip_ = Grip::move;
    }
    grabbed_ = time - range.from();
}

void OverviewStrip::mouseMoveEvent(QMouseEvent* event) {
    VisibleRange& range = model_.range();
    const double time = std::clamp(timeOnStrip(event->position().x()), 0.0, range.fullTo());
    if (!(event->buttons() & Qt::LeftButton)) {
        const Grip grip = gripAt(event->position().x());
        setCursor(grip == Grip::left || grip == Grip::right ? Qt::SizeHorCursor
                  : grip == Grip::move                      ? Qt::OpenHandCursor
                                                            : Qt::PointingHandCursor);
        return;
    }
    const double width = range.to() - range.from();
    const double least = 1e-6 * range.fullTo();
    switch (grip_) {
    case Grip::left: range.setRange(std::min(time, range.to() - least), range.to(), true); break;
    case Grip::right: range.setRange(range.from(), std::max(time, range.from() + least), true); break;
    case Grip::move: {
        const double from = std::clamp(time - grabbed_, 0.0, range.fullTo() - width);
        range.setRange(from, from + width, true);
        break;
    }
    case Grip::none: break;
    }
}

void OverviewStrip::mouseReleaseEvent(QMouseEvent*) {
    grip_ = Grip::none;
    model_.range().endGesture();
}

void OverviewStrip::mouseDoubleClickEvent(QMouseEvent*) { model_.range().fitAll(); }

void OverviewStrip::wheelEvent(QWheelEvent* event) {
    // The pointer is over another time here than on the other axes: zoom keeps the middle of the window.
    VisibleRange& range = model_.range();
    const int angle = event->angleDelta().y();
    if (!event->modifiers().testFlag(Qt::ControlModifier)) {
        event->setAccepted(handleWheel(*event, *this, range));
    } else if (angle != 0) {
        range.zoom(std::pow(0.8, angle / 120.0), 0.5 * (range.from() + range.to()));
        event->accept();
    }
}

} // namespace deltascope::ui
