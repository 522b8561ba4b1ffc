// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulation/host_wait.h"

namespace deltascope {
namespace {

/// Calls `visit(block, eachKernel)` for every segment under a mode.
template <class Visit>
void forEachSegment(const Simulation& s, HostMode mode, Visit visit) {
    const bool decodeStep = s.phase == StepPhase::decode;
    for (const Segment& segment : s.step.segments)
        visit(s.blocks[segment.block], launchesEach(mode, segment.part, decodeStep));
}

} // namespace

std::vector<Seconds> waitForHost(Simulation& s) {
    std::vector<Seconds> waits;
    if (!s.scenario.host) return waits;
    HostReport& report = s.host.emplace();
    report.mode = *s.scenario.host;
    report.dispatch = s.scenario.engine->host->dispatch;
    for (std::size_t i = 0; i < hostModes.size(); ++i) {
        HostOutcome& outcome = report.modes[i];
        outcome.mode = hostModes[i];
        HostClock clock;
        forEachSegment(s, outcome.mode, [&](const SimulatedBlock& block, bool each) {
            outcome.wait += clock.pass(block.launches, block.duration, each, report.dispatch);
        });
        outcome.time = clock.device();
        if (outcome.mode == report.mode) report.wait = outcome.wait;
    }
    constexpr Seconds longAgo(-1e9);
    const bool waiting = report.wait > Seconds{};
    HostClock clock;
    forEachSegment(s, report.mode, [&](const SimulatedBlock& block, bool each) {
        report.kernels += block.launches.kernels;
        if (each) report.launched += block.launches.kernels;
        if (!waiting) return;
        s.hostBegin.push_back(each ? clock.host() : longAgo);
        waits.push_back(clock.pass(block.launches, block.duration, each, report.dispatch));
    });
    return waits;
}

} // namespace deltascope
