// SPDX-License-Identifier: GPL-3.0-or-later
#include "workbench/presets.h"

namespace deltascope::ui {

Scenario initialScenario() {
    Scenario scenario;
    scenario.model = "Qwen3.5-27B";
    scenario.device = "ATLAS_800_A3_560T_128G_DIE";
    scenario.engine = "tensorcast";
    scenario.phase = Phase::decode;
    scenario.quantization.linear = Scheme::w8a8Static;
    scenario.parallel.tp = 2;
    return scenario;
}

ScenarioPair weightWidthPair(const Scenario& scenario) {
    const bool dynamic = factsOf(scenario.quantization.linear).perTokenScale;
    ScenarioPair pair{scenario, scenario};
    pair.a.quantization.linear = dynamic ? Scheme::w8a8Dynamic : Scheme::w8a8Static;
    pair.b.quantization.linear = dynamic ? Scheme::w4a8Dynamic : Scheme::w4a8Static;
    return pair;
}

ScenarioPair attentionPair(const Scenario& scenario) {
    ScenarioPair pair{scenario, scenario};
    pair.a.allFull = false;
    pair.b.allFull = true;
    return pair;
}

} // namespace deltascope::ui
