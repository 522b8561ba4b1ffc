// SPDX-License-Identifier: GPL-3.0-or-later
// The steps of validate(), each in a file of its own: a step fills in its part of the scenario or says what is refused.
#pragma once

#include "base/format.h"
#include "scenario/validate.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace deltascope {

std::optional<Error> checkParallelism(ResolvedScenario& r);
/// Lengths, images and prefix hits; deals the requests out to the data-parallel ranks.
std::optional<Error> checkRequests(ResolvedScenario& r);
std::optional<Error> checkDrafting(ResolvedScenario& r);
std::optional<Error> checkQuantization(ResolvedScenario& r);

// Words of a refusal.
[[nodiscard]] inline std::string count(std::int64_t n) { return formatCount(static_cast<double>(n)); }
/// "1, 2 or 4".
[[nodiscard]] std::string list(const std::vector<std::string>& words);
[[nodiscard]] std::string list(const std::vector<std::int64_t>& numbers);
[[nodiscard]] Error outOfRange(std::string field, std::int64_t value, Range range, std::string why = "is out of range");

} // namespace deltascope
