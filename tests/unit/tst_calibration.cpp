// SPDX-License-Identifier: GPL-3.0-or-later
// Calibration: what a rule's law gives, by hand; which rule applies; what is interpolated and what extrapolated; what
// the reader refuses; what a step says of it.
#include "cost/calibration.h"

#include "catalog/catalog.h"
#include "simulation/simulation.h"
#include "support/catalog.h"

#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <fstream>

using namespace deltascope;

namespace {

constexpr const char* deviceHead = R"(name: TEST_DEVICE
matrix_flops_per_s: {bf16: 100e12, fp16: 100e12, int8: 200e12}
vector_flops_per_s: {fp32: 10e12}
memory: {size_bytes: 64e9, bandwidth_bytes_per_s: 1e12}
efficiency: {compute: 0.5, memory: 0.5}
launch_s: {matrix: 5e-6, vector: 2e-6}
)";

} // namespace

class TestCalibration : public QObject {
    Q_OBJECT

private:
    QTemporaryDir folder_;

    std::filesystem::path write(const QString& name, const std::string& text) {
        const QString path = folder_.filePath(name);
        std::ofstream(path.toStdString()) << text;
        return path.toStdString();
    }
    Result<DeviceProfile> device(const std::string& calibration) {
        return readDeviceProfile(write("device.yaml", deviceHead + calibration));
    }
    /// A linear of M rows, K 1,024, N 2,048 under `calibration`.
    static OperatorCost linear(const DeviceProfile& device, double rows, Scheme scheme = Scheme::bf16,
                               StepPhase phase = StepPhase::prefill, const DeviceProfile* sibling = nullptr) {
        Operator op;
        op.kind = OperatorKind::linear;
        op.params = LinearParams{rows, 1024, 2048, scheme, false, false, 1};
        const Block block;
        OperatorCost cost = timeOf(op.kind, workOf(block, op, DType::bf16), ratesOf(device));
        calibrate(cost, block, op, phase, calibratorOf(device, sibling));
        return cost;
    }

private slots:
    void efficiencies();
    void rates();
    void tables();
    void tablesInSeveralSizes();
    void choiceOfRule();
    void otherWeightFormats();
    void includedTakesNoTime();
    void siblingsScale();
    void refusals_data();
    void refusals();
    void siblingsThatHaveNothing();
    void veryManyRules();
    void ofAStep();
};

void TestCalibration::efficiencies() {
    const auto d = device(R"(calibration:
  uncalibrated: {p10: 0.5, p90: 2}
  rules:
    - kinds: [linear]
      compute_efficiency: 0.8
      memory_efficiency: 0.7
      floor_s: 3e-6
      scatter: {p10: 0.9, p90: 1.2}
      seen: {rows: [1, 4096]}
      source: by hand
)");
    QVERIFY2(d, d ? "" : d.error().text().c_str());
    // 2*4096*1024*2048 = 17.18 GFLOP at 80 TFLOP/s: 214.748 us; bytes 2*(4096*1024 + 1024*2048 + 4096*2048) = 29.36 MB
    const OperatorCost many = linear(*d, 4096);
    QVERIFY(std::abs(many.total.value() - (214.7483648e-6 + 3e-6)) < 1e-12);
    QCOMPARE(many.launch.value(), 3e-6);
    QCOMPARE(many.provenance, Provenance::calibrated);
    QCOMPARE(many.rule, 0);
    QVERIFY(!many.extrapolated);
    QVERIFY(std::abs(many.low / many.total - 0.9) < 1e-12);
    QVERIFY(std::abs(many.high / many.total - 1.2) < 1e-12);
    // one row: 2*(1024 + 1024*2048 + 2048) = 4,200,448 bytes at 0.7 TB/s: 6.00064 us
    QVERIFY(std::abs(linear(*d, 1).total.value() - (6.00064e-6 + 3e-6)) < 1e-12);
    // outside what was seen: same law, but said, and twice as wide in the logarithm
    const OperatorCost beyond = linear(*d, 8192);
    QVERIFY(beyond.extrapolated);
    QVERIFY(std::abs(beyond.low / beyond.total - 0.81) < 1e-12);
    QVERIFY(std::abs(beyond.high / beyond.total - 1.44) < 1e-12);
}

