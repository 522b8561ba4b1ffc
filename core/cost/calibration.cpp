// SPDX-License-Identifier: GPL-3.0-or-later
#include "cost/calibration.h"

#include "base/format.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace deltascope {
namespace {

/// An operator's sizes by Feature; NaN where it has none.
using Sizes = std::array<double, featureCount>;

double& at(Sizes& sizes, Feature feature) { return sizes[static_cast<std::size_t>(feature)]; }

struct SizesOf {
    Sizes& s;

    template <class Other>
    void operator()(const Other&) const {} // bytes and FLOPs only
    void operator()(const LinearParams& p) const { matmul(p.m, p.k, p.n); }
    void operator()(const QuantizeParams& p) const {
        at(s, Feature::rows) = p.m;
        at(s, Feature::k) = p.k;
    }
    void operator()(const AttentionParams& p) const {
        rows(p.queryTokens, p.sequences);
        at(s, Feature::heads) = p.queryHeads;
        at(s, Feature::keyValueHeads) = p.keyValueHeads;
        at(s, Feature::headDim) = p.headDim;
        at(s, Feature::headsPerKeyValueHead) = p.queryHeads / p.keyValueHeads;
        at(s, Feature::sequencePairs) = p.scorePairs / p.sequences;
        at(s, Feature::context) = p.cacheTokens / p.sequences;
    }
    void operator()(const CausalConvParams& p) const {
        rows(p.tokens, p.sequences);
        at(s, Feature::channels) = p.channels;
        at(s, Feature::k) = p.kernel;
    }
    void operator()(const GatingParams& p) const {
        at(s, Feature::rows) = p.tokens;
        at(s, Feature::heads) = p.valueHeads;
    }
    void operator()(const ChunkRuleParams& p) const {
        rows(p.validTokens, p.sequences);
        at(s, Feature::heads) = p.heads;
        at(s, Feature::headDim) = p.valueHeadDim;
        at(s, Feature::chunks) = p.paddedTokens / p.chunk / p.sequences;
    }
    void operator()(const RecurrentRuleParams& p) const {
        at(s, Feature::rows) = p.rows;
        at(s, Feature::heads) = p.heads;
        at(s, Feature::headDim) = p.valueHeadDim;
    }
    void operator()(const GatedNormParams& p) const { at(s, Feature::rows) = p.rows; }
    void operator()(const NormParams& p) const { at(s, Feature::rows) = p.rows; }
    void operator()(const SwigluParams& p) const { at(s, Feature::rows) = p.rows; }
    void operator()(const EmbeddingParams& p) const { at(s, Feature::rows) = p.tokens; }
    void operator()(const CollectiveParams& p) const { at(s, Feature::ranks) = static_cast<double>(p.ranks); }
    void operator()(const GroupedMatmulParams& p) const {
        // gate and up: [hidden, 2 * intermediate]; down: [intermediate, hidden]
        matmul(p.rows, p.swiglu ? p.k : p.n, p.swiglu ? p.n / 2.0 : p.k);
        at(s, Feature::experts) = p.experts;
        at(s, Feature::rowsPerExpert) = p.rows / p.experts;
    }

private:
    void rows(double n, double sequences) const {
        at(s, Feature::rows) = n;
        at(s, Feature::sequences) = sequences;
        at(s, Feature::sequenceRows) = n / sequences;
    }
    void matmul(double m, double k, double n) const {
        at(s, Feature::rows) = m;
        at(s, Feature::k) = k;
        at(s, Feature::n) = n;
    }
};

Sizes sizesOf(const Operator& op, const Work& work) {
    Sizes sizes;
    sizes.fill(std::numeric_limits<double>::quiet_NaN());
    at(sizes, Feature::bytes) = work.moved().value();
    at(sizes, Feature::flops) = work.matrixTotal();
    if (work.ranks > 1) at(sizes, Feature::message) = work.communicated.value();
    std::visit(SizesOf{sizes}, op.params);
    return sizes;
}

double product(const std::vector<Feature>& features, const Sizes& sizes) {
    double value = 1.0;
    for (Feature feature : features) value *= sizes[static_cast<std::size_t>(feature)];
    return value;
}

/// A size that is absent (NaN) is in no range.
bool inside(const std::vector<FeatureRange>& ranges, const Sizes& sizes) {
    return std::all_of(ranges.begin(), ranges.end(), [&](const FeatureRange& r) {
        const double size = sizes[static_cast<std::size_t>(r.feature)];
        return size >= r.low && size <= r.high;
    });
}

/// Format that a rule's `dtype` means; `other` when the weights are kept in another one, which the kernels that were
/// measured do not unpack.
struct Format {
    std::optional<DType> dtype;
    bool other = false;
};
Format formatOf(const Block& block, const Operator& op) {
    const auto of = [](Scheme scheme) {
        const SchemeFacts& facts = factsOf(scheme);
        return Format{facts.matrix, facts.weight != facts.matrix};
    };
    if (const auto* linear = std::get_if<LinearParams>(&op.params)) return of(linear->scheme);
    if (const auto* grouped = std::get_if<GroupedMatmulParams>(&op.params)) return of(grouped->scheme);
    if (const auto* attention = std::get_if<AttentionParams>(&op.params)) return {attention->cacheDType, false};
    if (std::holds_alternative<QuantizeParams>(op.params)) return {block.tensors[block.outputs(op)[0]].dtype, false};
    return {};
}

bool alike(DType a, DType b) {
    const auto half = [](DType d) { return d == DType::bf16 || d == DType::fp16; };
    return a == b || (half(a) && half(b));
}

struct TableValue {
    double factor = 1.0;
    bool outside = false; ///< of the points: an edge stands in
};

/// Between the points of each axis, linear in the logarithms. NaN when a size is absent.
TableValue lookUp(const RuleTable& table, const Sizes& sizes) {
    constexpr double tolerance = 1e-6;
    TableValue result;
    std::array<std::size_t, 4> low{};
    std::array<double, 4> weight{};
    for (std::size_t a = 0; a < table.axes.size(); ++a) {
        const std::vector<double>& points = table.axes[a].logPoints;
        const double x = std::log(product(table.axes[a].of, sizes));
        if (std::isnan(x)) return {x, true};
        if (x < points.front() - tolerance || x > points.back() + tolerance) result.outside = true;
        if (points.size() == 1) continue;
        const auto upper = std::upper_bound(points.begin() + 1, points.end() - 1, x);
        low[a] = static_cast<std::size_t>(upper - points.begin()) - 1;
        weight[a] = std::clamp((x - points[low[a]]) / (points[low[a] + 1] - points[low[a]]), 0.0, 1.0);
    }
    double log = 0.0;
    for (std::size_t corner = 0; corner < std::size_t{1} << table.axes.size(); ++corner) {
        double share = 1.0;
        std::size_t index = 0;
        for (std::size_t a = 0; a < table.axes.size(); ++a) {
            const bool upper = (corner >> a & 1U) != 0;
            share *= upper ? weight[a] : 1.0 - weight[a];
            index = index * table.axes[a].logPoints.size() + low[a] + (upper ? 1 : 0);
        }
        if (share > 0.0) log += share * static_cast<double>(table.logValues[index]);
    }
    result.factor = std::exp(log);
    return result;
}

struct LawValue {
    double seconds = 0.0; ///< without the floor; NaN when the operator lacks a size that the law asks for
    bool outside = false;
};

LawValue evaluate(const CalibrationRule& rule, const OperatorCost& cost, const Sizes& sizes, bool fromSibling,
                  const Calibrator& c) {
    LawValue law;
    law.seconds = rule.constant.value();
    if (rule.compute)
        law.seconds = std::max(law.seconds, (cost.matrix + cost.vector).value() * c.computeEfficiency / *rule.compute);
    if (rule.memory) law.seconds = std::max(law.seconds, cost.memory.value() * c.memoryEfficiency / *rule.memory);
    for (const RateTerm& term : rule.terms) {
        double seconds = product(term.per, sizes) / term.rate;
        if (std::isnan(seconds)) return {seconds, true};
        if (fromSibling) seconds *= c.siblingSlower[static_cast<std::size_t>(term.scalesWith)];
        law.seconds = std::max(law.seconds, seconds);
    }
    if (rule.table) {
        const TableValue value = lookUp(*rule.table, sizes);
        law.seconds *= value.factor;
        law.outside = value.outside;
    }
    law.outside = law.outside || !inside(rule.seen, sizes);
    return law;
}

/// The square where the value is extrapolated: off by twice as much in the logarithm.
Deviation deviation(const Scatter& scatter, bool extrapolated) {
    const double p10 = extrapolated ? scatter.p10 * scatter.p10 : scatter.p10;
    const double p90 = extrapolated ? scatter.p90 * scatter.p90 : scatter.p90;
    return {std::max(0.0, 1.0 - p10), std::max(0.0, p90 - 1.0)};
}

void setRange(OperatorCost& cost, const Calibrator& c) {
    Deviation d = ownDeviation(cost, c);
    if (c.fromSibling(cost.rule)) { // independent of the rule's own
        const Deviation scaled = deviation(c.scaled, false);
        d = {std::min(1.0, std::hypot(d.below, scaled.below)), std::hypot(d.above, scaled.above)};
    }
    cost.low = cost.total * (1.0 - d.below);
    cost.high = cost.total * (1.0 + d.above);
}

/// Of the 16-bit matrix unit, as vendors quote it; of whatever else there is without one.
double matrixPeak(const DeviceProfile& device) {
    for (DType dtype : {DType::fp16, DType::bf16, DType::fp8, DType::int8, DType::fp4, DType::fp32})
        if (const auto& rate = device.matrixRate[static_cast<std::size_t>(dtype)]) return rate->value();
    return 1.0;
}

} // namespace

