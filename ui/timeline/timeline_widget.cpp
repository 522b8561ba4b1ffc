// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/timeline_widget.h"

#include "base/format.h"
#include "timeline/painter.h"

#include <QApplication>
#include <QMouseEvent>
#include <QPaintEvent>

#include <algorithm>
#include <array>
#include <cmath>

namespace deltascope::ui {
namespace {

QString stripName(StripKind kind) {
    switch (kind) {
    case StripKind::part: return TimelineWidget::tr("part");
    case StripKind::layer: return TimelineWidget::tr("layer");
    case StripKind::module: return TimelineWidget::tr("module");
    case StripKind::compute: return TimelineWidget::tr("compute");
    case StripKind::link: return TimelineWidget::tr("link");
    case StripKind::host: return TimelineWidget::tr("host");
    case StripKind::ghost: break;
    }
    return TimelineWidget::tr("baseline A");
}

} // namespace

TimelineWidget::TimelineWidget(TimelineModel& model, QWidget* parent) : QWidget(parent), model_(model) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Timeline"));
    setAccessibleDescription(tr("Operators of the step over time, under their layers and modules"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    connect(&model, &TimelineModel::dataChanged, this, [this] {
        fitHeight();
        refresh();
    });
    connect(&model, &TimelineModel::onlyChanged, this, &TimelineWidget::refresh);
    connect(&model.range(), &VisibleRange::changed, this, &TimelineWidget::refresh);
    connect(&model, &TimelineModel::hoverChanged, this, &TimelineWidget::updateHover);
    connect(&model, &TimelineModel::selectedRangeChanged, this, qOverload<>(&QWidget::update));
    connect(&model, &TimelineModel::marksChanged, this, qOverload<>(&QWidget::update));
    connect(&model.workbench(), &Workbench::selectionChanged, this, qOverload<>(&QWidget::update));
    fitHeight();
}

void TimelineWidget::fitHeight() {
    const int most =
        static_cast<int>(std::ceil(mostTimelineHeight(lineHeight(*this), model_.data(), model_.baseline())));
    if (most == maximumHeight()) return;
    setMaximumHeight(most);
    updateGeometry();
}

QSize TimelineWidget::minimumSizeHint() const {
    return {320, static_cast<int>(std::ceil(leastTimelineHeight(lineHeight(*this), model_.data(), model_.baseline())))};
}

QSize TimelineWidget::sizeHint() const { return {800, maximumHeight()}; }

void TimelineWidget::refresh() {
    geometry_.reset();
    picture_.forget();
    update();
}

const TimelineGeometry& TimelineWidget::geometryOnScreen() {
    if (!geometry_)
        geometry_ = layoutTimeline(model_.data(), model_.baseline(), plotView(*this, model_.range()), height(),
                                   lineHeight(*this));
    return *geometry_;
}

void TimelineWidget::paintPicture(QPainter& painter) {
    const Theme& t = theme();
    const TimelineGeometry& geometry = geometryOnScreen();
    for (const TimelineStrip& strip : geometry.strips) {
        const bool lane = strip.kind == StripKind::compute || strip.kind == StripKind::link;
        paintGutterLabel(painter, *this, stripName(strip.kind), strip.y + 0.5 * strip.height, lane,
                         lane ? t.text : t.mutedText);
    }
    const PlotFrame frame = plotFrame(*this);
    painter.setClipRect(QRectF(frame.left, 0.0, frame.width, height()));
    painter.translate(frame.left, 0.0);
    paintTimeline(painter, geometry, {model_.data(), model_.baseline(), t, smallFont(*this), model_.only()});
}

QRectF TimelineWidget::rectOf(StripKind kind, std::size_t index) {
    const TimelineGeometry& geometry = geometryOnScreen();
    const TimelineStrip* strip = geometry.strip(kind);
    const TimelineLane& lane = laneOf(kind, model_.data(), model_.baseline());
    if (strip == nullptr || index >= lane.size()) return {};
    const TimelineSpan& span = lane.spans()[index];
    const PlotView& view = geometry.view;
    if (span.end() <= view.from || span.start >= view.to) return {};
    const double from = std::clamp(pixelOfTime(span.start, view.from, view.to, view.width), 0.0, view.width);
    const double to = std::clamp(pixelOfTime(span.end(), view.from, view.to, view.width), 0.0, view.width);
    // The box it is painted in, which may hold its neighbours too.
    if (const TimelineBox* box = boxAt(strip->boxes, 0.5 * (from + to)))
        if (box->span == index || box->count > 1) return strip->rect(*box).translated(plotFrame(*this).left, 0.0);
    return QRectF(from, strip->y, std::max(1.0, to - from), strip->height).translated(plotFrame(*this).left, 0.0);
}

TimelineModel::Hover TimelineWidget::hitTest(QPointF position) {
    TimelineModel::Hover hover;
    const PlotFrame frame = plotFrame(*this);
    const double x = position.x() - frame.left;
    if (x < 0.0 || x >= frame.width) return hover;
    hover.time = model_.range().time(x, frame.width);
    const TimelineStrip* strip = geometryOnScreen().stripAt(position.y());
    if (strip == nullptr) return hover;
    hover.kind = strip->kind;
    if (const TimelineBox* box = boxAt(strip->boxes, x)) {
        hover.span = box->span;
        hover.count = box->count;
    }
    return hover;
}

QRegion TimelineWidget::hoverRegion() {
    const TimelineModel::Hover& hover = model_.hover();
    QRegion region;
    if (!hover.time) return region;
    const PlotFrame frame = plotFrame(*this);
    const double x = frame.left + model_.range().pixel(*hover.time, frame.width);
    region += QRectF(x - 2.0, 0.0, 4.0, height()).toAlignedRect();
    if (hover.span) region += rectOf(hover.kind, *hover.span).adjusted(-3.0, -3.0, 3.0, 3.0).toAlignedRect();
    return region;
}

void TimelineWidget::updateHover() {
    const QRegion now = hoverRegion();
    update(paintedHover_ + now);
    paintedHover_ = now;
}

void TimelineWidget::paintOutline(QPainter& painter, const QRectF& rect, const QColor& color, double width) const {
    if (rect.isEmpty()) return;
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setBrush(Qt::NoBrush);
    const double out = 0.5 * width;
    painter.setPen(QPen(theme().panel, width + 2.0));
    painter.drawRoundedRect(rect.adjusted(-out, -out, out, out), 2.0, 2.0);
    painter.setPen(QPen(color, width));
    painter.drawRoundedRect(rect.adjusted(-out, -out, out, out), 2.0, 2.0);
    painter.setRenderHint(QPainter::Antialiasing, false);
}

void TimelineWidget::paintOverlay(QPainter& painter) {
    const PlotFrame frame = plotFrame(*this);
    const Theme& t = theme();
    const VisibleRange& range = model_.range();
    const auto x = [&](double time) { return frame.left + range.pixel(time, frame.width); };
    painter.setClipRect(QRectF(frame.left - 3.0, 0.0, frame.width + 6.0, height()));

    const auto& band = zoomBand_ ? zoomBand_ : model_.selectedRange();
    if (band) {
        QColor fill = t.accent;
        fill.setAlpha(t.dark ? 60 : 40);
        const QRectF rect(x(band->from), 0.0, x(band->to) - x(band->from), height());
        painter.fillRect(rect, fill);
        painter.fillRect(QRectF(rect.left(), 0.0, 1.0, height()), t.accent);
        painter.fillRect(QRectF(rect.right() - 1.0, 0.0, 1.0, height()), t.accent);
    }
    for (const double mark : model_.marks()) painter.fillRect(QRectF(x(mark), 0.0, 1.0, height()), t.warning);

    const TimelineModel::Hover& hover = model_.hover();
    if (hover.time) {
        QColor line = t.mutedText;
        line.setAlpha(150);
        painter.fillRect(QRectF(std::floor(x(*hover.time)), 0.0, 1.0, height()), line);
        if (hover.span) paintOutline(painter, rectOf(hover.kind, *hover.span), t.accent, 1.5);
    }
    if (const auto ghost = model_.selectedGhost())
        paintOutline(painter, rectOf(StripKind::ghost, *ghost), t.selection, 1.0);
    if (const auto selected = model_.selectedOperator()) {
        const StripKind kind = stripOf(model_.data().operators.spans()[*selected].cls);
        const TimelineSpan& span = model_.data().operators.spans()[*selected];
        if (const auto index = laneOf(kind, model_.data(), nullptr).at(span.start + 0.5 * span.duration))
            paintOutline(painter, rectOf(kind, *index), t.selection, 2.0);
    }
}

void TimelineWidget::paintEvent(QPaintEvent* event) {
    QPainter painter(this);
    painter.setClipRegion(event->region());
    picture_.show(painter, *this, event->region(), model_.stale() ? staleOpacity : 1.0,
                  [this](QPainter& inside) { paintPicture(inside); });
    paintOverlay(painter);
}

void TimelineWidget::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    refresh();
}

void TimelineWidget::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange) fitHeight();
    if (event->type() == QEvent::FontChange || event->type() == QEvent::PaletteChange) refresh();
}

