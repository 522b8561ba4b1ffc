// SPDX-License-Identifier: GPL-3.0-or-later
#include "memory/memory.h"

#include <limits>

namespace deltascope {

std::vector<Bytes> liveBytes(const Block& block, const std::vector<Bytes>& residentScratch) {
    constexpr std::uint32_t never = std::numeric_limits<std::uint32_t>::max();
    const std::size_t n = block.operators.size();
    const auto owns = [&](std::uint16_t id) { return block.tensors[id].role == TensorRole::activation; };

    // The storage of a tensor is alive from its producer to the last operator that reads it or a view of it.
    std::vector<std::uint32_t> lastUse(block.tensors.size(), never);
    for (std::uint32_t i = 0; i < n; ++i) {
        const Operator& op = block.operators[i];
        for (std::uint16_t id : block.inputs(op)) lastUse[block.tensors[id].storage] = i;
        for (std::uint16_t id : block.outputs(op)) lastUse[block.tensors[id].storage] = i;
    }
    std::vector<bool> outlives(block.tensors.size(), false);
    for (std::uint16_t id : block.liveOut) outlives[id] = true;

    std::vector<bool> allocated(block.tensors.size(), false);
    double live = 0.0;
    for (std::uint16_t id : block.liveIn) {
        allocated[id] = true;
        live += block.tensors[id].bytes().value();
    }
    std::vector<Bytes> result(n);
    for (std::uint32_t i = 0; i < n; ++i) {
        const Operator& op = block.operators[i];
        for (std::uint16_t id : block.outputs(op)) {
            const std::uint16_t storage = block.tensors[id].storage;
            if (!owns(storage) || allocated[storage]) continue;
            allocated[storage] = true;
            live += block.tensors[storage].bytes().value();
        }
        result[i] = Bytes(live) + residentScratch[i];
        const auto release = [&](std::uint16_t id) {
            const std::uint16_t storage = block.tensors[id].storage;
            if (!allocated[storage] || outlives[storage] || lastUse[storage] != i) return;
            allocated[storage] = false;
            live -= block.tensors[storage].bytes().value();
        };
        for (std::uint16_t id : block.inputs(op)) release(id);
        for (std::uint16_t id : block.outputs(op)) release(id);
    }
    return result;
}

} // namespace deltascope
