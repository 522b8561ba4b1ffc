// SPDX-License-Identifier: GPL-3.0-or-later
// Every byte of one rank: weights by group, caches, states, activations.
#pragma once

#include "base/units.h"
#include "graph/step.h"
#include "scenario/validate.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace deltascope {

/// Parameters of the whole model, unsharded. Source: shapes of the published checkpoints.
struct ParameterCounts {
    std::int64_t text = 0;
    std::int64_t vision = 0;
    std::int64_t mtp = 0;   ///< also when the configuration does not mention it
    std::int64_t total = 0; ///< text + vision, + mtp when the configuration mentions it
    std::int64_t active =
        0; ///< text parameters that one token touches, less the input embedding (and so a head tied to it)
};
[[nodiscard]] ParameterCounts countParameters(const ModelConfig& model);

struct MemoryGroup {
    std::string_view name; ///< "embedding", "linear attention", "full attention", "norms and convolutions", "MLP", ...
    Bytes bytes;
    double parameters = 0.0; ///< of this rank
    bool loaded = true;      ///< false: not needed by this scenario, shown apart
};

/// Routed experts of a rank: all are resident, a step reads those that get a token.
struct ExpertMemory {
    Bytes resident;
    Bytes touched;                ///< expected, over the trunk's layers
    double distinctExperts = 0.0; ///< expected number touched per layer, of all
    std::int64_t experts = 0;     ///< E
    double busiestShare = 1.0;    ///< rows of the busiest rank over the mean
};

/// What the model and the requests need, exact to the byte, per rank.
struct IdealMemory {
    std::vector<MemoryGroup> groups;
    Bytes weights; ///< loaded groups
    Bytes kvCache;
    Bytes recurrentState;
    Bytes convState;
    std::int64_t stateSlots = 0; ///< per request: 1 + MTP tokens
    Bytes activationPeak;
    std::uint32_t peakSegment = 0; ///< where the activations peak
    std::uint32_t peakOperator = 0;
    std::optional<ExpertMemory> experts; ///< of models that have them
    Bytes kvCacheAllFull;                ///< KV cache if every layer were a full-attention one
    [[nodiscard]] Bytes resident() const { return weights + kvCache + recurrentState + convState; }
    [[nodiscard]] Bytes total() const { return resident() + activationPeak; }
};

/// What the engine sets aside for the same requests, in blocks and pages, and what would still fit.
struct EngineMemory {
    std::int64_t blockTokens = 0;      ///< tokens of a KV block, grown until a page holds a state
    Bytes pageBytes;                   ///< of one block over the layers of a group
    std::int64_t groups = 0;           ///< groups of equally many layers that share the pages
    std::int64_t blocksPerRequest = 0; ///< of the longest request
    Bytes kvCache;                     ///< allocated for the requests
    Bytes states;                      ///< allocated: slots, speculative copies and checkpoints
    Bytes reserved;
    Bytes buffers;
    Bytes weights; ///< with a vision tower that is held although no image needs it
    Bytes activationPeak;
    Bytes cacheSpace; ///< what weights, activations, reserve and buffers leave of the limit for pages
    std::int64_t blocksFit = 0;
    std::int64_t requestsFit = 0; ///< like the longest one
    std::int64_t contextFit = 0;  ///< tokens a request can hold at this number of requests
    [[nodiscard]] Bytes total() const { return weights + activationPeak + kvCache + states + reserved + buffers; }
};

struct MemoryReport {
    IdealMemory ideal;
    std::optional<EngineMemory> engine; ///< absent where the engine's allocations are not modelled
    Bytes deviceSize;
    Bytes limit; ///< device size times the usable fraction of the engine
    /// What the engine takes, or what is needed where it is not modelled.
    [[nodiscard]] Bytes used() const { return engine ? engine->total() : ideal.total(); }
    [[nodiscard]] Bytes free() const { return limit - used(); }
};

/// Activations alive while each operator of a block runs: its operands, what later ones still read, and its scratch.
/// `residentScratch` has one entry per operator.
[[nodiscard]] std::vector<Bytes> liveBytes(const Block& block, const std::vector<Bytes>& residentScratch);

/// Blocks and pages for `ideal`, whose activation peak is known; empty when the engine has no memory settings.
[[nodiscard]] std::optional<EngineMemory> engineMemory(const ResolvedScenario& scenario, const IdealMemory& ideal);

/// Weights, caches and states of a rank; the activation peak is filled in by simulate().
[[nodiscard]] IdealMemory idealMemory(const ResolvedScenario& scenario);

} // namespace deltascope
