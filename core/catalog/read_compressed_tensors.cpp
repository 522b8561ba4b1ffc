// SPDX-License-Identifier: GPL-3.0-or-later
// The form of compressed-tensors (llm-compressor): groups of targets with the formats of weights and activations, and a
// list of what is ignored.
#include "catalog/quantization_sections.h"

#include <algorithm>

namespace deltascope {
namespace {

/// Format of the weights or activations of a group.
struct Format {
    std::int64_t bits = 0;
    bool floating = false;
    bool symmetric = true;
    bool dynamic = false;
    std::string strategy; ///< tensor, channel, token, group, block
    std::int64_t groupSize = 0;
    std::int64_t blockRows = 0; ///< output columns of the weight, as PyTorch stores it
    std::int64_t blockColumns = 0;
};

constexpr WholeRange blockSide{1, 1 << 20};

Format readFormat(CheckedMap& map, const DocumentValue& document) {
    Format f;
    f.bits = map.requireWhole("num_bits", {1, 64});
    f.floating = map.optionalChoice<bool>("type", {{"int", false}, {"float", true}}).value_or(false);
    f.symmetric = map.optionalFlag("symmetric").value_or(true);
    const DocumentValue* dynamic = document.find("dynamic"); // true, false or "local"
    f.dynamic = dynamic && (dynamic->boolean || dynamic->kind == DocumentValue::Kind::text);
    f.strategy = map.optionalText("strategy").value_or("");
    f.groupSize = std::max<std::int64_t>(0, map.optionalWhole("group_size", {-1, blockSide.max}).value_or(0));
    if (f.strategy == "block") {
        const auto block = map.wholeList("block_structure", blockSide);
        if (block.size() == 2) {
            f.blockRows = block[0];
            f.blockColumns = block[1];
        } else {
            map.fail(ErrorCode::missingKey, "block_structure", "is no pair of sides", "a list such as [128, 128]");
        }
    }
    return f;
}

std::string wordsOf(const Format& f) { return std::to_string(f.bits) + "-bit " + (f.floating ? "float" : "integer"); }

ScaleLayout layoutOf(const Format& weights, std::int32_t bits) {
    const auto n = [](std::int64_t size) { return static_cast<std::int32_t>(size); };
    if (weights.strategy == "tensor") return {0, 0, bits};
    if (weights.strategy == "block") return {n(weights.blockColumns), n(weights.blockRows), bits};
    return {n(weights.groupSize), 1, bits};
}

/// The scheme that simulates a pair of formats; a problem of `map` when there is none.
StoredFormat schemeFor(CheckedMap& map, const Format& weights, const std::optional<Format>& activations) {
    const auto is = [](const Format& f, bool floating, std::int64_t bits) {
        return f.floating == floating && f.bits == bits;
    };
    const bool int8Input = activations && is(*activations, false, 8);
    const std::int32_t zeroPoint = weights.symmetric ? 0 : static_cast<std::int32_t>(weights.bits);
    if (int8Input && is(weights, false, 8))
        return {activations->dynamic ? Scheme::w8a8Dynamic : Scheme::w8a8Static, layoutOf(weights, 32 + zeroPoint)};
    if (int8Input && is(weights, false, 4))
        return {activations->dynamic ? Scheme::w4a8Dynamic : Scheme::w4a8Static, layoutOf(weights, 32 + zeroPoint)};
    if (activations && is(*activations, true, 8) && is(weights, true, 8)) return {Scheme::fp8, layoutOf(weights, 32)};
    if (activations && is(*activations, true, 4) && is(weights, true, 4)) return {Scheme::mxfp4, layoutOf(weights, 8)};
    if (!activations && weights.bits == 8)
        return {Scheme::w8a16, layoutOf(weights, weights.floating ? 32 : 16 + zeroPoint)};
    if (!activations && weights.bits == 4)
        return {Scheme::w4a16, layoutOf(weights, weights.floating ? 8 : 16 + zeroPoint)};
    map.fail(ErrorCode::unsupported, "weights",
             wordsOf(weights) + " weights with " + (activations ? wordsOf(*activations) : "unquantized") +
                 " activations are no scheme that is simulated",
             "integer 8 and 8, 4 and 8; float 8 and 8, 4 and 4; weights alone of 8 or 4 bits");
    return {};
}

struct Group {
    ModuleList targets;
    bool linears = false; ///< every linear module
    bool experts = false;
    StoredFormat format;
};

Group readGroup(CheckedMap& map, const DocumentValue& document) {
    Group group;
    for (const std::string& target : map.textList("targets")) {
        if (target == "Linear" || target == "LinearBase")
            group.linears = true;
        else if (target == "FusedMoE")
            group.experts = true;
        else
            group.targets.add(map, "targets", target);
    }
    std::optional<Format> activations;
    if (auto input = map.optionalMap("input_activations"))
        activations = readFormat(*input, *document.find("input_activations"));
    if (auto weights = map.requireMap("weights"))
        group.format = schemeFor(map, readFormat(*weights, *document.find("weights")), activations);
    return group;
}

struct Groups {
    ModuleList ignored;
    std::vector<Group> groups;

    /// What is ignored first; then names and expressions, then kinds of module, in the order of the file.
    [[nodiscard]] Scheme of(std::span<const std::string> names, ModuleRole role) const {
        if (ignored.holdsAny(names)) return Scheme::bf16;
        for (const Group& group : groups)
            if (std::any_of(names.begin(), names.end(), [&](const auto& name) { return group.targets.names(name); }))
                return group.format.scheme;
        for (const Group& group : groups)
            if (group.targets.holdsAny(names)) return group.format.scheme;
        for (const Group& group : groups)
            if (group.linears || (group.experts && role == ModuleRole::expert)) return group.format.scheme;
        return Scheme::bf16;
    }
};

} // namespace

QuantizationForm readCompressedTensors(CheckedMap& config, const DocumentValue& document) {
    QuantizationForm form;
    form.method = "compressed-tensors";
    const auto all = std::make_shared<Groups>();
    for (const std::string& entry : config.textList("ignore")) all->ignored.add(config, "ignore", entry);
    const DocumentValue* groups = document.find("config_groups");
    auto map = config.requireMap("config_groups");
    for (std::size_t i = 0; map && i < groups->members.size(); ++i) {
        const DocumentMember& member = groups->members[i];
        auto group = map->requireMap(member.key);
        if (!group) break;
        all->groups.push_back(readGroup(*group, member.value));
        const StoredFormat& format = all->groups.back().format;
        form.scalesOf(format.scheme) = format.scales;
    }
    if (const auto cache = config.optionalMap("kv_cache_scheme"))
        form.notes.emplace_back("the checkpoint has scales for a quantized KV cache: kv_cache int8 or fp8 makes use of "
                                "them, the scenario chooses");
    form.lookup = [all](std::span<const std::string> names, ModuleRole role) { return all->of(names, role); };
    form.gaveUp = [all] {
        return all->ignored.exhausted() || std::any_of(all->groups.begin(), all->groups.end(),
                                                       [](const Group& g) { return g.targets.exhausted(); });
    };
    return form;
}

} // namespace deltascope
