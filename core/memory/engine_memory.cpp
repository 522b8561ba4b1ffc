// SPDX-License-Identifier: GPL-3.0-or-later
// Pages of a hybrid cache as vLLM allocates them (or buffers without pages): layers in groups of equal size that share
// one pool of pages; the block of the attention layers grows until a page holds a recurrent state and its convolution
// state.
#include "memory/memory.h"

#include <algorithm>
#include <cmath>

namespace deltascope {
namespace {

using std::int64_t;

int64_t ceilDivide(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// What one layer keeps: bytes per cached token, and per state slot.
struct LayerBytes {
    double token = 0.0;
    double state = 0.0;
};

struct Pages {
    int64_t fullLayers = 0, linearLayers = 0;
    int64_t groupLayers = 0; ///< layers that a page spans
    int64_t fullGroups = 0, linearGroups = 0;
    int64_t blockTokens = 0;
    double pageBytes = 0.0;
};

LayerBytes layerBytes(const ResolvedScenario& s, const IdealMemory& ideal, const Pages& pages) {
    LayerBytes bytes;
    const TextConfig& text = s.model->text;
    const int64_t kvHeads = std::max<int64_t>(1, text.keyValueHeads / s.scenario.parallel.tp);
    bytes.token =
        2.0 * static_cast<double>(kvHeads * text.headDim) * bytesPerElement(dtypeOf(s.scenario.quantization.kvCache));
    const double slots = static_cast<double>(s.requestCount * std::max<int64_t>(1, ideal.stateSlots));
    if (pages.linearLayers > 0)
        bytes.state =
            (ideal.recurrentState + ideal.convState).value() / slots / static_cast<double>(pages.linearLayers);
    return bytes;
}

Pages pagesOf(const ResolvedScenario& s, const IdealMemory& ideal, const EngineMemorySettings& settings) {
    Pages p;
    for (LayerType type : s.layers) ++(type == LayerType::fullAttention ? p.fullLayers : p.linearLayers);
    if (s.scenario.mtpTokens > 0) p.fullLayers += s.model->text.mtpLayers;
    p.groupLayers = p.linearLayers == 0 ? p.fullLayers
                    : p.fullLayers == 0 ? p.linearLayers
                                        : std::min(p.fullLayers, p.linearLayers);
    p.fullGroups = ceilDivide(p.fullLayers, p.groupLayers);
    p.linearGroups = ceilDivide(p.linearLayers, p.groupLayers);
    const LayerBytes bytes = layerBytes(s, ideal, p);
    if (!settings.paged) { // a block spans all full layers, states lie apart
        p.blockTokens = settings.blockTokens;
        p.fullGroups = 1;
        p.linearGroups = 0;
        p.pageBytes = bytes.token * static_cast<double>(p.blockTokens * p.fullLayers);
        return p;
    }
    p.blockTokens = settings.blockTokens;
    if (p.linearLayers > 0 && bytes.token > 0.0) {
        const double unit = bytes.token * static_cast<double>(settings.blockTokens);
        p.blockTokens *= std::max<int64_t>(1, static_cast<int64_t>(std::ceil(bytes.state / unit)));
    }
    const double page =
        std::max(bytes.token * static_cast<double>(p.blockTokens), p.fullLayers == 0 ? bytes.state : 0.0);
    p.pageBytes = page * static_cast<double>(p.groupLayers);
    return p;
}

/// Pages that a request of `tokens` holds for its states.
int64_t statePages(const Pages& p, const EngineMemorySettings& settings, int64_t slots, int64_t tokens) {
    const int64_t checkpoints = settings.prefixCheckpoints && p.blockTokens > 0 ? tokens / p.blockTokens : 0;
    return p.linearGroups * (slots + checkpoints);
}

} // namespace

std::optional<EngineMemory> engineMemory(const ResolvedScenario& s, const IdealMemory& ideal) {
    if (!s.engine->memory) return std::nullopt;
    const EngineMemorySettings& settings = *s.engine->memory;
    const Pages p = pagesOf(s, ideal, settings);
    EngineMemory e;
    e.blockTokens = p.blockTokens;
    e.pageBytes = Bytes(p.pageBytes);
    e.groups = p.fullGroups + p.linearGroups;
    e.reserved = Bytes(settings.reservedBytes);
    e.buffers = Bytes(s.scenario.parallel.tp * s.scenario.parallel.dp > 1 ? settings.communicationBytes : 0.0);
    e.weights = ideal.weights;
    e.activationPeak = ideal.activationPeak;
    for (const MemoryGroup& group : ideal.groups)
        if (!group.loaded && settings.keepsVisionTower && group.name == "vision tower") e.weights += group.bytes;

    int64_t longest = 0;
    for (const Request& r : s.requests) {
        const int64_t tokens = r.contextLength + r.queryLength;
        const int64_t kv = p.fullGroups * ceilDivide(tokens, p.blockTokens);
        const int64_t states = statePages(p, settings, ideal.stateSlots, tokens);
        e.kvCache += Bytes(static_cast<double>(kv * r.count) * p.pageBytes);
        e.states += Bytes(static_cast<double>(states * r.count) * p.pageBytes);
        longest = std::max(longest, tokens);
    }
    e.blocksPerRequest =
        p.fullGroups * ceilDivide(longest, p.blockTokens) + statePages(p, settings, ideal.stateSlots, longest);

    const Bytes ownStates = settings.paged ? Bytes(0) : ideal.recurrentState + ideal.convState;
    e.states += ownStates;

    const Bytes limit = s.device->memorySize * settings.usableFraction;
    e.cacheSpace = std::max(Bytes(0), limit - e.weights - e.activationPeak - e.reserved - e.buffers);
    const Bytes pageSpace = std::max(Bytes(0), e.cacheSpace - ownStates);
    e.blocksFit = p.pageBytes > 0.0 ? static_cast<int64_t>(pageSpace.value() / p.pageBytes) : 0;
    e.requestsFit = e.blocksFit / std::max<int64_t>(1, e.blocksPerRequest);
    if (!settings.paged) {
        const double request = static_cast<double>(e.blocksPerRequest) * p.pageBytes +
                               ownStates.value() / static_cast<double>(std::max<int64_t>(1, s.requestCount));
        e.requestsFit = request > 0.0 ? static_cast<int64_t>(e.cacheSpace.value() / request) : 0;
    }
    // Each request's share of the blocks, less its states, as tokens.
    const int64_t share = e.blocksFit / std::max<int64_t>(1, s.requestCount) - p.linearGroups * ideal.stateSlots;
    const int64_t perBlock = settings.prefixCheckpoints ? p.fullGroups + p.linearGroups : p.fullGroups;
    e.contextFit = share > 0 && perBlock > 0 ? share / perBlock * p.blockTokens : 0;
    return e;
}

} // namespace deltascope
