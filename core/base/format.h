// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers as people read them: the same text on every view, table and report.
#pragma once

#include "base/units.h"

#include <cstdint>
#include <string>

namespace deltascope {

enum class ByteUnit : std::uint8_t { binary, decimal }; ///< GiB or GB; chosen once

/// "449.7 ms", "622.4 µs", "1.20 s": four significant digits, UTF-8.
[[nodiscard]] std::string formatSeconds(Seconds time);
/// "+1.2 ms" or "−3.4 µs", with the sign always shown.
[[nodiscard]] std::string formatSecondsDifference(Seconds time);
/// "9.81 GiB" or "10.53 GB"; bytes below 1,024 as "512 B".
[[nodiscard]] std::string formatBytes(Bytes bytes, ByteUnit unit = ByteUnit::binary);
/// "76.1 GFLOP".
[[nodiscard]] std::string formatFlops(double flops);
/// "196.0 TFLOP/s".
[[nodiscard]] std::string formatFlopRate(double flopsPerSecond);
/// "1.056 TB/s".
[[nodiscard]] std::string formatByteRate(double bytesPerSecond);
/// "1,010,000".
[[nodiscard]] std::string formatCount(double count);
/// "53.2 %".
[[nodiscard]] std::string formatShare(double share);
/// Shortest text that reads back as the same double; whole numbers without a point.
[[nodiscard]] std::string formatExact(double value);

} // namespace deltascope
