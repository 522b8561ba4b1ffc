// SPDX-License-Identifier: GPL-3.0-or-later
// Scenarios of one click: what the program starts with, and the pairs (A, B) that are compared most.
#pragma once

#include "scenario/scenario.h"

namespace deltascope::ui {

/// Qwen3.5-27B on a pair of Ascend A3 dies, W8A8 static, decode, TP 2.
[[nodiscard]] Scenario initialScenario();

struct ScenarioPair {
    Scenario a; ///< the baseline
    Scenario b; ///< on screen
    bool operator==(const ScenarioPair&) const = default;
};

/// `scenario` with 8-bit weights (A) and with 4-bit weights (B), 8-bit activations in both; dynamic scales stay
/// dynamic.
[[nodiscard]] ScenarioPair weightWidthPair(const Scenario& scenario);
/// `scenario` as the hybrid it is (A) and with full attention in every layer (B).
[[nodiscard]] ScenarioPair attentionPair(const Scenario& scenario);

} // namespace deltascope::ui
