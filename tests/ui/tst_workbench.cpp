// SPDX-License-Identifier: GPL-3.0-or-later
// The shared state: edits, refusals, undo, baseline, selection, files.
#include "warnings.h"
#include "workbench/file_kind.h"
#include "workbench/presets.h"
#include "workbench/workbench.h"

#include <QSignalSpy>
#include <QTemporaryDir>

using namespace deltascope;
using namespace deltascope::ui;

namespace {

Catalog builtIn() { return Catalog::load(defaultCatalogFolders(DELTASCOPE_SOURCE_DIR)); }

double timeOf(const Scenario& scenario) {
    static const Catalog catalog = builtIn();
    const auto result = simulate(catalog, scenario);
    return result ? result->totals.time.value() : -1.0;
}

QString write(const QTemporaryDir& dir, const char* name, const QByteArray& text) {
    const QString path = dir.filePath(QString::fromLatin1(name));
    QFile file(path);
    if (file.open(QIODevice::WriteOnly)) file.write(text);
    return path;
}

OperatorRef firstOf(const Simulation& simulation, OperatorKind kind) {
    std::optional<OperatorRef> found;
    simulation.forEachOperator([&](OperatorRef ref) {
        if (!found && simulation.op(ref).kind == kind) found = ref;
    });
    return found.value_or(OperatorRef{});
}

} // namespace

class TestWorkbench : public QObject {
    Q_OBJECT
private slots:
    void init() { failOnWarnings(); }

    void startsWithARealResult() {
        Workbench workbench(builtIn(), initialScenario());
        const Scenario& s = workbench.scenario();
        QCOMPARE(s.model, std::string("Qwen3.5-27B"));
        QCOMPARE(s.device, std::string("ATLAS_800_A3_560T_128G_DIE"));
        QCOMPARE(s.engine, std::string("tensorcast"));
        QVERIFY(s.phase == Phase::decode);
        QVERIFY(s.quantization.linear == Scheme::w8a8Static);
        QCOMPARE(s.parallel.tp, 2);
        QVERIFY(!workbench.refusal());
        QCOMPARE(workbench.simulation()->totals.time.value(), timeOf(s));
        QVERIFY(workbench.simulationCost() > Seconds(0.0));
    }

    void aScenarioThatDoesNotSimulateGivesWayToOneThatDoes() {
        Scenario impossible;
        impossible.model = "no such model";
        Workbench workbench(builtIn(), impossible);
        QVERIFY(!workbench.refusal());
        QVERIFY(workbench.simulation()->totals.operators > 0);
    }

    void anEmptyCatalogHasAnEmptyResultAndSaysWhy() {
        Workbench workbench(Catalog{}, initialScenario());
        QVERIFY(workbench.refusal().has_value());
        QVERIFY(workbench.simulation() != nullptr);
        QCOMPARE(workbench.simulation()->totals.operators, 0);
        QVERIFY(workbench.simulation()->scenario.model != nullptr);
    }

    void anEditSimulatesInTheCall() {
        Workbench workbench(builtIn(), initialScenario());
        QSignalSpy changed(&workbench, &Workbench::scenarioChanged);
        QSignalSpy baseline(&workbench, &Workbench::baselineChanged);
        Scenario next = workbench.scenario();
        next.contextLength = 65536;
        workbench.edit(next, QStringLiteral("Context"));
        QCOMPARE(changed.size(), 1);
        QCOMPARE(baseline.size(), 0);
        QCOMPARE(workbench.simulation()->totals.time.value(), timeOf(next));
        QVERIFY(workbench.simulation()->totals.time.value() > timeOf(initialScenario()));
        workbench.edit(next, QStringLiteral("Nothing"));
        QCOMPARE(changed.size(), 1);
        QCOMPARE(workbench.undoStack().count(), 1);
    }

