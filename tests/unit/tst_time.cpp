// SPDX-License-Identifier: GPL-3.0-or-later
// From work to time, by hand: the roofline with its launches and bounds, collectives on every sort of tier, and what
// stands in for figures that a device does not give.
#include "support/catalog.h"

#include "cost/time.h"

using namespace deltascope;
using namespace deltascope::test;

namespace {

constexpr double us = 1e-6;

constexpr std::size_t at(DType dtype) { return static_cast<std::size_t>(dtype); }

/// 50 TFLOP/s fp16 and 5 fp32 on the matrix unit, 1 fp16 and 0.5 fp32 on the vector unit, 0.5 TB/s; launches of 5, 2
/// and 10 us.
DeviceProfile byHand() {
    DeviceProfile d;
    d.name = "by hand";
    d.matrixRate[at(DType::fp16)] = FlopsPerSecond(100e12);
    d.matrixRate[at(DType::fp32)] = FlopsPerSecond(10e12);
    d.vectorRate[at(DType::fp16)] = FlopsPerSecond(2e12);
    d.vectorRate[at(DType::fp32)] = FlopsPerSecond(1e12);
    d.memorySize = Bytes(64e9);
    d.memoryBandwidth = BytesPerSecond(1e12);
    d.computeEfficiency = 0.5;
    d.memoryEfficiency = 0.5;
    d.matrixLaunch = Seconds(5 * us);
    d.vectorLaunch = Seconds(2 * us);
    d.communicationLaunch = Seconds(10 * us);
    return d;
}

InterconnectTier tier(std::optional<std::int64_t> size, double bandwidth, double latency, double efficiency = 1.0) {
    InterconnectTier t;
    t.size = size;
    t.bandwidth = BytesPerSecond(bandwidth);
    t.latency = Seconds(latency);
    t.efficiency = efficiency;
    return t;
}

/// Work of a kernel: fp16 matrix, fp32 vector, bytes read.
Work kernel(double matrix, double vector, double bytes) {
    Work w;
    w.matrix[at(DType::fp16)] = matrix;
    w.vector[at(DType::fp32)] = vector;
    w.read = Bytes(bytes);
    return w;
}

Work exchange(std::int64_t ranks, double bytes) {
    Work w;
    w.ranks = ranks;
    w.communicated = w.read = w.written = Bytes(bytes);
    return w;
}

#define COMPARE_TIME(actual, expected)                                                                                 \
    QVERIFY2(near((actual).value(), expected, 1e-12),                                                                  \
             qPrintable(QString("%1 s, expected %2").arg((actual).value(), 0, 'g', 12).arg(expected, 0, 'g', 12)))

bool noted(const std::vector<std::string>& notes, const std::string& text) {
    for (const std::string& note : notes)
        if (note.find(text) != note.npos) return true;
    return false;
}

} // namespace

class TestTime : public QObject {
    Q_OBJECT
private slots:
    void unitsDoNotOverlapAndMemoryDoes() {
        const DeviceProfile device = byHand();
        Work w;
        w.matrix[at(DType::fp16)] = 1e9; // 20 us
        w.matrix[at(DType::fp32)] = 1e8; // 20 us
        w.vector[at(DType::fp16)] = 1e6; // 1 us
        w.vector[at(DType::fp32)] = 2e6; // 4 us
        w.read = Bytes(10e6);
        w.written = Bytes(5e6);
        w.scratch = Bytes(2.5e6);
        w.residentScratch = Bytes(1e12); // no traffic
        const OperatorCost cost = timeOf(OperatorKind::linear, w, ratesOf(device));
        COMPARE_TIME(cost.matrix, 40 * us);
        COMPARE_TIME(cost.vector, 5 * us);
        COMPARE_TIME(cost.memory, 35 * us);
        COMPARE_TIME(cost.launch, 5 * us);
        COMPARE_TIME(cost.total, 50 * us);
        QCOMPARE(cost.communication.value(), 0.0);
        QCOMPARE(cost.bound, Bound::matrix);
        QCOMPARE(cost.provenance, Provenance::roofline);
    }

