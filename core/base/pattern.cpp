// SPDX-License-Identifier: GPL-3.0-or-later
// A program of few instructions that is run on all its threads at once (Thompson 1968, Pike): each instruction at most
// once per character.
#include "base/pattern.h"

#include "base/spelling.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>

namespace deltascope {
namespace {

using CharacterSet = std::bitset<256>;

std::size_t indexOf(char c) { return static_cast<unsigned char>(c); }

CharacterSet range(char first, char last) {
    CharacterSet set;
    for (std::size_t c = indexOf(first); c <= indexOf(last); ++c) set.set(c);
    return set;
}

CharacterSet wordCharacters() { return range('a', 'z') | range('A', 'Z') | range('0', '9') | range('_', '_'); }

/// The set that a letter behind a backslash stands for; none for a letter that stands for itself or nothing.
std::optional<CharacterSet> classOf(char letter) {
    CharacterSet set;
    switch (std::tolower(static_cast<unsigned char>(letter))) {
    case 'd': set = range('0', '9'); break;
    case 'w': set = wordCharacters(); break;
    case 's': set = range('\t', '\r') | range(' ', ' '); break;
    default: return std::nullopt;
    }
    return std::isupper(static_cast<unsigned char>(letter)) ? ~set : set;
}

} // namespace

/// Recursive descent; each function gives the code of what it read. Jumps are relative, so code can be copied.
class PatternParser {
public:
    explicit PatternParser(std::string_view text) : text_(text) {}

    Result<Pattern> run() {
        if (text_.size() > longest) fail("is longer than 1,000 characters");
        Code code = error_.empty() ? alternatives(0) : Code{};
        if (error_.empty() && at_ < text_.size()) fail("has a ) too many");
        if (!error_.empty())
            return Error{ErrorCode::syntax, "pattern", printable(text_), error_, "a regular expression", {}};
        code.push_back({Do::accept});
        pattern_.code_ = std::move(code);
        return std::move(pattern_);
    }

private:
    using Do = Pattern::Do;
    using Instruction = Pattern::Instruction;
    using Code = Pattern::Code;

    static constexpr std::size_t longest = 1000;      // characters
    static constexpr std::size_t mostCode = 2000;     // instructions
    static constexpr int deepest = 32;                // groups in groups
    static constexpr std::int32_t mostRepeats = 1000; // of {m,n}

    void fail(std::string why) {
        if (error_.empty()) error_ = std::move(why);
        at_ = text_.size();
    }
    [[nodiscard]] bool next(char c) const { return at_ < text_.size() && text_[at_] == c; }
    bool skip(std::string_view word) {
        if (text_.substr(at_, word.size()) != word) return false;
        at_ += word.size();
        return true;
    }
    void append(Code& code, const Code& more) {
        code.insert(code.end(), more.begin(), more.end());
        if (code.size() > mostCode) fail("repeats too much");
    }
    static std::int32_t size(const Code& code) { return static_cast<std::int32_t>(code.size()); }

    Code character(const CharacterSet& set) {
        pattern_.sets_.push_back(set);
        return {{Do::character, static_cast<std::int32_t>(pattern_.sets_.size() - 1)}};
    }

    Code alternatives(int depth) {
        Code code = sequence(depth);
        while (next('|')) {
            ++at_;
            const Code other = sequence(depth);
            Code both{{Do::split, 1, size(code) + 2}};
            append(both, code);
            both.push_back({Do::jump, size(other) + 1});
            append(both, other);
            code = std::move(both);
        }
        return code;
    }

    Code sequence(int depth) {
        Code code;
        while (at_ < text_.size() && !next('|') && !next(')')) append(code, repeated(atom(depth)));
        return code;
    }

    Code group(int depth) {
        if (depth == deepest) fail("is nested too deep");
        const bool ahead = skip("?=");
        const bool notAhead = !ahead && skip("?!");
        if (!ahead && !notAhead && next('?') && !skip("?:")) fail("has a kind of group that is not understood");
        if ((ahead || notAhead) && inLookahead_) fail("has a lookahead in a lookahead");
        inLookahead_ = inLookahead_ || ahead || notAhead;
        Code inside = alternatives(depth + 1);
        if (ahead || notAhead) inLookahead_ = false;
        if (!skip(")")) fail("lacks a )");
        if (!ahead && !notAhead) return inside;
        inside.push_back({Do::accept});
        Code code{{ahead ? Do::ahead : Do::notAhead, size(inside)}};
        append(code, inside);
        return code;
    }

    Code atom(int depth) {
        const char c = text_[at_++];
        switch (c) {
        case '(': return group(depth);
        case '[': return character(bracket());
        case '.': return character(~range('\n', '\n'));
        case '^': return {{Do::begin}};
        case '$': return {{Do::end}};
        case '\\': return escaped();
        case '*':
        case '+':
        case '?': fail("repeats nothing"); return {};
        default: return character(range(c, c));
        }
    }

    Code escaped() {
        if (at_ == text_.size()) {
            fail("ends with a backslash");
            return {};
        }
        const char c = text_[at_++];
        if (c == 'b') return {{Do::wordEdge}};
        if (const auto set = classOf(c)) return character(*set);
        if (std::isalnum(static_cast<unsigned char>(c))) fail(std::string("has \\") + c + ", which is not understood");
        return character(range(c, c));
    }

