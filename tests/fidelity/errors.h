// SPDX-License-Identifier: GPL-3.0-or-later
// How far a prediction lies from a measurement, and how far many do.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace deltascope::fidelity {

/// (predicted - measured) / measured: +0.1 is a tenth too slow.
[[nodiscard]] inline double errorOf(double predicted, double measured) { return predicted / measured - 1.0; }

/// Value below which `share` of the values lie, between neighbours in proportion (so a median of an even number is the
/// mean of the two in the middle); NaN of none.
[[nodiscard]] inline double quantile(std::vector<double> values, double share) {
    if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
    std::sort(values.begin(), values.end());
    const double at = share * static_cast<double>(values.size() - 1);
    const auto low = static_cast<std::size_t>(at);
    const std::size_t high = std::min(low + 1, values.size() - 1);
    return values[low] + (at - static_cast<double>(low)) * (values[high] - values[low]);
}

/// The absolute values.
[[nodiscard]] inline std::vector<double> sizes(std::vector<double> errors) {
    for (double& error : errors) error = std::abs(error);
    return errors;
}

} // namespace deltascope::fidelity
