// SPDX-License-Identifier: GPL-3.0-or-later
#include "tables/operators_model.h"

#include "base/format.h"
#include "theme/theme.h"

#include <QBrush>
#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace deltascope::ui {
namespace {

constexpr std::uint32_t hidden = ~std::uint32_t{0};
constexpr quintptr topLevel = 0; ///< internal id; children carry their group's position + 1

constexpr OperatorColumn columnOf(int column) { return static_cast<OperatorColumn>(column); }

} // namespace

void OperatorsModel::setRows(OperatorRows rows, bool dimmed) {
    const bool sameIdentities = rows.sameIdentities(rows_);
    if (!sameIdentities) beginResetModel();
    rows_ = std::move(rows);
    dimmed_ = dimmed;
    rearrange(sameIdentities);
}

void OperatorsModel::setFilter(const QString& text) {
    choice_.filter = OperatorFilter(text.toStdString());
    rearrange(true);
}

void OperatorsModel::setGrouping(Grouping grouping) {
    if (choice_.grouping == grouping) return;
    choice_.grouping = grouping;
    rearrange(true);
}

void OperatorsModel::sort(int column, Qt::SortOrder order) {
    choice_.sortBy = column < 0 ? std::nullopt : std::optional(columnOf(column));
    choice_.descending = order == Qt::DescendingOrder;
    rearrange(true);
}

void OperatorsModel::rearrange(bool sameIdentities) {
    Arrangement next = arrange(rows_, choice_);
    const bool inPlace =
        sameIdentities && next.sameShape(arrangement_) && next.groups.empty() == arrangement_.groups.empty();
    if (!inPlace && sameIdentities) beginResetModel();
    arrangement_ = std::move(next);
    placeOf_.assign(rows_.size(), hidden);
    for (std::uint32_t place = 0; place < arrangement_.order.size(); ++place)
        placeOf_[arrangement_.order[place]] = place;
    if (inPlace)
        announceValues();
    else
        endResetModel();
    emit rearranged();
}

void OperatorsModel::announceValues() {
    const auto announce = [this](const QModelIndex& parent) {
        if (const int n = rowCount(parent); n > 0)
            emit dataChanged(index(0, 0, parent), index(n - 1, columnCount() - 1, parent));
    };
    announce({});
    for (int g = 0; g < static_cast<int>(arrangement_.groups.size()); ++g) announce(index(g, 0));
}

std::optional<std::uint32_t> OperatorsModel::rowAt(const QModelIndex& index) const {
    if (!index.isValid()) return std::nullopt;
    const auto row = static_cast<std::uint32_t>(index.row());
    if (index.internalId() != topLevel)
        return arrangement_.order[arrangement_.groups[index.internalId() - 1].first + row];
    if (!arrangement_.groups.empty()) return std::nullopt;
    return arrangement_.order[row];
}

const OperatorGroup* OperatorsModel::groupAt(const QModelIndex& index) const {
    if (!index.isValid() || index.internalId() != topLevel || arrangement_.groups.empty()) return nullptr;
    return &arrangement_.groups[static_cast<std::size_t>(index.row())];
}

QModelIndex OperatorsModel::indexOfRow(std::size_t row, OperatorColumn column) const {
    if (row >= placeOf_.size() || placeOf_[row] == hidden) return {};
    const std::uint32_t place = placeOf_[row];
    const auto& groups = arrangement_.groups;
    if (groups.empty()) return createIndex(static_cast<int>(place), static_cast<int>(column), topLevel);
    const auto after = std::upper_bound(groups.begin(), groups.end(), place,
                                        [](std::uint32_t p, const OperatorGroup& group) { return p < group.first; });
    const auto group = static_cast<std::size_t>(after - groups.begin()) - 1;
    return createIndex(static_cast<int>(place - groups[group].first), static_cast<int>(column), group + 1);
}

QModelIndex OperatorsModel::index(int row, int column, const QModelIndex& parent) const {
    if (row < 0 || column < 0 || row >= rowCount(parent) || column >= columnCount(parent)) return {};
    return createIndex(row, column, parent.isValid() ? static_cast<quintptr>(parent.row()) + 1 : topLevel);
}

QModelIndex OperatorsModel::parent(const QModelIndex& child) const {
    if (!child.isValid() || child.internalId() == topLevel) return {};
    return createIndex(static_cast<int>(child.internalId() - 1), 0, topLevel);
}