void TestCalibration::rates() {
    const auto d = device(R"(calibration:
  uncalibrated: {p10: 0.5, p90: 2}
  rules:
    - kinds: [linear]
      terms:
        - {per: [flops], rate: 50e12}
        - {per: [rows, n], rate: 1e12}
      constant_s: 4e-6
      scatter: {p10: 1, p90: 1}
      source: by hand
)");
    QVERIFY(d);
    // 17.18 GFLOP / 50 TFLOP/s; 4096*2048 / 1e12 = 8.39 us is less
    QVERIFY(std::abs(linear(*d, 4096).total.value() - 343.59738368e-6) < 1e-12);
    // one row: 4.19 MFLOP / 50e12 = 0.084 us, so the constant
    QVERIFY(std::abs(linear(*d, 1).total.value() - 4e-6) < 1e-15);
}

void TestCalibration::tables() {
    const auto d = device(R"(calibration:
  uncalibrated: {p10: 0.5, p90: 2}
  rules:
    - kinds: [linear]
      constant_s: 1e-6
      table:
        axes: [{of: [rows], points: [1, 100, 10000]}]
        values: 2 8 8000
      scatter: {p10: 1, p90: 1}
      source: by hand
)");
    QVERIFY2(d, d ? "" : d.error().text().c_str());
    const auto near = [](double a, double b) { return std::abs(a / b - 1.0) < 1e-6; }; // values are kept as float
    QVERIFY(near(linear(*d, 1).total.value(), 2e-6));
    QVERIFY(near(linear(*d, 10).total.value(), 4e-6)); // half way in the logarithm: the geometric mean of 2 and 8
    QVERIFY(near(linear(*d, 100).total.value(), 8e-6));
    QVERIFY(near(linear(*d, 1000).total.value(), std::sqrt(8.0 * 8000.0) * 1e-6));
    QVERIFY(!linear(*d, 10000).extrapolated);
    QVERIFY(near(linear(*d, 20000).total.value(), 8000e-6)); // the edge holds
    QVERIFY(linear(*d, 20000).extrapolated);
}

void TestCalibration::tablesInSeveralSizes() {
    const auto d = device(R"(calibration:
  uncalibrated: {p10: 0.5, p90: 2}
  rules:
    - kinds: [linear]
      constant_s: 1e-6
      table:
        axes:
          - {of: [rows], points: [1, 100]}
          - {of: [k, n], points: [524288, 8388608]}
        unit: 0.5
        values: |
          2 8
          18 72
      scatter: {p10: 1, p90: 1}
      source: by hand
)");
    QVERIFY2(d, d ? "" : d.error().text().c_str());
    // K*N = 2,097,152 is half way; rows 10 too: the geometric mean of 1, 4, 9, 36 = 6
    QVERIFY(std::abs(linear(*d, 10).total.value() - 6e-6) < 1e-11);
    // rows 1: between 1 and 4
    QVERIFY(std::abs(linear(*d, 1).total.value() - 2e-6) < 1e-11);
}

void TestCalibration::choiceOfRule() {
    const auto d = device(R"(calibration:
  uncalibrated: {p10: 0.5, p90: 2}
  rules:
    - {kinds: [linear], dtype: int8, constant_s: 1e-6, scatter: {p10: 1, p90: 1}, source: a}
    - {kinds: [linear], phase: decode, constant_s: 2e-6, scatter: {p10: 1, p90: 1}, source: b}
    - {kinds: [linear], where: {rows: [1, 128]}, constant_s: 3e-6, scatter: {p10: 1, p90: 1}, source: c}
    - {kinds: [linear], where: {ranks: [2, 8]}, constant_s: 4e-6, scatter: {p10: 1, p90: 1}, source: d}
)");
    QVERIFY2(d, d ? "" : d.error().text().c_str());
    QCOMPARE(linear(*d, 1, Scheme::w8a8Static).rule, 0);
    QCOMPARE(linear(*d, 1, Scheme::bf16, StepPhase::decode).rule, 1);
    QCOMPARE(linear(*d, 128).rule, 2);
    // no rule: the roofline stays, with the scatter of what is not calibrated (a linear has no `ranks`)
    const OperatorCost none = linear(*d, 129);
    QCOMPARE(none.rule, -1);
    QCOMPARE(none.provenance, Provenance::roofline);
    QVERIFY(std::abs(none.high / none.total - 2.0) < 1e-12);
    // a rule for bf16 stands for fp16 too
    const auto half = device(R"(calibration:
  uncalibrated: {p10: 0.5, p90: 2}
  rules: [{kinds: [linear], dtype: fp16, constant_s: 1e-6, scatter: {p10: 1, p90: 1}, source: a}]
)");
    QCOMPARE(linear(*half, 1, Scheme::bf16).rule, 0);
    QCOMPARE(linear(*half, 1, Scheme::w8a8Static).rule, -1);
}

