// SPDX-License-Identifier: GPL-3.0-or-later
// One simulated step: operators with start and duration, layers, totals, memory, provenance, notes.
#pragma once

#include "base/result.h"
#include "cost/calibration.h"
#include "cost/time.h"
#include "graph/step.h"
#include "memory/memory.h"
#include "scenario/validate.h"
#include "simulation/host.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace deltascope {

/// Identity of an operator that survives every change of scenario.
struct OperatorId {
    Part part = Part::text;
    std::int32_t layer = -1; ///< -1 outside layers; the draft's number in part mtp
    std::string module;
    OperatorKind kind = OperatorKind::copy;
    std::uint16_t occurrence = 0;

    /// `text/12/linear_attn.in_proj/linear/0`; `-` for the layer outside layers.
    [[nodiscard]] std::string text() const;
    static Result<OperatorId> parse(std::string_view text);
    auto operator<=>(const OperatorId&) const = default;
};

/// Where an operator stands in a Simulation.
struct OperatorRef {
    std::uint32_t segment = 0;
    std::uint32_t index = 0; ///< in the segment's block
    auto operator<=>(const OperatorRef&) const = default;
};

/// Costs of a block, the same wherever it is used.
struct SimulatedBlock {
    std::vector<OperatorCost> costs;
    std::vector<Seconds> offsets; ///< start of each operator in the block
    std::vector<Bytes> live;      ///< activations alive while each operator runs, without Segment::held
    Seconds duration;             ///< without waiting for the host
    BlockLaunches launches;       ///< empty when the engine has no host model
};

/// Where a calibrated total lies. Operators of one rule are off together, rules independently of one another:
/// deviations add up within a rule and as the root of their squares over the rules. What is scaled from a sibling is
/// off together by the scatter of the scaling, beside that.
struct TimeRange {
    Seconds low;
    Seconds likely;
    Seconds high;
};

struct Totals {
    Seconds time;
    std::array<double, 4> shareProvenance{}; ///< of the operators' time, by Provenance; add up to 1
    double shareExtrapolated = 0.0;          ///< calibrated or scaled outside the sizes that were measured
    std::optional<TimeRange> range;          ///< empty without calibration
    Seconds matrix, vector, memory, communication, launch; ///< sums of the operators' parts, which overlap
    Seconds hostWait;                                      ///< of the device, between operators
    /// By bound, and of the time that the device waits for the host; add up to 1.
    double shareCompute = 0.0, shareMemory = 0.0, shareCommunication = 0.0, shareLaunch = 0.0, shareHost = 0.0;
    double tokensPerSecond = 0.0; ///< all ranks
    double tokensPerSecondPerDevice = 0.0;
    double tokensPerSecondPerUser = 0.0;
    std::int64_t devices = 1;
    std::int64_t operators = 0;
};

struct KindSummary {
    OperatorKind kind;
    std::int64_t calls = 0;
    Seconds time;
};

struct LayerSummary {
    std::int32_t index = 0;
    LayerType type = LayerType::linearAttention;
    std::uint32_t segment = 0;
    Seconds start;
    Seconds time;
    Seconds kernelTime; ///< without communication and waiting
    Seconds communication;
    Seconds hostWait;
    std::array<Seconds, operatorClassCount> byClass{};
};

struct PartSummary {
    Part part;
    Seconds time;
};

struct Simulation {
    ResolvedScenario scenario;
    Step step;
    DeviceRates rates;
    StepPhase phase = StepPhase::prefill; ///< decode: every request is a decode request
    Calibrator calibrator;                ///< inactive when calibration is off or the device has none
    std::vector<SimulatedBlock> blocks;   ///< as step.blocks
    std::vector<Seconds> segmentStart;    ///< as step.segments: when the device is done with the one before
    /// As step.segments: when the host begins to launch it; long ago in a graph. Empty when the device never waits.
    std::vector<Seconds> hostBegin;
    std::optional<HostReport> host; ///< empty when the engine has no host model
    Totals totals;
    std::vector<KindSummary> byKind; ///< kinds that occur, longest first
    std::array<Seconds, operatorClassCount> byClass{};
    std::vector<LayerSummary> layers; ///< of the trunk
    std::vector<PartSummary> parts;   ///< in order of execution; add up to the step
    MemoryReport memory;
    std::vector<std::string> notes;

    [[nodiscard]] const Segment& segment(OperatorRef ref) const { return step.segments[ref.segment]; }
    [[nodiscard]] const Block& block(OperatorRef ref) const { return step.blocks[segment(ref).block]; }
    [[nodiscard]] const Operator& op(OperatorRef ref) const { return block(ref).operators[ref.index]; }
    [[nodiscard]] const OperatorCost& cost(OperatorRef ref) const {
        return blocks[segment(ref).block].costs[ref.index];
    }
    [[nodiscard]] Seconds start(OperatorRef ref) const {
        const SimulatedBlock& b = blocks[segment(ref).block];
        const Seconds start = segmentStart[ref.segment] + b.offsets[ref.index];
        return hostBegin.empty() ? start : std::max(start, hostBegin[ref.segment] + b.launches.earliest[ref.index]);
    }
    [[nodiscard]] Seconds segmentEnd(std::uint32_t segment) const {
        return segment + 1 < segmentStart.size() ? segmentStart[segment + 1] : totals.time;
    }
    /// How long the device waits for the host before the operator.
    [[nodiscard]] Seconds waitBefore(OperatorRef ref) const {
        if (hostBegin.empty()) return {};
        const OperatorRef before{ref.segment, ref.index - 1};
        const Seconds free = ref.index == 0 ? segmentStart[ref.segment] : start(before) + cost(before).total;
        return std::max(Seconds{}, start(ref) - free);
    }
    /// The rule that gave the operator's time; null when it is the roofline's.
    [[nodiscard]] const CalibrationRule* ruleOf(const OperatorCost& cost) const {
        return cost.rule < 0 ? nullptr : calibrator.rules[static_cast<std::size_t>(cost.rule)];
    }
    /// Activations alive while the operator runs.
    [[nodiscard]] Bytes live(OperatorRef ref) const {
        return segment(ref).held + blocks[segment(ref).block].live[ref.index];
    }
    [[nodiscard]] OperatorId id(OperatorRef ref) const;
    [[nodiscard]] std::optional<OperatorRef> find(const OperatorId& id) const;

    /// Calls `visit(OperatorRef)` for every operator in order of execution.
    template <class Visit>
    void forEachOperator(Visit visit) const {
        for (std::uint32_t s = 0; s < step.segments.size(); ++s) {
            const auto n = static_cast<std::uint32_t>(step.blocks[step.segments[s].block].operators.size());
            for (std::uint32_t i = 0; i < n; ++i) visit(OperatorRef{s, i});
        }
    }
};

/// Validates, builds, costs and sums up. Pure: no global state, no cache; microseconds.
Result<Simulation> simulate(const Catalog& catalog, const Scenario& scenario);

} // namespace deltascope
