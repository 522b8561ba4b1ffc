// SPDX-License-Identifier: GPL-3.0-or-later
#include "tables/cell_text.h"

#include "theme/theme.h"

#include <QPainter>
#include <QStyleOptionViewItem>

namespace deltascope::ui {
namespace {

constexpr int arrow = 7;

} // namespace

void CellText::draw(QPainter& painter, const QRect& rect, const QString& text, bool right) const {
    constexpr qsizetype most = 8192;
    if (font_ != painter.font() || laidOut_.size() > most) {
        laidOut_.clear();
        font_ = painter.font();
    }
    auto known = laidOut_.find(text);
    if (known == laidOut_.end()) {
        QStaticText laid(text);
        laid.setTextFormat(Qt::PlainText);
        laid.prepare(painter.transform(), painter.font());
        known = laidOut_.insert(text, laid);
    }
    const QSizeF size = known->size();
    if (size.width() > rect.width()) {
        const QFontMetrics metrics(painter.font());
        painter.drawText(rect, Qt::TextSingleLine | Qt::AlignVCenter | Qt::AlignLeft,
                         metrics.elidedText(text, right ? Qt::ElideRight : Qt::ElideMiddle, rect.width()));
        return;
    }
    const double x = right ? rect.right() + 1 - size.width() : rect.left();
    painter.drawStaticText(QPointF(x, rect.top() + (rect.height() - size.height()) / 2), *known);
}

void paintSelectedGround(QPainter& painter, const QStyleOptionViewItem& option) {
    if ((option.state & QStyle::State_Selected) == 0) return;
    QColor ground = theme().accent;
    ground.setAlphaF((option.state & QStyle::State_Active) != 0 ? 0.28F : 0.18F);
    painter.fillRect(option.rect, ground);
}

int cellHeight(const QFontMetrics& metrics) { return metrics.height() + 6; }

FlatHeader::FlatHeader(QWidget* parent) : QHeaderView(Qt::Horizontal, parent) {
    setSectionsClickable(true);
    setHighlightSections(false);
    setStretchLastSection(false);
    setMinimumSectionSize(36);
}

QSize FlatHeader::sizeHint() const { return {QHeaderView::sizeHint().width(), fontMetrics().height() + 10}; }

QSize FlatHeader::sectionSizeFromContents(int section) const {
    if (model() == nullptr) return QHeaderView::sectionSizeFromContents(section); // the view is going away
    const QString text = model()->headerData(section, Qt::Horizontal).toString();
    return {fontMetrics().horizontalAdvance(text) + 2 * cellPadding + arrow, fontMetrics().height() + 10};
}

void FlatHeader::paintEvent(QPaintEvent* event) {
    QHeaderView::paintEvent(event);
    if (length() >= viewport()->width()) return;
    QPainter painter(viewport()); // the style paints what is right of the last section its own way
    const QRect rest(length(), 0, viewport()->width() - length(), viewport()->height());
    painter.fillRect(rest, theme().panel);
    painter.fillRect(QRect(rest.left(), rest.bottom(), rest.width(), 1), theme().border);
}

void FlatHeader::paintSection(QPainter* painter, const QRect& rect, int section) const {
    const Theme& t = theme();
    painter->fillRect(rect, t.panel);
    painter->fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), t.border);
    painter->fillRect(QRect(rect.right(), rect.top() + 5, 1, rect.height() - 10), t.grid);
    const bool right =
        (model()->headerData(section, Qt::Horizontal, Qt::TextAlignmentRole).toInt() & Qt::AlignRight) != 0;
    QRect inner = rect.adjusted(cellPadding, 0, -cellPadding, -1);
    const bool sorted = isSortIndicatorShown() && sortIndicatorSection() == section;
    painter->setPen(sorted ? t.text : t.mutedText);
    if (sorted) {
        const double x = right ? inner.left() + arrow / 2.0 : inner.right() - arrow / 2.0, y = inner.center().y();
        const double up = sortIndicatorOrder() == Qt::AscendingOrder ? -1.0 : 1.0;
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        painter->setPen(Qt::NoPen);
        painter->setBrush(t.accent);
        painter->drawPolygon(QPolygonF{QPointF(x - arrow / 2.0, y - up * 2), QPointF(x + arrow / 2.0, y - up * 2),
                                       QPointF(x, y + up * 3)});
        painter->restore();
        if (right)
            inner.setLeft(inner.left() + arrow + 3);
        else
            inner.setRight(inner.right() - arrow - 3);
    }
    const QString text = model()->headerData(section, Qt::Horizontal).toString();
    painter->drawText(inner, Qt::TextSingleLine | Qt::AlignVCenter | (right ? Qt::AlignRight : Qt::AlignLeft),
                      fontMetrics().elidedText(text, Qt::ElideRight, inner.width()));
}

} // namespace deltascope::ui
