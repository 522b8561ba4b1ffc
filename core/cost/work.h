// SPDX-License-Identifier: GPL-3.0-or-later
// Operator -> work: FLOPs by unit and number format, bytes, extra launches, communication volume. Every formula of the
// product's operators stands in work.cpp, once, next to its text.
#pragma once

#include "base/dtype.h"
#include "base/units.h"
#include "graph/step.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace deltascope {

struct Work {
    std::array<double, rateDTypeCount> matrix{}; ///< FLOPs of the matrix unit, by DType
    std::array<double, rateDTypeCount> vector{}; ///< FLOPs of the vector unit, by DType
    Bytes read;
    Bytes written;
    Bytes scratch;         ///< moved through memory beside the operands, not kept
    Bytes residentScratch; ///< alive at once while the operator runs
    int extraLaunches = 0;
    std::int64_t ranks = 1; ///< of the collective
    Bytes communicated;     ///< tensor a rank contributes to the collective

    [[nodiscard]] double matrixTotal() const;
    [[nodiscard]] double vectorTotal() const;
    [[nodiscard]] Bytes moved() const { return read + written + scratch; }
    Work& operator+=(const Work& other);
};

/// Records the formulas as workOf evaluates them: variables first, then one term per quantity.
struct FormulaLog {
    struct Variable {
        std::string name;
        double value;
        std::string meaning;
    };
    struct Term {
        std::string quantity; ///< "matrix fp16", "vector fp32", "read", "written", "scratch", "resident scratch"
        std::string formula;
        double value;
    };
    std::vector<Variable> variables;
    std::vector<Term> terms;
};

/// Elements are counted in the formats of the tensors; `activation` is the format that work "in a" runs at.
[[nodiscard]] Work workOf(const Block& block, const Operator& op, DType activation, FormulaLog* log = nullptr);

} // namespace deltascope
