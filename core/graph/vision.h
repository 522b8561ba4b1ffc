// SPDX-License-Identifier: GPL-3.0-or-later
// Blocks of the vision tower and the places where its results enter the text model.
#pragma once

#include "graph/context.h"

#include <cstdint>
#include <vector>

namespace deltascope {

/// Images of one size.
struct ImageGroup {
    std::int64_t images = 0;
    std::int64_t patches = 0; ///< of each
};

/// Everything the tower computes in this step on this rank. Attention stays inside one image.
struct VisionLoad {
    explicit VisionLoad(const ResolvedScenario& scenario);
    std::vector<ImageGroup> groups;
    std::int64_t patches = 0;
    std::int64_t tokens = 0; ///< image tokens of the prompts, after the merge
};

/// Patch and position embedding: pixels [P, channels * frames * patch^2] -> [P, vision hidden].
Block patchBlock(const GraphContext& g, const VisionLoad& load);
/// One block of the tower, its attention and MLP split over `vision_tp`.
Block visionBlock(const GraphContext& g, const VisionLoad& load);
/// Merger to [tokens, text hidden]; of the deepstack kind the hidden state lives on.
Block mergerBlock(const GraphContext& g, const VisionLoad& load, bool deepstack);
/// Puts the merged image embeddings into the token embeddings x [T, H].
TensorId withImageTokens(BlockBuilder& b, const GraphContext& g, TensorId x, std::int64_t tokens);
/// Adds one deepstack merger's features to the image tokens of x [T, H].
TensorId withDeepstack(BlockBuilder& b, const GraphContext& g, TensorId x, std::int64_t tokens);

} // namespace deltascope
