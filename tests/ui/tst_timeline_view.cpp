// SPDX-License-Identifier: GPL-3.0-or-later
// The Timeline tab on a real step: what mouse and keyboard do to range and workbench, what cards and summaries say.
#include "timeline/timeline_view.h"

#include "base/format.h"
#include "theme/theme.h"
#include "timeline/hover_card.h"
#include "timeline/kind_bar.h"
#include "timeline/legend.h"
#include "timeline/memory_curve.h"
#include "timeline/overview_strip.h"
#include "timeline/ruler.h"
#include "timeline/selection_summary.h"
#include "timeline/timeline_widget.h"
#include "ui/warnings.h"

#include <QAction>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>
#include <memory>

using namespace deltascope;
using namespace deltascope::ui;

namespace {

const Catalog& builtIn() {
    static const Catalog catalog = Catalog::load({{DELTASCOPE_SOURCE_DIR, Origin::builtIn}});
    return catalog;
}

Scenario prefill(Scheme scheme = Scheme::w8a8Static) {
    Scenario scenario;
    scenario.phase = Phase::prefill;
    scenario.queryLength = 3510;
    scenario.contextLength = 0;
    scenario.quantization.linear = scheme;
    scenario.parallel.tp = 2;
    return scenario;
}

void wheel(QWidget& widget, QPointF position, QPoint angle, Qt::KeyboardModifiers modifiers) {
    QWheelEvent event(position, widget.mapToGlobal(position), QPoint(), angle, Qt::NoButton, modifiers,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(&widget, &event);
}

} // namespace

class TestTimelineView : public QObject {
    Q_OBJECT

    std::unique_ptr<Workbench> workbench_;
    std::unique_ptr<TimelineView> view_;

    TimelineWidget& timeline() { return view_->timeline(); }
    const TimelineData& step() { return view_->model().data(); }
    const Simulation& simulation() { return *workbench_->simulation(); }
    QPoint centre(StripKind kind, std::size_t span) { return timeline().rectOf(kind, span).center().toPoint(); }
    /// Index in the compute row of the first operator of a kind.
    std::size_t first(OperatorKind kind) {
        const auto& spans = step().row(TimelineRow::compute).spans();
        return static_cast<std::size_t>(
            std::find_if(spans.begin(), spans.end(), [kind](const TimelineSpan& s) { return s.kind == kind; }) -
            spans.begin());
    }
    void showLayers(std::size_t from, std::size_t to) {
        view_->range().setRange(simulation().layers[from].start.value(),
                                (simulation().layers[to].start + simulation().layers[to].time).value());
    }

private slots:
    void init() {
        failOnWarnings();
        applyTheme(ThemeChoice::light);
        workbench_ = std::make_unique<Workbench>(builtIn(), prefill());
        view_ = std::make_unique<TimelineView>(*workbench_);
        view_->resize(1000, 640);

        view_->show();
        QTest::qWait(1);
    }
    void cleanup() {
        view_.reset();
        workbench_.reset();
    }

    void rowsHoldTheStep() {
        QCOMPARE(step().duration, simulation().totals.time.value());
        QCOMPARE(static_cast<std::int64_t>(step().operators.size()), simulation().totals.operators);
        QCOMPARE(step().row(TimelineRow::compute).size() + step().row(TimelineRow::link).size(),
                 step().operators.size());
        QCOMPARE(step().row(TimelineRow::part).size(), simulation().parts.size());
        std::size_t linear = 0;
        std::size_t full = 0;
        for (const TimelineSpan& span : step().row(TimelineRow::layer).spans()) {
            linear += span.cls == OperatorClass::linearAttention;
            full += span.cls == OperatorClass::fullAttention;
        }
        QCOMPARE(linear, std::size_t{48});
        QCOMPARE(full, std::size_t{16});
        for (const TimelineSpan& span : step().row(TimelineRow::link).spans()) QVERIFY(isCommunication(span.kind));
        // Modules cover the operators of their layers without overlap.
        double end = 0.0;
        for (const TimelineSpan& span : step().row(TimelineRow::module).spans()) {
            QVERIFY(span.start >= end - 1e-12);
            end = span.end();
        }
        QVERIFY(std::abs(end - step().duration) < 1e-9);
    }

