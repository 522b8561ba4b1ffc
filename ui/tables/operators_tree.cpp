// SPDX-License-Identifier: GPL-3.0-or-later
#include "tables/operators_tree.h"

#include "theme/theme.h"

#include <QHeaderView>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>
#include <cmath>

namespace deltascope::ui {
namespace {

constexpr int chip = 9;

QColor textColor(const OperatorsModel& model, const QModelIndex& index, bool ghost) {
    const Theme& t = theme();
    if (model.dimmed() || ghost) return t.mutedText;
    const auto column = static_cast<OperatorColumn>(index.column());
    if (column == OperatorColumn::difference) {
        const double difference = model.number(index);
        if (difference < 0.0) return t.faster;
        if (difference > 0.0) return t.slower;
        return t.mutedText;
    }
    return column == OperatorColumn::baseline ? t.mutedText : t.text;
}

} // namespace

void OperatorDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const Theme& t = theme();
    const auto column = static_cast<OperatorColumn>(index.column());
    const OperatorGroup* group = model_.groupAt(index);
    const auto row = model_.rowAt(index);
    const bool ghost = row && model_.rows().row(*row).ghost;
    QRect rect = option.rect;
    paintSelectedGround(*painter, option);
    const bool byKind = group == nullptr || model_.grouping() == Grouping::kind;
    if ((column == OperatorColumn::kind && byKind) || column == OperatorColumn::share) {
        const OperatorKind kind = group != nullptr ? group->kind : model_.rows().op(model_.rows().row(*row)).kind;
        QColor color = byKind ? t.classColor(classOf(kind)) : t.accent;
        color.setAlphaF(model_.dimmed() ? 0.35F : 1.0F);
        if (column == OperatorColumn::kind) {
            const QRect square(rect.left() + cellPadding, rect.center().y() - chip / 2, chip, chip);
            if (ghost)
                painter->fillRect(QRect(square.left(), square.top(), 3, chip), color);
            else
                painter->fillRect(square, color);
            rect.setLeft(square.right() + 1);
        } else if (!ghost) {
            double largest = model_.arrangement().largestShare;
            if (group != nullptr) {
                largest = 0.0;
                for (const OperatorGroup& g : model_.arrangement().groups)
                    largest = std::max(largest, g.totals[static_cast<std::size_t>(OperatorColumn::share)]);
            }
            color.setAlphaF(color.alphaF() * 0.35F);
            const double part = largest > 0.0 ? std::clamp(model_.number(index) / largest, 0.0, 1.0) : 0.0;
            painter->fillRect(QRectF(rect.left() + 2, rect.top() + 3, (rect.width() - 4) * part, rect.height() - 6),
                              color);
        }
    }
    const QString text = model_.text(index);
    if (text.isEmpty()) return;
    rect.adjust(cellPadding, 0, -cellPadding, 0);
    painter->setPen(textColor(model_, index, ghost));
    text_.draw(*painter, rect, text, factsOf(column).numeric);
}

QSize OperatorDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const {
    return {40, cellHeight(option.fontMetrics)};
}

OperatorsTree::OperatorsTree(OperatorsModel& model, QWidget* parent) : QTreeView(parent), model_(model) {
    setObjectName("operatorsTree");
    setModel(&model_);
    setItemDelegate(new OperatorDelegate(model_, this));
    setUniformRowHeights(true);
    setAlternatingRowColors(true);
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    setFrameShape(QFrame::NoFrame);
    setRootIsDecorated(false);
    setIndentation(18);
    setAnimated(false);
    setHeader(new FlatHeader(this));
    QHeaderView* head = header();
    head->setSectionsMovable(true);
    head->setFirstSectionMovable(true);
    head->setSortIndicatorClearable(true);
    head->setSortIndicator(-1, Qt::AscendingOrder);
    setSortingEnabled(true);
    resetColumns();
    connect(&model_, &QAbstractItemModel::modelAboutToBeReset, this, &OperatorsTree::keep);
    connect(&model_, &OperatorsModel::rearranged, this, &OperatorsTree::restore);
}

void OperatorsTree::setChosen(OperatorColumn column, bool chosen) {
    const std::uint32_t bit = 1U << static_cast<unsigned>(column);
    chosen_ = chosen ? chosen_ | bit : chosen_ & ~bit;
    applyColumns();
}

