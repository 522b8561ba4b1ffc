// SPDX-License-Identifier: GPL-3.0-or-later
// Index of the largest value in any stretch of an array, in logarithmic time: the level of detail of lanes and curves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace deltascope::ui {

class RangeMax {
public:
    RangeMax() = default;
    explicit RangeMax(std::vector<float> values) : values_(std::move(values)) {
        std::size_t below = values_.size();
        while (below > fanOut) {
            std::vector<std::uint32_t> level((below + fanOut - 1) / fanOut);
            for (std::size_t i = 0; i < level.size(); ++i) {
                const std::size_t last = i + 1 < level.size() ? (i + 1) * fanOut : below;
                std::uint32_t best = at(levels_.size(), i * fanOut);
                for (std::size_t k = i * fanOut + 1; k < last; ++k) best = larger(best, at(levels_.size(), k));
                level[i] = best;
            }
            below = level.size();
            levels_.push_back(std::move(level));
        }
    }

    [[nodiscard]] std::size_t size() const { return values_.size(); }
    [[nodiscard]] float value(std::size_t i) const { return values_[i]; }

    /// The first of the largest values in [first, last), which must not be empty.
    [[nodiscard]] std::uint32_t argmax(std::size_t first, std::size_t last) const {
        std::uint32_t best = at(0, first);
        for (std::size_t depth = 0;; ++depth) {
            if (last - first <= 2 * fanOut || depth == levels_.size()) {
                for (; first < last; ++first) best = larger(best, at(depth, first));
                return best;
            }
            for (; first % fanOut != 0; ++first) best = larger(best, at(depth, first));
            for (; last % fanOut != 0; --last) best = larger(best, at(depth, last - 1));
            first /= fanOut;
            last /= fanOut;
        }
    }

private:
    static constexpr std::size_t fanOut = 16;

    [[nodiscard]] std::uint32_t at(std::size_t depth, std::size_t i) const {
        return depth == 0 ? static_cast<std::uint32_t>(i) : levels_[depth - 1][i];
    }
    [[nodiscard]] std::uint32_t larger(std::uint32_t a, std::uint32_t b) const {
        return values_[b] > values_[a] || (values_[b] == values_[a] && b < a) ? b : a;
    }

    std::vector<float> values_;
    std::vector<std::vector<std::uint32_t>> levels_; ///< argmax of each 16, of each 256, ...
};

} // namespace deltascope::ui
