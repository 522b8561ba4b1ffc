// SPDX-License-Identifier: GPL-3.0-or-later
#include "explore/frontier.h"

#include <algorithm>
#include <cmath>

namespace deltascope {
namespace {

using std::int64_t;

void sortUnique(std::vector<int64_t>& values) {
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
}

/// The largest value in [low, high] at which `free` is not negative; nothing when it is negative at `low`. `free` never
/// grows with the value. Memory is nearly linear in it: interpolation finds the end in few steps, bisection bounds
/// them.
template <class Free>
std::optional<int64_t> largestThatFits(int64_t low, int64_t high, Free free) {
    double freeLow = free(low).value();
    if (freeLow < 0.0) return std::nullopt;
    double freeHigh = free(high).value();
    if (freeHigh >= 0.0) return high;
    for (int step = 0; high - low > 1; ++step) {
        const double share = step % 3 == 2 ? 0.5 : freeLow / (freeLow - freeHigh);
        const auto guess = low + static_cast<int64_t>(static_cast<double>(high - low) * share);
        const int64_t middle = std::clamp(guess, low + 1, high - 1);
        const double at = free(middle).value();
        (at >= 0.0 ? low : high) = middle;
        (at >= 0.0 ? freeLow : freeHigh) = at;
    }
    return low;
}

GrowthPoint growthAt(MemoryProbe& probe, MemoryProbe* counterpart, int64_t at, int64_t requests, int64_t context) {
    GrowthPoint point;
    point.at = at;
    const MemoryReport own = probe.at(requests, context);
    point.ideal = own.ideal.total();
    if (own.engine) point.engine = own.engine->total();
    if (counterpart == nullptr) return point;
    const MemoryReport other = counterpart->at(requests, context);
    point.idealCounterpart = other.ideal.total();
    if (other.engine) point.engineCounterpart = other.engine->total();
    return point;
}

} // namespace

std::vector<int64_t> contextStops(const ModelConfig& model, std::optional<int64_t> also) {
    constexpr int64_t longest = limits::contextLength.highest;
    std::vector<int64_t> stops{std::min(model.text.maxPosition, longest), longest};
    for (int64_t n = 1024; n < longest; n *= 2) stops.push_back(n);
    if (also) stops.push_back(*also);
    sortUnique(stops);
    return stops;
}

std::vector<int64_t> requestStops(std::optional<int64_t> also) {
    std::vector<int64_t> stops;
    for (int64_t n = 1; n <= limits::queries.highest; n *= 2) stops.push_back(n);
    if (also) stops.push_back(*also);
    sortUnique(stops);
    return stops;
}

int64_t mostRequests(MemoryProbe& probe, int64_t context, Bytes spare) {
    return largestThatFits(limits::queries.lowest, limits::queries.highest,
                           [&](int64_t n) { return probe.at(n, context).free() - spare; })
        .value_or(0);
}

std::optional<int64_t> longestContext(MemoryProbe& probe, int64_t requests, Bytes spare) {
    return largestThatFits(probe.shortestContext(), limits::contextLength.highest,
                           [&](int64_t context) { return probe.at(requests, context).free() - spare; });
}

std::optional<MemoryProbe> counterpartOf(const Catalog& catalog, const Scenario& scenario) {
    const auto model = catalog.findModel(scenario.model);
    if (!model || model->layerCount(LayerType::linearAttention) == 0) return std::nullopt;
    Scenario other = scenario;
    other.allFull = !other.allFull;
    Result<MemoryProbe> probe = MemoryProbe::make(catalog, other);
    if (!probe) return std::nullopt;
    return *std::move(probe);
}

Frontier frontierOf(MemoryProbe& probe, MemoryProbe* counterpart, const std::vector<int64_t>& contexts,
                    const std::vector<int64_t>& requests) {
    Frontier frontier;
    for (const int64_t context : contexts) {
        RequestsAt point{context, mostRequests(probe, context), {}};
        if (counterpart != nullptr) point.counterpart = mostRequests(*counterpart, context);
        frontier.byContext.push_back(point);
    }
    for (const int64_t n : requests) {
        ContextAt point{n, longestContext(probe, n), {}};
        if (counterpart != nullptr) point.counterpart = longestContext(*counterpart, n);
        frontier.byRequests.push_back(point);
    }
    return frontier;
}

std::vector<GrowthPoint> growthByContext(MemoryProbe& probe, MemoryProbe* counterpart, int64_t requests,
                                         const std::vector<int64_t>& contexts) {
    std::vector<GrowthPoint> points;
    for (const int64_t context : contexts) points.push_back(growthAt(probe, counterpart, context, requests, context));
    return points;
}

std::vector<GrowthPoint> growthByRequests(MemoryProbe& probe, MemoryProbe* counterpart, int64_t context,
                                          const std::vector<int64_t>& requests) {
    std::vector<GrowthPoint> points;
    for (const int64_t n : requests) points.push_back(growthAt(probe, counterpart, n, n, context));
    return points;
}

} // namespace deltascope
