// SPDX-License-Identifier: GPL-3.0-or-later
// Full (softmax) attention mixer: projections, q/k norms, rotary embedding, cache write, attention, output gate,
// o_proj.
#include "graph/context.h"

#include <algorithm>
#include <array>
#include <vector>

namespace deltascope {
namespace {

TensorId copied(BlockBuilder& b, std::string_view module, TensorId x, std::initializer_list<std::int64_t> dims) {
    const TensorId out = b.activation(b.tensor(x).name, b.tensor(x).dtype, dims);
    b.add(OperatorKind::copy, module, {x}, {out});
    return out;
}

/// What attention reads keys and values from.
struct Cache {
    std::vector<TensorId> tensors;
    DType dtype;
};

/// Writes the step's keys and values into the cache. An INT8 cache (C8) has a scale and an offset per channel of K and
/// V: they quantize what is written and dequantize what is read.
Cache throughCache(BlockBuilder& b, const GraphContext& g, TensorId key, TensorId value, std::int64_t kvHeads) {
    constexpr std::string_view module = "self_attn.cache";
    const std::int64_t d = g.text.headDim;
    const DType type = dtypeOf(g.scenario.scenario.quantization.kvCache);
    const auto cached = static_cast<std::int64_t>(g.attention.cacheTokens);
    const TensorId slots = b.state("slots", DType::int64, {g.T});
    const TensorId rows = b.state("cache rows", type, {2, g.T, kvHeads, d});
    if (type != DType::int8) {
        b.add(OperatorKind::kv_cache_write, module, {key, value, slots}, {rows});
        return {{b.state("KV cache", type, {2, cached, kvHeads, d})}, type};
    }
    const TensorId scales = b.weight("scales and offsets", DType::fp32, {2, 2, kvHeads * d});
    b.add(OperatorKind::kv_cache_write, module, {key, value, slots, scales}, {rows});
    const auto& requests = g.scenario.requests;
    const bool prefill =
        std::any_of(requests.begin(), requests.end(), [](const Request& r) { return r.phase == Phase::prefill; });
    const bool previous =
        std::any_of(requests.begin(), requests.end(), [](const Request& r) { return r.contextLength > 0; });
    const bool dense = prefill && g.engine.denseInt8Prefill;
    if (dense && !previous) return {{key, value}, g.a};
    const TensorId cache = b.state("KV cache", type, {2, cached, kvHeads, d});
    if (!dense) return {{cache, scales}, type};
    const TensorId copy = b.activation("dense KV", g.a, {2, cached, kvHeads, d});
    b.add(OperatorKind::gather, module, {cache, scales}, {copy});
    return {{copy}, g.a};
}

} // namespace

TensorId fullAttention(BlockBuilder& b, const GraphContext& g, std::string_view prefix, TensorId x) {
    const std::int64_t T = g.T, d = g.text.headDim;
    const std::int64_t heads = g.text.queryHeads / g.t;
    const std::int64_t kvHeads = g.localKeyValueHeads();
    const std::int64_t queryColumns = heads * d * (g.text.outputGate ? 2 : 1);
    const bool eagerLayout = g.onePlusWeight && g.engine.onePlusWeightRope == Fusion::unfused;

    const std::array projections{Projection{"self_attn.q_proj", queryColumns, "self_attn.qk_proj"},
                                 Projection{"self_attn.k_proj", kvHeads * d, "self_attn.kv_proj"},
                                 Projection{"self_attn.v_proj", kvHeads * d, {}}};
    const auto projected = mergedLinear(b, g, prefix, "self_attn.qkv_proj", projections, x);

    TensorId query = b.view(projected[0], "query", {T, heads, d});
    TensorId key = b.view(projected[1], "key", {T, kvHeads, d});
    const TensorId value = b.view(projected[2], "value", {T, kvHeads, d});
    // Eager PyTorch makes strided halves and transposed heads contiguous; a single token or head already is.
    if (eagerLayout && T > 1) query = copied(b, "self_attn.q_proj", query, {T, heads, d});
    if (g.text.qkNorm && !g.engine.qkNormInRope) {
        query = rmsNorm(b, g, "self_attn.q_norm", query, g.onePlusWeight);
        key = rmsNorm(b, g, "self_attn.k_norm", key, g.onePlusWeight);
    }
    const QueryKey embedded = rotaryEmbedding(b, g, {query, key}, heads, kvHeads);
    query = embedded.query;
    key = embedded.key;
    if (eagerLayout) {
        query = copied(b, "self_attn.rotary_emb", query, {T, heads, d});
        if (kvHeads > 1 && T > 1) key = copied(b, "self_attn.rotary_emb", key, {T, kvHeads, d});
    }

    const Cache cache = throughCache(b, g, key, value, kvHeads);
    std::vector<TensorId> inputs{query};
    inputs.insert(inputs.end(), cache.tensors.begin(), cache.tensors.end());
    TensorId attended = b.activation("attended", g.a, {T, heads, d});
    b.add(OperatorKind::attention, "self_attn.attention", inputs, std::array{attended},
          AttentionParams{g.attention.queryTokens, g.attention.scorePairs, g.attention.cacheTokens,
                          static_cast<double>(heads), static_cast<double>(kvHeads), static_cast<double>(d), cache.dtype,
                          1.0, static_cast<double>(g.B)});
    if (g.text.outputGate) {
        const TensorId gate = b.view(projected[0], "gate", {T, heads * d});
        const TensorId flat = b.view(attended, "attended", {T, heads * d});
        const TensorId open = b.activation("sigmoid(gate)", g.a, {T, heads * d});
        b.add(OperatorKind::sigmoid, "self_attn.gate", {gate}, {open});
        const TensorId gated = b.activation("gated", g.a, {T, heads * d});
        b.add(OperatorKind::mul, "self_attn.gate", {flat, open}, {gated});
        attended = gated;
    }
    return outputProjection(b, g, prefix, "self_attn.o_proj", attended);
}

} // namespace deltascope
