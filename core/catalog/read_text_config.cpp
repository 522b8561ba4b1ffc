// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/format.h"
#include "base/spelling.h"
#include "catalog/model_sections.h"

namespace deltascope {
namespace {

constexpr std::int64_t maxLayers = 10'000;
constexpr WholeRange width{1, std::int64_t{1} << 24};  // of a matrix
constexpr WholeRange heads{1, std::int64_t{1} << 16};  // or experts
constexpr WholeRange tokens{1, std::int64_t{1} << 32}; // a vocabulary, a context

const std::vector<std::pair<std::string, DType>> dtypeWords{
    {"bfloat16", DType::bf16}, {"float16", DType::fp16}, {"float32", DType::fp32}};

void requireMultiple(CheckedMap& map, std::string_view key, std::int64_t value, std::string_view ofKey,
                     std::int64_t of) {
    if (of > 0 && value % of != 0)
        map.fail(ErrorCode::contradictory, key,
                 "is not a multiple of " + std::string(ofKey) + ", which is " + std::to_string(of),
                 "a multiple of " + std::to_string(of));
}

std::vector<LayerType> readLayers(CheckedMap& text, const ModelFamily& family, std::vector<std::string>& notes) {
    const std::int64_t count = text.requireWhole("num_hidden_layers", {1, maxLayers});
    const std::vector<std::string> words = text.textList("layer_types");
    const auto interval = text.optionalWhole("full_attention_interval", {1, maxLayers});

    std::vector<LayerType> layers(static_cast<std::size_t>(count), LayerType::fullAttention);
    if (text.has("layer_types")) {
        if (static_cast<std::int64_t>(words.size()) != count) {
            text.fail(ErrorCode::contradictory, "layer_types",
                      "has another length than num_hidden_layers says, which is " + std::to_string(count),
                      "a list of " + std::to_string(count));
            return layers;
        }
        for (std::size_t i = 0; i < words.size(); ++i) {
            if (words[i] == "linear_attention" && family.hybrid) {
                layers[i] = LayerType::linearAttention;
            } else if (words[i] != "full_attention") {
                text.fail(words[i] == "linear_attention" ? ErrorCode::contradictory : ErrorCode::unsupported,
                          "layer_types",
                          "entry " + std::to_string(i) + " is " + printable(words[i]) + ", which is no layer of a " +
                              std::string(family.modelType) + " model that is simulated",
                          family.hybrid ? "linear_attention or full_attention" : "full_attention");
                return layers;
            }
        }
    } else if (family.hybrid) {
        if (!interval)
            notes.emplace_back("The configuration names neither layer_types nor full_attention_interval: every 4th "
                               "layer is taken as full attention.");
        const auto every = static_cast<std::size_t>(interval.value_or(4));
        for (std::size_t i = 0; i < layers.size(); ++i)
            if ((i + 1) % every != 0) layers[i] = LayerType::linearAttention;
        return layers;
    }
    for (std::size_t i = 0; interval && family.hybrid && i < layers.size(); ++i) {
        const bool full = (i + 1) % static_cast<std::size_t>(*interval) == 0;
        if (full == (layers[i] == LayerType::fullAttention)) continue;
        notes.emplace_back("layer_types differs from what full_attention_interval says; layer_types is followed.");
        break;
    }
    return layers;
}

void readAttention(CheckedMap& text, const ModelFamily& family, TextConfig& config, std::vector<std::string>& notes) {
    config.queryHeads = text.requireWhole("num_attention_heads", heads);
    config.keyValueHeads = text.requireWhole("num_key_value_heads", heads);
    requireMultiple(text, "num_attention_heads", config.queryHeads, "num_key_value_heads", config.keyValueHeads);
    if (const auto headDim = text.optionalWhole("head_dim", heads)) {
        config.headDim = *headDim;
    } else {
        requireMultiple(text, "hidden_size", config.hidden, "num_attention_heads", config.queryHeads);
        config.headDim = config.hidden / config.queryHeads;
        notes.emplace_back("The configuration has no head_dim: hidden_size / num_attention_heads = " +
                           std::to_string(config.headDim) + " is taken.");
    }
    const auto gate = text.optionalFlag("attn_output_gate");
    config.outputGate = family.gated && gate.value_or(true);
    config.qkNorm = family.qkNorm;
    config.attentionBias = text.optionalFlag("attention_bias").value_or(false);
    if (text.optionalFlag("mlp_bias").value_or(false))
        notes.emplace_back("mlp_bias is set: the biases of the MLP are left out.");
    if (text.optionalFlag("use_sliding_window").value_or(false))
        notes.emplace_back("use_sliding_window is set: attention is simulated over the whole context all the same.");
}

/// The factor and the sections stand in `rope_parameters` (newer files), `rope_scaling`, or beside the other keys.
RopeConfig readRope(CheckedMap& text, const ModelFamily& family, std::int64_t headDim) {
    constexpr NumberRange share{.min = 0.0, .max = 1.0, .aboveMin = true};
    RopeConfig rope;
    auto factor = text.optionalNumber("partial_rotary_factor", share);
    auto parameters = text.optionalMap("rope_parameters");
    if (!parameters) parameters = text.optionalMap("rope_scaling");
    if (parameters) {
        if (const auto own = parameters->optionalNumber("partial_rotary_factor", share)) {
            if (factor && *factor != *own)
                parameters->fail(ErrorCode::contradictory, "partial_rotary_factor",
                                 "is not the " + formatExact(*factor) + " of " + text.pathOf("partial_rotary_factor"));
            factor = own;
        }
        rope.mropeSection = parameters->wholeList("mrope_section", {1, heads.max});
        rope.interleaved = parameters->optionalFlag("mrope_interleaved").value_or(false);
    }
    rope.mrope = !rope.mropeSection.empty();
    rope.rotaryDim = static_cast<std::int64_t>(static_cast<double>(headDim) * factor.value_or(family.rotaryFactor));

    if (rope.rotaryDim < 2 || rope.rotaryDim % 2 != 0)
        text.fail(ErrorCode::contradictory, "head_dim",
                  "times the partial rotary factor gives a rotary dimension of " + std::to_string(rope.rotaryDim),
                  "an even rotary dimension");
    std::int64_t sections = 0;
    for (const std::int64_t section : rope.mropeSection) sections += section;
    if (rope.mrope && (rope.mropeSection.size() != 3 || sections * 2 != rope.rotaryDim))
        parameters->fail(ErrorCode::contradictory, "mrope_section",
                         "adds up to " + std::to_string(sections) + ", and the rotary dimension is " +
                             std::to_string(rope.rotaryDim),
                         "three numbers that add up to " + std::to_string(rope.rotaryDim / 2));
    return rope;
}

LinearAttentionConfig readLinearAttention(CheckedMap& text) {
    LinearAttentionConfig linear;
    linear.keyHeads = text.requireWhole("linear_num_key_heads", heads);
    linear.valueHeads = text.requireWhole("linear_num_value_heads", heads);
    requireMultiple(text, "linear_num_value_heads", linear.valueHeads, "linear_num_key_heads", linear.keyHeads);
    linear.keyHeadDim = text.requireWhole("linear_key_head_dim", heads);
    linear.valueHeadDim = text.requireWhole("linear_value_head_dim", heads);
    linear.convKernel = text.requireWhole("linear_conv_kernel_dim", {1, 1024});
    linear.stateDType = text.optionalChoice("mamba_ssm_dtype", dtypeWords).value_or(DType::fp32);
    return linear;
}

std::vector<bool> readSparseLayers(CheckedMap& text, const ModelFamily& family, std::size_t layers,
                                   std::vector<std::string>& notes) {
    std::vector<bool> sparse(layers, family.experts != ExpertLayers::none);
    const auto last = static_cast<std::int64_t>(layers) - 1;
    const std::vector<std::int64_t> dense = text.wholeList("mlp_only_layers", {0, last});
    if (family.experts == ExpertLayers::bySparseStep) {
        const auto step =
            static_cast<std::size_t>(text.optionalWhole("decoder_sparse_step", {1, maxLayers}).value_or(1));
        for (std::size_t i = 0; i < layers; ++i) sparse[i] = (i + 1) % step == 0;
        for (const std::int64_t layer : dense) sparse[static_cast<std::size_t>(layer)] = false;
    } else if (family.experts == ExpertLayers::all && !dense.empty()) {
        notes.emplace_back("mlp_only_layers is ignored: every layer of this family is a mixture of experts.");
    }
    return sparse;
}

MoeConfig readExperts(CheckedMap& text, const ModelFamily& family) {
    MoeConfig moe;
    moe.experts = text.requireWhole("num_experts", heads);
    moe.expertsPerToken = text.requireWhole("num_experts_per_tok", heads);
    if (moe.expertsPerToken > moe.experts)
        text.fail(ErrorCode::contradictory, "num_experts_per_tok",
                  "is more than num_experts, which is " + std::to_string(moe.experts),
                  "at most " + std::to_string(moe.experts));
    moe.intermediate = text.requireWhole("moe_intermediate_size", width);
    if (family.sharedExpert)
        moe.sharedIntermediate = text.requireWhole("shared_expert_intermediate_size", {0, width.max});
    moe.normTopK = text.optionalFlag("norm_topk_prob").value_or(family.normTopK);
    return moe;
}

/// Parameters in rough terms, only to refuse a file whose figures are absurd together: counts stay exact below 2^53.
double roughParameters(const TextConfig& config) {
    const auto h = static_cast<double>(config.hidden);
    double perLayer =
        h * static_cast<double>(config.headDim) * static_cast<double>(2 * config.queryHeads + 2 * config.keyValueHeads);
    if (config.linear)
        perLayer += 3.0 * h * static_cast<double>(config.linear->valueHeads * config.linear->valueHeadDim) +
                    2.0 * h * static_cast<double>(config.linear->keyHeads * config.linear->keyHeadDim);
    perLayer += 3.0 * h * static_cast<double>(config.intermediate);
    if (config.moe)
        perLayer += 3.0 * h * static_cast<double>(config.moe->experts) * static_cast<double>(config.moe->intermediate);
    return perLayer * static_cast<double>(config.layers.size()) + 2.0 * h * static_cast<double>(config.vocab);
}

void readWordsOfBoth(CheckedMap& text, CheckedMap& top, TextConfig& config, std::vector<std::string>& notes) {
    const auto tiedHere = text.optionalFlag("tie_word_embeddings");
    const auto tiedAtTop = top.optionalFlag("tie_word_embeddings");
    if (tiedHere && tiedAtTop && *tiedHere != *tiedAtTop)
        notes.emplace_back("tie_word_embeddings differs between the file and its text_config; the file's is followed.");
    config.tiedEmbeddings = tiedAtTop ? *tiedAtTop : tiedHere.value_or(false);

    auto dtype = text.optionalChoice("dtype", dtypeWords);
    if (!dtype) dtype = text.optionalChoice("torch_dtype", dtypeWords);
    if (!dtype) dtype = top.optionalChoice("dtype", dtypeWords);
    if (!dtype) dtype = top.optionalChoice("torch_dtype", dtypeWords);
    if (!dtype) notes.emplace_back("The configuration names no dtype: BF16 is taken.");
    config.dtype = dtype.value_or(DType::bf16);
}

} // namespace

TextConfig readTextConfig(CheckedMap& text, CheckedMap& top, const ModelFamily& family,
                          std::vector<std::string>& notes) {
    TextConfig config;
    config.layers = readLayers(text, family, notes);
    config.hidden = text.requireWhole("hidden_size", width);
    readAttention(text, family, config, notes);
    config.rope = readRope(text, family, config.headDim);
    for (const LayerType layer : config.layers) {
        if (layer != LayerType::linearAttention) continue;
        config.linear = readLinearAttention(text);
        break;
    }
    config.sparseLayer = readSparseLayers(text, family, config.layers.size(), notes);
    bool anySparse = false;
    bool anyDense = false;
    for (const bool sparse : config.sparseLayer) (sparse ? anySparse : anyDense) = true;
    if (anyDense) config.intermediate = text.requireWhole("intermediate_size", width);
    if (anySparse) config.moe = readExperts(text, family);

    config.vocab = text.requireWhole("vocab_size", tokens);
    config.maxPosition = text.requireWhole("max_position_embeddings", tokens);
    config.normScale = family.normScale;
    readWordsOfBoth(text, top, config, notes);
    config.mtpLayers = text.optionalWhole("mtp_num_hidden_layers", {0, 64}).value_or(family.unnamedMtp);
    config.mtpInConfig = config.mtpLayers == 0 || text.has("mtp_num_hidden_layers");

    constexpr double exact = 9007199254740992.0; // 2^53
    if (const double parameters = roughParameters(config); parameters > exact)
        text.fail(ErrorCode::outOfRange, "num_hidden_layers",
                  "and the widths together make " + formatCount(parameters) + " parameters",
                  "a model of at most " + formatCount(exact));
    return config;
}

} // namespace deltascope
