// SPDX-License-Identifier: GPL-3.0-or-later
// Puts a device's calibration in place of the roofline's time: which rule applies to an operator, what its law gives,
// whether that is inside what was measured, and within which range it lies.
#pragma once

#include "catalog/device_profile.h"
#include "cost/time.h"
#include "graph/step.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace deltascope {

/// The rules of a device by kind, and what carries a sibling's rates over; built once per simulation.
struct Calibrator {
    struct Entry {
        std::uint32_t rule;
        bool fromSibling;
    };
    std::vector<const CalibrationRule*> rules;
    std::vector<Entry> entries; ///< those of one kind stand together
    std::array<std::uint32_t, operatorKindCount + 1> first{};
    /// Seconds here per second on the sibling, by ScalesWith.
    std::array<double, scalesWithCount> siblingSlower{1.0, 1.0, 1.0, 1.0};
    double computeEfficiency = 1.0; ///< that the roofline's times already hold
    double memoryEfficiency = 1.0;
    Scatter uncalibrated;
    Scatter scaled;                                           ///< of a sibling's rules, beside their own
    std::array<std::shared_ptr<const Calibration>, 2> owners; ///< keep the rules alive

    [[nodiscard]] bool active() const { return owners[0] != nullptr; }
    [[nodiscard]] bool fromSibling(std::int32_t rule) const {
        return rule >= 0 && static_cast<std::size_t>(rule) >= owners[0]->rules.size();
    }
};

/// Shares of a time by which it may be shorter or longer.
struct Deviation {
    double below = 0.0, above = 0.0;
};
/// By the scatter of the rule's measurements alone, without what scaling from a sibling adds.
[[nodiscard]] Deviation ownDeviation(const OperatorCost& cost, const Calibrator& calibrator);

/// `sibling` is the device that the calibration of `device` is scaled from; null when there is none.
[[nodiscard]] Calibrator calibratorOf(const DeviceProfile& device, const DeviceProfile* sibling);

/// Replaces total, provenance and range of `cost`, whose parts stay the roofline's but for the launch, which becomes
/// the law's floor.
void calibrate(OperatorCost& cost, const Block& block, const Operator& op, StepPhase phase,
               const Calibrator& calibrator);

/// The law in words, with its figures: "max(2MKN / 607 TOP/s, bytes / 1.07 TB/s)".
[[nodiscard]] std::string lawText(const CalibrationRule& rule);

} // namespace deltascope
