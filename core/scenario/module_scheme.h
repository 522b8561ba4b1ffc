// SPDX-License-Identifier: GPL-3.0-or-later
// Which quantization scheme one module of one layer is stored and run in.
#pragma once

#include "scenario/validate.h"

#include <cstdint>
#include <string_view>

namespace deltascope {

/// What the schemes tell apart. `fixed` modules (router, norms, vision tower) stay in the checkpoint's format.
enum class ModuleRole : std::uint8_t { linear, expert, lmHead, fixed };

/// Shell-style glob: `*` any run of characters (dots too), `?` one character.
[[nodiscard]] bool globMatches(std::string_view pattern, std::string_view text);

/// `module` is the path inside a layer ("linear_attn.out_proj"); `prefix` what stands before it ("layers.12",
/// "mtp.layers.0", ""). A keep_bf16 glob matches the path with or without the prefix.
[[nodiscard]] Scheme schemeOf(const ResolvedScenario& scenario, ModuleRole role, std::string_view prefix,
                              std::string_view module);

/// The unquantized scheme of the scenario: FP16 when the linears are FP16, else BF16.
[[nodiscard]] Scheme floatScheme(const ResolvedScenario& scenario);

/// The rate that work in the activations' format runs at: the engine's float path for a BF16 checkpoint.
[[nodiscard]] DType activationRate(const ResolvedScenario& scenario);

} // namespace deltascope