bool OperatorsTree::isChosen(OperatorColumn column) const {
    return (chosen_ & (1U << static_cast<unsigned>(column))) != 0;
}

std::vector<OperatorColumn> OperatorsTree::shownColumns() const {
    std::vector<OperatorColumn> columns;
    for (int visual = 0; visual < header()->count(); ++visual)
        if (const int logical = header()->logicalIndex(visual); !isColumnHidden(logical))
            columns.push_back(static_cast<OperatorColumn>(logical));
    return columns;
}

void OperatorsTree::resetColumns() {
    chosen_ = 0;
    const int digit = fontMetrics().horizontalAdvance('0');
    for (std::size_t c = 0; c < operatorColumnCount; ++c) {
        const OperatorColumnFacts& facts = factsOf(static_cast<OperatorColumn>(c));
        if (facts.shown) chosen_ |= 1U << c;
        header()->moveSection(header()->visualIndex(static_cast<int>(c)), static_cast<int>(c));
        header()->resizeSection(static_cast<int>(c), facts.widthInEms * digit + 2 * cellPadding);
    }
    applyColumns();
}

void OperatorsTree::applyColumns() {
    for (std::size_t c = 0; c < operatorColumnCount; ++c) {
        const auto column = static_cast<OperatorColumn>(c);
        const bool comparing = column == OperatorColumn::baseline || column == OperatorColumn::difference;
        const bool applicable = comparing                         ? model_.rows().hasBaseline()
                                : column == OperatorColumn::calls ? model_.grouping() != Grouping::none
                                                                  : true;
        const bool hide = !applicable || (!isChosen(column) && column != OperatorColumn::kind);
        if (isColumnHidden(static_cast<int>(c)) != hide) setColumnHidden(static_cast<int>(c), hide);
    }
}

void OperatorsTree::showCurrent(const QModelIndex& index, bool scroll) {
    silent_ = true;
    setAutoScroll(false); // would also unfold the group
    if (index.isValid()) {
        selectionModel()->setCurrentIndex(index, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
        if (scroll) scrollTo(index);
    } else {
        selectionModel()->clear();
    }
    setAutoScroll(true);
    silent_ = false;
}

std::vector<QModelIndex> OperatorsTree::selectedInOrder() const {
    std::vector<QModelIndex> rows;
    for (const QModelIndex& index : selectionModel()->selectedRows()) rows.push_back(index);
    // A group comes before what it holds.
    const auto place = [](const QModelIndex& index) {
        return index.parent().isValid() ? std::pair(index.parent().row(), index.row()) : std::pair(index.row(), -1);
    };
    std::sort(rows.begin(), rows.end(),
              [&](const QModelIndex& a, const QModelIndex& b) { return place(a) < place(b); });
    return rows;
}

void OperatorsTree::currentChanged(const QModelIndex& current, const QModelIndex& previous) {
    QTreeView::currentChanged(current, previous);
    if (!silent_ && current.isValid()) emit rowChosen(current);
}

void OperatorsTree::drawBranches(QPainter* painter, const QRect& rect, const QModelIndex& index) const {
    if (model_.groupAt(index) != nullptr) QTreeView::drawBranches(painter, rect, index);
}

void OperatorsTree::keep() {
    silent_ = true;
    scrolledTo_ = verticalScrollBar()->value();
    if (model_.arrangement().groups.empty()) return;
    expanded_.clear();
    for (int g = 0; g < model_.rowCount(); ++g)
        if (const QModelIndex group = model_.index(g, 0); isExpanded(group))
            expanded_.insert(model_.groupAt(group)->label);
}

void OperatorsTree::restore() {
    const bool grouped = model_.grouping() != Grouping::none;
    if (rootIsDecorated() != grouped) setRootIsDecorated(grouped);
    applyColumns();
    if (!silent_) return;
    silent_ = false;
    if (grouped && !expanded_.isEmpty())
        for (int g = 0; g < model_.rowCount(); ++g)
            if (const QModelIndex group = model_.index(g, 0); expanded_.contains(model_.groupAt(group)->label))
                expand(group);
    executeDelayedItemsLayout();
    verticalScrollBar()->setValue(scrolledTo_);
}

} // namespace deltascope::ui
