// SPDX-License-Identifier: GPL-3.0-or-later
// The arranged operators as an item model: rows at the top, or groups with rows below them. No object per item.
#pragma once

#include "tables/operator_arrangement.h"
#include "tables/table_text.h"

#include <QAbstractItemModel>

#include <optional>
#include <vector>

namespace deltascope::ui {

class OperatorsModel : public QAbstractItemModel {
    Q_OBJECT
public:
    using QAbstractItemModel::QAbstractItemModel;

    /// Values of the same operators in the same order are changed in place; anything else resets the model.
    void setRows(OperatorRows rows, bool dimmed);
    void setFilter(const QString& text);
    void setGrouping(Grouping grouping);
    /// A negative column is the order of execution.
    void sort(int column, Qt::SortOrder order) override;

    [[nodiscard]] const OperatorRows& rows() const { return rows_; }
    [[nodiscard]] const Arrangement& arrangement() const { return arrangement_; }
    [[nodiscard]] Grouping grouping() const { return choice_.grouping; }
    /// The values belong to an earlier scenario than the controls show.
    [[nodiscard]] bool dimmed() const { return dimmed_; }

    /// Row of OperatorRows behind an index; empty for a group.
    [[nodiscard]] std::optional<std::uint32_t> rowAt(const QModelIndex& index) const;
    [[nodiscard]] const OperatorGroup* groupAt(const QModelIndex& index) const;
    /// Invalid when the filter hides the row.
    [[nodiscard]] QModelIndex indexOfRow(std::size_t row, OperatorColumn column = OperatorColumn::kind) const;

    /// `chosen` in the order given, or all top-level rows when it is empty.
    [[nodiscard]] TextTable textTable(const std::vector<QModelIndex>& chosen,
                                      const std::vector<OperatorColumn>& columns, bool rawNumbers) const;

    [[nodiscard]] QModelIndex index(int row, int column, const QModelIndex& parent = {}) const override;
    [[nodiscard]] QModelIndex parent(const QModelIndex& child) const override;
    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] bool hasChildren(const QModelIndex& parent = {}) const override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex& index) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

    [[nodiscard]] QString text(const QModelIndex& index) const;
    /// SI value of a numeric cell; NaN where there is none.
    [[nodiscard]] double number(const QModelIndex& index) const;

signals:
    void rearranged(); ///< after every change of rows, filter, grouping or order

private:
    void rearrange(bool sameIdentities);
    void announceValues();

    OperatorRows rows_;
    ArrangementChoice choice_;
    Arrangement arrangement_;
    std::vector<std::uint32_t> placeOf_; ///< position in Arrangement::order by row
    bool dimmed_ = false;
};

} // namespace deltascope::ui