    void waitingForTheHostHasItsRow() {
        QVERIFY(step().row(TimelineRow::host).empty()); // tensorcast has no host
        QVERIFY(timeline().geometryOnScreen().strip(StripKind::host) == nullptr);
        Scenario eager = workbench_->scenario();
        eager.model = "Qwen3.5-0.8B";
        eager.engine = "vllm-ascend";
        eager.host = HostMode::eager;
        eager.queryLength = 16;
        workbench_->edit(eager, QStringLiteral("eager"));
        QTest::qWait(1);
        const auto& waits = step().row(TimelineRow::host).spans();
        QVERIFY(waits.size() > 100);
        QVERIFY(timeline().geometryOnScreen().strip(StripKind::host) != nullptr);
        double sum = 0.0;
        bool gap = true;
        for (const TimelineSpan& wait : waits) {
            sum += wait.duration;
            const auto next = step().indexOf(wait.id);
            gap = gap && next && std::abs(step().operators.spans()[*next].start - wait.end()) < 1e-12 &&
                  !step().operators.at(wait.start + 0.5 * wait.duration);
        }
        QVERIFY(gap); // nothing runs in it, and it ends where its operator starts
        QVERIFY(std::abs(sum - simulation().totals.hostWait.value()) < 1e-9);
        // Under the pointer: how long, before what, what a launch costs. A click selects the operator that waited.
        view_->range().setRange(waits[5].start - waits[5].duration, waits[5].end() + waits[5].duration);
        QTest::mouseMove(&timeline(), centre(StripKind::host, 5));
        const QString card = factsUnderPointer(view_->model()).text();
        QVERIFY2(card.contains(QStringLiteral("waits for the host")) &&
                     card.contains(QStringLiteral("25.00 µs per kernel")) && card.contains(QStringLiteral("eager")),
                 qPrintable(card));
        QTest::mouseClick(&timeline(), Qt::LeftButton, {}, centre(StripKind::host, 5));
        QCOMPARE(packRef(*workbench_->selection()), waits[5].id);
        workbench_->undoStack().undo();
        QTest::qWait(1);
        QVERIFY(timeline().geometryOnScreen().strip(StripKind::host) == nullptr);
    }

    void wholeStepIsShownAtFirst() {
        QVERIFY(view_->range().showsAll());
        QCOMPARE(view_->range().fullTo(), simulation().totals.time.value());
        const TimelineStrip* layers = timeline().geometryOnScreen().strip(StripKind::layer);
        std::size_t trunk = 0;
        for (const TimelineBox& box : layers->boxes)
            trunk += box.count == 1 && step().row(TimelineRow::layer).spans()[box.span].cls != OperatorClass::other;
        QCOMPARE(trunk, std::size_t{64});
    }

    void clickSelectsAnOperator() {
        showLayers(0, 3);
        const std::size_t rule = first(OperatorKind::linear_attn_chunk_gated_delta_rule);
        const QSignalSpy spy(workbench_.get(), &Workbench::selectionChanged);
        QTest::mouseClick(&timeline(), Qt::LeftButton, {}, centre(StripKind::compute, rule));
        QCOMPARE(spy.count(), 1);
        QVERIFY(workbench_->selection().has_value());
        QCOMPARE(simulation().op(*workbench_->selection()).kind, OperatorKind::linear_attn_chunk_gated_delta_rule);
        QCOMPARE(packRef(*workbench_->selection()), step().row(TimelineRow::compute).spans()[rule].id);
        QCOMPARE(step().operators.spans()[*view_->model().selectedOperator()].id, packRef(*workbench_->selection()));
    }

