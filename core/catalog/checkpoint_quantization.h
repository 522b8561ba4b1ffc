// SPDX-License-Identifier: GPL-3.0-or-later
// How the checkpoint behind a configuration is stored, module by module, as its own files say.
#pragma once

#include "catalog/modules.h"
#include "catalog/scheme.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace deltascope {

/// BF16 stands for the checkpoint's unquantized format.
struct CheckpointQuantization {
    std::string method;                            ///< "compressed-tensors", "fp8", "gptq", "awq", "modelslim"
    std::string path;                              ///< file it was read from
    std::vector<LayerSchemes> kinds;               ///< kinds of layer that occur
    std::vector<std::uint32_t> kindOfLayer;        ///< one per layer of the trunk, into `kinds`
    LayerSchemes mtpLayer{};                       ///< of the multi-token-prediction head's layer
    Scheme mtpFc = Scheme::bf16;                   ///< of that head's fc
    Scheme lmHead = Scheme::bf16;                  ///< also of the MTP head's
    std::array<ScaleLayout, schemeCount> scales{}; ///< how the scales of each scheme lie
    std::vector<std::string> notes;                ///< what is simulated in another way than it is stored
};

} // namespace deltascope
