// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the form of a checkpoint's quantization; reads the short forms itself: fp8, gptq, awq, and ModelSlim's list of
// tensors.
#include "base/spelling.h"
#include "catalog/model_sections.h"
#include "catalog/quantization_sections.h"

#include <algorithm>
#include <system_error>
#include <unordered_map>

namespace deltascope {
namespace {

namespace fs = std::filesystem;

constexpr WholeRange groupSizes{-1, 1 << 20}; // -1: one group, of all input columns
constexpr std::string_view descriptionFile = "quant_model_description.json";

void addAll(ModuleList& list, CheckedMap& config, std::string_view key) {
    for (const std::string& entry : config.textList(key)) list.add(config, key, entry);
}

std::int32_t groupRows(CheckedMap& config) {
    return static_cast<std::int32_t>(
        std::max<std::int64_t>(0, config.optionalWhole("group_size", groupSizes).value_or(0)));
}

/// Weights of 4 or 8 bits that run in the activations' format.
std::optional<Scheme> weightOnly(std::int64_t bits) {
    if (bits == 4) return Scheme::w4a16;
    if (bits == 8) return Scheme::w8a16;
    return std::nullopt;
}

/// What ModelSlim calls the schemes.
struct Word {
    std::string_view word;
    Scheme scheme;
};
constexpr std::array words{
    Word{"FLOAT", Scheme::bf16},           Word{"W8A8", Scheme::w8a8Static}, Word{"W8A8_DYNAMIC", Scheme::w8a8Dynamic},
    Word{"W8A8_MIX", Scheme::w8a8Dynamic}, Word{"W4A8", Scheme::w4a8Static}, Word{"W4A8_DYNAMIC", Scheme::w4a8Dynamic},
    Word{"W8A16", Scheme::w8a16},          Word{"W4A16", Scheme::w4a16},     Word{"W8A8_MXFP8", Scheme::fp8},
};

std::string wordList() {
    std::vector<std::string> list;
    for (const Word& word : words) list.emplace_back(word.word);
    return orList(list);
}

struct Form {
    std::string_view method;
    QuantizationForm (*read)(CheckedMap& config, const DocumentValue& document);
};
constexpr std::array forms{Form{"compressed-tensors", readCompressedTensors},
                           Form{"fp8", readFp8},
                           Form{"gptq", readGptq},
                           Form{"gptq_marlin", readGptq},
                           Form{"awq", readAwq},
                           Form{"awq_marlin", readAwq},
                           Form{"ascend", readDescription},
                           Form{"modelslim", readDescription}};

std::string formNames() {
    std::vector<std::string> names;
    for (const Form& form : forms) names.emplace_back(form.method);
    return orList(names);
}

Result<CheckpointQuantization> finish(Checker& checker, QuantizationForm form, const ModelConfig& model) {
    if (checker.failed()) return checker.error();
    form.path = checker.file();
    CheckpointQuantization quantization = resolveSchemes(form, model);
    if (checker.failed()) return checker.error();
    if (form.gaveUp && form.gaveUp())
        return Error{ErrorCode::tooLarge, "quantization_config", "", "its expressions take too long to match", "",
                     checker.file()};
    return quantization;
}

Result<CheckpointQuantization> readDescriptionFile(const fs::path& file, const ModelConfig& model) {
    constexpr DocumentLimits limits{.values = 4'000'000}; // a tensor each, of every expert
    const auto text = readTextFile(file);
    if (!text) return text.error();
    const auto document = parseJson(*text, file.string(), limits);
    if (!document) return document.error();
    Checker checker(file.string());
    CheckedMap map(checker, *document);
    return finish(checker, readDescription(map, *document), model);
}

/// The map that says how the checkpoint is quantized: at the top, or with the text model; null when there is none.
const DocumentValue* findConfig(const DocumentValue& document) {
    const DocumentValue* config = document.find("quantization_config");
    const DocumentValue* text = document.find("text_config");
    if (!config && text) config = text->find("quantization_config");
    return config && config->kind != DocumentValue::Kind::null ? config : nullptr;
}

bool namesTensors(const DocumentValue& config) {
    return std::any_of(config.members.begin(), config.members.end(),
                       [](const DocumentMember& member) { return member.key.ends_with(".weight"); });
}

} // namespace

QuantizationForm::QuantizationForm() {
    for (std::size_t i = 0; i < schemeCount; ++i) scales[i] = usualScales(static_cast<Scheme>(i));
}

QuantizationForm readFp8(CheckedMap& config, const DocumentValue&) {
    QuantizationForm form;
    form.method = "fp8";
    const auto kept = std::make_shared<ModuleList>();
    addAll(*kept, config, "modules_to_not_convert");
    addAll(*kept, config, "ignored_layers");
    const auto block = config.wholeList("weight_block_size", {1, groupSizes.max});
    if (block.size() == 2) // output columns first, as PyTorch stores weights
        form.scalesOf(Scheme::fp8) = {static_cast<std::int32_t>(block[1]), static_cast<std::int32_t>(block[0]), 32};
    else if (config.has("weight_block_size"))
        config.fail(ErrorCode::wrongType, "weight_block_size", "is no pair of sides", "a list such as [128, 128]");
    else
        form.scalesOf(Scheme::fp8) = {0, 0, 32};
    form.lookup = [kept](std::span<const std::string> names, ModuleRole role) -> std::optional<Scheme> {
        return role == ModuleRole::lmHead || kept->holdsAny(names) ? Scheme::bf16 : Scheme::fp8;
    };
    form.gaveUp = [kept] { return kept->exhausted(); };
    return form;
}

QuantizationForm readAwq(CheckedMap& config, const DocumentValue&) {
    QuantizationForm form;
    form.method = "awq";
    const auto scheme = weightOnly(config.requireWhole("bits", {1, 64}));
    if (!scheme) config.fail(ErrorCode::unsupported, "bits", "is no width that is simulated", "4 or 8");
    const bool zeroPoint = config.optionalFlag("zero_point").value_or(true);
    const std::int32_t bits = 16 + (zeroPoint ? (scheme == Scheme::w8a16 ? 8 : 4) : 0);
    form.scalesOf(scheme.value_or(Scheme::w4a16)) = {groupRows(config), 1, bits};
    const auto kept = std::make_shared<ModuleList>();
    addAll(*kept, config, "modules_to_not_convert");
    form.lookup = [kept, scheme](std::span<const std::string> names, ModuleRole role) -> std::optional<Scheme> {
        const bool linear = role == ModuleRole::linear || role == ModuleRole::expert;
        return linear && !kept->holdsAny(names) ? scheme : Scheme::bf16;
    };
    form.gaveUp = [kept] { return kept->exhausted(); };
    return form;
}

QuantizationForm readGptq(CheckedMap& config, const DocumentValue& document) {
    QuantizationForm form;
    form.method = "gptq";
    struct Rule {
        ModuleList modules;
        std::optional<Scheme> scheme; ///< none: left unquantized
    };
    struct Rules {
        std::vector<Rule> ordered;
        ModuleList inBlock; ///< empty: every linear module
        std::optional<Scheme> scheme;
        bool head = false;
    };
    const auto rules = std::make_shared<Rules>();
    const std::int64_t bits = config.requireWhole("bits", {1, 64});
    rules->scheme = weightOnly(bits);
    if (!rules->scheme) config.fail(ErrorCode::unsupported, "bits", "is no width that is simulated", "4 or 8");
    rules->head = config.optionalFlag("lm_head").value_or(false);
    // Scales of 16 bits and packed zero points, which symmetric checkpoints have too.
    const std::int32_t rows = groupRows(config);
    for (const auto& [scheme, zeroPoint] : {std::pair{Scheme::w4a16, 4}, std::pair{Scheme::w8a16, 8}})
        form.scalesOf(scheme) = {rows, 1, 16 + zeroPoint};
    if (const DocumentValue* blocks = document.find("modules_in_block_to_quantize"))
        for (const DocumentValue& block : blocks->items) {
            if (block.kind == DocumentValue::Kind::text)
                rules->inBlock.add(config, "modules_in_block_to_quantize", block.text);
            for (const DocumentValue& module : block.items)
                rules->inBlock.add(config, "modules_in_block_to_quantize", module.text);
        }
    if (auto dynamic = config.optionalMap("dynamic"))
        for (const DocumentMember& member : document.find("dynamic")->members) {
            std::string_view expression = member.key;
            Rule rule;
            if (expression.starts_with("-:")) {
                expression.remove_prefix(2);
            } else {
                if (expression.starts_with("+:")) expression.remove_prefix(2);
                const DocumentValue* own = member.value.find("bits");
                rule.scheme = own ? weightOnly(own->whole.value_or(0)) : rules->scheme;
                if (!rule.scheme)
                    dynamic->fail(ErrorCode::unsupported, member.key, "has a number of bits that is not simulated",
                                  "4 or 8");
            }
            rule.modules.addPattern(*dynamic, member.key, expression);
            rules->ordered.push_back(std::move(rule));
        }
    form.lookup = [rules](std::span<const std::string> names, ModuleRole role) -> std::optional<Scheme> {
        for (const Rule& rule : rules->ordered)
            if (rule.modules.holdsAny(names)) return rule.scheme.value_or(Scheme::bf16);
        if (role == ModuleRole::lmHead) return rules->head ? rules->scheme : Scheme::bf16;
        if (role == ModuleRole::router) return Scheme::bf16;
        return rules->inBlock.empty() || rules->inBlock.holdsAny(names) ? rules->scheme : Scheme::bf16;
    };
    form.gaveUp = [rules] {
        return std::any_of(rules->ordered.begin(), rules->ordered.end(),
                           [](const Rule& rule) { return rule.modules.exhausted(); });
    };
    return form;
}

QuantizationForm readDescription(CheckedMap& config, const DocumentValue& document) {
    QuantizationForm form;
    form.method = "modelslim";
    const std::int32_t rows = groupRows(config);
    for (const Scheme scheme : {Scheme::w4a8Static, Scheme::w4a8Dynamic}) form.scalesOf(scheme) = {rows, 1, 32};
    if (rows > 0) form.scalesOf(Scheme::w4a16) = {rows, 1, 16};
    form.scalesOf(Scheme::fp8) = {32, 1, 8}; // MX: one byte per 32 elements
    constexpr std::string_view suffix = ".weight";
    const auto tensors = std::make_shared<std::unordered_map<std::string, Scheme>>();
    for (const auto& [key, line, value] : document.members) {
        if (value.kind != DocumentValue::Kind::text) continue;
        const auto word = std::find_if(words.begin(), words.end(), [&](const Word& w) { return w.word == value.text; });
        if (word != words.end())
            tensors->emplace(key.ends_with(suffix) ? key.substr(0, key.size() - suffix.size()) : key, word->scheme);
        else if (key.ends_with(suffix))
            config.fail(ErrorCode::unsupported, key, "is no scheme that is simulated", wordList());
    }
    for (const std::string_view key : {"kv_quant_type", "fa_quant_type"})
        if (const auto type = config.optionalText(key); type && !type->empty())
            form.notes.push_back("the checkpoint has scales for a KV cache of type " + *type +
                                 ": kv_cache int8 makes use of them, the scenario chooses");
    form.lookup = [tensors](std::span<const std::string> names, ModuleRole) -> std::optional<Scheme> {
        for (const std::string& name : names)
            if (const auto found = tensors->find(name); found != tensors->end()) return found->second;
        return std::nullopt;
    };
    return form;
}

Result<std::optional<CheckpointQuantization>>
readCheckpointQuantization(const DocumentValue& document, const fs::path& file, const ModelConfig& model) {
    std::error_code ignored;
    const fs::path description = file.parent_path() / descriptionFile;
    const bool described = file.filename() == "config.json" && fs::exists(description, ignored);
    const auto wrapped = [](Result<CheckpointQuantization> read) -> Result<std::optional<CheckpointQuantization>> {
        if (!read) return read.error();
        return std::optional(std::move(*read));
    };
    const DocumentValue* config = findConfig(document);
    if (!config) {
        if (described) return wrapped(readDescriptionFile(description, model));
        return std::optional<CheckpointQuantization>();
    }
    Checker checker(file.string());
    CheckedMap map(checker, *config, "quantization_config");
    const std::string method = map.requireText("quant_method");
    const auto form = std::find_if(forms.begin(), forms.end(), [&](const Form& f) { return f.method == method; });
    if (form == forms.end()) {
        if (!checker.failed())
            map.fail(ErrorCode::unsupported, "quant_method", "is no form of quantization that is read", formNames());
        return checker.error();
    }
    if (form->read == readDescription && !namesTensors(*config)) {
        if (described) return wrapped(readDescriptionFile(description, model));
        return Error{ErrorCode::notFound,
                     "quantization_config",
                     "",
                     "names no tensors, and there is no " + std::string(descriptionFile) + " beside the file",
                     "",
                     file.string()};
    }
    return wrapped(finish(checker, form->read(map, *config), model));
}

} // namespace deltascope
