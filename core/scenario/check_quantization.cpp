// SPDX-License-Identifier: GPL-3.0-or-later
#include "catalog/checkpoint_quantization.h"
#include "scenario/checks.h"
#include "scenario/module_scheme.h"

#include <algorithm>

namespace deltascope {
namespace {

using std::int64_t;

std::vector<std::string> matrixFormats(const DeviceProfile& device) {
    std::vector<std::string> words;
    for (std::size_t i = 0; i < rateDTypeCount; ++i)
        if (device.matrixRate[i]) words.emplace_back(dtypeNames[i]);
    return words;
}

/// `what` is stored so, in the words of a refusal; empty for a scheme that was chosen.
std::optional<Error> checkRate(const std::string& field, Scheme scheme, const ResolvedScenario& r,
                               const std::string& what = {}) {
    const SchemeFacts& facts = factsOf(scheme);
    DType needed = facts.matrix;
    if (needed == DType::bf16) needed = activationRate(r);
    if (r.device->matrixRate[static_cast<std::size_t>(needed)]) return std::nullopt;
    return Error{ErrorCode::noRate,
                 field,
                 std::string(what.empty() ? facts.name : checkpointWord),
                 (what.empty() ? "" : what + " is stored as " + std::string(facts.name) + ", and ") + r.device->name +
                     " has no " + std::string(nameOf(needed)) + " matrix rate",
                 "schemes that run in " + list(matrixFormats(*r.device)),
                 {}};
}

std::optional<Error> chosenRates(ResolvedScenario& r) {
    const Quantization& q = r.scenario.quantization;
    if (auto error = checkRate("quantization", q.linear, r)) return error;
    if (r.model->text.moe)
        if (auto error = checkRate("expert_quantization", q.experts.value_or(q.linear), r)) return error;
    const Scheme head = r.engine->quantizesLmHead ? q.linear : floatScheme(r);
    if (auto error = checkRate("lm_head_quantization", q.lmHead.value_or(head), r)) return error;
    if (const auto& stored = r.model->checkpoint)
        r.notes.push_back("the checkpoint of " + r.model->name + " is quantized (" + stored->method +
                          "), which the scenario does not follow: quantization " + std::string(checkpointWord) +
                          " does");
    return checkRate("quantization", floatScheme(r), r); // attention and what stays unquantized
}

/// Schemes of every module that runs, one layer of each kind.
std::optional<Error> checkpointRates(ResolvedScenario& r) {
    const Quantization& q = r.scenario.quantization;
    const TextConfig& text = r.model->text;
    const auto check = [&](ModuleRole role, const std::string& prefix, std::string_view module) {
        const Scheme scheme = schemeOf(r, role, prefix, module);
        if (role == ModuleRole::expert && q.experts) return checkRate("expert_quantization", scheme, r);
        if (role == ModuleRole::lmHead && q.lmHead) return checkRate("lm_head_quantization", scheme, r);
        return checkRate("quantization", scheme, r,
                         (prefix.empty() ? "" : prefix + ".") + std::string(module) + " of " + r.model->name);
    };
    struct Kind {
        LayerType type;
        bool sparse;
        std::uint32_t schemeGroup;
        bool operator==(const Kind&) const = default;
    };
    std::vector<Kind> seen;
    const auto checkLayer = [&](LayerType type, bool sparse, const std::string& prefix) -> std::optional<Error> {
        for (const LayerModule& module : layerModules)
            if (hasModule(text, type, sparse, module))
                if (auto error = check(module.role, prefix, module.path)) return error;
        return std::nullopt;
    };
    for (std::size_t i = 0; i < r.layers.size(); ++i) {
        const Kind kind{r.layers[i], text.sparseLayer[i], r.schemeGroups[i]};
        if (std::find(seen.begin(), seen.end(), kind) != seen.end()) continue;
        seen.push_back(kind);
        if (auto error = checkLayer(kind.type, kind.sparse, layerPrefix(r, i))) return error;
    }
    if (r.scenario.mtpTokens > 0) {
        if (auto error = checkLayer(LayerType::fullAttention, text.moe.has_value(), "mtp.layers.0")) return error;
        if (auto error = check(ModuleRole::linear, "mtp", "fc")) return error;
    }
    if (auto error = check(ModuleRole::lmHead, "", "lm_head")) return error;
    r.notes.insert(r.notes.end(), r.model->checkpoint->notes.begin(), r.model->checkpoint->notes.end());
    return checkRate("quantization", floatScheme(r), r);
}

} // namespace

std::optional<Error> checkQuantization(ResolvedScenario& r) {
    const Quantization& q = r.scenario.quantization;
    if (q.kvCache == KvDType::fp8 && !r.engine->fp8KvCache)
        return Error{ErrorCode::unsupported,
                     "kv_cache",
                     "fp8",
                     "engine " + r.engine->name + " keeps no FP8 cache for grouped-query attention",
                     "bf16 or int8",
                     {}};
    if (q.checkpoint && !r.model->checkpoint) {
        const std::string& problem = r.model->checkpointProblem;
        return Error{ErrorCode::contradictory,
                     "quantization",
                     std::string(checkpointWord),
                     problem.empty() ? r.model->name + " names no quantization of its own" : problem,
                     problem.empty() ? "a scheme such as BF16 or W8A8_DYNAMIC" : "",
                     {}};
    }
    for (const std::string& pattern : q.keepBf16)
        if (pattern.empty())
            return Error{ErrorCode::outOfRange,
                         "keep_bf16",
                         "''",
                         "an empty pattern matches nothing",
                         "a glob such as layers.3.* or *.out_proj",
                         {}};
    if (q.experts && !r.model->text.moe)
        return Error{ErrorCode::contradictory,          "expert_quantization", std::string(factsOf(*q.experts).name),
                     r.model->name + " has no experts", "to be left out",      {}};
    r.schemeGroups = groupBySchemes(r);
    return q.checkpoint ? checkpointRates(r) : chosenRates(r);
}

} // namespace deltascope
