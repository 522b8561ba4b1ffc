// SPDX-License-Identifier: GPL-3.0-or-later
// How an inference engine turns a model into kernels, as data.
#pragma once

#include "base/units.h"
#include "catalog/model_config.h"
#include "catalog/scheme.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace deltascope {

/// How a norm or a rotary embedding becomes kernels.
enum class Fusion : std::uint8_t { unfused, fused };
enum class MultiTokenDecode : std::uint8_t { recurrent, chunk };
/// Where the embedding table is: on every rank, split by vocabulary with an all-reduce after it, or left in storage, of
/// which the rows of a step are read.
enum class EmbeddingSplit : std::uint8_t { replicated, vocabularyParallel, storage };
/// Cosines and sines of all positions lie in memory, and a step reads all of them (whole) or the rows of its tokens; or
/// those of its tokens are computed.
enum class RopeTables : std::uint8_t { whole, rows, computed };
/// What the chunk rule launches: one operator of nine kernels that moves its scratch through memory, one fused kernel,
/// or its stages as kernels of their own.
enum class ChunkKernels : std::uint8_t { oneOperator, fused, stages };
enum class ChunkPacking : std::uint8_t { step, request };

/// What the drafts after the first run on: all tokens of the step; one token of each request; or one token of each
/// request in buffers as long as the step, whose every row the matmuls and norms go over.
enum class LaterDrafts : std::uint8_t { step, request, padded };

/// Layout kernels (transposes, slices, copies) around the linear-attention operators of a layer: each kind in one
/// operator of several launches that moves `passes` times the qkv channels, read and written.
struct LayoutKernels {
    enum class Kind : std::uint8_t { transpose, slice, copy, scatter, concat, cast };
    enum class When : std::uint8_t { prefill, mixed, decode, always }; ///< prefill: of steps that hold any
    Kind kind = Kind::transpose;
    int launches = 1;
    double passes = 1.0;
    When when = When::prefill;
};

/// Linear attention as one operator per layer (convolution, norms of q and k, rule) that takes the tokens of a sequence
/// one after another, in prefill too.
struct TokenByToken {
    int launches = 1; ///< kernels of the operator
    /// A state stays in the cache (or registers) of the core that has its head, so memory sees it once per sequence;
    /// else it is read and written for every token.
    bool cachedState = true;
};

/// The name of a kernel as profiles show it: the first rule that fits an operator names it.
struct KernelName {
    std::string name;
    std::string kind;               ///< of the operator
    std::optional<bool> quantized;  ///< of a linear: whether its weight is quantized
    std::int64_t minStepTokens = 0; ///< tokens of the step that the kernel is chosen from
    std::int64_t minColumns = 0;    ///< output columns of a linear
};

/// What an engine sets aside of a device's memory.
struct EngineMemorySettings {
    std::int64_t blockTokens = 16; ///< KV block size, and the unit that a hybrid model's larger blocks are multiples of
    double usableFraction = 0.9;   ///< of the device's memory
    double reservedBytes = 0.0;    ///< graphs and runtime
    double communicationBytes = 0.0; ///< buffers of the collectives, when there is more than one rank
    DType convStateDType = DType::bf16;
    bool paged = true; ///< blocks and states in one pool of pages; else a buffer per layer that grows by blocks
    bool prefixCheckpoints = false; ///< prefix caching keeps a state at every block boundary of a prompt
    bool keepsVisionTower = true;   ///< also when no request has an image
};

/// Which parts of a step the host launches kernel by kernel; the others are one graph, launched at once.
enum class HostMode : std::uint8_t {
    eager,           ///< all of it
    fullDecodeOnly,  ///< the draft model, and steps with a prefill request
    fullAndPiecewise ///< none
};
inline constexpr std::array hostModes{HostMode::eager, HostMode::fullDecodeOnly, HostMode::fullAndPiecewise};
[[nodiscard]] constexpr std::string_view nameOf(HostMode mode) {
    return mode == HostMode::eager            ? "eager"
           : mode == HostMode::fullDecodeOnly ? "full_decode_only"
                                              : "full_and_piecewise";
}