void TestCalibration::otherWeightFormats() {
    const auto d = device(R"(calibration:
  uncalibrated: {p10: 0.5, p90: 2}
  rules: [{kinds: [linear], dtype: int8, constant_s: 1e-6, scatter: {p10: 1, p90: 1}, source: a}]
)");
    const OperatorCost w4 = linear(*d, 1, Scheme::w4a8Dynamic); // an int8 product of int4 weights: another kernel
    QCOMPARE(w4.rule, 0);
    QCOMPARE(w4.provenance, Provenance::scaled);
    QVERIFY(w4.extrapolated);
    QCOMPARE(linear(*d, 1, Scheme::w8a8Dynamic).provenance, Provenance::calibrated);
}

void TestCalibration::includedTakesNoTime() {
    const auto d = device(R"(calibration:
  uncalibrated: {p10: 0.5, p90: 2}
  rules: [{kinds: [linear], included_in: the kernel before, source: a}]
)");
    const OperatorCost cost = linear(*d, 128);
    QCOMPARE(cost.total.value(), 0.0);
    QCOMPARE(cost.provenance, Provenance::calibrated);
    QCOMPARE(lawText(d->calibration->rules[0]), std::string("counted in the kernel before"));
}

void TestCalibration::siblingsScale() {
    const auto source = device(R"(calibration:
  uncalibrated: {p10: 0.5, p90: 2}
  rules:
    - {kinds: [linear], dtype: int8, terms: [{per: [flops], rate: 100e12, scales_with: compute}], scatter: {p10: 1, p90: 1}, source: a}
    - {kinds: [linear], dtype: bf16, terms: [{per: [bytes], rate: 1e12, scales_with: memory}], scatter: {p10: 1, p90: 1}, source: a}
    - {kinds: [linear], terms: [{per: [rows], rate: 1e6}], scatter: {p10: 1, p90: 1}, source: a}
)");
    QVERIFY2(source, source ? "" : source.error().text().c_str());
    auto own = *source; // a sibling of half the 16-bit matrix rate and twice the bandwidth
    for (DType dtype : {DType::bf16, DType::fp16})
        own.matrixRate[static_cast<std::size_t>(dtype)] = FlopsPerSecond(50e12);
    own.memoryBandwidth = BytesPerSecond(2e12);
    auto calibration = std::make_shared<Calibration>();
    calibration->scaledFrom = source->name;
    calibration->scaled = {0.8, 1.5};
    own.calibration = calibration;
    const auto ratio = [&](Scheme scheme) {
        const OperatorCost here = linear(own, 64, scheme, StepPhase::prefill, &*source);
        return here.total / linear(*source, 64, scheme).total;
    };
    QCOMPARE(linear(own, 64, Scheme::bf16, StepPhase::prefill, &*source).provenance, Provenance::scaled);
    // The rules have no scatter of their own, so the scaling's is what is left.
    const OperatorCost scaled = linear(own, 64, Scheme::bf16, StepPhase::prefill, &*source);
    QVERIFY(std::abs(scaled.low / scaled.total - 0.8) < 1e-12);
    QVERIFY(std::abs(scaled.high / scaled.total - 1.5) < 1e-12);
    QVERIFY(std::abs(ratio(Scheme::w8a8Static) - 2.0) < 1e-12);
    QVERIFY(std::abs(ratio(Scheme::bf16) - 0.5) < 1e-12);
    QVERIFY(std::abs(linear(own, 64, Scheme::bf16, StepPhase::prefill, nullptr).low /
                         linear(own, 64, Scheme::bf16, StepPhase::prefill, nullptr).total -
                     1.0) < 1e-12); // no sibling, no rule
}

