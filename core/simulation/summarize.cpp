// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulation/summarize.h"

#include "base/format.h"
#include "scenario/module_scheme.h"
#include "simulation/host_wait.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace deltascope {
namespace {

/// Sums over one block, so that a step costs the number of its blocks and not of its operators.
struct BlockSums {
    std::array<std::int64_t, operatorKindCount> calls{};
    std::array<Seconds, operatorKindCount> kindTime{};
    std::array<Seconds, operatorClassCount> classTime{};
    std::array<Seconds, 6> boundTime{};
    Seconds matrix, vector, memory, communication, launch, communicationTime;
    Work work;
    Bytes peak;
    std::uint32_t peakOperator = 0;
};

BlockSums sumsOf(const Block& block, const SimulatedBlock& simulated) {
    BlockSums sums;
    for (std::uint32_t i = 0; i < block.operators.size(); ++i) {
        const OperatorKind kind = block.operators[i].kind;
        const OperatorCost& cost = simulated.costs[i];
        ++sums.calls[static_cast<std::size_t>(kind)];
        sums.kindTime[static_cast<std::size_t>(kind)] += cost.total;
        sums.classTime[static_cast<std::size_t>(classOf(kind))] += cost.total;
        sums.boundTime[static_cast<std::size_t>(cost.bound)] += cost.total;
        sums.matrix += cost.matrix;
        sums.vector += cost.vector;
        sums.memory += cost.memory;
        sums.communication += cost.communication;
        sums.launch += cost.launch;
        if (isCommunication(kind)) sums.communicationTime += cost.total;
        sums.work += cost.work;
        if (simulated.live[i] > sums.peak) {
            sums.peak = simulated.live[i];
            sums.peakOperator = i;
        }
    }
    return sums;
}

class Summary {
public:
    explicit Summary(Simulation& simulation) : s_(simulation) {}

    void run() {
        std::vector<BlockSums> sums;
        sums.reserve(s_.blocks.size());
        for (std::size_t i = 0; i < s_.blocks.size(); ++i) sums.push_back(sumsOf(s_.step.blocks[i], s_.blocks[i]));
        s_.segmentStart.reserve(s_.step.segments.size());
        s_.layers.reserve(s_.scenario.layers.size());
        hostWait_ = waitForHost(s_);
        for (std::uint32_t i = 0; i < s_.step.segments.size(); ++i) addSegment(i, sums[s_.step.segments[i].block]);
        finishTotals();
        finishProvenance();
        finishKinds();
        notes();
    }

private:
    void addSegment(std::uint32_t index, const BlockSums& block) {
        const Segment& segment = s_.step.segments[index];
        const Seconds wait = hostWait_.empty() ? Seconds{} : hostWait_[index];
        const Seconds duration = s_.blocks[segment.block].duration + wait;
        Totals& t = s_.totals;
        s_.segmentStart.push_back(t.time);
        if (segment.part == Part::text) {
            const Seconds kernels = s_.blocks[segment.block].duration - block.communicationTime;
            s_.layers.push_back({segment.layer, segment.layerType, index, t.time, duration, kernels,
                                 block.communicationTime, wait, block.classTime});
        }
        if (s_.parts.empty() || s_.parts.back().part != segment.part) s_.parts.push_back({segment.part, Seconds(0)});
        s_.parts.back().time += duration;
        t.time += duration;
        t.hostWait += wait;
        t.matrix += block.matrix;
        t.vector += block.vector;
        t.memory += block.memory;
        t.communication += block.communication;
        t.launch += block.launch;
        t.operators += static_cast<std::int64_t>(s_.step.blocks[segment.block].operators.size());
        for (std::size_t i = 0; i < operatorKindCount; ++i) {
            calls_[i] += block.calls[i];
            kindTime_[i] += block.kindTime[i];
        }
        for (std::size_t i = 0; i < operatorClassCount; ++i) s_.byClass[i] += block.classTime[i];
        for (std::size_t i = 0; i < boundTime_.size(); ++i) boundTime_[i] += block.boundTime[i];
        work_ += block.work;
        IdealMemory& memory = s_.memory.ideal;
        const Bytes live = segment.held + block.peak;
        if (live > memory.activationPeak) {
            memory.activationPeak = live;
            memory.peakSegment = index;
            memory.peakOperator = block.peakOperator;
        }
    }

    void finishTotals() {
        Totals& t = s_.totals;
        const auto share = [&](Bound bound) { return boundTime_[static_cast<std::size_t>(bound)] / t.time; };
        t.shareCompute = share(Bound::matrix) + share(Bound::vector);
        t.shareMemory = share(Bound::memory);
        t.shareCommunication = share(Bound::communication);
        t.shareLaunch = share(Bound::launch);
        t.shareHost = t.hostWait / t.time;
        const Parallelism& p = s_.scenario.scenario.parallel;
        t.devices = p.tp * p.dp;
        const double tokens = static_cast<double>(s_.scenario.promptTokensOfAllRanks) +
                              static_cast<double>(s_.scenario.decodeRequestsOfAllRanks) * s_.scenario.tokensPerStep;
        t.tokensPerSecond = tokens / t.time.value();
        t.tokensPerSecondPerDevice = t.tokensPerSecond / static_cast<double>(t.devices);
        t.tokensPerSecondPerUser = t.tokensPerSecond / static_cast<double>(s_.scenario.scenario.queries);
    }