int OperatorsModel::rowCount(const QModelIndex& parent) const {
    if (!parent.isValid())
        return static_cast<int>(arrangement_.groups.empty() ? arrangement_.order.size() : arrangement_.groups.size());
    if (parent.column() != 0) return 0;
    const OperatorGroup* group = groupAt(parent);
    return group != nullptr ? static_cast<int>(group->count) : 0;
}

int OperatorsModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() && groupAt(parent) == nullptr ? 0 : static_cast<int>(operatorColumnCount);
}

bool OperatorsModel::hasChildren(const QModelIndex& parent) const { return rowCount(parent) > 0; }

Qt::ItemFlags OperatorsModel::flags(const QModelIndex& index) const {
    if (!index.isValid()) return Qt::NoItemFlags;
    const Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemIsSelectable;
    return groupAt(index) != nullptr ? flags : flags | Qt::ItemNeverHasChildren;
}

double OperatorsModel::number(const QModelIndex& index) const {
    if (const OperatorGroup* group = groupAt(index)) return group->totals[static_cast<std::size_t>(index.column())];
    const auto row = rowAt(index);
    return row ? rows_.number(*row, columnOf(index.column())) : std::numeric_limits<double>::quiet_NaN();
}

QString OperatorsModel::text(const QModelIndex& index) const {
    const OperatorColumn column = columnOf(index.column());
    if (const OperatorGroup* group = groupAt(index)) {
        if (column == OperatorColumn::kind) return group->label;
        return factsOf(column).additive ? formatValue(column, group->totals[static_cast<std::size_t>(column)])
                                        : QString();
    }
    const auto row = rowAt(index);
    return row ? rows_.text(*row, column) : QString();
}

QVariant OperatorsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    switch (role) {
    case Qt::DisplayRole: return text(index);
    case Qt::TextAlignmentRole:
        return QVariant(Qt::AlignVCenter |
                        (factsOf(columnOf(index.column())).numeric ? Qt::AlignRight : Qt::AlignLeft));
    case Qt::ToolTipRole: {
        const auto row = rowAt(index);
        if (!row) return {};
        if (rows_.row(*row).ghost) return tr("%1\nonly in the baseline").arg(rows_.text(*row, OperatorColumn::id));
        return columnOf(index.column()) == OperatorColumn::shapes ? rows_.text(*row, OperatorColumn::shapes)
                                                                  : rows_.text(*row, OperatorColumn::id);
    }
    case Qt::ForegroundRole: {
        const auto row = rowAt(index);
        return dimmed_ || (row && rows_.row(*row).ghost) ? QVariant(QBrush(theme().mutedText)) : QVariant();
    }
    default: return {};
    }
}

QVariant OperatorsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
    const OperatorColumn column = columnOf(section);
    if (role == Qt::DisplayRole) return titleOf(column);
    if (role == Qt::ToolTipRole) return QCoreApplication::translate("OperatorRows", factsOf(column).tip);
    if (role == Qt::TextAlignmentRole)
        return QVariant(Qt::AlignVCenter | (factsOf(column).numeric ? Qt::AlignRight : Qt::AlignLeft));
    return {};
}

TextTable OperatorsModel::textTable(const std::vector<QModelIndex>& chosen, const std::vector<OperatorColumn>& columns,
                                    bool rawNumbers) const {
    TextTable table;
    for (const OperatorColumn column : columns) {
        table.headers.push_back(rawNumbers ? QString::fromLatin1(factsOf(column).rawTitle) : titleOf(column));
        table.numeric.push_back(factsOf(column).numeric);
    }
    const auto addRow = [&](const QModelIndex& first) {
        std::vector<QString>& cells = table.rows.emplace_back();
        for (const OperatorColumn column : columns) {
            const QModelIndex cell = first.siblingAtColumn(static_cast<int>(column));
            const bool raw = rawNumbers && factsOf(column).numeric;
            const double value = raw ? number(cell) : 0.0;
            cells.push_back(!raw                   ? text(cell)
                            : std::isfinite(value) ? QString::fromStdString(formatExact(value))
                                                   : QString());
        }
    };
    if (chosen.empty())
        for (int r = 0; r < rowCount(); ++r) addRow(index(r, 0));
    else
        for (const QModelIndex& index : chosen) addRow(index);
    return table;
}

} // namespace deltascope::ui
