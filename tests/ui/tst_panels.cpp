// SPDX-License-Identifier: GPL-3.0-or-later
// Scenario panel, headline figures and details: what they show is what the core computed, and what they write arrives.
#include "warnings.h" // Qt first: moc of Qt 6.4 stumbles over <concepts> otherwise

#include "base/format.h"
#include "panels/details_panel.h"
#include "panels/fact_sheet.h"
#include "panels/headline_bar.h"
#include "panels/picker.h"
#include "panels/scenario_panel.h"
#include "panels/segmented_control.h"
#include "panels/text.h"
#include "simulation/explain.h"
#include "theme/theme.h"
#include "workbench/presets.h"

#include <QCheckBox>
#include <QClipboard>
#include <QDoubleSpinBox>
#include <QLineEdit>
#include <QListView>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QToolButton>

using namespace deltascope;
using namespace deltascope::ui;

namespace {

Catalog builtIn() { return Catalog::load(defaultCatalogFolders(DELTASCOPE_SOURCE_DIR)); }

QString seconds(Seconds time) { return toQString(formatSeconds(time)); }

/// Types `text` over what is in the field and presses Enter.
void enter(QAbstractSpinBox* box, const QString& text) {
    box->setFocus();
    box->selectAll();
    QTest::keyClicks(box, text);
    QTest::keyClick(box, Qt::Key_Return);
}

struct Bench {
    Workbench workbench{builtIn(), initialScenario()};
    ScenarioPanel panel{workbench};

    Bench() {
        panel.resize(292, 640);
        panel.show();
        QVERIFY2(QTest::qWaitForWindowExposed(&panel), "the panel does not show");
    }
    const Simulation& now() { return *workbench.simulation(); }
};

OperatorRef firstOf(const Simulation& simulation, OperatorKind kind) {
    std::optional<OperatorRef> found;
    simulation.forEachOperator([&](OperatorRef ref) {
        if (!found && simulation.op(ref).kind == kind) found = ref;
    });
    return found.value_or(OperatorRef{});
}

} // namespace

class TestPanels : public QObject {
    Q_OBJECT
private slots:
    void initTestCase() { applyTheme(ThemeChoice::light); }
    void init() { failOnWarnings(); }

    void scaleReachesItsEndsAndGoesUpAndDown_data() {
        QTest::addColumn<qint64>("lowest");
        QTest::addColumn<qint64>("highest");
        QTest::addColumn<double>("soft");
        QTest::newRow("query") << qint64(1) << qint64(65536) << 1.0;
        QTest::newRow("context") << qint64(0) << qint64(1010000) << 256.0;
        QTest::newRow("one value") << qint64(3) << qint64(3) << 1.0;
    }
    void scaleReachesItsEndsAndGoesUpAndDown() {
        QFETCH(qint64, lowest);
        QFETCH(qint64, highest);
        QFETCH(double, soft);
        const SliderScale scale = SliderScale::logarithmic(lowest, highest, soft);
        QCOMPARE(scale.lowest(), lowest);
        QCOMPARE(scale.highest(), highest);
        QCOMPARE(scale.fraction(lowest), 0.0);
        QCOMPARE(scale.fraction(highest + 5), lowest == highest ? 0.0 : 1.0);
        for (int i = 0; i < scale.stopCount(); ++i) {
            QCOMPARE(scale.stopAt(scale.fraction(scale.stop(i))), i);
            QCOMPARE(scale.step(scale.stop(i), 1), scale.stop(i + 1));
            QCOMPARE(scale.step(scale.stop(i), -1), scale.stop(i - 1));
            if (i > 0) QVERIFY(scale.stop(i) > scale.stop(i - 1));
        }
    }

    void evenScalePutsStopsAtEvenDistances() {
        const SliderScale scale = SliderScale::even({1, 2, 4, 8});
        QCOMPARE(scale.fraction(1), 0.0);
        QCOMPARE(scale.fraction(2), 1.0 / 3.0);
        QCOMPARE(scale.fraction(3), 0.5);
        QCOMPARE(scale.fraction(32), 1.0);
        QCOMPARE(scale.step(3, 1), 4);
        QCOMPARE(scale.step(3, -1), 2);
        QCOMPARE(scale.nearestStop(5), 2);
    }

    void controlsShowTheScenario() {
        Bench b;
        QCOMPARE(b.panel.picker("model")->currentText(), QStringLiteral("Qwen3.5-27B"));
        QCOMPARE(b.panel.picker("device")->currentText(), QStringLiteral("ATLAS 800 A3 560T 128G DIE"));
        QCOMPARE(b.panel.picker("engine")->currentText(), QStringLiteral("tensorcast"));
        QCOMPARE(b.panel.picker("quantization")->currentText(), QStringLiteral("W8A8 static"));
        QCOMPARE(b.panel.picker("kv_cache")->currentText(), QStringLiteral("BF16"));
        QCOMPARE(b.panel.phaseControl()->current(), 1);
        QCOMPARE(b.panel.numberField("query_length")->spinBox()->value(), 1);
        QCOMPARE(b.panel.numberField("context_length")->spinBox()->text(), QStringLiteral("4,096"));
        QCOMPARE(b.panel.numberField("queries")->amount(), 1);
        QCOMPARE(b.panel.numberField("tp")->amount(), 2);
        QCOMPARE(b.panel.numberField("mtp_tokens")->amount(), 0);
        QVERIFY(!b.panel.fieldOf("accepted_length")->isVisible());

        Scenario next = b.workbench.scenario();
        next.model = "Qwen3.5-9B";
        next.phase = Phase::prefill;
        next.queryLength = 3510;
        next.contextLength = 1010000;
        next.queries = 1000; // beyond the slider
        next.parallel.tp = 1;
        next.quantization.kvCache = KvDType::int8;
        next.allFull = true;
        b.workbench.edit(next, QStringLiteral("all"));
        QCOMPARE(b.panel.picker("model")->currentKey(), QStringLiteral("Qwen3.5-9B"));
        QCOMPARE(b.panel.phaseControl()->current(), 0);
        QCOMPARE(b.panel.numberField("query_length")->spinBox()->text(), QStringLiteral("3,510"));
        QCOMPARE(b.panel.numberField("query_length")->slider()->amount(), 3510);
        QCOMPARE(b.panel.numberField("context_length")->spinBox()->text(), QStringLiteral("1,010,000"));
        QCOMPARE(b.panel.numberField("queries")->spinBox()->value(), 1000);
        QCOMPARE(b.panel.picker("kv_cache")->currentText(), QStringLiteral("INT8"));
        QVERIFY(b.panel.allFullBox()->isChecked());
    }

