// SPDX-License-Identifier: GPL-3.0-or-later
// How predictions are held against measurements: which figures count, that no row is dropped, that errors are computed
// right. How large the errors are is for `deltascope-fidelity` to say.
#include "errors.h"
#include "serving.h"
#include "steps.h"
#include "windows.h"

#include "support/catalog.h"

#include <set>

using namespace deltascope;
using namespace deltascope::fidelity;

namespace {

const std::filesystem::path data = test::sourceFolder / "tests/data";

const Catalog& withLlama() {
    static const Catalog catalog = Catalog::load({{test::sourceFolder, Origin::builtIn}, {data, Origin::builtIn}});
    return catalog;
}

} // namespace

class TestFidelity : public QObject {
    Q_OBJECT
private slots:
    void eightStepsWithTheirMeasuredFigures();
    void errors();
    void stepsAsTheyRan();
    void everyServingRunIsThere();
    void parallelismOfServingRuns();
    void everyKernelOfTheWindows();
    void tablesInDocuments();
};

void TestFidelity::eightStepsWithTheirMeasuredFigures() {
    const auto steps = measuredSteps(data);
    QVERIFY(steps);
    const std::vector<std::pair<const char*, double>> expected{
        {"prefill-3510", 447.1},     {"decode-4250", 27.33},       {"prefill-16824", 2099.0},
        {"decode-16500x3", 34.34},   {"vl-prefill-1080p", 1712},   {"decode-16500x8", 39.84},
        {"moe-prefill-8192", 504.0}, {"moe-decode-16500x8", 29.76}};
    QCOMPARE(steps->size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        QCOMPARE((*steps)[i].id, std::string(expected[i].first));
        QCOMPARE(1e3 * (*steps)[i].measured.value(), expected[i].second);
    }
    // Counted is what was measured; the simulator's own figure stands beside it.
    QVERIFY((*steps)[3].reference.has_value());
    QCOMPARE(1e3 * (*steps)[3].reference->value(), 28.161);
    const auto predicted = predict(test::builtIn(), *steps);
    QVERIFY2(predicted, predicted ? "" : predicted.error().text().c_str());
    const Table table = stepTable(*predicted);
    QCOMPARE(table.rows.size(), std::size_t(8));
    QCOMPARE(table.rows[3][4], std::string("34.34"));
    const std::string text = toText(table);
    QVERIFY(text.find("34.34 (counted)") != std::string::npos);
    QVERIFY(text.find("28.161") != std::string::npos);
    for (const PredictedStep& step : *predicted) {
        QVERIFY(step.predicted.low <= step.predicted.likely && step.predicted.likely <= step.predicted.high);
        const double likely = step.predicted.likely.value(), measured = step.step.measured.value();
        QVERIFY(std::abs(step.error - (likely - measured) / measured) < 1e-12);
    }
}

void TestFidelity::errors() {
    QVERIFY(std::abs(errorOf(110.0, 100.0) - 0.1) < 1e-12);
    QVERIFY(std::abs(errorOf(75.0, 100.0) + 0.25) < 1e-12);
    QCOMPARE(sizes({0.1, -0.25}), (std::vector<double>{0.1, 0.25}));
    QCOMPARE(quantile({4.0, 1.0, 3.0}, 0.5), 3.0);
    QCOMPARE(quantile({4.0, 1.0, 3.0, 2.0}, 0.5), 2.5);
    QCOMPARE(quantile({4.0, 1.0, 3.0}, 1.0), 4.0);
    QVERIFY(std::abs(quantile({0.0, 10.0}, 0.9) - 9.0) < 1e-12);
    QVERIFY(std::isnan(quantile({}, 0.5)));
    // One 10 % too slow, one 20 % too fast, one 40 % too fast: median 20 %, worst 40 %.
    std::vector<PredictedStep> three;
    for (double time : {1.1, 0.8, 0.6}) {
        const TimeRange range{Seconds(time), Seconds(time), Seconds(time)};
        three.push_back({{"step", {}, Seconds(1.0), {}}, range, errorOf(time, 1.0)});
    }
    QCOMPARE(stepTable(three).closing[0],
             std::string("Without the sign: median 20.0 %, worst 40.0 %. Aim: 5 % and 10 %."));
    QCOMPARE(stepTable(three).rows[1][5], std::string("-20.0 %"));
}

