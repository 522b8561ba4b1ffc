// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/look.h"

#include "theme/theme.h"

#include <QApplication>
#include <QEvent>
#include <QGraphicsOpacityEffect>
#include <QPainter>
#include <QPainterPath>

namespace deltascope::ui {

QFont scaledFont(double factor, QFont::Weight weight) {
    QFont font = QApplication::font();
    if (font.pointSizeF() > 0.0)
        font.setPointSizeF(font.pointSizeF() * factor);
    else
        font.setPixelSize(qRound(font.pixelSize() * factor));
    font.setWeight(weight);
    return font;
}

Card::Card(QWidget* parent) : QFrame(parent) { setFrameShape(QFrame::NoFrame); }

void Card::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme().border, 1.0));
    painter.setBrush(theme().panel);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6.0, 6.0);
}

ElidedLabel::ElidedLabel(QWidget* parent) : QLabel(parent) {
    setTextFormat(Qt::PlainText);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
}

void ElidedLabel::setFullText(const QString& text) {
    if (full_ == text) return;
    full_ = text;
    setAccessibleName(full_);
    updateGeometry();
    elide();
}

QSize ElidedLabel::minimumSizeHint() const { return {0, QLabel::minimumSizeHint().height()}; }
QSize ElidedLabel::sizeHint() const { return {fontMetrics().horizontalAdvance(full_) + 2, fontMetrics().height()}; }

void ElidedLabel::elide() {
    const QString shown = fontMetrics().elidedText(full_, Qt::ElideRight, width());
    if (shown != text()) setText(shown);
    setToolTip(shown == full_ ? QString() : full_);
}

void ElidedLabel::resizeEvent(QResizeEvent* event) {
    QLabel::resizeEvent(event);
    elide();
}

void ElidedLabel::changeEvent(QEvent* event) {
    QLabel::changeEvent(event);
    if (event->type() == QEvent::FontChange) elide();
}

QLabel* makeCaption(const QString& text, QWidget* parent) {
    auto* label = new QLabel(text.toUpper(), parent);
    QFont font = scaledFont(0.84, QFont::Bold);
    font.setLetterSpacing(QFont::AbsoluteSpacing, 0.3);
    label->setFont(font);
    label->setForegroundRole(QPalette::PlaceholderText);
    label->setAccessibleName(text);
    return label;
}

QLabel* makeNote(QWidget* parent) {
    auto* label = new QLabel(parent);
    label->setFont(scaledFont(0.88));
    label->setForegroundRole(QPalette::PlaceholderText);
    label->setTextFormat(Qt::PlainText);
    return label;
}

Chip::Chip(QWidget* parent) : QLabel(parent) {
    setFont(scaledFont(0.86, QFont::DemiBold));
    setTextFormat(Qt::PlainText);
    setAlignment(Qt::AlignCenter);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void Chip::setContent(const QString& text, Tone tone, const QString& toolTip) {
    tone_ = tone;
    setText(text);
    setToolTip(toolTip);
    setAccessibleName(text);
    setVisible(!text.isEmpty());
    update();
}

QSize Chip::sizeHint() const {
    const QFontMetrics metrics(font());
    return {metrics.horizontalAdvance(text()) + 16, metrics.height() + 5};
}

void Chip::paintEvent(QPaintEvent*) {
    const Theme& t = theme();
    const QColor line = tone_ == Tone::neutral ? t.ghost : tone_ == Tone::good ? t.accent : t.warning;
    QColor fill = line;
    fill.setAlphaF(t.dark ? 0.18F : 0.12F);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(line, 1.0));
    painter.setBrush(fill);
    const QRectF box = QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5);
    painter.drawRoundedRect(box, box.height() / 2.0, box.height() / 2.0);
    painter.setPen(tone_ == Tone::neutral ? t.text : line);
    painter.setFont(font());
    painter.drawText(rect().adjusted(6, 0, -6, 0), Qt::AlignCenter,
                     fontMetrics().elidedText(text(), Qt::ElideRight, width() - 10));
}

QString fieldStyleSheet() {
    const Theme& t = theme();
    return QStringLiteral(
               "QAbstractSpinBox { border: 1px solid %1; border-radius: 5px; padding: 2px 6px; background: %2;"
               " color: %3; selection-background-color: %4; selection-color: %5; }"
               "QAbstractSpinBox:focus { border-color: %4; }"
               "QAbstractSpinBox:disabled { color: %6; }")
        .arg(t.border.name(), t.panel.name(), t.text.name(), t.accent.name(), t.accentText.name(), t.ghost.name());
}

void setDimmed(QWidget* widget, bool dimmed) {
    if (isDimmed(widget) == dimmed) return;
    if (!dimmed) {
        widget->setGraphicsEffect(nullptr);
        return;
    }
    auto* effect = new QGraphicsOpacityEffect(widget);
    effect->setOpacity(0.4);
    widget->setGraphicsEffect(effect);
}

bool isDimmed(const QWidget* widget) { return widget->graphicsEffect() != nullptr; }

} // namespace deltascope::ui