    void bounds_data() {
        QTest::addColumn<double>("matrix"); // us
        QTest::addColumn<double>("vector");
        QTest::addColumn<double>("memory");
        QTest::addColumn<double>("total");
        QTest::addColumn<QString>("bound");
        QTest::newRow("matrix") << 40.0 << 5.0 << 30.0 << 50.0 << "matrix";
        QTest::newRow("vector") << 10.0 << 20.0 << 15.0 << 35.0 << "vector";
        QTest::newRow("memory") << 10.0 << 20.0 << 60.0 << 65.0 << "memory";
        QTest::newRow("vector kernel") << 0.0 << 20.0 << 15.0 << 22.0 << "vector";
        QTest::newRow("memory kernel") << 0.0 << 0.0 << 3.0 << 5.0 << "memory";
        QTest::newRow("equal parts are memory's") << 0.0 << 7.0 << 7.0 << 9.0 << "memory";
        QTest::newRow("launch of a matrix kernel") << 1.0 << 0.0 << 4.5 << 9.5 << "launch";
        QTest::newRow("launch of a vector kernel") << 0.0 << 0.5 << 1.5 << 3.5 << "launch";
    }

    void bounds() {
        QFETCH(double, matrix);
        QFETCH(double, vector);
        QFETCH(double, memory);
        QFETCH(double, total);
        QFETCH(QString, bound);
        const DeviceProfile device = byHand();
        const Work w = kernel(matrix * us * 50e12, vector * us * 0.5e12, memory * us * 0.5e12);
        const OperatorCost cost = timeOf(OperatorKind::swiglu, w, ratesOf(device));
        COMPARE_TIME(cost.total, total * us);
        QVERIFY2(nameOf(cost.bound) == bound.toStdString(), nameOf(cost.bound).data());
    }

    void extraLaunchesCost() {
        const DeviceProfile device = byHand();
        Work w = kernel(50e6, 0, 0); // 1 us
        w.extraLaunches = 8;
        const OperatorCost cost = timeOf(OperatorKind::linear_attn_chunk_gated_delta_rule, w, ratesOf(device));
        COMPARE_TIME(cost.launch, 45 * us);
        COMPARE_TIME(cost.total, 46 * us);
        QCOMPARE(cost.bound, Bound::launch);
    }

    void aViewTakesNoTime() {
        const DeviceProfile device = byHand();
        const OperatorCost cost = timeOf(OperatorKind::copy, Work{}, ratesOf(device));
        QCOMPARE(cost.total.value(), 0.0);
        QCOMPARE(cost.launch.value(), 0.0);
        QCOMPARE(cost.bound, Bound::none);
    }

    // --- collectives

