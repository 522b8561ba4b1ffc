// SPDX-License-Identifier: GPL-3.0-or-later
// Work -> time on a device: a roofline with launches, and collectives over the interconnect's tiers.
#pragma once

#include "base/result.h"
#include "catalog/device_profile.h"
#include "catalog/engine_profile.h"
#include "cost/work.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace deltascope {

enum class Bound : std::uint8_t { memory, communication, matrix, vector, launch, none };
[[nodiscard]] constexpr std::string_view nameOf(Bound bound) {
    constexpr std::array<std::string_view, 6> names{"memory", "communication", "matrix", "vector", "launch", "none"};
    return names[static_cast<std::size_t>(bound)];
}

/// Where a time comes from.
enum class Provenance : std::uint8_t { roofline, calibrated, scaled, measured };
[[nodiscard]] constexpr std::string_view nameOf(Provenance provenance) {
    constexpr std::array<std::string_view, 4> names{"roofline", "calibrated", "scaled", "measured"};
    return names[static_cast<std::size_t>(provenance)];
}

/// What stands in for a rate that a device file does not give.
enum class Substitute : std::uint8_t { none, fp32Vector, sixteenthOfMatrix };

/// A device's figures with every absent one replaced, and efficiencies applied; built once per simulation.
struct DeviceRates {
    std::array<double, rateDTypeCount> matrix{}; ///< achieved FLOP/s; 0 when the device has none
    std::array<double, rateDTypeCount> vector{};
    double memory = 0.0; ///< achieved bytes/s
    Seconds matrixLaunch;
    Seconds vectorLaunch;
    Seconds communicationLaunch;
    const DeviceProfile* device = nullptr;
    std::array<Substitute, rateDTypeCount> vectorSubstitute{};
    Substitute matrixFp32Substitute = Substitute::none;
};

[[nodiscard]] DeviceRates ratesOf(const DeviceProfile& device);

/// Time of one operator with its parts. total = max(matrix + vector, memory, communication) + launch.
struct OperatorCost {
    Work work;
    Seconds matrix;
    Seconds vector;
    Seconds memory;
    Seconds communication;
    Seconds launch;
    Seconds total;
    Bound bound = Bound::none;
    Provenance provenance = Provenance::roofline;
    bool extrapolated = false; ///< calibrated or scaled, outside the sizes that were measured
    std::int32_t rule = -1;    ///< of the simulation's calibrator; -1: none applies
    Seconds low, high;         ///< 80 of 100 measurements lie between; both 0 without calibration

    /// That the host launches for it.
    [[nodiscard]] std::int64_t kernels() const { return 1 + work.extraLaunches; }
};

[[nodiscard]] OperatorCost timeOf(OperatorKind kind, const Work& work, const DeviceRates& rates);

/// One note per figure that stands in for an absent one and that `used` (the step's work) depends on.
[[nodiscard]] std::vector<std::string> substitutionNotes(const DeviceRates& rates, const Work& used);

/// The innermost tier that spans `ranks`; null when none does.
[[nodiscard]] const InterconnectTier* tierFor(const DeviceProfile& device, std::int64_t ranks);
/// Devices that the interconnect spans; the largest number when a tier is unbounded.
[[nodiscard]] std::int64_t interconnectSpan(const DeviceProfile& device);

/// Time of a collective without its launch: `bytes` is what one rank contributes.
[[nodiscard]] Seconds collectiveTime(OperatorKind kind, std::int64_t ranks, Bytes bytes, const DeviceProfile& device);

} // namespace deltascope
