// SPDX-License-Identifier: GPL-3.0-or-later
// The modules of a model by the names that checkpoints write them by, and the scheme of each.
#include "catalog/quantization_sections.h"

#include <algorithm>

namespace deltascope {
namespace {

using Names = std::vector<std::string>;

/// Checkpoints that keep several projections as one tensor name it so.
constexpr std::array<std::pair<std::string_view, std::string_view>, 11> joined{{
    {"linear_attn.in_proj_qkv", "linear_attn.in_proj_qkvz"},
    {"linear_attn.in_proj_z", "linear_attn.in_proj_qkvz"},
    {"linear_attn.in_proj_b", "linear_attn.in_proj_ba"},
    {"linear_attn.in_proj_a", "linear_attn.in_proj_ba"},
    {"self_attn.q_proj", "self_attn.qkv_proj"},
    {"self_attn.k_proj", "self_attn.qkv_proj"},
    {"self_attn.v_proj", "self_attn.qkv_proj"},
    {"mlp.gate_proj", "mlp.gate_up_proj"},
    {"mlp.up_proj", "mlp.gate_up_proj"},
    {"mlp.shared_expert.gate_proj", "mlp.shared_expert.gate_up_proj"},
    {"mlp.shared_expert.up_proj", "mlp.shared_expert.gate_up_proj"},
}};

/// Paths of a module inside its layer; of expert number `expert` where it is one of the experts'.
Names pathsOf(const LayerModule& module, std::int64_t expert) {
    Names paths;
    if (module.role == ModuleRole::expert) {
        const std::string leaf(module.path.substr(module.path.rfind('.') + 1));
        paths.push_back("mlp.experts." + std::to_string(expert) + "." + leaf);
        paths.push_back("mlp.experts." + leaf);
        if (leaf != "down_proj") paths.emplace_back("mlp.experts.gate_up_proj");
        return paths;
    }
    paths.emplace_back(module.path);
    for (const auto& [path, whole] : joined)
        if (path == module.path) paths.emplace_back(whole);
    return paths;
}

Names under(const Names& places, const Names& paths) {
    Names names;
    for (const std::string& place : places)
        for (const std::string& path : paths) names.push_back(place + path);
    return names;
}

class Resolver {
public:
    Resolver(const QuantizationForm& form, const ModelConfig& model) : form_(form), model_(model), text_(model.text) {
        out_.method = form.method;
        out_.path = form.path;
        out_.scales = form.scales;
        out_.notes = form.notes;
    }

    CheckpointQuantization run() {
        trunk();
        if (text_.mtpLayers > 0) {
            for (std::size_t m = 0; m < layerModuleCount; ++m) {
                const bool has = hasModule(text_, LayerType::fullAttention, text_.moe.has_value(), layerModules[m]);
                if (has) out_.mtpLayer[m] = of({"mtp.layers.0.", "model.mtp.layers.0."}, layerModules[m]);
            }
            out_.mtpFc = ask({"mtp.fc", "model.mtp.fc"}, ModuleRole::linear);
        }
        // A head that shares the embedding's weight stays as that is.
        if (!text_.tiedEmbeddings) out_.lmHead = ask({"lm_head", "language_model.lm_head"}, ModuleRole::lmHead);
        if (model_.vision) {
            const Names tower{"model.visual.blocks.0.attn.qkv", "visual.blocks.0.attn.qkv"};
            const auto scheme = form_.lookup(tower, ModuleRole::linear);
            if (scheme && *scheme != Scheme::bf16)
                out_.notes.push_back("the checkpoint stores the vision tower as " + std::string(factsOf(*scheme).name) +
                                     "; it is simulated unquantized");
        }
        if (missing_ > 0)
            out_.notes.push_back(form_.path + " does not name " + std::to_string(missing_) +
                                 " modules, the first of them " + firstMissing_ + ": they are taken as unquantized");
        if (!unlike_.empty())
            out_.notes.push_back("the experts of a layer are stored in different schemes, first " + unlike_ +
                                 ": those of expert 0 are taken");
        return std::move(out_);
    }

private:
    void trunk() {
        const std::size_t depth = text_.layers.size();
        std::vector<LayerSchemes> layers(depth, LayerSchemes{});
        for (std::size_t m = 0; m < layerModuleCount; ++m) {
            const LayerModule& module = layerModules[m];
            std::optional<Scheme> elsewhere; // of the first layer that has the module, for those that have not
            std::vector<std::size_t> without;
            for (std::size_t i = 0; i < depth; ++i) {
                if (!hasModule(text_, text_.layers[i], text_.sparseLayer[i], module)) {
                    without.push_back(i);
                    continue;
                }
                const std::string layer = "layers." + std::to_string(i) + ".";
                layers[i][m] =
                    of({"model.language_model." + layer, "language_model.model." + layer, "model." + layer}, module);
                if (!elsewhere) elsewhere = layers[i][m];
            }
            for (const std::size_t i : without) layers[i][m] = elsewhere.value_or(Scheme::bf16);
        }
        for (const LayerSchemes& layer : layers) {
            const auto known = std::find(out_.kinds.begin(), out_.kinds.end(), layer);
            out_.kindOfLayer.push_back(static_cast<std::uint32_t>(known - out_.kinds.begin()));
            if (known == out_.kinds.end()) out_.kinds.push_back(layer);
        }
    }

    Scheme of(const Names& places, const LayerModule& module) {
        const Scheme scheme = ask(under(places, pathsOf(module, 0)), module.role);
        if (module.role == ModuleRole::expert && unlike_.empty()) {
            const Names last = under(places, pathsOf(module, text_.moe->experts - 1));
            const auto other = form_.lookup(last, module.role);
            if (other && *other != scheme) unlike_ = last.front();
        }
        return scheme;
    }

    Scheme ask(const Names& names, ModuleRole role) {
        if (const auto scheme = form_.lookup(names, role)) return *scheme;
        if (missing_++ == 0) firstMissing_ = names.front();
        return Scheme::bf16;
    }

    const QuantizationForm& form_;
    const ModelConfig& model_;
    const TextConfig& text_;
    CheckpointQuantization out_;
    std::int64_t missing_ = 0;
    std::string firstMissing_;
    std::string unlike_;
};

} // namespace

CheckpointQuantization resolveSchemes(const QuantizationForm& form, const ModelConfig& model) {
    return Resolver(form, model).run();
}

} // namespace deltascope