    void aRefusalKeepsTheLastGoodResultAndWhatWasAskedFor() {
        Workbench workbench(builtIn(), initialScenario());
        const auto before = workbench.simulation();
        Scenario next = workbench.scenario();
        next.parallel.tp = 32;
        workbench.edit(next, QStringLiteral("TP 32"));
        QVERIFY(workbench.refusal().has_value());
        QCOMPARE(workbench.refusal()->subject, std::string("tp"));
        QVERIFY(workbench.refusal()->why.find("16") != std::string::npos);
        QCOMPARE(workbench.scenario().parallel.tp, 32);
        QVERIFY(workbench.simulation() == before);
        next.parallel.tp = 4;
        workbench.edit(next, QStringLiteral("TP 4"));
        QVERIFY(!workbench.refusal());
        QCOMPARE(workbench.simulation()->totals.devices, 4);
    }

    void undoAndRedoGoThroughTheScenarios() {
        Workbench workbench(builtIn(), initialScenario());
        const Scenario first = workbench.scenario();
        Scenario second = first;
        second.queries = 8;
        Scenario third = second;
        third.parallel.tp = 32; // refused
        workbench.edit(second, QStringLiteral("8 requests"));
        workbench.edit(third, QStringLiteral("TP 32"));
        QVERIFY(workbench.refusal().has_value());
        workbench.undoStack().undo();
        QVERIFY(workbench.scenario() == second);
        QVERIFY(!workbench.refusal());
        QCOMPARE(workbench.simulation()->totals.time.value(), timeOf(second));
        workbench.undoStack().undo();
        QVERIFY(workbench.scenario() == first);
        QVERIFY(!workbench.undoStack().canUndo());
        workbench.undoStack().redo();
        workbench.undoStack().redo();
        QVERIFY(workbench.scenario() == third);
        QVERIFY(workbench.refusal().has_value());
        QCOMPARE(workbench.undoStack().undoText(), QStringLiteral("TP 32"));
    }

    void editsOfOneDragAreOneStep() {
        Workbench workbench(builtIn(), initialScenario());
        const Scenario first = workbench.scenario();
        const auto drag = [&](std::int64_t n, const char* key) {
            Scenario next = workbench.scenario();
            next.queries = n;
            workbench.edit(next, QStringLiteral("Requests"), QLatin1String(key));
        };
        for (std::int64_t n = 2; n < 40; ++n) drag(n, "queries/1");
        QCOMPARE(workbench.undoStack().count(), 1);
        drag(64, "queries/2");
        QCOMPARE(workbench.undoStack().count(), 2);
        workbench.undoStack().undo();
        QCOMPARE(workbench.scenario().queries, 39);
        workbench.undoStack().undo();
        QVERIFY(workbench.scenario() == first);
        // A drag that ends where it began leaves nothing to undo.
        drag(2, "queries/3");
        drag(1, "queries/3");
        QVERIFY(!workbench.undoStack().canUndo());
        QVERIFY(workbench.scenario() == first);
    }

    void theBaselineStaysAndIsCompared() {
        Workbench workbench(builtIn(), initialScenario());
        QVERIFY(workbench.baseline() == nullptr);
        QVERIFY(workbench.comparison().operators.empty());
        workbench.pinBaseline();
        const auto a = workbench.simulation();
        QVERIFY(workbench.baseline() == a);
        QVERIFY(workbench.baselineScenario() == workbench.scenario());

        QSignalSpy changed(&workbench, &Workbench::baselineChanged);
        Scenario next = workbench.scenario();
        next.quantization.linear = Scheme::w4a8Static;
        workbench.edit(next, QStringLiteral("W4A8"));
        QCOMPARE(changed.size(), 1);
        QVERIFY(workbench.baseline() == a);
        double difference = 0.0;
        for (const WaterfallStep& step : workbench.comparison().waterfall) difference += step.time.value();
        const double expected = workbench.simulation()->totals.time.value() - a->totals.time.value();
        QVERIFY(std::abs(expected) > 1e-6);
        QVERIFY(std::abs(difference - expected) < 1e-12);

        workbench.clearBaseline();
        QVERIFY(workbench.baseline() == nullptr);
        QVERIFY(workbench.comparison().operators.empty());
    }

