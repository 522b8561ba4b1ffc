// SPDX-License-Identifier: GPL-3.0-or-later
#include "explore/fits.h"

#include <algorithm>

namespace deltascope {

std::string_view nameOf(Fit fit) {
    constexpr std::array<std::string_view, 3> names{"fits", "tight", "does_not_fit"};
    return names[static_cast<std::size_t>(fit)];
}

std::string_view nameOf(MemoryPart part) {
    constexpr std::array<std::string_view, memoryPartCount> names{"weights", "KV cache", "states", "activations",
                                                                  "reserve"};
    return names[static_cast<std::size_t>(part)];
}

std::array<PartBytes, memoryPartCount> partsOf(const MemoryReport& memory) {
    const IdealMemory& ideal = memory.ideal;
    std::array<PartBytes, memoryPartCount> parts{{{MemoryPart::weights, ideal.weights, {}},
                                                  {MemoryPart::kvCache, ideal.kvCache, {}},
                                                  {MemoryPart::states, ideal.recurrentState + ideal.convState, {}},
                                                  {MemoryPart::activations, ideal.activationPeak, {}},
                                                  {MemoryPart::reserve, Bytes{}, {}}}};
    if (memory.engine) {
        const EngineMemory& e = *memory.engine;
        const std::array<Bytes, memoryPartCount> taken{e.weights, e.kvCache, e.states, e.activationPeak,
                                                       e.reserved + e.buffers};
        for (std::size_t i = 0; i < parts.size(); ++i) parts[i].engine = taken[i];
    }
    return parts;
}

Fit fitOf(Bytes free, Bytes limit) {
    if (free < Bytes{}) return Fit::doesNotFit;
    return free < limit * tightShare ? Fit::tight : Fit::fits;
}

FitVerdict verdictOf(const MemoryReport& memory) {
    const auto parts = partsOf(memory);
    const auto largest = std::max_element(parts.begin(), parts.end(),
                                          [](const PartBytes& a, const PartBytes& b) { return a.used() < b.used(); });
    return {fitOf(memory.free(), memory.limit), memory.used(), memory.limit,
            memory.engine.has_value(),          largest->part, largest->used()};
}

} // namespace deltascope
