// SPDX-License-Identifier: GPL-3.0-or-later
// Memory of one scenario at other numbers of requests and at other contexts: all bytes that simulate() reports, without
// the times, so that hundreds of them take a millisecond.
#pragma once

#include "base/result.h"
#include "catalog/catalog.h"
#include "memory/memory.h"
#include "scenario/scenario.h"

#include <cstdint>
#include <map>
#include <utility>

namespace deltascope {

class MemoryProbe {
public:
    /// Refuses what simulate() refuses. The catalog must outlive the probe.
    static Result<MemoryProbe> make(const Catalog& catalog, const Scenario& scenario);

    [[nodiscard]] const ResolvedScenario& scenario() const { return resolved_; }
    /// False when the scenario lists requests of different lengths: it has no one context and no one number then.
    [[nodiscard]] bool canVary() const { return given_.requests.empty(); }
    [[nodiscard]] std::int64_t requests() const { return resolved_.scenario.queries; } ///< of all ranks together
    [[nodiscard]] std::int64_t context() const { return resolved_.scenario.contextLength.value_or(0); }
    [[nodiscard]] std::int64_t shortestContext() const { return given_.phase == Phase::decode ? 1 : 0; }

    [[nodiscard]] const MemoryReport& present() const { return present_; }
    /// Of `requests` requests with `context` tokens in the cache each, both within the limits of validate.h; the
    /// operator of the peak is not told. Only when canVary().
    [[nodiscard]] MemoryReport at(std::int64_t requests, std::int64_t context);

private:
    MemoryProbe(const Catalog& catalog, const Scenario& scenario) : catalog_(&catalog), given_(scenario) {}
    [[nodiscard]] Result<ResolvedScenario> resolve(std::int64_t requests, std::int64_t context) const;
    [[nodiscard]] Bytes peakOf(const ResolvedScenario& scenario, std::int64_t requests, std::int64_t context);

    const Catalog* catalog_;
    Scenario given_;
    ResolvedScenario resolved_;
    MemoryReport present_;
    bool followsContext_ = false; ///< whether activations depend on how long a context is, not only on there being one
    std::map<std::pair<std::int64_t, std::int64_t>, Bytes> peaks_; ///< by requests and context
};

} // namespace deltascope
