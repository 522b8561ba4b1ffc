// SPDX-License-Identifier: GPL-3.0-or-later
// A model as its Hugging Face config.json describes it, checked and with its defaults filled in.
#pragma once

#include "base/dtype.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace deltascope {

struct CheckpointQuantization; // checkpoint_quantization.h

enum class Origin : std::uint8_t { builtIn, user, file };

enum class LayerType : std::uint8_t { linearAttention, fullAttention };

/// How RMSNorm scales: Qwen3.5 and Qwen3-Next multiply by (1 + weight), Qwen3 and Qwen3-VL by weight.
enum class NormScale : std::uint8_t { onePlusWeight, weight };

struct LinearAttentionConfig {
    std::int64_t keyHeads = 0;      ///< Hk
    std::int64_t valueHeads = 0;    ///< Hv
    std::int64_t keyHeadDim = 0;    ///< dk
    std::int64_t valueHeadDim = 0;  ///< dv
    std::int64_t convKernel = 0;    ///< K, columns of the causal convolution
    DType stateDType = DType::fp32; ///< of the recurrent state (`mamba_ssm_dtype`)
};

struct MoeConfig {
    std::int64_t experts = 0;            ///< E
    std::int64_t expertsPerToken = 0;    ///< k
    std::int64_t intermediate = 0;       ///< Ie
    std::int64_t sharedIntermediate = 0; ///< Is; 0 when the model has no shared expert
    bool normTopK = true;                ///< the top-k weights are renormalised
};

struct RopeConfig {
    std::int64_t rotaryDim = 0; ///< head_dim * partial_rotary_factor, of the full-attention heads
    bool mrope = false;         ///< positions for time, height and width
    bool interleaved = false;
    std::vector<std::int64_t> mropeSection;
};

struct TextConfig {
    std::int64_t hidden = 0;        ///< H
    std::int64_t intermediate = 0;  ///< I; 0 when every layer is a mixture of experts
    std::int64_t queryHeads = 0;    ///< Nq
    std::int64_t keyValueHeads = 0; ///< Nkv
    std::int64_t headDim = 0;       ///< d
    bool outputGate = false;        ///< q_proj yields query and gate
    bool qkNorm = true;             ///< RMSNorm per head on query and key
    bool attentionBias = false;
    std::int64_t vocab = 0; ///< V
    std::int64_t maxPosition = 0;
    bool tiedEmbeddings = false;
    NormScale normScale = NormScale::weight;
    DType dtype = DType::bf16;
    RopeConfig rope;
    std::vector<LayerType> layers; ///< one per layer of the trunk
    std::vector<bool> sparseLayer; ///< one per layer: true when its MLP is a mixture of experts
    std::optional<LinearAttentionConfig> linear;
    std::optional<MoeConfig> moe;
    std::int64_t mtpLayers = 0; ///< layers of the multi-token-prediction head that exist in the checkpoint
    bool mtpInConfig = true;    ///< false when the configuration does not mention the head (Qwen3-Next)
};

struct VisionConfig {
    std::int64_t depth = 0;
    std::int64_t hidden = 0;
    std::int64_t intermediate = 0;
    std::int64_t heads = 0;
    std::int64_t patchSize = 0;
    std::int64_t spatialMerge = 0;
    std::int64_t temporalPatch = 0;
    std::int64_t inChannels = 0;
    std::int64_t outHidden = 0;
    std::int64_t positionEmbeddings = 0;
    std::vector<std::int64_t> deepstackIndexes; ///< blocks whose output feeds a merger of its own (Qwen3-VL)
};

/// Limits of the image resize, in pixels.
struct ImageLimits {
    std::int64_t minPixels = 65536;
    std::int64_t maxPixels = 16777216;
    std::string note; ///< not empty when the file was missing or invalid and these are the defaults
};

struct ModelConfig {
    std::string name;      ///< folder or file name, as it is chosen by
    std::string modelType; ///< `model_type` of the configuration
    std::string family;    ///< "Qwen3.5", "Qwen3.6", "Qwen3", "Qwen3-Next", "Qwen3-VL"
    std::string path;      ///< the config.json it was read from
    Origin origin = Origin::builtIn;
    TextConfig text;
    std::optional<VisionConfig> vision;
    ImageLimits imageLimits;
    std::shared_ptr<const CheckpointQuantization> checkpoint; ///< null: unquantized, or not understood
    std::string checkpointProblem;  ///< why a quantization that the checkpoint names is not understood
    std::vector<std::string> notes; ///< what the reader assumed or ignored, for the result

    [[nodiscard]] std::int64_t layerCount() const { return static_cast<std::int64_t>(text.layers.size()); }
    [[nodiscard]] std::int64_t layerCount(LayerType type) const {
        std::int64_t n = 0;
        for (LayerType t : text.layers) n += t == type;
        return n;
    }
};

} // namespace deltascope
