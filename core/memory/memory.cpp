// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory/memory.h"

#include "graph/routing.h"
#include "memory/weights.h"
#include "scenario/module_scheme.h"

#include <algorithm>
#include <array>
#include <string>

namespace deltascope {
namespace {

using std::int64_t;

struct Sum {
    double bytes = 0.0;
    double parameters = 0.0;
};
using Sums = std::array<Sum, weightGroupCount>;

/// Share of a weight that one rank holds.
double shareOf(const ResolvedScenario& s, Split split) {
    const Parallelism& p = s.scenario.parallel;
    const auto over = [](int64_t n) { return 1.0 / static_cast<double>(n); };
    switch (split) {
    case Split::replicated: return 1.0;
    case Split::embedding: return s.engine->embedding == EmbeddingSplit::vocabularyParallel ? over(p.tp) : 1.0;
    case Split::sharedExpert: return s.engine->splitSharedExpert ? over(p.tp) : 1.0;
    case Split::draftFc: return s.engine->splitsDraftFc ? over(p.tp) : 1.0;
    case Split::tensorParallel: return over(p.tp);
    case Split::keyValueHeads: return over(std::min(p.tp, s.model->text.keyValueHeads));
    case Split::oProj: return over(s.oProjTp);
    case Split::lmHead: return over(s.lmHeadTp);
    case Split::vision: return over(p.visionTp);
    case Split::expert: return over(p.ep > 1 ? p.ep : p.tp);
    }
    return 1.0;
}

/// Expert parallelism deals out experts and leaves each whole.
bool holdsWholeExperts(const ResolvedScenario& s, const Weight& w) {
    return w.split == Split::expert && s.scenario.parallel.ep > 1;
}

/// A row-parallel split is by input columns: every rank has scales for all output columns.
bool splitsRows(const ResolvedScenario& s, const Weight& w) {
    return w.split == Split::oProj || (w.module.ends_with(".down_proj") && !holdsWholeExperts(s, w));
}

/// Key/value heads that a rank holds.
double localKeyValueHeads(const ResolvedScenario& s) {
    return static_cast<double>(std::max<int64_t>(1, s.model->text.keyValueHeads / s.scenario.parallel.tp));
}

/// FP32 scale and offset of every channel of K and V, of an INT8 cache's layer.
double cacheScales(const ResolvedScenario& s) {
    if (s.scenario.quantization.kvCache != KvDType::int8) return 0.0;
    return 2.0 * 2.0 * localKeyValueHeads(s) * static_cast<double>(s.model->text.headDim) *
           bytesPerElement(DType::fp32);
}

/// Adds `weights`, `times` over; into `only` when given (the MTP head and the vision tower are one group each).
void add(Sums& sums, const ResolvedScenario& s, const std::vector<Weight>& weights, std::string_view prefix,
         double times, const WeightGroup* only = nullptr) {
    const double plain = bytesPerElement(s.model->text.dtype);
    for (const Weight& w : weights) {
        const double n =
            static_cast<double>(w.rows * w.columns) * static_cast<double>(w.copies) * shareOf(s, w.split) * times;
        double bytes = 0.0;
        const bool fixed = w.role == ModuleRole::fixed || (w.split == Split::draftFc && !s.engine->quantizesDraftFc);
        if (fixed) {
            bytes = n * (w.fixedDType == DType::fp32 ? bytesPerElement(DType::fp32) : plain);
        } else {
            const Scheme scheme = schemeOf(s, w.role, prefix, w.module);
            const double share = shareOf(s, w.split);
            const bool byRows = splitsRows(s, w);
            const double rows = static_cast<double>(w.rows) * (byRows ? share : 1.0);
            const double columns = static_cast<double>(w.columns) * (byRows || holdsWholeExperts(s, w) ? 1.0 : share);
            const double copies = static_cast<double>(w.copies) * (holdsWholeExperts(s, w) ? share : 1.0);
            bytes = n * bytesPerElement(factsOf(scheme).weight) +
                    scaleBytes(scalesOf(s, scheme), rows, columns) * copies * times;
        }
        Sum& sum = sums[static_cast<std::size_t>(only ? *only : w.group)];
        sum.bytes += bytes;
        if (w.parameter) sum.parameters += n;
    }
}

Sums weightSums(const ResolvedScenario& s) {
    Sums sums{};
    const TextConfig& text = s.model->text;
    add(sums, s, outerWeights(text, s.engine->embedding == EmbeddingSplit::storage), "", 1.0);
    struct Kind {
        LayerType type;
        bool sparse;
        std::uint32_t schemeGroup;
        std::size_t first;
        double layers;
    };
    std::vector<Kind> kinds;
    for (std::size_t i = 0; i < s.layers.size(); ++i) {
        const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const Kind& k) {
            return k.type == s.layers[i] && k.sparse == text.sparseLayer[i] && k.schemeGroup == s.schemeGroups[i];
        });
        if (kind == kinds.end())
            kinds.push_back({s.layers[i], text.sparseLayer[i], s.schemeGroups[i], i, 1.0});
        else
            kind->layers += 1.0;
    }
    for (const Kind& k : kinds) {
        add(sums, s, layerWeights(text, k.type, k.sparse), layerPrefix(s, k.first), k.layers);
        if (k.type == LayerType::fullAttention)
            sums[static_cast<std::size_t>(WeightGroup::fullAttention)].bytes += cacheScales(s) * k.layers;
    }
    constexpr WeightGroup mtp = WeightGroup::mtp, vision = WeightGroup::vision;
    if (text.mtpLayers > 0) {
        add(sums, s, mtpWeights(text), "mtp", 1.0, &mtp);
        add(sums, s, layerWeights(text, LayerType::fullAttention, text.moe.has_value()), "mtp.layers.0",
            static_cast<double>(text.mtpLayers), &mtp);
        sums[static_cast<std::size_t>(mtp)].bytes += cacheScales(s) * static_cast<double>(text.mtpLayers);
    }
    if (s.model->vision) add(sums, s, visionWeights(*s.model->vision), "", 1.0, &vision);
    return sums;
}

