// SPDX-License-Identifier: GPL-3.0-or-later
// How far a scenario can grow on its device: requests by context, context by requests, and bytes against both; beside
// the same scenario with the other attention (every layer full, or the model's own layers when it is already so).
#pragma once

#include "explore/memory_probe.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace deltascope {

/// Powers of two from 1,024 on, the context the model was trained for, and the longest there is; with `also`.
[[nodiscard]] std::vector<std::int64_t> contextStops(const ModelConfig& model, std::optional<std::int64_t> also = {});
/// Powers of two up to the most requests there are; with `also`.
[[nodiscard]] std::vector<std::int64_t> requestStops(std::optional<std::int64_t> also = {});

/// The most requests, of all ranks together, with at least `spare` left of the limit: one more does not leave it, or
/// limits::queries allows no more. 0 when not even one fits.
[[nodiscard]] std::int64_t mostRequests(MemoryProbe& probe, std::int64_t context, Bytes spare = {});
/// The longest context of each of `requests` requests, likewise; nothing when the shortest there is does not fit.
[[nodiscard]] std::optional<std::int64_t> longestContext(MemoryProbe& probe, std::int64_t requests, Bytes spare = {});

/// The same scenario with the other attention; nothing for a model without linear layers or where it is refused.
[[nodiscard]] std::optional<MemoryProbe> counterpartOf(const Catalog& catalog, const Scenario& scenario);

struct RequestsAt {
    std::int64_t context = 0;
    std::int64_t requests = 0;
    std::optional<std::int64_t> counterpart;
};
struct ContextAt {
    std::int64_t requests = 0;
    std::optional<std::int64_t> context;     ///< nothing: none fits
    std::optional<std::int64_t> counterpart; ///< likewise, or there is no counterpart
};
struct Frontier {
    std::vector<RequestsAt> byContext; ///< requests never grow with the context
    std::vector<ContextAt> byRequests;
};
/// `counterpart` may be null.
[[nodiscard]] Frontier frontierOf(MemoryProbe& probe, MemoryProbe* counterpart,
                                  const std::vector<std::int64_t>& contexts, const std::vector<std::int64_t>& requests);

struct GrowthPoint {
    std::int64_t at = 0; ///< tokens of context or requests
    Bytes ideal;
    std::optional<Bytes> engine;
    std::optional<Bytes> idealCounterpart, engineCounterpart;
    /// What decides whether it fits.
    [[nodiscard]] Bytes used() const { return engine.value_or(ideal); }
    [[nodiscard]] std::optional<Bytes> usedCounterpart() const {
        return engineCounterpart ? engineCounterpart : idealCounterpart;
    }
};
/// Of `requests` requests.
[[nodiscard]] std::vector<GrowthPoint> growthByContext(MemoryProbe& probe, MemoryProbe* counterpart,
                                                       std::int64_t requests,
                                                       const std::vector<std::int64_t>& contexts);
/// At `context` tokens each.
[[nodiscard]] std::vector<GrowthPoint> growthByRequests(MemoryProbe& probe, MemoryProbe* counterpart,
                                                        std::int64_t context,
                                                        const std::vector<std::int64_t>& requests);

} // namespace deltascope
