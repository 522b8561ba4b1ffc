// SPDX-License-Identifier: GPL-3.0-or-later
// The fields of a scenario by name: one table for the command line, scenario files and whatever else names a field in
// words. It reads and writes values as text; whether they make sense together is validate.h's business.
#pragma once

#include "base/result.h"
#include "scenario/scenario.h"
#include "scenario/validate.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace deltascope {

struct ScenarioField {
    enum class Kind : std::uint8_t { text, whole, real, flag, choice, list, image };

    std::string_view name;  ///< "mtp_tokens"; the option of the command line is --mtp-tokens
    std::string_view key;   ///< place in a scenario file: "mtp.tokens"; empty when it has none
    std::string_view value; ///< what it takes, for a help text: "N", "prefill|decode"; empty for a flag
    std::string_view help;  ///< one line
    Kind kind;
    Result<void> (*set)(const ScenarioField& field, Scenario& scenario, std::string_view text);
    /// The value as `set` reads it; nothing when it is the default. A list gives nothing: it is read directly.
    std::optional<std::string> (*get)(const Scenario& scenario);
    Range range{};                  ///< of a whole number, for messages; validate() enforces it
    std::string_view accepted = {}; ///< of other kinds, for messages
};

/// Limits of what an image field can say.
inline constexpr Range imageCount{1, 4096};
inline constexpr Range imageSide{1, 100'000};

/// In the order of a scenario file, the keys of one map together.
[[nodiscard]] std::span<const ScenarioField> scenarioFields();
/// By name; null when there is none.
[[nodiscard]] const ScenarioField* findScenarioField(std::string_view name);

/// "N@HxW": N images of H x W pixels.
[[nodiscard]] std::optional<ImageChoice> imageFromText(std::string_view text);

/// The refusal of a text that is no whole number at all, or one that does not fit 64 bits.
[[nodiscard]] Error notWhole(std::string_view name, std::string_view text, Range range);

} // namespace deltascope
