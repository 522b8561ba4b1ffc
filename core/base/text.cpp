// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

namespace deltascope {
namespace {

constexpr std::size_t longestWord = 64; // the work of a comparison is quadratic

std::string folded(std::string_view word) {
    std::string out;
    for (char c : word.substr(0, longestWord)) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        out += c == '-' ? '_' : c;
    }
    return out;
}

/// Edits from `a` to `b`, a swap of neighbours counted once (optimal string alignment).
std::size_t edits(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> table(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) table[i][0] = i;
    for (std::size_t j = 0; j <= b.size(); ++j) table[0][j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i)
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = table[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            table[i][j] = std::min({table[i - 1][j] + 1, table[i][j - 1] + 1, replaced});
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                table[i][j] = std::min(table[i][j], table[i - 2][j - 2] + 1);
        }
    return table[a.size()][b.size()];
}

template <class Number>
std::optional<Number> wholeText(std::string_view text) {
    Number value{};
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

} // namespace

std::string_view nearest(std::string_view word, std::span<const std::string_view> candidates) {
    const std::string wanted = folded(word);
    std::string_view best;
    std::size_t fewest = std::max<std::size_t>(1, wanted.size() / 3) + 1;
    for (std::string_view candidate : candidates) {
        const std::string name = folded(candidate);
        // A word that begins or is part of the candidate was probably meant, unless something is nearer still.
        const bool part = wanted.size() >= 3 && name.find(wanted) != std::string::npos;
        const std::size_t n = part ? std::min<std::size_t>(1, edits(wanted, name)) : edits(wanted, name);
        if (n < fewest) {
            fewest = n;
            best = candidate;
        }
    }
    return best;
}

std::string listed(std::span<const std::string_view> names, std::string_view last) {
    std::string out;
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (i > 0) out += i + 1 == names.size() ? " " + std::string(last) + " " : ", ";
        out += names[i];
    }
    return out;
}

std::string suggestion(std::string_view word, std::span<const std::string_view> known) {
    const std::string_view meant = nearest(word, known);
    return (meant.empty() ? "" : "did you mean \"" + std::string(meant) + "\"? known: ") + listed(known, "and");
}

std::optional<std::int64_t> wholeNumber(std::string_view text) { return wholeText<std::int64_t>(text); }

std::optional<double> finiteNumber(std::string_view text) {
    const auto value = wholeText<double>(text);
    return value && std::isfinite(*value) ? value : std::nullopt;
}

std::string printable(std::string_view text, std::size_t limit) {
    std::string out(text.substr(0, limit));
    if (text.size() > limit) {
        while (!out.empty() && (static_cast<unsigned char>(text[out.size()]) & 0xC0) == 0x80) out.pop_back();
        out += "…";
    }
    for (char& c : out)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
    return out;
}

} // namespace deltascope
