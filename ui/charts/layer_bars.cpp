// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/layer_bars.h"

#include <algorithm>
#include <cmath>

namespace deltascope::ui {
namespace {

constexpr auto communicationClass = static_cast<std::size_t>(OperatorClass::communication);

struct Layer {
    std::array<Seconds, operatorClassCount> byClass{};
    Seconds time;
};

Layer timesOf(const LayerSummary& summary, bool communication) {
    Layer layer{summary.byClass, {}};
    if (!communication) layer.byClass[communicationClass] = Seconds{};
    for (const Seconds s : layer.byClass) layer.time += s;
    return layer;
}

std::optional<OperatorRef> dominantOf(const Simulation& simulation, std::uint32_t segment, bool communication) {
    std::optional<OperatorRef> longest;
    Seconds most;
    const Block& block = simulation.step.blocks[simulation.step.segments[segment].block];
    for (std::uint32_t i = 0; i < block.operators.size(); ++i) {
        const OperatorRef ref{segment, i};
        if (!communication && isCommunication(simulation.op(ref).kind)) continue;
        if (longest && simulation.cost(ref).total <= most) continue;
        longest = ref;
        most = simulation.cost(ref).total;
    }
    return longest;
}

/// Layers of one type that share a block, in order of first appearance.
struct Group {
    LayerType type;
    std::uint32_t block;
    const LayerSummary* first;
    std::int64_t count;
};

std::vector<Group> groupsOf(const Simulation& simulation) {
    std::vector<Group> groups;
    for (const LayerSummary& layer : simulation.layers) {
        const std::uint32_t block = simulation.step.segments[layer.segment].block;
        const auto known = std::find_if(groups.begin(), groups.end(),
                                        [&](const Group& g) { return g.type == layer.type && g.block == block; });
        if (known != groups.end())
            ++known->count;
        else
            groups.push_back({layer.type, block, &layer, 1});
    }
    // Linear layers first, whichever the model begins with.
    std::stable_sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) { return a.type < b.type; });
    return groups;
}

LayerBar barOf(const Simulation& simulation, const LayerSummary& summary, bool communication) {
    const Layer layer = timesOf(summary, communication);
    LayerBar bar;
    bar.type = summary.type;
    bar.first = summary.index;
    bar.count = 1;
    bar.byClass = layer.byClass;
    bar.time = layer.time;
    bar.dominant = dominantOf(simulation, summary.segment, communication);
    return bar;
}

std::vector<LayerBar> groupedBars(const Simulation& current, const Simulation* baseline, bool communication) {
    std::vector<LayerBar> bars;
    for (const Group& group : groupsOf(current)) {
        bars.push_back(barOf(current, *group.first, communication));
        bars.back().count = group.count;
    }
    if (baseline == nullptr) return bars;
    // The n-th group of a type stands beside the n-th group of that type.
    std::array<std::size_t, 2> seen{};
    for (const Group& group : groupsOf(*baseline)) {
        const std::size_t n = seen[static_cast<std::size_t>(group.type)]++;
        std::size_t at = 0;
        auto bar = std::find_if(bars.begin(), bars.end(),
                                [&](const LayerBar& b) { return b.type == group.type && at++ == n; });
        if (bar == bars.end()) {
            LayerBar ghost;
            ghost.type = group.type;
            bar = bars.insert(group.type == LayerType::linearAttention ? bars.begin() : bars.end(), ghost);
        }
        bar->baselineCount = group.count;
        bar->baseline = timesOf(*group.first, communication).time;
    }
    return bars;
}

} // namespace

std::vector<LayerBar> layerBars(const Simulation& current, const Simulation* baseline, LayerBarChoice choice) {
    if (choice.grouped) return groupedBars(current, baseline, choice.communication);
    std::vector<LayerBar> bars;
    bars.reserve(current.layers.size());
    for (const LayerSummary& layer : current.layers) bars.push_back(barOf(current, layer, choice.communication));
    if (baseline == nullptr) return bars;
    for (const LayerSummary& layer : baseline->layers) {
        const auto index = static_cast<std::size_t>(layer.index);
        if (index >= bars.size()) {
            LayerBar ghost;
            ghost.type = layer.type;
            bars.resize(index + 1, ghost);
        }
        bars[index].baselineCount = 1;
        bars[index].baseline = timesOf(layer, choice.communication).time;
    }
    return bars;
}

Scenario atContext(Scenario scenario, std::int64_t contextLength) {
    scenario.contextLength = contextLength;
    for (RequestGroup& group : scenario.requests) group.contextLength = contextLength;
    return scenario;
}

std::optional<double> crossoverOf(const std::vector<ContextCurve::Point>& points) {
    for (std::size_t i = 1; i < points.size(); ++i) {
        const ContextCurve::Point &a = points[i - 1], &b = points[i];
        if (!a.linear || !a.full || !b.linear || !b.full) continue;
        const double from = (*a.full - *a.linear).value(), to = (*b.full - *b.linear).value();
        if ((from < 0.0) != (to < 0.0)) return a.context + (b.context - a.context) * from / (from - to);
    }
    return std::nullopt;
}

ContextCurve contextCurve(const Catalog& catalog, const Scenario& scenario, bool communication) {
    constexpr int points = 13;
    const double low = std::log(256.0), high = std::log(static_cast<double>(limits::contextLength.highest));
    ContextCurve curve;
    for (int i = 0; i < points; ++i) {
        const auto context = static_cast<std::int64_t>(std::round(std::exp(low + (high - low) * i / (points - 1))));
        const Result<Simulation> result =
            simulate(catalog, atContext(scenario, std::min(context, limits::contextLength.highest)));
        if (!result) continue;
        ContextCurve::Point point{static_cast<double>(context), {}, {}};
        for (const LayerSummary& layer : result->layers) {
            auto& time = layer.type == LayerType::linearAttention ? point.linear : point.full;
            if (!time) time = timesOf(layer, communication).time;
            if (point.linear && point.full) break;
        }
        curve.points.push_back(point);
    }
    curve.crossover = crossoverOf(curve.points);
    return curve;
}

} // namespace deltascope::ui
