// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulation/host.h"

#include <algorithm>

namespace deltascope {

BlockLaunches launchesOf(std::span<const OperatorCost> costs, Seconds dispatch) {
    BlockLaunches block;
    block.earliest.reserve(costs.size());
    for (const OperatorCost& cost : costs) {
        const Seconds first = dispatch * static_cast<double>(block.kernels + 1);
        block.kernels += cost.kernels();
        const Seconds last = dispatch * static_cast<double>(block.kernels);
        block.earliest.push_back(std::max({block.end, first, last - cost.total}));
        block.end = block.earliest.back() + cost.total;
    }
    return block;
}

} // namespace deltascope
