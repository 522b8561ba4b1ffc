// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of a config.json, each read by a function of its own. Used by readModelConfig only.
#pragma once

#include "base/checked_map.h"
#include "catalog/model_config.h"

#include <span>
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
    bool nested; ///< text and vision configuration are maps of their own
    bool hybrid; ///< layers may be linear attention
    ExpertLayers experts;
    bool sharedExpert;
    NormScale normScale;
    bool gated; ///< q_proj yields query and gate, unless `attn_output_gate` says otherwise
    double rotaryFactor;
    bool normTopK;           ///< when `norm_topk_prob` is absent
    std::int64_t unnamedMtp; ///< layers of an MTP head that the checkpoint has and its configuration does not name
};

[[nodiscard]] std::span<const ModelFamily> modelFamilies();

/// `text` and `top` are the same map when the file is flat.
[[nodiscard]] TextConfig readTextConfig(CheckedMap& text, CheckedMap& top, const ModelFamily& family,
                                        std::vector<std::string>& notes);
[[nodiscard]] VisionConfig readVisionConfig(CheckedMap& vision, std::int64_t textHidden);

} // namespace deltascope
