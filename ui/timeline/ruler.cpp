// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/ruler.h"

#include "base/format.h"
#include "timeline/painter.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace deltascope::ui {

Ruler::Ruler(TimelineModel& model, QWidget* parent) : QWidget(parent), model_(model) {
    setAttribute(Qt::WA_OpaquePaintEvent);
    setAccessibleName(tr("Time ruler"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(&model, &TimelineModel::dataChanged, this, qOverload<>(&QWidget::update));
    connect(&model, &TimelineModel::hoverChanged, this, qOverload<>(&QWidget::update));
    connect(&model, &TimelineModel::marksChanged, this, qOverload<>(&QWidget::update));
    connect(&model.range(), &VisibleRange::changed, this, qOverload<>(&QWidget::update));
}

QSize Ruler::sizeHint() const { return {800, static_cast<int>(std::ceil(1.45 * lineHeight(*this)))}; }

std::vector<TimeTick> Ruler::ticks() const {
    return timeTicks(plotView(*this, model_.range()), tickSpacing(QFontMetricsF(smallFont(*this)).height()));
}

void Ruler::paintFlag(QPainter& painter, double time, const QString& text, const QColor& ground) const {
    const PlotFrame frame = plotFrame(*this);
    const double x = model_.range().pixel(time, frame.width);
    if (x < 0.0 || x > frame.width) return;
    const double width = QFontMetricsF(painter.font()).horizontalAdvance(text) + 10.0;
    const double left = std::clamp(x - 0.5 * width, 0.0, std::max(0.0, frame.width - width));
    const QRectF flag(frame.left + left, 1.0, width, height() - 4.0);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(ground);
    painter.drawRoundedRect(flag, 3.0, 3.0);
    painter.setPen(Theme::textOn(ground));
    painter.drawText(flag, Qt::AlignCenter | Qt::TextSingleLine, text);
}

void Ruler::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Theme& t = theme();
    painter.fillRect(rect(), t.panel);
    const PlotFrame frame = plotFrame(*this);
    const double ratio = devicePixelRatioF();
    painter.fillRect(QRectF(frame.left, height() - 1.0 / ratio, frame.width, 1.0 / ratio), t.border);
    const QFont font = smallFont(*this);
    const QFontMetricsF metrics(font);
    painter.setFont(font);
    for (const TimeTick& tick : ticks()) {
        const double x = frame.left + std::round(tick.x * ratio) / ratio;
        painter.fillRect(QRectF(x, height() - 4.0, 1.0 / ratio, 4.0), t.border);
        painter.setPen(t.mutedText);
        const double width = metrics.horizontalAdvance(tick.label) + 1.0;
        const double left = std::min(x - 0.5 * width, this->width() - width - 1.0);
        painter.drawText(QRectF(left, 0.0, width, height() - 4.0), Qt::AlignCenter | Qt::TextSingleLine, tick.label);
    }
    const auto& marks = model_.marks();
    for (std::size_t i = 0; i < marks.size(); ++i) {
        const QString distance =
            i == 0 ? QString::fromStdString(formatSeconds(Seconds(marks[i])))
                   : QString::fromStdString(formatSecondsDifference(Seconds(marks[i] - marks[i - 1])));
        paintFlag(painter, marks[i], distance, t.warning);
    }
    if (const auto& time = model_.hover().time)
        paintFlag(painter, *time, QString::fromStdString(formatSeconds(Seconds(*time))), mix(t.panel, t.text, 0.75));
}

void Ruler::wheelEvent(QWheelEvent* event) { event->setAccepted(handleWheel(*event, *this, model_.range())); }

} // namespace deltascope::ui
