// SPDX-License-Identifier: GPL-3.0-or-later
#include "tables/operator_arrangement.h"

#include "panels/text.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace deltascope::ui {
namespace {

constexpr OperatorColumn columnAt(std::size_t i) { return static_cast<OperatorColumn>(i); }

/// One value per operator of each block, found once for all uses of the block.
template <class T, class Function>
std::vector<std::vector<T>> perBlock(const Simulation& simulation, Function function) {
    std::vector<std::vector<T>> values(simulation.step.blocks.size());
    for (std::size_t b = 0; b < values.size(); ++b) {
        const Block& block = simulation.step.blocks[b];
        values[b].reserve(block.operators.size());
        for (std::size_t i = 0; i < block.operators.size(); ++i)
            values[b].push_back(function(block, block.operators[i], simulation.blocks[b].costs[i]));
    }
    return values;
}

/// `current` for operators of the step, `ghost` for those that only the baseline has.
template <class T>
struct Tables {
    std::vector<std::vector<T>> current, ghost;
    const T& of(const OperatorRows& rows, const OperatorRow& row) const {
        return (row.ghost ? ghost : current)[rows.segment(row).block][row.ref.index];
    }
};

const Simulation* ghostSimulation(const OperatorRows& rows) {
    if (rows.size() == 0) return nullptr;
    const OperatorRow& last = rows.row(rows.size() - 1);
    return last.ghost ? &rows.simulationOf(last) : nullptr;
}

template <class T, class Function>
Tables<T> tabulate(const OperatorRows& rows, Function function) {
    Tables<T> tables{perBlock<T>(*rows.current(), function), {}};
    if (const Simulation* ghost = ghostSimulation(rows)) tables.ghost = perBlock<T>(*ghost, function);
    return tables;
}

std::vector<std::uint32_t> filtered(const OperatorRows& rows, const OperatorFilter& filter) {
    std::vector<std::uint32_t> order;
    order.reserve(rows.size());
    if (filter.empty()) {
        order.resize(rows.size());
        std::iota(order.begin(), order.end(), 0U);
        return order;
    }
    const auto bits = tabulate<std::uint32_t>(rows, [&](const Block&, const Operator& op, const OperatorCost& cost) {
        return filter.matchOperator(op, nameOf(cost.bound));
    });
    const Segment* last = nullptr;
    std::uint32_t segmentBits = 0;
    for (std::uint32_t i = 0; i < rows.size(); ++i) {
        const OperatorRow& row = rows.row(i);
        const Segment& segment = rows.segment(row);
        if (&segment != last) {
            last = &segment;
            segmentBits = filter.matchSegment(segment);
        }
        if (filter.accepts(bits.of(rows, row), segmentBits)) order.push_back(i);
    }
    return order;
}

/// Position of a row's text among all texts of the column, in alphabetical order.
std::vector<double> textRanks(const OperatorRows& rows, const std::vector<std::uint32_t>& order,
                              OperatorColumn column) {
    const auto textOf = [&](const Block& block, const Operator& op, const OperatorCost& cost) -> QString {
        switch (column) {
        case OperatorColumn::kind: return toQString(nameOf(op.kind));
        case OperatorColumn::module: return toQString(op.module);
        case OperatorColumn::bound: return toQString(nameOf(cost.bound));
        case OperatorColumn::provenance: return toQString(nameOf(cost.provenance));
        case OperatorColumn::shapes: return shapesText(block, op);
        case OperatorColumn::id:
            return toQString(op.module) + '/' + toQString(nameOf(op.kind)) + '/' + QChar(op.occurrence);
        default: return {};
        }
    };
    const auto texts = tabulate<QString>(rows, textOf);
    std::map<QString, double> ranks;
    for (const auto* table : {&texts.current, &texts.ghost})
        for (const auto& block : *table)
            for (const QString& text : block) ranks.emplace(text, 0.0);
    double next = 0.0;
    for (auto& [text, rank] : ranks) rank = next++;
    Tables<double> rankOf;
    for (const auto& [from, to] : {std::pair{&texts.current, &rankOf.current}, {&texts.ghost, &rankOf.ghost}})
        for (const auto& block : *from) {
            auto& values = to->emplace_back();
            for (const QString& text : block) values.push_back(ranks[text]);
        }

    std::vector<double> keys(rows.size());
    for (const std::uint32_t i : order) {
        const OperatorRow& row = rows.row(i);
        const Segment& segment = rows.segment(row);
        const double place = static_cast<double>(segment.part) * 1e5 + segment.layer; // layers stay in numeric order
        keys[i] = column == OperatorColumn::part ? static_cast<double>(segment.part) : rankOf.of(rows, row);
        if (column == OperatorColumn::id) keys[i] += place * 1e6;
    }
    return keys;
}

/// NaN sorts last whichever way the order goes.
template <class Key>
auto byKey(Key key, bool descending) {
    return [key, descending](std::uint32_t a, std::uint32_t b) {
        const double x = key(a), y = key(b);
        if (std::isnan(x) || std::isnan(y)) return !std::isnan(x) && std::isnan(y);
        return descending ? y < x : x < y;
    };
}

void sortRows(const OperatorRows& rows, std::vector<std::uint32_t>& order, const ArrangementChoice& choice) {
    if (!choice.sortBy) return;
    const OperatorColumn column = *choice.sortBy;
    std::vector<double> keys;
    if (factsOf(column).numeric) {
        keys.resize(rows.size());
        for (const std::uint32_t i : order) keys[i] = rows.number(i, column);
    } else {
        keys = textRanks(rows, order, column);
    }
    std::stable_sort(order.begin(), order.end(), byKey([&](std::uint32_t i) { return keys[i]; }, choice.descending));
}

QString groupLabel(const OperatorRows& rows, const OperatorRow& row, Grouping grouping) {
    const Segment& segment = rows.segment(row);
    if (grouping == Grouping::kind) return toQString(nameOf(rows.op(row).kind));
    if (grouping == Grouping::module) return toQString(rows.op(row).module);
    if (segment.part != Part::text || segment.layer < 0) return layerText(segment);
    const char* type = segment.layerType == LayerType::linearAttention
                           ? QT_TRANSLATE_NOOP("OperatorRows", "layer %1, linear attention")
                           : QT_TRANSLATE_NOOP("OperatorRows", "layer %1, full attention");
    return QCoreApplication::translate("OperatorRows", type).arg(segment.layer);
}

/// Number of each row's group, in order of first appearance; groups hold label and kind of their first row.
std::vector<std::uint32_t> assignGroups(const OperatorRows& rows, const std::vector<std::uint32_t>& order,
                                        Grouping grouping, std::vector<OperatorGroup>& groups) {
    std::vector<std::uint32_t> groupOf(rows.size());
    std::map<std::string_view, std::uint64_t> modules;
    const auto moduleNumber = tabulate<std::uint64_t>(rows, [&](const Block&, const Operator& op, const OperatorCost&) {
        return modules.emplace(op.module, modules.size()).first->second;
    });
    std::map<std::uint64_t, std::uint32_t> known;
    std::uint64_t lastKey = ~std::uint64_t{0};
    std::uint32_t last = 0;
    for (const std::uint32_t i : order) {
        const OperatorRow& row = rows.row(i);
        const Segment& segment = rows.segment(row);
        const std::uint64_t key = grouping == Grouping::kind     ? static_cast<std::uint64_t>(rows.op(row).kind)
                                  : grouping == Grouping::module ? moduleNumber.of(rows, row)
                                                                 : (static_cast<std::uint64_t>(segment.part) << 32) +
                                                                       static_cast<std::uint64_t>(segment.layer + 1);
        if (key != lastKey) {
            const auto [found, added] = known.emplace(key, static_cast<std::uint32_t>(groups.size()));
            if (added) {
                OperatorGroup& group = groups.emplace_back();
                group.label = groupLabel(rows, row, grouping);
                group.kind = rows.op(row).kind;
            }
            lastKey = key;
            last = found->second;
        }
        groupOf[i] = last;
    }
    return groupOf;
}

void sumGroups(const OperatorRows& rows, const std::vector<std::uint32_t>& order,
               const std::vector<std::uint32_t>& groupOf, std::vector<OperatorGroup>& groups) {
    for (OperatorGroup& group : groups)
        for (std::size_t c = 0; c < operatorColumnCount; ++c)
            group.totals[c] =
                factsOf(columnAt(c)).additive && (rows.hasBaseline() || (columnAt(c) != OperatorColumn::baseline &&
                                                                         columnAt(c) != OperatorColumn::difference))
                    ? 0.0
                    : std::numeric_limits<double>::quiet_NaN();
    for (const std::uint32_t i : order) {
        OperatorGroup& group = groups[groupOf[i]];
        ++group.count;
        for (std::size_t c = 0; c < operatorColumnCount; ++c) {
            if (!factsOf(columnAt(c)).additive) continue;
            const double value = rows.number(i, columnAt(c));
            if (!std::isnan(value)) group.totals[c] += value;
        }
    }
}

void groupRows(const OperatorRows& rows, const ArrangementChoice& choice, Arrangement& result) {
    std::vector<OperatorGroup> groups;
    // Groups are found in order of execution, whatever the order inside them.
    std::vector<std::uint32_t> byExecution = result.order;
    if (choice.sortBy) std::sort(byExecution.begin(), byExecution.end());
    const std::vector<std::uint32_t> groupOf = assignGroups(rows, byExecution, choice.grouping, groups);
    sumGroups(rows, byExecution, groupOf, groups);

    std::vector<std::uint32_t> places(groups.size());
    std::iota(places.begin(), places.end(), 0U);
    if (choice.sortBy && factsOf(*choice.sortBy).additive) {
        const auto column = static_cast<std::size_t>(*choice.sortBy);
        std::stable_sort(places.begin(), places.end(),
                         byKey([&](std::uint32_t g) { return groups[g].totals[column]; }, choice.descending));
    } else if (choice.sortBy == OperatorColumn::kind && choice.grouping != Grouping::layer) {
        std::stable_sort(places.begin(), places.end(), [&](std::uint32_t a, std::uint32_t b) {
            return choice.descending ? groups[b].label < groups[a].label : groups[a].label < groups[b].label;
        });
    } else if (choice.sortBy && choice.descending &&
               (choice.sortBy == OperatorColumn::layer || choice.sortBy == OperatorColumn::start)) {
        std::reverse(places.begin(), places.end());
    }

    std::vector<std::uint32_t> next(groups.size());
    std::uint32_t at = 0;
    for (const std::uint32_t g : places) {
        groups[g].first = next[g] = at;
        at += groups[g].count;
    }
    std::vector<std::uint32_t> grouped(result.order.size());
    for (const std::uint32_t i : result.order) grouped[next[groupOf[i]]++] = i;
    result.order = std::move(grouped);
    result.groups.reserve(groups.size());
    for (const std::uint32_t g : places) result.groups.push_back(std::move(groups[g]));
}

} // namespace

bool Arrangement::sameShape(const Arrangement& other) const {
    return order == other.order && std::equal(groups.begin(), groups.end(), other.groups.begin(), other.groups.end(),
                                              [](const OperatorGroup& a, const OperatorGroup& b) {
                                                  return a.first == b.first && a.count == b.count && a.label == b.label;
                                              });
}

Arrangement arrange(const OperatorRows& rows, const ArrangementChoice& choice) {
    Arrangement result;
    if (rows.size() == 0) return result;
    result.order = filtered(rows, choice.filter);
    for (const std::uint32_t i : result.order) {
        if (rows.row(i).ghost) {
            ++result.ghosts;
            continue;
        }
        ++result.operators;
        result.time += Seconds(rows.number(i, OperatorColumn::time));
        result.largestShare = std::max(result.largestShare, rows.number(i, OperatorColumn::share));
    }
    sortRows(rows, result.order, choice);
    if (choice.grouping != Grouping::none) groupRows(rows, choice, result);
    return result;
}

} // namespace deltascope::ui
