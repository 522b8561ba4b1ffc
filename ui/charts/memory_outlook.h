// SPDX-License-Identifier: GPL-3.0-or-later
// How far the scenario on screen can grow, computed when it is asked for and kept while only the number of requests or
// the context moves.
#pragma once

#include "explore/frontier.h"

#include <optional>
#include <vector>

namespace deltascope::ui {

class MemoryOutlook {
public:
    /// `scenario` must simulate.
    void update(const Catalog& catalog, const Scenario& scenario);
    /// A name in the catalog means something else now.
    void forget() { key_.reset(); }

    /// False when the scenario lists its requests one by one: the rest is empty then.
    [[nodiscard]] bool varies() const { return probe_ && probe_->canVary(); }
    [[nodiscard]] bool hasCounterpart() const { return counterpart_.has_value(); }
    [[nodiscard]] const Frontier& frontier();
    [[nodiscard]] std::vector<GrowthPoint> byContext();
    [[nodiscard]] std::vector<GrowthPoint> byRequests();
    [[nodiscard]] std::int64_t requests() const { return requests_; }
    [[nodiscard]] std::int64_t context() const { return context_; }

private:
    [[nodiscard]] MemoryProbe* counterpart() { return counterpart_ ? &*counterpart_ : nullptr; }

    std::optional<Scenario> key_; ///< what the probes were made for, but for requests and context
    std::optional<MemoryProbe> probe_, counterpart_;
    std::optional<Frontier> frontier_;
    std::int64_t requests_ = 1, context_ = 0;
};

} // namespace deltascope::ui
