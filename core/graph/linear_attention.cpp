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
              CausalConvParams{num(load.chunkTokens), num(channels), num(kernel), num(load.chunkSequences), false,
                               g.engine.convBodyMovesState ? (load.chunkPreviousState ? 2.0 : 1.0) : 0.0});
    }
    if (load.recurrentRows > 0) {
        const TensorId in = b.view(qkv, "qkv of the recurrent rule", {load.recurrentRows, channels});
        const TensorId state = b.state("convolution state", g.a, {load.recurrentRows, channels, kernel});
        b.add(
            OperatorKind::linear_attn_causal_conv_update, module, {in, weight, state},
            {b.view(out, "qkv", {load.recurrentRows, channels})},
            CausalConvParams{num(load.recurrentRows), num(channels), num(kernel), num(load.recurrentRows), true, 0.0});
    }
    return out;
}

using RuleOperands = std::array<TensorId, 6>; ///< query, key, v, beta, g, state

/// The chunk rule as the kernels of flash-linear-attention: what each makes is read by the next.
void chunkStages(BlockBuilder& b, const GraphContext& g, const RuleOperands& in, TensorId out,
                 const ChunkRuleParams& p) {
    constexpr std::string_view module = "linear_attn.delta_rule";
    const auto [query, key, value, beta, gate, state] = in;
    const auto heads = static_cast<std::int64_t>(p.heads), dk = static_cast<std::int64_t>(p.keyHeadDim);
    const auto dv = static_cast<std::int64_t>(p.valueHeadDim), padded = static_cast<std::int64_t>(p.paddedTokens);
    const TensorId sums = b.activation("g summed", DType::fp32, {padded, heads});
    b.add(OperatorKind::linear_attn_chunk_cumsum, module, {gate}, {sums}, p);
    const TensorId products = b.activation("k k^T", DType::fp32, {padded, heads, chunkLength});
    b.add(OperatorKind::linear_attn_chunk_kkt, module, {key, beta, sums}, {products}, p);
    const TensorId blocks = b.activation("inverse of 16 x 16 blocks", DType::fp32, {padded, heads, 16});
    b.add(OperatorKind::linear_attn_chunk_solve_tril, module, {products}, {blocks}, p);
    const TensorId inverse = b.activation("inverse", g.a, {padded, heads, chunkLength});
    b.add(OperatorKind::linear_attn_chunk_merge, module, {products, blocks}, {inverse}, p);
    const TensorId w = b.activation("w", g.a, {padded, heads, dk});
    const TensorId u = b.activation("u", g.a, {padded, heads, dv});
    b.add(OperatorKind::linear_attn_chunk_wu, module, {inverse, key, value, beta, sums}, {w, u}, p);
    const TensorId states = b.activation("state of each chunk", g.a, {padded / chunkLength, heads, dk, dv});
    const TensorId updated = b.activation("updated v", g.a, {padded, heads, dv});
    b.add(OperatorKind::linear_attn_chunk_state, module, {key, w, u, sums, state}, {states, updated}, p);
    b.add(OperatorKind::linear_attn_chunk_output, module, {query, key, updated, states, sums}, {out}, p);
}

/// Prompts have the chunk rule, or under engines that go token by token more than one token.
bool runs(LayoutKernels::When when, const GraphContext& g) {
    using When = LayoutKernels::When;
    const LinearLoad& load = g.linear;
    switch (when) {
    case When::prefill: return load.chunkTokens > 0 || (g.engine.tokenByToken && g.T > 1);
    case When::mixed: return load.chunkTokens > 0 && load.recurrentRows > 0;
    case When::decode: return load.chunkTokens == 0;
    case When::always: break;
    }
    return true;
}

/// Layout kernels of the engine around this layer's linear attention, on qkv [T, channels].
void layoutKernels(BlockBuilder& b, const GraphContext& g, TensorId qkv, std::int64_t channels) {
    constexpr std::array kinds{OperatorKind::transpose, OperatorKind::slice, OperatorKind::copy, OperatorKind::scatter,
                               OperatorKind::concat,    OperatorKind::cast}; // as LayoutKernels::Kind
    for (const LayoutKernels& layout : g.engine.layout) {
        if (!runs(layout.when, g)) continue;
        const OperatorKind kind = kinds[static_cast<std::size_t>(layout.kind)];
        const TensorId moved = b.activation("rearranged", g.a, {g.T, channels});
        b.add(kind, "linear_attn.layout", {qkv}, {moved},
              LayoutParams{num(g.T * channels), layout.passes, static_cast<double>(layout.launches)});
    }
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
        const auto arguments = operands(load.chunkTokens, load.chunkSequences);
        const TensorId result = b.view(out, "o", {load.chunkTokens, valueHeads, c.valueHeadDim});
        ChunkRuleParams params{
            num(load.chunkTokens), load.chunkPaddedTokens,  num(load.chunkSequences),
            num(chunkLength),      num(valueHeads),         num(c.keyHeadDim),
            num(c.valueHeadDim),   load.chunkPreviousState, g.engine.chunkKernels == ChunkKernels::oneOperator};
        if (g.engine.chunkKernels == ChunkKernels::stages)
            chunkStages(b, g, arguments, result, params);
        else
            b.add(OperatorKind::linear_attn_chunk_gated_delta_rule, module, arguments, std::array{result}, params);
    }
    if (load.recurrentRows > 0) {
        const std::array result{b.view(out, "o", {load.recurrentRows, valueHeads, c.valueHeadDim})};
        b.add(OperatorKind::linear_attn_recurrent_gated_delta_rule, module,
              operands(load.recurrentRows, load.recurrentRows), result,
              RecurrentRuleParams{num(load.recurrentRows), num(valueHeads), num(c.keyHeadDim), num(c.valueHeadDim)});
    }
    return out;
}

