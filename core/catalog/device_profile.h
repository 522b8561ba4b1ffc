// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of one device (a die, a GPU, a chip) and of the links between several. Absent figures stay absent here;
// what stands in for them is decided in cost/ and noted in the result.
#pragma once

#include "base/dtype.h"
#include "base/units.h"
#include "catalog/calibration.h"
#include "catalog/model_config.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace deltascope {

enum class Topology : std::uint8_t { clos, fullMesh };
enum class LatencyScaling : std::uint8_t { steps, flat };

/// One tier of the interconnect, innermost first. Sizes multiply: 2, 8, 48 span 2, 16 and 768 devices.
struct InterconnectTier {
    std::string name;
    std::optional<std::int64_t> size; ///< absent: unbounded
    Topology topology = Topology::clos;
    BytesPerSecond bandwidth;
    Seconds latency;
    double efficiency = 1.0;
    LatencyScaling latencyScaling = LatencyScaling::steps;
};

struct DeviceProfile {
    std::string name;
    std::string vendor;
    std::vector<std::string> aliases;
    std::string path;
    Origin origin = Origin::builtIn;
    std::array<std::optional<FlopsPerSecond>, rateDTypeCount> matrixRate; ///< peak, by DType
    std::array<std::optional<FlopsPerSecond>, rateDTypeCount> vectorRate; ///< peak, by DType
    Bytes memorySize;
    BytesPerSecond memoryBandwidth;
    std::optional<double> computeEfficiency;
    std::optional<double> memoryEfficiency;
    std::optional<Seconds> matrixLaunch;
    std::optional<Seconds> vectorLaunch;
    std::optional<Seconds> communicationLaunch;
    std::vector<InterconnectTier> interconnect;
    std::shared_ptr<const Calibration> calibration; ///< null when the device has none
    std::vector<std::string> sources;
    std::string remark; ///< what is worth knowing of the figures
};

} // namespace deltascope
