// SPDX-License-Identifier: GPL-3.0-or-later
// What the block builders of this room share: sizes per rank in the notation of the field, and the path the step takes.
#pragma once

#include "graph/block_builder.h"
#include "graph/routing.h"
#include "scenario/module_scheme.h"
#include "scenario/validate.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace deltascope {

/// Sums over the requests that the attention of one layer needs.
struct AttentionLoad {
    double queryTokens = 0.0; ///< that attend
    double scorePairs = 0.0;  ///< S per head
    double cacheTokens = 0.0; ///< sum of c_i + q_i
};

/// Sums over the sequences that the linear-attention rules need.
struct LinearLoad {
    std::int64_t chunkTokens = 0;    ///< tokens that go through the chunk rule
    double chunkPaddedTokens = 0.0;  ///< the same rounded up to whole chunks
    std::int64_t chunkSequences = 0; ///< states that the chunk rule writes
    bool chunkPreviousState = false; ///< and reads
    std::int64_t recurrentRows = 0;  ///< (B, q) flattened to (B*q, 1)
};

struct GraphContext {
    explicit GraphContext(const ResolvedScenario& scenario, const Step& step);

    const ResolvedScenario& scenario;
    const ModelConfig& model;
    const TextConfig& text;
    const EngineProfile& engine;
    DType a;               ///< format of activations
    std::int64_t T;        ///< tokens of the step on this rank
    std::int64_t B;        ///< requests
    std::int64_t H;        ///< hidden size
    std::int64_t t;        ///< tensor-parallel size
    std::int64_t headRows; ///< tokens whose logits are wanted
    AttentionLoad attention;
    LinearLoad linear;
    Routing routing;
    bool onePlusWeight;

    [[nodiscard]] std::int64_t localKeyValueHeads() const {
        return text.keyValueHeads >= t ? text.keyValueHeads / t : 1;
    }
};

/// Chunk length of the chunk rule: fixed by the kernels of every engine (flash-linear-attention, torch reference).
inline constexpr std::int64_t chunkLength = 64;

// --- norm.cpp, rope.cpp
/// RMSNorm of x over its last dimension, one kernel or a chain of eight; gives the normed tensor.
TensorId rmsNorm(BlockBuilder& b, const GraphContext& g, std::string_view module, TensorId x, bool onePlusWeight);
struct NormedResidual {
    TensorId normed;
    TensorId residual;
};
/// residual + x, then RMSNorm of the sum: one kernel when the engine fuses them, else an add and rmsNorm.
NormedResidual addRmsNorm(BlockBuilder& b, const GraphContext& g, std::string_view module, TensorId x,
                          TensorId residual, bool fuse);
struct QueryKey {
    TensorId query;
    TensorId key;
};
/// Rotary embedding of q [T, heads, d] and k [T, kvHeads, d].
QueryKey rotaryEmbedding(BlockBuilder& b, const GraphContext& g, QueryKey qk, std::int64_t heads, std::int64_t kvHeads);

// --- linear.cpp
/// One leaf projection of a matmul that several may share.
struct Projection {
    std::string_view module;
    std::int64_t columns; ///< per rank
    std::string_view run; ///< name of a matmul that starts with this one and does not hold all of them
};
struct LinearOptions {
    ModuleRole role = ModuleRole::linear;
    bool bias = false;
    std::int64_t reduceRanks = 1; ///< > 1: row-parallel, an all-reduce follows
};
/// quantize (when the scheme wants it) and one matmul x [M, K] -> [M, N]; with the all-reduce of a row-parallel one.
TensorId linear(BlockBuilder& b, const GraphContext& g, std::string_view prefix, std::string_view module, TensorId x,
                std::int64_t n, const LinearOptions& options = {});
/// o_proj or out_proj on x [T, K/t] in its own group, with the collectives that change the split; gives [T, H], summed.
TensorId outputProjection(BlockBuilder& b, const GraphContext& g, std::string_view prefix, std::string_view module,
                          TensorId x);
struct MergeOptions {
    bool splitLastTwo = false;         ///< the last two projections are a matmul of their own
    std::optional<TensorId> quantized; ///< x, quantized already for the scheme of the first projection
};
/// The quantize that `scheme` wants before its matmul, on x as [M, K]; x itself when it wants none.
TensorId quantizeFor(BlockBuilder& b, const GraphContext& g, std::string_view module, Scheme scheme, TensorId x);
/// Projections of one input: one matmul named `merged` when they run in one scheme, else one per run of equal schemes.
/// Gives a view of [M, columns] for each.
std::vector<TensorId> mergedLinear(BlockBuilder& b, const GraphContext& g, std::string_view prefix,
                                   std::string_view merged, std::span<const Projection> projections, TensorId x,
                                   const MergeOptions& options = {});

// --- linear_attention.cpp, full_attention.cpp, mlp.cpp, moe.cpp: mixer and MLP on normed x [T, H]; give [T, H]
TensorId linearAttention(BlockBuilder& b, const GraphContext& g, std::string_view prefix, TensorId x);
TensorId fullAttention(BlockBuilder& b, const GraphContext& g, std::string_view prefix, TensorId x);
TensorId mlp(BlockBuilder& b, const GraphContext& g, std::string_view prefix, TensorId x);
TensorId mixtureOfExperts(BlockBuilder& b, const GraphContext& g, std::string_view prefix, TensorId x);

// --- decoder_layer.cpp
struct LayerVariant {
    LayerType type = LayerType::linearAttention;
    bool sparse = false;
    bool first = false;               ///< no residual comes in from an earlier layer
    std::int64_t deepstackTokens = 0; ///< image tokens that deepstack features are added to after the layer
    std::string_view prefix;          ///< "layers.12": see layerPrefix()
};
/// A pre-norm decoder layer in a builder that holds the stream x [T, H] (and, where the MLP's residual add is fused
/// into the next norm, the residual); gives the same pair.
struct Stream {
    TensorId x;
    TensorId residual; ///< equal to x when nothing is pending
};
Stream decoderLayer(BlockBuilder& b, const GraphContext& g, const LayerVariant& variant, Stream stream);
Block layerBlock(const GraphContext& g, const LayerVariant& variant);

// --- embedding_head.cpp, mtp.cpp
/// The all-reduce after a vocabulary-parallel embedding x [T, H].
TensorId summedEmbedding(BlockBuilder& b, const GraphContext& g, TensorId x);
/// `imageTokens` of the prompt come from the vision tower.
Block embeddingBlock(const GraphContext& g, std::int64_t imageTokens);
/// Final norm, selection of rows, lm_head; the sampling that MTP needs.
Block headBlock(const GraphContext& g, bool pendingResidual);
/// The context of MTP drafts after the first.
GraphContext laterDraft(const GraphContext& g);
/// One draft of the MTP head, over the tokens of the context; `newTokens` of them are embedded.
Block draftBlock(const GraphContext& g, std::int64_t newTokens);
/// lm_head on `rows` hidden states [rows, H] in a group of `ranks`, with its collectives; gives the logits [rows, V].
TensorId lmHead(BlockBuilder& b, const GraphContext& g, TensorId hidden, std::int64_t rows, std::int64_t ranks);

} // namespace deltascope
