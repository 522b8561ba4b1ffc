// SPDX-License-Identifier: GPL-3.0-or-later
// The forms in which a checkpoint's files say how it is quantized, each read by a function of its own, and what the
// forms share. Used by readCheckpointQuantization only.
#pragma once

#include "base/checked_map.h"
#include "base/pattern.h"
#include "catalog/checkpoint_quantization.h"

#include <array>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace deltascope {

/// Modules as files list them: by name, or by an expression after "re:".
class ModuleList {
public:
    /// A problem is one of `map`'s `key`.
    void add(CheckedMap& map, std::string_view key, std::string_view entry);
    void addPattern(CheckedMap& map, std::string_view key, std::string_view expression);

    /// Whether a listed name is the module's or a run of whole segments of it: "lm_head", "model.visual" and
    /// "mlp.gate" of "model.layers.3.mlp.gate", but not of "model.layers.3.mlp.gate_proj".
    [[nodiscard]] bool names(std::string_view module) const;
    [[nodiscard]] bool matches(std::string_view module) const;
    [[nodiscard]] bool holdsAny(std::span<const std::string> modules) const;
    [[nodiscard]] bool empty() const { return names_.empty() && patterns_.empty(); }
    /// Whether matching was given up: its patterns take too long.
    [[nodiscard]] bool exhausted() const { return stepsLeft_ == 0; }

private:
    std::unordered_set<std::string> names_;
    std::vector<Pattern> patterns_;
    mutable std::size_t stepsLeft_ = 100'000'000; // under a second
};

/// What a form says of a module, given all names that checkpoints write it by; nothing when it does not name it.
using SchemeLookup = std::function<std::optional<Scheme>(std::span<const std::string> names, ModuleRole role)>;

struct QuantizationForm {
    std::string method;
    std::string path;
    SchemeLookup lookup;
    std::function<bool()> gaveUp; ///< whether a lookup was cut short, so that its answers do not count
    std::array<ScaleLayout, schemeCount> scales{};
    std::vector<std::string> notes;

    QuantizationForm();
    [[nodiscard]] ScaleLayout& scalesOf(Scheme scheme) { return scales[static_cast<std::size_t>(scheme)]; }
};

/// A scheme and how its scales lie.
struct StoredFormat {
    Scheme scheme = Scheme::bf16;
    ScaleLayout scales;
};

// `document` is what `config` is a view of.
[[nodiscard]] QuantizationForm readCompressedTensors(CheckedMap& config, const DocumentValue& document);
[[nodiscard]] QuantizationForm readFp8(CheckedMap& config, const DocumentValue& document);
[[nodiscard]] QuantizationForm readGptq(CheckedMap& config, const DocumentValue& document);
[[nodiscard]] QuantizationForm readAwq(CheckedMap& config, const DocumentValue& document);
/// A map from the names of tensors to the words of ModelSlim.
[[nodiscard]] QuantizationForm readDescription(CheckedMap& config, const DocumentValue& document);

/// Asks the form for every module of the model.
[[nodiscard]] CheckpointQuantization resolveSchemes(const QuantizationForm& form, const ModelConfig& model);

} // namespace deltascope