ExpertMemory expertMemory(const ResolvedScenario& s, Bytes resident) {
    const Routing routing = routingOf(s, s.tokens);
    const MoeConfig& moe = *s.model->text.moe;
    const double local = static_cast<double>(moe.experts / s.scenario.parallel.ep);
    return {resident, resident * (routing.touchedExperts / local), routing.distinctExperts, moe.experts,
            routing.busiestShare};
}

double cachedTokens(const ResolvedScenario& s) {
    double tokens = 0.0;
    for (const Request& r : s.requests)
        tokens += static_cast<double>(r.count) * static_cast<double>(r.contextLength + r.queryLength);
    return tokens;
}

bool isLoaded(const ResolvedScenario& s, WeightGroup group, bool images) {
    switch (group) {
    case WeightGroup::mtp: return s.scenario.mtpTokens > 0;
    case WeightGroup::vision: return images;
    case WeightGroup::embedding: return s.engine->embedding != EmbeddingSplit::storage;
    default: return true;
    }
}

bool mentionsImages(const Scenario& scenario) {
    const auto any = [](const std::optional<ImageChoice>& image) { return image && image->count > 0; };
    return any(scenario.image) ||
           std::any_of(scenario.requests.begin(), scenario.requests.end(), [&](const auto& g) { return any(g.image); });
}

} // namespace

IdealMemory idealMemory(const ResolvedScenario& s) {
    IdealMemory memory;
    const TextConfig& text = s.model->text;
    const bool drafts = s.scenario.mtpTokens > 0;
    const bool images = mentionsImages(s.scenario);
    const Sums sums = weightSums(s);
    for (std::size_t i = 0; i < weightGroupCount; ++i) {
        const auto group = static_cast<WeightGroup>(i);
        if (sums[i].bytes == 0.0 || (group == WeightGroup::ropeTables && s.engine->ropeTables == RopeTables::computed)) continue;
        const bool loaded = isLoaded(s, group, images);
        memory.groups.push_back({nameOf(group), Bytes(sums[i].bytes), sums[i].parameters, loaded});
        if (loaded) memory.weights += Bytes(sums[i].bytes);
    }

    if (text.moe) memory.experts = expertMemory(s, Bytes(sums[static_cast<std::size_t>(WeightGroup::experts)].bytes));

    const int64_t t = s.scenario.parallel.tp;
    const double perTokenAndLayer = 2.0 * localKeyValueHeads(s) * static_cast<double>(text.headDim) *
                                    bytesPerElement(dtypeOf(s.scenario.quantization.kvCache));
    const double tokens = cachedTokens(s);
    double full = drafts ? static_cast<double>(text.mtpLayers) : 0.0;
    double all = full;
    double linear = 0.0;
    for (LayerType type : s.layers) {
        (type == LayerType::fullAttention ? full : linear) += 1.0;
        all += 1.0;
    }
    memory.kvCache = Bytes(tokens * perTokenAndLayer * full);
    memory.kvCacheAllFull = Bytes(tokens * perTokenAndLayer * all);
    memory.stateSlots = linear > 0.0 ? 1 + s.scenario.mtpTokens : 0;
    if (linear > 0.0) {
        const LinearAttentionConfig& c = *text.linear;
        const auto num = [](int64_t n) { return static_cast<double>(n); };
        const double slots = num(s.requestCount) * num(memory.stateSlots);
        const double state =
            num(c.valueHeads / t) * num(c.keyHeadDim) * num(c.valueHeadDim) * bytesPerElement(c.stateDType);
        const double channels = num(2 * (c.keyHeads / t) * c.keyHeadDim + (c.valueHeads / t) * c.valueHeadDim);
        const double columns = num(c.convKernel + s.engine->convStateColumns);
        memory.recurrentState = Bytes(slots * linear * state);
        memory.convState = Bytes(slots * linear * channels * columns *
                                 bytesPerElement(s.engine->memory ? s.engine->memory->convStateDType : text.dtype));
    }
    return memory;
}

} // namespace deltascope