    void clickOnALayerSelectsItsStretch() {
        QTest::mouseClick(&timeline(), Qt::LeftButton, {}, centre(StripKind::layer, 4));
        const auto& layers = step().row(TimelineRow::layer).spans();
        QVERIFY(view_->model().selectedRange().has_value());
        QCOMPARE(view_->model().selectedRange()->from, layers[4].start);
        QCOMPARE(view_->model().selectedRange()->to, layers[4].end());
        QVERIFY(view_->summary().text().startsWith(QStringLiteral("1 layer · ")));
        QTest::keyClick(&timeline(), Qt::Key_Escape);
        QVERIFY(!view_->model().selectedRange());
    }

    void doubleClickZoomsToALayer() {
        QTest::mouseDClick(&timeline(), Qt::LeftButton, {}, centre(StripKind::layer, 4));
        const TimelineSpan& layer = step().row(TimelineRow::layer).spans()[4];
        QVERIFY(view_->range().from() <= layer.start && view_->range().to() >= layer.end());
        QVERIFY(view_->range().to() - view_->range().from() < 1.1 * layer.duration);
    }

    void dragSelectsARangeAndSumsItUp() {
        const PlotFrame frame = plotFrame(timeline());
        const int y = timeline().height() / 2;
        const QPoint from(static_cast<int>(frame.left) + 100, y);
        const QPoint to(static_cast<int>(frame.left) + 300, y);
        QTest::mousePress(&timeline(), Qt::LeftButton, {}, from);
        QTest::mouseMove(&timeline(), from + QPoint(50, 0));
        QTest::mouseMove(&timeline(), to);
        QTest::mouseRelease(&timeline(), Qt::LeftButton, {}, to);
        const auto range = view_->model().selectedRange();
        QVERIFY(range.has_value());
        QVERIFY(std::abs(range->from - 100.0 / frame.width * step().duration) < 1e-9);
        QVERIFY(std::abs(range->to - 300.0 / frame.width * step().duration) < 1e-9);
        const RangeSummary sum = summarise(step(), *range);
        QVERIFY(view_->summary().text().contains(QString::fromStdString(formatSeconds(Seconds(sum.time)))));
        QVERIFY(view_->summary().text().contains(
            QString::fromStdString(formatCount(static_cast<double>(sum.operators))) + QStringLiteral(" operators")));
        QVERIFY(view_->range().showsAll());
        QVERIFY(!workbench_->selection());
        QTest::keyClick(&timeline(), Qt::Key_F);
        QCOMPARE(view_->range().from(), range->from);
        QCOMPARE(view_->range().to(), range->to);
    }

    void altDragZooms() {
        const PlotFrame frame = plotFrame(timeline());
        const QPoint from(static_cast<int>(frame.left) + 100, 60);
        QTest::mousePress(&timeline(), Qt::LeftButton, Qt::AltModifier, from);
        QMouseEvent move(QEvent::MouseMove, QPointF(from + QPoint(200, 0)),
                         timeline().mapToGlobal(QPointF(from + QPoint(200, 0))), Qt::NoButton, Qt::LeftButton,
                         Qt::AltModifier);
        QApplication::sendEvent(&timeline(), &move);
        QTest::mouseRelease(&timeline(), Qt::LeftButton, Qt::AltModifier, from + QPoint(200, 0));
        QVERIFY(std::abs(view_->range().from() - 100.0 / frame.width * step().duration) < 1e-9);
        QVERIFY(std::abs(view_->range().to() - 300.0 / frame.width * step().duration) < 1e-9);
        QVERIFY(!view_->model().selectedRange());
        QTest::keyClick(&timeline(), Qt::Key_Left, Qt::AltModifier);
        QVERIFY(view_->range().showsAll());
    }

    void middleDragPans() {
        showLayers(20, 23);
        const double width = view_->range().to() - view_->range().from();
        const double before = view_->range().from();
        const QPoint at(500, 60);
        QTest::mousePress(&timeline(), Qt::MiddleButton, {}, at);
        QTest::mouseMove(&timeline(), at + QPoint(80, 0));
        QTest::mouseRelease(&timeline(), Qt::MiddleButton, {}, at + QPoint(80, 0));
        QVERIFY(std::abs(view_->range().from() - (before - 80.0 / plotFrame(timeline()).width * width)) < 1e-9);
        QVERIFY(std::abs(view_->range().to() - view_->range().from() - width) < 1e-9);
    }

