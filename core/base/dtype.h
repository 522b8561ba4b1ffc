// SPDX-License-Identifier: GPL-3.0-or-later
// Number formats of tensors and of the rates a device has for them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace deltascope {

enum class DType : std::uint8_t { fp32, bf16, fp16, int8, fp8, fp4, int4, int32, int64 };

/// Formats for which a device may have a rate: the first of DType, up to and including fp4.
inline constexpr std::size_t rateDTypeCount = 6;
inline constexpr std::size_t dtypeCount = 9;

inline constexpr std::array<std::string_view, dtypeCount> dtypeNames{"fp32", "bf16", "fp16",  "int8", "fp8",
                                                                     "fp4",  "int4", "int32", "int64"};

[[nodiscard]] constexpr std::string_view nameOf(DType dtype) { return dtypeNames[static_cast<std::size_t>(dtype)]; }

/// Bytes of one element; 0.5 for the four-bit formats.
[[nodiscard]] constexpr double bytesPerElement(DType dtype) {
    switch (dtype) {
    case DType::fp32:
    case DType::int32: return 4.0;
    case DType::bf16:
    case DType::fp16: return 2.0;
    case DType::int8:
    case DType::fp8: return 1.0;
    case DType::fp4:
    case DType::int4: return 0.5;
    case DType::int64: return 8.0;
    }
    return 0.0;
}

[[nodiscard]] constexpr std::optional<DType> dtypeFromName(std::string_view name) {
    for (std::size_t i = 0; i < dtypeCount; ++i)
        if (dtypeNames[i] == name) return static_cast<DType>(i);
    return std::nullopt;
}

} // namespace deltascope
