// SPDX-License-Identifier: GPL-3.0-or-later
#include "catalog/quantization_sections.h"

#include <algorithm>

namespace deltascope {

void ModuleList::add(CheckedMap& map, std::string_view key, std::string_view entry) {
    constexpr std::string_view expression = "re:";
    if (entry.starts_with(expression))
        addPattern(map, key, entry.substr(expression.size()));
    else
        names_.emplace(entry);
}

void ModuleList::addPattern(CheckedMap& map, std::string_view key, std::string_view expression) {
    auto pattern = Pattern::parse(expression);
    if (pattern)
        patterns_.push_back(std::move(*pattern));
    else
        map.fail(ErrorCode::unsupported, key, "the expression " + pattern.error().value + " " + pattern.error().why,
                 pattern.error().accepted);
}

bool ModuleList::names(std::string_view module) const {
    if (names_.empty()) return false;
    std::string run;
    for (std::size_t first = 0; first < module.size(); ++first) {
        if (first > 0 && module[first - 1] != '.') continue;
        for (std::size_t end = first + 1; end <= module.size(); ++end) {
            if (end < module.size() && module[end] != '.') continue;
            run = module.substr(first, end - first);
            if (names_.contains(run)) return true;
        }
    }
    return false;
}

bool ModuleList::matches(std::string_view module) const {
    return std::any_of(patterns_.begin(), patterns_.end(),
                       [&](const Pattern& pattern) { return pattern.matchesStartOf(module, stepsLeft_); });
}

bool ModuleList::holdsAny(std::span<const std::string> modules) const {
    return std::any_of(modules.begin(), modules.end(),
                       [&](const std::string& module) { return names(module) || matches(module); });
}

} // namespace deltascope
