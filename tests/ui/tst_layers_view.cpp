// SPDX-License-Identifier: GPL-3.0-or-later
// The layers view: bars equal the simulation's layers, grouping, communication, ghost, context curve, selection.
#include "warnings.h" // before others: moc fails on headers of the library that come before those of Qt

#include "base/format.h"
#include "charts/color_legend.h"
#include "charts/context_chart.h"
#include "charts/layers_chart.h"
#include "charts/layers_view.h"
#include "theme/theme.h"
#include "workbench/presets.h"
#include "workbench/workbench.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>

#include <cmath>
#include <map>

using namespace deltascope;
using namespace deltascope::ui;

namespace {

Catalog builtIn() { return Catalog::load(defaultCatalogFolders(DELTASCOPE_SOURCE_DIR)); }
bool close(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)) + 1e-18; }
constexpr auto communicationClass = static_cast<std::size_t>(OperatorClass::communication);

std::map<std::pair<int, std::size_t>, double> readingsOf(const LayersChart& chart) {
    std::map<std::pair<int, std::size_t>, double> values;
    for (const BarReading& reading : chart.readings())
        values[{reading.bar, static_cast<std::size_t>(reading.cls)}] = reading.seconds;
    return values;
}

void change(Workbench& workbench, void (*edit)(Scenario&)) {
    Scenario next = workbench.scenario();
    edit(next);
    workbench.edit(next, QStringLiteral("edit"));
}

} // namespace