    void aBaselineThatIsRefusedChangesNothing() {
        Workbench workbench(builtIn(), initialScenario());
        workbench.pinBaseline();
        const auto before = workbench.baseline();
        Scenario impossible = workbench.scenario();
        impossible.parallel.tp = 32;
        const auto result = workbench.setBaseline(impossible);
        QVERIFY(!result);
        QCOMPARE(result.error().subject, std::string("tp"));
        QVERIFY(workbench.baseline() == before);
        QVERIFY(!workbench.showPair(impossible, workbench.scenario(), QStringLiteral("pair")));
        QVERIFY(workbench.baseline() == before);
        QVERIFY(!workbench.undoStack().canUndo());
    }

    void swappingIsOneStepAndKeepsWhatIsLeftToDefaults() {
        Workbench workbench(builtIn(), initialScenario());
        workbench.pinBaseline();
        const Scenario a = workbench.scenario();
        Scenario b = a;
        b.mtpTokens = 3;
        workbench.edit(b, QStringLiteral("MTP 3"));
        workbench.swapWithBaseline();
        QVERIFY(workbench.scenario() == a);
        QVERIFY(workbench.baselineScenario() == b);
        QVERIFY(!workbench.scenario().queryLength); // still follows 1 + MTP
        workbench.undoStack().undo();
        QVERIFY(workbench.scenario() == b);
        QVERIFY(workbench.baselineScenario() == a);
        workbench.undoStack().redo();
        QVERIFY(workbench.scenario() == a);
        QVERIFY(workbench.baselineScenario() == b);
    }

    void presets() {
        Scenario s = initialScenario();
        s.contextLength = 8192;
        const ScenarioPair weights = weightWidthPair(s);
        QVERIFY(weights.a.quantization.linear == Scheme::w8a8Static);
        QVERIFY(weights.b.quantization.linear == Scheme::w4a8Static);
        QCOMPARE(*weights.b.contextLength, 8192);
        s.quantization.linear = Scheme::w4a8Dynamic;
        QVERIFY(weightWidthPair(s).a.quantization.linear == Scheme::w8a8Dynamic);
        QVERIFY(weightWidthPair(s).b.quantization.linear == Scheme::w4a8Dynamic);

        const ScenarioPair attention = attentionPair(s);
        QVERIFY(!attention.a.allFull);
        QVERIFY(attention.b.allFull);

        Workbench workbench(builtIn(), initialScenario());
        const ScenarioPair pair = weightWidthPair(workbench.scenario());
        QVERIFY(workbench.showPair(pair.a, pair.b, QStringLiteral("W8A8 against W4A8")));
        QVERIFY(workbench.scenario() == pair.b);
        QVERIFY(workbench.baselineScenario() == pair.a);
        QCOMPARE(workbench.baseline()->totals.time.value(), timeOf(pair.a));
        QCOMPARE(workbench.simulation()->totals.time.value(), timeOf(pair.b));
        workbench.undoStack().undo();
        QVERIFY(workbench.baseline() == nullptr);
        QVERIFY(workbench.scenario() == initialScenario());
    }

    void theSelectionSurvivesScenariosWithoutIt() {
        Workbench workbench(builtIn(), initialScenario());
        QSignalSpy changed(&workbench, &Workbench::selectionChanged);
        const OperatorRef ref = firstOf(*workbench.simulation(), OperatorKind::linear_attn_recurrent_gated_delta_rule);
        const OperatorId id = workbench.simulation()->id(ref);
        workbench.select(ref);
        QCOMPARE(changed.size(), 1);
        workbench.select(ref);
        QCOMPARE(changed.size(), 1);

        Scenario prefill = workbench.scenario();
        prefill.phase = Phase::prefill; // the chunk rule runs: the operator does not exist
        workbench.edit(prefill, QStringLiteral("Prefill"));
        QVERIFY(!workbench.selection());
        QCOMPARE(changed.size(), 2);
        workbench.undoStack().undo();
        QVERIFY(workbench.selection().has_value());
        QVERIFY(workbench.simulation()->id(*workbench.selection()) == id);

        Scenario bf16 = workbench.scenario();
        bf16.quantization.linear = Scheme::bf16; // fewer operators before it: another index, the same identity
        workbench.edit(bf16, QStringLiteral("BF16"));
        QVERIFY(workbench.selection().has_value());
        QVERIFY(workbench.simulation()->id(*workbench.selection()) == id);
        workbench.select(std::nullopt);
        QVERIFY(!workbench.selection());
    }

