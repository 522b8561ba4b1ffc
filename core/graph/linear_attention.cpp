// SPDX-License-Identifier: GPL-3.0-or-later
// Gated DeltaNet mixer: projections, causal convolution, gating, chunk or recurrent rule, gated norm, output
// projection.
#include "graph/context.h"

#include <array>

namespace deltascope {

TensorId linearAttention(BlockBuilder& b, const GraphContext& g, std::string_view prefix, TensorId x) {
    const LinearAttentionConfig& c = *g.text.linear;
    const std::int64_t keyHeads = c.keyHeads / g.t;
    const std::int64_t valueHeads = c.valueHeads / g.t;
    const std::int64_t channels = 2 * keyHeads * c.keyHeadDim + valueHeads * c.valueHeadDim;
    const std::int64_t valueDim = valueHeads * c.valueHeadDim;
    const std::int64_t T = g.T;
    const bool recurrent = g.linear.recurrentRows > 0;
    const auto num = [](std::int64_t n) { return static_cast<double>(n); };

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

    const TensorId convWeight = b.weight("weight", g.a, {channels, c.convKernel});
    const TensorId mixed = b.activation("qkv", g.a, {T, channels});
    const CausalConvParams conv{num(T), num(channels), num(c.convKernel), num(recurrent ? g.linear.recurrentRows : g.B),
                                recurrent};
    if (recurrent) {
        const TensorId state = b.state("convolution state", g.a, {g.linear.recurrentRows, channels, c.convKernel});
        b.add(OperatorKind::linear_attn_causal_conv_update, "linear_attn.conv1d", {projected[0], convWeight, state},
              {mixed}, conv);
    } else {
        b.add(OperatorKind::linear_attn_causal_conv, "linear_attn.conv1d", {projected[0], convWeight}, {mixed}, conv);
    }

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

    const TensorId mixedOut = b.activation("o", g.a, {T, valueHeads, c.valueHeadDim});
    if (recurrent) {
        const TensorId state = b.state("recurrent state", c.stateDType,
                                       {g.linear.recurrentRows, valueHeads, c.keyHeadDim, c.valueHeadDim});
        b.add(
            OperatorKind::linear_attn_recurrent_gated_delta_rule, "linear_attn.delta_rule",
            {query, key, v, beta, gate, state}, {mixedOut},
            RecurrentRuleParams{num(g.linear.recurrentRows), num(valueHeads), num(c.keyHeadDim), num(c.valueHeadDim)});
    } else {
        const TensorId state = b.state("recurrent state", c.stateDType,
                                       {g.linear.chunkSequences, valueHeads, c.keyHeadDim, c.valueHeadDim});
        b.add(OperatorKind::linear_attn_chunk_gated_delta_rule, "linear_attn.delta_rule",
              {query, key, v, beta, gate, state}, {mixedOut},
              ChunkRuleParams{num(g.linear.chunkTokens), g.linear.chunkPaddedTokens, num(g.linear.chunkSequences),
                              num(chunkLength), num(valueHeads), num(c.keyHeadDim), num(c.valueHeadDim),
                              g.linear.chunkPreviousState});
    }

    const TensorId z = b.view(projected[1], "z", {T, valueHeads, c.valueHeadDim});
    const TensorId normWeight = b.weight("weight", DType::fp32, {c.valueHeadDim});
    const TensorId normed = b.activation("normed", g.a, {T, valueHeads, c.valueHeadDim});
    b.add(OperatorKind::linear_attn_gated_rmsnorm, "linear_attn.norm", {mixedOut, z, normWeight}, {normed},
          GatedNormParams{num(T * valueHeads), num(c.valueHeadDim)});
    return linear(b, g, prefix, "linear_attn.out_proj", normed, g.H, {.reduceRanks = g.t});
}

} // namespace deltascope
