// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/picker.h"

#include "panels/picker_list.h"
#include "theme/theme.h"

#include <QPainter>
#include <QScreen>
#include <QWheelEvent>

#include <algorithm>

namespace deltascope::ui {

Picker::Picker(QWidget* parent) : QComboBox(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setMaxVisibleItems(20);
    connect(this, &QComboBox::activated, this, [this](int index) { choose(itemData(index).toString()); });
}

void Picker::setEntries(std::vector<PickerEntry> entries) {
    const QSignalBlocker quiet(this);
    entries_ = std::move(entries);
    clear();
    for (const PickerEntry& entry : entries_) addItem(entry.label, entry.key);
    setCurrentIndex(findData(key_));
}

void Picker::setCurrentKey(const QString& key) {
    if (key_ == key && currentIndex() == findData(key)) return;
    const QSignalBlocker quiet(this);
    key_ = key;
    setCurrentIndex(findData(key));
    update();
}

void Picker::choose(const QString& key) {
    if (key == key_) return;
    setCurrentKey(key);
    emit picked(key);
}

void Picker::showPopup() {
    auto* list = new PickerList(entries_, key_, preview_, searchable_, this);
    popup_ = list;
    connect(list, &PickerList::picked, this, &Picker::choose);
    connect(list, &QObject::destroyed, this, [this] { popup_ = nullptr; });

    const QRect screen = this->screen()->availableGeometry();
    const QSize size = list->sizeHint().expandedTo(QSize(width(), 0)).boundedTo(screen.size());
    QPoint at = mapToGlobal(QPoint(0, height() + 2));
    if (at.y() + size.height() > screen.bottom()) at.setY(std::max(screen.top(), screen.bottom() - size.height()));
    at.setX(std::clamp(at.x(), screen.left(), std::max(screen.left(), screen.right() - size.width())));
    list->setGeometry(QRect(at, size));
    list->show();
    list->takeFocus();
}

void Picker::hidePopup() {
    if (popup_ != nullptr) popup_->close();
    QComboBox::hidePopup();
}

QSize Picker::sizeHint() const { return {200, QComboBox::sizeHint().height()}; }
QSize Picker::minimumSizeHint() const { return {90, QComboBox::minimumSizeHint().height()}; }

void Picker::wheelEvent(QWheelEvent* event) { event->ignore(); }

void Picker::paintEvent(QPaintEvent*) {
    const Theme& t = theme();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(hasFocus() ? t.accent : t.border, hasFocus() ? 1.5 : 1.0));
    painter.setBrush(underMouse() && isEnabled() ? t.grid : t.panel);
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.75, 0.75, -0.75, -0.75), 5.0, 5.0);

    const QPointF tip(width() - 13.0, height() / 2.0 + 2.0);
    painter.setPen(QPen(t.mutedText, 1.6, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.drawPolyline(QPolygonF{{tip - QPointF(4.0, 4.0), tip, tip + QPointF(4.0, -4.0)}});

    const QString shown = currentIndex() >= 0 ? currentText() : key_;
    painter.setPen(isEnabled() ? t.text : t.mutedText);
    painter.setFont(font());
    const QRect field = rect().adjusted(9, 0, -22, 0);
    painter.drawText(field, Qt::AlignVCenter | Qt::AlignLeft,
                     fontMetrics().elidedText(shown, Qt::ElideRight, field.width()));
}

} // namespace deltascope::ui