    void movingASliderChangesTheResultAtOnce() {
        Bench b;
        const double before = b.now().totals.time.value();
        ValueSlider* slider = b.panel.numberField("context_length")->slider();
        QTest::mouseClick(slider, Qt::LeftButton, {}, QPoint(slider->width() - 3, 9));
        QCOMPARE(*b.workbench.scenario().contextLength, 1010000);
        QVERIFY(b.now().totals.time.value() > before);
        QCOMPARE(b.panel.numberField("context_length")->spinBox()->value(), 1010000);

        slider = b.panel.numberField("queries")->slider();
        QTest::mousePress(slider, Qt::LeftButton, {}, QPoint(10, 9));
        for (int x = 20; x < 150; x += 10) QTest::mouseMove(slider, QPoint(x, 9));
        QTest::mouseRelease(slider, Qt::LeftButton, {}, QPoint(150, 9));
        const std::int64_t requests = b.workbench.scenario().queries;
        QVERIFY(requests > 4 && requests < 128);
        QCOMPARE(b.panel.numberField("queries")->spinBox()->value(), static_cast<int>(requests));
        QCOMPARE(b.now().scenario.requestCount, requests);
        // One drag, one step of undo.
        b.workbench.undoStack().undo();
        QCOMPARE(b.workbench.scenario().queries, 1);
        QCOMPARE(b.panel.numberField("queries")->spinBox()->value(), 1);
    }

    void keysMoveASlider() {
        Bench b;
        ValueSlider* slider = b.panel.numberField("mtp_tokens")->slider();
        slider->setFocus();
        QTest::keyClick(slider, Qt::Key_Right);
        QTest::keyClick(slider, Qt::Key_Right);
        QCOMPARE(b.workbench.scenario().mtpTokens, 2);
        QTest::keyClick(slider, Qt::Key_End);
        QCOMPARE(b.workbench.scenario().mtpTokens, 8);
        QTest::keyClick(slider, Qt::Key_Home);
        QCOMPARE(b.workbench.scenario().mtpTokens, 0);
    }

    void theWheelScrollsThePanelAndChangesNothing() {
        Bench b;
        b.panel.picker("model")->setFocus();
        for (QWidget* over : {static_cast<QWidget*>(b.panel.numberField("queries")->slider()),
                              static_cast<QWidget*>(b.panel.numberField("queries")->spinBox()),
                              static_cast<QWidget*>(b.panel.picker("device"))}) {
            QWheelEvent wheel({5, 5}, over->mapToGlobal(QPointF(5, 5)), {}, {0, -120}, Qt::NoButton, Qt::NoModifier,
                              Qt::NoScrollPhase, false);
            QApplication::sendEvent(over, &wheel);
        }
        QVERIFY(b.workbench.scenario() == initialScenario());
    }

    void exactEntryTakesSeparatorsAndSuffixes() {
        Bench b;
        CountSpinBox* box = b.panel.numberField("context_length")->spinBox();
        enter(box, QStringLiteral("12,345"));
        QCOMPARE(*b.workbench.scenario().contextLength, 12345);
        enter(box, QStringLiteral("64k"));
        QCOMPARE(*b.workbench.scenario().contextLength, 65536);
        QCOMPARE(box->text(), QStringLiteral("65,536"));
        QTest::keyClick(box, Qt::Key_Up);
        QCOMPARE(*b.workbench.scenario().contextLength, 73728); // an eighth of an octave
        enter(b.panel.numberField("queries")->spinBox(), QStringLiteral("4096"));
        QCOMPARE(b.workbench.scenario().queries, 4096);
        QVERIFY(!b.workbench.refusal());
    }

