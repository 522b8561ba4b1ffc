// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/value_slider.h"

#include "panels/look.h"
#include "theme/theme.h"

#include <QMouseEvent>
#include <QPainter>
#include <QScopedValueRollback>

#include <algorithm>

namespace deltascope::ui {
namespace {

constexpr double radius = 7.0;
constexpr double trackY = 9.0;
constexpr double trackHeight = 4.0;

} // namespace

QString tickLabel(std::int64_t value) {
    if (value >= 1'000'000) return QStringLiteral("%1M").arg(static_cast<double>(value) / 1e6, 0, 'g', 3);
    if (value >= 1024 && value % 1024 == 0) return QStringLiteral("%1k").arg(value / 1024);
    return QString::number(value);
}

ValueSlider::ValueSlider(QWidget* parent) : QSlider(Qt::Horizontal, parent) {
    setFocusPolicy(Qt::StrongFocus);
    setSingleStep(1);
    setPageStep(8);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    connect(this, &QSlider::valueChanged, this, [this](int index) {
        if (quiet_) return;
        amount_ = scale_.stop(index);
        update();
        emit amountMoved(amount_);
    });
}

void ValueSlider::setScale(const SliderScale& scale, std::vector<Tick> ticks) {
    const QScopedValueRollback quiet(quiet_, true);
    scale_ = scale;
    ticks_ = std::move(ticks);
    setRange(0, scale_.stopCount() - 1);
    setValue(scale_.nearestStop(amount_));
    update();
}

void ValueSlider::setAmount(std::int64_t amount) {
    if (amount_ == amount) return;
    const QScopedValueRollback quiet(quiet_, true);
    amount_ = amount;
    setValue(scale_.nearestStop(amount));
    update();
}

void ValueSlider::setGhost(std::optional<std::int64_t> amount) {
    if (std::exchange(ghost_, amount) != amount) update();
}

void ValueSlider::setLimit(std::optional<std::int64_t> firstThatFails) {
    if (std::exchange(limit_, firstThatFails) != firstThatFails) update();
}

void ValueSlider::setRefused(bool refused) {
    if (std::exchange(refused_, refused) != refused) update();
}

QSize ValueSlider::sizeHint() const { return {180, minimumSizeHint().height()}; }

QSize ValueSlider::minimumSizeHint() const {
    return {80, static_cast<int>(trackY + radius) + 3 + QFontMetrics(scaledFont(0.76)).height()};
}

double ValueSlider::xOf(double fraction) const { return radius + 1.0 + fraction * (width() - 2.0 * (radius + 1.0)); }

void ValueSlider::moveTo(double x) {
    const double fraction = (x - xOf(0.0)) / std::max(1.0, xOf(1.0) - xOf(0.0));
    const int index = scale_.stopAt(std::clamp(fraction, 0.0, 1.0));
    if (index != value())
        setValue(index);
    else if (scale_.stop(index) != amount_)
        emit valueChanged(index); // the amount was between two stops
}

void ValueSlider::paintTrack(QPainter& painter) const {
    const Theme& t = theme();
    const QRectF track(xOf(0.0) - 2.0, trackY - trackHeight / 2.0, xOf(1.0) - xOf(0.0) + 4.0, trackHeight);
    painter.setPen(Qt::NoPen);
    painter.setBrush(t.border);
    painter.drawRoundedRect(track, 2.0, 2.0);
    if (limit_) {
        const double x = xOf(scale_.fraction(*limit_));
        QColor over = t.slower;
        over.setAlphaF(0.45F);
        painter.setBrush(over);
        painter.drawRoundedRect(QRectF(x, track.top(), track.right() - x, trackHeight), 2.0, 2.0);
        painter.setBrush(t.slower);
        painter.drawRect(QRectF(x - 1.0, trackY - 6.0, 2.0, 12.0));
    }
    painter.setBrush(isEnabled() ? t.accent : t.ghost);
    painter.drawRoundedRect(
        QRectF(track.left(), track.top(), xOf(scale_.fraction(amount_)) - track.left(), trackHeight), 2.0, 2.0);
    if (ghost_) {
        painter.setPen(QPen(t.mutedText, 1.5));
        painter.setBrush(t.panel);
        painter.drawEllipse(QPointF(xOf(scale_.fraction(*ghost_)), trackY), 3.5, 3.5);
    }
}

void ValueSlider::paintTicks(QPainter& painter) const {
    const QFont font = scaledFont(0.76);
    const QFontMetrics metrics(font);
    painter.setFont(font);
    double free = -1e9;
    for (const Tick& tick : ticks_) {
        const double x = xOf(scale_.fraction(tick.value));
        const double textWidth = metrics.horizontalAdvance(tick.label);
        const double left = std::clamp(x - textWidth / 2.0, 0.0, width() - textWidth);
        painter.setPen(QPen(theme().ghost, 1.0));
        painter.drawLine(QPointF(x, trackY + 4.0), QPointF(x, trackY + 7.0));
        if (left < free) continue;
        painter.setPen(theme().mutedText);
        painter.drawText(QPointF(left, trackY + radius + 2.0 + metrics.ascent()), tick.label);
        free = left + textWidth + 4.0;
    }
}

void ValueSlider::paintHandle(QPainter& painter) const {
    const Theme& t = theme();
    const QPointF centre(xOf(scale_.fraction(amount_)), trackY);
    const QColor line = !isEnabled() ? t.ghost : refused_ ? t.warning : t.accent;
    if (hasFocus()) {
        QColor halo = line;
        halo.setAlphaF(0.25F);
        painter.setPen(Qt::NoPen);
        painter.setBrush(halo);
        painter.drawEllipse(centre, radius + 2.0, radius + 2.0);
    }
    painter.setPen(QPen(line, 2.0));
    painter.setBrush(isSliderDown() ? line : t.panel);
    painter.drawEllipse(centre, radius - 1.0, radius - 1.0);
}

void ValueSlider::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    paintTicks(painter);
    paintTrack(painter);
    paintHandle(painter);
}

void ValueSlider::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    emit gestureBegan();
    setSliderDown(true);
    moveTo(event->position().x());
    event->accept();
}

void ValueSlider::mouseMoveEvent(QMouseEvent* event) {
    if (isSliderDown()) moveTo(event->position().x());
}

void ValueSlider::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) setSliderDown(false);
    update();
}

void ValueSlider::wheelEvent(QWheelEvent* event) {
    // Scrolling the panel must not change what it scrolls over.
    if (hasFocus())
        QSlider::wheelEvent(event);
    else
        event->ignore();
}

void ValueSlider::focusInEvent(QFocusEvent* event) {
    QSlider::focusInEvent(event);
    emit gestureBegan();
}

void ValueSlider::changeEvent(QEvent* event) {
    QSlider::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::PaletteChange) {
        updateGeometry();
        update();
    }
}

} // namespace deltascope::ui