void TimelineWidget::mousePressEvent(QMouseEvent* event) {
    pressed_ = event->position();
    if (event->button() == Qt::MiddleButton) {
        drag_ = Drag::pan;
        panFrom_ = timeAt(*this, model_.range(), pressed_.x());
        model_.range().endGesture();
        setCursor(Qt::ClosedHandCursor);
    } else if (event->button() == Qt::LeftButton) {
        drag_ = Drag::pressed;
    } else {
        QWidget::mousePressEvent(event);
    }
}

void TimelineWidget::mouseMoveEvent(QMouseEvent* event) {
    const QPointF position = event->position();
    VisibleRange& range = model_.range();
    if (drag_ == Drag::pressed && (position - pressed_).manhattanLength() >= QApplication::startDragDistance())
        drag_ = event->modifiers().testFlag(Qt::AltModifier) ? Drag::zoom : Drag::select;
    if (drag_ == Drag::pan) {
        const double shift = panFrom_ - timeAt(*this, range, position.x());
        range.setRange(std::clamp(range.from() + shift, 0.0, range.fullTo() - (range.to() - range.from())),
                       std::clamp(range.to() + shift, range.to() - range.from(), range.fullTo()), true);
        return;
    }
    if (drag_ == Drag::select || drag_ == Drag::zoom) {
        TimeSpan band{std::clamp(timeAt(*this, range, pressed_.x()), range.from(), range.to()),
                      std::clamp(timeAt(*this, range, position.x()), range.from(), range.to())};
        if (band.to < band.from) std::swap(band.from, band.to);
        if (drag_ == Drag::select) {
            model_.selectRange(band);
        } else {
            zoomBand_ = band;
            update();
        }
    }
    model_.setHover(hitTest(position));
}

