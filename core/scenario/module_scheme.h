// SPDX-License-Identifier: GPL-3.0-or-later
// Which quantization scheme one module of one layer is stored and run in.
#pragma once

#include "catalog/modules.h"
#include "scenario/validate.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace deltascope {

/// Shell-style glob: `*` any run of characters (dots too), `?` one character.
[[nodiscard]] bool globMatches(std::string_view pattern, std::string_view text);

/// `module` is the path inside a layer ("linear_attn.out_proj"); `prefix` what stands before it ("layers.12",
/// "mtp.layers.0", "mtp", ""). A keep_bf16 glob matches the path with or without the prefix.
[[nodiscard]] Scheme schemeOf(const ResolvedScenario& scenario, ModuleRole role, std::string_view prefix,
                              std::string_view module);

/// How the scales of weights in `scheme` lie.
[[nodiscard]] ScaleLayout scalesOf(const ResolvedScenario& scenario, Scheme scheme);

/// Numbers the layers of the trunk by the schemes of their modules: layers with equal ones share a number.
[[nodiscard]] std::vector<std::uint32_t> groupBySchemes(const ResolvedScenario& scenario);

/// What schemeOf takes as the prefix of a layer of the trunk: empty when nothing tells layers apart.
[[nodiscard]] std::string layerPrefix(const ResolvedScenario& scenario, std::size_t layer);

/// A module and the layers that run it in one scheme.
struct ModuleScheme {
    std::string module; ///< "linear_attn.in_proj_qkv", "lm_head", "mtp.layers.0.mlp.down_proj"
    Scheme scheme = Scheme::bf16;
    std::vector<std::int32_t> layers; ///< of the trunk; empty for modules outside it
    std::string where;                ///< of the trunk's, in words: "all 48", "3-10, 40"
};

/// Every matrix product of the scenario with its scheme, in the order of a step; the vision tower's and those of a head
/// that is not loaded are left out.
[[nodiscard]] std::vector<ModuleScheme> moduleSchemes(const ResolvedScenario& scenario);

/// The unquantized scheme of the scenario: FP16 when the linears are FP16, else BF16.
[[nodiscard]] Scheme floatScheme(const ResolvedScenario& scenario);

/// The rate that work in the activations' format runs at: the engine's float path for a BF16 checkpoint.
[[nodiscard]] DType activationRate(const ResolvedScenario& scenario);

} // namespace deltascope
