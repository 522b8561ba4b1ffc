// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph/routing.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace deltascope {
namespace {

using std::int64_t;

int64_t ceilDivide(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// Share of the rows and expected number of touched experts, of all and of the busiest of `ranks`.
struct Popularity {
    double distinct = 0.0;
    double busiestTouched = 0.0;
    double busiestRows = 0.0; ///< share of all rows
};

Popularity popularity(const MoeConfig& moe, double tokens, double skew, int64_t ranks) {
    const auto E = static_cast<double>(moe.experts), k = static_cast<double>(moe.expertsPerToken);
    Popularity p;
    if (skew == 0.0) {
        p.distinct = E * (1.0 - std::pow(1.0 - k / E, tokens));
        p.busiestTouched = p.distinct / static_cast<double>(ranks);
        p.busiestRows = 1.0 / static_cast<double>(ranks);
        return p;
    }
    double total = 0.0;
    for (int64_t e = 1; e <= moe.experts; ++e) total += std::pow(static_cast<double>(e), -skew);
    for (int64_t e = 1; e <= moe.experts; ++e) {
        const double share = std::pow(static_cast<double>(e), -skew) / total;
        const double touched = 1.0 - std::pow(1.0 - std::min(1.0, k * share), tokens);
        p.distinct += touched;
        if ((e - 1) % ranks != 0) continue; // the first rank holds the most popular of every round
        p.busiestTouched += touched;
        p.busiestRows += share;
    }
    return p;
}

} // namespace

Routing routingOf(const ResolvedScenario& s, int64_t tokens) {
    const MoeConfig& moe = *s.model->text.moe;
    const int64_t ep = s.scenario.parallel.ep;
    const double skew = s.scenario.routingSkew;
    Routing r;
    if (ep == 1) {
        r.sourceTokens = tokens;
        r.sentRows = tokens * moe.expertsPerToken;
        r.rows = static_cast<double>(r.sentRows);
        r.distinctExperts = r.touchedExperts = popularity(moe, static_cast<double>(tokens), skew, 1).distinct;
        return r;
    }
    r.sourceTokens = ceilDivide(tokens, s.scenario.parallel.tp);
    r.sentRows = r.sourceTokens * moe.expertsPerToken;
    const double stepTokens = static_cast<double>(r.sourceTokens * ep);
    const Popularity p = popularity(moe, stepTokens, skew, ep);
    r.busiestShare = p.busiestRows * static_cast<double>(ep);
    r.distinctExperts = p.distinct;
    if (s.engine->padExpertRows) {
        // each source sends the same whole number of rows to every expert
        r.rows = static_cast<double>(moe.experts * ceilDivide(r.sentRows, moe.experts)) * r.busiestShare;
        r.touchedExperts = static_cast<double>(moe.experts / ep);
    } else {
        r.rows = static_cast<double>(r.sentRows) * r.busiestShare;
        r.touchedExperts = p.busiestTouched;
    }
    return r;
}

} // namespace deltascope
