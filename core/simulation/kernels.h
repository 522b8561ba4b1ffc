// SPDX-License-Identifier: GPL-3.0-or-later
// The names that an engine's kernels have in profiles, and how many of each a step launches.
#pragma once

#include "simulation/simulation.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace deltascope {

/// Name of an operator's kernel under the engine; the operator's kind when the engine file names none.
[[nodiscard]] std::string_view kernelName(const Simulation& simulation, OperatorRef ref);

struct KernelCount {
    std::string name;
    std::int64_t launches = 0;
};
/// Kernels of the step by name, in order of first appearance.
[[nodiscard]] std::vector<KernelCount> kernelCounts(const Simulation& simulation);

} // namespace deltascope
