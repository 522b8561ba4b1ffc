// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/slider_scale.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace deltascope::ui {

SliderScale SliderScale::logarithmic(std::int64_t lowest, std::int64_t highest, double soft) {
    SliderScale scale;
    scale.soft_ = soft;
    scale.stops_ = {lowest};
    while (scale.stops_.back() < highest) {
        const std::int64_t v = scale.stops_.back();
        const std::int64_t octave =
            v > 0 ? static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(v))) : 1;
        const std::int64_t step = std::max<std::int64_t>(1, octave / 8);
        scale.stops_.push_back(std::min(highest, (v / step + 1) * step));
    }
    return scale;
}

SliderScale SliderScale::even(std::vector<std::int64_t> stops) {
    SliderScale scale;
    if (!stops.empty()) scale.stops_ = std::move(stops);
    return scale;
}

std::int64_t SliderScale::stop(int index) const {
    return stops_[static_cast<std::size_t>(std::clamp(index, 0, stopCount() - 1))];
}

int SliderScale::nearestStop(std::int64_t value) const { return stopAt(fraction(value)); }

std::int64_t SliderScale::step(std::int64_t value, int steps) const {
    if (steps > 0) {
        const auto next = std::upper_bound(stops_.begin(), stops_.end(), value);
        return stop(static_cast<int>(next - stops_.begin()) + steps - 1);
    }
    const auto at = std::lower_bound(stops_.begin(), stops_.end(), value);
    return stop(static_cast<int>(at - stops_.begin()) + steps);
}

double SliderScale::fraction(std::int64_t value) const {
    if (stops_.size() < 2) return 0.0;
    const std::int64_t inside = std::clamp(value, lowest(), highest());
    if (soft_ > 0.0) {
        const auto height = [&](std::int64_t v) { return std::log1p(static_cast<double>(v - lowest()) / soft_); };
        return height(inside) / height(highest());
    }
    const auto above = std::lower_bound(stops_.begin(), stops_.end(), inside);
    const auto index = static_cast<double>(above - stops_.begin());
    const double spaces = static_cast<double>(stops_.size() - 1);
    if (*above == inside) return index / spaces;
    const auto low = static_cast<double>(*(above - 1));
    return (index - 1.0 + (static_cast<double>(inside) - low) / (static_cast<double>(*above) - low)) / spaces;
}

int SliderScale::stopAt(double at) const {
    const auto nearer = [&](int a, int b) {
        return std::abs(fraction(stop(a)) - at) <= std::abs(fraction(stop(b)) - at) ? a : b;
    };
    int low = 0;
    int high = stopCount() - 1;
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        (fraction(stop(middle)) <= at ? low : high) = middle;
    }
    return nearer(low, high);
}

} // namespace deltascope::ui
