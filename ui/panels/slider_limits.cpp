// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/slider_limits.h"

#include "simulation/simulation.h"

namespace deltascope::ui {

std::optional<std::int64_t> firstThatDoesNotFit(const Catalog& catalog, const Scenario& scenario,
                                                const SliderScale& scale,
                                                const std::function<void(Scenario&, std::int64_t)>& set) {
    const auto fits = [&](int stop) {
        Scenario tried = scenario;
        set(tried, scale.stop(stop));
        const Result<Simulation> result = simulate(catalog, tried);
        return !result || result->memory.free() >= Bytes(0.0);
    };
    int high = scale.stopCount() - 1;
    if (fits(high)) return std::nullopt;
    int low = 0;
    if (!fits(low)) return scale.stop(low);
    while (high - low > 1) {
        const int middle = (low + high) / 2;
        (fits(middle) ? low : high) = middle;
    }
    return scale.stop(high);
}

} // namespace deltascope::ui
