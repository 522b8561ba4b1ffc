// SPDX-License-Identifier: GPL-3.0-or-later
// Every byte of one rank: weights by group, caches, states, activations.
#pragma once

#include "base/units.h"
#include "graph/step.h"
#include "scenario/validate.h"

#include <cstdint>
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
    Bytes kvCacheAllFull; ///< KV cache if every layer were a full-attention one
    [[nodiscard]] Bytes resident() const { return weights + kvCache + recurrentState + convState; }
    [[nodiscard]] Bytes total() const { return resident() + activationPeak; }
};

struct MemoryReport {
    IdealMemory ideal;
    Bytes deviceSize;
    Bytes limit; ///< device size times the usable fraction of the engine
    [[nodiscard]] Bytes free() const { return limit - ideal.total(); }
};

/// Activations alive while each operator of a block runs: its operands, what later ones still read, and its scratch.
/// `residentScratch` has one entry per operator.
[[nodiscard]] std::vector<Bytes> liveBytes(const Block& block, const std::vector<Bytes>& residentScratch);

/// Weights, caches and states of a rank; the activation peak is filled in by simulate().
[[nodiscard]] IdealMemory idealMemory(const ResolvedScenario& scenario);

} // namespace deltascope
