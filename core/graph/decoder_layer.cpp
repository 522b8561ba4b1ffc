// SPDX-License-Identifier: GPL-3.0-or-later
// The pre-norm decoder layer: norm, mixer, residual, norm, MLP, residual.
#include "graph/context.h"
#include "graph/vision.h"

namespace deltascope {

Stream decoderLayer(BlockBuilder& b, const GraphContext& g, const LayerVariant& variant, Stream stream) {
    NormedResidual in{};
    if (stream.x == stream.residual)
        in = {rmsNorm(b, g, "input_layernorm", stream.x, g.onePlusWeight), stream.residual};
    else
        in = addRmsNorm(b, g, "input_layernorm", stream.x, stream.residual, g.engine.fuseMlpResidual);
    const TensorId mixed = variant.type == LayerType::linearAttention ? linearAttention(b, g, variant.prefix, in.normed)
                                                                      : fullAttention(b, g, variant.prefix, in.normed);
    const NormedResidual middle =
        addRmsNorm(b, g, "post_attention_layernorm", mixed, in.residual, g.engine.fuseMixerResidual);
    const TensorId out = variant.sparse ? mixtureOfExperts(b, g, variant.prefix, middle.normed)
                                        : mlp(b, g, variant.prefix, middle.normed);
    const bool oneKernel = !g.onePlusWeight || g.engine.onePlusWeightNorm == Fusion::fused;
    if (g.engine.fuseMlpResidual && oneKernel) return {out, middle.residual};
    const TensorId sum = b.activation("hidden", g.a, {g.T, g.H});
    b.add(OperatorKind::add, "residual", {middle.residual, out}, {sum});
    return {sum, sum};
}

Block layerBlock(const GraphContext& g, const LayerVariant& variant) {
    BlockBuilder b(variant.type == LayerType::linearAttention ? "linear layer" : "full layer");
    const bool oneKernel = !g.onePlusWeight || g.engine.onePlusWeightNorm == Fusion::fused;
    const bool pending = g.engine.fuseMlpResidual && oneKernel && !variant.first;
    const TensorId x = b.input("hidden", g.a, {g.T, g.H});
    const TensorId residual = pending ? b.input("residual", g.a, {g.T, g.H}) : x;
    const Stream out = decoderLayer(b, g, variant, {x, residual});
    if (variant.deepstackTokens > 0) withDeepstack(b, g, out.x, variant.deepstackTokens);
    b.keep(out.x);
    if (out.residual != out.x) b.keep(out.residual);
    return b.take();
}

} // namespace deltascope
