// SPDX-License-Identifier: GPL-3.0-or-later
// Gated DeltaNet mixer: projections, causal convolution, gating, chunk or recurrent rule, gated norm, output
// projection.
#include "graph/context.h"

#include <array>

namespace deltascope {
namespace {

double num(std::int64_t n) { return static_cast<double>(n); }

/// Causal convolution over qkv [T, channels]: the body for tokens of the chunk rule, the update for those of the
/// recurrent.
TensorId convolution(BlockBuilder& b, const GraphContext& g, TensorId qkv, std::int64_t channels) {
    constexpr std::string_view module = "linear_attn.conv1d";
    const std::int64_t kernel = g.text.linear->convKernel;
    const LinearLoad& load = g.linear;
    const TensorId weight = b.weight("weight", g.a, {channels, kernel});
    const TensorId out = b.activation("qkv", g.a, {g.T, channels});
    if (load.chunkTokens > 0) {
        const TensorId in = b.view(qkv, "qkv of the chunk rule", {load.chunkTokens, channels});
        b.add(OperatorKind::linear_attn_causal_conv, module, {in, weight},
              {b.view(out, "qkv", {load.chunkTokens, channels})},
              CausalConvParams{num(load.chunkTokens), num(channels), num(kernel), num(load.chunkSequences), false});
    }
    if (load.recurrentRows > 0) {
        const TensorId in = b.view(qkv, "qkv of the recurrent rule", {load.recurrentRows, channels});
        const TensorId state = b.state("convolution state", g.a, {load.recurrentRows, channels, kernel});
        b.add(OperatorKind::linear_attn_causal_conv_update, module, {in, weight, state},
              {b.view(out, "qkv", {load.recurrentRows, channels})},
              CausalConvParams{num(load.recurrentRows), num(channels), num(kernel), num(load.recurrentRows), true});
    }
    return out;
}

struct RuleInputs {
    TensorId query, key, value, beta, gate;
};

/// Chunk rule, recurrent rule, or in a mixed step each on its own tokens; gives o [T, valueHeads, dv].
TensorId deltaRule(BlockBuilder& b, const GraphContext& g, const RuleInputs& in, std::int64_t valueHeads) {
    constexpr std::string_view module = "linear_attn.delta_rule";
    const LinearAttentionConfig& c = *g.text.linear;
    const LinearLoad& load = g.linear;
    const TensorId out = b.activation("o", g.a, {g.T, valueHeads, c.valueHeadDim});
    const auto operands = [&](std::int64_t tokens, std::int64_t states) {
        return std::array{b.view(in.query, "query", {tokens, valueHeads, c.keyHeadDim}),
                          b.view(in.key, "key", {tokens, valueHeads, c.keyHeadDim}),
                          b.view(in.value, "v", {tokens, valueHeads, c.valueHeadDim}),
                          b.view(in.beta, "beta", {tokens, valueHeads}),
                          b.view(in.gate, "g", {tokens, valueHeads}),
                          b.state("recurrent state", c.stateDType, {states, valueHeads, c.keyHeadDim, c.valueHeadDim})};
    };
    if (load.chunkTokens > 0) {
        const std::array result{b.view(out, "o", {load.chunkTokens, valueHeads, c.valueHeadDim})};
        b.add(OperatorKind::linear_attn_chunk_gated_delta_rule, module, operands(load.chunkTokens, load.chunkSequences),
              result,
              ChunkRuleParams{num(load.chunkTokens), load.chunkPaddedTokens, num(load.chunkSequences), num(chunkLength),
                              num(valueHeads), num(c.keyHeadDim), num(c.valueHeadDim), load.chunkPreviousState});
    }
    if (load.recurrentRows > 0) {
        const std::array result{b.view(out, "o", {load.recurrentRows, valueHeads, c.valueHeadDim})};
        b.add(OperatorKind::linear_attn_recurrent_gated_delta_rule, module,
              operands(load.recurrentRows, load.recurrentRows), result,
              RecurrentRuleParams{num(load.recurrentRows), num(valueHeads), num(c.keyHeadDim), num(c.valueHeadDim)});
    }
    return out;
}

} // namespace

TensorId linearAttention(BlockBuilder& b, const GraphContext& g, std::string_view prefix, TensorId x) {
    const LinearAttentionConfig& c = *g.text.linear;
    const std::int64_t keyHeads = c.keyHeads / g.t;
    const std::int64_t valueHeads = c.valueHeads / g.t;
    const std::int64_t channels = 2 * keyHeads * c.keyHeadDim + valueHeads * c.valueHeadDim;
    const std::int64_t valueDim = valueHeads * c.valueHeadDim;
    const std::int64_t T = g.T;

    if (g.scenario.scenario.paddingMask) {
        const TensorId mask = b.state("mask", DType::int64, {T});
        const TensorId masked = b.activation("masked", g.a, {T, g.H});
        b.add(OperatorKind::linear_attn_apply_padding_mask, "linear_attn.padding_mask", {x, mask}, {masked});
        x = masked;
    }
    const std::array projections{Projection{"linear_attn.in_proj_qkv", channels, "linear_attn.in_proj_qkvz"},
                                 Projection{"linear_attn.in_proj_z", valueDim, "linear_attn.in_proj_zb"},
                                 Projection{"linear_attn.in_proj_b", valueHeads, "linear_attn.in_proj_ba"},
                                 Projection{"linear_attn.in_proj_a", valueHeads, {}}};
    const auto projected =
        mergedLinear(b, g, prefix, "linear_attn.in_proj", projections, x, {!g.engine.mergeGateProjections, {}});

    const TensorId mixed = convolution(b, g, projected[0], channels);

    const TensorId q = b.view(mixed, "q", {T, keyHeads, c.keyHeadDim});
    const TensorId k = b.view(mixed, "k", {T, keyHeads, c.keyHeadDim});
    const TensorId v = b.view(mixed, "v", {T, valueHeads, c.valueHeadDim});
    const TensorId aLog = b.weight("A_log", DType::fp32, {valueHeads});
    const TensorId dtBias = b.weight("dt_bias", g.a, {valueHeads});
    const TensorId query = b.activation("query", g.a, {T, valueHeads, c.keyHeadDim});
    const TensorId key = b.activation("key", g.a, {T, valueHeads, c.keyHeadDim});
    const TensorId beta = b.activation("beta", g.a, {T, valueHeads});
    const TensorId gate = b.activation("g", DType::fp32, {T, valueHeads});
    b.add(OperatorKind::linear_attn_fused_gdn_gating, "linear_attn.gating",
          {q, k, projected[2], projected[3], aLog, dtBias}, {query, key, beta, gate},
          GatingParams{num(T), num(keyHeads), num(valueHeads), num(c.keyHeadDim)});

    const TensorId out = deltaRule(b, g, {query, key, v, beta, gate}, valueHeads);

    const TensorId z = b.view(projected[1], "z", {T, valueHeads, c.valueHeadDim});
    const TensorId normWeight = b.weight("weight", DType::fp32, {c.valueHeadDim});
    const TensorId normed = b.activation("normed", g.a, {T, valueHeads, c.valueHeadDim});
    b.add(OperatorKind::linear_attn_gated_rmsnorm, "linear_attn.norm", {out, z, normWeight}, {normed},
          GatedNormParams{num(T * valueHeads), num(c.valueHeadDim)});
    return outputProjection(b, g, prefix, "linear_attn.out_proj", normed);
}

} // namespace deltascope
