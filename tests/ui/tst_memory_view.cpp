// SPDX-License-Identifier: GPL-3.0-or-later
// The memory view: stacks add up to the simulation's bytes, verdict in words, the other attention, ghost, table, peak.
#include "warnings.h" // before others: moc fails on headers of the library that come before those of Qt

#include "base/format.h"
#include "charts/memory_chart.h"
#include "charts/memory_view.h"
#include "theme/theme.h"
#include "workbench/presets.h"
#include "workbench/workbench.h"

#include <QAbstractItemModelTester>
#include <QLabel>
#include <QPushButton>

#include <cmath>

using namespace deltascope;
using namespace deltascope::ui;

namespace {

Catalog builtIn() { return Catalog::load(defaultCatalogFolders(DELTASCOPE_SOURCE_DIR)); }

double sumOfStack(const MemoryChart& chart, int stack) {
    double sum = 0.0;
    for (const PieceReading& piece : chart.readings())
        if (piece.stack == stack) sum += piece.bytes;
    return sum;
}
double pieceOf(const MemoryChart& chart, int stack, const QString& name) {
    for (const PieceReading& piece : chart.readings())
        if (piece.stack == stack && piece.name == name) return piece.bytes;
    return 0.0;
}
bool close(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)); }

void change(Workbench& workbench, void (*edit)(Scenario&)) {
    Scenario next = workbench.scenario();
    edit(next);
    workbench.edit(next, QStringLiteral("edit"));
}

const std::vector<ValueCell>* rowOf(MemoryView& view, const QString& name) {
    for (const auto& row : view.table().values().table().rows)
        if (row[0].text == name) return &row;
    return nullptr;
}

} // namespace

