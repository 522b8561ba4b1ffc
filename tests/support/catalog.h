// SPDX-License-Identifier: GPL-3.0-or-later
// What tests of the core share: the built-in catalog, read once from the source tree, and ways to look into a step.
#pragma once

#include "catalog/catalog.h"
#include "simulation/simulation.h"

#include <QTest>

#include <cmath>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

/// Declares `name` as the Simulation of `scenario`, or fails the test with the refusal.
#define DELTASCOPE_SIMULATE(name, scenario)                                                                            \
    const auto name##Result = deltascope::simulate(deltascope::test::builtIn(), scenario);                             \
    QVERIFY2(name##Result, name##Result ? "" : name##Result.error().text().c_str());                                   \
    const deltascope::Simulation& name = *name##Result

namespace deltascope::test {

inline const std::filesystem::path sourceFolder = DELTASCOPE_SOURCE_DIR;

inline const Catalog& builtIn() {
    static const Catalog catalog = Catalog::load({{sourceFolder, Origin::builtIn}});
    return catalog;
}

/// One request of `model` on the A3 die under the tensorcast engine, without calibration.
inline Scenario scenarioOf(std::string_view model, Phase phase, std::int64_t queryLength, std::int64_t contextLength) {
    Scenario s;
    s.model = model;
    s.phase = phase;
    s.queryLength = queryLength;
    s.contextLength = contextLength;
    s.calibration = false;
    return s;
}

inline const Block* findBlock(const Step& step, std::string_view name) {
    for (const Block& block : step.blocks)
        if (block.name == name) return &block;
    return nullptr;
}

inline std::vector<const Operator*> operatorsOf(const Block& block, OperatorKind kind) {
    std::vector<const Operator*> found;
    for (const Operator& op : block.operators)
        if (op.kind == kind) found.push_back(&op);
    return found;
}

/// Shapes of an operator's tensors as text: "4x24x128 int8, ...", inputs or outputs.
inline std::string shapesOf(const Block& block, std::span<const std::uint16_t> ids) {
    std::string text;
    for (std::uint16_t id : ids) {
        const Tensor& tensor = block.tensors[id];
        if (!text.empty()) text += ", ";
        for (std::size_t i = 0; i < tensor.rank; ++i) text += (i ? "x" : "") + std::to_string(tensor.dims[i]);
        text += ' ';
        text += nameOf(tensor.dtype);
    }
    return text;
}
inline std::string inputsOf(const Block& block, const Operator& op) { return shapesOf(block, block.inputs(op)); }
inline std::string outputsOf(const Block& block, const Operator& op) { return shapesOf(block, block.outputs(op)); }

/// Work of the n-th operator of a kind in the block of that name; nothing when there is none.
inline std::optional<Work> workIn(const Simulation& s, std::string_view blockName, OperatorKind kind,
                                  std::size_t n = 0) {
    for (std::size_t b = 0; b < s.step.blocks.size(); ++b) {
        const Block& block = s.step.blocks[b];
        if (block.name != blockName) continue;
        for (std::size_t i = 0; i < block.operators.size(); ++i)
            if (block.operators[i].kind == kind && n-- == 0) return s.blocks[b].costs[i].work;
    }
    return std::nullopt;
}

inline std::int64_t callsOf(const Simulation& s, OperatorKind kind) {
    for (const KindSummary& summary : s.byKind)
        if (summary.kind == kind) return summary.calls;
    return 0;
}

/// What is not a finite, non-negative number in a result (or a shape that overflowed); empty when all is well.
inline std::string impossibleNumber(const Simulation& s) {
    const auto bad = [](double value) { return !std::isfinite(value) || value < 0.0; };
    for (std::size_t b = 0; b < s.blocks.size(); ++b) {
        const Block& block = s.step.blocks[b];
        for (const Tensor& tensor : block.tensors)
            for (std::int64_t dim : tensor.shape())
                if (dim < 1) return std::string(block.name) + ": " + std::string(tensor.name) + " has no size";
        for (std::size_t i = 0; i < block.operators.size(); ++i) {
            const OperatorCost& c = s.blocks[b].costs[i];
            const Work& w = c.work;
            for (double value : {c.matrix.value(), c.vector.value(), c.memory.value(), c.communication.value(),
                                 c.launch.value(), c.total.value(), w.matrixTotal(), w.vectorTotal(), w.read.value(),
                                 w.written.value(), w.scratch.value(), w.residentScratch.value(),
                                 w.communicated.value(), s.blocks[b].live[i].value(), s.blocks[b].offsets[i].value()})
                if (bad(value))
                    return std::string(block.name) + ": " + std::string(block.operators[i].module) + " costs " +
                           std::to_string(value);
        }
    }
    const Totals& t = s.totals;
    const IdealMemory& m = s.memory.ideal;
    for (double value : {t.time.value(),
                         t.matrix.value(),
                         t.vector.value(),
                         t.memory.value(),
                         t.communication.value(),
                         t.launch.value(),
                         t.tokensPerSecond,
                         t.tokensPerSecondPerDevice,
                         t.tokensPerSecondPerUser,
                         t.shareCompute,
                         t.shareMemory,
                         t.shareCommunication,
                         t.shareLaunch,
                         t.shareHost,
                         t.hostWait.value(),
                         static_cast<double>(t.operators),
                         static_cast<double>(t.devices),
                         m.weights.value(),
                         m.kvCache.value(),
                         m.recurrentState.value(),
                         m.convState.value(),
                         m.activationPeak.value(),
                         m.kvCacheAllFull.value(),
                         static_cast<double>(m.stateSlots),
                         s.memory.limit.value(),
                         static_cast<double>(s.scenario.tokens),
                         static_cast<double>(s.scenario.requestCount)})
        if (bad(value)) return "a total is " + std::to_string(value);
    return t.time.value() > 0.0 ? "" : "the step takes no time";
}

/// |a - b| within `relative` of the larger one.
inline bool near(double a, double b, double relative) {
    return std::abs(a - b) <= relative * std::max(std::abs(a), std::abs(b));
}

} // namespace deltascope::test
