// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/checked_map.h"
#include "base/spelling.h"
#include "catalog/catalog.h"
#include "catalog/read_calibration.h"

#include <algorithm>

namespace deltascope {
namespace {

// Figures outside these are in another unit than the key names: 353.9 for TFLOP/s, 1600 for GB/s, 5 for microseconds.
constexpr NumberRange flopsPerSecond{.min = 1e6, .max = 1e21, .unit = "floating-point operations per second"};
constexpr NumberRange bytesPerSecond{.min = 1e6, .max = 1e18, .unit = "bytes per second"};
constexpr NumberRange memoryBytes{.min = 1e6, .max = 1e15, .unit = "bytes"};
constexpr NumberRange seconds{.min = 0.0, .max = 0.1, .unit = "seconds"};
constexpr NumberRange share{.min = 0.0, .max = 1.0, .aboveMin = true};

using Rates = std::array<std::optional<FlopsPerSecond>, rateDTypeCount>;

Rates readRates(CheckedMap& map) {
    Rates rates;
    for (std::size_t i = 0; i < rateDTypeCount; ++i)
        if (const auto rate = map.optionalNumber(dtypeNames[i], flopsPerSecond)) rates[i] = FlopsPerSecond(*rate);
    map.refuseUnknownKeys();
    return rates;
}

std::optional<Seconds> optionalSeconds(CheckedMap& map, std::string_view key) {
    const auto value = map.optionalNumber(key, seconds);
    return value ? std::optional(Seconds(*value)) : std::nullopt;
}

InterconnectTier readTier(CheckedMap& map) {
    InterconnectTier tier;
    tier.name = map.requireName("name");
    tier.size = map.optionalWhole("size", {1, std::int64_t{1} << 30});
    tier.topology =
        map.optionalChoice<Topology>("topology", {{"clos", Topology::clos}, {"full_mesh", Topology::fullMesh}})
            .value_or(Topology::clos);
    tier.bandwidth = BytesPerSecond(map.requireNumber("bandwidth_bytes_per_s", bytesPerSecond));
    tier.latency = optionalSeconds(map, "latency_s").value_or(Seconds(0.0));
    tier.efficiency = map.optionalNumber("efficiency", share).value_or(1.0);
    tier.latencyScaling = map.optionalChoice<LatencyScaling>(
                                 "latency_scaling", {{"steps", LatencyScaling::steps}, {"flat", LatencyScaling::flat}})
                              .value_or(LatencyScaling::steps);
    map.refuseUnknownKeys();
    return tier;
}

std::vector<InterconnectTier> readInterconnect(CheckedMap& top) {
    std::vector<InterconnectTier> tiers;
    double devices = 1.0;
    for (CheckedMap& map : top.maps("interconnect")) {
        InterconnectTier tier = readTier(map);
        if (!tiers.empty() && !tiers.back().size)
            map.fail(ErrorCode::contradictory, "name",
                     "can never be reached, as the tier before it, " + printable(tiers.back().name) + ", has no size",
                     "a size for every tier but the last");
        for (const InterconnectTier& earlier : tiers)
            if (equalIgnoringCase(earlier.name, tier.name))
                map.fail(ErrorCode::duplicate, "name", "is the name of an earlier tier too");
        devices *= static_cast<double>(tier.size.value_or(1));
        if (devices > 1e12)
            map.fail(ErrorCode::outOfRange, "size", "times the sizes before it is more devices than can be", "");
        tiers.push_back(std::move(tier));
    }
    return tiers;
}

void readNames(CheckedMap& top, DeviceProfile& device) {
    device.name = top.requireName("name");
    device.vendor = top.optionalText("vendor").value_or("");
    device.aliases = top.textList("aliases");
    for (std::size_t i = 0; i < device.aliases.size(); ++i) {
        const auto same = [&](const std::string& name) { return equalIgnoringCase(name, device.aliases[i]); };
        const auto end = device.aliases.begin() + static_cast<std::ptrdiff_t>(i);
        if (same(device.name) || std::any_of(device.aliases.begin(), end, same))
            top.fail(ErrorCode::duplicate, "aliases", "names " + printable(device.aliases[i]) + " twice");
    }
}

} // namespace

Result<DeviceProfile> readDeviceProfile(const std::filesystem::path& path, Origin origin) {
    const auto document = readYamlFile(path);
    if (!document) return document.error();

    Checker checker(path.string());
    CheckedMap top(checker, *document);
    DeviceProfile device;
    device.path = path.string();
    device.origin = origin;
    readNames(top, device);
    if (auto rates = top.requireMap("matrix_flops_per_s")) {
        device.matrixRate = readRates(*rates);
        const auto given = [](const std::optional<FlopsPerSecond>& rate) { return rate.has_value(); };
        if (std::none_of(device.matrixRate.begin(), device.matrixRate.end(), given))
            top.fail(ErrorCode::missingKey, "matrix_flops_per_s", "names no rate",
                     "a rate for one of fp32, bf16, fp16, int8, fp8 or fp4");
    }
    if (auto rates = top.optionalMap("vector_flops_per_s")) device.vectorRate = readRates(*rates);
    if (auto memory = top.requireMap("memory")) {
        device.memorySize = Bytes(memory->requireNumber("size_bytes", memoryBytes));
        device.memoryBandwidth = BytesPerSecond(memory->requireNumber("bandwidth_bytes_per_s", bytesPerSecond));
        memory->refuseUnknownKeys();
    }
    if (auto efficiency = top.optionalMap("efficiency")) {
        device.computeEfficiency = efficiency->optionalNumber("compute", share);
        device.memoryEfficiency = efficiency->optionalNumber("memory", share);
        efficiency->refuseUnknownKeys();
    }
    if (auto launch = top.optionalMap("launch_s")) {
        device.matrixLaunch = optionalSeconds(*launch, "matrix");
        device.vectorLaunch = optionalSeconds(*launch, "vector");
        device.communicationLaunch = optionalSeconds(*launch, "communication");
        launch->refuseUnknownKeys();
    }
    device.interconnect = readInterconnect(top);
    if (auto section = top.optionalMap("calibration")) {
        auto calibration = std::make_shared<const Calibration>(readCalibration(*section));
        if (!calibration->scaledFrom.empty() && equalIgnoringCase(calibration->scaledFrom, device.name))
            section->fail(ErrorCode::contradictory, "scaled_from", "is the device itself",
                          "another device, whose rules are carried over");
        device.calibration = std::move(calibration);
    }
    device.sources = top.textList("sources");
    device.remark = top.optionalText("remark").value_or("");
    top.refuseUnknownKeys();
    if (checker.failed()) return checker.error();
    return device;
}

} // namespace deltascope
