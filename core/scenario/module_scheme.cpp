// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario/module_scheme.h"

#include <string>

namespace deltascope {

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
    return scenario.scenario.quantization.linear == Scheme::fp16 ? Scheme::fp16 : Scheme::bf16;
}

Scheme schemeOf(const ResolvedScenario& scenario, ModuleRole role, std::string_view prefix, std::string_view module) {
    const Quantization& chosen = scenario.scenario.quantization;
    Scheme scheme = floatScheme(scenario);
    switch (role) {
    case ModuleRole::linear: scheme = chosen.linear; break;
    case ModuleRole::expert: scheme = chosen.experts.value_or(chosen.linear); break;
    case ModuleRole::lmHead: scheme = chosen.lmHead.value_or(scheme); break;
    case ModuleRole::fixed: return scheme;
    }
    if (chosen.keepBf16.empty()) return scheme;
    std::string path(prefix);
    if (!path.empty()) path += '.';
    path += module;
    for (const std::string& pattern : chosen.keepBf16)
        if (globMatches(pattern, module) || globMatches(pattern, path) || globMatches(pattern, prefix))
            return floatScheme(scenario);
    return scheme;
}

DType activationRate(const ResolvedScenario& scenario) {
    const DType stored = floatScheme(scenario) == Scheme::fp16 ? DType::fp16 : scenario.model->text.dtype;
    return stored == DType::bf16 ? scenario.engine->floatPath : stored;
}

} // namespace deltascope
