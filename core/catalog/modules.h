// SPDX-License-Identifier: GPL-3.0-or-later
// The matrix products of a decoder layer by the paths that schemes name them by.
#pragma once

#include "catalog/model_config.h"
#include "catalog/scheme.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace deltascope {

/// What the choice of a scheme tells apart.
enum class ModuleRole : std::uint8_t {
    linear,
    expert,
    lmHead,
    router, ///< in the checkpoint's format unless the checkpoint itself quantizes it
    fixed   ///< norms, vision tower: always in the checkpoint's format
};

/// The layers that have a module.
enum class ModulePlace : std::uint8_t { linearAttention, fullAttention, denseMlp, experts, sharedExpert };

struct LayerModule {
    std::string_view path; ///< inside the layer; of the experts, without their number
    ModuleRole role;
    ModulePlace place;
};

inline constexpr std::array layerModules{
    LayerModule{"linear_attn.in_proj_qkv", ModuleRole::linear, ModulePlace::linearAttention},
    LayerModule{"linear_attn.in_proj_z", ModuleRole::linear, ModulePlace::linearAttention},
    LayerModule{"linear_attn.in_proj_b", ModuleRole::linear, ModulePlace::linearAttention},
    LayerModule{"linear_attn.in_proj_a", ModuleRole::linear, ModulePlace::linearAttention},
    LayerModule{"linear_attn.out_proj", ModuleRole::linear, ModulePlace::linearAttention},
    LayerModule{"self_attn.q_proj", ModuleRole::linear, ModulePlace::fullAttention},
    LayerModule{"self_attn.k_proj", ModuleRole::linear, ModulePlace::fullAttention},
    LayerModule{"self_attn.v_proj", ModuleRole::linear, ModulePlace::fullAttention},
    LayerModule{"self_attn.o_proj", ModuleRole::linear, ModulePlace::fullAttention},
    LayerModule{"mlp.gate_proj", ModuleRole::linear, ModulePlace::denseMlp},
    LayerModule{"mlp.up_proj", ModuleRole::linear, ModulePlace::denseMlp},
    LayerModule{"mlp.down_proj", ModuleRole::linear, ModulePlace::denseMlp},
    LayerModule{"mlp.gate", ModuleRole::router, ModulePlace::experts},
    LayerModule{"mlp.experts.gate_proj", ModuleRole::expert, ModulePlace::experts},
    LayerModule{"mlp.experts.up_proj", ModuleRole::expert, ModulePlace::experts},
    LayerModule{"mlp.experts.down_proj", ModuleRole::expert, ModulePlace::experts},
    LayerModule{"mlp.shared_expert.gate_proj", ModuleRole::linear, ModulePlace::sharedExpert},
    LayerModule{"mlp.shared_expert.up_proj", ModuleRole::linear, ModulePlace::sharedExpert},
    LayerModule{"mlp.shared_expert.down_proj", ModuleRole::linear, ModulePlace::sharedExpert},
    LayerModule{"mlp.shared_expert_gate", ModuleRole::linear, ModulePlace::sharedExpert},
};
inline constexpr std::size_t layerModuleCount = layerModules.size();

/// One scheme per entry of layerModules, whether or not the layer has that module.
using LayerSchemes = std::array<Scheme, layerModuleCount>;

[[nodiscard]] constexpr std::optional<std::size_t> layerModuleIndex(std::string_view path) {
    for (std::size_t i = 0; i < layerModuleCount; ++i)
        if (layerModules[i].path == path) return i;
    return std::nullopt;
}

/// Whether a layer of that type, with or without experts, has the module.
[[nodiscard]] constexpr bool hasModule(const TextConfig& text, LayerType type, bool sparse, const LayerModule& module) {
    switch (module.place) {
    case ModulePlace::linearAttention: return type == LayerType::linearAttention;
    case ModulePlace::fullAttention: return type == LayerType::fullAttention;
    case ModulePlace::denseMlp: return !sparse;
    case ModulePlace::experts: return sparse;
    case ModulePlace::sharedExpert: return sparse && text.moe && text.moe->sharedIntermediate > 0;
    }
    return false;
}

} // namespace deltascope
