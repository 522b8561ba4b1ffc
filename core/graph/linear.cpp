// SPDX-License-Identifier: GPL-3.0-or-later
// Matmuls with what a quantization scheme or a row-parallel split adds to them.
#include "graph/context.h"

namespace deltascope {
namespace {

struct Flat {
    std::int64_t m, k;
};

/// x as [M, K]: everything but the last dimension is rows, unless a rank-3 [T, heads, d] is to be read as [T, heads *
/// d].
Flat flat(const Tensor& x) { return x.rank == 3 ? Flat{x.dims[0], x.dims[1] * x.dims[2]} : Flat{x.dims[0], x.dims[1]}; }

TensorId matmul(BlockBuilder& b, const GraphContext& g, std::string_view module, Scheme scheme, TensorId x,
                std::int64_t n, bool bias, std::int64_t reduceRanks) {
    const auto [m, k] = flat(b.tensor(x));
    const TensorId w = b.weight("weight", factsOf(scheme).weight, {k, n});
    const TensorId y = b.activation("y", g.a, {m, n});
    const bool fused = reduceRanks > 1 && g.engine.fuseLinearAllReduce;
    const LinearParams params{
        static_cast<double>(m), static_cast<double>(k),  static_cast<double>(n),      scheme, bias,
        g.engine.countsBias,    fused ? reduceRanks : 1, scalesOf(g.scenario, scheme)};
    b.add(fused ? OperatorKind::linear_all_reduce : OperatorKind::linear, module, {x, w}, {y}, params);
    if (reduceRanks == 1 || fused) return y;
    const TensorId sum = b.activation("sum over ranks", g.a, {m, n});
    b.add(OperatorKind::all_reduce, module, {y}, {sum}, CollectiveParams{reduceRanks, b.tensor(y).bytes(), {}});
    return sum;
}

} // namespace

TensorId quantizeFor(BlockBuilder& b, const GraphContext& g, std::string_view module, Scheme scheme, TensorId x) {
    const SchemeFacts& facts = factsOf(scheme);
    if (!facts.quantizesActivation) return x;
    const bool perToken = facts.perTokenScale || g.engine.dynamicQuantize;
    const auto [m, k] = flat(b.tensor(x));
    const TensorId q = b.activation("x quantized", facts.activation, {m, k});
    const QuantizeParams params{static_cast<double>(m), static_cast<double>(k), perToken};
    if (perToken) {
        const TensorId scale = b.activation("scale", DType::fp32, {m});
        b.add(OperatorKind::quantize, module, {x}, {q, scale}, params);
    } else {
        b.add(OperatorKind::quantize, module, {x}, {q}, params);
    }
    return q;
}

TensorId linear(BlockBuilder& b, const GraphContext& g, std::string_view prefix, std::string_view module, TensorId x,
                std::int64_t n, const LinearOptions& options) {
    const Scheme scheme = schemeOf(g.scenario, options.role, prefix, module);
    const TensorId in = quantizeFor(b, g, module, scheme, x);
    return matmul(b, g, module, scheme, in, n, options.bias, options.reduceRanks);
}

TensorId outputProjection(BlockBuilder& b, const GraphContext& g, std::string_view prefix, std::string_view module,
                          TensorId x) {
    const std::int64_t ranks = g.scenario.oProjTp;
    if (ranks == g.t) return linear(b, g, prefix, module, x, g.H, {.reduceRanks = g.t});
    const auto [T, k] = flat(b.tensor(x));
    const auto collective = [&](OperatorKind kind, TensorId in, std::int64_t group, std::string_view name,
                                std::int64_t rows, std::int64_t columns) {
        const TensorId out = b.activation(name, g.a, {rows, columns});
        b.add(kind, module, {in}, {out}, CollectiveParams{group, b.tensor(in).bytes(), b.tensor(out).bytes()});
        return out;
    };
    if (ranks < g.t) {
        const std::int64_t parts = g.t / ranks;
        const TensorId wide = collective(OperatorKind::all_gather, x, parts, "heads of the group", T, k * parts);
        return linear(b, g, prefix, module, wide, g.H, {.reduceRanks = ranks});
    }
    // A group of several data-parallel ranks: columns are traded for the others' tokens, and the sums go back.
    const std::int64_t peers = ranks / g.t;
    const TensorId tokens = collective(OperatorKind::all_to_all, x, peers, "tokens of the group", T * peers, k / peers);
    const TensorId sums = linear(b, g, prefix, module, tokens, g.H);
    const std::int64_t share = (T * peers + ranks - 1) / ranks;
    const TensorId mine = collective(OperatorKind::reduce_scatter, sums, ranks, "sums of this rank", share, g.H);
    if (g.t == 1) return mine;
    const TensorId all = collective(OperatorKind::all_gather, mine, g.t, "sums of all ranks", share * g.t, g.H);
    return b.view(all, "hidden", {T, g.H});
}

std::vector<TensorId> mergedLinear(BlockBuilder& b, const GraphContext& g, std::string_view prefix,
                                   std::string_view merged, std::span<const Projection> projections, TensorId x,
                                   const MergeOptions& options) {
    std::vector<Scheme> chosen;
    for (const Projection& p : projections)
        chosen.push_back(schemeOf(g.scenario, ModuleRole::linear, prefix, p.module));
    std::vector<TensorId> outputs(projections.size());
    TensorId quantizedX = options.quantized.value_or(x);
    std::optional<Scheme> quantizedScheme;
    if (options.quantized) quantizedScheme = chosen.front();
    for (std::size_t first = 0; first < projections.size();) {
        std::size_t end = first + 1;
        const bool merge = g.engine.mergeProjections;
        const bool cut = options.splitLastTwo && projections.size() > 2;
        while (merge && end < projections.size() && chosen[end] == chosen[first] &&
               !(cut && end == projections.size() - 2))
            ++end;
        std::int64_t n = 0;
        for (std::size_t i = first; i < end; ++i) n += projections[i].columns;
        const bool all = first == 0 && end == projections.size();
        const std::string_view module = all               ? merged
                                        : end - first > 1 ? projections[first].run
                                                          : projections[first].module;
        if (quantizedScheme != chosen[first]) {
            quantizedX = quantizeFor(b, g, module, chosen[first], x);
            quantizedScheme = chosen[first];
        }
        const TensorId y = matmul(b, g, module, chosen[first], quantizedX, n, false, 1);
        const std::int64_t m = b.tensor(y).dims[0];
        for (std::size_t i = first; i < end; ++i)
            outputs[i] = b.view(y, projections[i].module, {m, projections[i].columns});
        first = end;
    }
    return outputs;
}

} // namespace deltascope
