// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/checked_map.h"
#include "catalog/catalog.h"

namespace deltascope {
namespace {

const std::vector<std::pair<std::string, Fusion>> fusionWords{{"unfused", Fusion::unfused}, {"fused", Fusion::fused}};

} // namespace

Result<EngineProfile> readEngineProfile(const std::filesystem::path& path, Origin origin) {
    const auto document = readYamlFile(path);
    if (!document) return document.error();

    Checker checker(path.string());
    CheckedMap top(checker, *document);
    EngineProfile engine;
    engine.path = path.string();
    engine.origin = origin;
    engine.name = top.requireText("name");
    engine.summary = top.optionalText("summary").value_or("");
    const auto choose = [&](std::string_view key, auto& setting, const auto& words) {
        setting = top.optionalChoice(key, words).value_or(setting);
    };
    const auto flag = [&](std::string_view key, bool& setting) { setting = top.optionalFlag(key).value_or(setting); };
    using MultiToken = std::vector<std::pair<std::string, MultiTokenDecode>>;
    using Embedding = std::vector<std::pair<std::string, EmbeddingSplit>>;
    using Packing = std::vector<std::pair<std::string, ChunkPacking>>;
    using Rate = std::vector<std::pair<std::string, DType>>;
    using Columns = std::vector<std::pair<std::string, std::int64_t>>;

    choose("one_plus_weight_norm", engine.onePlusWeightNorm, fusionWords);
    choose("one_plus_weight_rope", engine.onePlusWeightRope, fusionWords);
    flag("fuse_mixer_residual", engine.fuseMixerResidual);
    flag("fuse_mlp_residual", engine.fuseMlpResidual);
    flag("merge_gate_projections", engine.mergeGateProjections);
    flag("fuse_linear_all_reduce", engine.fuseLinearAllReduce);
    choose("router_softmax", engine.routerSoftmax, fusionWords);
    flag("pad_expert_rows", engine.padExpertRows);
    flag("reduce_expert_rows", engine.reduceExpertRows);
    flag("split_shared_expert", engine.splitSharedExpert);
    choose("embedding", engine.embedding,
           Embedding{{"replicated", EmbeddingSplit::replicated},
                     {"vocabulary_parallel", EmbeddingSplit::vocabularyParallel}});
    choose("multi_token_decode", engine.multiTokenDecode,
           MultiToken{{"recurrent", MultiTokenDecode::recurrent}, {"chunk", MultiTokenDecode::chunk}});
    flag("split_mixed_steps", engine.splitMixedSteps);
    choose("chunk_packing", engine.chunkPacking,
           Packing{{"step", ChunkPacking::step}, {"request", ChunkPacking::request}});
    flag("causal_discount", engine.causalDiscount);
    flag("counts_bias", engine.countsBias);
    choose("float_path", engine.floatPath, Rate{{"bf16", DType::bf16}, {"fp16", DType::fp16}, {"fp32", DType::fp32}});
    choose("conv_state_columns", engine.convStateColumns, Columns{{"K", 0}, {"K-1", -1}});
    flag("applies_calibration", engine.appliesCalibration);
    engine.sources = top.textList("sources");
    top.refuseUnknownKeys();
    if (checker.failed()) return checker.error();
    return engine;
}

} // namespace deltascope
