// SPDX-License-Identifier: GPL-3.0-or-later
// What a device was measured to do: rules that stand in for the roofline, each with its source, the sizes it was seen
// at and its scatter. Applied by cost/calibration.h.
#pragma once

#include "base/dtype.h"
#include "base/operator_kind.h"
#include "base/units.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace deltascope {

/// Sizes of an operator that a law may depend on. Not every kind has every one: a rule that asks for one that an
/// operator does not have does not apply to it.
#define DELTASCOPE_FEATURES(X)                                                                                         \
    X(bytes, "bytes")                                   /* moved through memory */                                     \
    X(flops, "flops")                                   /* of the matrix unit */                                       \
    X(message, "message")                               /* bytes that a rank contributes to a collective */            \
    X(ranks, "ranks")                                   /* of a collective */                                          \
    X(rows, "rows")                                     /* of a matmul, all experts, a norm; tokens of a mixer */      \
    X(k, "k")                                           /* columns in of a weight; hidden size of experts */           \
    X(n, "n")                                           /* columns out; intermediate size of experts */                \
    X(experts, "experts")                               /* that get rows */                                            \
    X(rowsPerExpert, "rows_per_expert")                 /* rows / experts */                                           \
    X(sequences, "sequences")                           /* requests */                                                 \
    X(sequenceRows, "sequence_rows")                    /* rows / sequences */                                         \
    X(heads, "heads")                                   /* query heads of attention, value heads of a delta rule */    \
    X(keyValueHeads, "key_value_heads")                 /* of attention */                                             \
    X(headsPerKeyValueHead, "heads_per_key_value_head") /* of attention */                                             \
    X(headDim, "head_dim")                              /* of attention; of the values of a delta rule */              \
    X(sequencePairs, "sequence_pairs")                  /* query-key pairs per head and sequence */                    \
    X(context, "context")                               /* cached tokens per sequence, with this step's */             \
    X(chunks, "chunks")                                 /* of a sequence, of the chunk rule */                         \
    X(channels, "channels")                             /* of a convolution */

enum class Feature : std::uint8_t {
#define X(feature, name) feature,
    DELTASCOPE_FEATURES(X)
#undef X
};
inline constexpr std::array featureNames{
#define X(feature, name) std::string_view{name},
    DELTASCOPE_FEATURES(X)
#undef X
};
inline constexpr std::size_t featureCount = featureNames.size();
[[nodiscard]] constexpr std::string_view nameOf(Feature feature) {
    return featureNames[static_cast<std::size_t>(feature)];
}

/// Both ends included.
struct FeatureRange {
    Feature feature = Feature::rows;
    double low = 0.0;
    double high = 0.0;
};

/// Which peak of the device a measured rate follows when the rule is carried to a sibling: that of its 16-bit matrix
/// unit, its memory, its innermost link, or none. FP16 stands for the 16-bit unit: see docs/calibration.md.
enum class ScalesWith : std::uint8_t { nothing, compute, memory, link };
inline constexpr std::size_t scalesWithCount = 4;

/// Seconds = product of `per` / rate.
struct RateTerm {
    std::vector<Feature> per;
    double rate = 1.0;
    ScalesWith scalesWith = ScalesWith::nothing;
};

/// A factor over one to four sizes, interpolated between its points in the logarithm of sizes and factor; outside them
/// the nearest edge holds.
struct RuleTable {
    struct Axis {
        std::vector<Feature> of; ///< the axis runs along their product
        std::vector<double> logPoints;
    };
    std::vector<Axis> axes;
    std::vector<float> logValues; ///< the last axis runs fastest
};

enum class StepPhase : std::uint8_t { prefill, decode }; ///< decode: every request of the step is a decode request

/// Percentiles of measured / predicted.
struct Scatter {
    double p10 = 1.0;
    double p90 = 1.0;
};

/// time = floor * launches + table * max(constant, roofline compute, roofline memory, each term); what is absent does
/// not count.
struct CalibrationRule {
    std::vector<OperatorKind> kinds;
    std::optional<DType> dtype; ///< of a matmul, an attention's cache, a quantized result; bf16 and fp16 are alike
    std::optional<StepPhase> phase;
    std::vector<FeatureRange> where; ///< applies only here
    std::vector<FeatureRange> seen;  ///< measured here; elsewhere it is extrapolated

    std::optional<double> compute; ///< share of the device's peak matrix and vector rates
    std::optional<double> memory;  ///< share of its peak memory bandwidth
    std::vector<RateTerm> terms;
    Seconds constant;
    Seconds floor;
    std::optional<RuleTable> table;
    std::string includedIn; ///< not empty: takes no time of its own, as the measured kernel named here contains it

    bool scaled = false; ///< derived from a measurement of another device, or by a stated ratio
    Scatter scatter;
    std::string source;
};

/// The first rule of a kind that applies to an operator is taken.
struct Calibration {
    std::vector<CalibrationRule> rules;
    std::string scaledFrom; ///< device whose rules follow after those of this one; empty when there is none
    Scatter scaled;         ///< of what those rules give here, beside their own: all of them are off together
    Scatter uncalibrated;   ///< of operators that no rule applies to
    std::string remark;
};

} // namespace deltascope