    void finishProvenance() {
        Totals& t = s_.totals;
        const Seconds busy = t.time - t.hostWait;
        if (!s_.calibrator.active()) {
            t.shareProvenance[static_cast<std::size_t>(Provenance::roofline)] = 1.0;
            return;
        }
        std::vector<double> uses(s_.blocks.size(), 0.0);
        for (const Segment& segment : s_.step.segments) uses[segment.block] += 1.0;
        // One more for what no rule applies to, and one for all that is scaled from a sibling.
        std::vector<Deviation> deviations(s_.calibrator.rules.size() + 2);
        Deviation& unruled = deviations[deviations.size() - 2];
        double scaledTime = 0.0;
        for (std::size_t i = 0; i < uses.size(); ++i)
            for (const OperatorCost& cost : s_.blocks[i].costs) {
                const double share = uses[i] * (cost.total / busy);
                t.shareProvenance[static_cast<std::size_t>(cost.provenance)] += share;
                if (cost.extrapolated) t.shareExtrapolated += share;
                const double time = uses[i] * cost.total.value();
                if (s_.calibrator.fromSibling(cost.rule)) scaledTime += time;
                Deviation& d = cost.rule < 0 ? unruled : deviations[static_cast<std::size_t>(cost.rule)];
                const Deviation own = ownDeviation(cost, s_.calibrator);
                d.below += time * own.below;
                d.above += time * own.above;
            }
        deviations.back() = {scaledTime * std::max(0.0, 1.0 - s_.calibrator.scaled.p10),
                             scaledTime * std::max(0.0, s_.calibrator.scaled.p90 - 1.0)};
        double below = 0.0, above = 0.0;
        for (const Deviation& d : deviations) {
            below += d.below * d.below;
            above += d.above * d.above;
        }
        // A device that is faster than likely still waits for the host.
        const Seconds launching = s_.host ? s_.host->dispatch * static_cast<double>(s_.host->launched) : Seconds{};
        const Seconds low = std::max(t.time - Seconds(std::sqrt(below)), std::min(launching, t.time));
        t.range = TimeRange{low, t.time, t.time + Seconds(std::sqrt(above))};
    }

    void finishKinds() {
        for (std::size_t i = 0; i < operatorKindCount; ++i)
            if (calls_[i] > 0) s_.byKind.push_back({static_cast<OperatorKind>(i), calls_[i], kindTime_[i]});
        std::stable_sort(s_.byKind.begin(), s_.byKind.end(),
                         [](const KindSummary& a, const KindSummary& b) { return a.time > b.time; });
    }

    void hostNote() {
        if (s_.hostBegin.empty()) return;
        const HostReport& host = *s_.host;
        const Seconds launching = host.dispatch * static_cast<double>(host.launched);
        const Seconds device = s_.totals.time - s_.totals.hostWait;
        std::string note =
            "host " + std::string(nameOf(host.mode)) + ": the device waits " + formatSeconds(host.wait) + " (" +
            formatShare(s_.totals.shareHost) + " of the step) for kernels that are launched one by one, " +
            formatCount(static_cast<double>(host.launched)) + " at " + formatSeconds(host.dispatch) + " each";
        if (host.bound(device))
            note += "; the step is host-bound: launching takes " + formatSeconds(launching) + ", the device's work " +
                    formatSeconds(device);
        s_.notes.push_back(std::move(note));
    }

    void notes() {
        s_.notes = s_.scenario.notes;
        hostNote();
        for (std::string& note : substitutionNotes(s_.rates, work_)) s_.notes.push_back(std::move(note));
        if (s_.rates.device && activationRate(s_.scenario) != s_.scenario.model->text.dtype)
            s_.notes.push_back("engine " + s_.scenario.engine->name + " runs " +
                               std::string(nameOf(s_.scenario.model->text.dtype)) + " work at the " +
                               std::string(nameOf(activationRate(s_.scenario))) + " rate");
    }

    Simulation& s_;
    std::array<std::int64_t, operatorKindCount> calls_{};
    std::array<Seconds, operatorKindCount> kindTime_{};
    std::array<Seconds, 6> boundTime_{};
    std::vector<Seconds> hostWait_; ///< as step.segments; empty when the device never waits
    Work work_;
};

} // namespace

void summarize(Simulation& simulation) { Summary(simulation).run(); }

} // namespace deltascope
