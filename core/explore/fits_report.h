// SPDX-License-Identifier: GPL-3.0-or-later
// All there is to say on whether a scenario fits: verdict, remedies, frontier, growth.
#pragma once

#include "explore/fits.h"
#include "explore/frontier.h"
#include "explore/remedies.h"
#include "simulation/simulation.h"

#include <vector>

namespace deltascope {

struct FitsReport {
    Simulation simulation;
    FitVerdict verdict;
    Remedies remedies;
    bool varies = true;          ///< false: requests are listed one by one, so there is no frontier and no growth
    bool hasCounterpart = false; ///< the same scenario with the other attention was looked at too
    Frontier frontier;
    std::vector<GrowthPoint> byContext, byRequests;
};

/// Refuses what simulate() refuses.
Result<FitsReport> fitsReport(const Catalog& catalog, const Scenario& scenario);

} // namespace deltascope
