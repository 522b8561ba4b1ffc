// SPDX-License-Identifier: GPL-3.0-or-later
// The host launches kernels one after another; a device that would start one before it is launched waits. A graph is
// launched at once, and its launch hides behind what the device still does.
#pragma once

#include "base/units.h"
#include "catalog/engine_profile.h"
#include "cost/time.h"
#include "graph/step.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace deltascope {

/// Launches of one block, the same wherever it is used. Operator i, with L kernels of which k are launched before,
/// cannot start before its first launch nor end before its last:
/// earliest[i] = max(earliest[i - 1] + time[i - 1], (k + 1) d, (k + L) d - time[i]), d the dispatch of one kernel.
/// With the device free at e and the host at h, operator i then starts at max(e + offset[i], h + earliest[i]).
struct BlockLaunches {
    std::vector<Seconds> earliest; ///< start of each operator after the host begins with the block, on an idle device
    Seconds end;                   ///< of the last one, likewise
    std::int64_t kernels = 0;
};
[[nodiscard]] BlockLaunches launchesOf(std::span<const OperatorCost> costs, Seconds dispatch);

/// Whether the host launches the segment kernel by kernel. `decodeStep`: every request of the step is a decode request.
[[nodiscard]] constexpr bool launchesEach(HostMode mode, Part part, bool decodeStep) {
    return mode == HostMode::eager || (mode == HostMode::fullDecodeOnly && (part == Part::mtp || !decodeStep));
}

/// Device and host on their way through the segments of a step; both begin at 0.
class HostClock {
public:
    /// Passes a segment that takes `duration` without waiting; returns how long the device waits in it.
    Seconds pass(const BlockLaunches& block, Seconds duration, bool eachKernel, Seconds dispatch) {
        if (!eachKernel) {
            device_ += duration;
            return {};
        }
        const Seconds late = host_ + block.end - (device_ + duration);
        const Seconds wait = late > Seconds{} ? late : Seconds{};
        device_ += duration + wait;
        host_ += dispatch * static_cast<double>(block.kernels);
        return wait;
    }
    [[nodiscard]] Seconds device() const { return device_; }
    [[nodiscard]] Seconds host() const { return host_; }

private:
    Seconds device_, host_;
};

/// The same step under one mode.
struct HostOutcome {
    HostMode mode = HostMode::eager;
    Seconds time;
    Seconds wait;
};

/// What the host costs a step.
struct HostReport {
    HostMode mode = HostMode::eager;
    Seconds dispatch;
    std::int64_t kernels = 0;  ///< of the step
    std::int64_t launched = 0; ///< one by one, outside graphs
    Seconds wait;              ///< of the device
    std::array<HostOutcome, hostModes.size()> modes{};

    /// Launching takes longer than all that the device does.
    [[nodiscard]] bool bound(Seconds deviceTime) const { return dispatch * static_cast<double>(launched) > deviceTime; }
};

} // namespace deltascope
