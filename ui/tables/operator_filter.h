// SPDX-License-Identifier: GPL-3.0-or-later
// The filter box of the operators: words that must all occur in kind, module, part, class or bound, or be the layer.
#pragma once

#include "graph/step.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace deltascope::ui {

/// "attn memory" finds memory-bound operators whose kind or module contains "attn"; "12" finds layer 12;
/// "kind:", "module:", "layer:", "bound:" and "part:" name the field that must contain the word.
class OperatorFilter {
public:
    OperatorFilter() = default;
    explicit OperatorFilter(std::string_view text);

    [[nodiscard]] bool empty() const { return terms_.empty(); }

    /// What the fields that all uses of an operator share say of each term, one bit per term.
    [[nodiscard]] std::uint32_t matchOperator(const Operator& op, std::string_view bound) const;
    [[nodiscard]] std::uint32_t matchSegment(const Segment& segment) const;
    /// Both together match every term.
    [[nodiscard]] bool accepts(std::uint32_t operatorBits, std::uint32_t segmentBits) const {
        return (operatorBits | segmentBits) == all_;
    }

private:
    enum class Field : std::uint8_t { any, kind, module, layer, bound, part };
    struct Term {
        Field field = Field::any;
        std::string word; ///< lower case
    };
    std::vector<Term> terms_; ///< at most 32
    std::uint32_t all_ = 0;
};

} // namespace deltascope::ui