void TestCalibration::refusals_data() {
    QTest::addColumn<QString>("rule");
    QTest::addColumn<QString>("subject");
    QTest::addColumn<QString>("why");
    const auto row = [](const char* name, const char* rule, const char* subject, const char* why) {
        QTest::newRow(name) << rule << subject << why;
    };
    row("no kind", "{constant_s: 1e-6, scatter: {p10: 1, p90: 1}, source: a}", "calibration.rules[0].kinds", "no kind");
    row("unknown kind", "{kinds: [lineer], constant_s: 1e-6, scatter: {p10: 1, p90: 1}, source: a}",
        "calibration.rules[0].kinds", "perhaps linear");
    row("no law", "{kinds: [linear], scatter: {p10: 1, p90: 1}, source: a}", "calibration.rules[0].kinds", "no law");
    row("table without a base",
        "{kinds: [linear], floor_s: 1e-6, table: {axes: [{of: [rows], points: [1]}], values: '1 '}, scatter: {p10: 1, "
        "p90: 1}, source: a}",
        "calibration.rules[0].kinds", "no law");
    row("no source", "{kinds: [linear], constant_s: 1e-6, scatter: {p10: 1, p90: 1}}", "calibration.rules[0].source",
        "missing");
    row("no scatter", "{kinds: [linear], constant_s: 1e-6, source: a}", "calibration.rules[0].scatter", "missing");
    row("scatter upside down", "{kinds: [linear], constant_s: 1e-6, scatter: {p10: 2, p90: 1}, source: a}",
        "calibration.rules[0].scatter.p10", "larger than p90");
    row("unknown size", "{kinds: [linear], terms: [{per: [row], rate: 1}], scatter: {p10: 1, p90: 1}, source: a}",
        "calibration.rules[0].terms[0].per", "perhaps rows");
    row("rate of zero", "{kinds: [linear], terms: [{per: [rows], rate: 0}], scatter: {p10: 1, p90: 1}, source: a}",
        "calibration.rules[0].terms[0].rate", "out of range");
    row("unknown size of a range",
        "{kinds: [linear], constant_s: 1e-6, where: {row: [1, 2]}, scatter: {p10: 1, p90: 1}, source: a}",
        "calibration.rules[0].where.row", "nearest is rows");
    row("range of one", "{kinds: [linear], constant_s: 1e-6, seen: {rows: [1]}, scatter: {p10: 1, p90: 1}, source: a}",
        "calibration.rules[0].seen.rows", "no range");
    row("range upside down",
        "{kinds: [linear], constant_s: 1e-6, seen: {rows: [2, 1]}, scatter: {p10: 1, p90: 1}, source: a}",
        "calibration.rules[0].seen.rows", "no range");
    row("points that fall",
        "{kinds: [linear], constant_s: 1e-6, table: {axes: [{of: [rows], points: [2, 1]}], values: '1 1'}, scatter: "
        "{p10: 1, p90: 1}, source: a}",
        "calibration.rules[0].table.axes[0].points", "do not rise");
    row("too few values",
        "{kinds: [linear], constant_s: 1e-6, table: {axes: [{of: [rows], points: [1, 2]}], values: '1 '}, scatter: "
        "{p10: 1, p90: 1}, source: a}",
        "calibration.rules[0].table.values", "holds 1 numbers, the axes have 2");
    row("a value that is none",
        "{kinds: [linear], constant_s: 1e-6, table: {axes: [{of: [rows], points: [1, 2]}], values: '1 x'}, scatter: "
        "{p10: 1, p90: 1}, source: a}",
        "calibration.rules[0].table.values", "holds x");
    row("a value of zero",
        "{kinds: [linear], constant_s: 1e-6, table: {axes: [{of: [rows], points: [1, 2]}], values: '1 0'}, scatter: "
        "{p10: 1, p90: 1}, source: a}",
        "calibration.rules[0].table.values", "holds 0");
    row("no axis",
        "{kinds: [linear], constant_s: 1e-6, table: {axes: [], values: '1 '}, scatter: {p10: 1, p90: 1}, source: a}",
        "calibration.rules[0].table.axes", "no table");
    row("too many axes",
        "{kinds: [linear], constant_s: 1e-6, table: {axes: [{of: [rows], points: [1]}, {of: [k], points: [1]}, {of: "
        "[n], points: [1]}, {of: [rows], points: [1]}, {of: [k], points: [1]}], values: '1 '}, scatter: {p10: 1, p90: "
        "1}, source: a}",
        "calibration.rules[0].table.axes", "no table");
    row("law beside included_in", "{kinds: [linear], constant_s: 1e-6, included_in: b, source: a}",
        "calibration.rules[0].included_in", "beside a law");
    row("unknown key", "{kinds: [linear], constant_s: 1e-6, scater: {p10: 1, p90: 1}, source: a}",
        "calibration.rules[0].scater", "nearest is scatter");
    row("time in microseconds", "{kinds: [linear], constant_us: 3, scatter: {p10: 1, p90: 1}, source: a}",
        "calibration.rules[0].constant_us", "seconds");
    row("kind twice", "{kinds: [linear, attention, linear], constant_s: 1e-6, scatter: {p10: 1, p90: 1}, source: a}",
        "calibration.rules[0].kinds", "linear twice");
    row("efficiency next to nothing",
        "{kinds: [linear], memory_efficiency: 1e-300, scatter: {p10: 1, p90: 1}, source: a}",
        "calibration.rules[0].memory_efficiency", "1e-06 to 4");
    row("too many sizes",
        "{kinds: [linear], terms: [{per: [bytes, bytes, bytes, bytes, bytes], rate: 1}], scatter: {p10: 1, p90: 1}, "
        "source: a}",
        "calibration.rules[0].terms[0].per", "one to four");
    row("a value that overflows",
        "{kinds: [linear], constant_s: 1e-6, table: {axes: [{of: [rows], points: [1]}], values: '1e308 ', unit: 1e9}, "
        "scatter: {p10: 1, p90: 1}, source: a}",
        "calibration.rules[0].table.values", "1e-12 to 1e12");
    row("a value that vanishes",
        "{kinds: [linear], constant_s: 1e-6, table: {axes: [{of: [rows], points: [1]}], values: '1e-308 '}, "
        "scatter: {p10: 1, p90: 1}, source: a}",
        "calibration.rules[0].table.values", "1e-12 to 1e12");
    row("unknown format", "{kinds: [linear], dtype: bf17, constant_s: 1e-6, scatter: {p10: 1, p90: 1}, source: a}",
        "calibration.rules[0].dtype", "not one of the words");
}

