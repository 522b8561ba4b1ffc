// SPDX-License-Identifier: GPL-3.0-or-later
// The operators' table: every value equals the simulation's, filter, order, groups, ghosts, selection, copying.
#include "warnings.h" // before others: moc fails on headers of the library that come before those of Qt

#include "base/format.h"
#include "tables/operators_view.h"
#include "theme/theme.h"
#include "workbench/presets.h"
#include "workbench/workbench.h"

#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QScrollBar>
#include <QSignalSpy>

#include <cmath>
#include <map>

using namespace deltascope;
using namespace deltascope::ui;
using Tester = QAbstractItemModelTester;

namespace {

Catalog builtIn() { return Catalog::load(defaultCatalogFolders(DELTASCOPE_SOURCE_DIR)); }

int at(OperatorColumn column) { return static_cast<int>(column); }

Scenario changed(Scenario scenario, void (*change)(Scenario&)) {
    change(scenario);
    return scenario;
}
Scenario withMtp(const Scenario& scenario) {
    return changed(scenario, [](Scenario& s) { s.mtpTokens = 2; });
}

double sumOf(const OperatorsModel& model, OperatorColumn column) {
    double sum = 0.0;
    for (int r = 0; r < model.rowCount(); ++r) {
        const double value = model.number(model.index(r, at(column)));
        if (!std::isnan(value)) sum += value;
    }
    return sum;
}

bool close(double a, double b) { return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b)); }

QStringList texts(const OperatorsModel& model, OperatorColumn column, const QModelIndex& parent = {}) {
    QStringList list;
    for (int r = 0; r < model.rowCount(parent); ++r) list << model.text(model.index(r, at(column), parent));
    return list;
}

} // namespace

