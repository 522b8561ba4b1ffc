// SPDX-License-Identifier: GPL-3.0-or-later
// Two simulations side by side: operators matched by identity, and where the difference comes from.
#pragma once

#include "simulation/simulation.h"

#include <optional>
#include <string_view>
#include <vector>

namespace deltascope {

/// An operator of A, of B, or of both.
struct OperatorPair {
    std::optional<OperatorRef> a;
    std::optional<OperatorRef> b;
    Seconds timeA;
    Seconds timeB;
};

/// Part of the difference B - A by cause; the causes add up exactly to the difference of the totals.
struct WaterfallStep {
    std::string_view cause; ///< "matrix", "vector", "memory", "communication", "launch", "host", "operators added",
                            ///< "operators removed"
    Seconds time;
};

struct Comparison {
    std::vector<OperatorPair> operators; ///< in A's order, then what only B has in B's order
    std::vector<WaterfallStep> waterfall;
};

[[nodiscard]] Comparison compare(const Simulation& a, const Simulation& b);

} // namespace deltascope