void TestFidelity::stepsAsTheyRan() {
    const auto steps = measuredSteps(data);
    QVERIFY(steps);
    for (const MeasuredStep& step : *steps) {
        QCOMPARE(step.scenario.device, std::string("ATLAS_800_A3_560T_128G_DIE"));
        QCOMPARE(step.scenario.engine, std::string("vllm-ascend"));
        QCOMPARE(step.scenario.calibration, std::optional(true));
        QCOMPARE(step.scenario.parallel.tp, std::int64_t(2));
    }
    const Scenario& vision = (*steps)[4].scenario;
    QVERIFY(vision.image.has_value());
    QCOMPARE(vision.image->height, std::int64_t(1080));
    QCOMPARE(vision.queries, std::int64_t(4));
    QCOMPARE((*steps)[7].scenario.quantization.linear, Scheme::w4a8Static);
}

void TestFidelity::everyServingRunIsThere() {
    const auto runs = servingRuns(withLlama(), data);
    QVERIFY2(runs, runs ? "" : runs.error().text().c_str());
    QCOMPARE(runs->size(), std::size_t(538));
    std::size_t predicted = 0;
    for (const ServingRun& run : *runs) {
        QVERIFY(run.measured > 0.0);
        QVERIFY2(run.predicted.has_value() == run.reason.empty(), run.reason.c_str());
        QCOMPARE(run.withPrefills.has_value(), run.predicted.has_value());
        if (run.predicted && run.batch == 1) QCOMPARE(*run.withPrefills, *run.predicted); // no other request
        if (run.predicted && run.batch > 1) QVERIFY(*run.withPrefills > *run.predicted);
        predicted += run.predicted ? 1 : 0;
    }
    QVERIFY(predicted > 500);
    std::size_t counted = 0;
    for (const auto& row : servingTable(*runs).rows) counted += std::stoul(row[4]);
    QCOMPARE(counted, runs->size());
    QCOMPARE(servingRows(*runs).rows.size(), runs->size());
}

void TestFidelity::parallelismOfServingRuns() {
    const auto runs = servingRuns(withLlama(), data);
    QVERIFY(runs);
    // 397B on 16 GPUs with experts split 4 ways by TP and 4 ways by EP
    const ServingRun& both = runs->front();
    QCOMPARE(both.model, std::string("Qwen3.5-397B-A17B"));
    QVERIFY(!both.predicted);
    QVERIFY(both.reason.find("both by TP and by EP") != std::string::npos);
    std::set<std::string> models;
    for (const ServingRun& run : *runs) models.insert(run.model);
    const std::set<std::string> expected{"Llama-3.1-70B", "Llama-3.1-8B", "Qwen3-235B-A22B", "Qwen3-32B",
                                         "Qwen3.5-397B-A17B"};
    QVERIFY(models == expected);
}

void TestFidelity::everyKernelOfTheWindows() {
    const auto kernels = windowKernels(test::builtIn());
    QVERIFY2(kernels, kernels ? "" : kernels.error().text().c_str());
    // 62 counts less eight of collectives and one without a time; nine of layout kernels; five whole windows
    std::size_t whole = 0;
    for (const WindowKernel& kernel : *kernels) {
        QVERIFY(kernel.measured > 0.0);
        whole += kernel.kernel.starts_with("all,") ? 1 : 0;
    }
    QCOMPARE(whole, std::size_t(5));
    QCOMPARE(kernels->size(), std::size_t(62 - 8 - 1 + 9 + 5));
}

void TestFidelity::tablesInDocuments() {
    const Table table{"steps", "Title.", {{"a", Align::left}, {"b"}}, {{"1", "2"}}, {"Below."}};
    QCOMPARE(toMarkdown(table), std::string("Title.\n\n| a | b |\n|---|---:|\n| 1 | 2 |\n\nBelow.\n"));
    const std::string before = "x\n<!-- steps table: by a program -->\nold\n<!-- end of steps table -->\ny\n";
    QCOMPARE(placed(before, table),
             "x\n<!-- steps table: by a program -->\n" + toMarkdown(table) + "<!-- end of steps table -->\ny\n");
    QCOMPARE(placed(placed(before, table), table), placed(before, table));
    QCOMPARE(placed("no marks", table), std::string("no marks"));
}

QTEST_GUILESS_MAIN(TestFidelity)
#include "tst_fidelity.moc"
