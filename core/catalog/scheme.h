// SPDX-License-Identifier: GPL-3.0-or-later
// Quantization schemes: width of weights, format of activations, the matrix rate used, what comes with them.
#pragma once

#include "base/dtype.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace deltascope {

enum class Scheme : std::uint8_t {
    bf16,
    fp16,
    w8a16,
    w8a8Static,
    w8a8Dynamic,
    w4a8Static,
    w4a8Dynamic,
    fp8,
    mxfp4,
    w4a16
};
enum class KvDType : std::uint8_t { bf16, int8, fp8 };

struct SchemeFacts {
    std::string_view name;  ///< as on the command line: "W8A8_STATIC"
    std::string_view label; ///< as in the window: "W8A8 static"
    DType weight;
    DType activation;         ///< of the matmul's input
    DType matrix;             ///< the rate it runs at
    bool quantizesActivation; ///< a `quantize` runs before each linear
    bool perTokenScale;       ///< that quantize also finds a scale per token
    bool unpacksInt4;         ///< K*N fp32 vector operations per linear
};

inline constexpr std::array<SchemeFacts, 10> schemes{{
    {"BF16", "BF16", DType::bf16, DType::bf16, DType::bf16, false, false, false},
    {"FP16", "FP16", DType::fp16, DType::fp16, DType::fp16, false, false, false},
    {"W8A16", "W8A16", DType::int8, DType::bf16, DType::bf16, false, false, false},
    {"W8A8_STATIC", "W8A8 static", DType::int8, DType::int8, DType::int8, true, false, false},
    {"W8A8_DYNAMIC", "W8A8 dynamic", DType::int8, DType::int8, DType::int8, true, true, false},
    {"W4A8_STATIC", "W4A8 static", DType::int4, DType::int8, DType::int8, true, false, true},
    {"W4A8_DYNAMIC", "W4A8 dynamic", DType::int4, DType::int8, DType::int8, true, true, true},
    {"FP8", "FP8", DType::fp8, DType::fp8, DType::fp8, true, true, false},
    {"MXFP4", "MXFP4", DType::fp4, DType::fp4, DType::fp4, true, true, false},
    {"W4A16", "W4A16", DType::int4, DType::bf16, DType::bf16, false, false, false},
}};

inline constexpr std::size_t schemeCount = schemes.size();
[[nodiscard]] constexpr const SchemeFacts& factsOf(Scheme scheme) { return schemes[static_cast<std::size_t>(scheme)]; }

/// How the scales of a K x N weight lie: one of `bits` (with its zero point, if any) for each `rows` x `columns` of it,
/// where 0 stands for all of them. No bits: no scales.
struct ScaleLayout {
    std::int32_t rows = 0;
    std::int32_t columns = 0;
    std::int32_t bits = 0;
    bool operator==(const ScaleLayout&) const = default;
};

/// Where nothing else is said: fp32 per output channel for the 8-bit and W4A8 schemes, one byte per 32 elements for
/// MXFP4 (OCP MX), 16 bits per 128 inputs of a channel for W4A16 (as AWQ and GPTQ checkpoints have it).
[[nodiscard]] constexpr ScaleLayout usualScales(Scheme scheme) {
    switch (scheme) {
    case Scheme::bf16:
    case Scheme::fp16: return {};
    case Scheme::mxfp4: return {32, 1, 8};
    case Scheme::w4a16: return {128, 1, 16};
    default: return {0, 1, 32};
    }
}

/// Bytes of the scales that come with a K x N weight; a block that is not full has a scale too.
[[nodiscard]] double scaleBytes(const ScaleLayout& layout, double k, double n);

inline constexpr std::array<std::string_view, 3> kvDTypeNames{"bf16", "int8", "fp8"};
[[nodiscard]] constexpr std::string_view nameOf(KvDType dtype) { return kvDTypeNames[static_cast<std::size_t>(dtype)]; }
[[nodiscard]] constexpr DType dtypeOf(KvDType dtype) {
    return dtype == KvDType::bf16 ? DType::bf16 : dtype == KvDType::int8 ? DType::int8 : DType::fp8;
}

/// By command-line name, upper or lower case; empty when there is none.
[[nodiscard]] std::optional<Scheme> schemeFromName(std::string_view name);
[[nodiscard]] std::optional<KvDType> kvDTypeFromName(std::string_view name);

} // namespace deltascope
