// SPDX-License-Identifier: GPL-3.0-or-later
// Single steps that were measured, beside what is predicted for them.
#pragma once

#include "base/result.h"
#include "catalog/catalog.h"
#include "io/json_writer.h"
#include "simulation/simulation.h"
#include "table.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace deltascope::fidelity {

struct MeasuredStep {
    std::string id;
    Scenario scenario;
    Seconds measured;
    std::optional<Seconds> reference; ///< what the TensorCast simulator gave
};

struct PredictedStep {
    MeasuredStep step;
    TimeRange predicted;
    double error = 0.0; ///< of the likely time
};

/// The steps of `data`/measured_steps.csv.
Result<std::vector<MeasuredStep>> measuredSteps(const std::filesystem::path& data);
/// Prompts of `data`/ascend_910b2_prefill.csv that ran the chunk rule's Triton kernels: times to the first token.
Result<std::vector<MeasuredStep>> measuredPrompts(const std::filesystem::path& data);

Result<std::vector<PredictedStep>> predict(const Catalog& catalog, const std::vector<MeasuredStep>& steps);

[[nodiscard]] Table stepTable(const std::vector<PredictedStep>& steps);
[[nodiscard]] Table promptTable(const std::vector<PredictedStep>& steps);
void writeSteps(JsonWriter& json, std::string_view key, const std::vector<PredictedStep>& steps);

} // namespace deltascope::fidelity