Calibrator calibratorOf(const DeviceProfile& device, const DeviceProfile* sibling) {
    Calibrator c;
    if (!device.calibration) return c;
    c.owners = {device.calibration, sibling ? sibling->calibration : nullptr};
    c.computeEfficiency = device.computeEfficiency.value_or(1.0);
    c.memoryEfficiency = device.memoryEfficiency.value_or(1.0);
    c.uncalibrated =
        c.owners[1] && device.calibration->rules.empty() ? c.owners[1]->uncalibrated : device.calibration->uncalibrated;
    if (c.owners[1]) {
        c.scaled = device.calibration->scaled;
        using enum ScalesWith;
        c.siblingSlower[static_cast<std::size_t>(compute)] = matrixPeak(*sibling) / matrixPeak(device);
        c.siblingSlower[static_cast<std::size_t>(memory)] = sibling->memoryBandwidth / device.memoryBandwidth;
        if (!sibling->interconnect.empty() && !device.interconnect.empty())
            c.siblingSlower[static_cast<std::size_t>(link)] =
                sibling->interconnect.front().bandwidth / device.interconnect.front().bandwidth;
    }
    for (const auto& owner : c.owners)
        if (owner)
            for (const CalibrationRule& rule : owner->rules) c.rules.push_back(&rule);
    std::array<std::uint32_t, operatorKindCount> count{};
    for (const CalibrationRule* rule : c.rules)
        for (OperatorKind kind : rule->kinds) ++count[static_cast<std::size_t>(kind)];
    for (std::size_t kind = 0; kind < operatorKindCount; ++kind) c.first[kind + 1] = c.first[kind] + count[kind];
    c.entries.resize(c.first.back());
    std::array<std::uint32_t, operatorKindCount> next{};
    for (std::size_t i = 0; i < c.rules.size(); ++i)
        for (OperatorKind kind : c.rules[i]->kinds) {
            const auto k = static_cast<std::size_t>(kind);
            c.entries[c.first[k] + next[k]++] = {static_cast<std::uint32_t>(i), i >= c.owners[0]->rules.size()};
        }
    return c;
}

