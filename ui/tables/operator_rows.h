// SPDX-License-Identifier: GPL-3.0-or-later
// Every operator of a step as a row, those that only the baseline has as ghosts, and what each column says of a row.
// Nothing is stored per cell: values are read from the simulation when asked for.
#pragma once

#include "explore/compare.h"
#include "simulation/simulation.h"

#include <QString>

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

namespace deltascope::ui {

enum class OperatorColumn : std::uint8_t {
    kind,
    layer,
    module,
    part,
    calls,
    time,
    baseline,
    difference,
    share,
    bound,
    start,
    matrix,
    vector,
    memory,
    communication,
    launch,
    bytes,
    flops,
    shapes,
    provenance,
    id
};
inline constexpr std::size_t operatorColumnCount = 21;

struct OperatorColumnFacts {
    const char* title;    ///< for QCoreApplication::translate("OperatorRows", ...)
    const char* rawTitle; ///< of exports in SI units
    const char* tip;
    bool numeric;
    bool additive;  ///< a group shows the sum
    bool shown;     ///< unless the user chose otherwise
    int widthInEms; ///< of a fresh table, in digits
};
[[nodiscard]] const OperatorColumnFacts& factsOf(OperatorColumn column);
[[nodiscard]] QString titleOf(OperatorColumn column);
/// A number of a column as people read it; a dash when it is not finite.
[[nodiscard]] QString formatValue(OperatorColumn column, double value);

struct OperatorRow {
    OperatorRef ref;                                            ///< in the baseline when `ghost`
    bool ghost = false;                                         ///< only the baseline has it
    bool paired = false;                                        ///< the baseline has it too
    double baseline = std::numeric_limits<double>::quiet_NaN(); ///< seconds
};

class OperatorRows {
public:
    OperatorRows() = default;
    /// `comparison` is of `baseline` (A) with `current` (B); `baseline` may be null.
    OperatorRows(std::shared_ptr<const Simulation> current, std::shared_ptr<const Simulation> baseline,
                 const Comparison& comparison);

    [[nodiscard]] std::size_t size() const { return rows_.size(); }
    [[nodiscard]] const OperatorRow& row(std::size_t i) const { return rows_[i]; }
    [[nodiscard]] bool hasBaseline() const { return baseline_ != nullptr; }
    [[nodiscard]] const std::shared_ptr<const Simulation>& current() const { return current_; }
    /// The simulation that row(i).ref refers to.
    [[nodiscard]] const Simulation& simulationOf(const OperatorRow& row) const {
        return row.ghost ? *baseline_ : *current_;
    }
    [[nodiscard]] const Operator& op(const OperatorRow& row) const { return simulationOf(row).op(row.ref); }
    [[nodiscard]] const Segment& segment(const OperatorRow& row) const { return simulationOf(row).segment(row.ref); }

    /// SI value of a numeric column; NaN where there is none. A ghost has none of its own but the two of the baseline.
    [[nodiscard]] double number(std::size_t i, OperatorColumn column) const;
    /// What a cell shows.
    [[nodiscard]] QString text(std::size_t i, OperatorColumn column) const;

    /// Row of an operator of the current simulation.
    [[nodiscard]] std::size_t indexOf(OperatorRef ref) const { return firstOfSegment_[ref.segment] + ref.index; }
    /// Whether the rows stand for the same operators in the same order, so that only values differ.
    [[nodiscard]] bool sameIdentities(const OperatorRows& other) const;

private:
    std::shared_ptr<const Simulation> current_;
    std::shared_ptr<const Simulation> baseline_;
    std::vector<OperatorRow> rows_; ///< in order of execution, then ghosts in the baseline's order
    std::vector<std::size_t> firstOfSegment_;
};

/// "12", "draft 0", or the part's name outside layers.
[[nodiscard]] QString layerText(const Segment& segment);
/// "5120×8240 int8, 1×5120 int8 → 1×8240 fp16".
[[nodiscard]] QString shapesText(const Block& block, const Operator& op);

} // namespace deltascope::ui
