// SPDX-License-Identifier: GPL-3.0-or-later
// Collectives over the interconnect: a group uses the innermost tier that spans it.
#include "cost/time.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace deltascope {

std::int64_t interconnectSpan(const DeviceProfile& device) {
    std::int64_t span = 1;
    for (const InterconnectTier& tier : device.interconnect) {
        if (!tier.size) return std::numeric_limits<std::int64_t>::max();
        span *= *tier.size;
    }
    return span;
}

const InterconnectTier* tierFor(const DeviceProfile& device, std::int64_t ranks) {
    std::int64_t span = 1;
    for (const InterconnectTier& tier : device.interconnect) {
        if (!tier.size) return &tier;
        span *= *tier.size;
        if (ranks <= span) return &tier;
    }
    return nullptr;
}

Seconds collectiveTime(OperatorKind kind, std::int64_t ranks, Bytes bytes, const DeviceProfile& device) {
    if (ranks <= 1) return Seconds(0);
    const InterconnectTier* tier = tierFor(device, ranks);
    if (!tier) return Seconds(0); // refused by simulate()
    const auto n = static_cast<double>(ranks);
    double bandwidth = tier->bandwidth.value() * tier->efficiency;
    if (tier->topology == Topology::fullMesh && tier->size && *tier->size > 1)
        bandwidth *= std::min(1.0, (n - 1.0) / static_cast<double>(*tier->size - 1));
    const bool flat = tier->latencyScaling == LatencyScaling::flat;
    const double ringSteps = flat ? 1.0 : n - 1.0;
    const double treeSteps = flat ? 1.0 : std::ceil(std::log2(n));
    const double latency = tier->latency.value();
    const double b = bytes.value();
    const double fewest = std::min(ringSteps, treeSteps) * latency;
    switch (kind) {
    case OperatorKind::all_reduce: {
        const double ring = 2.0 * ringSteps * latency + 2.0 * (n - 1.0) / n * b / bandwidth;
        const double tree = 2.0 * treeSteps * latency + 2.0 * b / bandwidth;
        return Seconds(std::min(ring, tree));
    }
    case OperatorKind::all_gather: return Seconds(fewest + (n - 1.0) * b / bandwidth);
    case OperatorKind::reduce_scatter:
    case OperatorKind::all_to_all: return Seconds(fewest + (n - 1.0) / n * b / bandwidth);
    default: return Seconds(0);
    }
}

} // namespace deltascope