    void aRefusalStandsBesideTheControlAndTheLastResultStays() {
        Bench b;
        HeadlineBar headline(b.workbench);
        DetailsPanel details(b.workbench);
        headline.show();
        details.show();
        const QString time = headline.stepTime()->valueText();
        QVERIFY(!isDimmed(&headline));

        NumberField* tp = b.panel.numberField("tp");
        enter(tp->spinBox(), QStringLiteral("32"));
        headline.refreshNow();
        details.refreshNow();
        QVERIFY(b.workbench.refusal().has_value());
        QVERIFY(tp->problemLabel()->isVisible());
        QVERIFY(tp->problem().contains(QStringLiteral("16 linear-attention key heads")));
        QVERIFY(tp->problem().contains(QStringLiteral("1, 2, 4 or 8")));
        QCOMPARE(tp->spinBox()->value(), 32); // what was asked for stays
        QCOMPARE(headline.stepTime()->valueText(), time);
        QVERIFY(isDimmed(&headline));
        QVERIFY(isDimmed(details.widget()));
        QVERIFY(!b.panel.otherProblem()->isVisible());
        for (const char* other : {"model", "device", "queries", "context_length", "quantization"})
            QVERIFY2(b.panel.fieldOf(other)->problem().isEmpty(), other);

        enter(tp->spinBox(), QStringLiteral("4"));
        headline.refreshNow();
        QVERIFY(!tp->problemLabel()->isVisible());
        QVERIFY(!isDimmed(&headline));
        QCOMPARE(headline.stepTime()->valueText(), seconds(b.now().totals.time));
    }

    void eachRefusalFindsItsControl_data() {
        QTest::addColumn<QString>("field");
        QTest::addColumn<QString>("typed");
        QTest::newRow("context") << QStringLiteral("context_length") << QStringLiteral("2,000,000");
        QTest::newRow("context 0 in decode") << QStringLiteral("context_length") << QStringLiteral("0");
        QTest::newRow("query") << QStringLiteral("query_length") << QStringLiteral("0");
        QTest::newRow("requests") << QStringLiteral("queries") << QStringLiteral("4097");
        QTest::newRow("mtp") << QStringLiteral("mtp_tokens") << QStringLiteral("9");
        QTest::newRow("tp") << QStringLiteral("tp") << QStringLiteral("3");
        QTest::newRow("layers") << QStringLiteral("layers") << QStringLiteral("65");
    }
    void eachRefusalFindsItsControl() {
        QFETCH(QString, field);
        QFETCH(QString, typed);
        Bench b;
        b.panel.setMoreOpen(true);
        NumberField* control = b.panel.numberField(field.toStdString());
        QVERIFY(control != nullptr);
        const auto before = b.workbench.simulation();
        enter(control->spinBox(), typed);
        QVERIFY(b.workbench.refusal().has_value());
        QVERIFY(control->problemLabel()->isVisible());
        QVERIFY(!control->problem().isEmpty());
        QCOMPARE(control->spinBox()->text(), typed.size() == 4 ? QStringLiteral("4,097") : typed);
        QVERIFY(b.workbench.simulation() == before);
    }

    void aRefusalWithoutAControlIsSaidAtTheTop() {
        Bench b;
        Scenario next = b.workbench.scenario();
        next.outputLength = 0;
        b.workbench.edit(next, QStringLiteral("output length"));
        QVERIFY(b.workbench.refusal().has_value());
        QVERIFY(b.panel.otherProblem()->isVisible());
        QVERIFY(b.panel.otherProblem()->text().contains(QStringLiteral("output_length")));
    }

    void theCheckpointsOwnSchemeIsOfferedWhereThereIsOne() {
        Bench b;
        const auto keys = [&] {
            QStringList found;
            for (const PickerEntry& entry : b.panel.picker("quantization")->entries()) found << entry.key;
            return found;
        };
        QVERIFY(!keys().contains(QStringLiteral("CHECKPOINT")));
        Scenario next = b.workbench.scenario();
        next.quantization.checkpoint = true; // 27B names no quantization of its own
        b.workbench.edit(next, QStringLiteral("checkpoint"));
        QVERIFY(b.workbench.refusal().has_value());
        QCOMPARE(b.workbench.refusal()->subject, std::string("quantization"));
        QVERIFY(keys().contains(QStringLiteral("CHECKPOINT")));
        QCOMPARE(b.panel.picker("quantization")->currentKey(), QStringLiteral("CHECKPOINT"));
    }

    void whatTheModelHasNoUseForIsHidden() {
        Bench b;
        b.panel.setMoreOpen(true);
        for (const char* subject : {"expert_quantization", "ep", "routing_skew"})
            QVERIFY(b.panel.fieldOf(subject)->isHidden()); // 27B is dense
        QVERIFY(!b.panel.fieldOf("image")->isHidden());    // and sees
        Scenario next = b.workbench.scenario();
        next.model = "Qwen3-30B-A3B"; // experts, no eyes
        b.workbench.edit(next, QStringLiteral("model"));
        QVERIFY(!b.workbench.refusal());
        for (const char* subject : {"expert_quantization", "ep", "routing_skew"})
            QVERIFY(!b.panel.fieldOf(subject)->isHidden());
        for (const char* subject : {"image", "image height", "image width", "vision_tp"})
            QVERIFY(b.panel.fieldOf(subject)->isHidden());
    }

    /// Expert parallelism of 2 needs two ranks: on the two of TP 2 it brings all-to-alls, on one it is refused in
    /// place.
    void expertParallelismFromItsControl() {
        Bench b;
        b.panel.setMoreOpen(true);
        Scenario next = b.workbench.scenario();
        next.model = "Qwen3.5-35B-A3B";
        b.workbench.edit(next, QStringLiteral("model"));
        QVERIFY(!b.workbench.refusal());
        enter(b.panel.numberField("ep")->spinBox(), QStringLiteral("2"));
        QVERIFY(!b.workbench.refusal());
        QCOMPARE(b.workbench.simulation()->scenario.scenario.parallel.ep, std::int64_t(2));
        bool exchanges = false;
        for (const KindSummary& kind : b.workbench.simulation()->byKind)
            exchanges |= kind.kind == OperatorKind::all_to_all;
        QVERIFY(exchanges);
        enter(b.panel.numberField("tp")->spinBox(), QStringLiteral("1"));
        QVERIFY(b.workbench.refusal().has_value());
        QVERIFY(b.panel.numberField("ep")->problemLabel()->isVisible());
    }