[[nodiscard]] constexpr std::optional<HostMode> hostModeFromName(std::string_view name) {
    for (HostMode mode : hostModes)
        if (nameOf(mode) == name) return mode;
    return std::nullopt;
}

/// What launching a kernel costs the host.
struct HostSettings {
    Seconds dispatch; ///< per kernel, outside graphs
    HostMode mode = HostMode::fullDecodeOnly;
};

struct EngineProfile {
    std::string name;
    std::string summary; ///< one line on what it does differently
    std::string path;
    Origin origin = Origin::builtIn;

    Fusion onePlusWeightNorm = Fusion::fused; ///< RMSNorm that scales by (1 + weight)
    Fusion onePlusWeightRope = Fusion::fused; ///< RoPE of the models with such norms
    /// RMSNorm that takes a residual with it: the add after the mixer, or that after the MLP too.
    bool fuseMixerResidual = true;
    bool fuseMlpResidual = true;
    bool qkNormInRope = false;            ///< the norms of query and key ride in the RoPE kernel
    bool mergeProjections = true;         ///< projections of one input are one matmul
    bool mergeGateProjections = true;     ///< b and a ride in the qkv+z matmul
    bool fuseLinearAllReduce = false;     ///< row-parallel linear and its all-reduce are one operator
    bool dynamicQuantize = false;         ///< static schemes find a scale per token too
    Fusion routerSoftmax = Fusion::fused; ///< softmax, top-k and renormalisation; unpermute, weights and sum
    bool padExpertRows = false;    ///< with expert parallelism every source sends each expert the same whole rows
    bool reduceExpertRows = false; ///< the all-reduce after the experts runs on their permuted rows
    bool splitSharedExpert = true; ///< the shared expert is tensor-parallel
    EmbeddingSplit embedding = EmbeddingSplit::replicated;
    RopeTables ropeTables = RopeTables::whole;
    bool collectives = true;                  ///< false: one device, no parallelism
    std::optional<TokenByToken> tokenByToken; ///< absent: linear attention in kernels of its own, chunk rule in prefill
    MultiTokenDecode multiTokenDecode = MultiTokenDecode::recurrent;
    bool splitMixedSteps = true; ///< prefill and decode requests of one step each take their own rule
    ChunkKernels chunkKernels = ChunkKernels::fused;
    bool convBodyMovesState = true; ///< the convolution of a prefill writes its state, and reads the previous one
    ChunkPacking chunkPacking = ChunkPacking::request; ///< what the chunk rule pads: the packed step or each request
    bool causalDiscount = true;                        ///< prefill attention skips what the mask hides
    bool countsBias = true;                            ///< the bias add of a linear is vector work
    LaterDrafts laterDrafts = LaterDrafts::request;
    bool quantizesDraftFc = false;            ///< the fc of the MTP head follows the linears' scheme
    bool quantizesLmHead = false;             ///< lm_head follows the linears' scheme unless chosen
    std::optional<ScaleLayout> fourBitScales; ///< of int4 weights, where it is not the usual one
    bool splitsDraftFc = true;                ///< and is column-parallel, with an all-gather
    /// A prefill on an INT8 cache attends on a dense copy of it, one without cache on the float keys and values.
    bool denseInt8Prefill = false;
    bool fp8KvCache = true; ///< an FP8 KV cache is allowed
    std::vector<LayoutKernels> layout;
    std::vector<KernelName> kernels;
    DType floatPath = DType::bf16;              ///< rate that BF16 work runs at
    std::int64_t convStateColumns = 0;          ///< columns kept of the convolution kernel: 0 means K, -1 means K - 1
    std::optional<EngineMemorySettings> memory; ///< absent: the engine's allocations are not modelled
    std::optional<HostSettings> host;           ///< absent: the device never waits for the host
    bool appliesCalibration = true;             ///< a device's calibration is on by default
    std::vector<std::string> sources;
};

} // namespace deltascope
