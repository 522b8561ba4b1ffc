// SPDX-License-Identifier: GPL-3.0-or-later
// Where the values of a slider stand on its track, and which of them it stops at. Pure.
#pragma once

#include <cstdint>
#include <vector>

namespace deltascope::ui {

class SliderScale {
public:
    /// Logarithmic from `lowest` to `highest`; the first `soft` above the lowest are nearly linear, so that 0 has a
    /// place. Stops at whole numbers, eight to a doubling.
    [[nodiscard]] static SliderScale logarithmic(std::int64_t lowest, std::int64_t highest, double soft = 1.0);
    /// `stops`, ascending and not empty, at even distances.
    [[nodiscard]] static SliderScale even(std::vector<std::int64_t> stops);

    [[nodiscard]] int stopCount() const { return static_cast<int>(stops_.size()); }
    [[nodiscard]] std::int64_t stop(int index) const;
    [[nodiscard]] int nearestStop(std::int64_t value) const;
    /// The stop after or before `value`, also when `value` is no stop itself.
    [[nodiscard]] std::int64_t step(std::int64_t value, int steps) const;
    /// 0 at the lowest, 1 at the highest; values outside are taken to the nearer end.
    [[nodiscard]] double fraction(std::int64_t value) const;
    [[nodiscard]] int stopAt(double fraction) const;
    [[nodiscard]] std::int64_t lowest() const { return stops_.front(); }
    [[nodiscard]] std::int64_t highest() const { return stops_.back(); }

private:
    std::vector<std::int64_t> stops_{0};
    double soft_ = 0.0; ///< 0: even
};

} // namespace deltascope::ui