    /// A full-HD image is 2,040 tokens and two that frame it.
    void imagesJoinThePrompt() {
        Bench b;
        b.panel.setMoreOpen(true);
        b.panel.phaseControl()->chosen(0);
        enter(b.panel.numberField("query_length")->spinBox(), QStringLiteral("30"));
        enter(b.panel.numberField("image")->spinBox(), QStringLiteral("1"));
        QVERIFY(!b.workbench.refusal());
        QCOMPARE(b.workbench.simulation()->scenario.tokens, std::int64_t(30 + 2042));
        QCOMPARE(b.workbench.simulation()->parts.front().part, Part::vision);
    }

    void aSchemeWithoutRateIsRefusedAtItsPicker() {
        Bench b;
        Scenario next = b.workbench.scenario();
        next.quantization.linear = Scheme::mxfp4;
        b.workbench.edit(next, QStringLiteral("MXFP4"));
        QCOMPARE(b.panel.picker("quantization")->currentText(), QStringLiteral("MXFP4"));
        QVERIFY(b.panel.fieldOf("quantization")->problemLabel()->isVisible());
    }

    void tensorParallelStopsAtTheSizesThatDivide() {
        Bench b;
        const auto check = [&] {
            const auto model = b.workbench.catalog().findModel(b.workbench.scenario().model);
            const auto sizes = tensorParallelSizes(*model, b.workbench.scenario().allFull);
            const SliderScale& scale = b.panel.numberField("tp")->slider()->scale();
            QCOMPARE(scale.stopCount(), static_cast<int>(sizes.size()));
            for (int i = 0; i < scale.stopCount(); ++i) QCOMPARE(scale.stop(i), sizes[static_cast<std::size_t>(i)]);
        };
        check();
        Scenario next = b.workbench.scenario();
        next.model = "Qwen3-32B";
        b.workbench.edit(next, QStringLiteral("Qwen3-32B"));
        check();
        QTest::mouseClick(b.panel.allFullBox(), Qt::LeftButton, {}, QPoint(8, b.panel.allFullBox()->height() / 2));
        check();
    }

    void queryLengthFollowsTheDraftUntilSetByHand() {
        Bench b;
        NumberField* query = b.panel.numberField("query_length");
        enter(b.panel.numberField("mtp_tokens")->spinBox(), QStringLiteral("3"));
        QCOMPARE(query->spinBox()->value(), 4);
        QVERIFY(!b.workbench.scenario().queryLength);
        QVERIFY(!b.panel.followButton()->isVisible());

        enter(query->spinBox(), QStringLiteral("7"));
        QCOMPARE(*b.workbench.scenario().queryLength, 7);
        QVERIFY(b.now().step.rule == Rule::chunk);
        QVERIFY(b.panel.followButton()->isVisible());
        QVERIFY(b.panel.followButton()->text().contains(QStringLiteral("chunk rule")));
        enter(b.panel.numberField("mtp_tokens")->spinBox(), QStringLiteral("2"));
        QCOMPARE(query->spinBox()->value(), 7);

        b.panel.followButton()->click();
        QCOMPARE(query->spinBox()->value(), 3);
        QVERIFY(!b.workbench.scenario().queryLength);
        QVERIFY(b.now().step.rule == Rule::recurrent);
    }

    void acceptanceShowsWithDraftsOnly() {
        Bench b;
        Field* field = b.panel.fieldOf("accepted_length");
        enter(b.panel.numberField("mtp_tokens")->spinBox(), QStringLiteral("3"));
        QVERIFY(field->isVisible());
        QCOMPARE(b.panel.acceptedLengthBox()->value(), b.now().scenario.tokensPerStep);
        QCOMPARE(b.panel.acceptedLengthBox()->maximum(), 4.0);
        enter(b.panel.acceptedLengthBox(), QStringLiteral("2.5"));
        QCOMPARE(*b.workbench.scenario().acceptedLength, 2.5);
        QCOMPARE(b.now().scenario.tokensPerStep, 2.5);
        enter(b.panel.numberField("mtp_tokens")->spinBox(), QStringLiteral("1"));
        QCOMPARE(*b.workbench.scenario().acceptedLength, 2.0); // never more than can be
        QVERIFY(!b.workbench.refusal());
        enter(b.panel.numberField("mtp_tokens")->spinBox(), QStringLiteral("0"));
        QVERIFY(!field->isVisible());
        QVERIFY(!b.workbench.scenario().acceptedLength);
    }

    void aPhaseGoesBackToItsLengths() {
        Bench b;
        enter(b.panel.numberField("context_length")->spinBox(), QStringLiteral("9000"));
        const auto choose = [&](int index) { emit b.panel.phaseControl()->chosen(index); };
        choose(0);
        QVERIFY(b.workbench.scenario().phase == Phase::prefill);
        QCOMPARE(b.panel.numberField("query_length")->spinBox()->value(), 1024);
        QCOMPARE(b.panel.numberField("context_length")->spinBox()->value(), 0);
        enter(b.panel.numberField("query_length")->spinBox(), QStringLiteral("3510"));
        choose(1);
        QCOMPARE(b.panel.numberField("query_length")->spinBox()->value(), 1);
        QCOMPARE(b.panel.numberField("context_length")->spinBox()->value(), 9000);
        choose(0);
        QCOMPARE(b.panel.numberField("query_length")->spinBox()->value(), 3510);
    }

