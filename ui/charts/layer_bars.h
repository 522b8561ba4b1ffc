// SPDX-License-Identifier: GPL-3.0-or-later
// What the bars of the layers view stand for: one per layer, or one per kind of layer with its multiplicity; and the
// time of a layer of each kind against the context length. Pure functions over simulations.
#pragma once

#include "simulation/simulation.h"

#include <array>
#include <optional>
#include <vector>

namespace deltascope::ui {

struct LayerBar {
    LayerType type = LayerType::linearAttention;
    std::int32_t first = -1; ///< layer; the first of a group; -1 when only the baseline has such layers
    std::int64_t count = 0;  ///< layers it stands for
    std::array<Seconds, operatorClassCount> byClass{}; ///< of one layer
    Seconds time;                                      ///< of one layer: the sum of byClass
    std::int64_t baselineCount = 0;
    std::optional<Seconds> baseline;     ///< the same of one layer of the baseline
    std::optional<OperatorRef> dominant; ///< the operator that takes the longest
};

struct LayerBarChoice {
    bool grouped = false;
    bool communication = true; ///< counted in the bars
};

/// `baseline` may be null. Layers of a group share a block, so they are equal.
[[nodiscard]] std::vector<LayerBar> layerBars(const Simulation& current, const Simulation* baseline,
                                              LayerBarChoice choice);

struct ContextCurve {
    struct Point {
        double context = 0.0;
        std::optional<Seconds> linear, full; ///< of one layer of that kind
        bool operator==(const Point&) const = default;
    };
    std::vector<Point> points;       ///< ascending
    std::optional<double> crossover; ///< context at which both take the same, between two points
    bool operator==(const ContextCurve&) const = default;
};

/// Where the difference of the two kinds changes its sign, taking time to grow linearly between two points.
[[nodiscard]] std::optional<double> crossoverOf(const std::vector<ContextCurve::Point>& points);
/// Simulates `scenario` at a few context lengths, spaced evenly on a logarithmic axis.
[[nodiscard]] ContextCurve contextCurve(const Catalog& catalog, const Scenario& scenario, bool communication);
/// `scenario` with every request at the same context length.
[[nodiscard]] Scenario atContext(Scenario scenario, std::int64_t contextLength);

} // namespace deltascope::ui
