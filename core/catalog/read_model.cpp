// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/checked_map.h"
#include "base/format.h"
#include "base/spelling.h"
#include "catalog/catalog.h"
#include "catalog/image_limits.h"
#include "catalog/model_sections.h"

#include <algorithm>
#include <array>

namespace deltascope {
namespace {

/// What the hybrid families share.
constexpr ModelFamily hybrid(std::string_view type, std::string_view family, bool nested, ExpertLayers experts) {
    return {.modelType = type,
            .family = family,
            .nested = nested,
            .hybrid = true,
            .experts = experts,
            .sharedExpert = experts != ExpertLayers::none,
            .normScale = NormScale::onePlusWeight,
            .gated = true,
            .rotaryFactor = 0.25,
            .unnamedMtp = type == "qwen3_next" ? 1 : 0};
}

constexpr std::array families{
    ModelFamily{.modelType = "llama", .family = "Llama", .qkNorm = false},
    ModelFamily{.modelType = "qwen3", .family = "Qwen3"},
    ModelFamily{.modelType = "qwen3_moe", .family = "Qwen3", .experts = ExpertLayers::bySparseStep, .normTopK = false},
    hybrid("qwen3_next", "Qwen3-Next", false, ExpertLayers::bySparseStep),
    ModelFamily{.modelType = "qwen3_vl", .family = "Qwen3-VL", .nested = true},
    hybrid("qwen3_5", "Qwen3.5", true, ExpertLayers::none),
    hybrid("qwen3_5_moe", "Qwen3.5", true, ExpertLayers::all),
    hybrid("qwen3_5_text", "Qwen3.5", false, ExpertLayers::none),
    hybrid("qwen3_5_moe_text", "Qwen3.5", false, ExpertLayers::all),
};

Result<std::filesystem::path> configFile(const std::filesystem::path& path) {
    std::error_code error;
    if (!std::filesystem::is_directory(path, error)) return path;
    auto file = path / "config.json";
    if (std::filesystem::exists(file, error)) return file;
    return Error{ErrorCode::notFound,
                 "model",
                 "",
                 "the folder holds no config.json",
                 "a folder with a config.json, or such a file",
                 path.string()};
}

/// The folder's name, which hubs name after the model, or that of a file with a name of its own.
std::string modelName(const std::filesystem::path& file) {
    std::error_code error;
    const auto absolute = std::filesystem::absolute(file, error).lexically_normal();
    return (file.filename() == "config.json" ? absolute.parent_path().filename() : absolute.stem()).string();
}

const ModelFamily* readFamily(CheckedMap& top) {
    const std::string type = top.requireText("model_type");
    const auto family =
        std::find_if(families.begin(), families.end(), [&](const ModelFamily& f) { return f.modelType == type; });
    if (family != families.end()) return &*family;
    if (!type.empty())
        top.fail(ErrorCode::unsupported, "model_type", "is no type of model that is simulated",
                 orList(supportedModelTypes()));
    return nullptr;
}

/// A quantization that is not understood leaves a model that can be simulated in schemes of the scenario's choice.
void readQuantization(const DocumentValue& document, const std::filesystem::path& file, ModelConfig& config) {
    auto read = readCheckpointQuantization(document, file, config);
    if (!read) {
        config.checkpointProblem = "the quantization of the checkpoint is not understood: " + read.error().text();
        config.notes.push_back(config.checkpointProblem);
    } else if (*read) {
        config.checkpoint = std::make_shared<const CheckpointQuantization>(*std::move(*read));
    }
}

} // namespace

const std::vector<std::string>& supportedModelTypes() {
    static const std::vector<std::string> types = [] {
        std::vector<std::string> list;
        for (const ModelFamily& family : families) list.emplace_back(family.modelType);
        return list;
    }();
    return types;
}

VisionConfig readVisionConfig(CheckedMap& vision, std::int64_t textHidden) {
    constexpr WholeRange width{1, std::int64_t{1} << 20};
    constexpr WholeRange small{1, 1024};
    VisionConfig config;
    config.depth = vision.requireWhole("depth", {1, 10'000});
    config.hidden = vision.requireWhole("hidden_size", width);
    config.intermediate = vision.requireWhole("intermediate_size", width);
    config.heads = vision.requireWhole("num_heads", width);
    if (config.hidden % config.heads != 0)
        vision.fail(ErrorCode::contradictory, "hidden_size",
                    "is not a multiple of num_heads, which is " + std::to_string(config.heads));
    config.patchSize = vision.requireWhole("patch_size", small);
    config.spatialMerge = vision.requireWhole("spatial_merge_size", small);
    config.temporalPatch = vision.requireWhole("temporal_patch_size", small);
    config.inChannels = vision.optionalWhole("in_channels", small).value_or(3);
    config.outHidden = vision.requireWhole("out_hidden_size", width);
    if (config.outHidden != textHidden)
        vision.fail(ErrorCode::contradictory, "out_hidden_size",
                    "is not the hidden_size of the text model, which is " + std::to_string(textHidden),
                    std::to_string(textHidden));
    config.positionEmbeddings = vision.requireWhole("num_position_embeddings", {1, std::int64_t{1} << 24});
    config.deepstackIndexes = vision.wholeList("deepstack_visual_indexes", {0, config.depth - 1});
    return config;
}

Result<ModelConfig> readModelConfig(const std::filesystem::path& path, Origin origin) {
    const auto file = configFile(path);
    if (!file) return file.error();
    const auto document = readJsonFile(*file);
    if (!document) return document.error();

    Checker checker(file->string());
    CheckedMap top(checker, *document);
    const ModelFamily* family = readFamily(top);
    if (!family) return checker.error();

    ModelConfig config;
    config.name = modelName(*file);
    config.modelType = family->modelType;
    config.family = family->family;
    // Qwen3.6 uses the type and keys of Qwen3.5: only the name tells them apart
    if (config.family == "Qwen3.5" && config.name.find("3.6") != std::string::npos) config.family = "Qwen3.6";
    config.path = file->string();
    config.origin = origin;

    std::optional<CheckedMap> text = family->nested ? top.requireMap("text_config") : top;
    if (checker.failed()) return checker.error();
    config.text = readTextConfig(*text, top, *family, config.notes);
    if (family->nested) {
        if (auto vision = top.optionalMap("vision_config"))
            config.vision = readVisionConfig(*vision, config.text.hidden);
        else
            config.notes.emplace_back("The configuration has no vision_config: the model opens as a text model.");
    }
    if (checker.failed()) return checker.error();
    readQuantization(*document, *file, config);

    if (config.vision) config.imageLimits = readImageLimits(file->parent_path());
    return config;
}

} // namespace deltascope
