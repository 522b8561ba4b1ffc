// SPDX-License-Identifier: GPL-3.0-or-later
// The multi-token-prediction head: one draft is an embedding, two norms, fc, a full-attention decoder layer and
// lm_head.
#include "graph/context.h"

namespace deltascope {

Block draftBlock(const GraphContext& g) {
    BlockBuilder b("draft");
    const TensorId hidden = b.input("hidden", g.a, {g.T, g.H});
    const TensorId ids = b.state("token ids", DType::int64, {g.T});
    const TensorId table = b.weight("weight", g.a, {g.text.vocab, g.H});
    const TensorId embedded = b.activation("embedded", g.a, {g.T, g.H});
    b.add(OperatorKind::embedding, "embed_tokens", {ids, table}, {embedded},
          EmbeddingParams{static_cast<double>(g.T), static_cast<double>(g.H)});
    // These two norms are one kernel each in every engine.
    const TensorId normedEmbedding = rmsNorm(b, g, "pre_fc_norm_embedding", embedded, false);
    const TensorId normedHidden = rmsNorm(b, g, "pre_fc_norm_hidden", hidden, false);
    const TensorId both = b.activation("embedding and hidden", g.a, {g.T, 2 * g.H});
    b.add(OperatorKind::concat, "fc", {normedEmbedding, normedHidden}, {both});
    const TensorId x = linear(b, g, "mtp", "fc", both, g.H);
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