    void wheelZoomsAtTheCursorAndPans() {
        const QPointF at(400.0, 60.0);
        const double time = timeAt(timeline(), view_->range(), at.x());
        wheel(timeline(), at, {0, 120}, Qt::ControlModifier);
        QVERIFY(!view_->range().showsAll());
        QVERIFY(std::abs(timeAt(timeline(), view_->range(), at.x()) - time) < 1e-9);
        const double from = view_->range().from();
        wheel(timeline(), at, {0, -120}, Qt::ShiftModifier);
        QVERIFY(view_->range().from() > from);
        const double still = view_->range().from();
        wheel(timeline(), at, {0, 120}, Qt::NoModifier); // scrolls whatever is around the view
        QCOMPARE(view_->range().from(), still);
    }

    void keysMove() {
        QTest::keyClick(&timeline(), Qt::Key_W);
        const double width = view_->range().to() - view_->range().from();
        QVERIFY(width < step().duration);
        const double from = view_->range().from();
        QTest::keyClick(&timeline(), Qt::Key_D);
        QVERIFY(view_->range().from() > from);
        QTest::keyClick(&timeline(), Qt::Key_A);
        QVERIFY(std::abs(view_->range().from() - from) < 1e-12);
        QTest::keyClick(&timeline(), Qt::Key_Right);
        QVERIFY(view_->range().from() > from);
        QTest::keyClick(&timeline(), Qt::Key_S);
        QVERIFY(view_->range().to() - view_->range().from() > width);
        QTest::keyClick(&timeline(), Qt::Key_Home);
        QVERIFY(view_->range().showsAll());
    }

    void everyShortcutIsAnActionWithAName() {
        int count = 0;
        for (const auto& group : view_->actionGroups())
            for (const QAction* action : group) {
                QVERIFY(action->objectName().startsWith(QStringLiteral("timeline.")));
                QVERIFY(!action->text().isEmpty());
                QVERIFY(!action->shortcut().isEmpty());
                QVERIFY(view_->actions().contains(action));
                ++count;
            }
        QCOMPARE(count, static_cast<int>(view_->actions().size()));
    }

    void bracketsWalkTheKind() {
        const auto& spans = step().operators.spans();
        workbench_->select(unpackRef(step().row(TimelineRow::compute).spans()[first(OperatorKind::attention)].id));
        const auto start = *view_->model().selectedOperator();
        QTest::keyClick(&timeline(), Qt::Key_BracketRight);
        const auto next = *view_->model().selectedOperator();
        QVERIFY(next > start);
        QCOMPARE(spans[next].kind, OperatorKind::attention);
        for (std::size_t i = start + 1; i < next; ++i) QVERIFY(spans[i].kind != OperatorKind::attention);
        QTest::keyClick(&timeline(), Qt::Key_BracketLeft);
        QCOMPARE(*view_->model().selectedOperator(), start);
        QTest::keyClick(&timeline(), Qt::Key_BracketLeft); // round the start
        const auto last = *view_->model().selectedOperator();
        QVERIFY(last > next);
        // What is selected is brought on screen.
        showLayers(0, 0);
        QTest::keyClick(&timeline(), Qt::Key_BracketRight);
        QTest::keyClick(&timeline(), Qt::Key_BracketRight);
        const TimelineSpan& shown = spans[*view_->model().selectedOperator()];
        QVERIFY(view_->range().from() <= shown.start && view_->range().to() >= shown.end());
    }