    void segmentsAnswerToMouseAndKeys() {
        Bench b;
        const auto segments = b.panel.phaseControl()->findChildren<QAbstractButton*>();
        QCOMPARE(segments.size(), 2);
        QTest::mouseClick(segments[0], Qt::LeftButton);
        QVERIFY(b.workbench.scenario().phase == Phase::prefill);
        segments[0]->setFocus();
        QTest::keyClick(segments[0], Qt::Key_Right);
        QVERIFY(b.workbench.scenario().phase == Phase::decode);
    }

    void pickersListTheCatalogAndMarkWhatIsUnsupported() {
        Bench b;
        const Catalog& catalog = b.workbench.catalog();
        QCOMPARE(b.panel.picker("model")->entries().size(), catalog.models().size());
        QCOMPARE(b.panel.picker("device")->entries().size(), catalog.devices().size());
        QCOMPARE(b.panel.picker("engine")->entries().size(), catalog.engines().size());
        for (const PickerEntry& entry : b.panel.picker("model")->entries()) {
            Scenario plain;
            plain.model = entry.key.toStdString();
            const auto result = simulate(catalog, plain);
            const bool unsupported = !result && result.error().code == ErrorCode::unsupported;
            QCOMPARE(entry.mark.contains(QStringLiteral("not yet supported")), unsupported);
            QVERIFY(!entry.facts.isEmpty());
            QVERIFY(!entry.group.isEmpty());
        }
    }

    void aPickerIsSearchedAndPickedFromByKeys() {
        Bench b;
        Picker* picker = b.panel.picker("model");
        picker->setFocus();
        picker->showPopup();
        QVERIFY(picker->popup() != nullptr);
        auto* search = picker->popup()->findChild<QLineEdit*>();
        auto* list = picker->popup()->findChild<QListView*>();
        QVERIFY(search->hasFocus());
        QTest::keyClicks(search, QStringLiteral("3.5 9B"));
        int shown = 0;
        for (int row = 0; row < list->model()->rowCount(); ++row) shown += !list->isRowHidden(row);
        QCOMPARE(shown, 2); // the family's heading and the one model
        QTest::keyClick(search, Qt::Key_Return);
        QCOMPARE(b.workbench.scenario().model, std::string("Qwen3.5-9B"));
        QCOMPARE(picker->currentText(), QStringLiteral("Qwen3.5-9B"));
        QTRY_VERIFY(picker->popup() == nullptr);

        picker->showPopup();
        QTest::keyClick(picker->popup()->findChild<QLineEdit*>(), Qt::Key_Escape);
        QTRY_VERIFY(picker->popup() == nullptr);
        QCOMPARE(b.workbench.scenario().model, std::string("Qwen3.5-9B"));
        QTest::keyClick(picker, Qt::Key_Down); // closed, it still steps through
        QVERIFY(b.workbench.scenario().model != "Qwen3.5-9B");
    }

    void aListOfRequestsReplacesTheStepsControls() {
        Bench b;
        Scenario next = b.workbench.scenario();
        next.requests = {{2, 1, 4096, {}, {}}, {1, 1, 100, {}, {}}};
        b.workbench.edit(next, QStringLiteral("list"));
        QVERIFY(!b.workbench.refusal());
        QVERIFY(!b.panel.numberField("queries")->isVisible());
        const auto plain = b.panel.findChildren<QToolButton*>();
        QToolButton* use = nullptr;
        for (QToolButton* button : plain)
            if (button->text() == QStringLiteral("Use sliders")) use = button;
        QVERIFY(use != nullptr && use->isVisible());
        use->click();
        QVERIFY(b.workbench.scenario().requests.empty());
        QVERIFY(b.panel.numberField("queries")->isVisible());
    }

    void sliderMarksWhereMemoryRunsOut() {
        Bench b;
        Scenario next = b.workbench.scenario();
        next.queries = 64;
        b.workbench.edit(next, QStringLiteral("64"));
        ValueSlider* slider = b.panel.numberField("context_length")->slider();
        QTRY_VERIFY(slider->limit().has_value());
        next.contextLength = *slider->limit();
        QVERIFY(simulate(b.workbench.catalog(), next)->memory.free() < Bytes(0.0));
        next.contextLength = slider->scale().step(*slider->limit(), -1);
        QVERIFY(simulate(b.workbench.catalog(), next)->memory.free() >= Bytes(0.0));
    }

    /// The figure, the bar and the verdict count the same bytes: those that the engine sets aside.
    void headlineCountsWhatTheEngineTakes() {
        Scenario scenario = initialScenario();
        scenario.engine = "vllm-ascend";
        Workbench workbench(builtIn(), scenario);
        HeadlineBar headline(workbench);
        headline.show();
        headline.refreshNow();
        const MemoryReport& memory = workbench.simulation()->memory;
        QVERIFY(memory.used().value() > memory.ideal.total().value() + 1e9);
        const double shown = headline.memory()->valueText().section(QStringLiteral(" / "), 0, 0).toDouble();
        QVERIFY(std::abs(shown - memory.used().value() / (1 << 30)) < 0.051);
        double sum = 0.0;
        for (const ShareBar::Piece& piece : headline.memoryBar()->pieces()) sum += piece.value;
        QVERIFY(std::abs(sum / memory.limit.value() - 1.0) < 1e-9);
    }