    void collectives_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<int>("ranks");
        QTest::addColumn<double>("bytes");
        QTest::addColumn<double>("expected"); // us
        const auto row = [](const char* name, OperatorKind kind, int ranks, double bytes, double expected) {
            QTest::newRow(name) << static_cast<int>(kind) << ranks << bytes << expected;
        };
        using K = OperatorKind;
        // Tiers: 4 devices at 50 GB/s and 1 us; 8 of those, a full mesh at 100 GB/s and 2 us; beyond, 10 GB/s and 5 us.
        row("one rank", K::all_reduce, 1, 1e6, 0);
        row("two ranks, ring", K::all_reduce, 2, 1e6, 2 + 20);                                // tree: 2 + 40
        row("four ranks, ring", K::all_reduce, 4, 1e6, 6 + 30);                               // tree: 4 + 40
        row("four ranks, tree", K::all_reduce, 4, 100, 4 + 0.004);                            // ring: 6 + 0.003
        row("eight ranks over the mesh, tree", K::all_reduce, 8, 7e5, 12 + 14);               // ring: 28 + 12.25
        row("eight ranks over the mesh, ring", K::all_reduce, 8, 80e6, 28 + 1400);            // tree: 12 + 1600
        row("32 ranks: more than the mesh has sides", K::all_reduce, 32, 1e5, 2 * 5 * 2 + 2); // ring: 124 + 1.9375
        row("64 ranks over the unbounded tier", K::all_reduce, 64, 1e5, 2 * 6 * 5 + 20);
        row("gather", K::all_gather, 4, 1e6, 2 + 60);
        row("gather of two", K::all_gather, 2, 1e6, 1 + 20);
        row("scatter", K::reduce_scatter, 4, 1e6, 2 + 15);
        row("exchange", K::all_to_all, 4, 1e6, 2 + 15);
    }

    void collectives() {
        QFETCH(int, kind);
        QFETCH(int, ranks);
        QFETCH(double, bytes);
        QFETCH(double, expected);
        DeviceProfile device = byHand();
        device.interconnect = {tier(4, 100e9, 1 * us, 0.5), tier(8, 100e9, 2 * us), tier({}, 10e9, 5 * us)};
        device.interconnect[1].topology = Topology::fullMesh;
        COMPARE_TIME(collectiveTime(static_cast<OperatorKind>(kind), ranks, Bytes(bytes), device), expected * us);
    }

    void fullMeshUsesTheLinksOfItsGroup() {
        DeviceProfile device = byHand();
        device.interconnect = {tier(8, 70e9, 0)};
        device.interconnect[0].topology = Topology::fullMesh;
        // n of 8 devices see (n - 1) of 7 links
        COMPARE_TIME(collectiveTime(OperatorKind::all_reduce, 2, Bytes(1e6), device), 1e6 / 10e9);
        COMPARE_TIME(collectiveTime(OperatorKind::all_reduce, 4, Bytes(1e6), device), 1.5e6 / 30e9);
        COMPARE_TIME(collectiveTime(OperatorKind::all_reduce, 8, Bytes(1e6), device), 1.75e6 / 70e9);
        device.interconnect[0].topology = Topology::clos;
        COMPARE_TIME(collectiveTime(OperatorKind::all_reduce, 2, Bytes(1e6), device), 1e6 / 70e9);
    }

    void flatLatencyDoesNotGrow() {
        DeviceProfile device = byHand();
        device.interconnect = {tier(8, 100e9, 2 * us)};
        device.interconnect[0].latencyScaling = LatencyScaling::flat;
        COMPARE_TIME(collectiveTime(OperatorKind::all_reduce, 2, Bytes(1e6), device), 14 * us);
        COMPARE_TIME(collectiveTime(OperatorKind::all_reduce, 8, Bytes(1e6), device), 4 * us + 17.5 * us);
        COMPARE_TIME(collectiveTime(OperatorKind::all_gather, 8, Bytes(1e6), device), 2 * us + 70 * us);
        device.interconnect[0].latencyScaling = LatencyScaling::steps;
        COMPARE_TIME(collectiveTime(OperatorKind::all_gather, 8, Bytes(1e6), device), 6 * us + 70 * us);
    }

    void tiersMultiply() {
        const auto die = builtIn().findDevice("ATLAS_800_A3_560T_128G_DIE"); // 2, 8, 48
        QCOMPARE(interconnectSpan(*die), std::int64_t{768});
        for (auto [ranks, name] :
             {std::pair{2, "SIO"}, {3, "HCCS_L1"}, {16, "HCCS_L1"}, {17, "HCCS_L2"}, {768, "HCCS_L2"}}) {
            const InterconnectTier* found = tierFor(*die, ranks);
            QVERIFY(found);
            QCOMPARE(found->name, std::string(name));
        }
        QVERIFY(!tierFor(*die, 769));
        DeviceProfile alone = byHand();
        QCOMPARE(interconnectSpan(alone), std::int64_t{1});
        QVERIFY(!tierFor(alone, 2));
        alone.interconnect = {tier(8, 1e9, 0), tier({}, 1e9, 0)};
        QVERIFY(interconnectSpan(alone) > 1'000'000);
        QCOMPARE(tierFor(alone, 100'000), &alone.interconnect[1]);
    }

    void anAllReduceIsNeverFasterThanItsMemoryTraffic() {
        DeviceProfile device = byHand();
        device.interconnect = {tier(2, 1e15, 0)};
        const OperatorCost fast = timeOf(OperatorKind::all_reduce, exchange(2, 5e6), ratesOf(device));
        COMPARE_TIME(fast.memory, 20 * us);
        COMPARE_TIME(fast.total, 30 * us); // with the launch of a collective
        COMPARE_TIME(fast.launch, 10 * us);
        QCOMPARE(fast.bound, Bound::memory);
        device.interconnect = {tier(2, 100e9, 0)};
        const OperatorCost slow = timeOf(OperatorKind::all_reduce, exchange(2, 5e6), ratesOf(device));
        COMPARE_TIME(slow.communication, 50 * us);
        COMPARE_TIME(slow.total, 60 * us);
        QCOMPARE(slow.bound, Bound::communication);
        const OperatorCost tiny = timeOf(OperatorKind::all_reduce, exchange(2, 1000), ratesOf(device));
        QCOMPARE(tiny.bound, Bound::launch);
    }

    void fusedLinearTakesTheLongerOfTheTwo() {
        DeviceProfile device = byHand();
        device.interconnect = {tier(2, 100e9, 0)};
        Work w = kernel(40 * us * 50e12, 0, 0);
        w.ranks = 2;
        w.communicated = Bytes(3e6); // 30 us and a launch of 10
        const OperatorCost matmul = timeOf(OperatorKind::linear_all_reduce, w, ratesOf(device));
        COMPARE_TIME(matmul.total, 45 * us);
        COMPARE_TIME(matmul.communication, 30 * us);
        QCOMPARE(matmul.bound, Bound::matrix);
        w.communicated = Bytes(5e6); // 50 us and a launch of 10
        const OperatorCost link = timeOf(OperatorKind::linear_all_reduce, w, ratesOf(device));
        COMPARE_TIME(link.total, 60 * us);
        COMPARE_TIME(link.launch, 10 * us);
        QCOMPARE(link.bound, Bound::communication);
    }

    void fusedEngineIsNeverSlower() {
        Scenario scenario = scenarioOf("Qwen3.5-27B", Phase::prefill, 1000, 0);
        scenario.parallel.tp = 4;
        DELTASCOPE_SIMULATE(plain, scenario);
        scenario.engine = "tensorcast-fused";
        DELTASCOPE_SIMULATE(fused, scenario);
        QVERIFY(fused.totals.time < plain.totals.time);
        QVERIFY(fused.totals.time >
                plain.totals.time - plain.byClass[static_cast<std::size_t>(OperatorClass::communication)]);
    }

    // --- what a device file does not give

    void efficienciesAreApplied() {
        const auto die = builtIn().findDevice("ATLAS_800_A3_560T_128G_DIE");
        const DeviceRates rates = ratesOf(*die);
        QCOMPARE(rates.matrix[at(DType::int8)], 560e12 * 0.7);
        QCOMPARE(rates.matrix[at(DType::fp16)], 280e12 * 0.7);
        QCOMPARE(rates.vector[at(DType::fp32)], 8e12 * 0.7);
        QCOMPARE(rates.memory, 1759.22e9 * 0.6);
        QCOMPARE(rates.matrix[at(DType::fp8)], 0.0);
    }

    void absentVectorRateIsTheFp32One() {
        DeviceProfile device = byHand();
        device.vectorRate[at(DType::fp16)].reset();
        const DeviceRates rates = ratesOf(device);
        QCOMPARE(rates.vector[at(DType::fp16)], 0.5e12);
        QCOMPARE(rates.vectorSubstitute[at(DType::fp16)], Substitute::fp32Vector);
        QCOMPARE(rates.vectorSubstitute[at(DType::fp32)], Substitute::none);
        Work used;
        used.vector[at(DType::fp16)] = 1.0;
        QCOMPARE(substitutionNotes(rates, used).size(), std::size_t{1});
        QVERIFY(noted(substitutionNotes(rates, used), "by hand has no fp16 vector rate"));
        QVERIFY(substitutionNotes(rates, kernel(1, 1, 1)).empty()); // fp16 vectors are not used there
    }

    void withoutVectorRatesASixteenthOfTheMatrixOne() {
        DeviceProfile device = byHand();
        device.vectorRate = {};
        const DeviceRates rates = ratesOf(device);
        for (DType dtype : {DType::fp32, DType::bf16, DType::fp16}) {
            QCOMPARE(rates.vector[at(dtype)], 100e12 / 16 * 0.5);
            QCOMPARE(rates.vectorSubstitute[at(dtype)], Substitute::sixteenthOfMatrix);
        }
        QVERIFY(noted(substitutionNotes(rates, kernel(0, 1, 0)), "sixteenth"));
    }

    void absentFp32MatrixRateIsTheVectorOne() {
        DeviceProfile device = byHand();
        device.matrixRate[at(DType::fp32)].reset();
        QCOMPARE(ratesOf(device).matrix[at(DType::fp32)], 0.5e12);
        Work used;
        used.matrix[at(DType::fp32)] = 1.0;
        QVERIFY(noted(substitutionNotes(ratesOf(device), used), "by hand has no fp32 matrix rate"));
        QVERIFY(substitutionNotes(ratesOf(device), kernel(1, 1, 1)).empty());
        device.vectorRate = {};
        QCOMPARE(ratesOf(device).matrix[at(DType::fp32)], 100e12 / 16 * 0.5);
        QCOMPARE(ratesOf(byHand()).matrix[at(DType::fp32)], 5e12);
    }

    void absentEfficiencyIsOneAndAbsentLaunchNothing() {
        DeviceProfile device = byHand();
        device.computeEfficiency.reset();
        device.memoryEfficiency.reset();
        device.matrixLaunch.reset();
        device.vectorLaunch.reset();
        device.communicationLaunch.reset();
        const DeviceRates rates = ratesOf(device);
        QCOMPARE(rates.matrix[at(DType::fp16)], 100e12);
        QCOMPARE(rates.memory, 1e12);
        const OperatorCost cost = timeOf(OperatorKind::linear, kernel(100e6, 0, 0), rates);
        COMPARE_TIME(cost.total, 1 * us);
        QCOMPARE(cost.launch.value(), 0.0);
        const std::vector<std::string> notes = substitutionNotes(rates, exchange(2, 1));
        QCOMPARE(notes.size(), std::size_t{5});
        for (const char* text : {"compute efficiency", "memory efficiency", "launch cost of matrix kernels",
                                 "launch cost of vector kernels", "launch cost of collectives"})
            QVERIFY2(noted(notes, text), text);
        QVERIFY(!noted(substitutionNotes(rates, kernel(1, 1, 1)), "collectives"));
    }

    void stepsSayWhatStoodIn() {
        Scenario scenario = scenarioOf("Qwen3.5-27B", Phase::decode, 1, 100);
        DELTASCOPE_SIMULATE(complete, scenario);
        QVERIFY(!noted(complete.notes, "stands in")); // this die gives all that the step needs
        QVERIFY(noted(complete.notes, "fp16 rate"));  // the engine's float path
        scenario.device = "NVIDIA_H100_SXM";          // no fp16 vectors, no launch cost of matrix kernels
        DELTASCOPE_SIMULATE(partial, scenario);
        QVERIFY(noted(partial.notes, "NVIDIA_H100_SXM has no fp16 vector rate"));
        QVERIFY(noted(partial.notes, "launch cost of matrix kernels"));
        QVERIFY(!noted(partial.notes, "collectives"));
        scenario.parallel.tp = 2;
        DELTASCOPE_SIMULATE(split, scenario);
        QVERIFY(noted(split.notes, "collectives"));
        scenario.device = "ATLAS_300I_DUO_CHIP"; // neither fp32 matrices nor vectors
        DELTASCOPE_SIMULATE(edge, scenario);
        QVERIFY(noted(edge.notes, "no fp32 matrix rate"));
    }
};

QTEST_GUILESS_MAIN(TestTime)
#include "tst_time.moc"