    void hoverShowsAllFacts() {
        showLayers(0, 3);
        workbench_->pinBaseline();
        const std::size_t rule = first(OperatorKind::linear_attn_chunk_gated_delta_rule);
        QTest::mouseMove(&timeline(), centre(StripKind::compute, rule));
        QVERIFY(!view_->card().isHidden());
        const QString text = view_->card().facts().text();
        const OperatorCost& cost = simulation().cost(unpackRef(step().row(TimelineRow::compute).spans()[rule].id));
        QVERIFY(text.startsWith(QStringLiteral("linear_attn_chunk_gated_delta_rule\nlayer 0 · linear attention")));
        for (const Seconds part : {cost.total, cost.matrix, cost.vector, cost.memory, cost.launch})
            QVERIFY2(text.contains(QString::fromStdString(formatSeconds(part))), qPrintable(text));
        QVERIFY(text.contains(QStringLiteral("bound: memory")));
        QVERIFY(text.contains(QStringLiteral("launches: 8 extra")));
        QVERIFY(text.contains(QStringLiteral("roofline")));
        QVERIFY(text.contains(QStringLiteral("Δ ±0 s")));
        QVERIFY(view_->rect().contains(view_->card().geometry()));
        QTest::mouseMove(&timeline(), QPoint(5, 5));
        QVERIFY(view_->card().isHidden());
    }

    void hoverOnALayerNamesIt() {
        QTest::mouseMove(&timeline(), centre(StripKind::layer, 4));
        QCOMPARE(view_->card().facts().title, QStringLiteral("layer 3 · full attention"));
        QVERIFY(view_->card().facts().text().contains(
            QString::fromStdString(formatSeconds(simulation().layers[3].kernelTime))));
    }

    void mergedBoxesSayHowMany() {
        // The whole step has more operators than pixels.
        const TimelineStrip* compute = timeline().geometryOnScreen().strip(StripKind::compute);
        const auto merged = std::find_if(compute->boxes.begin(), compute->boxes.end(),
                                         [](const TimelineBox& box) { return box.count > 1; });
        QVERIFY(merged != compute->boxes.end());
        QTest::mouseMove(&timeline(),
                         QPointF(plotFrame(timeline()).left + merged->x + 0.5, compute->y + 4.0).toPoint());
        QVERIFY(view_->model().hover().count > 1);
        QVERIFY(view_->card().facts().note.contains(QStringLiteral("share this pixel")));
    }

    void baselineIsAGhost() {
        QVERIFY(timeline().geometryOnScreen().strip(StripKind::ghost) == nullptr);
        QVERIFY(view_->kinds().ghosts().empty());
        workbench_->pinBaseline();
        workbench_->edit(prefill(Scheme::w4a8Static), QStringLiteral("W4A8"));
        const TimelineStrip* ghost = timeline().geometryOnScreen().strip(StripKind::ghost);
        QVERIFY(ghost != nullptr);
        QCOMPARE(view_->model().baseline()->duration, workbench_->baseline()->totals.time.value());
        QCOMPARE(view_->range().fullTo(),
                 std::max(workbench_->baseline()->totals.time, simulation().totals.time).value());
        QCOMPARE(view_->kinds().ghosts().size(), workbench_->baseline()->byKind.size());
        // Ghosts are to the same scale, and the linear kind is the longer one where INT4 is unpacked.
        const auto& here = view_->kinds().segments().front();
        const auto& there = view_->kinds().ghosts().front();
        QCOMPARE(here.kind.kind, OperatorKind::linear);
        QCOMPARE(there.kind.kind, OperatorKind::linear);
        QVERIFY(std::abs(here.width / there.width - here.kind.time / there.kind.time) < 1e-9);

        const auto& spans = step().operators.spans();
        const auto linear = static_cast<std::size_t>(
            std::find_if(spans.begin(), spans.end(),
                         [](const TimelineSpan& s) { return s.kind == OperatorKind::linear; }) -
            spans.begin());
        const auto before = view_->model().baselineTime(linear);
        QVERIFY(before.has_value());
        const OperatorRef ref = unpackRef(spans[linear].id);
        const auto old = workbench_->baseline()->find(simulation().id(ref));
        QCOMPARE(*before, workbench_->baseline()->cost(*old).total.value());
        QVERIFY(view_->summary().text().contains(QString::fromStdString(
            formatSecondsDifference(simulation().totals.time - workbench_->baseline()->totals.time))));

        // A click on a ghost selects its counterpart.
        showLayers(0, 0);
        const auto ghostIndex = view_->model().baseline()->indexOf(packRef(*old));
        QTest::mouseClick(&timeline(), Qt::LeftButton, {}, centre(StripKind::ghost, *ghostIndex));
        QVERIFY(workbench_->selection() == ref);
        QCOMPARE(*view_->model().selectedGhost(), *ghostIndex);

        workbench_->clearBaseline();
        QVERIFY(timeline().geometryOnScreen().strip(StripKind::ghost) == nullptr);
        QCOMPARE(view_->range().fullTo(), simulation().totals.time.value());
    }

