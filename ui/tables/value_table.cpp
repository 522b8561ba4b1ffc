// SPDX-License-Identifier: GPL-3.0-or-later
#include "tables/value_table.h"

#include "base/format.h"
#include "tables/cell_text.h"
#include "theme/theme.h"

#include <QAction>
#include <QHeaderView>
#include <QPainter>
#include <QStyledItemDelegate>

#include <algorithm>
#include <cmath>

namespace deltascope::ui {
namespace {

constexpr int chip = 9;

class ValueDelegate : public QStyledItemDelegate {
public:
    ValueDelegate(const ValueTableModel& model, QObject* parent) : QStyledItemDelegate(parent), model_(model) {}

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const ValueCell& cell = model_.cell(index);
        const bool numeric = model_.table().columns[static_cast<std::size_t>(index.column())].numeric;
        QRect rect = option.rect.adjusted(cellPadding, 0, -cellPadding, 0);
        if (option.features.testFlag(QStyleOptionViewItem::Alternate))
            painter->fillRect(option.rect, option.palette.alternateBase());
        paintSelectedGround(*painter, option);
        if (!numeric && cell.color.isValid()) {
            painter->fillRect(QRect(rect.left(), rect.center().y() - chip / 2, chip, chip), cell.color);
            rect.setLeft(rect.left() + chip + cellPadding);
        }
        painter->setPen(numeric && cell.color.isValid() ? cell.color : cell.muted ? theme().mutedText : theme().text);
        text_.draw(*painter, rect, cell.text, numeric);
    }
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const ValueCell& cell = model_.cell(index);
        return {option.fontMetrics.horizontalAdvance(cell.text) + 2 * cellPadding +
                    (cell.color.isValid() ? chip + cellPadding : 0),
                cellHeight(option.fontMetrics)};
    }

private:
    const ValueTableModel& model_;
    CellText text_;
};

const ValueCell emptyCell;

} // namespace

const ValueCell& ValueTableModel::cell(const QModelIndex& index) const {
    const auto& row = table_.rows[static_cast<std::size_t>(index.row())];
    const auto column = static_cast<std::size_t>(index.column());
    return column < row.size() ? row[column] : emptyCell;
}

void ValueTableModel::setTable(ValueTable table) {
    const bool sameShape = table.rows.size() == table_.rows.size() && table.columns.size() == table_.columns.size();
    if (!sameShape) {
        beginResetModel();
        table_ = std::move(table);
        endResetModel();
        return;
    }
    table_ = std::move(table);
    if (table_.rows.empty() || table_.columns.empty()) return;
    emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    emit headerDataChanged(Qt::Horizontal, 0, columnCount() - 1);
}

int ValueTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(table_.rows.size());
}

int ValueTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(table_.columns.size());
}

QVariant ValueTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const auto column = static_cast<std::size_t>(index.column());
    const ValueCell& value = cell(index);
    const bool numeric = table_.columns[column].numeric;
    switch (role) {
    case Qt::DisplayRole: return value.text;
    case Qt::TextAlignmentRole: return QVariant(Qt::AlignVCenter | (numeric ? Qt::AlignRight : Qt::AlignLeft));
    case Qt::DecorationRole: return !numeric && value.color.isValid() ? QVariant(value.color) : QVariant();
    case Qt::ForegroundRole:
        if (numeric && value.color.isValid()) return QBrush(value.color);
        return value.muted ? QVariant(QBrush(theme().mutedText)) : QVariant();
    default: return {};
    }
}

QVariant ValueTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    const ValueTable::Column& column = table_.columns[static_cast<std::size_t>(section)];
    if (role == Qt::DisplayRole) return column.title;
    if (role == Qt::TextAlignmentRole)
        return QVariant(Qt::AlignVCenter | (column.numeric ? Qt::AlignRight : Qt::AlignLeft));
    return {};
}

ValueTableView::ValueTableView(QWidget* parent) : QTableView(parent) {
    setModel(&model_);
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setAlternatingRowColors(true);
    setShowGrid(false);
    setWordWrap(false);
    setTabKeyNavigation(false);
    setFrameShape(QFrame::NoFrame);
    verticalHeader()->hide();
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    verticalHeader()->setDefaultSectionSize(cellHeight(fontMetrics()));
    setHorizontalHeader(new FlatHeader(this));
    setItemDelegate(new ValueDelegate(model_, this));
    setContextMenuPolicy(Qt::ActionsContextMenu);
    const auto addCopy = [this](const QString& text, TableFormat format) {
        auto* action = new QAction(text, this);
        connect(action, &QAction::triggered, this, [this, format] { copyToClipboard(textTable(format), format); });
        addAction(action);
        return action;
    };
    QAction* copy = addCopy(tr("Copy as TSV"), TableFormat::tsv);
    copy->setShortcut(QKeySequence::Copy);
    copy->setShortcutContext(Qt::WidgetShortcut);
    addCopy(tr("Copy as Markdown"), TableFormat::markdown);
    addCopy(tr("Copy as CSV"), TableFormat::csv);
}

void ValueTableView::setTable(ValueTable table) {
    const std::size_t columnsBefore = model_.table().columns.size();
    model_.setTable(std::move(table));
    if (sized_ && columnsBefore == model_.table().columns.size()) return;
    sized_ = !model_.table().rows.empty();
    resizeColumnsToContents();
    for (int c = 0; c < model_.columnCount(); ++c)
        setColumnWidth(c, std::max(columnWidth(c) + 14, fontMetrics().averageCharWidth() * 11));
}

TextTable ValueTableView::textTable(TableFormat format) const {
    const ValueTable& table = model_.table();
    const bool raw = wantsRawNumbers(format);
    TextTable text;
    for (const ValueTable::Column& column : table.columns) {
        text.headers.push_back(raw && !column.rawTitle.isEmpty() ? column.rawTitle : column.title);
        text.numeric.push_back(column.numeric);
    }
    std::vector<int> chosen;
    for (const QModelIndex& index : selectionModel()->selectedRows()) chosen.push_back(index.row());
    std::sort(chosen.begin(), chosen.end());
    if (chosen.size() < 2) {
        chosen.clear();
        for (int r = 0; r < model_.rowCount(); ++r) chosen.push_back(r);
    }
    for (const int r : chosen) {
        std::vector<QString>& cells = text.rows.emplace_back();
        for (const ValueCell& cell : table.rows[static_cast<std::size_t>(r)])
            cells.push_back(raw && std::isfinite(cell.number) ? QString::fromStdString(formatExact(cell.number))
                                                              : cell.text);
    }
    return text;
}

} // namespace deltascope::ui
