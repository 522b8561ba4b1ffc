// SPDX-License-Identifier: GPL-3.0-or-later
// The table twins of the memory view's charts.
#pragma once

#include "charts/memory_stack.h"
#include "explore/frontier.h"
#include "tables/value_table.h"

#include <vector>

namespace deltascope::ui {

/// A row per piece of any stack; the first stack with shares and parameters, the others beside it with the difference.
[[nodiscard]] ValueTable stacksTable(const std::vector<MemoryStack>& stacks);

/// A row per point by context, then one per point by requests. `other` names the other attention; empty without one.
[[nodiscard]] ValueTable growthTable(const std::vector<GrowthPoint>& byContext,
                                     const std::vector<GrowthPoint>& byRequests, const QString& other);

/// A row per context, in the order of `frontier.byContext`, then one per number of requests.
[[nodiscard]] ValueTable frontierTable(const Frontier& frontier, const QString& other);

} // namespace deltascope::ui