    void refusalDimsAndKeepsThePicture() {
        const auto boxes = timeline().geometryOnScreen().strip(StripKind::compute)->boxes.size();
        const QImage clear = timeline().grab().toImage();
        Scenario impossible = prefill();
        impossible.parallel.tp = 32;
        workbench_->edit(impossible, QStringLiteral("TP 32"));
        QVERIFY(view_->model().stale());
        QCOMPARE(timeline().geometryOnScreen().strip(StripKind::compute)->boxes.size(), boxes);
        const QImage dim = timeline().grab().toImage();
        const TimelineStrip* layers = timeline().geometryOnScreen().strip(StripKind::layer);
        const QRectF full = timeline().rectOf(StripKind::layer, 4);
        const QPoint probe(static_cast<int>(full.left()), static_cast<int>(layers->y));
        QVERIFY(dim.pixelColor(probe).saturation() < clear.pixelColor(probe).saturation());
        workbench_->edit(prefill(), QStringLiteral("TP 2"));
        QVERIFY(!view_->model().stale());
    }

    void rangeFollowsTheScenario() {
        Scenario longer = prefill();
        longer.queryLength = 8000;
        workbench_->edit(longer, QStringLiteral("longer"));
        QVERIFY(view_->range().showsAll());
        QCOMPARE(view_->range().fullTo(), simulation().totals.time.value());
    }

    void overviewMovesAndStretchesTheWindow() {
        showLayers(8, 15);
        OverviewStrip& strip = view_->overview();
        const double width = view_->range().to() - view_->range().from();
        const QRectF window = strip.windowRect();
        const QPoint middle = window.center().toPoint();
        QTest::mousePress(&strip, Qt::LeftButton, {}, middle);
        QTest::mouseMove(&strip, middle + QPoint(50, 0));
        QTest::mouseRelease(&strip, Qt::LeftButton, {}, middle + QPoint(50, 0));
        QVERIFY(std::abs(strip.windowRect().left() - window.left() - 50.0) < 1.0);
        QVERIFY(std::abs(view_->range().to() - view_->range().from() - width) < 1e-9);
        const QPoint edge(static_cast<int>(strip.windowRect().right()), middle.y());
        QTest::mousePress(&strip, Qt::LeftButton, {}, edge);
        QTest::mouseMove(&strip, edge + QPoint(40, 0));
        QTest::mouseRelease(&strip, Qt::LeftButton, {}, edge + QPoint(40, 0));
        QVERIFY(view_->range().to() - view_->range().from() > width);
        QTest::mouseDClick(&strip, Qt::LeftButton, {}, middle);
        QVERIFY(view_->range().showsAll());
    }

    void peakIsNamedAndSelectable() {
        const MemoryCurve& memory = view_->memory();
        const IdealMemory& ideal = simulation().memory.ideal;
        QVERIFY(
            memory.peakText().startsWith(QStringLiteral("peak ") + QString::fromStdString(formatBytes(ideal.total()))));
        QVERIFY(memory.peakText().contains(QStringLiteral("chunk_gated_delta_rule, layer 0")));
        QVERIFY(memory.residentText().contains(QString::fromStdString(formatBytes(ideal.resident()))));
        QTest::mouseClick(&view_->memory(), Qt::LeftButton, {}, memory.peakPoint()->toPoint());
        QVERIFY(workbench_->selection() == (OperatorRef{ideal.peakSegment, ideal.peakOperator}));
        const MemoryCurve::Areas areas = memory.areas();
        QVERIFY(std::abs(memory.peakPoint()->y() - areas.curve.top() - areas.curve.height() * (1.0 - 1.0 / 1.06)) <
                1.0);
        showLayers(5, 6);
        QVERIFY(!memory.peakPoint());
    }

