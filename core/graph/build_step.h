// SPDX-License-Identifier: GPL-3.0-or-later
// Model + engine + scenario -> the operators of one step.
#pragma once

#include "base/result.h"
#include "graph/step.h"
#include "scenario/validate.h"

namespace deltascope {

/// Fails with `unsupported` for a model whose blocks are not built yet.
Result<Step> buildStep(const ResolvedScenario& scenario);

} // namespace deltascope
