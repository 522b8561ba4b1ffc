// SPDX-License-Identifier: GPL-3.0-or-later
// Regular expressions as configuration files of other tools hold them, in Python's syntax. The time of a match grows
// with pattern and text as a product, never faster: a file cannot make it hang.
#pragma once

#include "base/result.h"

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace deltascope {

class Pattern {
public:
    /// Understood: literals, `.`, classes, `\d \w \s \D \W \S \b`, groups without names, `|`, `* + ? {m,n}` and their
    /// lazy forms, `^ $`, lookahead that holds no other lookahead. The error's subject is "pattern".
    static Result<Pattern> parse(std::string_view text);

    /// Whether it matches a beginning of `text`, as Python's `re.match`. Each step is taken off `stepsLeft`; at 0 the
    /// answer is no.
    [[nodiscard]] bool matchesStartOf(std::string_view text, std::size_t& stepsLeft) const;

private:
    friend class PatternParser;

    enum class Do : std::uint8_t { character, split, jump, begin, end, wordEdge, ahead, notAhead, accept };
    struct Instruction {
        Do what = Do::accept;
        std::int32_t first = 0;  ///< character: index of its set; split, jump: where to, relative to itself;
                                 ///< ahead: length of what follows and is looked for
        std::int32_t second = 0; ///< split: the other way, relative to itself
    };
    using Code = std::vector<Instruction>;

    class Run;

    Code code_;
    std::vector<std::bitset<256>> sets_;
};

} // namespace deltascope
