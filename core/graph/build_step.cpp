// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph/build_step.h"

#include "graph/context.h"
#include "graph/vision.h"

#include <algorithm>

namespace deltascope {
namespace {

std::int64_t roundedUp(std::int64_t n, std::int64_t unit) { return (n + unit - 1) / unit * unit; }

StepMetadata metadataOf(const ResolvedScenario& s) {
    StepMetadata m;
    const auto n = static_cast<std::size_t>(s.requestCount);
    m.queryLengths.reserve(n);
    m.isDecode.reserve(n);
    m.positionStarts.reserve(n);
    bool anyDecode = false;
    for (const Request& r : s.requests) {
        const auto count = static_cast<std::size_t>(r.count);
        m.queryLengths.insert(m.queryLengths.end(), count, r.queryLength);
        m.isDecode.insert(m.isDecode.end(), count, r.phase == Phase::decode);
        m.positionStarts.insert(m.positionStarts.end(), count, r.contextLength);
        m.hasPreviousState = m.hasPreviousState || r.contextLength > 0;
        if (r.phase == Phase::decode) {
            anyDecode = true;
            m.effectiveDecodeSteps = std::max(m.effectiveDecodeSteps, r.queryLength);
        }
    }
    m.mtpTokens = s.scenario.mtpTokens;
    m.baseDecodeQueryLength = anyDecode && m.mtpTokens > 0 ? 1 : 0;
    return m;
}

/// Whether a decode request is one that the recurrent rule takes token by token.
bool takesRecurrent(const ResolvedScenario& s, const Request& r) {
    const std::int64_t many = s.engine->multiTokenDecode == MultiTokenDecode::recurrent ? 1 + s.scenario.mtpTokens : 1;
    return r.phase == Phase::decode && r.contextLength > 0 && (r.queryLength == 1 || r.queryLength == many);
}

/// The recurrent rule when every request takes it; an engine that splits mixed steps runs both, others the chunk rule.
/// Engines that go token by token have no other.
Rule ruleOf(const ResolvedScenario& s) {
    if (s.engine->tokenByToken) return Rule::recurrent;
    std::int64_t recurrent = 0, all = 0;
    for (const Request& r : s.requests) {
        ++all;
        recurrent += takesRecurrent(s, r);
    }
    if (recurrent == all) return Rule::recurrent;
    return recurrent > 0 && s.engine->splitMixedSteps ? Rule::mixed : Rule::chunk;
}

bool hasLinear(const ResolvedScenario& s) {
    return std::find(s.layers.begin(), s.layers.end(), LayerType::linearAttention) != s.layers.end();
}

class StepBuilder {
public:
    StepBuilder(const ResolvedScenario& scenario, Step& step)
        : s_(scenario), step_(step), g_(scenario, step), vision_(scenario) {}

    void run() {
        Bytes tables(2.0 * static_cast<double>(g_.T * g_.text.rope.rotaryDim) * bytesPerElement(g_.a));
        if (vision_.patches > 0) addVision();
        append(Part::embedding, -1, addBlock(embeddingBlock(g_, vision_.tokens)), Bytes(0));
        tables += deepstack_;
        for (std::size_t i = 0; i < s_.layers.size(); ++i) {
            append(Part::text, static_cast<std::int32_t>(i), layer(i), tables);
            step_.segments.back().layerType = s_.layers[i];
        }
        const bool fusedNorm = !g_.onePlusWeight || g_.engine.onePlusWeightNorm == Fusion::fused;
        append(Part::head, -1, addBlock(headBlock(g_, g_.engine.fuseMlpResidual && fusedNorm)), tables);
        if (s_.scenario.mtpTokens == 0) return;
        std::uint32_t draft = addBlock(draftBlock(g_, g_.T));
        const bool alike = g_.engine.laterDrafts == LaterDrafts::step || g_.T == g_.B;
        for (std::int32_t i = 0; i < s_.scenario.mtpTokens; ++i) {
            if (i == 1 && !alike) draft = addBlock(draftBlock(laterDraft(g_), g_.B));
            append(Part::mtp, i, draft, tables);
        }
    }

private:
    struct Known {
        LayerVariant variant;
        std::uint32_t schemeGroup;
        std::uint32_t block;
    };

    std::uint32_t addBlock(Block block) {
        step_.blocks.push_back(std::move(block));
        return static_cast<std::uint32_t>(step_.blocks.size() - 1);
    }

    void append(Part part, std::int32_t index, std::uint32_t block, Bytes held) {
        step_.segments.push_back({part, index, LayerType::fullAttention, block, held});
    }

