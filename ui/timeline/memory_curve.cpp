// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/memory_curve.h"

#include "base/format.h"
#include "timeline/painter.h"

#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>

namespace deltascope::ui {
namespace {

double peakOf(const TimelineData& data) {
    return data.live.size() > data.peak ? static_cast<double>(data.live.value(data.peak)) : 0.0;
}

QString bytesText(double bytes) { return QString::fromStdString(formatBytes(Bytes(bytes))); }

/// "400 MiB": a round number of a tick, without the zeros that formatBytes keeps.
QString tickText(double bytes) {
    constexpr std::array<const char*, 5> units{"B", "KiB", "MiB", "GiB", "TiB"};
    std::size_t unit = 0;
    while (bytes >= 1024.0 && unit + 1 < units.size()) {
        bytes /= 1024.0;
        ++unit;
    }
    return QString::number(bytes, 'g', 4) + QLatin1Char(' ') + QLatin1String(units[unit]);
}

/// A tick of 1, 2 or 5 times a power of ten in the binary unit of `top`, so that two to four of them fit.
double tickStep(double top) {
    double unit = 1.0;
    while (top / unit >= 1024.0) unit *= 1024.0;
    const double target = top / unit / 3.0;
    const double power = std::pow(10.0, std::floor(std::log10(target)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= target * 0.8) return factor * power * unit;
    return 10.0 * power * unit;
}

} // namespace

MemoryCurve::MemoryCurve(TimelineModel& model, QWidget* parent) : QWidget(parent), model_(model) {
    setMouseTracking(true);
    setAccessibleName(tr("Memory over the step"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    setAttribute(Qt::WA_OpaquePaintEvent);
    connect(&model, &TimelineModel::dataChanged, this, &MemoryCurve::refresh);
    connect(&model.range(), &VisibleRange::changed, this, &MemoryCurve::refresh);
    connect(&model, &TimelineModel::hoverChanged, this, &MemoryCurve::updateCursor);
    connect(&model, &TimelineModel::selectedRangeChanged, this, qOverload<>(&QWidget::update));
    connect(&model, &TimelineModel::marksChanged, this, qOverload<>(&QWidget::update));
    connect(&model.workbench(), &Workbench::selectionChanged, this, qOverload<>(&QWidget::update));
}

QSize MemoryCurve::minimumSizeHint() const { return {320, static_cast<int>(std::ceil(5.2 * lineHeight(*this)))}; }

QSize MemoryCurve::sizeHint() const { return {800, static_cast<int>(std::ceil(9.0 * lineHeight(*this)))}; }

MemoryCurve::Areas MemoryCurve::areas() const {
    const PlotFrame frame = plotFrame(*this);
    const double line = lineHeight(*this);
    Areas result;
    const double peak = std::max(peakOf(model_.data()), model_.baseline() ? peakOf(*model_.baseline()) : 0.0);
    result.top = std::max(peak * 1.06, 1.0);
    const double band = std::ceil(line * 1.1);
    const double top = std::ceil(line * 1.25);
    result.resident = QRectF(frame.left, height() - band - 3.0, frame.width, band);
    result.curve = QRectF(frame.left, top, frame.width, std::max(1.0, result.resident.top() - 3.0 - top));
    return result;
}

QString MemoryCurve::residentText() const {
    QString text = tr("weights, caches and states %1").arg(bytesText(model_.data().resident));
    if (const TimelineData* baseline = model_.baseline()) text += tr(" · A %1").arg(bytesText(baseline->resident));
    return text;
}

QString MemoryCurve::peakText() const {
    const TimelineData& shown = model_.data();
    if (shown.live.size() == 0) return {};
    const TimelineSpan& span = shown.operators.spans()[shown.peak];
    const TimelineLabel& label = shown.labels[span.label];
    QString text = tr("peak %1 in %2").arg(bytesText(shown.resident + peakOf(shown)), label.brief);
    const TimelineLane& layers = shown.row(TimelineRow::layer);
    if (const auto layer = layers.at(span.start + 0.5 * span.duration)) {
        const TimelineLabel& name = shown.labels[layers.spans()[*layer].label];
        text += name.brief.isEmpty() ? tr(", %1").arg(name.full) : tr(", layer %1").arg(name.brief);
    }
    if (const TimelineData* baseline = model_.baseline())
        text += tr(" · A %1").arg(bytesText(baseline->resident + peakOf(*baseline)));
    return text;
}

std::optional<QPointF> MemoryCurve::peakPoint() const {
    const TimelineData& shown = model_.data();
    if (shown.live.size() == 0) return std::nullopt;
    const TimelineSpan& span = shown.operators.spans()[shown.peak];
    const double time = span.start + 0.5 * span.duration;
    if (time < model_.range().from() || time > model_.range().to()) return std::nullopt;
    const Areas place = areas();
    return QPointF(place.curve.left() + model_.range().pixel(time, place.curve.width()),
                   place.curve.bottom() - peakOf(shown) / place.top * place.curve.height());
}

void MemoryCurve::refresh() {
    picture_.forget();
    update();
}

QRect MemoryCurve::cursorRect() const {
    const auto& time = model_.hover().time;
    if (!time) return {};
    const PlotFrame frame = plotFrame(*this);
    return QRectF(frame.left + model_.range().pixel(*time, frame.width) - 2.0, 0.0, 4.0, height()).toAlignedRect();
}

void MemoryCurve::updateCursor() {
    const QRect now = cursorRect();
    update(QRegion(paintedCursor_) + now);
    paintedCursor_ = now;
}

void MemoryCurve::paintCurves(QPainter& painter, const Areas& place) const {
    const Theme& t = theme();
    const PlotView view = plotView(*this, model_.range());
    const QColor color = t.memoryColor("activation peak");
    const double hair = 1.0 / devicePixelRatioF();
    const double bottom = place.curve.height();
    // Rectangles and not a polygon: crisp, and an order of magnitude faster where every pixel is a step.
    const auto steps = [&](const std::vector<QPointF>& line, const QColor& fill, const QColor& edge) {
        for (std::size_t i = 0; i + 1 < line.size(); i += 2) {
            const QPointF from = line[i];
            const QPointF to = line[i + 1];
            if (fill.isValid())
                painter.fillRect(QRectF(from.x(), from.y(), to.x() - from.x(), bottom - from.y()), fill);
            painter.fillRect(QRectF(from.x(), from.y() - hair, std::max(hair, to.x() - from.x()), 1.5 * hair), edge);
            if (i + 2 >= line.size()) continue;
            const double next = line[i + 2].y();
            painter.fillRect(QRectF(to.x() - 0.5 * hair, std::min(to.y(), next), hair, std::abs(next - to.y())), edge);
        }
    };
    painter.save();
    painter.setClipRect(place.curve.adjusted(0.0, -1.0, 0.0, 1.0));
    painter.translate(place.curve.topLeft());
    steps(layoutMemory(model_.data(), view, place.top, bottom), mix(t.panel, color, t.dark ? 0.38 : 0.42),
          mix(color, t.text, 0.15));
    if (model_.baseline() != nullptr) steps(layoutMemory(*model_.baseline(), view, place.top, bottom), {}, t.ghost);
    painter.restore();
}

void MemoryCurve::paintPeak(QPainter& painter, const Areas& place) const {
    const Theme& t = theme();
    const QString text = peakText();
    if (text.isEmpty()) return;
    const double y = std::round(place.curve.bottom() - peakOf(model_.data()) / place.top * place.curve.height()) + 0.5;
    painter.setPen(QPen(t.warning, 1.0, Qt::DashLine));
    painter.drawLine(QPointF(place.curve.left(), y), QPointF(place.curve.right(), y));
    QFont bold = smallFont(*this);
    bold.setBold(true);
    painter.setFont(bold);
    painter.setPen(t.warning);
    const QRectF line(place.curve.left(), 0.0, place.curve.width(), place.curve.top());
    painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine,
                     QFontMetricsF(bold).elidedText(text, Qt::ElideRight, line.width()));
    if (const auto point = peakPoint()) {
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setBrush(t.warning);
        painter.setPen(QPen(t.panel, 1.5));
        painter.drawEllipse(*point, 4.0, 4.0);
        painter.setRenderHint(QPainter::Antialiasing, false);
    }
}

void MemoryCurve::paintAxis(QPainter& painter, const Areas& place) const {
    const Theme& t = theme();
    const double ratio = devicePixelRatioF();
    const double line = lineHeight(*this);
    painter.save();
    painter.translate(place.curve.left(), 0.0);
    paintGrid(painter,
              timeTicks(plotView(*this, model_.range()), tickSpacing(QFontMetricsF(smallFont(*this)).height())),
              place.curve.top(), place.resident.bottom(), t, ratio);
    painter.restore();
    painter.setFont(smallFont(*this));
    const double step = tickStep(place.top);
    for (double bytes = 0.0; bytes <= place.top && peakOf(model_.data()) > 0.0; bytes += step) {
        const double y = place.curve.bottom() - bytes / place.top * place.curve.height();
        painter.fillRect(QRectF(place.curve.left(), std::round(y * ratio) / ratio, place.curve.width(), 1.0 / ratio),
                         t.grid);
        if (y - 0.5 * line < place.curve.top() - 4.0) continue; // would run into the name of the row
        painter.setPen(t.mutedText);
        const QRectF label(0.0, y - line, place.curve.left() - 6.0, 2.0 * line);
        painter.drawText(label, Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine, tickText(bytes));
    }
}

void MemoryCurve::paintPicture(QPainter& painter) const {
    const Theme& t = theme();
    const Areas place = areas();
    paintGutterLabel(painter, *this, tr("memory"), 0.5 * place.curve.top(), true, t.text);
    paintAxis(painter, place);
    paintCurves(painter, place);
    painter.fillRect(place.resident, mix(t.panel, t.memoryColor("MLP"), t.dark ? 0.32 : 0.20));
    painter.setFont(smallFont(*this));
    painter.setPen(t.text);
    painter.drawText(
        place.resident.adjusted(8.0, 0.0, -8.0, 0.0), Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
        QFontMetricsF(painter.font()).elidedText(residentText(), Qt::ElideRight, place.resident.width() - 16.0));
    painter.setPen(t.mutedText);
    painter.drawText(QRectF(0.0, place.resident.top(), place.resident.left() - 6.0, place.resident.height()),
                     Qt::AlignRight | Qt::AlignVCenter | Qt::TextSingleLine, tr("resident"));
    paintPeak(painter, place);
}

void MemoryCurve::paintOverlay(QPainter& painter) const {
    const Theme& t = theme();
    const Areas place = areas();
    const auto x = [&](double time) { return place.curve.left() + model_.range().pixel(time, place.curve.width()); };
    painter.setClipRect(QRectF(place.curve.left(), 0.0, place.curve.width(), height()), Qt::IntersectClip);
    const double top = place.curve.top();
    const double depth = place.resident.bottom() - top;
    if (const auto& band = model_.selectedRange()) {
        QColor fill = t.accent;
        fill.setAlpha(t.dark ? 60 : 40);
        painter.fillRect(QRectF(x(band->from), top, x(band->to) - x(band->from), depth), fill);
    }
    if (const auto selected = model_.selectedOperator()) {
        const TimelineSpan& span = model_.data().operators.spans()[*selected];
        QColor fill = t.selection;
        fill.setAlpha(70);
        painter.fillRect(QRectF(x(span.start), top, std::max(1.0, x(span.end()) - x(span.start)), depth), fill);
    }
    for (const double mark : model_.marks()) painter.fillRect(QRectF(x(mark), top, 1.0, depth), t.warning);
    if (const auto& time = model_.hover().time) {
        QColor cursor = t.mutedText;
        cursor.setAlpha(150);
        painter.fillRect(QRectF(std::floor(x(*time)), top, 1.0, depth), cursor);
    }
}

void MemoryCurve::paintEvent(QPaintEvent* event) {
    QPainter painter(this);
    painter.setClipRegion(event->region());
    picture_.show(painter, *this, event->region(), model_.stale() ? staleOpacity : 1.0,
                  [this](QPainter& inside) { paintPicture(inside); });
    paintOverlay(painter);
}

void MemoryCurve::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    refresh();
}

void MemoryCurve::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::PaletteChange) refresh();
}

