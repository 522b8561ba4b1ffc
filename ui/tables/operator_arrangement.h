// SPDX-License-Identifier: GPL-3.0-or-later
// Which operators a table shows, in which order and in which groups: pure functions over OperatorRows.
#pragma once

#include "tables/operator_filter.h"
#include "tables/operator_rows.h"

#include <cstdint>
#include <string>
#include <vector>

namespace deltascope::ui {

enum class Grouping : std::uint8_t { none, kind, layer, module };

struct ArrangementChoice {
    Grouping grouping = Grouping::none;
    std::optional<OperatorColumn> sortBy; ///< order of execution when empty
    bool descending = false;
    OperatorFilter filter;
};

struct OperatorGroup {
    QString label;
    OperatorKind kind = OperatorKind::copy; ///< of its first row, for the colour
    std::uint32_t first = 0;                ///< into Arrangement::order
    std::uint32_t count = 0;
    std::array<double, operatorColumnCount> totals{}; ///< of the additive columns; NaN in the others
};

struct Arrangement {
    std::vector<std::uint32_t> order;  ///< rows that pass the filter, as shown; those of a group stand together
    std::vector<OperatorGroup> groups; ///< empty without grouping
    std::int64_t operators = 0;        ///< of the current simulation among `order`
    std::int64_t ghosts = 0;
    Seconds time;            ///< of those operators
    double largestShare = 0; ///< of a row
    [[nodiscard]] bool sameShape(const Arrangement& other) const;
};

[[nodiscard]] Arrangement arrange(const OperatorRows& rows, const ArrangementChoice& choice);

} // namespace deltascope::ui