    void headlineShowsWhatTheCoreComputed() {
        Workbench workbench(builtIn(), initialScenario());
        HeadlineBar headline(workbench);
        headline.resize(980, 90);
        headline.show();
        const auto check = [&] {
            headline.refreshNow();
            const Simulation& s = *workbench.simulation();
            QCOMPARE(headline.stepTime()->valueText(), seconds(s.totals.time));
            const bool decode = s.scenario.scenario.phase == Phase::decode;
            QCOMPARE(headline.latency()->accessibleName(), decode ? QStringLiteral("TPOT") : QStringLiteral("TTFT"));
            QCOMPARE(headline.latency()->valueText(),
                     seconds(decode ? s.totals.time / s.scenario.tokensPerStep : s.totals.time));
            QVERIFY(headline.throughput()->valueText().endsWith(QStringLiteral("tok/s")));
            const double shown =
                headline.throughput()->valueText().remove(QLatin1Char(',')).section(' ', 0, 0).toDouble();
            QVERIFY(std::abs(shown / s.totals.tokensPerSecondPerDevice - 1.0) < 0.005);
            const double needed = headline.memory()->valueText().section(QStringLiteral(" / "), 0, 0).toDouble();
            QVERIFY(std::abs(needed - s.memory.used().value() / (1 << 30)) < 0.051);
            QCOMPARE(headline.shares()->pieces()[0].value, s.totals.shareCompute);
            QCOMPARE(headline.shares()->pieces()[1].value, s.totals.shareMemory);
            QCOMPARE(headline.shares()->pieces()[2].value, s.totals.shareCommunication);
            QCOMPARE(headline.shares()->pieces()[3].value, s.totals.shareLaunch);
            QVERIFY(headline.ruleChip()->text().startsWith(toQString(nameOf(s.step.rule))));
            QVERIFY(headline.convChip()->text().endsWith(toQString(nameOf(s.step.conv))));
            QCOMPARE(headline.provenanceChip()->text(), QStringLiteral("roofline"));
        };
        check();
        QVERIFY(headline.stepTime()->ghostText().isEmpty());
        QVERIFY(headline.stepTime()->differenceText().isEmpty());
        Scenario next = workbench.scenario();
        next.mtpTokens = 3;
        next.acceptedLength = 2.5;
        workbench.edit(next, QStringLiteral("MTP"));
        check();
        next.phase = Phase::prefill;
        next.mtpTokens = 0;
        next.acceptedLength.reset();
        next.queryLength = 3510;
        workbench.edit(next, QStringLiteral("prefill"));
        check();
    }

    void anEngineOfOneDeviceOffersOneRank() {
        Bench b;
        QVERIFY(b.panel.numberField("tp")->slider()->scale().highest() > 1);
        Scenario next = b.workbench.scenario();
        next.engine = "mnn";
        next.parallel.tp = 1;
        next.quantization.linear = Scheme::w4a8Dynamic;
        b.workbench.edit(next, QStringLiteral("edge"));
        QCOMPARE(b.panel.numberField("tp")->slider()->scale().highest(), 1);
        next.parallel.tp = 2; // typed
        b.workbench.edit(next, QStringLiteral("two"));
        QVERIFY(b.panel.fieldOf("tp")->problem().contains(QStringLiteral("one device")));
        QCOMPARE(b.panel.numberField("tp")->spinBox()->text(), QStringLiteral("2"));
    }

    void hostModesAreCompared() {
        Bench b;
        QVERIFY(b.panel.fieldOf("host")->isHidden()); // tensorcast has none
        Scenario next = b.workbench.scenario();
        next.model = "Qwen3.5-0.8B";
        next.engine = "vllm-ascend";
        next.phase = Phase::decode;
        next.mtpTokens = 0;
        next.acceptedLength.reset();
        b.workbench.edit(next, QStringLiteral("engine"));
        Picker* host = b.panel.picker("host");
        QVERIFY(!b.panel.fieldOf("host")->isHidden());
        QCOMPARE(host->currentKey(), QStringLiteral("full_decode_only")); // the engine's own
        QVERIFY(b.panel.fieldOf("engine")->toolTip().contains(QStringLiteral("seven kernels")));
        QVERIFY(b.panel.fieldOf("engine")->toolTip().contains(QStringLiteral("25.00 µs per kernel")));
        HeadlineBar headline(b.workbench);
        headline.show();
        headline.refreshNow();
        QCOMPARE(headline.shares()->pieces().size(), std::size_t{4});
        emit host->picked(QStringLiteral("eager"));
        headline.refreshNow();
        QVERIFY(b.workbench.scenario().host == HostMode::eager);
        const Simulation& s = *b.workbench.simulation();
        QVERIFY(s.totals.shareHost > 0.2);
        QCOMPARE(headline.shares()->pieces()[4].value, s.totals.shareHost);
        QVERIFY(headline.stepTime()->toolTip().contains(seconds(s.totals.hostWait)));
        b.workbench.undoStack().undo();
        QCOMPARE(host->currentKey(), QStringLiteral("full_decode_only"));
    }