    /// One character of a class, or a set in it (`\d`).
    CharacterSet bracketItem() {
        char first = text_[at_++];
        if (first == '\\' && at_ < text_.size()) {
            first = text_[at_++];
            if (const auto set = classOf(first)) return *set;
        }
        const bool isRange = next('-') && at_ + 1 < text_.size() && text_[at_ + 1] != ']';
        if (!isRange) return range(first, first);
        ++at_;
        if (skip("\\") && at_ == text_.size()) return {};
        const char last = text_[at_++];
        if (indexOf(last) < indexOf(first)) fail("has a range that ends before it begins");
        return range(first, last);
    }

    CharacterSet bracket() {
        const bool inverted = skip("^");
        CharacterSet set;
        bool first = true;
        while (at_ < text_.size() && (first || !next(']'))) {
            set |= bracketItem();
            first = false;
        }
        if (!skip("]")) fail("lacks a ]");
        return inverted ? ~set : set;
    }

    std::optional<std::int32_t> number() {
        std::int32_t n = 0;
        const std::size_t start = at_;
        for (; at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])); ++at_)
            n = std::min(n * 10 + (text_[at_] - '0'), mostRepeats + 1);
        return at_ == start ? std::nullopt : std::optional(n);
    }

    /// `code` as often as the quantifier behind it says.
    Code repeated(Code code) {
        std::int32_t least = 1;
        std::optional<std::int32_t> most = 1;
        const std::size_t start = at_;
        if (skip("*")) {
            least = 0;
            most = {};
        } else if (skip("+")) {
            most = {};
        } else if (skip("?")) {
            least = 0;
        } else if (skip("{")) {
            const auto low = number();
            most = low;
            if (skip(",")) most = number();
            if (!skip("}") || (!low && !most)) { // a brace that is only a brace
                at_ = start;
                return code;
            }
            least = low.value_or(0);
            if (least > mostRepeats || most.value_or(least) > mostRepeats) fail("repeats too much");
            if (most.value_or(least) < least) fail("has a {m,n} whose n is below its m");
        } else {
            return code;
        }
        skip("?"); // lazy: the same for a yes or no
        Code all;
        for (std::int32_t i = 0; i < least && error_.empty(); ++i) append(all, code);
        if (!most) {
            all.push_back({Do::split, 1, size(code) + 2});
            append(all, code);
            all.push_back({Do::jump, -size(code) - 1});
        }
        for (std::int32_t i = least; most && i < *most && error_.empty(); ++i) {
            all.push_back({Do::split, 1, size(code) + 1});
            append(all, code);
        }
        return all;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    bool inLookahead_ = false;
    std::string error_;
    Pattern pattern_;
};

Result<Pattern> Pattern::parse(std::string_view text) { return PatternParser(text).run(); }

class Pattern::Run {
public:
    Run(const Pattern& pattern, std::string_view text, std::size_t& stepsLeft)
        : pattern_(pattern), text_(text), stepsLeft_(stepsLeft), seenAt_(pattern.code_.size(), 0) {}

    /// From instruction `start` at character `at`, whether it accepts.
    bool accepts(std::int32_t start, std::size_t at) {
        std::vector<std::int32_t> threads{start};
        std::vector<std::int32_t> waiting;
        for (;; ++at) {
            waiting.clear();
            ++round_;
            while (!threads.empty()) {
                const std::int32_t pc = threads.back();
                threads.pop_back();
                std::size_t& seen = seenAt_[static_cast<std::size_t>(pc)];
                if (seen == round_) continue;
                seen = round_;
                if (stepsLeft_ == 0) return false;
                --stepsLeft_;
                const Instruction& code = pattern_.code_[static_cast<std::size_t>(pc)];
                switch (code.what) {
                case Do::accept: return true;
                case Do::character: waiting.push_back(pc); break;
                case Do::jump: threads.push_back(pc + code.first); break;
                case Do::split:
                    threads.push_back(pc + code.first);
                    threads.push_back(pc + code.second);
                    break;
                case Do::ahead:
                case Do::notAhead:
                    if (Run(pattern_, text_, stepsLeft_).accepts(pc + 1, at) == (code.what == Do::ahead))
                        threads.push_back(pc + 1 + code.first);
                    break;
                default:
                    if (holds(code.what, at)) threads.push_back(pc + 1);
                    break;
                }
            }
            if (at == text_.size()) return false;
            for (const std::int32_t pc : waiting) {
                const auto& set =
                    pattern_.sets_[static_cast<std::size_t>(pattern_.code_[static_cast<std::size_t>(pc)].first)];
                if (set.test(indexOf(text_[at]))) threads.push_back(pc + 1);
            }
            if (threads.empty()) return false;
        }
    }

private:
    [[nodiscard]] bool holds(Do what, std::size_t at) const {
        if (what == Do::begin) return at == 0;
        if (what == Do::end) return at == text_.size();
        const auto isWord = [&](std::size_t i) {
            return i < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[i])) || text_[i] == '_');
        };
        return isWord(at) != (at > 0 && isWord(at - 1));
    }

    const Pattern& pattern_;
    std::string_view text_;
    std::size_t& stepsLeft_;
    std::vector<std::size_t> seenAt_; ///< round in which an instruction was last run
    std::size_t round_ = 0;
};

bool Pattern::matchesStartOf(std::string_view text, std::size_t& stepsLeft) const {
    return Run(*this, text, stepsLeft).accepts(0, 0);
}

} // namespace deltascope
