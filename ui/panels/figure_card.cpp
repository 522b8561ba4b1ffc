// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/figure_card.h"

#include "theme/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QVBoxLayout>

namespace deltascope::ui {

FigureCard::FigureCard(const QString& name, GhostPlace place, QWidget* parent)
    : Card(parent), column_(new QVBoxLayout(this)), title_(makeCaption(name, this)), difference_(new QLabel(this)),
      value_(new QLabel(this)), ghost_(new ElidedLabel(this)), detail_(new ElidedLabel(this)),
      secondDetail_(new ElidedLabel(this)) {
    setAccessibleName(name);
    column_->setContentsMargins(10, 7, 10, 7);
    column_->setSpacing(1);
    auto* top = new QHBoxLayout;
    top->setSpacing(4);
    top->addWidget(title_);
    top->addStretch(1);
    top->addWidget(difference_);
    column_->addLayout(top);
    auto* middle = new QHBoxLayout;
    middle->setSpacing(6);
    middle->addWidget(value_);
    column_->addLayout(middle);
    middle->addStretch(1);
    auto* bottom = new QHBoxLayout;
    bottom->setSpacing(6);
    bottom->addWidget(detail_, 3);
    column_->addLayout(bottom);
    if (place == GhostPlace::besideDetail) {
        bottom->addWidget(ghost_, 1);
        ghost_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        column_->addWidget(secondDetail_);
    } else {
        column_->addWidget(ghost_);
        secondDetail_->hide();
    }
    column_->addStretch(1);

    difference_->setFont(scaledFont(0.92, QFont::Bold));
    difference_->setTextFormat(Qt::PlainText);
    value_->setFont(scaledFont(1.42, QFont::Bold));
    value_->setTextFormat(Qt::PlainText);
    value_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    for (ElidedLabel* label : {detail_, secondDetail_, ghost_}) {
        label->setFont(scaledFont(0.88));
        label->setForegroundRole(QPalette::PlaceholderText);
    }
}

void FigureCard::setContent(const Content& content) {
    title_->setText(content.title.toUpper());
    setAccessibleName(content.title);
    value_->setText(content.value);
    ghost_->setFullText(content.ghost.isEmpty() ? QString() : tr("A %1").arg(content.ghost));
    difference_->setText(content.difference);
    difference_->setVisible(!content.difference.isEmpty());
    detail_->setFullText(content.detail);
    secondDetail_->setFullText(content.secondDetail);
    better_ = content.better;
    same_ = content.same;
    setToolTip(content.toolTip);
    setAccessibleDescription(
        QStringList{content.value, ghost_->fullText(), content.difference, content.detail, content.secondDetail}.join(
            QStringLiteral(", ")));
    paintDifference();
}

void FigureCard::addBeneathValue(QWidget* widget) { column_->insertWidget(2, widget); }

void FigureCard::paintDifference() {
    QPalette palette = difference_->palette();
    const QColor color = differenceColor();
    if (palette.color(QPalette::WindowText) == color) return;
    palette.setColor(QPalette::WindowText, color);
    difference_->setPalette(palette);
}

QColor FigureCard::differenceColor() const {
    return same_ ? theme().mutedText : better_ ? theme().faster : theme().slower;
}

QString FigureCard::valueText() const { return value_->text(); }
QString FigureCard::ghostText() const { return ghost_->fullText(); }
QString FigureCard::differenceText() const { return difference_->text(); }
QString FigureCard::detailText() const {
    QStringList lines{detail_->fullText()};
    if (!secondDetail_->fullText().isEmpty()) lines << secondDetail_->fullText();
    return lines.join(QStringLiteral(" · "));
}

void FigureCard::changeEvent(QEvent* event) {
    Card::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && difference_ != nullptr) paintDifference();
}

} // namespace deltascope::ui
