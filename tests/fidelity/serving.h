// SPDX-License-Identifier: GPL-3.0-or-later
// Serving runs on GPUs: the simulated decode step beside the measured time per output token.
#pragma once

#include "base/result.h"
#include "catalog/catalog.h"
#include "io/json_writer.h"
#include "scenario/scenario.h"
#include "table.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace deltascope::fidelity {

struct ServingRun {
    std::string model; ///< as the catalog names it
    std::string device;
    std::string engine; ///< that served, with its version
    std::string precision;
    std::int64_t inputTokens = 0, outputTokens = 0, batch = 0;
    std::int64_t tp = 1, moeTp = 1, ep = 1;
    double measured = 0.0;           ///< seconds per output token
    std::optional<double> predicted; ///< seconds of a decode step
    /// The same with the others' share of prefills: when `batch` requests are always being served, each of the others
    /// puts one prefill of its input between outputTokens steps.
    std::optional<double> withPrefills;
    std::string reason; ///< why there is none

    [[nodiscard]] double error() const;
    [[nodiscard]] double errorWithPrefills() const;
};

/// The rows of `data`/gpu_serving.csv, in its order, each with the step or with the reason why there is none. The step:
/// as many requests as were served at a time, with the input and half of the output in the cache.
Result<std::vector<ServingRun>> servingRuns(const Catalog& catalog, const std::filesystem::path& data);

/// Median and 90th percentile by model, system, engine and precision.
[[nodiscard]] Table servingTable(const std::vector<ServingRun>& runs);
/// Each row.
[[nodiscard]] Table servingRows(const std::vector<ServingRun>& runs);
void writeServing(JsonWriter& json, const std::vector<ServingRun>& runs);

} // namespace deltascope::fidelity
