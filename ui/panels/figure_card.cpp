// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/figure_card.h"

#include "theme/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QVBoxLayout>

namespace deltascope::ui {

FigureCard::FigureCard(const QString& name, QWidget* parent)
    : Card(parent), column_(new QVBoxLayout(this)), title_(makeCaption(name, this)), difference_(new QLabel(this)),
      value_(new QLabel(this)), ghost_(new ElidedLabel(this)), detail_(new ElidedLabel(this)),
      detailGhost_(makeNote(this)) {
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
    middle->addWidget(ghost_, 1);
    column_->addLayout(middle);
    auto* bottom = new QHBoxLayout;
    bottom->setSpacing(6);
    bottom->addWidget(detail_, 1);
    bottom->addWidget(detailGhost_);
    column_->addLayout(bottom);

    difference_->setFont(scaledFont(0.92, QFont::Bold));
    difference_->setTextFormat(Qt::PlainText);
    value_->setFont(scaledFont(1.42, QFont::Bold));
    value_->setTextFormat(Qt::PlainText);
    value_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    ghost_->setFont(scaledFont(0.88));
    ghost_->setForegroundRole(QPalette::PlaceholderText);
    ghost_->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    detail_->setFont(scaledFont(0.88));
    detail_->setForegroundRole(QPalette::PlaceholderText);
    detailGhost_->hide();
}

void FigureCard::setContent(const Content& content) {
    title_->setText(content.title.toUpper());
    setAccessibleName(content.title);
    value_->setText(content.value);
    ghost_->setFullText(content.ghost.isEmpty() ? QString() : tr("A %1").arg(content.ghost));
    difference_->setText(content.difference);
    difference_->setVisible(!content.difference.isEmpty());
    detail_->setFullText(content.detail);
    detailGhost_->setText(content.detailGhost.isEmpty() ? QString() : tr("A %1").arg(content.detailGhost));
    detailGhost_->setVisible(!content.detailGhost.isEmpty());
    better_ = content.better;
    same_ = content.same;
    setToolTip(content.toolTip);
    setAccessibleDescription(
        QStringList{content.value, ghost_->fullText(), content.difference, content.detail}.join(QStringLiteral(", ")));
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
QString FigureCard::detailText() const { return detail_->fullText(); }

void FigureCard::changeEvent(QEvent* event) {
    Card::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && difference_ != nullptr) paintDifference();
}

} // namespace deltascope::ui
