// SPDX-License-Identifier: GPL-3.0-or-later
#include "catalog/scheme.h"

#include "base/spelling.h"

#include <cmath>

namespace deltascope {

double scaleBytes(const ScaleLayout& layout, double k, double n) {
    if (layout.bits == 0) return 0.0;
    const auto blocks = [](double size, std::int32_t block) { return block == 0 ? 1.0 : std::ceil(size / block); };
    return blocks(k, layout.rows) * blocks(n, layout.columns) * layout.bits / 8.0;
}

std::optional<Scheme> schemeFromName(std::string_view name) {
    for (std::size_t i = 0; i < schemes.size(); ++i)
        if (equalIgnoringCase(schemes[i].name, name)) return static_cast<Scheme>(i);
    return std::nullopt;
}

std::optional<KvDType> kvDTypeFromName(std::string_view name) {
    for (std::size_t i = 0; i < kvDTypeNames.size(); ++i)
        if (equalIgnoringCase(kvDTypeNames[i], name)) return static_cast<KvDType>(i);
    return std::nullopt;
}

} // namespace deltascope