    void provenanceStaysInSight() {
        Workbench workbench(builtIn(), initialScenario());
        HeadlineBar headline(workbench);
        headline.show();
        Scenario next = workbench.scenario();
        next.device = "NVIDIA_H100_SXM";
        next.engine = "vllm-cuda";
        next.quantization.linear = Scheme::bf16;
        workbench.edit(next, QStringLiteral("calibrated"));
        headline.refreshNow();
        const Totals& t = workbench.simulation()->totals;
        const QString share =
            toQString(formatShare(t.shareProvenance[static_cast<std::size_t>(Provenance::calibrated)]));
        QCOMPARE(headline.provenanceChip()->text(), QStringLiteral("calibrated ") + share);
        QVERIFY(headline.provenanceChip()->toolTip().contains(QStringLiteral("roofline")));
        QVERIFY(headline.stepTime()->toolTip().contains(QStringLiteral("Likely range")));
        next.calibration = false;
        workbench.edit(next, QStringLiteral("roofline"));
        headline.refreshNow();
        QCOMPARE(headline.provenanceChip()->text(), QStringLiteral("roofline"));
    }

    void headlineShowsTheBaselineAndTheSignedDifference() {
        Workbench workbench(builtIn(), initialScenario());
        HeadlineBar headline(workbench);
        headline.show();
        workbench.pinBaseline();
        headline.refreshNow();
        QVERIFY(headline.stepTime()->ghostText().contains(seconds(workbench.baseline()->totals.time)));
        QCOMPARE(headline.stepTime()->differenceText(), QStringLiteral("±0 %"));
        QCOMPARE(headline.stepTime()->differenceColor(), theme().mutedText);

        Scenario next = workbench.scenario();
        next.quantization.linear = Scheme::w4a8Static;
        workbench.edit(next, QStringLiteral("W4A8"));
        headline.refreshNow();
        const double a = workbench.baseline()->totals.time.value();
        const double b = workbench.simulation()->totals.time.value();
        QVERIFY(b < a);
        QVERIFY(headline.stepTime()->differenceText().contains(QStringLiteral("−")));
        QVERIFY(headline.stepTime()->differenceText().contains(QString::number((1.0 - b / a) * 100.0, 'f', 1)));
        QCOMPARE(headline.stepTime()->differenceColor(), theme().faster);
        QCOMPARE(headline.throughput()->differenceColor(), theme().faster); // more of it
        QVERIFY(headline.throughput()->differenceText().contains(QLatin1Char('+')));
        QVERIFY(headline.memory()->differenceText().contains(QStringLiteral("−")));

        workbench.swapWithBaseline();
        headline.refreshNow();
        QVERIFY(headline.stepTime()->differenceText().contains(QLatin1Char('+')));
        QCOMPARE(headline.stepTime()->differenceColor(), theme().slower);
        workbench.clearBaseline();
        headline.refreshNow();
        QVERIFY(headline.stepTime()->ghostText().isEmpty());
    }

    void shareBarPiecesFillTheBar() {
        const std::vector<ShareBar::Piece> pieces{
            {{}, 0.7, Qt::red, {}}, {{}, 0.0, Qt::green, {}}, {{}, 0.3, Qt::blue, {}}};
        const auto boxes = ShareBar::layOut(pieces, QRectF(0, 0, 100, 10));
        QCOMPARE(boxes.size(), std::size_t(2));
        QCOMPARE(boxes[0].rect.width(), 70.0);
        QCOMPARE(boxes[1].piece, std::size_t(2));
        QCOMPARE(boxes[1].rect.right(), 100.0);
        QVERIFY(ShareBar::layOut({}, QRectF(0, 0, 100, 10)).empty());
        QVERIFY(ShareBar::layOut({{{}, -1.0, Qt::red, {}}}, QRectF(0, 0, 100, 10)).empty());
    }

    void notesDoNotWidenThePanel() {
        Bench b;
        const Catalog catalog = builtIn();
        for (const auto& engine : catalog.engines()) {
            Scenario scenario = b.workbench.scenario();
            scenario.engine = engine->name;
            scenario.parallel.tp = 1;
            b.workbench.edit(scenario, QStringLiteral("engine"));
            QVERIFY2(b.panel.fieldOf("engine")->minimumSizeHint().width() <= 268, engine->name.c_str());
        }
    }

    /// A prompt under an engine without a chunk rule: why the recurrent one runs is the engine, not previous state.
    void detailsOfAnEngineThatGoesTokenByToken() {
        Workbench workbench(builtIn(), initialScenario());
        Scenario scenario = workbench.scenario();
        scenario.model = "Qwen3.5-4B";
        scenario.device = "RASPBERRY_PI_5_8GB";
        scenario.engine = "mnn";
        scenario.phase = Phase::prefill;
        scenario.parallel.tp = 1;
        scenario.quantization.linear = Scheme::w4a8Dynamic;
        workbench.edit(scenario, QStringLiteral("edge"));
        QVERIFY(!workbench.refusal());
        DetailsPanel details(workbench);
        details.show();
        details.refreshNow();
        QVERIFY(details.plainText().contains(QStringLiteral("goes token by token, in prefill too")));
        QVERIFY(!details.plainText().contains(QStringLiteral("previous state, and")));
        QCOMPARE(factsOf(*workbench.simulation()->scenario.engine),
                 QStringLiteral("fused norms · token by token · roofline"));
    }