class TestOperatorsView : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() {
        failOnWarnings();
        applyTheme(ThemeChoice::light);
    }

    void everyCellEqualsTheSimulation() {
        Workbench workbench(builtIn(), initialScenario());
        OperatorsView view(workbench);
        Tester tester(&view.model(), Tester::FailureReportingMode::QtTest);
        view.refreshNow();
        const Simulation& s = *workbench.simulation();
        const OperatorsModel& model = view.model();
        QCOMPARE(std::int64_t{model.rowCount()}, s.totals.operators);
        int row = 0;
        s.forEachOperator([&](OperatorRef ref) {
            const OperatorCost& cost = s.cost(ref);
            const auto number = [&](OperatorColumn column) { return model.number(model.index(row, at(column))); };
            const auto text = [&](OperatorColumn column) { return model.text(model.index(row, at(column))); };
            QCOMPARE(text(OperatorColumn::id), QString::fromStdString(s.id(ref).text()));
            QCOMPARE(text(OperatorColumn::bound).toStdString(), std::string(nameOf(cost.bound)));
            QCOMPARE(text(OperatorColumn::time).toStdString(), formatSeconds(cost.total));
            QCOMPARE(number(OperatorColumn::time), cost.total.value());
            QCOMPARE(number(OperatorColumn::start), s.start(ref).value());
            QCOMPARE(number(OperatorColumn::matrix), cost.matrix.value());
            QCOMPARE(number(OperatorColumn::vector), cost.vector.value());
            QCOMPARE(number(OperatorColumn::memory), cost.memory.value());
            QCOMPARE(number(OperatorColumn::communication), cost.communication.value());
            QCOMPARE(number(OperatorColumn::launch), cost.launch.value());
            QCOMPARE(number(OperatorColumn::bytes), cost.work.moved().value());
            QCOMPARE(number(OperatorColumn::flops), cost.work.matrixTotal() + cost.work.vectorTotal());
            QVERIFY(std::isnan(number(OperatorColumn::baseline)));
            ++row;
        });
        QVERIFY(close(sumOf(model, OperatorColumn::time), s.totals.time.value()));
        QVERIFY(close(sumOf(model, OperatorColumn::share), 1.0));
        const QString summary = view.findChild<QLabel*>("operatorsSummary")->text();
        QVERIFY2(summary.contains(QString::fromStdString(formatCount(static_cast<double>(s.totals.operators)))),
                 qPrintable(summary));
        QVERIFY(summary.contains(QString::fromStdString(formatSeconds(s.totals.time))));
    }

    void shapesAreThoseOfTheOperator() {
        Workbench workbench(builtIn(), initialScenario());
        const Simulation& s = *workbench.simulation();
        s.forEachOperator([&](OperatorRef ref) {
            if (s.segment(ref).layer != 0 || s.op(ref).module != "mlp.down_proj" ||
                s.op(ref).kind != OperatorKind::linear)
                return;
            // 27B at TP 2, one token: 1 x 8704 by 8704 x 5120.
            const QString shapes = shapesText(s.block(ref), s.op(ref));
            QVERIFY2(shapes.contains(QStringLiteral("8704×5120 int8")) &&
                         shapes.contains(QStringLiteral("1×8704 int8")),
                     qPrintable(shapes));
            QVERIFY(shapes.section(QStringLiteral(" → "), 1).startsWith(QStringLiteral("1×5120")));
        });
    }

    void filter_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("mustMatch"); ///< in kind, module, bound, layer joined
        QTest::addRow("kind") << "kind:attention"
                              << "attention";
        QTest::addRow("module") << "MLP.down"
                                << "mlp.down";
        QTest::addRow("layer") << "layer:12"
                               << "#12#";
        QTest::addRow("bare layer") << "12 quantize"
                                    << "#12#";
        QTest::addRow("bound") << "bound:memory"
                               << "memory";
    }
    void filter() {
        QFETCH(QString, text);
        QFETCH(QString, mustMatch);
        Workbench workbench(builtIn(), initialScenario());
        OperatorsView view(workbench);
        Tester tester(&view.model(), Tester::FailureReportingMode::QtTest);
        view.refreshNow();
        const int all = view.model().rowCount();
        view.setFilter(text);
        const OperatorsModel& model = view.model();
        QVERIFY(model.rowCount() > 0 && model.rowCount() < all);
        for (int r = 0; r < model.rowCount(); ++r) {
            QString fields = '#' + model.text(model.index(r, at(OperatorColumn::layer))) + '#';
            for (const OperatorColumn c : {OperatorColumn::kind, OperatorColumn::module, OperatorColumn::bound})
                fields += ' ' + model.text(model.index(r, at(c)));
            QVERIFY2(fields.contains(mustMatch), qPrintable(fields));
        }
        view.setFilter(QStringLiteral("no such operator"));
        QCOMPARE(model.rowCount(), 0);
        view.setFilter({});
        QCOMPARE(model.rowCount(), all);
    }

    void filterCountsExactly() {
        Workbench workbench(builtIn(), initialScenario());
        OperatorsView view(workbench);
        view.refreshNow();
        view.setFilter(QStringLiteral("kind:recurrent"));
        QCOMPARE(view.model().rowCount(), 48); // one per linear layer of 27B
        view.setFilter(QStringLiteral("kind:recurrent layer:3"));
        QCOMPARE(view.model().rowCount(), 0); // layer 3 is a full-attention one
    }

    void sorting_data() {
        QTest::addColumn<int>("column");
        for (const OperatorColumn c : {OperatorColumn::time, OperatorColumn::bytes, OperatorColumn::start})
            QTest::addRow("%s", factsOf(c).rawTitle) << at(c);
    }
    void sorting() {
        QFETCH(int, column);
        Workbench workbench(builtIn(), initialScenario());
        OperatorsView view(workbench);
        Tester tester(&view.model(), Tester::FailureReportingMode::QtTest);
        view.refreshNow();
        for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
            view.tree().sortByColumn(column, order);
            const OperatorsModel& model = view.model();
            for (int r = 1; r < model.rowCount(); ++r) {
                const double a = model.number(model.index(r - 1, column)), b = model.number(model.index(r, column));
                QVERIFY(order == Qt::AscendingOrder ? a <= b : a >= b);
            }
        }
    }

    void sortingTextKeepsExecutionOrderInside() {
        Workbench workbench(builtIn(), initialScenario());
        OperatorsView view(workbench);
        view.refreshNow();
        view.tree().sortByColumn(at(OperatorColumn::kind), Qt::AscendingOrder);
        const OperatorsModel& model = view.model();
        for (int r = 1; r < model.rowCount(); ++r) {
            const QString a = model.text(model.index(r - 1, 0)), b = model.text(model.index(r, 0));
            QVERIFY(a <= b);
            if (a == b)
                QVERIFY(model.number(model.index(r - 1, at(OperatorColumn::start))) <
                        model.number(model.index(r, at(OperatorColumn::start))));
        }
        view.tree().sortByColumn(-1, Qt::AscendingOrder);
        QCOMPARE(*model.rowAt(model.index(7, 0)), 7U);
    }

    void groupsByKindAddUp() {
        Workbench workbench(builtIn(), initialScenario());
        OperatorsView view(workbench);
        Tester tester(&view.model(), Tester::FailureReportingMode::QtTest);
        view.refreshNow();
        view.setGrouping(Grouping::kind);
        const Simulation& s = *workbench.simulation();
        const OperatorsModel& model = view.model();
        QCOMPARE(static_cast<std::size_t>(model.rowCount()), s.byKind.size());
        for (int r = 0; r < model.rowCount(); ++r) {
            const QModelIndex group = model.index(r, 0);
            const auto summary = std::find_if(s.byKind.begin(), s.byKind.end(), [&](const KindSummary& k) {
                return QString::fromUtf8(nameOf(k.kind).data()) == model.text(group);
            });
            QVERIFY(summary != s.byKind.end());
            QCOMPARE(std::int64_t{model.rowCount(group)}, summary->calls);
            QCOMPARE(model.number(group.siblingAtColumn(at(OperatorColumn::calls))), double(summary->calls));
            QVERIFY(close(model.number(group.siblingAtColumn(at(OperatorColumn::time))), summary->time.value()));
        }
        QVERIFY(close(sumOf(model, OperatorColumn::time), s.totals.time.value()));
    }

    void groupsByLayerAndModule() {
        Workbench workbench(builtIn(), initialScenario());
        OperatorsView view(workbench);
        Tester tester(&view.model(), Tester::FailureReportingMode::QtTest);
        view.refreshNow();
        view.setGrouping(Grouping::layer);
        const Simulation& s = *workbench.simulation();
        const OperatorsModel& model = view.model();
        QCOMPARE(model.rowCount(), 66); // 64 layers, embedding, head
        const QStringList labels = texts(model, OperatorColumn::kind);
        for (const LayerSummary& layer : s.layers) {
            const QString label = QStringLiteral("layer %1, %2 attention")
                                      .arg(layer.index)
                                      .arg(layer.type == LayerType::linearAttention ? "linear" : "full");
            const auto row = static_cast<int>(labels.indexOf(label));
            QVERIFY2(row >= 0, qPrintable(label));
            QVERIFY(close(model.number(model.index(row, at(OperatorColumn::time))), layer.time.value()));
        }
        view.tree().sortByColumn(at(OperatorColumn::time), Qt::DescendingOrder);
        QVERIFY(model.number(model.index(0, at(OperatorColumn::time))) >=
                model.number(model.index(1, at(OperatorColumn::time))));

        view.setGrouping(Grouping::module);
        QVERIFY(texts(model, OperatorColumn::kind).contains(QStringLiteral("mlp.down_proj")));
        QVERIFY(close(sumOf(model, OperatorColumn::time), s.totals.time.value()));
        const QStringList shown = texts(model, OperatorColumn::module, model.index(0, 0));
        QCOMPARE(shown.count(model.text(model.index(0, 0))), shown.size());
    }

    void baselineColumnsAndGhosts() {
        Workbench workbench(builtIn(), initialScenario());
        OperatorsView view(workbench);
        Tester tester(&view.model(), Tester::FailureReportingMode::QtTest);
        view.refreshNow();
        QVERIFY(view.tree().isColumnHidden(at(OperatorColumn::baseline)));
        const Scenario plain = workbench.scenario();
        workbench.edit(withMtp(plain), QStringLiteral("MTP"));
        workbench.pinBaseline();
        workbench.edit(plain, QStringLiteral("no MTP"));
        view.refreshNow();
        QVERIFY(!view.tree().isColumnHidden(at(OperatorColumn::baseline)));
        QVERIFY(!view.tree().isColumnHidden(at(OperatorColumn::difference)));

        const OperatorsModel& model = view.model();
        std::int64_t ghosts = 0;
        for (const OperatorPair& pair : workbench.comparison().operators) ghosts += pair.a && !pair.b;
        QVERIFY(ghosts > 0); // the draft's operators
        QCOMPARE(model.arrangement().ghosts, ghosts);
        QCOMPARE(std::int64_t{model.rowCount()}, workbench.simulation()->totals.operators + ghosts);
        const QModelIndex ghost = model.index(model.rowCount() - 1, 0);
        QCOMPARE(model.text(ghost.siblingAtColumn(at(OperatorColumn::part))), QStringLiteral("mtp"));
        QCOMPARE(model.text(ghost.siblingAtColumn(at(OperatorColumn::time))), QStringLiteral("–"));
        QCOMPARE(model.number(ghost.siblingAtColumn(at(OperatorColumn::difference))),
                 -model.number(ghost.siblingAtColumn(at(OperatorColumn::baseline))));
        QVERIFY(model.data(ghost, Qt::ForegroundRole).isValid());
        for (const OperatorPair& pair : workbench.comparison().operators) {
            if (!pair.a || !pair.b) continue;
            const QModelIndex row = model.indexOfRow(model.rows().indexOf(*pair.b));
            QCOMPARE(model.number(row.siblingAtColumn(at(OperatorColumn::baseline))), pair.timeA.value());
            QCOMPARE(model.number(row.siblingAtColumn(at(OperatorColumn::difference))),
                     pair.timeB.value() - pair.timeA.value());
        }
        const double difference =
            workbench.simulation()->totals.time.value() - workbench.baseline()->totals.time.value();
        QVERIFY(std::abs(sumOf(model, OperatorColumn::difference) - difference) < 1e-9);
        // A difference always carries its sign.
        const QString text = model.text(ghost.siblingAtColumn(at(OperatorColumn::difference)));
        QVERIFY2(text.startsWith(QStringLiteral("−")), qPrintable(text));

        view.setGrouping(Grouping::layer);
        QVERIFY(std::abs(sumOf(model, OperatorColumn::difference) - difference) < 1e-9);
        workbench.clearBaseline();
        view.refreshNow();
        QCOMPARE(model.arrangement().ghosts, 0);
        QVERIFY(view.tree().isColumnHidden(at(OperatorColumn::baseline)));
    }

    void selectionGoesBothWays() {
        Workbench workbench(builtIn(), initialScenario());
        OperatorsView view(workbench);
        view.resize(900, 500);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        QSignalSpy selected(&workbench, &Workbench::selectionChanged);
        view.tree().setCurrentIndex(view.model().index(40, 0));
        QCOMPARE(selected.count(), 1);
        QCOMPARE(view.model().rows().indexOf(*workbench.selection()), std::size_t{40});

        const OperatorRef other{30, 3};
        workbench.select(other);
        QCOMPARE(*view.model().rowAt(view.tree().currentIndex()), view.model().rows().indexOf(other));
        QCOMPARE(selected.count(), 2);
        const QRect visible = view.tree().visualRect(view.tree().currentIndex());
        QVERIFY(view.tree().viewport()->rect().contains(visible.center()));

        QTest::keyClick(&view.tree(), Qt::Key_Down);
        QCOMPARE(view.model().rows().indexOf(*workbench.selection()), view.model().rows().indexOf(other) + 1);

        view.setGrouping(Grouping::kind); // inside a folded group, and still the current row
        QCOMPARE(*view.model().rowAt(view.tree().currentIndex()), view.model().rows().indexOf(*workbench.selection()));
        workbench.select(std::nullopt);
        QVERIFY(!view.tree().currentIndex().isValid());
    }

    void slidersKeepScrollSelectionAndFolding() {
        Workbench workbench(builtIn(), initialScenario());
        OperatorsView view(workbench);
        view.resize(900, 500);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        view.setGrouping(Grouping::kind);
        view.tree().sortByColumn(at(OperatorColumn::time), Qt::DescendingOrder);
        const QString open = QStringLiteral("mul");
        const auto groupRow = [&] { return int(texts(view.model(), OperatorColumn::kind).indexOf(open)); };
        view.tree().expand(view.model().index(groupRow(), 0));
        QCoreApplication::processEvents();
        view.tree().verticalScrollBar()->setValue(300);
        const OperatorRef chosen{20, 4};
        workbench.select(chosen);
        view.tree().verticalScrollBar()->setValue(300);

        QSignalSpy resets(&view.model(), &QAbstractItemModel::modelReset);
        workbench.edit(changed(workbench.scenario(), [](Scenario& s) { s.contextLength = 5000; }), {});
        QCoreApplication::processEvents();
        QCOMPARE(resets.count(), 0); // same operators, same order: values only
        QCOMPARE(view.tree().verticalScrollBar()->value(), 300);
        // TP 1 has no collectives: other operators.
        workbench.edit(changed(workbench.scenario(), [](Scenario& s) { s.parallel.tp = 1; }), {});
        QCoreApplication::processEvents();
        QVERIFY(resets.count() > 0);
        QCOMPARE(view.tree().verticalScrollBar()->value(), 300);
        QVERIFY(view.tree().isExpanded(view.model().index(groupRow(), 0)));
        if (workbench.selection())
            QCOMPARE(*view.model().rowAt(view.tree().currentIndex()),
                     view.model().rows().indexOf(*workbench.selection()));
    }

    void hiddenTablesAreOnlyMarked() {
        Workbench workbench(builtIn(), initialScenario());
        OperatorsView view(workbench);
        QSignalSpy rearranged(&view.model(), &OperatorsModel::rearranged);
        workbench.edit(withMtp(workbench.scenario()), {});
        QCoreApplication::processEvents();
        QCOMPARE(rearranged.count(), 0);
        view.show();
        QCOMPARE(rearranged.count(), 1);
        QCOMPARE(std::int64_t{view.model().rowCount()}, workbench.simulation()->totals.operators);
    }

    void refusalDims() {
        Workbench workbench(builtIn(), initialScenario());
        OperatorsView view(workbench);
        view.refreshNow();
        const int rows = view.model().rowCount();
        QVERIFY(!view.model().dimmed());
        workbench.edit(changed(workbench.scenario(), [](Scenario& s) { s.parallel.tp = 32; }), {});
        view.refreshNow();
        QVERIFY(workbench.refusal());
        QVERIFY(view.model().dimmed());
        QCOMPARE(view.model().rowCount(), rows); // the last good result stays
        QCOMPARE(view.model().data(view.model().index(0, 0), Qt::ForegroundRole).value<QBrush>().color(),
                 theme().mutedText);
    }

    void copies() {
        Workbench workbench(builtIn(), initialScenario());
        OperatorsView view(workbench);
        view.refreshNow();
        const Simulation& s = *workbench.simulation();
        const QStringList tsv = view.asText(TableFormat::tsv).split('\n');
        QCOMPARE(std::int64_t{tsv.size()}, s.totals.operators + 2); // header, rows, after the last newline
        const QStringList header = tsv[0].split('\t');
        const auto time = header.indexOf(QStringLiteral("time_s"));
        QVERIFY(time >= 0);
        QCOMPARE(tsv[1].split('\t')[time].toDouble(), s.cost(OperatorRef{0, 0}).total.value()); // every digit

        const QStringList markdown = view.asText(TableFormat::markdown).split('\n');
        QVERIFY(markdown[0].startsWith("| Operator |"));
        QVERIFY(markdown[1].startsWith("| --- |") && markdown[1].contains("---: |"));
        QVERIFY(markdown[2].contains(QString::fromStdString(formatSeconds(s.cost(OperatorRef{0, 0}).total))));
        // Shapes hold commas, so their cells are quoted.
        QVERIFY(view.asText(TableFormat::csv).contains(QStringLiteral(",\"")));

        // With several rows selected, only those; by the keyboard.
        view.resize(900, 500);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        view.tree().setFocus();
        view.tree().setCurrentIndex(view.model().index(2, 0));
        QTest::keyClick(&view.tree(), Qt::Key_Down, Qt::ShiftModifier);
        QTest::keyClick(&view.tree(), Qt::Key_C, Qt::ControlModifier);
        const QStringList copied = QGuiApplication::clipboard()->text().split('\n', Qt::SkipEmptyParts);
        QCOMPARE(copied.size(), 3);
        QCOMPARE(copied[1].section('\t', 0, 0), view.model().text(view.model().index(2, 0)));
        QCOMPARE(copied[2].section('\t', 0, 0), view.model().text(view.model().index(3, 0)));
    }

    void escapesWhatSeparatesCells() {
        const TextTable table{{"a,b", "c"}, {false, true}, {{"say \"x\"", "1"}, {"p|q\nr", "2\t3"}}};
        QCOMPARE(toText(table, TableFormat::csv), QStringLiteral("\"a,b\",c\n\"say \"\"x\"\"\",1\n\"p|q\nr\",2\t3\n"));
        QCOMPARE(toText(table, TableFormat::tsv), QStringLiteral("a,b\tc\nsay \"x\"\t1\np|q r\t2 3\n"));
        QCOMPARE(toText(table, TableFormat::markdown),
                 QStringLiteral("| a,b | c |\n| --- | ---: |\n| say \"x\" | 1 |\n| p\\|q r | 2\t3 |\n"));
    }

    void filterBoxByKeyboard() {
        Workbench workbench(builtIn(), initialScenario());
        OperatorsView view(workbench);
        view.resize(900, 500);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        auto* filter = view.findChild<QLineEdit*>("operatorsFilter");
        view.tree().setFocus();
        QTest::keyClick(&view.tree(), Qt::Key_F, Qt::ControlModifier);
        QVERIFY(filter->hasFocus());
        QTest::keyClicks(filter, QStringLiteral("kind:swiglu"));
        QCOMPARE(view.model().rowCount(), 64);
        for (const QWidget* widget : view.findChildren<QWidget*>())
            if ((widget->focusPolicy() & Qt::TabFocus) != 0 && widget->parentWidget() != nullptr &&
                widget->parentWidget()->parentWidget() == &view)
                QVERIFY2(!widget->accessibleName().isEmpty(), widget->metaObject()->className());
    }

    void columnsAreChosenAndRemembered() {
        Workbench workbench(builtIn(), initialScenario());
        OperatorsView view(workbench);
        view.refreshNow();
        OperatorsTree& tree = view.tree();
        QVERIFY(tree.isColumnHidden(at(OperatorColumn::matrix)));
        QVERIFY(tree.isColumnHidden(at(OperatorColumn::calls))); // says nothing without groups
        tree.setChosen(OperatorColumn::matrix, true);
        tree.setChosen(OperatorColumn::shapes, false);
        QVERIFY(!tree.isColumnHidden(at(OperatorColumn::matrix)));
        view.setGrouping(Grouping::module);
        QVERIFY(!tree.isColumnHidden(at(OperatorColumn::calls)));
        const QByteArray state = view.saveState();

        OperatorsView again(workbench);
        QVERIFY(again.restoreState(state));
        again.refreshNow();
        QVERIFY(again.tree().shownColumns() == tree.shownColumns());
        QVERIFY(again.model().grouping() == Grouping::module);
        QVERIFY(!again.restoreState(QByteArray("garbage")));
        QVERIFY(!again.restoreState({}));
        again.tree().resetColumns();
        QVERIFY(again.tree().isColumnHidden(at(OperatorColumn::matrix)));
    }

    void themeChangesTheInk() {
        Workbench workbench(builtIn(), initialScenario());
        OperatorsView view(workbench);
        view.resize(700, 300);
        view.show();
        QVERIFY(QTest::qWaitForWindowExposed(&view));
        const auto ground = [&] { return view.tree().viewport()->grab().toImage().pixelColor(600, 5).lightness(); };
        QVERIFY(ground() > 200);
        applyTheme(ThemeChoice::dark);
        QCoreApplication::processEvents();
        QVERIFY(ground() < 60);
        applyTheme(ThemeChoice::light);
    }
};

QTEST_MAIN(TestOperatorsView)
#include "tst_operators_view.moc"
