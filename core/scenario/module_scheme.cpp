// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario/module_scheme.h"

#include "catalog/checkpoint_quantization.h"

#include <algorithm>
#include <charconv>

namespace deltascope {
namespace {

/// Whether the layers of the trunk may differ in their schemes.
bool layersDiffer(const Quantization& chosen) { return chosen.checkpoint || !chosen.keepBf16.empty(); }

/// The checkpoint's own scheme of a module that nothing chosen goes before.
Scheme storedScheme(const CheckpointQuantization& stored, ModuleRole role, std::string_view prefix,
                    std::string_view module) {
    if (role == ModuleRole::lmHead) return stored.lmHead;
    if (prefix == "mtp") return stored.mtpFc;
    const auto index = layerModuleIndex(module);
    if (!index) return Scheme::bf16;
    constexpr std::string_view trunk = "layers.";
    std::size_t layer = 0;
    if (!prefix.starts_with(trunk)) return stored.mtpLayer[*index];
    std::from_chars(prefix.data() + trunk.size(), prefix.data() + prefix.size(), layer);
    return stored.kinds[stored.kindOfLayer[layer]][*index];
}

/// Linears that an engine runs unquantized whatever the scheme.
bool staysFloat(const EngineProfile& engine, std::string_view prefix, std::string_view module) {
    if (prefix == "mtp") return !engine.quantizesDraftFc;
    return engine.splitSharedExpert && module == "mlp.shared_expert_gate";
}

LayerSchemes layerSchemes(const ResolvedScenario& scenario, std::string_view prefix) {
    LayerSchemes kind{};
    for (std::size_t i = 0; i < layerModuleCount; ++i)
        kind[i] = schemeOf(scenario, layerModules[i].role, prefix, layerModules[i].path);
    return kind;
}

/// "0-2, 7" of ascending numbers, each range without a gap in `among`.
std::string rangesText(const std::vector<std::int32_t>& layers, const std::vector<std::int32_t>& among) {
    if (layers == among) return "all " + std::to_string(among.size());
    std::string text;
    for (std::size_t i = 0, at = 0; i < layers.size(); ++i) {
        const std::size_t first = i;
        while (among[at] != layers[i]) ++at;
        while (i + 1 < layers.size() && at + 1 < among.size() && among[at + 1] == layers[i + 1]) ++i, ++at;
        text += (text.empty() ? "" : ", ") + std::to_string(layers[first]);
        if (i > first) text += "-" + std::to_string(layers[i]);
    }
    return text;
}

} // namespace

bool globMatches(std::string_view pattern, std::string_view text) {
    // Greedy with one backtrack point: linear in the text for each star, no recursion.
    std::size_t p = 0, t = 0;
    std::size_t star = std::string_view::npos, resume = 0;
    while (t < text.size()) {
        if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
            ++p;
            ++t;
        } else if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            resume = t;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            t = ++resume;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

Scheme floatScheme(const ResolvedScenario& scenario) {
    const Quantization& chosen = scenario.scenario.quantization;
    return !chosen.checkpoint && chosen.linear == Scheme::fp16 ? Scheme::fp16 : Scheme::bf16;
}

Scheme schemeOf(const ResolvedScenario& scenario, ModuleRole role, std::string_view prefix, std::string_view module) {
    const Quantization& chosen = scenario.scenario.quantization;
    const Scheme unquantized = floatScheme(scenario);
    if (role == ModuleRole::fixed) return unquantized;
    if (!chosen.keepBf16.empty()) {
        std::string path(prefix);
        if (!path.empty()) path += '.';
        path += module;
        for (const std::string& pattern : chosen.keepBf16)
            if (globMatches(pattern, module) || globMatches(pattern, path) || globMatches(pattern, prefix))
                return unquantized;
    }
    if (role == ModuleRole::expert && chosen.experts) return *chosen.experts;
    if (role == ModuleRole::lmHead && chosen.lmHead) return *chosen.lmHead;
    if (chosen.checkpoint) return storedScheme(*scenario.model->checkpoint, role, prefix, module);
    if (staysFloat(*scenario.engine, prefix, module)) return unquantized;
    const bool follows = role == ModuleRole::linear || role == ModuleRole::expert ||
                         (role == ModuleRole::lmHead && scenario.engine->quantizesLmHead);
    return follows ? chosen.linear : unquantized;
}

ScaleLayout scalesOf(const ResolvedScenario& scenario, Scheme scheme) {
    if (!scenario.scenario.quantization.checkpoint) {
        const std::optional<ScaleLayout>& fourBit = scenario.engine->fourBitScales;
        return fourBit && factsOf(scheme).weight == DType::int4 ? *fourBit : usualScales(scheme);
    }
    return scenario.model->checkpoint->scales[static_cast<std::size_t>(scheme)];
}

std::vector<std::uint32_t> groupBySchemes(const ResolvedScenario& scenario) {
    const Quantization& chosen = scenario.scenario.quantization;
    std::vector<std::uint32_t> groups(scenario.layers.size(), 0);
    if (!layersDiffer(chosen)) return groups;
    if (chosen.keepBf16.empty()) { // the checkpoint's kinds, which nothing else tells apart
        std::copy_n(scenario.model->checkpoint->kindOfLayer.begin(), groups.size(), groups.begin());
        return groups;
    }
    std::vector<LayerSchemes> kinds;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const LayerSchemes kind = layerSchemes(scenario, layerPrefix(scenario, i));
        const auto known = std::find(kinds.begin(), kinds.end(), kind);
        groups[i] = static_cast<std::uint32_t>(known - kinds.begin());
        if (known == kinds.end()) kinds.push_back(kind);
    }
    return groups;
}

std::string layerPrefix(const ResolvedScenario& scenario, std::size_t layer) {
    return layersDiffer(scenario.scenario.quantization) ? "layers." + std::to_string(layer) : std::string();
}

std::vector<ModuleScheme> moduleSchemes(const ResolvedScenario& s) {
    std::vector<ModuleScheme> list;
    const TextConfig& text = s.model->text;
    for (const LayerModule& module : layerModules) {
        std::vector<std::int32_t> having;
        std::vector<ModuleScheme> found;
        for (std::size_t i = 0; i < s.layers.size(); ++i) {
            if (!hasModule(text, s.layers[i], text.sparseLayer[i], module)) continue;
            having.push_back(static_cast<std::int32_t>(i));
            const Scheme scheme = schemeOf(s, module.role, layerPrefix(s, i), module.path);
            auto entry =
                std::find_if(found.begin(), found.end(), [&](const ModuleScheme& m) { return m.scheme == scheme; });
            if (entry == found.end()) entry = found.insert(found.end(), {std::string(module.path), scheme, {}, {}});
            entry->layers.push_back(having.back());
        }
        for (ModuleScheme& entry : found) {
            entry.where = rangesText(entry.layers, having);
            list.push_back(std::move(entry));
        }
    }
    list.push_back({"lm_head", schemeOf(s, ModuleRole::lmHead, "", "lm_head"), {}, {}});
    if (s.scenario.mtpTokens == 0) return list;
    list.push_back({"mtp.fc", schemeOf(s, ModuleRole::linear, "mtp", "fc"), {}, {}});
    for (const LayerModule& module : layerModules)
        if (hasModule(text, LayerType::fullAttention, text.moe.has_value(), module))
            list.push_back({"mtp.layers.0." + std::string(module.path),
                            schemeOf(s, module.role, "mtp.layers.0", module.path),
                            {},
                            {}});
    return list;
}

DType activationRate(const ResolvedScenario& scenario) {
    const DType stored = floatScheme(scenario) == Scheme::fp16 ? DType::fp16 : scenario.model->text.dtype;
    return stored == DType::bf16 ? scenario.engine->floatPath : stored;
}

} // namespace deltascope
