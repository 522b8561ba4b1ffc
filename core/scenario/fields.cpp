// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario/fields.h"

#include "base/format.h"
#include "base/numbers.h"
#include "base/spelling.h"

#include <algorithm>
#include <array>
#include <type_traits>

namespace deltascope {
namespace {

using Kind = ScenarioField::Kind;

Error refusal(const ScenarioField& field, ErrorCode code, std::string_view text, std::string why) {
    return {code,           std::string(field.name),     printable(text.empty() ? "''" : text),
            std::move(why), std::string(field.accepted), {}};
}

bool looksWhole(std::string_view text) {
    if (text.starts_with('-')) text.remove_prefix(1);
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Each `access` gives the member of a Scenario that a field stands for.

template <auto access>
Result<void> setText(const ScenarioField& field, Scenario& scenario, std::string_view text) {
    if (text.empty()) return refusal(field, ErrorCode::wrongType, text, "is empty");
    access(scenario) = std::string(text);
    return {};
}

template <auto access>
Result<void> setWhole(const ScenarioField& field, Scenario& scenario, std::string_view text) {
    const auto number = wholeNumber(text);
    if (!number) return notWhole(field.name, text, field.range);
    access(scenario) = *number;
    return {};
}

/// As setWhole, for the fields that a list of requests replaces.
template <auto access>
Result<void> setOfRequests(const ScenarioField& field, Scenario& scenario, std::string_view text) {
    if (!scenario.requests.empty()) {
        Error error = refusal(field, ErrorCode::contradictory, text, "the scenario lists its requests one by one");
        error.accepted = "either requests, or queries, query_length and context_length";
        return error;
    }
    return setWhole<access>(field, scenario, text);
}

template <auto access>
Result<void> setReal(const ScenarioField& field, Scenario& scenario, std::string_view text) {
    const auto number = finiteNumber(text);
    if (!number) return refusal(field, ErrorCode::wrongType, text, "is not a finite number");
    access(scenario) = *number;
    return {};
}

template <auto access>
Result<void> setFlag(const ScenarioField& field, Scenario& scenario, std::string_view text) {
    const bool yes = text == "true" || text == "on";
    if (!yes && text != "false" && text != "off")
        return refusal(field, ErrorCode::wrongType, text, "is neither true nor false");
    access(scenario) = yes;
    return {};
}

template <auto access, auto fromName>
Result<void> setChoice(const ScenarioField& field, Scenario& scenario, std::string_view text) {
    const auto chosen = fromName(text);
    if (!chosen) return refusal(field, ErrorCode::wrongType, text, "is not known");
    access(scenario) = *chosen;
    return {};
}

template <auto access>
Result<void> addToList(const ScenarioField& field, Scenario& scenario, std::string_view text) {
    if (text.empty()) return refusal(field, ErrorCode::wrongType, text, "is empty");
    access(scenario).emplace_back(text);
    return {};
}

template <auto access>
Result<void> setImage(const ScenarioField& field, Scenario& scenario, std::string_view text) {
    const auto image = imageFromText(text);
    if (!image) return refusal(field, ErrorCode::wrongType, text, "is not a number of images and their size");
    ImageChoice chosen = access(scenario).value_or(ImageChoice{});
    chosen.count = image->count;
    chosen.height = image->height;
    chosen.width = image->width;
    access(scenario) = chosen;
    return {};
}

std::string textOf(const std::string& value) { return value; }
std::string textOf(std::int64_t value) { return std::to_string(value); }
std::string textOf(double value) { return formatExact(value); }
std::string textOf(bool value) { return value ? "true" : "false"; }
std::string textOf(Phase value) { return std::string(nameOf(value)); }
std::string textOf(HostMode value) { return std::string(nameOf(value)); }
std::string textOf(KvDType value) { return std::string(nameOf(value)); }
std::string textOf(Scheme value) { return std::string(factsOf(value).name); }
template <class T>
std::string textOf(const std::optional<T>& value) {
    return textOf(*value);
}

template <auto access>
std::optional<std::string> get(const Scenario& scenario) {
    static const Scenario defaults;
    if (access(scenario) == access(defaults)) return std::nullopt;
    return textOf(access(scenario));
}
std::optional<std::string> getNothing(const Scenario&) { return std::nullopt; }
template <auto access>
std::optional<std::string> getAlways(const Scenario& scenario) {
    return textOf(access(scenario));
}

/// A scheme, or the word for the checkpoint's own.
Result<void> setLinears(const ScenarioField& field, Scenario& scenario, std::string_view text) {
    Quantization& q = scenario.quantization;
    const bool checkpoint = equalIgnoringCase(text, checkpointWord);
    const auto scheme = checkpoint ? Quantization{}.linear : schemeFromName(text);
    if (!scheme) return refusal(field, ErrorCode::wrongType, text, "is not known");
    q.linear = *scheme;
    q.checkpoint = checkpoint;
    return {};
}
std::optional<std::string> getLinears(const Scenario& scenario) {
    const std::string_view name = linearName(scenario.quantization);
    if (name == linearName({})) return std::nullopt;
    return std::string(name);
}

std::optional<Phase> phaseFromName(std::string_view name) {
    for (Phase phase : {Phase::prefill, Phase::decode})
        if (nameOf(phase) == name) return phase;
    return std::nullopt;
}

// clang-format off
#define MEMBER(path) [](auto& s) -> auto& { return s.path; }
// clang-format on

constexpr std::string_view schemeNames =
    "BF16, FP16, W8A16, W8A8_STATIC, W8A8_DYNAMIC, W4A8_STATIC, W4A8_DYNAMIC, FP8, MXFP4 or W4A16";

constexpr std::string_view linearNames =
    "BF16, FP16, W8A16, W8A8_STATIC, W8A8_DYNAMIC, W4A8_STATIC, W4A8_DYNAMIC, FP8, MXFP4, W4A16 or CHECKPOINT";

template <auto access>
constexpr ScenarioField whole(std::string_view name, std::string_view key, Range range, std::string_view help) {
    return {name, key, "N", help, Kind::whole, setWhole<access>, get<access>, range};
}
template <auto access>
constexpr ScenarioField ofRequests(std::string_view name, Range range, std::string_view help) {
    return {name, name, "N", help, Kind::whole, setOfRequests<access>, get<access>, range};
}
template <auto access>
constexpr ScenarioField real(std::string_view name, std::string_view key, std::string_view value,
                             std::string_view accepted, std::string_view help) {
    return {name, key, value, help, Kind::real, setReal<access>, get<access>, {}, accepted};
}
template <auto access>
constexpr ScenarioField scheme(std::string_view name, std::string_view key, std::string_view help) {
    return {name, key, "SCHEME", help, Kind::choice, setChoice<access, schemeFromName>, get<access>, {}, schemeNames};
}
template <auto access>
constexpr ScenarioField text(std::string_view name, std::string_view help) {
    return {name,
            name,
            "NAME|PATH",
            help,
            Kind::text,
            setText<access>,
            getAlways<access>,
            {},
            "the name of a built-in one, a file or a folder"};
}
template <auto access>
constexpr ScenarioField flag(std::string_view name, std::string_view help) {
    return {name, name, "", help, Kind::flag, setFlag<access>, get<access>, {}, "true or false"};
}

constexpr std::array fields{
    text<MEMBER(model)>("model", "model: a built-in name, a config.json or its folder"),
    text<MEMBER(device)>("device", "device: a built-in name or a YAML file"),
    text<MEMBER(engine)>("engine", "inference engine: a built-in name or a YAML file"),
    ScenarioField{"phase",
                  "phase",
                  "prefill|decode",
                  "what the requests do in this step",
                  Kind::choice,
                  setChoice<MEMBER(phase), phaseFromName>,
                  getAlways<MEMBER(phase)>,
                  {},
                  "prefill or decode"},
    ofRequests<MEMBER(queries)>("queries", limits::queries, "requests of all data-parallel ranks together"),
    ofRequests<MEMBER(queryLength)>("query_length", limits::queryLength,
                                    "tokens each request feeds (1 + MTP tokens in decode, 1,024 in prefill)"),
    ofRequests<MEMBER(contextLength)>("context_length", limits::contextLength,
                                      "tokens each request has in its cache (4,096 in decode, 0 in prefill)"),
    whole<MEMBER(mtpTokens)>("mtp_tokens", "mtp.tokens", limits::mtpTokens, "tokens drafted per step"),
    real<MEMBER(acceptance)>("acceptance", "mtp.acceptance", "P", "0 to 1", "share of drafts accepted, per position"),
    real<MEMBER(acceptedLength)>("accepted_length", "mtp.accepted_length", "L", "1 to 1 + MTP tokens",
                                 "mean tokens per step, instead of --acceptance"),
    ScenarioField{"quantization",
                  "quantization.linear",
                  "SCHEME|CHECKPOINT",
                  "scheme of the linears; CHECKPOINT: each module as the checkpoint has it stored",
                  Kind::choice,
                  setLinears,
                  getLinears,
                  {},
                  linearNames},
    scheme<MEMBER(quantization.experts)>("expert_quantization", "quantization.experts",
                                         "scheme of the experts (as the linears)"),
    ScenarioField{"kv_cache",
                  "quantization.kv_cache",
                  "bf16|int8|fp8",
                  "format of the KV cache",
                  Kind::choice,
                  setChoice<MEMBER(quantization.kvCache), kvDTypeFromName>,
                  get<MEMBER(quantization.kvCache)>,
                  {},
                  "bf16, int8 or fp8"},
    scheme<MEMBER(quantization.lmHead)>("lm_head_quantization", "quantization.lm_head",
                                        "scheme of the lm_head (unquantized)"),
    ScenarioField{"keep_bf16",
                  "quantization.keep_bf16",
                  "PATTERN",
                  "modules or layers kept unquantized, a glob such as 'layers.3.*' (may be repeated)",
                  Kind::list,
                  addToList<MEMBER(quantization.keepBf16)>,
                  getNothing,
                  {},
                  "a glob on the module path"},
    ScenarioField{"host",
                  "host",
                  "eager|full_decode_only|full_and_piecewise",
                  "what the host launches as graphs instead of kernel by kernel (as the engine does)",
                  Kind::choice,
                  setChoice<MEMBER(host), hostModeFromName>,
                  get<MEMBER(host)>,
                  {},
                  "eager, full_decode_only or full_and_piecewise"},
    flag<MEMBER(allFull)>("all_full", "make every layer a full-attention one"),
    real<MEMBER(prefixHit)>("prefix_hit", "prefix_hit", "R", "0 to less than 1",
                            "share of a prefill's tokens found in a prefix cache"),
    real<MEMBER(routingSkew)>("routing_skew", "routing_skew", "S", "0 (uniform) or more",
                              "how unevenly tokens are routed to experts"),
    whole<MEMBER(parallel.tp)>("tp", "parallel.tp", limits::ranks, "tensor-parallel ranks"),
    whole<MEMBER(parallel.ep)>("ep", "parallel.ep", limits::ranks, "expert-parallel ranks"),
    whole<MEMBER(parallel.dp)>("dp", "parallel.dp", limits::ranks, "data-parallel ranks"),
    whole<MEMBER(parallel.visionTp)>("vision_tp", "parallel.vision_tp", limits::ranks, "ranks of the vision tower"),
    whole<MEMBER(parallel.oProjTp)>("o_proj_tp", "parallel.o_proj_tp", limits::ranks,
                                    "ranks of o_proj and out_proj (as --tp)"),
    whole<MEMBER(parallel.lmHeadTp)>("lm_head_tp", "parallel.lm_head_tp", limits::ranks,
                                     "ranks of the lm_head (as --tp)"),
    whole<MEMBER(parallel.mtpLmHeadTp)>("mtp_lm_head_tp", "parallel.mtp_lm_head_tp", limits::ranks,
                                        "ranks of the MTP head's lm_head (as --tp)"),
    ScenarioField{"image",
                  "image",
                  "N@HxW",
                  "images of each request and their size in pixels",
                  Kind::image,
                  setImage<MEMBER(image)>,
                  getNothing,
                  {},
                  "N@HxW such as 1@1080x1920"},
    flag<MEMBER(paddingMask)>("padding_mask", "the batch is padded: a mask is applied"),
    whole<MEMBER(layers)>("layers", "layers", Range{1, 1024}, "keep the first N layers of the trunk"),
    ScenarioField{"calibration",
                  "calibration",
                  "on|off",
                  "use the device's calibration (on where it has one)",
                  Kind::flag,
                  setFlag<MEMBER(calibration)>,
                  get<MEMBER(calibration)>,
                  {},
                  "on or off"},
    whole<MEMBER(outputLength)>("output_length", "output_length", limits::contextLength,
                                "tokens each request generates, for its latency"),
};

#undef MEMBER

} // namespace

std::span<const ScenarioField> scenarioFields() { return fields; }

const ScenarioField* findScenarioField(std::string_view name) {
    const auto found =
        std::find_if(fields.begin(), fields.end(), [&](const auto& field) { return field.name == name; });
    return found == fields.end() ? nullptr : &*found;
}

std::optional<ImageChoice> imageFromText(std::string_view text) {
    const std::size_t at = text.find('@');
    const std::size_t by = text.find('x', at == std::string_view::npos ? 0 : at);
    if (at == std::string_view::npos || by == std::string_view::npos) return std::nullopt;
    const auto count = wholeNumber(text.substr(0, at));
    const auto height = wholeNumber(text.substr(at + 1, by - at - 1));
    const auto width = wholeNumber(text.substr(by + 1));
    const auto within = [](const std::optional<std::int64_t>& n, Range range) {
        return n && *n >= range.lowest && *n <= range.highest;
    };
    if (!within(count, imageCount) || !within(height, imageSide) || !within(width, imageSide)) return std::nullopt;
    return ImageChoice{*count, *height, *width, {}, {}};
}

Error notWhole(std::string_view name, std::string_view text, Range range) {
    const auto bound = [](std::int64_t n) { return formatCount(static_cast<double>(n)); };
    const bool huge = looksWhole(text);
    return {huge ? ErrorCode::outOfRange : ErrorCode::wrongType,
            std::string(name),
            printable(text.empty() ? "''" : text),
            huge ? "is out of range" : "is not a whole number",
            bound(range.lowest) + " to " + bound(range.highest),
            {}};
}

} // namespace deltascope
