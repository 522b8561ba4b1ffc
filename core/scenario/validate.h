// SPDX-License-Identifier: GPL-3.0-or-later
// The one place where a scenario is checked. What passes is complete: defaults filled in, names looked up, requests of
// the busiest rank listed.
#pragma once

#include "base/result.h"
#include "catalog/catalog.h"
#include "scenario/image_resize.h"
#include "scenario/scenario.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace deltascope {

/// `count` requests alike on the rank that is simulated.
struct Request {
    std::int64_t count = 1;
    std::int64_t queryLength = 0;   ///< q, tokens fed in this step (image tokens included)
    std::int64_t contextLength = 0; ///< c, tokens already in the cache
    Phase phase = Phase::decode;
    std::int64_t images = 0; ///< per request
    ResizedImage image;      ///< each of them; meaningful when images > 0
};

struct ResolvedScenario {
    Scenario scenario; ///< as given, with every default filled in
    std::shared_ptr<const ModelConfig> model;
    std::shared_ptr<const DeviceProfile> device;
    std::shared_ptr<const EngineProfile> engine;
    std::shared_ptr<const DeviceProfile> calibrationSibling; ///< whose rules the device's calibration is scaled from
    std::vector<LayerType> layers;           ///< of the trunk that is simulated, after `layers` and `allFull`
    std::vector<std::uint32_t> schemeGroups; ///< one per layer: see groupBySchemes() in module_scheme.h
    std::vector<Request> requests;           ///< of the busiest rank
    std::int64_t requestCount = 0;           ///< B on that rank
    std::int64_t tokens = 0;                 ///< T on that rank
    std::int64_t decodeRequestsOfAllRanks = 0;
    std::int64_t promptTokensOfAllRanks = 0;
    std::int64_t oProjTp = 1;
    std::int64_t lmHeadTp = 1;
    std::int64_t mtpLmHeadTp = 1;
    std::int64_t images = 0;    ///< on that rank
    double tokensPerStep = 1.0; ///< tokens a decode request gains per step, with acceptance
    bool calibration = false;
    std::optional<HostMode> host;   ///< empty when the engine has no host model
    std::vector<std::string> notes; ///< what was assumed, in words
};

/// Looks up and checks everything. The error names the field, the value, why (with the model's number) and what would
/// work.
Result<ResolvedScenario> validate(const Catalog& catalog, const Scenario& scenario);

/// Tensor-parallel sizes, ascending and at most `limit`, that divide the heads of the model's layers (all of them full
/// attention when `allFull`).
[[nodiscard]] std::vector<std::int64_t> tensorParallelSizes(const ModelConfig& model, bool allFull = false,
                                                            std::int64_t limit = 1024);

/// What the lengths become when they are left out.
[[nodiscard]] constexpr std::int64_t defaultQueryLength(Phase phase, std::int64_t mtpTokens) {
    return phase == Phase::decode ? 1 + mtpTokens : 1024;
}
[[nodiscard]] constexpr std::int64_t defaultContextLength(Phase phase) { return phase == Phase::decode ? 4096 : 0; }

/// Limits of the numeric fields, for validation and for the controls that edit them.
struct Range {
    std::int64_t lowest;
    std::int64_t highest;
};
namespace limits {
inline constexpr Range queries{1, 4096};
inline constexpr Range queryLength{1, 1'010'000};
inline constexpr Range contextLength{0, 1'010'000};
inline constexpr Range mtpTokens{0, 8};
inline constexpr Range ranks{1, 1024};
inline constexpr Range images{0, 256}; ///< per request
} // namespace limits

} // namespace deltascope
