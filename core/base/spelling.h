// SPDX-License-Identifier: GPL-3.0-or-later
// Help with names typed by hand: the nearest known one, lists for messages, text safe to print.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace deltascope {

/// The candidate that `name` is most likely a misspelling of; none when all are too different. Letter case, `-` and
/// `_` do not count.
[[nodiscard]] std::optional<std::string> nearest(std::string_view name, std::span<const std::string> candidates);

/// "a, b or c".
[[nodiscard]] std::string orList(std::span<const std::string> words);

/// Equal but for the case of ASCII letters.
[[nodiscard]] bool equalIgnoringCase(std::string_view a, std::string_view b);

/// `text` on one line of at most `limit` bytes and valid UTF-8, whatever bytes it holds; "…" marks what was cut.
[[nodiscard]] std::string printable(std::string_view text, std::size_t limit = 80);

/// Bytes of the longest prefix of `text` that is valid UTF-8.
[[nodiscard]] std::size_t validUtf8Prefix(std::string_view text);

} // namespace deltascope
