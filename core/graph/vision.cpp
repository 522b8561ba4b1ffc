// SPDX-License-Identifier: GPL-3.0-or-later
// Vision tower: patch embedding with interpolated positions, bidirectional blocks, merger into the text's hidden size;
// with Qwen3-VL's deepstack, mergers that feed early text layers.
#include "graph/vision.h"

#include <array>

namespace deltascope {
namespace {

using std::int64_t;

double num(int64_t n) { return static_cast<double>(n); }

TensorId elementwise(BlockBuilder& b, OperatorKind kind, std::string_view module,
                     std::initializer_list<TensorId> inputs, std::string_view name, DType dtype,
                     std::initializer_list<int64_t> dims) {
    const TensorId out = b.activation(name, dtype, dims);
    b.add(kind, module, inputs, {out});
    return out;
}

TensorId layerNorm(BlockBuilder& b, const GraphContext& g, std::string_view module, TensorId x) {
    const Tensor in = b.tensor(x);
    const TensorId weight = b.weight("weight", g.a, {in.dims[1]});
    const TensorId bias = b.weight("bias", g.a, {in.dims[1]});
    return elementwise(b, OperatorKind::layer_norm, module, {x, weight, bias}, "normed", g.a, {in.dims[0], in.dims[1]});
}

LinearOptions biased(int64_t reduceRanks = 1) { return {ModuleRole::fixed, true, reduceRanks}; }

/// 2-D rotary embedding in FP32 between two casts, of one of query and key [P, heads, dim].
TensorId rotate(BlockBuilder& b, TensorId x, TensorId cos, TensorId sin) {
    constexpr std::string_view module = "attn.rotary_emb";
    const Tensor in = b.tensor(x);
    const int64_t P = in.dims[0], heads = in.dims[1], dim = in.dims[2];
    const TensorId cosine =
        elementwise(b, OperatorKind::mul, module, {x, cos}, "x * cos", DType::fp32, {P, heads, dim});
    const TensorId half = b.view(x, "second half", {P, heads, dim / 2});
    const TensorId firstHalf = b.view(x, "first half", {P, heads, dim / 2});
    const TensorId negated =
        elementwise(b, OperatorKind::neg, module, {half}, "negated", DType::fp32, {P, heads, dim / 2});
    const TensorId swapped = elementwise(b, OperatorKind::concat, module, {negated, firstHalf}, "rotated half",
                                         DType::fp32, {P, heads, dim});
    const TensorId sine =
        elementwise(b, OperatorKind::mul, module, {swapped, sin}, "rotated * sin", DType::fp32, {P, heads, dim});
    return elementwise(b, OperatorKind::add, module, {cosine, sine}, "rotated", DType::fp32, {P, heads, dim});
}

TensorId attentionOverImages(BlockBuilder& b, const GraphContext& g, const VisionLoad& load, TensorId query,
                             TensorId key, TensorId value, int64_t heads, int64_t dim) {
    const TensorId out = b.activation("attended", g.a, {load.patches, heads * dim});
    for (const ImageGroup& group : load.groups) {
        const double rows = num(group.images * group.patches);
        const TensorId part = b.activation("attended images", g.a, {group.images * group.patches, heads * dim});
        b.add(OperatorKind::attention, "attn.attention", {query, key, value}, {part},
              AttentionParams{rows, rows * num(group.patches), rows, num(heads), num(heads), num(dim), g.a,
                              num(group.images)});
        // eager code joins the images' results
        b.add(OperatorKind::concat, "attn.attention", {part},
              {b.view(out, "attended", {group.images * group.patches, heads * dim})});
    }
    return out;
}

TensorId mergerOf(BlockBuilder& b, const GraphContext& g, const VisionLoad& load, TensorId x, bool normAfterConcat) {
    const VisionConfig& v = *g.model.vision;
    const int64_t merge = v.spatialMerge * v.spatialMerge, merged = v.hidden * merge;
    TensorId rows = x;
    if (normAfterConcat) {
        rows = layerNorm(b, g, "merger.norm", b.view(x, "merged patches", {load.patches / merge, merged}));
    } else {
        rows = b.view(layerNorm(b, g, "merger.norm", x), "merged patches", {load.patches / merge, merged});
    }
    const TensorId h = linear(b, g, "visual", "merger.linear_fc1", rows, merged, biased());
    const TensorId open =
        elementwise(b, OperatorKind::gelu, "merger.act_fn", {h}, "gelu", g.a, {load.patches / merge, merged});
    return linear(b, g, "visual", "merger.linear_fc2", open, v.outHidden, biased());
}

} // namespace

VisionLoad::VisionLoad(const ResolvedScenario& scenario) {
    for (const Request& r : scenario.requests) {
        if (r.images == 0) continue;
        groups.push_back({r.count * r.images, r.image.patches()});
        patches += r.count * r.images * r.image.patches();
        tokens += r.count * r.images * r.image.tokens;
    }
}

Block patchBlock(const GraphContext& g, const VisionLoad& load) {
    const VisionConfig& v = *g.model.vision;
    const int64_t P = load.patches, H = v.hidden;
    const int64_t pixels = v.inChannels * v.temporalPatch * v.patchSize * v.patchSize;
    BlockBuilder b("vision patches");
    const TensorId input = b.input("pixels", g.a, {P, pixels});
    const TensorId weight = b.weight("weight", g.a, {pixels, H});
    const TensorId patches = b.activation("patches", g.a, {P, H});
    b.add(OperatorKind::patch_embedding, "patch_embed.proj", {input, weight}, {patches},
          LinearParams{num(P), num(pixels), num(H), Scheme::bf16, true, g.engine.countsBias, 1});
    // Bilinear interpolation of the position table: four corners, weighted and summed.
    constexpr int64_t corners = 4;
    constexpr std::string_view module = "pos_embed";
    const TensorId ids = b.state("corner ids", DType::int64, {corners, P});
    const TensorId table = b.weight("weight", g.a, {v.positionEmbeddings, H});
    const TensorId rows = b.activation("corners", g.a, {corners, P, H});
    b.add(OperatorKind::embedding, module, {ids, table}, {rows}, EmbeddingParams{num(corners * P), num(H)});
    const TensorId weights = b.state("corner weights", DType::fp32, {corners, P, 1});
    const TensorId weighted =
        elementwise(b, OperatorKind::mul, module, {rows, weights}, "weighted corners", DType::fp32, {corners, P, H});
    const TensorId sum = elementwise(b, OperatorKind::sum, module, {weighted}, "positions", DType::fp32, {P, H});
    const TensorId positions = elementwise(b, OperatorKind::cast, module, {sum}, "positions", g.a, {P, H});
    b.keep(elementwise(b, OperatorKind::add, module, {patches, positions}, "hidden", g.a, {P, H}));
    return b.take();
}

Block visionBlock(const GraphContext& g, const VisionLoad& load) {
    const VisionConfig& v = *g.model.vision;
    const int64_t P = load.patches, H = v.hidden, ranks = g.scenario.scenario.parallel.visionTp;
    const int64_t heads = v.heads / ranks, dim = H / v.heads;
    BlockBuilder b("vision block");
    const TensorId x = b.input("hidden", g.a, {P, H});
    const TensorId normed = layerNorm(b, g, "norm1", x);
    const TensorId qkv = linear(b, g, "visual", "attn.qkv", normed, 3 * heads * dim, biased());
    const TensorId cos = b.state("cos", DType::fp32, {P, 1, dim});
    const TensorId sin = b.state("sin", DType::fp32, {P, 1, dim});
    std::array<TensorId, 2> wide{};
    const std::array names{std::string_view("query"), std::string_view("key")};
    for (std::size_t i = 0; i < 2; ++i)
        wide[i] = elementwise(b, OperatorKind::cast, "attn.rotary_emb", {b.view(qkv, names[i], {P, heads, dim})},
                              names[i], DType::fp32, {P, heads, dim});
    for (TensorId& t : wide) t = rotate(b, t, cos, sin);
    for (std::size_t i = 0; i < 2; ++i)
        wide[i] = elementwise(b, OperatorKind::cast, "attn.rotary_emb", {wide[i]}, names[i], g.a, {P, heads, dim});
    const TensorId value = b.view(qkv, "value", {P, heads, dim});
    const TensorId attended = attentionOverImages(b, g, load, wide[0], wide[1], value, heads, dim);
    const TensorId projected = linear(b, g, "visual", "attn.proj", attended, H, biased(ranks));
    const TensorId middle = elementwise(b, OperatorKind::add, "residual", {x, projected}, "hidden", g.a, {P, H});
    const TensorId second = layerNorm(b, g, "norm2", middle);
    const int64_t columns = v.intermediate / ranks;
    const TensorId h = linear(b, g, "visual", "mlp.linear_fc1", second, columns, biased());
    const TensorId open = elementwise(b, OperatorKind::gelu, "mlp.act_fn", {h}, "gelu", g.a, {P, columns});
    const TensorId out = linear(b, g, "visual", "mlp.linear_fc2", open, H, biased(ranks));
    b.keep(elementwise(b, OperatorKind::add, "residual", {middle, out}, "hidden", g.a, {P, H}));
    return b.take();
}

Block mergerBlock(const GraphContext& g, const VisionLoad& load, bool deepstack) {
    BlockBuilder b(deepstack ? "vision deepstack merger" : "vision merger");
    const TensorId x = b.input("hidden", g.a, {load.patches, g.model.vision->hidden});
    if (deepstack) b.keep(x);
    b.keep(mergerOf(b, g, load, x, deepstack));
    return b.take();
}

TensorId withImageTokens(BlockBuilder& b, const GraphContext& g, TensorId x, int64_t tokens) {
    const TensorId images = b.input("image embeddings", g.a, {tokens, g.H});
    b.add(OperatorKind::scatter, "embed_tokens", {images}, {b.view(x, "image tokens", {tokens, g.H})});
    return x;
}

TensorId withDeepstack(BlockBuilder& b, const GraphContext& g, TensorId x, int64_t tokens) {
    const TensorId features = b.state("deepstack features", g.a, {tokens, g.H});
    const TensorId rows = b.view(x, "image tokens", {tokens, g.H});
    b.add(OperatorKind::add, "deepstack", {rows, features}, {rows});
    return x;
}

} // namespace deltascope
