// SPDX-License-Identifier: GPL-3.0-or-later
// The weights of a model, module by module: the one list that parameter counts and bytes are made from.
#pragma once

#include "catalog/model_config.h"
#include "catalog/modules.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace deltascope {

/// How a weight is spread over the ranks of its group.
enum class Split : std::uint8_t {
    embedding,
    sharedExpert,
    draftFc,
    replicated,
    tensorParallel,
    keyValueHeads,
    oProj,
    lmHead,
    vision,
    expert
};

enum class WeightGroup : std::uint8_t {
    embedding,
    ropeTables,
    linearAttention,
    fullAttention,
    norms,
    mlp,
    router,
    experts,
    sharedExpert,
    lmHead,
    vision,
    mtp
};
inline constexpr std::size_t weightGroupCount = 12;
[[nodiscard]] std::string_view nameOf(WeightGroup group);

struct Weight {
    WeightGroup group;
    std::string_view module; ///< path inside its layer
    std::int64_t rows;       ///< input columns K of a matmul; 1 for a vector
    std::int64_t columns;    ///< output columns N
    Split split = Split::replicated;
    ModuleRole role = ModuleRole::fixed;
    DType fixedDType = DType::bf16; ///< of modules that no scheme touches; bf16 stands for the checkpoint's format
    std::int64_t copies = 1;        ///< experts: how many of this weight
    bool parameter = true;          ///< false for tables that are computed, not trained
};

/// Weights of one layer of the trunk (or, with `mtp`, of the MTP head's layer).
[[nodiscard]] std::vector<Weight> layerWeights(const TextConfig& text, LayerType type, bool sparse);
/// Embedding, final norm, lm_head, RoPE tables. With `ownHead` a head that is tied to the embedding is there too, as a
/// copy that is no parameter.
[[nodiscard]] std::vector<Weight> outerWeights(const TextConfig& text, bool ownHead = false);
/// The MTP head without its decoder layer: fc and its norms.
[[nodiscard]] std::vector<Weight> mtpWeights(const TextConfig& text);
[[nodiscard]] std::vector<Weight> visionWeights(const VisionConfig& vision);

} // namespace deltascope