void calibrate(OperatorCost& cost, const Block& block, const Operator& op, StepPhase phase,
               const Calibrator& calibrator) {
    if (cost.total == Seconds(0)) return; // a view: no kernel
    const auto kind = static_cast<std::size_t>(op.kind);
    const std::size_t end = calibrator.first[kind + 1];
    if (calibrator.first[kind] == end) return setRange(cost, calibrator);
    const Sizes sizes = sizesOf(op, cost.work);
    const Format format = formatOf(block, op);
    for (std::size_t i = calibrator.first[kind]; i < end; ++i) {
        const auto [index, fromSibling] = calibrator.entries[i];
        const CalibrationRule& rule = *calibrator.rules[index];
        if (rule.phase && *rule.phase != phase) continue;
        if (rule.dtype && !(format.dtype && alike(*rule.dtype, *format.dtype))) continue;
        if (!inside(rule.where, sizes)) continue;
        const LawValue law = evaluate(rule, cost, sizes, fromSibling, calibrator);
        if (std::isnan(law.seconds)) continue;
        cost.launch = rule.floor * (1.0 + cost.work.extraLaunches);
        cost.total = Seconds(law.seconds) + cost.launch;
        const bool otherKernel = rule.dtype && format.other;
        cost.provenance = fromSibling || rule.scaled || otherKernel ? Provenance::scaled : Provenance::calibrated;
        cost.extrapolated = law.outside || otherKernel;
        cost.rule = static_cast<std::int32_t>(index);
        if (cost.launch.value() > law.seconds)
            cost.bound = Bound::launch;
        else if (cost.bound == Bound::launch)
            cost.bound = cost.communication > std::max(cost.memory, cost.matrix + cost.vector) ? Bound::communication
                         : cost.memory >= cost.matrix + cost.vector                            ? Bound::memory
                         : cost.matrix >= cost.vector                                          ? Bound::matrix
                                                                                               : Bound::vector;
        return setRange(cost, calibrator);
    }
    setRange(cost, calibrator);
}

