// SPDX-License-Identifier: GPL-3.0-or-later
// The memory of one rank as stacked pieces that add up to the total: what the scenario needs, what the engine sets
// aside, what the device has; of the baseline, and of the same scenario with the other choice of attention. Pure
// functions over simulations.
#pragma once

#include "catalog/catalog.h"
#include "simulation/simulation.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace deltascope::ui {

enum class MemoryUse : std::uint8_t { weights, kvCache, recurrentState, convState, activations, reserve, device };
/// From the bottom of a stack to its top.
inline constexpr std::array memoryUses{MemoryUse::weights,   MemoryUse::kvCache,     MemoryUse::recurrentState,
                                       MemoryUse::convState, MemoryUse::activations, MemoryUse::reserve,
                                       MemoryUse::device};

struct MemoryPiece {
    std::string name; ///< a weight group's, or what Theme::memoryColor knows
    MemoryUse use = MemoryUse::weights;
    Bytes bytes;
    double parameters = 0.0;
};

enum class StackRole : std::uint8_t { current, engine, device, baseline, counterpart };

struct MemoryStack {
    StackRole role = StackRole::current;
    std::vector<MemoryPiece> pieces;    ///< what is there, bottom first
    std::vector<MemoryPiece> notLoaded; ///< groups that this scenario does not need
    Bytes total, limit;
    std::int64_t linearLayers = 0, fullLayers = 0;
    bool approximate = false; ///< only the cache was replaced, as the scenario cannot be simulated
    [[nodiscard]] Bytes free() const { return limit - total; }
    [[nodiscard]] Bytes bytesOf(std::string_view piece) const;
};

/// What is needed, exact to the byte.
[[nodiscard]] MemoryStack memoryStack(const Simulation& simulation, StackRole role);
/// What the engine sets aside, pages and reserve included; its states hold the convolution's too. Empty where that is
/// not modelled.
[[nodiscard]] std::optional<MemoryStack> engineStack(const Simulation& simulation);
/// The device: what the engine may use of it, and what is kept back.
[[nodiscard]] MemoryStack deviceStack(const Simulation& simulation);

/// The scenario with every layer a full-attention one; with the model's own layers when it is already so. Empty for a
/// model that has no linear layers.
[[nodiscard]] std::optional<MemoryStack> counterpartStack(const Catalog& catalog, const Simulation& simulation);

} // namespace deltascope::ui
