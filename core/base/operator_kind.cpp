// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/operator_kind.h"

namespace deltascope {

std::optional<OperatorKind> operatorKindFromName(std::string_view name) {
    for (std::size_t i = 0; i < operatorKindCount; ++i)
        if (operatorKindNames[i] == name) return static_cast<OperatorKind>(i);
    return std::nullopt;
}

} // namespace deltascope
