// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/spelling.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace deltascope {
namespace {

char folded(char c) {
    if (c >= 'A' && c <= 'Z') return static_cast<char>(c - 'A' + 'a');
    return c == '-' ? '_' : c;
}

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b`.
std::size_t editDistance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> beforeLast;
    std::vector<std::size_t> last(b.size() + 1);
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const bool same = folded(a[i - 1]) == folded(b[j - 1]);
            row[j] = std::min({row[j - 1] + 1, last[j] + 1, last[j - 1] + (same ? 0U : 1U)});
            if (i > 1 && j > 1 && folded(a[i - 1]) == folded(b[j - 2]) && folded(a[i - 2]) == folded(b[j - 1]))
                row[j] = std::min(row[j], beforeLast[j - 2] + 1);
        }
        beforeLast = last;
        last = row;
    }
    return last[b.size()];
}

/// `name` stands in `candidate`: an abbreviation, one edit away.
bool isPart(std::string_view name, std::string_view candidate) {
    const auto same = [](char x, char y) { return folded(x) == folded(y); };
    return name.size() >= 3 &&
           std::search(candidate.begin(), candidate.end(), name.begin(), name.end(), same) != candidate.end();
}

/// Bytes of the UTF-8 character at the start of `text`; 0 when it is none (also for overlong forms and surrogates).
std::size_t utf8Length(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
    const std::uint8_t first = byte(0);
    if (first < 0x80) return 1;
    const std::size_t n = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || text.size() < n) return 0;
    for (std::size_t i = 1; i < n; ++i)
        if ((byte(i) & 0xC0) != 0x80) return 0;
    const bool overlong = (first == 0xE0 && byte(1) < 0xA0) || (first == 0xF0 && byte(1) < 0x90);
    const bool surrogate = first == 0xED && byte(1) >= 0xA0;
    const bool beyond = first == 0xF4 && byte(1) >= 0x90;
    return overlong || surrogate || beyond ? 0 : n;
}

} // namespace

std::optional<std::string> nearest(std::string_view name, std::span<const std::string> candidates) {
    constexpr std::size_t longest = 100; // the distance takes quadratic time
    if (name.empty() || name.size() > longest) return std::nullopt;
    const std::size_t tolerated = std::max<std::size_t>(1, name.size() / 3);
    std::optional<std::string> best;
    std::pair<std::size_t, std::size_t> least{tolerated + 1, 0}; // an abbreviation counts as one edit, but loses to one
    for (const std::string& candidate : candidates) {
        if (candidate.size() > longest) continue;
        const std::size_t edits = editDistance(name, candidate);
        const std::pair distance{isPart(name, candidate) ? std::min<std::size_t>(edits, 1) : edits, edits};
        if (distance >= least) continue;
        least = distance;
        best = candidate;
    }
    return best;
}

std::string orList(std::span<const std::string> words) {
    std::string list;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0) list += i + 1 == words.size() ? " or " : ", ";
        list += words[i];
    }
    return list;
}

bool equalIgnoringCase(std::string_view a, std::string_view b) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

std::string printable(std::string_view text, std::size_t limit) {
    std::string line;
    while (!text.empty()) {
        const std::size_t n = utf8Length(text);
        const auto first = static_cast<std::uint8_t>(text.front());
        const bool control = first < 0x20 || first == 0x7F;
        const std::string_view shown = n == 0 ? "\uFFFD" : control ? " " : text.substr(0, n);
        if (line.size() + shown.size() > limit) return line + "…";
        line += shown;
        text.remove_prefix(n == 0 ? 1 : n);
    }
    return line;
}

std::size_t validUtf8Prefix(std::string_view text) {
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t n = utf8Length(text.substr(at));
        if (n == 0) break;
        at += n;
    }
    return at;
}

} // namespace deltascope
