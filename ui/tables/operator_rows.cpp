// SPDX-License-Identifier: GPL-3.0-or-later
#include "tables/operator_rows.h"

#include "base/format.h"
#include "panels/text.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace deltascope::ui {
namespace {

constexpr double none = std::numeric_limits<double>::quiet_NaN();

#define TR(text) QT_TRANSLATE_NOOP("OperatorRows", text)
constexpr std::array<OperatorColumnFacts, operatorColumnCount> columns{{
    {TR("Operator"), "kind", TR("Kind of the operator; the colour is its class"), false, false, true, 29},
    {TR("Layer"), "layer", TR("Layer of the trunk, or the part of the step"), true, false, true, 8},
    {TR("Module"), "module", TR("Module of the model that the operator belongs to"), false, false, true, 20},
    {TR("Part"), "part", TR("Part of the step"), false, false, false, 9},
    {TR("Calls"), "calls", TR("Operators in the group"), true, true, true, 7},
    {TR("Time"), "time_s", TR("Simulated time"), true, true, true, 10},
    {TR("Baseline"), "baseline_s", TR("Time in the pinned baseline"), true, true, true, 10},
    {TR("Difference"), "difference_s", TR("Time less that of the baseline"), true, true, true, 11},
    {TR("Share"), "share", TR("Share of the step's time"), true, true, true, 9},
    {TR("Bound"), "bound", TR("The part that decides the time"), false, false, true, 14},
    {TR("Start"), "start_s", TR("Start within the step"), true, false, true, 10},
    {TR("Matrix"), "matrix_s", TR("Time of the matrix unit"), true, true, false, 10},
    {TR("Vector"), "vector_s", TR("Time of the vector unit"), true, true, false, 10},
    {TR("Memory"), "memory_s", TR("Time to move the bytes"), true, true, false, 10},
    {TR("Link"), "communication_s", TR("Time on the interconnect"), true, true, false, 10},
    {TR("Launch"), "launch_s", TR("Time to start the kernels"), true, true, false, 10},
    {TR("Bytes"), "moved_bytes", TR("Bytes moved through memory"), true, true, true, 10},
    {TR("FLOPs"), "flops", TR("Operations of the matrix and the vector unit"), true, true, true, 13},
    {TR("Shapes"), "shapes", TR("Inputs and outputs on this rank"), false, false, true, 48},
    {TR("Provenance"), "provenance", TR("Where the time comes from"), false, false, true, 11},
    {TR("Id"), "id", TR("Identity of the operator in every scenario"), false, false, false, 44},
}};
#undef TR

bool sameOperators(const Simulation& a, const Simulation& b) {
    const auto sameOperator = [](const Operator& x, const Operator& y) {
        return x.kind == y.kind && x.occurrence == y.occurrence && x.module == y.module;
    };
    const auto sameBlock = [&](const Block& x, const Block& y) {
        return std::equal(x.operators.begin(), x.operators.end(), y.operators.begin(), y.operators.end(), sameOperator);
    };
    const auto sameSegment = [](const Segment& x, const Segment& y) {
        return x.part == y.part && x.layer == y.layer && x.block == y.block;
    };
    const Step &s = a.step, &t = b.step;
    return std::equal(s.segments.begin(), s.segments.end(), t.segments.begin(), t.segments.end(), sameSegment) &&
           std::equal(s.blocks.begin(), s.blocks.end(), t.blocks.begin(), t.blocks.end(), sameBlock);
}

} // namespace

const OperatorColumnFacts& factsOf(OperatorColumn column) { return columns[static_cast<std::size_t>(column)]; }

QString titleOf(OperatorColumn column) { return QCoreApplication::translate("OperatorRows", factsOf(column).title); }

QString formatValue(OperatorColumn column, double value) {
    if (!std::isfinite(value)) return QStringLiteral("–");
    switch (column) {
    case OperatorColumn::layer: return QString::number(static_cast<int>(value));
    case OperatorColumn::calls: return QString::fromStdString(formatCount(value));
    case OperatorColumn::share: return QString::number(value * 100.0, 'f', 2) + QStringLiteral(" %"); // most are small
    case OperatorColumn::difference: return QString::fromStdString(formatSecondsDifference(Seconds(value)));
    case OperatorColumn::bytes: return QString::fromStdString(formatBytes(Bytes(value)));
    case OperatorColumn::flops: return QString::fromStdString(formatFlops(value));
    default: return QString::fromStdString(formatSeconds(Seconds(value)));
    }
}

QString layerText(const Segment& segment) {
    if (segment.layer < 0) return toQString(nameOf(segment.part));
    const QString number = QString::number(segment.layer);
    if (segment.part == Part::mtp) return QCoreApplication::translate("OperatorRows", "draft %1").arg(number);
    return segment.part == Part::vision ? QCoreApplication::translate("OperatorRows", "vision %1").arg(number) : number;
}

