// SPDX-License-Identifier: GPL-3.0-or-later
#include "tables/operator_filter.h"

#include <algorithm>
#include <array>

namespace deltascope::ui {
namespace {

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool contains(std::string_view text, std::string_view lowerWord) {
    return std::search(text.begin(), text.end(), lowerWord.begin(), lowerWord.end(),
                       [](char a, char b) { return lower(a) == b; }) != text.end();
}

} // namespace

OperatorFilter::OperatorFilter(std::string_view text) {
    constexpr std::array<std::pair<std::string_view, Field>, 5> prefixes{{{"kind:", Field::kind},
                                                                          {"module:", Field::module},
                                                                          {"layer:", Field::layer},
                                                                          {"bound:", Field::bound},
                                                                          {"part:", Field::part}}};
    constexpr std::size_t most = 32;
    std::size_t at = 0;
    while (at < text.size() && terms_.size() < most) {
        const std::size_t begin = text.find_first_not_of(" \t", at);
        if (begin == std::string_view::npos) break;
        at = std::min(text.find_first_of(" \t", begin), text.size());
        Term term;
        for (const char c : text.substr(begin, at - begin)) term.word += lower(c);
        for (const auto& [prefix, field] : prefixes)
            if (term.word.starts_with(prefix)) {
                term.field = field;
                term.word.erase(0, prefix.size());
                break;
            }
        if (!term.word.empty()) terms_.push_back(std::move(term));
    }
    all_ = terms_.size() == most ? ~std::uint32_t{0} : (std::uint32_t{1} << terms_.size()) - 1;
}

std::uint32_t OperatorFilter::matchOperator(const Operator& op, std::string_view bound) const {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < terms_.size(); ++i) {
        const auto& [field, word] = terms_[i];
        const bool any = field == Field::any;
        const bool match = ((any || field == Field::kind) && contains(nameOf(op.kind), word)) ||
                           ((any || field == Field::module) && contains(op.module, word)) ||
                           ((any || field == Field::bound) && contains(bound, word)) ||
                           (any && contains(nameOf(classOf(op.kind)), word));
        bits |= std::uint32_t{match} << i;
    }
    return bits;
}

std::uint32_t OperatorFilter::matchSegment(const Segment& segment) const {
    std::uint32_t bits = 0;
    const std::string layer = segment.layer >= 0 ? std::to_string(segment.layer) : std::string();
    for (std::size_t i = 0; i < terms_.size(); ++i) {
        const auto& [field, word] = terms_[i];
        const bool any = field == Field::any;
        const bool match = ((any || field == Field::layer) && !layer.empty() && word == layer) ||
                           ((any || field == Field::part) && contains(nameOf(segment.part), word));
        bits |= std::uint32_t{match} << i;
    }
    return bits;
}

} // namespace deltascope::ui
