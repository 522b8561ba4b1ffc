// SPDX-License-Identifier: GPL-3.0-or-later
// The multi-token-prediction head: one draft is an embedding, two norms, fc, a full-attention decoder layer and
// lm_head.
#include "graph/context.h"

namespace deltascope {
namespace {

/// [T, 2H] -> [T, H], whole on every rank or column-parallel with an all-gather.
TensorId fc(BlockBuilder& b, const GraphContext& g, TensorId both) {
    const bool split = g.engine.splitsDraftFc && g.t > 1;
    const TensorId local = linear(b, g, "mtp", "fc", both, split ? g.H / g.t : g.H);
    if (!split) return local;
    const TensorId whole = b.activation("columns of all ranks", g.a, {g.T, g.H});
    b.add(OperatorKind::all_gather, "fc", {local}, {whole}, CollectiveParams{g.t, b.tensor(local).bytes(), {}});
    return whole;
}

} // namespace

GraphContext laterDraft(const GraphContext& g) {
    GraphContext one = g;
    one.headRows = g.B;
    one.attention = {};
    one.attention.queryTokens = static_cast<double>(g.B);
    for (const Request& r : g.scenario.requests) {
        // the draft's token attends to everything before it
        const double seen = static_cast<double>(r.count) * static_cast<double>(r.contextLength + r.queryLength);
        one.attention.scorePairs += seen;
        one.attention.cacheTokens += seen;
    }
    if (g.engine.laterDrafts == LaterDrafts::padded) return one; // the other rows are gone over for nothing
    one.T = g.B;
    if (g.text.moe) one.routing = routingOf(g.scenario, g.B);
    return one;
}

Block draftBlock(const GraphContext& g, std::int64_t newTokens) {
    BlockBuilder b("draft");
    const TensorId hidden = b.input("hidden", g.a, {g.T, g.H});
    const TensorId ids = b.state("token ids", DType::int64, {newTokens});
    const TensorId table = b.weight("weight", g.a, {g.text.vocab, g.H});
    TensorId embedded = b.activation("embedded", g.a, {newTokens, g.H});
    b.add(OperatorKind::embedding, "embed_tokens", {ids, table}, {embedded},
          EmbeddingParams{static_cast<double>(newTokens), static_cast<double>(g.H)});
    embedded = summedEmbedding(b, g, embedded);
    if (newTokens != g.T) embedded = b.state("embeddings with the rows of the step", g.a, {g.T, g.H});
    // These two norms are one kernel each in every engine.
    const TensorId normedEmbedding = rmsNorm(b, g, "pre_fc_norm_embedding", embedded, false);
    const TensorId normedHidden = rmsNorm(b, g, "pre_fc_norm_hidden", hidden, false);
    const TensorId both = b.activation("embedding and hidden", g.a, {g.T, 2 * g.H});
    b.add(OperatorKind::concat, "fc", {normedEmbedding, normedHidden}, {both});
    const TensorId x = fc(b, g, both);
    const LayerVariant layer{LayerType::fullAttention, g.text.moe.has_value(), true, 0, "mtp.layers.0"};
    Stream out = decoderLayer(b, g, layer, {x, x});
    // TensorCast leaves the head's final norm out; the model has it, and lm_head reads its result.
    const TensorId normed = out.x == out.residual ? rmsNorm(b, g, "norm", out.x, g.onePlusWeight)
                                                  : addRmsNorm(b, g, "norm", out.x, out.residual, true).normed;
    out.x = normed;
    b.keep(out.x);
    const TensorId last = b.activation("last rows", g.a, {g.B, g.H});
    b.add(OperatorKind::gather, "lm_head", {out.x}, {last});
    const TensorId logits = lmHead(b, g, last, g.B, g.scenario.mtpLmHeadTp);
    const TensorId tokens = b.activation("tokens", DType::int64, {g.B});
    b.add(OperatorKind::argmax, "sampler", {logits}, {tokens});
    return b.take();
}

} // namespace deltascope
