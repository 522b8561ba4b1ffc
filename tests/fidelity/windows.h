// SPDX-License-Identifier: GPL-3.0-or-later
// The profiled windows that the Ascend calibration was fitted on, kernel by kernel: how well the rules give back what
// they were made from.
#pragma once

#include "base/result.h"
#include "catalog/catalog.h"
#include "io/json_writer.h"
#include "table.h"

#include <string>
#include <vector>

namespace deltascope::fidelity {

struct WindowKernel {
    std::string window;
    std::string kernel; ///< "all" for the whole of a window but its collectives
    double measured = 0.0;
    double simulated = 0.0; ///< seconds
};

/// Kernels whose time is stated, collectives apart: their kernels wait for the other rank.
Result<std::vector<WindowKernel>> windowKernels(const Catalog& catalog);

/// One row per kernel, one column per window: simulated / measured.
[[nodiscard]] Table windowTable(const std::vector<WindowKernel>& kernels);
void writeWindows(JsonWriter& json, const std::vector<WindowKernel>& kernels);

} // namespace deltascope::fidelity