    void filesAreToldByTheirContent() {
        const std::string source = DELTASCOPE_SOURCE_DIR;
        QVERIFY(*fileKindOf(source + "/models/Qwen3.5-27B/config.json") == FileKind::model);
        QVERIFY(*fileKindOf(source + "/models/Qwen3.5-27B") == FileKind::model);
        QVERIFY(*fileKindOf(source + "/devices/NVIDIA_H100_SXM.yaml") == FileKind::device);
        QVERIFY(*fileKindOf(source + "/resources/engines/tensorcast.yaml") == FileKind::engine);
        const QTemporaryDir dir;
        const QString scenario = write(dir, "a.txt", "# comment\nmodel: Qwen3.5-9B\nqueries: 4\n");
        QVERIFY(*fileKindOf(scenario.toStdString()) == FileKind::scenario);
        for (const char* content : {"", "\0\x01\x02", "{}", "[1, 2]", "hello world", "{\"a\": 1}", ": :\n::"}) {
            const QString path = write(dir, "b.bin", content);
            const auto kind = fileKindOf(path.toStdString());
            QVERIFY2(!kind, content);
            QVERIFY(kind.error().code == ErrorCode::unsupported);
            QVERIFY(!kind.error().accepted.empty());
        }
        QVERIFY(fileKindOf(dir.filePath(QStringLiteral("none")).toStdString()).error().code == ErrorCode::notFound);
        QVERIFY(fileKindOf(dir.path().toStdString()).error().code == ErrorCode::notFound);
    }

    void opensModelDeviceAndScenario() {
        const QTemporaryDir dir;
        Workbench workbench(builtIn(), initialScenario());
        QSignalSpy catalog(&workbench, &Workbench::catalogChanged);
        QVERIFY(QDir(dir.path()).mkdir(QStringLiteral("Mine")));
        const QString config = dir.filePath(QStringLiteral("Mine/config.json"));
        QVERIFY(QFile::copy(QStringLiteral(DELTASCOPE_SOURCE_DIR "/models/Qwen3.5-9B/config.json"), config));
        QVERIFY(workbench.openFile(config));
        QCOMPARE(workbench.scenario().model, std::string("Mine"));
        QCOMPARE(catalog.size(), 1);
        QVERIFY(!workbench.refusal());
        workbench.undoStack().undo();
        QCOMPARE(workbench.scenario().model, std::string("Qwen3.5-27B"));

        const QString scenario =
            write(dir, "s.yaml", "model: Qwen3.5-9B\nphase: prefill\nquery_length: 2048\nparallel: {tp: 1}\n");
        QVERIFY(workbench.openFile(scenario));
        QCOMPARE(workbench.scenario().model, std::string("Qwen3.5-9B"));
        QVERIFY(workbench.scenario().phase == Phase::prefill);
        QCOMPARE(*workbench.scenario().queryLength, 2048);
        QVERIFY(workbench.setBaselineFile(scenario));
        QVERIFY(workbench.baselineScenario() == workbench.scenario());
    }

    void aFileThatDoesNotOpenChangesNothing() {
        const QTemporaryDir dir;
        Workbench workbench(builtIn(), initialScenario());
        QSignalSpy changed(&workbench, &Workbench::scenarioChanged);
        QSignalSpy catalog(&workbench, &Workbench::catalogChanged);
        const QString bad = write(dir, "bad.yaml", "model: Qwen3.5-9B\nqueri: 4\n");
        const auto opened = workbench.openFile(bad);
        QVERIFY(!opened);
        QVERIFY(opened.error().text().find("queri") != std::string::npos);
        QVERIFY(!workbench.openFile(write(dir, "bad.json", "{\"model_type\": \"qwen3_5\"")));
        QVERIFY(!workbench.openFile(dir.filePath(QStringLiteral("none.json"))));
        QVERIFY(!workbench.setBaselineFile(bad));
        QCOMPARE(changed.size(), 0);
        QCOMPARE(catalog.size(), 0);
        QVERIFY(workbench.baseline() == nullptr);
        QVERIFY(workbench.scenario() == initialScenario());
    }
};

QTEST_MAIN(TestWorkbench)
#include "tst_workbench.moc"
