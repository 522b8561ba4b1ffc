// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/numbers.h"

#include <charconv>
#include <cmath>

namespace deltascope {
namespace {

template <class Number>
std::optional<Number> wholeText(std::string_view text) {
    Number value{};
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

} // namespace

std::optional<std::int64_t> wholeNumber(std::string_view text) { return wholeText<std::int64_t>(text); }

std::optional<double> finiteNumber(std::string_view text) {
    const auto value = wholeText<double>(text);
    return value && std::isfinite(*value) ? value : std::nullopt;
}

} // namespace deltascope
