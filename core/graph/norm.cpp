// SPDX-License-Identifier: GPL-3.0-or-later
// RMSNorm and rotary embedding, fused or as the chain of element-wise kernels that eager PyTorch launches.
#include "graph/context.h"

namespace deltascope {
namespace {

/// cast, pow, mean, add (epsilon), rsqrt, mul, mul (1 + weight), cast: in FP32 between the casts.
TensorId unfusedRmsNorm(BlockBuilder& b, std::string_view module, TensorId x) {
    const Tensor in = b.tensor(x);
    const auto d = in.dims;
    const std::int64_t last = d[in.rank - 1];
    const auto full = [&](std::string_view name, DType dtype) {
        return in.rank == 2 ? b.activation(name, dtype, {d[0], d[1]}) : b.activation(name, dtype, {d[0], d[1], d[2]});
    };
    const auto reduced = [&](std::string_view name) {
        return in.rank == 2 ? b.activation(name, DType::fp32, {d[0], 1})
                            : b.activation(name, DType::fp32, {d[0], d[1], 1});
    };
    const TensorId wide = full("x", DType::fp32);
    b.add(OperatorKind::cast, module, {x}, {wide});
    const TensorId square = full("square", DType::fp32);
    b.add(OperatorKind::pow, module, {wide}, {square});
    const TensorId variance = reduced("variance");
    b.add(OperatorKind::mean, module, {square}, {variance});
    const TensorId shifted = reduced("variance + epsilon");
    b.add(OperatorKind::add, module, {variance}, {shifted});
    const TensorId inverse = reduced("inverse root");
    b.add(OperatorKind::rsqrt, module, {shifted}, {inverse});
    const TensorId scaled = full("scaled", DType::fp32);
    b.add(OperatorKind::mul, module, {wide, inverse}, {scaled});
    const TensorId weight = b.weight("1 + weight", DType::fp32, {last});
    const TensorId weighted = full("weighted", DType::fp32);
    b.add(OperatorKind::mul, module, {scaled, weight}, {weighted});
    const TensorId out = full("normed", in.dtype);
    b.add(OperatorKind::cast, module, {weighted}, {out});
    return out;
}

double rowsOf(const Tensor& tensor) { return tensor.elements() / static_cast<double>(tensor.dims[tensor.rank - 1]); }

TensorId sameShape(BlockBuilder& b, std::string_view name, TensorId like) {
    const Tensor t = b.tensor(like);
    return t.rank == 2 ? b.activation(name, t.dtype, {t.dims[0], t.dims[1]})
                       : b.activation(name, t.dtype, {t.dims[0], t.dims[1], t.dims[2]});
}

} // namespace

TensorId rmsNorm(BlockBuilder& b, const GraphContext& g, std::string_view module, TensorId x, bool onePlusWeight) {
    if (onePlusWeight && g.engine.onePlusWeightNorm == Fusion::unfused) return unfusedRmsNorm(b, module, x);
    const Tensor in = b.tensor(x);
    const std::int64_t last = in.dims[in.rank - 1];
    const TensorId weight = b.weight("weight", g.a, {last});
    const TensorId out = sameShape(b, "normed", x);
    b.add(OperatorKind::rms_norm, module, {x, weight}, {out}, NormParams{rowsOf(in), static_cast<double>(last), false});
    return out;
}

NormedResidual addRmsNorm(BlockBuilder& b, const GraphContext& g, std::string_view module, TensorId x,
                          TensorId residual, bool fuse) {
    const bool oneKernel = !g.onePlusWeight || g.engine.onePlusWeightNorm == Fusion::fused;
    if (!fuse || !oneKernel) {
        const TensorId sum = sameShape(b, "hidden", x);
        b.add(OperatorKind::add, "residual", {residual, x}, {sum});
        return {rmsNorm(b, g, module, sum, g.onePlusWeight), sum};
    }
    const Tensor in = b.tensor(x);
    const std::int64_t last = in.dims[in.rank - 1];
    const TensorId weight = b.weight("weight", g.a, {last});
    const TensorId out = sameShape(b, "normed", x);
    const TensorId sum = sameShape(b, "hidden", x);
    b.add(OperatorKind::add_rms_norm, module, {x, residual, weight}, {out, sum},
          NormParams{rowsOf(in), static_cast<double>(last), true});
    return {out, sum};
}

namespace {

/// mul, neg, concat, mul, add over the rotary dims of x [T, heads, d], in the layout [heads, T, rotary]; the concat
/// with the untouched dims is the caller's.
TensorId rotate(BlockBuilder& b, std::string_view module, std::int64_t heads, std::int64_t tokens, std::int64_t rotary,
                TensorId x, TensorId cos, TensorId sin) {
    const DType a = b.tensor(x).dtype;
    const TensorId part = b.view(x, "rotary part", {heads, tokens, rotary});
    const TensorId cosine = b.activation("x * cos", a, {heads, tokens, rotary});
    b.add(OperatorKind::mul, module, {part, cos}, {cosine});
    const TensorId half = b.view(x, "second half", {heads, tokens, rotary / 2});
    const TensorId negated = b.activation("negated", a, {heads, tokens, rotary / 2});
    b.add(OperatorKind::neg, module, {half}, {negated});
    const TensorId firstHalf = b.view(x, "first half", {heads, tokens, rotary / 2});
    const TensorId swapped = b.activation("rotated half", a, {heads, tokens, rotary});
    b.add(OperatorKind::concat, module, {negated, firstHalf}, {swapped});
    const TensorId sine = b.activation("rotated * sin", a, {heads, tokens, rotary});
    b.add(OperatorKind::mul, module, {swapped, sin}, {sine});
    const TensorId sum = b.activation("rotated", a, {heads, tokens, rotary});
    b.add(OperatorKind::add, module, {cosine, sine}, {sum});
    return sum;
}

TensorId joined(BlockBuilder& b, std::string_view module, std::int64_t heads, std::int64_t tokens, std::int64_t dim,
                std::int64_t rotary, TensorId x, TensorId rotated) {
    const TensorId out = b.activation("embedded", b.tensor(x).dtype, {heads, tokens, dim});
    if (rotary == dim) {
        b.add(OperatorKind::concat, module, {rotated}, {out});
        return out;
    }
    const TensorId rest = b.view(x, "untouched dims", {heads, tokens, dim - rotary});
    b.add(OperatorKind::concat, module, {rotated, rest}, {out});
    return out;
}

} // namespace

QueryKey rotaryEmbedding(BlockBuilder& b, const GraphContext& g, QueryKey qk, std::int64_t heads,
                         std::int64_t kvHeads) {
    constexpr std::string_view module = "self_attn.rotary_emb";
    const std::int64_t d = g.text.headDim;
    const std::int64_t rotary = g.text.rope.rotaryDim;
    const bool unfused = g.onePlusWeight && g.engine.onePlusWeightRope == Fusion::unfused;
    // The selected rows of the tables live from the start of the step: see Segment::held.
    const TensorId cos = b.state("cos", g.a, {g.T, unfused ? rotary : d});
    const TensorId sin = b.state("sin", g.a, {g.T, unfused ? rotary : d});
    if (unfused) {
        const TensorId q = rotate(b, module, heads, g.T, rotary, qk.query, cos, sin);
        const TensorId k = rotate(b, module, kvHeads, g.T, rotary, qk.key, cos, sin);
        const TensorId query = joined(b, module, heads, g.T, d, rotary, qk.query, q);
        return {query, joined(b, module, kvHeads, g.T, d, rotary, qk.key, k)};
    }
    const TensorId query = b.activation("query", g.a, {g.T, heads, d});
    const TensorId key = b.activation("key", g.a, {g.T, kvHeads, d});
    b.add(OperatorKind::rope, module, {qk.query, qk.key, cos, sin}, {query, key});
    return {query, key};
}

} // namespace deltascope