class TestLayersView : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        failOnWarnings();
        applyTheme(ThemeChoice::light);
    }

    void barsEqualTheLayers() {
        Workbench workbench(builtIn(), initialScenario());
        LayersView view(workbench);
        view.refreshNow();
        const Simulation& s = *workbench.simulation();
        QCOMPARE(view.chart().bars().size(), std::size_t{64});
        auto values = readingsOf(view.chart());
        for (const LayerSummary& layer : s.layers) {
            double sum = 0.0;
            for (std::size_t c = 0; c < operatorClassCount; ++c) {
                QVERIFY(close((values[{layer.index, c}]), layer.byClass[c].value()));
                sum += values[{layer.index, c}];
            }
            QVERIFY(close(sum, layer.time.value()));
            QVERIFY(view.chart().bars()[static_cast<std::size_t>(layer.index)].type == layer.type);
        }
        QVERIFY2(view.summary().contains(QStringLiteral("48 × linear")), qPrintable(view.summary()));
        QVERIFY(view.summary().contains(QStringLiteral("16 × full")));
    }

    void followsTheScenario() {
        Workbench workbench(builtIn(), initialScenario());
        LayersView view(workbench);
        view.resize(900, 500);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        const double before = view.chart().bars()[3].time.value();
        change(workbench, [](Scenario& s) { s.contextLength = 200'000; });
        QCoreApplication::processEvents();
        QVERIFY(view.chart().bars()[3].time.value() > before);
        QVERIFY(close(view.chart().bars()[3].time.value(), workbench.simulation()->layers[3].time.value()));
        change(workbench, [](Scenario& s) { s.layers = 6; });
        QCoreApplication::processEvents();
        QCOMPARE(view.chart().bars().size(), std::size_t{6});
        // Each bar stands over its layer's number, from the axis up to its time.
        (void)view.chart().grab();
        const QRectF linear = view.chart().barRect(0), full = view.chart().barRect(3);
        QVERIFY(full.left() > linear.right());
        QVERIFY(full.top() < linear.top()); // the longer layer is higher
        QCOMPARE(full.bottom(), linear.bottom());
        QCOMPARE(view.chart().barAt(full.center().toPoint()), std::optional(3));
    }

    void groupsStandForEqualLayers() {
        Workbench workbench(builtIn(), initialScenario());
        LayersView view(workbench);
        view.setGrouped(true);
        view.refreshNow();
        const Simulation& s = *workbench.simulation();
        const std::vector<LayerBar>& bars = view.chart().bars();
        QCOMPARE(bars.size(), std::size_t{2});
        QCOMPARE(bars[0].count, 48);
        QCOMPARE(bars[1].count, 16);
        QCOMPARE(nameOfBar(bars[0], true), QStringLiteral("48 × linear attention"));
        QCOMPARE(nameOfBar(bars[1], true), QStringLiteral("16 × full attention"));
        double layers = 0.0;
        for (const LayerSummary& layer : s.layers) layers += layer.time.value();
        QVERIFY(close(bars[0].time.value() * 48 + bars[1].time.value() * 16, layers));
        for (const BarReading& reading : view.chart().readings())
            QVERIFY(close(
                reading.seconds,
                bars[static_cast<std::size_t>(reading.bar)].byClass[static_cast<std::size_t>(reading.cls)].value()));
        view.setGrouped(false);
        view.refreshNow();
        QCOMPARE(view.chart().bars().size(), std::size_t{64});
    }

    void communicationCanBeLeftOut() {
        Workbench workbench(builtIn(), initialScenario());
        LayersView view(workbench);
        view.refreshNow();
        const Seconds collectives = workbench.simulation()->layers[0].byClass[communicationClass];
        QVERIFY(collectives > Seconds(0.0)); // TP 2
        const Seconds with = view.chart().bars()[0].time;
        view.setCommunicationShown(false);
        view.refreshNow();
        QVERIFY(close(view.chart().bars()[0].time.value(), (with - collectives).value()));
        for (const BarReading& reading : view.chart().readings()) QVERIFY(reading.cls != OperatorClass::communication);
        for (const ColorLegend::Entry& entry : view.findChild<ColorLegend*>()->entries())
            QVERIFY(entry.text != QStringLiteral("communication"));
    }

    void ghostAndDifference() {
        Workbench workbench(builtIn(), initialScenario());
        LayersView view(workbench);
        workbench.pinBaseline();
        change(workbench, [](Scenario& s) { s.quantization.linear = Scheme::w4a8Static; });
        view.refreshNow();
        const std::vector<double> ghosts = view.chart().baselineReadings();
        const std::vector<double> differences = view.chart().differenceReadings();
        QCOMPARE(ghosts.size(), std::size_t{64});
        for (std::size_t i = 0; i < 64; ++i) {
            const double now = workbench.simulation()->layers[i].time.value();
            const double then = workbench.baseline()->layers[i].time.value();
            QVERIFY(close(ghosts[i], then));
            QVERIFY(std::abs(differences[i] - (now - then)) < 1e-12);
            QVERIFY(differences[i] < 0.0); // half the weight bytes, memory-bound
        }
        const QString tip = view.tooltipOf(3);
        QVERIFY2(tip.contains(QString::fromStdString(formatSecondsDifference(workbench.simulation()->layers[3].time -
                                                                             workbench.baseline()->layers[3].time))),
                 qPrintable(tip));
        workbench.clearBaseline();
        view.refreshNow();
        QVERIFY(std::isnan(view.chart().baselineReadings()[0]));
    }

    void groupedGhostsOfOtherLayerCounts() {
        Workbench workbench(builtIn(), initialScenario());
        LayersView view(workbench);
        view.setGrouped(true);
        workbench.pinBaseline();
        change(workbench, [](Scenario& s) { s.allFull = true; });
        view.refreshNow();
        const std::vector<LayerBar>& bars = view.chart().bars();
        QCOMPARE(bars.size(), std::size_t{2});
        QCOMPARE(bars[0].count, 0); // linear layers are only in the baseline
        QCOMPARE(bars[0].baselineCount, 48);
        QVERIFY(!bars[0].dominant);
        QCOMPARE(bars[1].count, 64);
        QCOMPARE(bars[1].baselineCount, 16);
        QVERIFY(close(bars[1].time.value(), bars[1].baseline->value()));
        QVERIFY(view.tooltipOf(0).contains(QStringLiteral("only in the baseline")));
    }

    void tableSaysTheSame() {
        Workbench workbench(builtIn(), initialScenario());
        LayersView view(workbench);
        QAbstractItemModelTester tester(&view.table().values(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        view.setTableShown(true);
        workbench.pinBaseline();
        view.refreshNow();
        const ValueTable& table = view.table().values().table();
        QCOMPARE(table.rows.size(), std::size_t{64});
        for (std::size_t i = 0; i < 64; ++i)
            QCOMPARE(table.rows[i][1].number, workbench.simulation()->layers[i].time.value());
        QCOMPARE(table.columns[2].rawTitle, QStringLiteral("baseline_s"));
        QCOMPARE(table.rows[5][3].text, QStringLiteral("±0 s"));
        const QString csv = toText(view.table().textTable(TableFormat::csv), TableFormat::csv);
        QVERIFY(csv.startsWith(QStringLiteral("layer,time_s,baseline_s,difference_s,linear_s")));
        view.setGrouped(true);
        view.refreshNow();
        QCOMPARE(view.table().values().rowCount(), 2);
    }

    void clickAndKeysSelectTheLongestOperator() {
        Workbench workbench(builtIn(), initialScenario());
        LayersView view(workbench);
        view.resize(1000, 500);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        (void)view.chart().grab();
        const QPoint at = view.chart().barRect(7).center().toPoint();
        QTest::mouseClick(&view.chart(), Qt::LeftButton, {}, at);
        QVERIFY(workbench.selection());
        const Simulation& s = *workbench.simulation();
        QCOMPARE(s.segment(*workbench.selection()).layer, 7);
        QCOMPARE(view.chart().selected(), std::optional(7));
        for (std::uint32_t i = 0; i < s.block(*workbench.selection()).operators.size(); ++i)
            QVERIFY(s.cost({workbench.selection()->segment, i}).total <= s.cost(*workbench.selection()).total);

        view.chart().setFocus();
        QTest::keyClick(&view.chart(), Qt::Key_Right);
        QCOMPARE(s.segment(*workbench.selection()).layer, 8);
        QTest::keyClick(&view.chart(), Qt::Key_Left);
        QTest::keyClick(&view.chart(), Qt::Key_Left);
        QCOMPARE(s.segment(*workbench.selection()).layer, 6);
        QTest::keyClick(&view.chart(), Qt::Key_End);
        QCOMPARE(s.segment(*workbench.selection()).layer, 63);
        QTest::keyClick(&view.chart(), Qt::Key_Right); // stays at the last
        QCOMPARE(s.segment(*workbench.selection()).layer, 63);
        QTest::keyClick(&view.chart(), Qt::Key_Home);
        QCOMPARE(s.segment(*workbench.selection()).layer, 0);

        // A selection made elsewhere shows here; one outside the layers clears.
        workbench.select(OperatorRef{s.layers[11].segment, 2});
        QCOMPARE(view.chart().selected(), std::optional(11));
        workbench.select(OperatorRef{0, 0});
        QCOMPARE(view.chart().selected(), std::optional<int>());
        view.setGrouped(true);
        workbench.select(OperatorRef{s.layers[11].segment, 2});
        QCOMPARE(view.chart().selected(), std::optional(1)); // layer 11 is a full one
    }

    void curveAgreesWithSimulations() {
        Workbench workbench(builtIn(), initialScenario());
        LayersView view(workbench);
        view.setGrouped(true);
        view.refreshNow();
        const ContextCurve& curve = view.contextChart().curve();
        QVERIFY(curve.points.size() > 8);
        QCOMPARE(curve.points.front().context, 256.0);
        QCOMPARE(curve.points.back().context, 1'010'000.0);
        const std::vector<double> linear = view.contextChart().readings(LayerType::linearAttention);
        const std::vector<double> full = view.contextChart().readings(LayerType::fullAttention);
        QCOMPARE(linear.size(), curve.points.size());
        for (std::size_t i = 0; i < curve.points.size(); ++i) {
            const auto at =
                simulate(workbench.catalog(),
                         atContext(workbench.scenario(), static_cast<std::int64_t>(curve.points[i].context)));
            QVERIFY(at);
            QVERIFY(close(linear[i], at->layers[0].time.value()));
            QVERIFY(close(full[i], at->layers[3].time.value()));
        }
        QVERIFY(close(linear.front(), linear.back())); // no cache grows in a linear layer
        QVERIFY(full.back() > full.front());
        // Another context is the same curve.
        const ContextCurve before = curve;
        change(workbench, [](Scenario& s) { s.contextLength = 77'777; });
        view.refreshNow();
        QVERIFY(view.contextChart().curve() == before);
    }

    void crossoverLiesBetweenThePoints() {
        // The full layer costs 1 + c/1000 ms, the linear one 3 ms: equal at 2,000 tokens.
        std::vector<ContextCurve::Point> points;
        for (const double context : {500.0, 1500.0, 2500.0, 9000.0})
            points.push_back({context, Seconds(3e-3), Seconds(1e-3 + context * 1e-6)});
        QVERIFY(close(crossoverOf(points).value(), 2000.0));
        for (ContextCurve::Point& point : points) point.linear = Seconds(1e-3);
        QVERIFY(!crossoverOf(points)); // the full layer takes longer everywhere
        points[2].linear.reset();      // a model without linear layers
        QVERIFY(!crossoverOf(points));
        QVERIFY(!crossoverOf({}));
    }

    void refusalDims() {
        Workbench workbench(builtIn(), initialScenario());
        LayersView view(workbench);
        view.resize(900, 500);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        const QPoint inside = [&] {
            (void)view.chart().grab();
            return view.chart().barRect(2).center().toPoint() + QPoint(0, 60);
        }();
        const QColor before = view.chart().grab().toImage().pixelColor(inside);
        change(workbench, [](Scenario& s) { s.parallel.tp = 32; });
        QCoreApplication::processEvents();
        QVERIFY(workbench.refusal());
        QVERIFY(view.chart().dimmed());
        QCOMPARE(view.chart().bars().size(), std::size_t{64});
        const QColor after = view.chart().grab().toImage().pixelColor(inside);
        QVERIFY(after.lightness() > before.lightness() + 40); // towards the panel
        workbench.undoStack().undo();
        QCoreApplication::processEvents();
        QVERIFY(!view.chart().dimmed());
    }

    void kindsOfLayerDifferWithoutColour() {
        Workbench workbench(builtIn(), initialScenario());
        LayersView view(workbench);
        view.resize(700, 400); // bars too narrow for letters: hatching
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        const QImage image = view.chart().grab().toImage();
        const auto inks = [&](int bar) {
            const QRectF box = view.chart().barRect(bar);
            QSet<QRgb> colors;
            for (int y = int(box.bottom()) + 7; y < int(box.bottom()) + 17; ++y)
                for (int x = int(box.left()) + 2; x < int(box.right()) - 1; ++x) colors.insert(image.pixel(x, y));
            return colors.size();
        };
        QVERIFY(inks(3) > inks(2)); // full: colour and hatch
    }

    void takesTheTheme() {
        Workbench workbench(builtIn(), initialScenario());
        LayersView view(workbench);
        view.resize(900, 500);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        const auto ink = [&] {
            const QImage image = view.chart().grab().toImage();
            const QRectF box = view.chart().barRect(1);
            return image.pixelColor(int(box.center().x()), int(box.bottom()) - 6);
        };
        QCOMPARE(ink(), theme().classColor(OperatorClass::linear));
        applyTheme(ThemeChoice::dark);
        QCoreApplication::processEvents();
        QCOMPARE(ink(), theme().classColor(OperatorClass::linear));
        QVERIFY(view.chart().grab().toImage().pixelColor(3, 3).lightness() < 60);
        applyTheme(ThemeChoice::light);
        QVERIFY(!view.chart().accessibleName().isEmpty());
        QVERIFY(!view.chart().accessibleDescription().isEmpty());
    }

    void labelsKeepApart() {
        std::vector<double> centres{10, 11, 12, 80};
        spreadLabels(centres, 10, 0, 100);
        for (std::size_t i = 1; i < centres.size(); ++i) QVERIFY(centres[i] - centres[i - 1] >= 10.0);
        QCOMPARE(centres.back(), 80.0);
        centres = {95, 96, 97};
        spreadLabels(centres, 10, 0, 100);
        QCOMPARE(centres, (std::vector<double>{75, 85, 95}));
        centres = {1, 2, 3};
        spreadLabels(centres, 10, 0, 25); // two fit
        QCOMPARE(centres.size(), std::size_t{2});
        centres = {};
        spreadLabels(centres, 10, 0, 25);
        QVERIFY(centres.empty());
    }

    void axesEndAtRoundNumbers() {
        QCOMPARE(niceCeiling(341.0), 400.0);
        QCOMPARE(niceCeiling(1.01), 1.2);
        QCOMPARE(niceCeiling(0.0021), 0.0025);
        QCOMPARE(niceCeiling(8.5), 10.0);
        QCOMPARE(niceCeiling(0.0), 1.0);
        QCOMPARE(niceCeiling(std::nan("")), 1.0);
    }
};

QTEST_MAIN(TestLayersView)
#include "tst_layers_view.moc"