    void detailsExplainTheSelection() {
        Workbench workbench(builtIn(), initialScenario());
        DetailsPanel details(workbench);
        details.resize(276, 600);
        details.show();
        details.refreshNow();
        QCOMPARE(details.titleText(), QStringLiteral("The step"));
        QString text = details.plainText();
        QVERIFY(text.contains(seconds(workbench.simulation()->totals.time)));
        QVERIFY(text.contains(QStringLiteral("48 linear, 16 full")));
        QVERIFY(text.contains(QStringLiteral("recurrent rule")));
        for (const std::string& note : workbench.simulation()->notes) QVERIFY(text.contains(toQString(note)));
        QVERIFY(!details.bytesBar()->isVisible());

        const OperatorRef ref = firstOf(*workbench.simulation(), OperatorKind::linear_attn_recurrent_gated_delta_rule);
        workbench.select(ref);
        details.refreshNow();
        const Explanation e = explain(*workbench.simulation(), ref);
        text = details.plainText();
        QCOMPARE(details.titleText(), toQString(e.title));
        QVERIFY(text.contains(toQString(e.path)));
        QVERIFY(text.contains(toQString(e.what)));
        for (const auto* lines : {&e.time, &e.work, &e.values})
            for (const ExplanationLine& line : *lines)
                QVERIFY2(text.contains(toQString(line.result)), line.label.c_str());
        for (const std::string& shape : e.shapes) QVERIFY(text.contains(toQString(shape)));
        QVERIFY(text.contains(QStringLiteral("in all 48 such layers")));
        QVERIFY(details.bytesBar()->isVisible());
        const Work& work = workbench.simulation()->cost(ref).work;
        QCOMPARE(details.bytesBar()->pieces()[0].value, work.read.value());

        workbench.pinBaseline();
        Scenario next = workbench.scenario();
        next.queries = 16;
        workbench.edit(next, QStringLiteral("16"));
        details.refreshNow();
        text = details.plainText();
        QVERIFY(text.contains(seconds(workbench.baseline()->cost(ref).total)));
        QVERIFY(text.contains(toQString(
            formatSecondsDifference(workbench.simulation()->cost(ref).total - workbench.baseline()->cost(ref).total))));
        // Rows are selected and copied, by keys and with the mouse.
        FactSheet* facts = details.facts();
        facts->setFocus();
        QTest::keyClick(facts, Qt::Key_A, Qt::ControlModifier);
        QCOMPARE(facts->selectedText(), facts->plainText());
        QTest::mouseClick(facts, Qt::LeftButton, {}, QPoint(20, 5));
        QCOMPARE(facts->selectedText(),
                 QStringLiteral("time\t%1").arg(seconds(workbench.simulation()->cost(ref).total)));
        QTest::keyClick(facts, Qt::Key_Down, Qt::ShiftModifier);
        QVERIFY(facts->selectedText().contains(QStringLiteral("share of step")));
        QTest::keyClick(facts, Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QGuiApplication::clipboard()->text(), facts->selectedText());
    }

    void sheetLinesBreakAndNothingIsLost() {
        const QFontMetrics metrics(QApplication::font());
        const QString text = QStringLiteral("the quick brown fox jumps over a_very_long_name_without_any_blank_at_all");
        const int width = metrics.horizontalAdvance(QStringLiteral("the quick brown"));
        const QStringList lines = brokenLines(text, metrics, width);
        QVERIFY(lines.size() > 3);
        for (const QString& line : lines) QVERIFY(metrics.horizontalAdvance(line) <= width);
        QCOMPARE(lines.join(QString()).remove(QLatin1Char(' ')), QString(text).remove(QLatin1Char(' ')));
        QCOMPARE(brokenLines({}, metrics, width), QStringList{QString()});

        FactSheet sheet;
        sheet.setRows({{SheetRow::Kind::sentence, text, {}, {}, {}, 0}});
        QVERIFY(sheet.heightForWidth(100) > sheet.heightForWidth(1000));
    }

    void everyControlHasANameATooltipAndAPlaceInTheTabChain() {
        Bench b;
        b.panel.setMoreOpen(true);
        Scenario next = b.workbench.scenario();
        next.mtpTokens = 2;
        next.queryLength = 9;
        b.workbench.edit(next, QStringLiteral("all controls"));
        QCoreApplication::processEvents();
        QSet<QWidget*> reached;
        QWidget* at = b.panel.picker("model");
        for (int i = 0; i < 400 && !reached.contains(at); ++i) {
            reached << at;
            do at = at->nextInFocusChain();
            while (!(at->isVisible() && at->isEnabled() && (at->focusPolicy() & Qt::TabFocus)));
        }
        int controls = 0;
        for (QWidget* widget : b.panel.widget()->findChildren<QWidget*>()) {
            const bool control = qobject_cast<QAbstractButton*>(widget) || qobject_cast<QAbstractSlider*>(widget) ||
                                 qobject_cast<QAbstractSpinBox*>(widget) || qobject_cast<QComboBox*>(widget);
            if (!control || !widget->isVisible() || qobject_cast<QScrollBar*>(widget)) continue;
            ++controls;
            QVERIFY2(!widget->accessibleName().isEmpty(), widget->metaObject()->className());
            QVERIFY2(!widget->toolTip().isEmpty(), qPrintable(widget->accessibleName()));
            // Of a group of buttons one has the tab stop and the arrow keys reach the others.
            auto* button = qobject_cast<QAbstractButton*>(widget);
            if (button != nullptr && button->group() != nullptr && !button->isChecked()) continue;
            QVERIFY2(reached.contains(widget), qPrintable(widget->accessibleName()));
        }
        QVERIFY(controls >= 20);
    }
};

QTEST_MAIN(TestPanels)
#include "tst_panels.moc"
