// SPDX-License-Identifier: GPL-3.0-or-later
// How an inference engine turns a model into kernels, as data.
#pragma once

#include "catalog/model_config.h"

#include <cstdint>
#include <string>
#include <vector>

namespace deltascope {

/// How a norm or a rotary embedding becomes kernels.
enum class Fusion : std::uint8_t { unfused, fused };
enum class MultiTokenDecode : std::uint8_t { recurrent, chunk };
enum class EmbeddingSplit : std::uint8_t { replicated, vocabularyParallel };
enum class ChunkPacking : std::uint8_t { step, request };

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
    bool mergeGateProjections = true;     ///< b and a ride in the qkv+z matmul
    bool fuseLinearAllReduce = false;     ///< row-parallel linear and its all-reduce are one operator
    Fusion routerSoftmax = Fusion::fused; ///< softmax, top-k and renormalisation; unpermute, weights and sum
    bool padExpertRows = false;    ///< with expert parallelism every source sends each expert the same whole rows
    bool reduceExpertRows = false; ///< the all-reduce after the experts runs on their permuted rows
    bool splitSharedExpert = true; ///< the shared expert is tensor-parallel
    EmbeddingSplit embedding = EmbeddingSplit::replicated;
    MultiTokenDecode multiTokenDecode = MultiTokenDecode::recurrent;
    bool splitMixedSteps = true; ///< prefill and decode requests of one step each take their own rule
    ChunkPacking chunkPacking = ChunkPacking::request; ///< what the chunk rule pads: the packed step or each request
    bool causalDiscount = true;                        ///< prefill attention skips what the mask hides
    bool countsBias = true;                            ///< the bias add of a linear is vector work
    DType floatPath = DType::bf16;                     ///< rate that BF16 work runs at
    std::int64_t convStateColumns = 0; ///< columns kept of the convolution kernel: 0 means K, -1 means K - 1
    bool appliesCalibration = true;    ///< a device's calibration is on by default
    std::vector<std::string> sources;
};

} // namespace deltascope
