// SPDX-License-Identifier: GPL-3.0-or-later
// The memory view: stacks add up to the simulation's bytes, verdict in words, the other attention, ghost, table, peak;
// remedies and the frontier set the scenario in one edit.
#include "warnings.h" // before others: moc fails on headers of the library that come before those of Qt

#include "base/format.h"
#include "charts/color_legend.h"
#include "charts/frontier_chart.h"
#include "charts/growth_chart.h"
#include "charts/memory_chart.h"
#include "charts/memory_view.h"
#include "charts/remedy_bar.h"
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

/// Position of the stack of a role; -1 when there is none.
int stackOf(const MemoryChart& chart, StackRole role) {
    for (std::size_t i = 0; i < chart.stacks().size(); ++i)
        if (chart.stacks()[i].role == role) return static_cast<int>(i);
    return -1;
}
const MemoryStack& stackAs(const MemoryChart& chart, StackRole role) {
    return chart.stacks()[static_cast<std::size_t>(stackOf(chart, role))];
}

Scenario paged() {
    Scenario s = initialScenario();
    s.engine = "vllm-ascend";
    return s;
}
Scenario tooMuch() {
    Scenario s = initialScenario();
    s.queries = 64;
    s.contextLength = 65'536;
    return s;
}

QPushButton* buttonWith(MemoryView& view, const QString& text) {
    for (QPushButton* button : view.remedyBar().shownButtons())
        if (button->text().contains(text)) return button;
    return nullptr;
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
        QCOMPARE(chart.stacks().size(), std::size_t{3}); // with the device
        int other = stackOf(chart, StackRole::counterpart);
        QCOMPARE(titleOf(stackAs(chart, StackRole::counterpart)), QStringLiteral("all full attention"));
        // 16 of 64 layers have a cache: a quarter of the other's.
        QVERIFY(close(pieceOf(chart, other, "KV cache"), 4.0 * pieceOf(chart, 0, "KV cache")));
        QVERIFY(close(pieceOf(chart, other, "KV cache"), workbench.simulation()->memory.ideal.kvCacheAllFull.value()));
        QCOMPARE(pieceOf(chart, other, "recurrent state"), 0.0);

        // And the other way round.
        change(workbench, [](Scenario& s) { s.allFull = true; });
        view.refreshNow();
        other = stackOf(chart, StackRole::counterpart);
        QCOMPARE(titleOf(stackAs(chart, StackRole::counterpart)), QStringLiteral("hybrid"));
        QVERIFY(close(pieceOf(chart, 0, "KV cache"), 4.0 * pieceOf(chart, other, "KV cache")));

        // A model without linear layers has nothing beside it but the device.
        change(workbench, [](Scenario& s) {
            s.allFull = false;
            s.model = "Qwen3-8B";
            s.parallel.tp = 1;
        });
        QVERIFY(!workbench.refusal());
        view.refreshNow();
        QCOMPARE(chart.stacks().size(), std::size_t{2});
        QCOMPARE(pieceOf(chart, 0, "linear attention"), 0.0);
    }

    void threeColumns() {
        Workbench workbench(builtIn(), paged());
        MemoryView view(workbench);
        view.refreshNow();
        const MemoryChart& chart = view.chart();
        const MemoryReport& memory = workbench.simulation()->memory;
        QVERIFY(memory.engine);
        const int engine = stackOf(chart, StackRole::engine), device = stackOf(chart, StackRole::device);
        QCOMPARE(engine, 1);
        QCOMPARE(device, 2);
        QVERIFY(close(sumOfStack(chart, 0), memory.ideal.total().value()));
        QVERIFY(close(sumOfStack(chart, engine), memory.engine->total().value()));
        QVERIFY(close(stackAs(chart, StackRole::engine).total.value(), memory.engine->total().value()));
        QVERIFY(close(pieceOf(chart, engine, "KV cache"), memory.engine->kvCache.value()));
        QVERIFY(close(pieceOf(chart, engine, "recurrent state"), memory.engine->states.value()));
        QVERIFY(close(pieceOf(chart, engine, "graphs and runtime"), 1.5e9));
        QVERIFY(close(pieceOf(chart, engine, "buffers of collectives"), 4e8));
        QVERIFY(pieceOf(chart, engine, "vision tower") > 0.0); // kept, although no request has an image
        QCOMPARE(pieceOf(chart, 0, "vision tower"), 0.0);
        QVERIFY(close(sumOfStack(chart, device), memory.deviceSize.value()));
        QVERIFY(close(pieceOf(chart, device, "usable"), memory.limit.value()));
        QVERIFY(close(pieceOf(chart, device, "kept back"), 0.1 * memory.deviceSize.value()));
        QCOMPARE(chart.limitReading(), memory.limit.value());

        view.setTableShown(true);
        view.refreshNow();
        const auto* total = rowOf(view, QStringLiteral("total"));
        QVERIFY(close((*total)[5].number, memory.engine->total().value()));
        QVERIFY(close((*total)[6].number, (memory.engine->total() - memory.ideal.total()).value()));
        QVERIFY(rowOf(view, QStringLiteral("graphs and runtime")) != nullptr);
        QVERIFY(rowOf(view, QStringLiteral("usable")) == nullptr);
        QVERIFY(view.tooltipOf(engine, int(stackAs(chart, StackRole::engine).pieces.size()) - 1)
                    .contains(QStringLiteral("buffers of collectives")));
        // Four columns leave no room for names: a legend has each colour once.
        QVERIFY(!chart.namesPieces());
        QStringList named;
        for (ColorLegend* legend : view.findChildren<ColorLegend*>())
            for (const ColorLegend::Entry& entry : legend->entries()) named << entry.text;
        for (const PieceReading& piece : chart.readings()) QCOMPARE(named.count(piece.name), 1);
        // Without a model of the engine there is no such column.
        change(workbench, [](Scenario& s) { s.engine = "tensorcast"; });
        view.refreshNow();
        QCOMPARE(stackOf(chart, StackRole::engine), -1);
        QVERIFY(chart.namesPieces());
    }

    void baselineBeside() {
        Workbench workbench(builtIn(), initialScenario());
        MemoryView view(workbench);
        view.setTableShown(true);
        workbench.pinBaseline();
        change(workbench, [](Scenario& s) { s.quantization.linear = Scheme::w4a8Static; });
        view.refreshNow();
        const MemoryChart& chart = view.chart();
        QCOMPARE(chart.stacks().size(), std::size_t{4});
        const int baseline = stackOf(chart, StackRole::baseline);
        QVERIFY(close(sumOfStack(chart, baseline), workbench.baseline()->memory.ideal.total().value()));
        QVERIFY(sumOfStack(chart, 0) < sumOfStack(chart, baseline));
        const auto* total = rowOf(view, QStringLiteral("total"));
        QVERIFY(total != nullptr);
        const double difference =
            (workbench.simulation()->memory.ideal.total() - workbench.baseline()->memory.ideal.total()).value();
        QVERIFY(close((*total)[6].number, difference));
        QVERIFY((*total)[6].text.startsWith(QStringLiteral("−")));
        QCOMPARE((*total)[6].color, theme().faster);
        QCOMPARE((*rowOf(view, QStringLiteral("free")))[6].color, theme().faster); // more is free
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
        QVERIFY(label->text().contains(QStringLiteral("largest: KV cache")));
        QCOMPARE(label->palette().color(QPalette::WindowText), theme().warning);
    }

    // What the engine sets aside decides, where that is known: 1,900 MB of reserve and a tenth of the device less.
    void verdictByTheEngine() {
        Scenario s = paged();
        s.quantization.linear = Scheme::bf16;
        s.contextLength = 1'010'000;
        Workbench workbench(builtIn(), s);
        MemoryView view(workbench);
        const MemoryReport& memory = workbench.simulation()->memory;
        QVERIFY(memory.ideal.total() < memory.limit);
        QVERIFY(view.verdict().startsWith(QStringLiteral("Does not fit: 1.066 GiB over the limit of 57.60 GiB")));
    }

    void remedyIsOneEdit() {
        Workbench workbench(builtIn(), tooMuch());
        MemoryView view(workbench);
        view.refreshNow();
        QVERIFY(view.verdict().startsWith(QStringLiteral("Does not fit")));
        QPushButton* fewer = buttonWith(view, QStringLiteral("23 requests"));
        QVERIFY(fewer != nullptr);
        const Bytes used = workbench.simulation()->memory.used();
        // 41 requests of 65,537 tokens and their states: 41 x 2,224,979,968 B, and some activations.
        QVERIFY2(fewer->text().contains(QStringLiteral("−84.99 GiB")), qPrintable(fewer->text()));
        QVERIFY(fewer->text().contains(QStringLiteral("tight")));
        QVERIFY2(fewer->toolTip().contains(QStringLiteral("sets queries: 64 → 23")), qPrintable(fewer->toolTip()));
        QVERIFY(fewer->accessibleName().contains(QStringLiteral("23 requests")));
        for (QPushButton* button : view.remedyBar().shownButtons()) {
            QVERIFY(!button->accessibleName().isEmpty());
            QVERIFY(button->toolTip().contains(QStringLiteral("sets ")));
            QVERIFY((button->focusPolicy() & Qt::TabFocus) != 0);
        }
        const Bytes freed = view.remedyBar().remedies().single[5].freed;
        fewer->click();
        view.refreshNow();
        QCOMPARE(workbench.scenario().queries, std::int64_t{23});
        QCOMPARE(workbench.undoStack().count(), 1);
        QCOMPARE((used - workbench.simulation()->memory.used()).value(), freed.value());
        QVERIFY(view.verdict().startsWith(QStringLiteral("Tight")));
        workbench.undoStack().undo();
        QVERIFY(workbench.scenario() == tooMuch());
        view.refreshNow();
        QVERIFY(view.verdict().startsWith(QStringLiteral("Does not fit")));
        buttonWith(view, QStringLiteral("KV cache int8"))->click();
        QVERIFY(workbench.scenario().quantization.kvCache == KvDType::int8);
    }

    void remediesWhenAllIsWell() {
        Workbench workbench(builtIn(), initialScenario());
        MemoryView view(workbench);
        view.refreshNow();
        // A tensor-parallel size, four-bit weights and two formats of the cache; nothing that takes from the requests.
        QCOMPARE(view.remedyBar().shownButtons().size(), std::size_t{4});
        QVERIFY(buttonWith(view, QStringLiteral("request")) == nullptr);
        QVERIFY(buttonWith(view, QStringLiteral("weights W4A8 static")) != nullptr);
        change(workbench, [](Scenario& s) { s.parallel.tp = 32; });
        view.refreshNow();
        QVERIFY(!view.remedyBar().isEnabled()); // refused: there is nothing to change it from
    }

    void togetherWhenOneIsNotEnough() {
        Scenario s = paged();
        s.model = "Qwen3.5-397B-A17B";
        s.queries = 64;
        s.contextLength = 65'536;
        Workbench workbench(builtIn(), s);
        MemoryView view(workbench);
        view.refreshNow();
        const Remedies& remedies = view.remedyBar().remedies();
        QVERIFY(!remedies.singleIsEnough && remedies.combinedIsEnough);
        QPushButton* together = view.remedyBar().shownButtons().back();
        QVERIFY2(together->text().contains(QStringLiteral(" + ")), qPrintable(together->text()));
        together->click();
        QCOMPARE(workbench.undoStack().count(), 1);
        QVERIFY(workbench.simulation()->memory.free() >= Bytes{});

        // And when nothing is: the words say so.
        change(workbench, [](Scenario& next) {
            next = initialScenario();
            next.engine = "vllm-cuda";
            next.model = "Qwen3.5-397B-A17B";
            next.device = "NVIDIA_RTX_4090";
            next.parallel.tp = 1;
        });
        QVERIFY2(!workbench.refusal(), workbench.refusal() ? workbench.refusal()->text().c_str() : "");
        view.refreshNow();
        auto* statement = view.findChild<QLabel*>("remedyStatement");
        QVERIFY(!statement->isHidden());
        QCOMPARE(statement->text(), QStringLiteral("All of these together do not make it fit."));
    }

    void frontierClickSetsTheScenario() {
        Workbench workbench(builtIn(), tooMuch());
        MemoryView view(workbench);
        view.showPage(MemoryView::frontier);
        view.resize(900, 600);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        (void)view.grab();
        FrontierChart& chart = view.frontierChart();
        const auto at = std::find_if(chart.points().begin(), chart.points().end(),
                                     [](const RequestsAt& point) { return point.context == 65'536; });
        QVERIFY(at != chart.points().end());
        QCOMPARE(at->requests, std::int64_t{23});
        QCOMPARE(*at->counterpart, std::int64_t{6});
        QCOMPARE(chart.present().requests, 64.0);
        QCOMPARE(chart.present().context, 65'536.0);
        QVERIFY(!chart.present().fits);
        const int index = int(at - chart.points().begin());
        QVERIFY(view.tooltipOfFrontier(index).contains(QStringLiteral("all full attention: 6")));

        const QPointF pixel = chart.pixelOf(131'072, 12);
        QTest::mouseClick(&chart, Qt::LeftButton, {}, pixel.toPoint());
        QCOMPARE(*workbench.scenario().contextLength, std::int64_t{131'072});
        QCOMPARE(workbench.scenario().queries, std::int64_t{12});
        QCOMPARE(workbench.undoStack().count(), 1);
        view.refreshNow();
        QVERIFY(chart.present().fits);
        workbench.undoStack().undo();
        QVERIFY(workbench.scenario() == tooMuch());

        // The table twin has the same points, and sets them by the keyboard.
        view.setTableShown(true);
        view.refreshNow();
        const auto& rows = view.table().values().table().rows;
        QCOMPARE(rows[std::size_t(index)][1].number, 65'536.0);
        QCOMPARE(rows[std::size_t(index)][2].number, 23.0);
        QCOMPARE(rows[std::size_t(index)][3].number, 6.0);
        emit view.table().activated(view.table().values().index(index, 0));
        QCOMPARE(workbench.scenario().queries, std::int64_t{23});
    }

    void frontierWherePointsEnd() {
        Scenario s = tooMuch();
        s.allFull = true;
        Workbench workbench(builtIn(), s);
        MemoryView view(workbench);
        view.showPage(MemoryView::frontier);
        view.resize(900, 600);
        view.show();
        (void)view.grab();
        FrontierChart& chart = view.frontierChart();
        QCOMPARE(chart.points().back().requests, std::int64_t{0}); // a million tokens of full attention
        // Far from every point at which a request fits a click is none.
        const QPointF end = chart.pixelOf(1'010'000, 1);
        QVERIFY(!chart.pointAt(end.toPoint()));
        QTest::mouseClick(&chart, Qt::LeftButton, {}, end.toPoint());
        QVERIFY(workbench.scenario() == s);
    }

    void listedRequestsHaveNoFrontier() {
        Scenario s = initialScenario();
        s.requests = {{2, 1, 5000, {}, {}}, {1, 1, 90'000, {}, {}}};
        Workbench workbench(builtIn(), s);
        MemoryView view(workbench);
        for (const MemoryView::Page page : {MemoryView::frontier, MemoryView::growth}) {
            view.showPage(page);
            view.setTableShown(true);
            view.refreshNow();
            QVERIFY(view.frontierChart().points().empty());
            QVERIFY(view.growthChart(true).points().empty());
        }
        view.resize(700, 500);
        view.show();
        (void)view.grab();
    }

    void growthOfBothAttentions() {
        Scenario s = paged();
        s.queries = 4;
        Workbench workbench(builtIn(), s);
        MemoryView view(workbench);
        view.showPage(MemoryView::growth);
        view.setTableShown(true);
        view.refreshNow();
        const GrowthChart& chart = view.growthChart(true);
        const auto needed = chart.readings(GrowthChart::needed), full = chart.readings(GrowthChart::neededOther);
        QCOMPARE(needed.size(), chart.points().size());
        // 1,024 tokens more of four requests: 32,768 B each, four times that with full attention everywhere
        QVERIFY(close(needed[1] - needed[0], 4 * 1024.0 * 32'768));
        QVERIFY(close(full[1] - full[0], 4 * 1024.0 * 131'072));
        const auto engine = chart.readings(GrowthChart::engine);
        const auto here = std::find_if(chart.points().begin(), chart.points().end(),
                                       [](const GrowthPoint& point) { return point.at == 4096; });
        QVERIFY(close(engine[std::size_t(here - chart.points().begin())],
                      workbench.simulation()->memory.engine->total().value()));
        const auto byRequests = view.growthChart(false).points();
        QCOMPARE(byRequests.front().at, std::int64_t{1});
        QVERIFY(view.tooltipOfGrowth(false, 0).contains(QStringLiteral("all full attention, engine")));
        const auto& rows = view.table().values().table().rows;
        QCOMPARE(rows.size(), chart.points().size() + byRequests.size());
        QCOMPARE(rows[0][2].number, chart.points()[0].ideal.value());
        QCOMPARE(rows[0][5].number, chart.points()[0].engineCounterpart->value());
    }

    // Moving the context keeps the frontier and moves the mark.
    void outlookFollows() {
        Workbench workbench(builtIn(), initialScenario());
        MemoryView view(workbench);
        view.showPage(MemoryView::frontier);
        view.refreshNow();
        const auto before = view.frontierChart().points();
        change(workbench, [](Scenario& s) { s.contextLength = 50'000; });
        view.refreshNow();
        QCOMPARE(view.frontierChart().present().context, 50'000.0);
        QCOMPARE(view.frontierChart().points().size(), before.size());
        QCOMPARE(view.frontierChart().points()[3].requests, before[3].requests);
        change(workbench, [](Scenario& s) { s.quantization.kvCache = KvDType::int8; });
        view.refreshNow();
        QVERIFY(view.frontierChart().points()[5].requests > before[5].requests);
    }

    void nothingIsCutOff() {
        Scenario s = tooMuch();
        s.model = "Qwen3.5-35B-A3B";
        s.queries = 4000;
        Workbench workbench(builtIn(), s);
        MemoryView view(workbench);
        view.show();
        for (const QSize size : {QSize(690, 510), QSize(480, 510), QSize(1100, 800)}) {
            view.resize(size);
            QCoreApplication::processEvents();
            (void)view.grab();
            RemedyBar& bar = view.remedyBar();
            QVERIFY(bar.height() >= bar.heightForWidth(bar.width()));
            const auto buttons = bar.shownButtons();
            QVERIFY(buttons.size() >= 6);
            for (std::size_t i = 0; i < buttons.size(); ++i) {
                QVERIFY(bar.rect().contains(buttons[i]->geometry()));
                QVERIFY(buttons[i]->width() >= buttons[i]->sizeHint().width());
                for (std::size_t k = 0; k < i; ++k) QVERIFY(!buttons[i]->geometry().intersects(buttons[k]->geometry()));
            }
            for (ColorLegend* legend : view.findChildren<ColorLegend*>())
                if (legend->isVisible()) QVERIFY(legend->height() >= legend->heightForWidth(legend->width()));
            auto* verdict = view.findChild<QLabel*>("memoryVerdict");
            QVERIFY(verdict->height() >= verdict->heightForWidth(verdict->width()));
            QVERIFY(view.peakButton().width() >= view.peakButton().sizeHint().width());
            QVERIFY(!view.peakButton().geometry().isEmpty());
        }
    }

    void tableTwin() {
        Workbench workbench(builtIn(), initialScenario());
        MemoryView view(workbench);
        view.setTableShown(true);
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
        view.setTableShown(true);
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