    /// The tower, whose deepstack features wait for their text layers.
    void addVision() {
        const VisionConfig& v = *s_.model->vision;
        append(Part::vision, -1, addBlock(patchBlock(g_, vision_)), Bytes(0));
        const std::uint32_t block = addBlock(visionBlock(g_, vision_));
        const auto depth = static_cast<std::int32_t>(v.depth); // mergers are numbered after the blocks
        std::optional<std::uint32_t> merger;
        const Bytes features(static_cast<double>(vision_.tokens * v.outHidden) * bytesPerElement(g_.a));
        for (std::int32_t i = 0; i < depth; ++i) {
            append(Part::vision, i, block, deepstack_);
            const auto& indexes = v.deepstackIndexes;
            if (std::find(indexes.begin(), indexes.end(), i) == indexes.end()) continue;
            if (!merger) merger = addBlock(mergerBlock(g_, vision_, true));
            append(Part::vision, depth + deepstackLayers_, *merger, deepstack_);
            deepstack_ += features;
            ++deepstackLayers_;
        }
        append(Part::vision, depth + deepstackLayers_, addBlock(mergerBlock(g_, vision_, false)), deepstack_);
    }

    std::uint32_t layer(std::size_t i) {
        const std::uint32_t group = s_.schemeGroups[i];
        const std::string prefix = layerPrefix(s_, i);
        const bool deep = static_cast<std::int64_t>(i) < deepstackLayers_;
        const LayerVariant variant{s_.layers[i], s_.model->text.sparseLayer[i], i == 0 && g_.engine.fuseMlpResidual,
                                   deep ? vision_.tokens : 0, prefix};
        for (const Known& k : known_)
            if (k.variant.type == variant.type && k.variant.sparse == variant.sparse &&
                k.variant.first == variant.first && k.variant.deepstackTokens == variant.deepstackTokens &&
                k.schemeGroup == group)
                return k.block;
        const std::uint32_t block = addBlock(layerBlock(g_, variant));
        known_.push_back({variant, group, block});
        return block;
    }

    const ResolvedScenario& s_;
    Step& step_;
    GraphContext g_;
    VisionLoad vision_;
    std::vector<Known> known_;
    Bytes deepstack_; ///< features that wait for their text layer
    std::int32_t deepstackLayers_ = 0;
};

} // namespace

GraphContext::GraphContext(const ResolvedScenario& resolved, const Step& step)
    : scenario(resolved), model(*resolved.model), text(model.text), engine(*resolved.engine),
      a(floatScheme(resolved) == Scheme::fp16 ? DType::fp16 : text.dtype), T(resolved.tokens), B(resolved.requestCount),
      H(text.hidden), t(resolved.scenario.parallel.tp), headRows(0),
      onePlusWeight(text.normScale == NormScale::onePlusWeight) {
    if (text.moe) routing = routingOf(scenario, T);
    for (const Request& r : scenario.requests) {
        const auto n = static_cast<double>(r.count);
        const auto q = static_cast<double>(r.queryLength);
        const auto c = static_cast<double>(r.contextLength);
        // Keys that a query row scores: all c + q of them, or those up to its own position.
        attention.queryTokens += n * q;
        attention.scorePairs += n * q * (engine.causalDiscount ? c + (q + 1.0) / 2.0 : c + q);
        attention.cacheTokens += n * (c + q);
        headRows += r.count * (r.phase == Phase::decode ? r.queryLength : 1);
        if (step.rule == Rule::recurrent || (step.rule == Rule::mixed && takesRecurrent(scenario, r))) {
            linear.recurrentRows += r.count * r.queryLength;
        } else {
            linear.chunkTokens += r.count * r.queryLength;
            linear.chunkPaddedTokens += n * static_cast<double>(roundedUp(r.queryLength, chunkLength));
            linear.chunkSequences += r.count;
            linear.chunkPreviousState = linear.chunkPreviousState || r.contextLength > 0;
        }
    }
    if (engine.chunkPacking == ChunkPacking::step && linear.chunkTokens > 0) {
        linear.chunkPaddedTokens = static_cast<double>(roundedUp(linear.chunkTokens, chunkLength));
        linear.chunkSequences = 1;
    }
}

Result<Step> buildStep(const ResolvedScenario& scenario) {
    Step step;
    step.metadata = metadataOf(scenario);
    if (hasLinear(scenario)) {
        step.rule = ruleOf(scenario);
        step.conv = step.rule == Rule::recurrent ? ConvPath::update
                    : step.rule == Rule::mixed   ? ConvPath::mixed
                                                 : ConvPath::body;
    }
    StepBuilder(scenario, step).run();
    return step;
}

} // namespace deltascope
