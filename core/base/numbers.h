// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers typed by hand, read strictly.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace deltascope {

/// The whole text as a number: no blanks, no leading "+", not NaN or infinite; nothing when it is anything else or does
/// not fit.
[[nodiscard]] std::optional<std::int64_t> wholeNumber(std::string_view text);
[[nodiscard]] std::optional<double> finiteNumber(std::string_view text);

} // namespace deltascope
