// SPDX-License-Identifier: GPL-3.0-or-later
// Mixture of experts: router, top-k, permute, grouped matmuls, unpermute, shared expert and its gate; with expert
// parallelism the all-to-alls around the experts.
#include "graph/context.h"

#include <array>
#include <cmath>

namespace deltascope {
namespace {

using std::int64_t;

struct Routed {
    TensorId weights; ///< [T, k]
    TensorId indices; ///< [T, k]
};

/// Element-wise kernel x -> [rows, columns] in `dtype`.
TensorId step(BlockBuilder& b, OperatorKind kind, std::string_view module, std::initializer_list<TensorId> inputs,
              std::string_view name, DType dtype, int64_t rows, int64_t columns) {
    const TensorId out = b.activation(name, dtype, {rows, columns});
    b.add(kind, module, inputs, {out});
    return out;
}

/// Router matmul, softmax, top-k and renormalisation.
Routed route(BlockBuilder& b, const GraphContext& g, std::string_view prefix, TensorId x, int64_t T) {
    constexpr std::string_view module = "mlp.gate";
    const MoeConfig& moe = *g.text.moe;
    const int64_t E = moe.experts, k = moe.expertsPerToken;
    const TensorId logits = linear(b, g, prefix, module, x, E, {.role = ModuleRole::router});
    const TensorId indices = b.activation("expert ids", DType::int64, {T, k});
    if (g.engine.routerSoftmax == Fusion::fused) {
        const TensorId weights = b.activation("expert weights", g.a, {T, k});
        b.add(OperatorKind::top_k, module, {logits}, {weights, indices});
        return {weights, indices};
    }
    const TensorId wide = step(b, OperatorKind::cast, module, {logits}, "logits", DType::fp32, T, E);
    const TensorId most = step(b, OperatorKind::max, module, {wide}, "largest", DType::fp32, T, 1);
    const TensorId shifted = step(b, OperatorKind::sub, module, {wide, most}, "shifted", DType::fp32, T, E);
    const TensorId powers = step(b, OperatorKind::exp, module, {shifted}, "exponentials", DType::fp32, T, E);
    const TensorId sum = step(b, OperatorKind::sum, module, {powers}, "sum", DType::fp32, T, 1);
    const TensorId probabilities =
        step(b, OperatorKind::div, module, {powers, sum}, "probabilities", DType::fp32, T, E);
    TensorId top = b.activation("top-k probabilities", DType::fp32, {T, k});
    b.add(OperatorKind::top_k, module, {probabilities}, {top, indices});
    if (moe.normTopK) {
        const TensorId kept = step(b, OperatorKind::sum, module, {top}, "sum of the k", DType::fp32, T, 1);
        top = step(b, OperatorKind::div, module, {top, kept}, "renormalised", DType::fp32, T, k);
    }
    return {step(b, OperatorKind::cast, module, {top}, "expert weights", g.a, T, k), indices};
}

/// Gate and up with SwiGLU, then down, on the rows that reached this rank's experts.
TensorId expertMatmuls(BlockBuilder& b, const GraphContext& g, std::string_view prefix, TensorId rows,
                       int64_t columns) {
    const Scheme up = schemeOf(g.scenario, ModuleRole::expert, prefix, "mlp.experts.gate_proj");
    const Scheme down = schemeOf(g.scenario, ModuleRole::expert, prefix, "mlp.experts.down_proj");
    const auto local = static_cast<int64_t>(std::ceil(g.routing.touchedExperts));
    const int64_t M = b.tensor(rows).dims[0];
    const TensorId x = quantizeFor(b, g, "mlp.experts.gate_up_proj", up, rows);
    const TensorId upWeight = b.weight("weights of touched experts", factsOf(up).weight, {local, g.H, 2 * columns});
    const TensorId hidden = b.activation("silu(gate) * up", g.a, {M, columns});
    b.add(OperatorKind::grouped_matmul_swiglu, "mlp.experts.gate_up_proj", {x, upWeight}, {hidden},
          GroupedMatmulParams{static_cast<double>(M), static_cast<double>(g.H), static_cast<double>(2 * columns),
                              g.routing.touchedExperts, up, true, scalesOf(g.scenario, up)});
    const TensorId h = quantizeFor(b, g, "mlp.experts.down_proj", down, hidden);
    const TensorId downWeight = b.weight("weights of touched experts", factsOf(down).weight, {local, columns, g.H});
    const TensorId out = b.activation("expert rows", g.a, {M, g.H});
    b.add(OperatorKind::grouped_matmul, "mlp.experts.down_proj", {h, downWeight}, {out},
          GroupedMatmulParams{static_cast<double>(M), static_cast<double>(columns), static_cast<double>(g.H),
                              g.routing.touchedExperts, down, false, scalesOf(g.scenario, down)});
    return out;
}

TensorId exchanged(BlockBuilder& b, const GraphContext& g, std::string_view module, TensorId rows, int64_t M) {
    const TensorId out = b.activation("rows", g.a, {M, g.H});
    b.add(OperatorKind::all_to_all, module, {rows}, {out},
          CollectiveParams{g.scenario.scenario.parallel.ep, b.tensor(rows).bytes(), b.tensor(out).bytes()});
    return out;
}

/// Routed experts on x [T, H]; gives [T, H], summed over the ranks.
TensorId routedExperts(BlockBuilder& b, const GraphContext& g, std::string_view prefix, TensorId x, int64_t T) {
    const MoeConfig& moe = *g.text.moe;
    const int64_t k = moe.expertsPerToken, sent = T * k;
    const bool spread = g.scenario.scenario.parallel.ep > 1;
    const Routed routed = route(b, g, prefix, x, T);
    TensorId rows = b.activation("permuted rows", g.a, {sent, g.H});
    b.add(OperatorKind::moe_permute, "mlp.experts", {x, routed.indices}, {rows});
    if (spread) rows = exchanged(b, g, "mlp.experts.dispatch", rows, static_cast<int64_t>(std::ceil(g.routing.rows)));
    const int64_t columns = spread ? moe.intermediate : moe.intermediate / g.t;
    TensorId out = expertMatmuls(b, g, prefix, rows, columns);
    const bool reduceRows = !spread && g.t > 1 && g.engine.reduceExpertRows;
    if (reduceRows) {
        const TensorId sum = b.activation("sum over ranks", g.a, {b.tensor(out).dims[0], g.H});
        b.add(OperatorKind::all_reduce, "mlp.experts", {out}, {sum}, CollectiveParams{g.t, b.tensor(out).bytes(), {}});
        out = sum;
    }
    if (g.engine.reduceExpertRows)
        out =
            step(b, OperatorKind::concat, "mlp.experts", {out}, "rows of all experts", g.a, b.tensor(out).dims[0], g.H);
    if (spread) out = exchanged(b, g, "mlp.experts.combine", out, sent);
    if (g.engine.routerSoftmax == Fusion::fused) { // unpermute, weights and sum in one kernel
        const TensorId mixed = b.activation("mixed", g.a, {T, g.H});
        b.add(OperatorKind::moe_unpermute, "mlp.experts", {out, routed.indices, routed.weights}, {mixed});
        return mixed;
    }
    const TensorId tokens = b.activation("rows by token", g.a, {T, k, g.H});
    b.add(OperatorKind::moe_unpermute, "mlp.experts", {out, routed.indices}, {tokens});
    const TensorId weighted = b.activation("weighted", g.a, {T, k, g.H});
    b.add(OperatorKind::mul, "mlp.experts", {tokens, routed.weights}, {weighted});
    const TensorId mixed = b.activation("mixed", g.a, {T, g.H});
    b.add(OperatorKind::sum, "mlp.experts", {weighted}, {mixed});
    return mixed;
}

/// Shared expert times sigmoid of its gate, on x [T, H].
TensorId sharedExpert(BlockBuilder& b, const GraphContext& g, std::string_view prefix, TensorId x, TensorId quantizedX,
                      int64_t T) {
    const bool split = g.engine.splitSharedExpert;
    const int64_t columns = g.text.moe->sharedIntermediate / (split ? g.t : 1);
    const std::array all{Projection{"mlp.shared_expert.gate_proj", columns, "mlp.shared_expert.gate_up_proj"},
                         Projection{"mlp.shared_expert.up_proj", columns, {}},
                         Projection{"mlp.shared_expert_gate", 1, {}}};
    const std::span<const Projection> projections(all.data(), split ? 2 : 3);
    const auto projected =
        mergedLinear(b, g, prefix, "mlp.shared_expert.gate_up_proj", projections, x, {false, quantizedX});
    const TensorId hidden = b.activation("silu(gate) * up", g.a, {T, columns});
    b.add(OperatorKind::swiglu, "mlp.shared_expert.act_fn", {projected[0], projected[1]}, {hidden},
          SwigluParams{static_cast<double>(T), static_cast<double>(columns)});
    const TensorId out = linear(b, g, prefix, "mlp.shared_expert.down_proj", hidden, g.H);
    const TensorId logit = split ? linear(b, g, prefix, "mlp.shared_expert_gate", x, 1) : projected[2];
    const TensorId gate = step(b, OperatorKind::sigmoid, "mlp.shared_expert_gate", {logit}, "sigmoid(gate)", g.a, T, 1);
    return step(b, OperatorKind::mul, "mlp.shared_expert_gate", {gate, out}, "gated", g.a, T, g.H);
}

} // namespace

TensorId mixtureOfExperts(BlockBuilder& b, const GraphContext& g, std::string_view prefix, TensorId x) {
    const bool spread = g.scenario.scenario.parallel.ep > 1;
    const int64_t T = g.routing.sourceTokens;
    TensorId mine = x;
    if (spread && T * g.t != g.T) {
        const TensorId padded = b.activation("padded", g.a, {T * g.t, g.H});
        b.add(OperatorKind::pad, "mlp", {x}, {padded});
        mine = padded;
    }
    if (spread) mine = b.view(mine, "tokens of this rank", {T, g.H});
    const bool shared = g.text.moe->sharedIntermediate > 0;
    // The shared expert's input is quantized before the router runs.
    const Scheme sharedScheme = schemeOf(g.scenario, ModuleRole::linear, prefix, "mlp.shared_expert.gate_proj");
    const TensorId quantizedX = shared ? quantizeFor(b, g, "mlp.shared_expert.gate_up_proj", sharedScheme, mine) : mine;
    TensorId out = routedExperts(b, g, prefix, mine, T);
    if (shared) {
        const TensorId extra = sharedExpert(b, g, prefix, mine, quantizedX, T);
        out = step(b, OperatorKind::add, "mlp", {out, extra}, "routed and shared", g.a, T, g.H);
    }
    if (!spread && g.t > 1 && !g.engine.reduceExpertRows) {
        const TensorId sum = b.activation("sum over ranks", g.a, {T, g.H});
        b.add(OperatorKind::all_reduce, "mlp", {out}, {sum}, CollectiveParams{g.t, b.tensor(out).bytes(), {}});
        return sum;
    }
    if (spread && g.t > 1) {
        const TensorId whole = b.activation("tokens of all ranks", g.a, {T * g.t, g.H});
        b.add(OperatorKind::all_gather, "mlp", {out}, {whole}, CollectiveParams{g.t, b.tensor(out).bytes(), {}});
        return b.view(whole, "hidden", {g.T, g.H});
    }
    return out;
}

} // namespace deltascope
