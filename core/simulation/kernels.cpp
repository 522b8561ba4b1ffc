// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulation/kernels.h"

#include <algorithm>

namespace deltascope {
namespace {

bool fits(const KernelName& rule, const Simulation& s, const Operator& op) {
    if (rule.kind != nameOf(op.kind)) return false;
    if (rule.minStepTokens > s.scenario.tokens) return false;
    const auto* linear = std::get_if<LinearParams>(&op.params);
    if (!linear) return !rule.quantized && rule.minColumns == 0;
    if (rule.quantized && *rule.quantized != factsOf(linear->scheme).quantizesActivation) return false;
    // the columns of the whole projection decide, not those of the rows that lm_head selects
    return linear->n >= static_cast<double>(rule.minColumns) && (rule.minStepTokens == 0 || op.module != "lm_head");
}

} // namespace

std::string_view kernelName(const Simulation& simulation, OperatorRef ref) {
    const Operator& op = simulation.op(ref);
    for (const KernelName& rule : simulation.scenario.engine->kernels)
        if (fits(rule, simulation, op)) return rule.name;
    return nameOf(op.kind);
}

std::vector<KernelCount> kernelCounts(const Simulation& simulation) {
    std::vector<KernelCount> counts;
    simulation.forEachOperator([&](OperatorRef ref) {
        const std::string_view name = kernelName(simulation, ref);
        const std::int64_t launches = simulation.cost(ref).kernels();
        const auto known =
            std::find_if(counts.begin(), counts.end(), [&](const KernelCount& c) { return c.name == name; });
        if (known != counts.end())
            known->launches += launches;
        else
            counts.push_back({std::string(name), launches});
    });
    return counts;
}

} // namespace deltascope