QString shapesText(const Block& block, const Operator& op) {
    QString text;
    const auto append = [&](std::span<const std::uint16_t> tensors) {
        for (std::size_t i = 0; i < tensors.size(); ++i) {
            const Tensor& tensor = block.tensors[tensors[i]];
            if (i > 0) text += QLatin1String(", ");
            for (std::size_t d = 0; d < tensor.shape().size(); ++d) {
                if (d > 0) text += QChar(0x00d7);
                text += QString::number(tensor.shape()[d]);
            }
            text += ' ';
            text += toQString(nameOf(tensor.dtype));
        }
    };
    append(block.inputs(op));
    text += QStringLiteral(" → ");
    append(block.outputs(op));
    return text;
}

OperatorRows::OperatorRows(std::shared_ptr<const Simulation> current, std::shared_ptr<const Simulation> baseline,
                           const Comparison& comparison)
    : current_(std::move(current)), baseline_(std::move(baseline)) {
    const Step& step = current_->step;
    firstOfSegment_.reserve(step.segments.size());
    std::size_t count = 0;
    for (const Segment& segment : step.segments) {
        firstOfSegment_.push_back(count);
        count += step.blocks[segment.block].operators.size();
    }
    rows_.reserve(count);
    current_->forEachOperator([&](OperatorRef ref) { rows_.push_back({ref, false, false, none}); });
    if (baseline_ == nullptr) return;
    for (const OperatorPair& pair : comparison.operators) {
        if (pair.b && pair.a) {
            OperatorRow& row = rows_[indexOf(*pair.b)];
            row.paired = true;
            row.baseline = pair.timeA.value();
        } else if (pair.a) {
            rows_.push_back({*pair.a, true, false, pair.timeA.value()});
        }
    }
}

double OperatorRows::number(std::size_t i, OperatorColumn column) const {
    const OperatorRow& row = rows_[i];
    switch (column) {
    case OperatorColumn::layer: return segment(row).layer >= 0 ? segment(row).layer : none;
    case OperatorColumn::calls: return row.ghost ? 0.0 : 1.0;
    case OperatorColumn::baseline: return row.baseline;
    default: break;
    }
    if (row.ghost) return column == OperatorColumn::difference ? -row.baseline : none;
    const OperatorCost& cost = current_->cost(row.ref);
    switch (column) {
    case OperatorColumn::time: return cost.total.value();
    case OperatorColumn::difference:
        return baseline_ == nullptr ? none : cost.total.value() - (row.paired ? row.baseline : 0.0);
    case OperatorColumn::share: {
        const double step = current_->totals.time.value();
        return step > 0.0 ? cost.total.value() / step : 0.0;
    }
    case OperatorColumn::start: return current_->start(row.ref).value();
    case OperatorColumn::matrix: return cost.matrix.value();
    case OperatorColumn::vector: return cost.vector.value();
    case OperatorColumn::memory: return cost.memory.value();
    case OperatorColumn::communication: return cost.communication.value();
    case OperatorColumn::launch: return cost.launch.value();
    case OperatorColumn::bytes: return cost.work.moved().value();
    case OperatorColumn::flops: return cost.work.matrixTotal() + cost.work.vectorTotal();
    default: return none;
    }
}

QString OperatorRows::text(std::size_t i, OperatorColumn column) const {
    const OperatorRow& row = rows_[i];
    const Simulation& simulation = simulationOf(row);
    switch (column) {
    case OperatorColumn::kind: return toQString(nameOf(op(row).kind));
    case OperatorColumn::layer: return layerText(segment(row));
    case OperatorColumn::module: return toQString(op(row).module);
    case OperatorColumn::part: return toQString(nameOf(segment(row).part));
    case OperatorColumn::bound: return toQString(nameOf(simulation.cost(row.ref).bound));
    case OperatorColumn::shapes: return shapesText(simulation.block(row.ref), op(row));
    case OperatorColumn::provenance: return toQString(nameOf(simulation.cost(row.ref).provenance));
    case OperatorColumn::id: return QString::fromStdString(simulation.id(row.ref).text());
    default: return formatValue(column, number(i, column));
    }
}

bool OperatorRows::sameIdentities(const OperatorRows& other) const {
    if (rows_.size() != other.rows_.size() || hasBaseline() != other.hasBaseline()) return false;
    if (current_ == nullptr || other.current_ == nullptr) return current_ == other.current_;
    if (!sameOperators(*current_, *other.current_)) return false;
    const bool ghosts = !rows_.empty() && rows_.back().ghost;
    return !ghosts || baseline_ == other.baseline_ || sameOperators(*baseline_, *other.baseline_);
}

} // namespace deltascope::ui
