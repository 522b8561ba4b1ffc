// SPDX-License-Identifier: GPL-3.0-or-later
// The scenario as every JSON of the product says it: what was chosen, every default filled in.
#pragma once

#include "io/json_writer.h"
#include "scenario/validate.h"

namespace deltascope {

/// A member "scenario", numbers as numbers.
void writeScenario(JsonWriter& json, const ResolvedScenario& resolved);

} // namespace deltascope
