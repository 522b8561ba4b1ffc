// SPDX-License-Identifier: GPL-3.0-or-later
// Where on a slider's track the device's memory runs out.
#pragma once

#include "catalog/catalog.h"
#include "panels/slider_scale.h"
#include "scenario/scenario.h"

#include <functional>
#include <optional>

namespace deltascope::ui {

/// The lowest stop whose scenario needs more than the device's limit, as memory grows with the value; empty when all
/// fit or the scenario is refused. A dozen simulations: cheap enough for the GUI thread between two events.
[[nodiscard]] std::optional<std::int64_t> firstThatDoesNotFit(const Catalog& catalog, const Scenario& scenario,
                                                              const SliderScale& scale,
                                                              const std::function<void(Scenario&, std::int64_t)>& set);

} // namespace deltascope::ui
