// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of a config.json, each read by a function of its own. Used by readModelConfig only.
#pragma once

#include "base/checked_map.h"
#include "catalog/checkpoint_quantization.h"
#include "catalog/model_config.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace deltascope {

enum class ExpertLayers : std::uint8_t {
    none,
    all,
    bySparseStep ///< `decoder_sparse_step` and `mlp_only_layers`
};

/// What a `model_type` implies and the file does not say.
struct ModelFamily {
    std::string_view modelType;
    std::string_view family;
    bool nested = false; ///< text and vision configuration are maps of their own
    bool hybrid = false; ///< layers may be linear attention
    ExpertLayers experts = ExpertLayers::none;
    bool sharedExpert = false;
    NormScale normScale = NormScale::weight;
    bool qkNorm = true; ///< RMSNorm per head on query and key
    bool gated = false; ///< q_proj yields query and gate, unless `attn_output_gate` says otherwise
    double rotaryFactor = 1.0;
    bool normTopK = true;        ///< when `norm_topk_prob` is absent
    std::int64_t unnamedMtp = 0; ///< layers of an MTP head that the checkpoint has and its configuration does not name
};

/// `text` and `top` are the same map when the file is flat.
[[nodiscard]] TextConfig readTextConfig(CheckedMap& text, CheckedMap& top, const ModelFamily& family,
                                        std::vector<std::string>& notes);
/// How the checkpoint behind `document`, which was read from `file`, is quantized: its `quantization_config`, or
/// ModelSlim's `quant_model_description.json` beside it. Nothing when it is not. The rest of `model` must have been
/// read.
[[nodiscard]] Result<std::optional<CheckpointQuantization>>
readCheckpointQuantization(const DocumentValue& document, const std::filesystem::path& file, const ModelConfig& model);
[[nodiscard]] VisionConfig readVisionConfig(CheckedMap& vision, std::int64_t textHidden);

} // namespace deltascope
