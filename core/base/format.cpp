// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/format.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <string_view>

namespace deltascope {
namespace {

/// `value` with about four significant digits and at most three decimals.
std::string significant(double value) {
    const double magnitude = std::abs(value);
    const int decimals = magnitude >= 1000.0 ? 0 : magnitude >= 100.0 ? 1 : magnitude >= 10.0 ? 2 : 3;
    std::array<char, 64> text{};
    const int n = std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
    return {text.data(), static_cast<std::size_t>(n)};
}

std::string scaled(double value, double step, const std::array<std::string_view, 7>& units) {
    std::size_t i = 0;
    // What would be written as 1024 MiB or 1000.0 MB is one of the next unit.
    const double roundsUp = step > 1000.0 ? 0.5 : 0.05;
    while (std::abs(value) >= (i == 0 ? step : step - roundsUp) && i + 1 < units.size()) {
        value /= step;
        ++i;
    }
    const bool whole = i == 0 && value == std::floor(value);
    return (whole ? formatCount(value) : significant(value)) + " " + std::string(units[i]);
}

} // namespace

std::string formatSeconds(Seconds time) {
    const double s = time.value();
    const double magnitude = std::abs(s);
    if (magnitude == 0.0) return "0 s";
    if (magnitude < 1e-6) return significant(s * 1e9) + " ns";
    if (magnitude < 1e-3) return significant(s * 1e6) + " µs";
    if (magnitude < 1.0) return significant(s * 1e3) + " ms";
    return significant(s) + " s";
}

std::string formatSecondsDifference(Seconds time) {
    if (time.value() == 0.0) return "±0 s";
    return (time.value() < 0.0 ? "−" : "+") + formatSeconds(Seconds(std::abs(time.value())));
}

std::string formatBytes(Bytes bytes, ByteUnit unit) {
    if (unit == ByteUnit::binary) return scaled(bytes.value(), 1024.0, {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"});
    return scaled(bytes.value(), 1000.0, {"B", "kB", "MB", "GB", "TB", "PB", "EB"});
}

std::string formatFlops(double flops) {
    return scaled(flops, 1000.0, {"FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP", "EFLOP"});
}

std::string formatFlopRate(double flopsPerSecond) {
    return scaled(flopsPerSecond, 1000.0, {"FLOP/s", "kFLOP/s", "MFLOP/s", "GFLOP/s", "TFLOP/s", "PFLOP/s", "EFLOP/s"});
}

std::string formatByteRate(double bytesPerSecond) {
    return scaled(bytesPerSecond, 1000.0, {"B/s", "kB/s", "MB/s", "GB/s", "TB/s", "PB/s", "EB/s"});
}

std::string formatCount(double count) {
    std::array<char, 64> text{};
    const int n = std::snprintf(text.data(), text.size(), "%.0f", std::abs(count));
    std::string digits(text.data(), static_cast<std::size_t>(n));
    for (std::size_t at = digits.size(); at > 3;) {
        at -= 3;
        digits.insert(at, ",");
    }
    return (count < 0.0 ? "-" : "") + digits;
}

std::string formatShare(double share) {
    std::array<char, 32> text{};
    const int n = std::snprintf(text.data(), text.size(), "%.1f %%", share * 100.0);
    return {text.data(), static_cast<std::size_t>(n)};
}

std::string formatExact(double value) {
    std::array<char, 64> text{};
    if (value == std::floor(value) && std::abs(value) < 1e15) {
        const int n = std::snprintf(text.data(), text.size(), "%.0f", value);
        return {text.data(), static_cast<std::size_t>(n)};
    }
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    return {text.data(), end};
}

} // namespace deltascope
