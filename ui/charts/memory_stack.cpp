// SPDX-License-Identifier: GPL-3.0-or-later
#include "charts/memory_stack.h"

#include <algorithm>

namespace deltascope::ui {
namespace {

void addUse(MemoryStack& stack, const char* name, MemoryUse use, Bytes bytes) {
    if (bytes.value() > 0.0) stack.pieces.push_back({name, use, bytes, 0.0});
    stack.total += bytes;
}

} // namespace

Bytes MemoryStack::bytesOf(std::string_view piece) const {
    const auto found =
        std::find_if(pieces.begin(), pieces.end(), [&](const MemoryPiece& p) { return p.name == piece; });
    return found != pieces.end() ? found->bytes : Bytes{};
}

MemoryStack memoryStack(const Simulation& simulation, StackRole role) {
    const IdealMemory& ideal = simulation.memory.ideal;
    MemoryStack stack;
    stack.role = role;
    stack.limit = simulation.memory.limit;
    for (const LayerType type : simulation.scenario.layers)
        ++(type == LayerType::linearAttention ? stack.linearLayers : stack.fullLayers);
    for (const MemoryGroup& group : ideal.groups) {
        if (group.bytes.value() <= 0.0) continue;
        const MemoryPiece piece{std::string(group.name), MemoryUse::weights, group.bytes, group.parameters};
        (group.loaded ? stack.pieces : stack.notLoaded).push_back(piece);
        if (group.loaded) stack.total += group.bytes;
    }
    addUse(stack, "KV cache", MemoryUse::kvCache, ideal.kvCache);
    addUse(stack, "recurrent state", MemoryUse::recurrentState, ideal.recurrentState);
    addUse(stack, "convolution state", MemoryUse::convState, ideal.convState);
    addUse(stack, "activation peak", MemoryUse::activations, ideal.activationPeak);
    return stack;
}

std::optional<MemoryStack> engineStack(const Simulation& simulation) {
    if (!simulation.memory.engine) return std::nullopt;
    const EngineMemory& engine = *simulation.memory.engine;
    MemoryStack stack = memoryStack(simulation, StackRole::engine);
    std::erase_if(stack.pieces, [](const MemoryPiece& piece) { return piece.use != MemoryUse::weights; });
    const Bytes held = engine.weights - simulation.memory.ideal.weights; // a vision tower that no image needs
    for (auto group = stack.notLoaded.begin(); group != stack.notLoaded.end(); ++group)
        if (group->bytes == held) {
            stack.pieces.push_back(*group);
            stack.notLoaded.erase(group);
            break;
        }
    stack.total = Bytes{};
    for (const MemoryPiece& piece : stack.pieces) stack.total += piece.bytes;
    addUse(stack, "KV cache", MemoryUse::kvCache, engine.kvCache);
    addUse(stack, "recurrent state", MemoryUse::recurrentState, engine.states);
    addUse(stack, "activation peak", MemoryUse::activations, engine.activationPeak);
    addUse(stack, "graphs and runtime", MemoryUse::reserve, engine.reserved);
    addUse(stack, "buffers of collectives", MemoryUse::reserve, engine.buffers);
    return stack;
}

MemoryStack deviceStack(const Simulation& simulation) {
    const MemoryReport& memory = simulation.memory;
    MemoryStack stack;
    stack.role = StackRole::device;
    addUse(stack, "usable", MemoryUse::device, memory.limit);
    addUse(stack, "kept back", MemoryUse::device, memory.deviceSize - memory.limit);
    stack.limit = stack.total;
    return stack;
}

std::optional<MemoryStack> counterpartStack(const Catalog& catalog, const Simulation& simulation) {
    if (simulation.scenario.model->layerCount(LayerType::linearAttention) == 0) return std::nullopt;
    Scenario other = simulation.scenario.scenario;
    other.allFull = !other.allFull;
    if (const Result<Simulation> result = simulate(catalog, other)) return memoryStack(*result, StackRole::counterpart);
    if (!other.allFull) return std::nullopt;
    MemoryStack stack = memoryStack(simulation, StackRole::counterpart);
    stack.approximate = true;
    stack.fullLayers += std::exchange(stack.linearLayers, 0);
    std::erase_if(stack.pieces, [](const MemoryPiece& piece) {
        return piece.use == MemoryUse::kvCache || piece.use == MemoryUse::recurrentState ||
               piece.use == MemoryUse::convState;
    });
    const Bytes cache = simulation.memory.ideal.kvCacheAllFull;
    const auto at = std::find_if(stack.pieces.begin(), stack.pieces.end(),
                                 [](const MemoryPiece& piece) { return piece.use == MemoryUse::activations; });
    if (cache.value() > 0.0) stack.pieces.insert(at, {"KV cache", MemoryUse::kvCache, cache, 0.0});
    stack.total = Bytes{};
    for (const MemoryPiece& piece : stack.pieces) stack.total += piece.bytes;
    return stack;
}

} // namespace deltascope::ui
