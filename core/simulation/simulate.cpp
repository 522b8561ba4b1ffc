// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulation/simulation.h"

#include "base/format.h"
#include "graph/build_step.h"
#include "scenario/module_scheme.h"
#include "simulation/summarize.h"

#include <algorithm>
#include <utility>

namespace deltascope {
namespace {

/// Groups larger than the interconnect spans cannot exchange anything.
std::optional<Error> checkInterconnect(const ResolvedScenario& s) {
    const std::int64_t span = interconnectSpan(*s.device);
    const Parallelism& p = s.scenario.parallel;
    for (auto [field, size] : {std::pair{"tp", p.tp}, std::pair{"ep", p.ep}, std::pair{"vision_tp", p.visionTp},
                               std::pair{"o_proj_tp", s.oProjTp}, std::pair{"lm_head_tp", s.lmHeadTp},
                               std::pair{"mtp_lm_head_tp", s.mtpLmHeadTp}})
        if (size > span)
            return Error{ErrorCode::outOfRange,
                         field,
                         formatCount(static_cast<double>(size)),
                         "the interconnect of " + s.device->name + " spans " + formatCount(static_cast<double>(span)) +
                             (span == 1 ? " device" : " devices"),
                         "at most " + formatCount(static_cast<double>(span)),
                         {}};
    return std::nullopt;
}

SimulatedBlock simulateBlock(const Block& block, DType activation, const DeviceRates& rates,
                             const Calibrator& calibrator, StepPhase phase, const std::optional<HostSettings>& host) {
    SimulatedBlock result;
    const std::size_t n = block.operators.size();
    result.costs.reserve(n);
    result.offsets.reserve(n);
    std::vector<Bytes> scratch(n);
    for (std::size_t i = 0; i < n; ++i) {
        const Operator& op = block.operators[i];
        result.offsets.push_back(result.duration);
        result.costs.push_back(timeOf(op.kind, workOf(block, op, activation), rates));
        if (calibrator.active()) calibrate(result.costs.back(), block, op, phase, calibrator);
        result.duration += result.costs.back().total;
        scratch[i] = result.costs.back().work.residentScratch;
    }
    result.live = liveBytes(block, scratch);
    if (host) result.launches = launchesOf(result.costs, host->dispatch);
    return result;
}

} // namespace

Result<Simulation> simulate(const Catalog& catalog, const Scenario& scenario) {
    auto resolved = validate(catalog, scenario);
    if (!resolved) return resolved.error();
    if (auto error = checkInterconnect(*resolved)) return *std::move(error);
    auto step = buildStep(*resolved);
    if (!step) return step.error();

    Simulation simulation;
    simulation.scenario = std::move(*resolved);
    simulation.step = std::move(*step);
    simulation.rates = ratesOf(*simulation.scenario.device);
    if (simulation.scenario.calibration)
        simulation.calibrator = calibratorOf(*simulation.scenario.device, simulation.scenario.calibrationSibling.get());
    const std::vector<bool>& decodes = simulation.step.metadata.isDecode;
    const bool decode = std::find(decodes.begin(), decodes.end(), false) == decodes.end();
    simulation.phase = decode ? StepPhase::decode : StepPhase::prefill;
    const auto& host = simulation.scenario.host ? simulation.scenario.engine->host : std::nullopt;
    const DType activation = activationRate(simulation.scenario);
    simulation.blocks.reserve(simulation.step.blocks.size());
    for (const Block& block : simulation.step.blocks)
        simulation.blocks.push_back(
            simulateBlock(block, activation, simulation.rates, simulation.calibrator, simulation.phase, host));
    simulation.memory.ideal = idealMemory(simulation.scenario);
    simulation.memory.deviceSize = simulation.scenario.device->memorySize;
    const auto& settings = simulation.scenario.engine->memory;
    simulation.memory.limit = simulation.memory.deviceSize * (settings ? settings->usableFraction : 1.0);
    summarize(simulation);
    simulation.memory.engine = engineMemory(simulation.scenario, simulation.memory.ideal);
    return simulation;
}

} // namespace deltascope
