// SPDX-License-Identifier: GPL-3.0-or-later
// What stands before and after the layers: token embedding, rows of the rotary tables, final norm, lm_head.
#include "graph/context.h"
#include "graph/vision.h"

namespace deltascope {

TensorId summedEmbedding(BlockBuilder& b, const GraphContext& g, TensorId x) {
    if (g.engine.embedding != EmbeddingSplit::vocabularyParallel || g.t == 1) return x;
    const TensorId sum = b.activation("sum over ranks", g.a, {b.tensor(x).dims[0], g.H});
    b.add(OperatorKind::all_reduce, "embed_tokens", {x}, {sum}, CollectiveParams{g.t, b.tensor(x).bytes(), {}});
    return sum;
}

Block embeddingBlock(const GraphContext& g, std::int64_t imageTokens) {
    BlockBuilder b("embedding");
    const TensorId ids = b.state("token ids", DType::int64, {g.T});
    const TensorId table = b.weight("weight", g.a, {g.text.vocab, g.H});
    TensorId x = b.activation("hidden", g.a, {g.T, g.H});
    b.add(OperatorKind::embedding, "embed_tokens", {ids, table}, {x},
          EmbeddingParams{static_cast<double>(g.T), static_cast<double>(g.H)});
    x = summedEmbedding(b, g, x);
    if (imageTokens > 0) withImageTokens(b, g, x, imageTokens);
    b.keep(x);
    const TensorId positions = b.state("positions", DType::int64, {g.T});
    for (const std::string_view name : {std::string_view("cos"), std::string_view("sin")}) {
        const TensorId selected = b.activation(name, g.a, {g.T, g.text.rope.rotaryDim});
        if (g.engine.ropeTables != RopeTables::computed) {
            const TensorId angles = b.weight(name, g.a, {g.text.maxPosition, g.text.rope.rotaryDim});
            OperatorParams reads = TensorTraffic{};
            if (g.engine.ropeTables == RopeTables::rows)
                reads = EmbeddingParams{static_cast<double>(g.T), static_cast<double>(g.text.rope.rotaryDim)};
            b.add(OperatorKind::gather, "rotary_emb", {angles, positions}, {selected}, reads);
        } else {
            const TensorId frequencies = b.weight("frequencies", DType::fp32, {g.text.rope.rotaryDim / 2});
            b.add(OperatorKind::mul, "rotary_emb", {frequencies, positions}, {selected});
        }
        b.keep(selected);
    }
    return b.take();
}

TensorId lmHead(BlockBuilder& b, const GraphContext& g, TensorId hidden, std::int64_t rows, std::int64_t ranks) {
    const auto collective = [&](OperatorKind kind, TensorId in, std::int64_t group, std::string_view name,
                                std::int64_t m, std::int64_t n) {
        const TensorId out = b.activation(name, g.a, {m, n});
        b.add(kind, "lm_head", {in}, {out}, CollectiveParams{group, b.tensor(in).bytes(), b.tensor(out).bytes()});
        return out;
    };
    const std::int64_t columns = g.text.vocab / ranks;
    // A group of several data-parallel ranks shares their tokens.
    const std::int64_t peers = ranks > g.t ? ranks / g.t : 1;
    if (peers > 1) hidden = collective(OperatorKind::all_gather, hidden, peers, "rows of the group", rows * peers, g.H);
    const TensorId local = linear(b, g, "", "lm_head", hidden, columns, {.role = ModuleRole::lmHead});
    if (ranks == 1) return local;
    if (peers == 1) return collective(OperatorKind::all_gather, local, ranks, "logits", rows, g.text.vocab);
    return collective(OperatorKind::all_to_all, local, ranks, "logits", rows, g.text.vocab);
}

Block headBlock(const GraphContext& g, bool pendingResidual) {
    BlockBuilder b("head");
    const std::int64_t drafts = g.scenario.scenario.mtpTokens;
    const TensorId x = b.input("hidden", g.a, {g.T, g.H});
    TensorId hidden = x;
    if (pendingResidual) {
        const TensorId residual = b.input("residual", g.a, {g.T, g.H});
        hidden = addRmsNorm(b, g, "norm", x, residual, true).normed;
    } else {
        hidden = rmsNorm(b, g, "norm", x, g.onePlusWeight);
    }
    if (drafts > 0) b.keep(hidden);
    if (g.headRows < g.T || drafts > 0) {
        const TensorId rows = b.activation("selected rows", g.a, {g.headRows, g.H});
        b.add(OperatorKind::gather, "lm_head", {hidden}, {rows});
        hidden = rows;
    }
    const TensorId logits = lmHead(b, g, hidden, g.headRows, g.scenario.lmHeadTp);
    if (drafts > 0) {
        // The sampled tokens are the drafts' input: one argmax verifies, one continues.
        const TensorId tokens = b.activation("tokens", DType::int64, {g.headRows});
        b.add(OperatorKind::argmax, "sampler", {logits}, {tokens});
    }
    return b.take();
}

} // namespace deltascope