class TestMemoryView : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        failOnWarnings();
        applyTheme(ThemeChoice::light);
    }

    void stackEqualsTheReport() {
        Workbench workbench(builtIn(), initialScenario());
        MemoryView view(workbench);
        view.refreshNow();
        const IdealMemory& ideal = workbench.simulation()->memory.ideal;
        const MemoryChart& chart = view.chart();
        QVERIFY(close(sumOfStack(chart, 0), ideal.total().value()));
        for (const MemoryGroup& group : ideal.groups)
            QVERIFY(close(pieceOf(chart, 0, QString::fromUtf8(group.name.data())),
                          group.loaded ? group.bytes.value() : 0.0));
        QVERIFY(close(pieceOf(chart, 0, "KV cache"), ideal.kvCache.value()));
        QVERIFY(close(pieceOf(chart, 0, "recurrent state"), ideal.recurrentState.value()));
        QVERIFY(close(pieceOf(chart, 0, "convolution state"), ideal.convState.value()));
        QVERIFY(close(pieceOf(chart, 0, "activation peak"), ideal.activationPeak.value()));
        QCOMPARE(chart.limitReading(), workbench.simulation()->memory.limit.value());
    }

    void hybridBesideAllFull() {
        Workbench workbench(builtIn(), initialScenario());
        MemoryView view(workbench);
        view.refreshNow();
        const MemoryChart& chart = view.chart();
        QCOMPARE(chart.stacks().size(), std::size_t{2});
        QVERIFY(chart.stacks()[1].role == StackRole::counterpart);
        QCOMPARE(titleOf(chart.stacks()[1]), QStringLiteral("all full attention"));
        // 16 of 64 layers have a cache: a quarter of the other's.
        QVERIFY(close(pieceOf(chart, 1, "KV cache"), 4.0 * pieceOf(chart, 0, "KV cache")));
        QVERIFY(close(pieceOf(chart, 1, "KV cache"), workbench.simulation()->memory.ideal.kvCacheAllFull.value()));
        QCOMPARE(pieceOf(chart, 1, "recurrent state"), 0.0);

        // And the other way round.
        change(workbench, [](Scenario& s) { s.allFull = true; });
        view.refreshNow();
        QCOMPARE(titleOf(chart.stacks()[1]), QStringLiteral("hybrid"));
        QVERIFY(close(pieceOf(chart, 0, "KV cache"), 4.0 * pieceOf(chart, 1, "KV cache")));

        // A model without linear layers has nothing beside it.
        change(workbench, [](Scenario& s) {
            s.allFull = false;
            s.model = "Qwen3-8B";
            s.parallel.tp = 1;
        });
        QVERIFY(!workbench.refusal());
        view.refreshNow();
        QCOMPARE(chart.stacks().size(), std::size_t{1});
        QCOMPARE(pieceOf(chart, 0, "linear attention"), 0.0);
    }

    void baselineBeside() {
        Workbench workbench(builtIn(), initialScenario());
        MemoryView view(workbench);
        workbench.pinBaseline();
        change(workbench, [](Scenario& s) { s.quantization.linear = Scheme::w4a8Static; });
        view.refreshNow();
        const MemoryChart& chart = view.chart();
        QCOMPARE(chart.stacks().size(), std::size_t{3});
        QVERIFY(chart.stacks()[1].role == StackRole::baseline);
        QVERIFY(close(sumOfStack(chart, 1), workbench.baseline()->memory.ideal.total().value()));
        QVERIFY(sumOfStack(chart, 0) < sumOfStack(chart, 1));
        const auto* total = rowOf(view, QStringLiteral("total"));
        QVERIFY(total != nullptr);
        const double difference =
            (workbench.simulation()->memory.ideal.total() - workbench.baseline()->memory.ideal.total()).value();
        QVERIFY(close((*total)[6].number, difference));
        QVERIFY((*total)[6].text.startsWith(QStringLiteral("−")));
        QCOMPARE((*total)[6].color, theme().faster);
        QCOMPARE((*rowOf(view, QStringLiteral("free")))[6].color, theme().faster); // more is free
    }

    void verdictInWords_data() {
        QTest::addColumn<double>("freeShare");
        QTest::addColumn<int>("fit");
        QTest::addRow("half free") << 0.5 << int(Fit::fits);
        QTest::addRow("six per cent") << 0.06 << int(Fit::fits);
        QTest::addRow("four per cent") << 0.04 << int(Fit::tight);
        QTest::addRow("full to the byte") << 0.0 << int(Fit::tight);
        QTest::addRow("over") << -0.01 << int(Fit::doesNotFit);
    }
    void verdictInWords() {
        QFETCH(double, freeShare);
        QFETCH(int, fit);
        MemoryStack stack;
        stack.limit = Bytes(1e9);
        stack.total = Bytes(1e9 * (1.0 - freeShare));
        QCOMPARE(int(fitOf(stack)), fit);
    }

    void verdictOnScreen() {
        Workbench workbench(builtIn(), initialScenario());
        MemoryView view(workbench);
        view.refreshNow();
        auto* label = view.findChild<QLabel*>("memoryVerdict");
        const MemoryReport& memory = workbench.simulation()->memory;
        QVERIFY2(label->text().startsWith(QStringLiteral("Fits")), qPrintable(label->text()));
        QVERIFY(label->text().contains(QString::fromStdString(formatBytes(memory.free()))));
        change(workbench, [](Scenario& s) {
            s.contextLength = 1'010'000;
            s.queries = 8;
        });
        view.refreshNow();
        QVERIFY2(label->text().startsWith(QStringLiteral("Does not fit")), qPrintable(label->text()));
        const MemoryReport& over = workbench.simulation()->memory;
        QVERIFY(label->text().contains(QString::fromStdString(formatBytes(over.ideal.total() - over.limit))));
        QCOMPARE(label->palette().color(QPalette::WindowText), theme().warning);
    }

    void tableTwin() {
        Workbench workbench(builtIn(), initialScenario());
        MemoryView view(workbench);
        QAbstractItemModelTester tester(&view.table().values(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        view.refreshNow();
        const IdealMemory& ideal = workbench.simulation()->memory.ideal;
        double shares = 0.0;
        for (const MemoryGroup& group : ideal.groups) {
            const QString name = QString::fromUtf8(group.name.data());
            const auto* row = rowOf(view, group.loaded ? name : QStringLiteral("not loaded: ") + name);
            if (group.bytes.value() <= 0.0) continue;
            QVERIFY2(row != nullptr, qPrintable(name));
            QCOMPARE((*row)[1].number, group.bytes.value());
            QCOMPARE((*row)[2].text, QString::fromStdString(formatCount(group.bytes.value())));
            if (group.parameters > 0.0) QCOMPARE((*row)[4].number, group.parameters);
            QCOMPARE((*row)[1].muted, !group.loaded);
        }
        for (const auto& row : view.table().values().table().rows)
            if (row[0].text != QStringLiteral("total") && !std::isnan(row[3].number)) shares += row[3].number;
        QVERIFY(std::abs(shares - 1.0) < 1e-9);
        QVERIFY(rowOf(view, QStringLiteral("not loaded: vision tower")) != nullptr);
        const QString csv = toText(view.table().textTable(TableFormat::csv), TableFormat::csv);
        QVERIFY(csv.contains(QStringLiteral("KV cache,") + QString::fromStdString(formatExact(ideal.kvCache.value()))));

        view.setTableShown(false);
        view.refreshNow();
        const auto* apart = view.findChild<QLabel*>("memoryNotLoaded");
        QVERIFY(!apart->isHidden());
        QVERIFY(apart->text().contains(QStringLiteral("vision tower")));
    }

    void peakIsNamedAndSelected() {
        Workbench workbench(builtIn(), initialScenario());
        MemoryView view(workbench);
        change(workbench, [](Scenario& s) {
            s.phase = Phase::prefill;
            s.queryLength = 3510;
            s.contextLength = 0;
        });
        view.refreshNow();
        const Simulation& s = *workbench.simulation();
        const OperatorRef peak{s.memory.ideal.peakSegment, s.memory.ideal.peakOperator};
        QVERIFY2(view.peakButton().text().contains(QString::fromUtf8(nameOf(s.op(peak).kind).data())),
                 qPrintable(view.peakButton().text()));
        QVERIFY(view.peakButton().text().contains(QString::fromStdString(formatBytes(s.memory.ideal.activationPeak))));
        QVERIFY(!workbench.selection());
        view.peakButton().click();
        QCOMPARE(*workbench.selection(), peak);
        QVERIFY((view.peakButton().focusPolicy() & Qt::TabFocus) != 0);
    }

    void clickOnThePeak() {
        Workbench workbench(builtIn(), initialScenario());
        MemoryView view(workbench);
        change(workbench, [](Scenario& s) {
            s.phase = Phase::prefill;
            s.queryLength = 60'000;
            s.contextLength = 0;
        });
        view.resize(1000, 700);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        (void)view.chart().grab();
        const QRectF box = view.chart().stackRect(0);
        const QPoint top(int(box.center().x()), int(box.top()) + 2); // activations lie on top
        QTest::mouseClick(&view.chart(), Qt::LeftButton, {}, top);
        QVERIFY(workbench.selection());
        QCOMPARE(workbench.selection()->segment, workbench.simulation()->memory.ideal.peakSegment);
        const auto hit = view.chart().hitAt(top);
        QVERIFY(hit && hit->stack == 0);
        QVERIFY(view.tooltipOf(0, hit->piece).contains(QStringLiteral("activation peak")));
        const auto above = view.chart().hitAt(top - QPoint(0, 40));
        QVERIFY(above && above->piece == -1);
        QVERIFY(view.tooltipOf(0, -1).contains(QStringLiteral("free")));
    }

    void stateSlotsWithMtp() {
        Workbench workbench(builtIn(), initialScenario());
        MemoryView view(workbench);
        view.refreshNow();
        const double before = pieceOf(view.chart(), 0, "recurrent state");
        change(workbench, [](Scenario& s) { s.mtpTokens = 3; });
        view.refreshNow();
        QVERIFY(close(pieceOf(view.chart(), 0, "recurrent state"), 4.0 * before));
        QVERIFY(pieceOf(view.chart(), 0, "MTP head") > 0.0); // loaded now
        QVERIFY(rowOf(view, QStringLiteral("not loaded: MTP head")) == nullptr);
    }

    void zoomShowsWhatIsUsed() {
        Workbench workbench(builtIn(), initialScenario());
        MemoryView view(workbench);
        view.resize(900, 600);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        (void)view.chart().grab();
        const double before = view.chart().stackRect(0).height();
        view.setZoomed(true);
        (void)view.chart().grab();
        QVERIFY(view.chart().stackRect(0).height() > 2.0 * before); // 15 of 64 GiB
    }

    void refusalDims() {
        Workbench workbench(builtIn(), initialScenario());
        MemoryView view(workbench);
        view.refreshNow();
        const double before = sumOfStack(view.chart(), 0);
        QVERIFY(!view.chart().dimmed());
        change(workbench, [](Scenario& s) { s.parallel.tp = 32; });
        view.refreshNow();
        QVERIFY(view.chart().dimmed());
        QCOMPARE(sumOfStack(view.chart(), 0), before);
    }

    void hiddenViewsAreOnlyMarked() {
        Workbench workbench(builtIn(), initialScenario());
        MemoryView view(workbench);
        change(workbench, [](Scenario& s) { s.queries = 4; });
        QCoreApplication::processEvents();
        QVERIFY(view.chart().stacks().empty());
        view.show();
        QVERIFY(!view.chart().stacks().empty());
    }
};

QTEST_MAIN(TestMemoryView)
#include "tst_memory_view.moc"
