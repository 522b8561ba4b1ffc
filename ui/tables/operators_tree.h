// SPDX-License-Identifier: GPL-3.0-or-later
// The tree that shows OperatorsModel: paints its cells itself, and keeps scroll position, expanded groups and current
// row when the model is reset.
#pragma once

#include "tables/cell_text.h"
#include "tables/operators_model.h"

#include <QSet>
#include <QStyledItemDelegate>
#include <QTreeView>

namespace deltascope::ui {

/// Text, a chip in the colour of the operator's class, a bar behind the share; a fraction of the cost of a style.
class OperatorDelegate : public QStyledItemDelegate {
    Q_OBJECT
public:
    OperatorDelegate(const OperatorsModel& model, QObject* parent) : QStyledItemDelegate(parent), model_(model) {}

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    const OperatorsModel& model_;
    CellText text_;
};

class OperatorsTree : public QTreeView {
    Q_OBJECT
public:
    explicit OperatorsTree(OperatorsModel& model, QWidget* parent = nullptr);

    /// Columns that the user chose and that say something: calls only in groups, the baseline's only with a baseline.
    void setChosen(OperatorColumn column, bool chosen);
    [[nodiscard]] bool isChosen(OperatorColumn column) const;
    [[nodiscard]] std::vector<OperatorColumn> shownColumns() const; ///< in visual order
    void resetColumns();

    /// Makes the row current without telling anybody; an invalid index clears.
    void showCurrent(const QModelIndex& index, bool scroll);
    [[nodiscard]] std::vector<QModelIndex> selectedInOrder() const;

    /// Repaints what is on screen; the base class looks for the changed cells among all of them.
    void dataChanged(const QModelIndex&, const QModelIndex&, const QList<int>& = {}) override { viewport()->update(); }

signals:
    void rowChosen(const QModelIndex& index); ///< by the user

protected:
    void currentChanged(const QModelIndex& current, const QModelIndex& previous) override;
    void drawBranches(QPainter* painter, const QRect& rect, const QModelIndex& index) const override;

private:
    void keep();
    void restore();
    void applyColumns();

    OperatorsModel& model_;
    std::uint32_t chosen_ = 0; ///< a bit per OperatorColumn
    QSet<QString> expanded_;
    int scrolledTo_ = 0;
    bool silent_ = false;
};

} // namespace deltascope::ui
