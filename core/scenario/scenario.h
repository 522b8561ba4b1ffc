// SPDX-License-Identifier: GPL-3.0-or-later
// What the user chooses: plain data, nothing derived. See validate.h for what it becomes.
#pragma once

#include "catalog/engine_profile.h"
#include "catalog/scheme.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace deltascope {

enum class Phase : std::uint8_t { prefill, decode };

[[nodiscard]] constexpr std::string_view nameOf(Phase phase) { return phase == Phase::prefill ? "prefill" : "decode"; }

/// Images of each request: `count` of `height` x `width` pixels before the resize.
struct ImageChoice {
    std::int64_t count = 0;
    std::int64_t height = 0;
    std::int64_t width = 0;
    std::optional<std::int64_t> minPixels; ///< override of the preprocessor's limit
    std::optional<std::int64_t> maxPixels;
    bool operator==(const ImageChoice&) const = default;
};

/// `count` requests alike, in a scenario that lists requests of different lengths.
struct RequestGroup {
    std::int64_t count = 1;
    std::int64_t queryLength = 0;
    std::int64_t contextLength = 0;
    std::optional<Phase> phase; ///< the scenario's when absent
    std::optional<ImageChoice> image;
    bool operator==(const RequestGroup&) const = default;
};

struct Parallelism {
    std::int64_t tp = 1;
    std::int64_t ep = 1;
    std::int64_t dp = 1;
    std::int64_t visionTp = 1;
    std::optional<std::int64_t> oProjTp;     ///< o_proj and out_proj; tp when absent
    std::optional<std::int64_t> lmHeadTp;    ///< tp when absent
    std::optional<std::int64_t> mtpLmHeadTp; ///< tp when absent
    bool operator==(const Parallelism&) const = default;
};

struct Quantization {
    Scheme linear = Scheme::bf16;
    bool checkpoint = false;       ///< every module as the checkpoint has it stored, instead of `linear`
    std::optional<Scheme> experts; ///< as the linears when absent
    KvDType kvCache = KvDType::bf16;
    std::optional<Scheme> lmHead;      ///< unquantized, or as the checkpoint has it, when absent
    std::vector<std::string> keepBf16; ///< globs on the module path
    bool operator==(const Quantization&) const = default;
};

/// What stands for a scheme where the checkpoint's own is followed.
inline constexpr std::string_view checkpointWord = "CHECKPOINT";
[[nodiscard]] constexpr std::string_view linearName(const Quantization& q) {
    return q.checkpoint ? checkpointWord : factsOf(q.linear).name;
}

struct Scenario {
    std::string model = "Qwen3.5-27B";
    std::string device = "ATLAS_800_A3_560T_128G_DIE";
    std::string engine = "tensorcast";
    Phase phase = Phase::decode;
    std::int64_t queries = 1;                  ///< requests of all data-parallel ranks together
    std::optional<std::int64_t> queryLength;   ///< default: 1 + mtpTokens in decode, 1,024 in prefill
    std::optional<std::int64_t> contextLength; ///< default: 4,096 in decode, 0 in prefill
    std::int64_t mtpTokens = 0;
    std::optional<double> acceptance;     ///< p per position: tokens per step = the sum of p^i for i = 0..mtpTokens
    std::optional<double> acceptedLength; ///< mean tokens per step; excludes acceptance
    std::optional<ImageChoice> image;     ///< per request
    Quantization quantization;
    std::vector<RequestGroup> requests; ///< instead of phase, queries and the two lengths when not empty
    bool paddingMask = false;
    std::optional<std::int64_t> layers; ///< keep the first N layers of the trunk
    std::optional<HostMode> host;       ///< default: the engine's
    bool allFull = false;               ///< every layer a full-attention one
    double prefixHit = 0.0;             ///< share of a prefill's tokens found in a prefix cache
    double routingSkew = 0.0;
    std::optional<bool> calibration; ///< default: the engine's
    Parallelism parallel;
    std::optional<std::int64_t> outputLength;
    bool operator==(const Scenario&) const = default;
};

} // namespace deltascope
