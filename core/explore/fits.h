// SPDX-License-Identifier: GPL-3.0-or-later
// Whether a scenario fits on its device, in bytes of one rank, and what takes the most.
#pragma once

#include "memory/memory.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace deltascope {

enum class Fit : std::uint8_t { fits, tight, doesNotFit };
[[nodiscard]] std::string_view nameOf(Fit fit); ///< "fits", "tight", "does_not_fit"

/// Tight: less than this share of the limit is free.
inline constexpr double tightShare = 0.05;

enum class MemoryPart : std::uint8_t { weights, kvCache, states, activations, reserve };
inline constexpr std::size_t memoryPartCount = 5;
[[nodiscard]] std::string_view nameOf(MemoryPart part); ///< "weights", "KV cache", "states", "activations", "reserve"

/// Bytes of one part: what is needed, and what the engine sets aside where that is modelled. The reserve (graphs,
/// runtime, buffers of collectives) is the engine's alone.
struct PartBytes {
    MemoryPart part = MemoryPart::weights;
    Bytes ideal;
    std::optional<Bytes> engine;
    [[nodiscard]] Bytes used() const { return engine.value_or(ideal); }
};
[[nodiscard]] std::array<PartBytes, memoryPartCount> partsOf(const MemoryReport& memory);

/// Judged by the engine's memory where it is modelled, by what is needed otherwise.
struct FitVerdict {
    Fit fit = Fit::fits;
    Bytes used, limit;
    bool byEngine = false;
    MemoryPart largest = MemoryPart::weights;
    Bytes largestBytes;
    [[nodiscard]] Bytes free() const { return limit - used; } ///< negative: as much is missing
};
[[nodiscard]] FitVerdict verdictOf(const MemoryReport& memory);

/// By how much is free of a limit.
[[nodiscard]] Fit fitOf(Bytes free, Bytes limit);

} // namespace deltascope
