// SPDX-License-Identifier: GPL-3.0-or-later
// Scenarios, models, devices and engines in the few words that fit on a panel.
#pragma once

#include "catalog/device_profile.h"
#include "catalog/engine_profile.h"
#include "catalog/model_config.h"
#include "scenario/scenario.h"
#include "simulation/simulation.h"

#include <QString>
#include <QStringList>

#include <string_view>

namespace deltascope::ui {

[[nodiscard]] inline QString toQString(std::string_view text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}
[[nodiscard]] QString countText(std::int64_t count);

/// "ATLAS 800 A3 560T 128G DIE": the name with blanks for its underscores.
[[nodiscard]] QString deviceLabel(std::string_view name);

/// "48 linear + 16 full layers · 26.9 B".
[[nodiscard]] QString factsOf(const ModelConfig& model);
/// "64 GiB · 1.76 TB/s · 560 TOP/s INT8".
[[nodiscard]] QString factsOf(const DeviceProfile& device);
/// "unfused norms · roofline".
[[nodiscard]] QString factsOf(const EngineProfile& engine);
/// What the engine does differently from others, a line each.
[[nodiscard]] QString differencesOf(const EngineProfile& engine);

/// "Qwen3.5-27B · ATLAS 800 A3 560T 128G DIE ×2 · tensorcast · W8A8 static · TP 2 · decode 1 × 1 on 4,096".
[[nodiscard]] QString scenarioInWords(const Simulation& simulation);
/// What tells `scenario` from others at a glance: "W8A8 static · TP 2 · decode".
[[nodiscard]] QString shortLabel(const Scenario& scenario);
/// Fields in which the two differ, as "linears W8A8 static → W4A8 static".
[[nodiscard]] QStringList differences(const Scenario& a, const Scenario& b);

/// "+5.3 %", "−12.0 %", "±0 %".
[[nodiscard]] QString percentDifference(double from, double to);
/// A refusal as the panel shows it: why, then what would be accepted.
[[nodiscard]] QString refusalText(const Error& error);

} // namespace deltascope::ui