/// Everything between the projections and the gated norm in one operator that takes each sequence token by token; beta
/// and g are made before it by element-wise kernels. Gives o [T, valueHeads, dv].
TensorId tokenByToken(BlockBuilder& b, const GraphContext& g, const std::vector<TensorId>& projected,
                      std::int64_t channels, std::int64_t valueHeads) {
    const LinearAttentionConfig& c = *g.text.linear;
    const std::int64_t T = g.T, sequences = g.B;
    constexpr std::string_view gating = "linear_attn.gating";
    const TensorId beta = b.activation("beta", g.a, {T, valueHeads});
    b.add(OperatorKind::sigmoid, gating, {projected[2]}, {beta});
    const TensorId dtBias = b.weight("dt_bias", g.a, {valueHeads});
    const TensorId shifted = b.activation("a + dt_bias", DType::fp32, {T, valueHeads});
    b.add(OperatorKind::add, gating, {projected[3], dtBias}, {shifted});
    const TensorId positive = b.activation("softplus", DType::fp32, {T, valueHeads});
    b.add(OperatorKind::exp, gating, {shifted}, {positive});
    const TensorId aLog = b.weight("-exp(A_log)", DType::fp32, {valueHeads});
    const TensorId gate = b.activation("g", DType::fp32, {T, valueHeads});
    b.add(OperatorKind::mul, gating, {positive, aLog}, {gate});

    layoutKernels(b, g, projected[0], channels);
    const DType convState = g.engine.memory ? g.engine.memory->convStateDType : g.a;
    const TensorId weight = b.weight("convolution weight", g.a, {channels, c.convKernel});
    const TensorId columns = b.state("convolution state", convState, {sequences, channels, c.convKernel - 1});
    const TensorId state =
        b.state("recurrent state", c.stateDType, {sequences, valueHeads, c.keyHeadDim, c.valueHeadDim});
    const TensorId out = b.activation("o", g.a, {T, valueHeads, c.valueHeadDim});
    const double states = num(valueHeads) * num(g.engine.tokenByToken->cachedState ? sequences : T);
    b.add(OperatorKind::linear_attention, "linear_attn.attention", {projected[0], beta, gate, weight, columns, state},
          {out},
          LinearAttentionParams{num(T), num(sequences), num(channels), num(c.convKernel), num(valueHeads),
                                num(c.keyHeadDim), num(c.valueHeadDim), states, convState,
                                static_cast<double>(g.engine.tokenByToken->launches)});
    return out;
}

/// Convolution, gating and rule in kernels of their own; gives o [T, valueHeads, dv].
TensorId separateKernels(BlockBuilder& b, const GraphContext& g, const std::vector<TensorId>& projected,
                         std::int64_t channels, std::int64_t keyHeads, std::int64_t valueHeads) {
    const LinearAttentionConfig& c = *g.text.linear;
    const std::int64_t T = g.T;
    const TensorId mixed = convolution(b, g, projected[0], channels);
    layoutKernels(b, g, mixed, channels);

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
    return deltaRule(b, g, {query, key, v, beta, gate}, valueHeads);
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

    const TensorId out = g.engine.tokenByToken ? tokenByToken(b, g, projected, channels, valueHeads)
                                               : separateKernels(b, g, projected, channels, keyHeads, valueHeads);

    const TensorId z = b.view(projected[1], "z", {T, valueHeads, c.valueHeadDim});
    const TensorId normWeight = b.weight("weight", DType::fp32, {c.valueHeadDim});
    const TensorId normed = b.activation("normed", g.a, {T, valueHeads, c.valueHeadDim});
    b.add(OperatorKind::linear_attn_gated_rmsnorm, "linear_attn.norm", {out, z, normWeight}, {normed},
          GatedNormParams{num(T * valueHeads), num(c.valueHeadDim)});
    return outputProjection(b, g, prefix, "linear_attn.out_proj", normed);
}

} // namespace deltascope
