// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/memory_outlook.h"

#include <utility>

namespace deltascope::ui {

void MemoryOutlook::update(const Catalog& catalog, const Scenario& scenario) {
    Scenario key = scenario;
    if (key.requests.empty()) {
        key.queries = 1;
        key.contextLength = 1;
    }
    if (key_ != key) {
        frontier_.reset();
        probe_.reset();
        counterpart_.reset();
        if (Result<MemoryProbe> probe = MemoryProbe::make(catalog, key)) probe_ = *std::move(probe);
        if (varies()) counterpart_ = counterpartOf(catalog, key);
        key_ = std::move(key);
    }
    requests_ = scenario.queries;
    context_ = scenario.contextLength.value_or(defaultContextLength(scenario.phase));
}

const Frontier& MemoryOutlook::frontier() {
    if (!frontier_)
        frontier_ = varies()
                        ? frontierOf(*probe_, counterpart(), contextStops(*probe_->scenario().model), requestStops())
                        : Frontier{};
    return *frontier_;
}

std::vector<GrowthPoint> MemoryOutlook::byContext() {
    if (!varies()) return {};
    return growthByContext(*probe_, counterpart(), requests_, contextStops(*probe_->scenario().model, context_));
}

std::vector<GrowthPoint> MemoryOutlook::byRequests() {
    if (!varies()) return {};
    return growthByRequests(*probe_, counterpart(), context_, requestStops(requests_));
}

} // namespace deltascope::ui