void TestCalibration::refusals() {
    QFETCH(QString, rule);
    QFETCH(QString, subject);
    QFETCH(QString, why);
    const auto d =
        device("calibration:\n  uncalibrated: {p10: 1, p90: 1}\n  rules:\n    - " + rule.toStdString() + "\n");
    QVERIFY(!d);
    const QString message = QString::fromStdString(d.error().text());
    QCOMPARE(QString::fromStdString(d.error().subject), subject);
    QVERIFY2(message.contains(why), qPrintable(message));
}

void TestCalibration::siblingsThatHaveNothing() {
    const auto itself = device("calibration: {scaled_from: test_device, scaled: {p10: 1, p90: 1}}\n");
    QVERIFY(!itself);
    QCOMPARE(itself.error().subject, std::string("calibration.scaled_from"));
    QVERIFY(itself.error().text().find("the device itself") != std::string::npos);
    // NVIDIA_H800_SXM is scaled from another device itself and has no rule to carry over; AMD_MI300X has no
    // calibration.
    for (const char* sibling : {"NVIDIA_H800_SXM", "AMD_MI300X", "NOWHERE"}) {
        Catalog catalog = test::builtIn();
        QVERIFY(catalog.addDevice(write("a.yaml", deviceHead + std::string("calibration: {scaled_from: ") + sibling +
                                                      ", scaled: {p10: 0.5, p90: 2}}\n")));
        Scenario s = test::scenarioOf("Qwen3.5-0.8B", Phase::decode, 1, 1024);
        s.device = "TEST_DEVICE";
        s.calibration = true;
        const auto simulation = simulate(catalog, s);
        QVERIFY(simulation);
        const std::string note = std::string("the calibration of TEST_DEVICE is scaled from ") + sibling +
                                 ", which is not here or has no rules of its own";
        QVERIFY2(std::find(simulation->notes.begin(), simulation->notes.end(), note) != simulation->notes.end(),
                 sibling);
    }
}

