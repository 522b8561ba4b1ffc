// SPDX-License-Identifier: GPL-3.0-or-later
// Small things done with words: reading numbers strictly, listing names, finding the one that was meant.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace deltascope {

/// The candidate with the fewest edits (insert, delete, replace, swap) from `word`, case, `-` and `_` aside; empty when
/// none is near enough to have been meant.
[[nodiscard]] std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates);

/// "a, b or c".
[[nodiscard]] std::string listed(std::span<const std::string_view> names, std::string_view last = "or");

/// What an unknown name is answered with: `did you mean "x"? known: a, b, c`, or only the list when none is near.
[[nodiscard]] std::string suggestion(std::string_view word, std::span<const std::string_view> known);

/// The whole text as a number: no blanks, no leading "+", not NaN or infinite; nothing when it is anything else or does
/// not fit.
[[nodiscard]] std::optional<std::int64_t> wholeNumber(std::string_view text);
[[nodiscard]] std::optional<double> finiteNumber(std::string_view text);

/// `text` fit for one line of a message: control characters as "?", at most `limit` bytes, cut at a character.
[[nodiscard]] std::string printable(std::string_view text, std::size_t limit = 80);

} // namespace deltascope