    void legendSinglesOutAClass() {
        Legend& legend = view_->legend();
        QVERIFY(legend.button(OperatorClass::experts)->isHidden());
        QVERIFY(!legend.button(OperatorClass::linear)->isHidden());
        QTest::mouseClick(legend.button(OperatorClass::norm), Qt::LeftButton);
        QVERIFY(view_->model().only() == OperatorClass::norm);
        QTest::mouseClick(&view_->kinds(), Qt::LeftButton, {},
                          QPoint(static_cast<int>(view_->kinds().segments().front().x) + 10, 12));
        QVERIFY(view_->model().only() == OperatorClass::linear);
        QVERIFY(!legend.button(OperatorClass::norm)->isChecked());
        QVERIFY(legend.button(OperatorClass::linear)->isChecked());
        QTest::mouseClick(legend.button(OperatorClass::linear), Qt::LeftButton);
        QVERIFY(!view_->model().only());
        // Buttons stay inside the legend however narrow it is.
        view_->resize(600, 640);
        QTest::qWait(1);
        for (std::size_t i = 0; i < operatorClassCount; ++i) {
            const QToolButton* button = legend.button(static_cast<OperatorClass>(i));
            if (!button->isHidden()) QVERIFY(legend.rect().contains(button->geometry()));
        }
    }

    void byKindAddsUp() {
        double time = 0.0;
        for (const auto& segment : view_->kinds().segments()) time += segment.kind.time;
        QVERIFY(std::abs(time - step().duration) < 1e-9);
        const auto& last = view_->kinds().segments().back();
        QVERIFY(std::abs(last.x + last.width - plotFrame(view_->kinds()).right()) < 1e-6);
    }

    void marksComeAndGo() {
        QTest::keyClick(&timeline(), Qt::Key_M);
        QCOMPARE(view_->model().marks().size(), std::size_t{1});
        QCOMPARE(view_->model().marks().front(), 0.5 * step().duration);
        QTest::keyClick(&timeline(), Qt::Key_M);
        QVERIFY(view_->model().marks().empty());
    }

    void nothingIsCutOffInASmallWindow() {
        workbench_->pinBaseline();
        QVERIFY2(view_->minimumSizeHint().height() <= 480,
                 qPrintable(QString::number(view_->minimumSizeHint().height())));
        view_->resize(660, 480);
        QTest::qWait(1);
        const QList<QWidget*> rows{&view_->overview(), &view_->ruler(),   &timeline(),    &view_->memory(),
                                   &view_->legend(),   &view_->summary(), &view_->kinds()};
        int bottom = 0;
        for (const QWidget* row : rows) {
            QVERIFY(row->y() >= bottom);
            QVERIFY(row->height() >=
                    (row->hasHeightForWidth() ? row->heightForWidth(row->width()) : row->minimumSizeHint().height()));
            bottom = row->y() + row->height();
            QCOMPARE(plotFrame(*row).left, plotFrame(timeline()).left);
            QCOMPARE(plotFrame(*row).width, plotFrame(timeline()).width);
        }
        QVERIFY(bottom <= view_->height());
        const TimelineStrip& last = timeline().geometryOnScreen().strips.back();
        QVERIFY(last.y + last.height <= timeline().height());
    }

    void paintsInBothThemes() {
        workbench_->pinBaseline();
        showLayers(0, 3);
        const QImage light = view_->grab().toImage();
        applyTheme(ThemeChoice::dark);
        QTest::qWait(1);
        const QImage dark = view_->grab().toImage();
        QCOMPARE(light.pixelColor(2, 2), QColor(Qt::white));
        QCOMPARE(dark.pixelColor(2, 2), theme().panel);
    }
};

QTEST_MAIN(TestTimelineView)
#include "tst_timeline_view.moc"
