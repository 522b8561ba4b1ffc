// SPDX-License-Identifier: GPL-3.0-or-later
// Where a step's tokens go among the experts: rows per rank, and the expected number of distinct experts they touch.
#pragma once

#include "catalog/engine_profile.h"
#include "scenario/validate.h"

#include <cstdint>

namespace deltascope {

/// Expected load of the experts in one mixture-of-experts layer, for the busiest rank.
struct Routing {
    std::int64_t sourceTokens =
        0;                     ///< T_r: tokens this rank routes (its share of the padded step with expert parallelism)
    std::int64_t sentRows = 0; ///< T_r * k
    double rows = 0.0;         ///< rows of the rank's experts together
    double touchedExperts = 0.0;  ///< of the rank's experts, those that get a row
    double distinctExperts = 0.0; ///< of all E
    double busiestShare = 1.0;    ///< rows of the busiest rank over the mean
};

/// Popularity of the experts follows (rank of popularity)^-skew: 0 is uniform, 1 a Zipf law; experts are dealt to the
/// ranks round robin in that order. An expert is missed by one token with probability 1 - min(1, k * p), by T tokens
/// with its T-th power (uniform: E * (1 - (1 - k/E)^T) distinct experts).
/// `tokens` are those of one rank.
[[nodiscard]] Routing routingOf(const ResolvedScenario& scenario, std::int64_t tokens);

} // namespace deltascope