TimelineModel::Hover MemoryCurve::hitTest(double x) const {
    TimelineModel::Hover hover;
    const PlotFrame frame = plotFrame(*this);
    if (x < frame.left || x >= frame.right()) return hover;
    hover.time = timeAt(*this, model_.range(), x);
    const TimelineData& shown = model_.data();
    const auto index = shown.operators.at(*hover.time);
    if (!index) return hover;
    hover.kind = stripOf(shown.operators.spans()[*index].cls);
    hover.span = laneOf(hover.kind, shown, nullptr).at(*hover.time);
    hover.count = 1;
    return hover;
}

void MemoryCurve::mouseMoveEvent(QMouseEvent* event) { model_.setHover(hitTest(event->position().x())); }

void MemoryCurve::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    const PlotFrame frame = plotFrame(*this);
    const QPointF position = event->position();
    if (const auto peak = peakPoint(); peak && (position - *peak).manhattanLength() < 10.0) {
        emit operatorActivated(model_.data().peak);
        return;
    }
    if (position.x() < frame.left || position.x() >= frame.right()) return;
    if (const auto index = model_.data().operators.at(timeAt(*this, model_.range(), position.x())))
        emit operatorActivated(*index);
}

void MemoryCurve::wheelEvent(QWheelEvent* event) {
    event->setAccepted(handleWheel(*event, *this, model_.range()));
    if (event->isAccepted()) model_.setHover(hitTest(event->position().x()));
}

void MemoryCurve::leaveEvent(QEvent* event) {
    QWidget::leaveEvent(event);
    model_.setHover({});
}

} // namespace deltascope::ui