Deviation ownDeviation(const OperatorCost& cost, const Calibrator& c) {
    return deviation(cost.rule < 0 ? c.uncalibrated : c.rules[static_cast<std::size_t>(cost.rule)]->scatter,
                     cost.extrapolated);
}

std::string lawText(const CalibrationRule& rule) {
    if (!rule.includedIn.empty()) return "counted in " + rule.includedIn;
    std::vector<std::string> parts;
    if (rule.compute) parts.push_back("compute at " + formatShare(*rule.compute) + " of peak");
    if (rule.memory) parts.push_back("memory at " + formatShare(*rule.memory) + " of bandwidth");
    for (const RateTerm& term : rule.terms) {
        std::string units;
        for (Feature feature : term.per) units += (units.empty() ? "" : " * ") + std::string(nameOf(feature));
        parts.push_back(units + " / " + formatExact(term.rate) + " per s");
    }
    if (rule.constant > Seconds(0)) parts.push_back(formatSeconds(rule.constant));
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
    if (parts.size() > 1) text = "max(" + text + ")";
    if (rule.table) {
        std::string axes;
        for (const RuleTable::Axis& axis : rule.table->axes) {
            std::string of;
            for (Feature feature : axis.of) of += (of.empty() ? "" : "*") + std::string(nameOf(feature));
            axes += (axes.empty() ? "" : ", ") + of;
        }
        text += " * table(" + axes + ")";
    }
    if (rule.floor > Seconds(0)) text += (text.empty() ? "" : " + ") + formatSeconds(rule.floor) + " per launch";
    return text;
}

} // namespace deltascope
