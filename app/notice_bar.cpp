// SPDX-License-Identifier: GPL-3.0-or-later
#include "notice_bar.h"

#include "panels/text.h"
#include "theme/theme.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QToolButton>

namespace deltascope::ui {

NoticeBar::NoticeBar(QWidget* parent) : QFrame(parent), label_(new QLabel(this)) {
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 6, 6, 6);
    label_->setWordWrap(true);
    label_->setTextFormat(Qt::PlainText);
    label_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    row->addWidget(label_, 1);
    auto* dismiss = new QToolButton(this);
    dismiss->setText(tr("Dismiss"));
    dismiss->setAccessibleName(tr("Dismiss the message"));
    dismiss->setAutoRaise(true);
    row->addWidget(dismiss, 0, Qt::AlignTop);
    connect(dismiss, &QToolButton::clicked, this, &QWidget::hide);
    setAccessibleName(tr("Message"));
    hide();
}

void NoticeBar::showError(const Error& error) { showText(toQString(error.text())); }

void NoticeBar::showText(const QString& text) {
    label_->setText(text);
    label_->setAccessibleName(text);
    show();
}

QString NoticeBar::text() const { return label_->text(); }

void NoticeBar::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    QColor fill = theme().warning;
    fill.setAlphaF(0.14F);
    painter.fillRect(rect(), theme().panel);
    painter.fillRect(rect(), fill);
    painter.fillRect(QRect(0, 0, 3, height()), theme().warning);
}

} // namespace deltascope::ui
