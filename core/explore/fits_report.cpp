// SPDX-License-Identifier: GPL-3.0-or-later
#include "explore/fits_report.h"

namespace deltascope {

Result<FitsReport> fitsReport(const Catalog& catalog, const Scenario& scenario) {
    Result<Simulation> simulation = simulate(catalog, scenario);
    if (!simulation) return simulation.error();
    Result<Remedies> remedies = remediesFor(catalog, scenario);
    if (!remedies) return remedies.error();
    Result<MemoryProbe> probe = MemoryProbe::make(catalog, scenario);
    if (!probe) return probe.error();
    FitsReport report{
        *std::move(simulation), verdictOf(probe->present()), *std::move(remedies), probe->canVary(), false, {}, {}, {}};
    if (!report.varies) return report;
    std::optional<MemoryProbe> other = counterpartOf(catalog, scenario);
    report.hasCounterpart = other.has_value();
    MemoryProbe* const counterpart = other ? &*other : nullptr;
    const std::vector<std::int64_t> contexts = contextStops(*probe->scenario().model, probe->context());
    const std::vector<std::int64_t> requests = requestStops(probe->requests());
    report.frontier = frontierOf(*probe, counterpart, contexts, requests);
    report.byContext = growthByContext(*probe, counterpart, probe->requests(), contexts);
    report.byRequests = growthByRequests(*probe, counterpart, probe->context(), requests);
    return report;
}

} // namespace deltascope
