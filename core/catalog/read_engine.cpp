// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/checked_map.h"
#include "base/operator_kind.h"
#include "base/spelling.h"
#include "catalog/catalog.h"

#include <algorithm>

namespace deltascope {
namespace {

const std::vector<std::pair<std::string, Fusion>> fusionWords{{"unfused", Fusion::unfused}, {"fused", Fusion::fused}};

void readLayout(CheckedMap& top, EngineProfile& engine) {
    using Kind = LayoutKernels::Kind;
    const std::vector<std::pair<std::string, Kind>> kinds{{"transpose", Kind::transpose}, {"slice", Kind::slice},
                                                          {"copy", Kind::copy},           {"scatter", Kind::scatter},
                                                          {"concat", Kind::concat},       {"cast", Kind::cast}};
    using When = LayoutKernels::When;
    const std::vector<std::pair<std::string, When>> times{
        {"prefill", When::prefill}, {"mixed", When::mixed}, {"decode", When::decode}, {"always", When::always}};
    for (CheckedMap& entry : top.maps("layout")) {
        LayoutKernels layout;
        layout.kind = entry.requireChoice("kind", kinds);
        layout.launches = static_cast<int>(entry.requireWhole("launches", {1, 1000}));
        layout.passes = entry.requireNumber("passes", {.min = 0.0, .max = 1000.0, .aboveMin = true});
        layout.when = entry.optionalChoice("when", times).value_or(layout.when);
        entry.refuseUnknownKeys();
        engine.layout.push_back(layout);
    }
}

void readKernels(CheckedMap& top, EngineProfile& engine) {
    for (CheckedMap& entry : top.maps("kernels")) {
        KernelName kernel;
        kernel.name = entry.requireName("name");
        static const std::vector<std::string> kinds(operatorKindNames.begin(), operatorKindNames.end());
        kernel.kind = entry.requireText("kind");
        if (!kernel.kind.empty() && std::find(kinds.begin(), kinds.end(), kernel.kind) == kinds.end()) {
            const auto meant = nearest(kernel.kind, kinds);
            entry.fail(ErrorCode::outOfRange, "kind",
                       meant ? "is no kind of operator, perhaps " + *meant + " is meant" : "is no kind of operator",
                       orList(kinds));
        }
        kernel.quantized = entry.optionalFlag("quantized");
        kernel.minStepTokens = entry.optionalWhole("min_step_tokens").value_or(0);
        kernel.minColumns = entry.optionalWhole("min_columns").value_or(0);
        entry.refuseUnknownKeys();
        engine.kernels.push_back(std::move(kernel));
    }
}

void readTokenByToken(CheckedMap& top, EngineProfile& engine) {
    auto map = top.optionalMap("token_by_token");
    if (!map) return;
    TokenByToken settings;
    settings.launches = static_cast<int>(map->optionalWhole("launches", {1, 1000}).value_or(settings.launches));
    const std::vector<std::pair<std::string, bool>> places{{"cached", true}, {"streamed", false}};
    settings.cachedState = map->optionalChoice("state", places).value_or(settings.cachedState);
    map->refuseUnknownKeys();
    engine.tokenByToken = settings;
}

void readFourBitScales(CheckedMap& top, EngineProfile& engine) {
    auto map = top.optionalMap("four_bit_scales");
    if (!map) return;
    ScaleLayout layout;
    layout.columns = 1;
    layout.rows = static_cast<std::int32_t>(map->requireWhole("rows", {1, 65536}));
    layout.bits = static_cast<std::int32_t>(map->requireWhole("bits", {1, 64}));
    map->refuseUnknownKeys();
    engine.fourBitScales = layout;
}

void readHost(CheckedMap& top, EngineProfile& engine) {
    auto host = top.optionalMap("host");
    if (!host) return;
    std::vector<std::pair<std::string, HostMode>> modes;
    for (HostMode mode : hostModes) modes.emplace_back(nameOf(mode), mode);
    HostSettings settings;
    settings.dispatch =
        Seconds(host->requireNumber("dispatch_s", {.min = 0.0, .max = 1.0, .aboveMin = true, .unit = "seconds"}));
    settings.mode = host->requireChoice("mode", modes);
    host->refuseUnknownKeys();
    engine.host = settings;
}

void readMemory(CheckedMap& top, EngineProfile& engine) {
    auto map = top.optionalMap("memory");
    if (!map) return;
    EngineMemorySettings memory;
    constexpr double most = 1e13;
    memory.blockTokens = map->optionalWhole("block_tokens", {1, 65536}).value_or(memory.blockTokens);
    memory.usableFraction = map->optionalNumber("usable_fraction", {.min = 0.0, .max = 1.0, .aboveMin = true})
                                .value_or(memory.usableFraction);
    memory.reservedBytes =
        map->optionalNumber("reserved_bytes", {.min = 0.0, .max = most, .unit = "bytes"}).value_or(0.0);
    memory.communicationBytes =
        map->optionalNumber("communication_bytes", {.min = 0.0, .max = most, .unit = "bytes"}).value_or(0.0);
    const std::vector<std::pair<std::string, DType>> formats{{"bf16", DType::bf16}, {"fp32", DType::fp32}};
    memory.convStateDType = map->optionalChoice("conv_state", formats).value_or(memory.convStateDType);
    memory.paged = map->optionalFlag("paged").value_or(true);
    memory.prefixCheckpoints = map->optionalFlag("prefix_checkpoints").value_or(false);
    memory.keepsVisionTower = map->optionalFlag("keeps_vision_tower").value_or(true);
    map->refuseUnknownKeys();
    engine.memory = memory;
}

} // namespace

Result<EngineProfile> readEngineProfile(const std::filesystem::path& path, Origin origin) {
    const auto document = readYamlFile(path);
    if (!document) return document.error();

    Checker checker(path.string());
    CheckedMap top(checker, *document);
    EngineProfile engine;
    engine.path = path.string();
    engine.origin = origin;
    engine.name = top.requireName("name");
    engine.summary = top.optionalText("summary").value_or("");
    const auto choose = [&](std::string_view key, auto& setting, const auto& words) {
        setting = top.optionalChoice(key, words).value_or(setting);
    };
    const auto flag = [&](std::string_view key, bool& setting) { setting = top.optionalFlag(key).value_or(setting); };
    using MultiToken = std::vector<std::pair<std::string, MultiTokenDecode>>;
    using Embedding = std::vector<std::pair<std::string, EmbeddingSplit>>;
    using Chunk = std::vector<std::pair<std::string, ChunkKernels>>;
    using Packing = std::vector<std::pair<std::string, ChunkPacking>>;
    using Tables = std::vector<std::pair<std::string, RopeTables>>;
    using Drafts = std::vector<std::pair<std::string, LaterDrafts>>;
    using Rate = std::vector<std::pair<std::string, DType>>;
    using Columns = std::vector<std::pair<std::string, std::int64_t>>;

    choose("one_plus_weight_norm", engine.onePlusWeightNorm, fusionWords);
    choose("one_plus_weight_rope", engine.onePlusWeightRope, fusionWords);
    flag("fuse_mixer_residual", engine.fuseMixerResidual);
    flag("fuse_mlp_residual", engine.fuseMlpResidual);
    flag("qk_norm_in_rope", engine.qkNormInRope);
    flag("dynamic_quantize", engine.dynamicQuantize);
    flag("merge_projections", engine.mergeProjections);
    flag("merge_gate_projections", engine.mergeGateProjections);
    flag("collectives", engine.collectives);
    choose("rope_tables", engine.ropeTables,
           Tables{{"whole", RopeTables::whole}, {"rows", RopeTables::rows}, {"computed", RopeTables::computed}});
    flag("fuse_linear_all_reduce", engine.fuseLinearAllReduce);
    choose("router_softmax", engine.routerSoftmax, fusionWords);
    flag("pad_expert_rows", engine.padExpertRows);
    flag("reduce_expert_rows", engine.reduceExpertRows);
    flag("split_shared_expert", engine.splitSharedExpert);
    choose("embedding", engine.embedding,
           Embedding{{"replicated", EmbeddingSplit::replicated},
                     {"vocabulary_parallel", EmbeddingSplit::vocabularyParallel},
                     {"storage", EmbeddingSplit::storage}});
    choose("multi_token_decode", engine.multiTokenDecode,
           MultiToken{{"recurrent", MultiTokenDecode::recurrent}, {"chunk", MultiTokenDecode::chunk}});
    flag("split_mixed_steps", engine.splitMixedSteps);
    choose("chunk_kernels", engine.chunkKernels,
           Chunk{{"operator", ChunkKernels::oneOperator},
                 {"fused", ChunkKernels::fused},
                 {"stages", ChunkKernels::stages}});
    flag("conv_body_moves_state", engine.convBodyMovesState);
    choose("later_drafts", engine.laterDrafts,
           Drafts{{"step", LaterDrafts::step}, {"request", LaterDrafts::request}, {"padded", LaterDrafts::padded}});
    flag("quantizes_draft_fc", engine.quantizesDraftFc);
    flag("splits_draft_fc", engine.splitsDraftFc);
    flag("quantizes_lm_head", engine.quantizesLmHead);
    flag("dense_int8_prefill", engine.denseInt8Prefill);
    flag("fp8_kv_cache", engine.fp8KvCache);
    readTokenByToken(top, engine);
    readFourBitScales(top, engine);
    readLayout(top, engine);
    readKernels(top, engine);
    readMemory(top, engine);
    readHost(top, engine);
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
