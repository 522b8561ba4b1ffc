// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory/memory.h"
#include "memory/weights.h"

namespace deltascope {
namespace {

using std::int64_t;

int64_t parametersOf(const std::vector<Weight>& weights) {
    int64_t sum = 0;
    for (const Weight& w : weights)
        if (w.parameter) sum += w.rows * w.columns * w.copies;
    return sum;
}

/// Parameters of `weights` that one token touches: of the routed experts only those it is sent to.
int64_t activeOf(const std::vector<Weight>& weights, const TextConfig& text) {
    int64_t sum = 0;
    for (const Weight& w : weights) {
        if (!w.parameter || w.group == WeightGroup::embedding) continue;
        const int64_t copies = w.group == WeightGroup::experts ? text.moe->expertsPerToken : w.copies;
        sum += w.rows * w.columns * copies;
    }
    return sum;
}

} // namespace

ParameterCounts countParameters(const ModelConfig& model) {
    ParameterCounts counts;
    const TextConfig& text = model.text;
    const auto add = [&](const std::vector<Weight>& weights) {
        counts.text += parametersOf(weights);
        counts.active += activeOf(weights, text);
    };
    add(outerWeights(text));
    for (std::size_t i = 0; i < text.layers.size(); ++i) add(layerWeights(text, text.layers[i], text.sparseLayer[i]));
    if (model.vision) counts.vision = parametersOf(visionWeights(*model.vision));
    if (text.mtpLayers > 0) {
        counts.mtp = parametersOf(mtpWeights(text)) +
                     text.mtpLayers * parametersOf(layerWeights(text, LayerType::fullAttention, text.moe.has_value()));
    }
    counts.total = counts.text + counts.vision + (text.mtpInConfig ? counts.mtp : 0);
    return counts;
}

} // namespace deltascope
