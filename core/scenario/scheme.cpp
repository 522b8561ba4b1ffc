// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario/scheme.h"

#include <algorithm>
#include <cctype>

namespace deltascope {
namespace {

bool equalIgnoringCase(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

} // namespace

double scaleBytes(Scheme scheme, double k, double n) {
    constexpr double mxBlock = 32.0;    // OCP MX: one E8M0 scale per 32 elements
    constexpr double int4Group = 128.0; // AWQ and GPTQ checkpoints: one 16-bit scale per 128 inputs of a channel
    switch (scheme) {
    case Scheme::bf16:
    case Scheme::fp16: return 0.0;
    case Scheme::w8a16:
    case Scheme::w8a8Static:
    case Scheme::w8a8Dynamic:
    case Scheme::w4a8Static:
    case Scheme::w4a8Dynamic:
    case Scheme::fp8: return n * bytesPerElement(DType::fp32);
    case Scheme::mxfp4: return k * n / mxBlock;
    case Scheme::w4a16: return k * n / int4Group * bytesPerElement(DType::bf16);
    }
    return 0.0;
}

std::optional<Scheme> schemeFromName(std::string_view name) {
    for (std::size_t i = 0; i < schemes.size(); ++i)
        if (equalIgnoringCase(schemes[i].name, name)) return static_cast<Scheme>(i);
    return std::nullopt;
}

std::optional<KvDType> kvDTypeFromName(std::string_view name) {
    for (std::size_t i = 0; i < kvDTypeNames.size(); ++i)
        if (equalIgnoringCase(kvDTypeNames[i], name)) return static_cast<KvDType>(i);
    return std::nullopt;
}

} // namespace deltascope
