// SPDX-License-Identifier: GPL-3.0-or-later
// What a simulation adds up to, once its blocks have their costs.
#pragma once

#include "simulation/simulation.h"

namespace deltascope {

/// Fills in starts, totals, layers, kinds, parts, provenance, the range, the activations' peak, the host and the notes.
void summarize(Simulation& simulation);

} // namespace deltascope
