// SPDX-License-Identifier: GPL-3.0-or-later
// What to change when a scenario does not fit or is tight, with the effect in bytes of one rank; and what the same
// changes would free when it does fit.
#pragma once

#include "base/result.h"
#include "catalog/catalog.h"
#include "explore/fits.h"
#include "explore/memory_probe.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace deltascope {

/// In the order in which they are combined: what costs the requests nothing comes first, what takes from them last.
enum class RemedyKind : std::uint8_t { kvCache, expertWeights, weights, tensorParallel, fewerRequests, shorterContext };
inline constexpr std::array remedyOrder{RemedyKind::kvCache,       RemedyKind::expertWeights,
                                        RemedyKind::weights,       RemedyKind::tensorParallel,
                                        RemedyKind::fewerRequests, RemedyKind::shorterContext};
[[nodiscard]] std::string_view nameOf(RemedyKind kind); ///< "kv_cache", "expert_weights", ...

/// A field by its name in scenario/fields.h, and its values as that file writes them.
struct FieldChange {
    std::string field, before, after;
};

struct Remedy {
    RemedyKind kind = RemedyKind::kvCache;
    std::vector<FieldChange> changes;
    Scenario scenario; ///< with the changes, otherwise as it was given
    Bytes freed;       ///< of a rank, against the scenario it was made for; more than 0
    FitVerdict after;
};

struct Remedies {
    Fit present = Fit::fits;
    /// What is aimed at: that it fits with 5 % free where it is tight, that it fits at all where it does not.
    std::vector<Remedy> single;
    /// One after the other, in remedyOrder, until it fits; `freed` and `changes` against the step before. Empty when
    /// nothing is amiss or a single one is enough.
    std::vector<Remedy> combined;
    bool singleIsEnough = false;
    bool combinedIsEnough = false;
};

/// Only changes that simulate() takes and that free something. Int8 for the KV cache (and fp8 where the engine has it);
/// four bits for the weights, of the experts alone and of all, W4A8, or W4A16 where only the
/// weights were quantized or the device has no INT8; the
/// next tensor-parallel size, and the next that is enough. Fewer requests and a shorter context only when something is
/// amiss: the most and the longest that fit; not for a scenario that lists requests one by one.
Result<Remedies> remediesFor(const Catalog& catalog, const Scenario& scenario);

} // namespace deltascope
