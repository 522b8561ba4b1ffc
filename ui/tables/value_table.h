// SPDX-License-Identifier: GPL-3.0-or-later
// The table twin of a chart: the same values as rows of text and numbers, copied in the same formats.
#pragma once

#include "tables/table_text.h"

#include <QAbstractTableModel>
#include <QColor>
#include <QTableView>

#include <limits>
#include <vector>

namespace deltascope::ui {

struct ValueCell {
    QString text;
    double number = std::numeric_limits<double>::quiet_NaN(); ///< SI; what TSV and CSV carry when finite
    QColor color;                                             ///< of the chip before the text, or of a difference
    bool muted = false;
};

struct ValueTable {
    struct Column {
        QString title;
        QString rawTitle; ///< with the SI unit: "time_s"
        bool numeric = true;
    };
    std::vector<Column> columns;
    std::vector<std::vector<ValueCell>> rows;
};

class ValueTableModel : public QAbstractTableModel {
    Q_OBJECT
public:
    using QAbstractTableModel::QAbstractTableModel;

    /// Keeps selection and scroll position when the shape stays.
    void setTable(ValueTable table);
    [[nodiscard]] const ValueTable& table() const { return table_; }

    [[nodiscard]] const ValueCell& cell(const QModelIndex& index) const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation,
                                      int role = Qt::DisplayRole) const override;

private:
    ValueTable table_;
};

/// Copies the selected rows, or all when fewer than two are selected (Ctrl+C as TSV; the context menu has all formats).
class ValueTableView : public QTableView {
    Q_OBJECT
public:
    explicit ValueTableView(QWidget* parent = nullptr);

    void setTable(ValueTable table);
    [[nodiscard]] ValueTableModel& values() { return model_; }
    [[nodiscard]] TextTable textTable(TableFormat format) const;

private:
    ValueTableModel model_;
    bool sized_ = false;
};

} // namespace deltascope::ui
