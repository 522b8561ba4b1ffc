// SPDX-License-Identifier: GPL-3.0-or-later
// Shapes are those of the published checkpoints (Hugging Face qwen3_5, qwen3_5_moe, qwen3_next, qwen3, qwen3_moe,
// qwen3_vl).
#include "memory/weights.h"

#include <array>

namespace deltascope {
namespace {

using std::int64_t;
using Weights = std::vector<Weight>;

void norm(Weights& w, WeightGroup group, std::string_view module, int64_t size, DType dtype = DType::bf16) {
    w.push_back({group, module, 1, size, Split::replicated, ModuleRole::fixed, dtype});
}

void linearAttention(Weights& w, const TextConfig& text) {
    const LinearAttentionConfig& c = *text.linear;
    const int64_t H = text.hidden;
    const int64_t channels = 2 * c.keyHeads * c.keyHeadDim + c.valueHeads * c.valueHeadDim;
    const int64_t valueDim = c.valueHeads * c.valueHeadDim;
    const auto matmul = [&](std::string_view module, int64_t rows, int64_t columns, Split split) {
        w.push_back({WeightGroup::linearAttention, module, rows, columns, split, ModuleRole::linear});
    };
    matmul("linear_attn.in_proj_qkv", H, channels, Split::tensorParallel);
    matmul("linear_attn.in_proj_z", H, valueDim, Split::tensorParallel);
    matmul("linear_attn.in_proj_b", H, c.valueHeads, Split::tensorParallel);
    matmul("linear_attn.in_proj_a", H, c.valueHeads, Split::tensorParallel);
    matmul("linear_attn.out_proj", valueDim, H, Split::oProj);
    const auto vector = [&](std::string_view module, int64_t rows, int64_t columns, DType dtype) {
        w.push_back({WeightGroup::norms, module, rows, columns, Split::tensorParallel, ModuleRole::fixed, dtype});
    };
    vector("linear_attn.conv1d", channels, c.convKernel, DType::bf16);
    vector("linear_attn.A_log", 1, c.valueHeads, DType::fp32);
    vector("linear_attn.dt_bias", 1, c.valueHeads, DType::bf16);
    norm(w, WeightGroup::norms, "linear_attn.norm", c.valueHeadDim, DType::fp32);
}

void fullAttention(Weights& w, const TextConfig& text) {
    const int64_t H = text.hidden, d = text.headDim;
    const int64_t query = text.queryHeads * d * (text.outputGate ? 2 : 1);
    const auto matmul = [&](std::string_view module, int64_t rows, int64_t columns, Split split) {
        w.push_back({WeightGroup::fullAttention, module, rows, columns, split, ModuleRole::linear});
        if (text.attentionBias)
            w.push_back({WeightGroup::fullAttention, module, 1, columns,
                         split == Split::oProj ? Split::replicated : split, ModuleRole::fixed});
    };
    matmul("self_attn.q_proj", H, query, Split::tensorParallel);
    matmul("self_attn.k_proj", H, text.keyValueHeads * d, Split::keyValueHeads);
    matmul("self_attn.v_proj", H, text.keyValueHeads * d, Split::keyValueHeads);
    matmul("self_attn.o_proj", text.queryHeads * d, H, Split::oProj);
    if (!text.qkNorm) return;
    norm(w, WeightGroup::norms, "self_attn.q_norm", d);
    norm(w, WeightGroup::norms, "self_attn.k_norm", d);
}

void denseMlp(Weights& w, const TextConfig& text) {
    const int64_t H = text.hidden, I = text.intermediate;
    for (std::string_view module : {"mlp.gate_proj", "mlp.up_proj"})
        w.push_back({WeightGroup::mlp, module, H, I, Split::tensorParallel, ModuleRole::linear});
    w.push_back({WeightGroup::mlp, "mlp.down_proj", I, H, Split::tensorParallel, ModuleRole::linear});
}

void experts(Weights& w, const TextConfig& text) {
    const MoeConfig& moe = *text.moe;
    const int64_t H = text.hidden, Ie = moe.intermediate, Is = moe.sharedIntermediate;
    w.push_back({WeightGroup::router, "mlp.gate", H, moe.experts, Split::replicated, ModuleRole::router});
    for (std::string_view module : {"mlp.experts.gate_proj", "mlp.experts.up_proj"})
        w.push_back({WeightGroup::experts, module, H, Ie, Split::expert, ModuleRole::expert, DType::bf16, moe.experts});
    w.push_back({WeightGroup::experts, "mlp.experts.down_proj", Ie, H, Split::expert, ModuleRole::expert, DType::bf16,
                 moe.experts});
    if (Is == 0) return;
    for (std::string_view module : {"mlp.shared_expert.gate_proj", "mlp.shared_expert.up_proj"})
        w.push_back({WeightGroup::sharedExpert, module, H, Is, Split::sharedExpert, ModuleRole::linear});
    w.push_back(
        {WeightGroup::sharedExpert, "mlp.shared_expert.down_proj", Is, H, Split::sharedExpert, ModuleRole::linear});
    w.push_back({WeightGroup::sharedExpert, "mlp.shared_expert_gate", H, 1, Split::replicated, ModuleRole::linear});
}

} // namespace

std::string_view nameOf(WeightGroup group) {
    constexpr std::array<std::string_view, weightGroupCount> names{
        "embedding", "RoPE tables", "linear attention", "full attention", "norms and convolutions", "MLP",
        "router",    "experts",     "shared expert",    "lm_head",        "vision tower",           "MTP head"};
    return names[static_cast<std::size_t>(group)];
}

Weights layerWeights(const TextConfig& text, LayerType type, bool sparse) {
    Weights w;
    norm(w, WeightGroup::norms, "input_layernorm", text.hidden);
    if (type == LayerType::linearAttention)
        linearAttention(w, text);
    else
        fullAttention(w, text);
    norm(w, WeightGroup::norms, "post_attention_layernorm", text.hidden);
    if (sparse)
        experts(w, text);
    else
        denseMlp(w, text);
    return w;
}

Weights outerWeights(const TextConfig& text, bool ownHead) {
    Weights w;
    w.push_back({WeightGroup::embedding, "embed_tokens", text.vocab, text.hidden, Split::embedding});
    // cos and sin of every position, in the activations' format
    w.push_back({WeightGroup::ropeTables, "rotary_emb", 2 * text.maxPosition, text.rope.rotaryDim, Split::replicated,
                 ModuleRole::fixed, DType::bf16, 1, false});
    norm(w, WeightGroup::norms, "norm", text.hidden);
    if (!text.tiedEmbeddings || ownHead)
        w.push_back({WeightGroup::lmHead, "lm_head", text.hidden, text.vocab, Split::lmHead, ModuleRole::lmHead,
                     DType::bf16, 1, !text.tiedEmbeddings});
    return w;
}

Weights mtpWeights(const TextConfig& text) {
    Weights w;
    w.push_back({WeightGroup::mtp, "fc", 2 * text.hidden, text.hidden, Split::draftFc, ModuleRole::linear});
    for (std::string_view module : {"pre_fc_norm_embedding", "pre_fc_norm_hidden", "norm"})
        norm(w, WeightGroup::mtp, module, text.hidden);
    return w;
}

Weights visionWeights(const VisionConfig& v) {
    Weights w;
    const auto add = [&](std::string_view module, int64_t rows, int64_t columns, Split split, int64_t copies = 1) {
        w.push_back({WeightGroup::vision, module, rows, columns, split, ModuleRole::fixed, DType::bf16, copies});
    };
    const auto withBias = [&](std::string_view module, int64_t rows, int64_t columns, Split split, int64_t copies) {
        add(module, rows, columns, split, copies);
        // the bias of a row-parallel matmul is whole on every rank
        add(module, 1, columns, columns == v.hidden ? Split::replicated : split, copies);
    };
    withBias("patch_embed.proj", v.inChannels * v.temporalPatch * v.patchSize * v.patchSize, v.hidden,
             Split::replicated, 1);
    add("pos_embed", v.positionEmbeddings, v.hidden, Split::replicated);
    add("blocks.norm1", 2, v.hidden, Split::replicated, v.depth);
    add("blocks.norm2", 2, v.hidden, Split::replicated, v.depth);
    withBias("blocks.attn.qkv", v.hidden, 3 * v.hidden, Split::vision, v.depth);
    withBias("blocks.attn.proj", v.hidden, v.hidden, Split::vision, v.depth);
    withBias("blocks.mlp.linear_fc1", v.hidden, v.intermediate, Split::vision, v.depth);
    withBias("blocks.mlp.linear_fc2", v.intermediate, v.hidden, Split::vision, v.depth);
    const int64_t merged = v.hidden * v.spatialMerge * v.spatialMerge;
    const auto merger = [&](std::string_view normModule, std::string_view fc1, std::string_view fc2, int64_t normSize,
                            int64_t copies) {
        add(normModule, 2, normSize, Split::replicated, copies);
        withBias(fc1, merged, merged, Split::replicated, copies);
        withBias(fc2, merged, v.outHidden, Split::replicated, copies);
    };
    merger("merger.norm", "merger.linear_fc1", "merger.linear_fc2", v.hidden, 1);
    // Qwen3-VL's deepstack mergers norm after the concat
    if (!v.deepstackIndexes.empty())
        merger("deepstack_merger.norm", "deepstack_merger.linear_fc1", "deepstack_merger.linear_fc2", merged,
               static_cast<int64_t>(v.deepstackIndexes.size()));
    return w;
}

} // namespace deltascope