/// More rules of one kind than 16 bits count: the last one is found, and those of other kinds stay where they are.
void TestCalibration::veryManyRules() {
    auto d = *device("calibration:\n  rules: [{kinds: [linear], constant_s: 1, where: {rows: [1, 1]}, scatter: {p10: "
                     "1, p90: 1}, source: a}]\n");
    auto many = std::make_shared<Calibration>(*d.calibration);
    many->rules.resize(70'000, many->rules.front());
    many->rules.push_back(many->rules.front());
    many->rules.back().where.front() = {Feature::rows, 2.0, 2.0};
    many->rules.back().constant = Seconds(3);
    d.calibration = many;
    QCOMPARE(linear(d, 1).rule, 0);
    QCOMPARE(linear(d, 2).rule, 70'000);
    QCOMPARE(linear(d, 2).total.value(), 3.0);
}

void TestCalibration::ofAStep() {
    Catalog catalog = test::builtIn();
    QVERIFY(catalog.addDevice(write("a.yaml", deviceHead + std::string(R"(calibration:
  uncalibrated: {p10: 0.5, p90: 2}
  rules:
    - {kinds: [linear], memory_efficiency: 0.25, scatter: {p10: 0.9, p90: 1.3}, source: the test}
)"))));
    Scenario s;
    s.model = "Qwen3.5-0.8B";
    s.device = "TEST_DEVICE";
    s.engine = "tensorcast";
    s.phase = Phase::decode;
    s.calibration = false;
    const auto off = simulate(catalog, s);
    QVERIFY2(off, off ? "" : off.error().text().c_str());
    QVERIFY(!off->totals.range);
    QCOMPARE(off->totals.shareProvenance[static_cast<std::size_t>(Provenance::roofline)], 1.0);
    s.calibration = true;
    const auto on = simulate(catalog, s);
    QVERIFY(on);
    // Half the roofline's memory efficiency, no launch: every memory-bound linear takes twice its memory time.
    Seconds linears, others;
    on->forEachOperator([&](OperatorRef ref) {
        const OperatorCost& cost = on->cost(ref);
        (cost.rule == 0 ? linears : others) += cost.total;
        if (cost.rule == 0) {
            QCOMPARE(on->op(ref).kind, OperatorKind::linear);
            QVERIFY(std::abs(cost.total / cost.memory - 2.0) < 1e-9);
        } else {
            QCOMPARE(cost.total.value(), off->cost(ref).total.value());
        }
    });
    const double share = on->totals.shareProvenance[static_cast<std::size_t>(Provenance::calibrated)];
    QVERIFY(std::abs(share - linears / on->totals.time) < 1e-9);
    QVERIFY(std::abs(share + on->totals.shareProvenance[static_cast<std::size_t>(Provenance::roofline)] - 1.0) < 1e-9);
    // One rule and the rest, independent: sqrt((0.1 L)^2 + (0.5 O)^2) below, sqrt((0.3 L)^2 + O^2) above.
    QVERIFY(on->totals.range);
    const double below = std::hypot(0.1 * linears.value(), 0.5 * others.value());
    const double above = std::hypot(0.3 * linears.value(), others.value());
    QVERIFY(std::abs((on->totals.time - on->totals.range->low).value() / below - 1.0) < 1e-9);
    QVERIFY(std::abs((on->totals.range->high - on->totals.time).value() / above - 1.0) < 1e-9);
    QCOMPARE(on->totals.range->likely.value(), on->totals.time.value());
    // Off by default under the tensorcast engines.
    s.calibration.reset();
    const auto byDefault = simulate(catalog, s);
    QVERIFY(byDefault);
    QVERIFY(!byDefault->scenario.calibration);
    QCOMPARE(byDefault->totals.time.value(), off->totals.time.value());
}

QTEST_GUILESS_MAIN(TestCalibration)
#include "tst_calibration.moc"