void TimelineWidget::mouseReleaseEvent(QMouseEvent* event) {
    const Drag was = drag_;
    drag_ = Drag::none;
    if (was == Drag::pan) {
        unsetCursor();
        model_.range().endGesture();
    }
    if (was == Drag::zoom && zoomBand_) {
        if (zoomBand_->to > zoomBand_->from) model_.range().setRange(zoomBand_->from, zoomBand_->to);
        zoomBand_.reset();
        update();
    }
    if (was == Drag::pressed && event->button() == Qt::LeftButton) click(event->position());
}

void TimelineWidget::click(QPointF position) {
    const TimelineModel::Hover hit = hitTest(position);
    if (!hit.span) {
        model_.selectRange(std::nullopt);
        return;
    }
    const TimelineData* baseline = model_.baseline();
    const TimelineSpan& span = laneOf(hit.kind, model_.data(), baseline).spans()[*hit.span];
    if (hit.kind == StripKind::part || hit.kind == StripKind::layer || hit.kind == StripKind::module) {
        model_.selectRange(TimeSpan{span.start, span.end()});
    } else if (hit.kind == StripKind::ghost) {
        if (const auto index = model_.ownOf(*hit.span)) emit operatorActivated(*index);
    } else if (const auto index = model_.data().indexOf(span.id)) {
        emit operatorActivated(*index);
    }
}

void TimelineWidget::mouseDoubleClickEvent(QMouseEvent* event) {
    const TimelineModel::Hover hit = hitTest(event->position());
    if (event->button() != Qt::LeftButton || !hit.span) return;
    const TimelineSpan& span = laneOf(hit.kind, model_.data(), model_.baseline()).spans()[*hit.span];
    const double margin = 0.02 * span.duration;
    model_.range().setRange(span.start - margin, span.end() + margin);
}

void TimelineWidget::wheelEvent(QWheelEvent* event) {
    if (!handleWheel(*event, *this, model_.range())) {
        event->ignore();
        return;
    }
    event->accept();
    model_.setHover(hitTest(event->position()));
}

void TimelineWidget::leaveEvent(QEvent* event) {
    QWidget::leaveEvent(event);
    model_.setHover({});
}

} // namespace deltascope::ui
