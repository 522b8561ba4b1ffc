// SPDX-License-Identifier: GPL-3.0-or-later
#include "explore/memory_probe.h"

#include "cost/work.h"
#include "graph/build_step.h"
#include "scenario/module_scheme.h"
#include "simulation/simulation.h"

#include <algorithm>

namespace deltascope {
namespace {

/// Activations alive at each operator of each distinct block.
std::vector<std::vector<Bytes>> liveOf(const Step& step, DType activation) {
    std::vector<std::vector<Bytes>> live;
    live.reserve(step.blocks.size());
    for (const Block& block : step.blocks) {
        std::vector<Bytes> scratch;
        scratch.reserve(block.operators.size());
        for (const Operator& op : block.operators) scratch.push_back(workOf(block, op, activation).residentScratch);
        live.push_back(liveBytes(block, scratch));
    }
    return live;
}

Bytes largest(const Step& step, const std::vector<std::vector<Bytes>>& live) {
    Bytes peak;
    for (const Segment& segment : step.segments) {
        const std::vector<Bytes>& block = live[segment.block];
        if (!block.empty()) peak = std::max(peak, segment.held + *std::max_element(block.begin(), block.end()));
    }
    return peak;
}

} // namespace

Result<MemoryProbe> MemoryProbe::make(const Catalog& catalog, const Scenario& scenario) {
    Result<Simulation> simulation = simulate(catalog, scenario);
    if (!simulation) return simulation.error();
    MemoryProbe probe(catalog, scenario);
    probe.resolved_ = std::move(simulation->scenario);
    probe.present_ = std::move(simulation->memory);
    if (!probe.canVary()) return probe;
    // Every size in a step is a linear function of the context or does not know it: two contexts tell.
    std::vector<std::vector<Bytes>> first;
    for (const std::int64_t context : {std::int64_t{1}, limits::contextLength.highest}) {
        const Result<ResolvedScenario> resolved = probe.resolve(probe.requests(), context);
        if (!resolved) return resolved.error();
        const Result<Step> step = buildStep(*resolved);
        if (!step) return step.error();
        std::vector<std::vector<Bytes>> live = liveOf(*step, activationRate(*resolved));
        if (context == 1)
            first = std::move(live);
        else
            probe.followsContext_ = live != first;
    }
    return probe;
}

Result<ResolvedScenario> MemoryProbe::resolve(std::int64_t requests, std::int64_t context) const {
    Scenario scenario = given_;
    scenario.queries = requests;
    scenario.contextLength = context;
    return validate(*catalog_, scenario);
}

Bytes MemoryProbe::peakOf(const ResolvedScenario& scenario, std::int64_t requests, std::int64_t context) {
    const auto key = std::pair(requests, followsContext_ ? context : std::min<std::int64_t>(context, 1));
    const auto known = peaks_.find(key);
    if (known != peaks_.end()) return known->second;
    const Result<Step> step = buildStep(scenario);
    const Bytes peak = step ? largest(*step, liveOf(*step, activationRate(scenario))) : Bytes{};
    peaks_.emplace(key, peak);
    return peak;
}

MemoryReport MemoryProbe::at(std::int64_t requests, std::int64_t context) {
    MemoryReport report;
    report.deviceSize = present_.deviceSize;
    report.limit = present_.limit;
    const Result<ResolvedScenario> resolved = resolve(requests, context);
    if (!resolved) return report; // not within the limits
    report.ideal = idealMemory(*resolved);
    report.ideal.activationPeak = peakOf(*resolved, requests, context);
    report.engine = engineMemory(*resolved, report.ideal);
    return report;
}

} // namespace deltascope
