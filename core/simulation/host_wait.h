// SPDX-License-Identifier: GPL-3.0-or-later
// The host of one simulation: how long the device waits for it under each mode, and where.
#pragma once

#include "simulation/simulation.h"

#include <vector>

namespace deltascope {

/// Fills in `host` and `hostBegin`. Returns how long the device waits in each segment; empty when it never does.
std::vector<Seconds> waitForHost(Simulation& simulation);

} // namespace deltascope
