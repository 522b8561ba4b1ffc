// SPDX-License-Identifier: GPL-3.0-or-later
// Rectangles of the timeline for given ranges: merging, hit tests, rows, ticks, the memory line, and range sums.
#include "timeline/geometry.h"
#include "timeline/painter.h"
#include "timeline/summary.h"
#include "ui/warnings.h"

#include <QTest>

#include <cmath>

using namespace deltascope;
using namespace deltascope::ui;

namespace {

TimelineSpan span(double start, double duration, OperatorClass cls = OperatorClass::linear) {
    TimelineSpan result;
    result.start = start;
    result.duration = duration;
    result.cls = cls;
    return result;
}

/// Two wide spans, a gap, a hundred narrow ones of which the 41st is the longest, and one more wide one.
TimelineLane mixedLane() {
    std::vector<TimelineSpan> spans{span(0.0, 1.0), span(1.0, 2.0)};
    double time = 4.0;
    for (int i = 0; i < 100; ++i) {
        const double duration = i == 40 ? 0.002 : 0.001;
        spans.push_back(span(time, duration, i == 40 ? OperatorClass::norm : OperatorClass::quantize));
        time += duration;
    }
    spans.push_back(span(8.0, 2.0));
    return TimelineLane(std::move(spans));
}

} // namespace

class TestTimelineGeometry : public QObject {
    Q_OBJECT
private slots:
    void init() { failOnWarnings(); }

    void rangeMaximumIsThatOfAScan() {
        std::vector<float> values;
        std::uint32_t random = 7;
        for (int i = 0; i < 5000; ++i) {
            random = random * 1664525U + 1013904223U;
            values.push_back(static_cast<float>(random >> 20U));
        }
        const RangeMax pyramid(values);
        for (std::size_t first = 0; first < values.size(); first += 37)
            for (std::size_t last = first + 1; last <= values.size(); last += 211) {
                const auto scan = std::max_element(values.begin() + static_cast<std::ptrdiff_t>(first),
                                                   values.begin() + static_cast<std::ptrdiff_t>(last));
                QCOMPARE(pyramid.argmax(first, last), static_cast<std::uint32_t>(scan - values.begin()));
            }
    }

    void spansAreFoundByTime() {
        const TimelineLane lane = mixedLane();
        QCOMPARE(*lane.at(0.5), std::size_t{0});
        QCOMPARE(*lane.at(1.0), std::size_t{1});
        QVERIFY(!lane.at(3.5));
        QVERIFY(!lane.at(-1.0));
        QVERIFY(!lane.at(10.0));
        QCOMPARE(lane.firstEndingAfter(3.0), std::size_t{2});
        for (const std::size_t from : {0, 1, 50}) QCOMPARE(lane.firstStartingFrom(8.0, from), std::size_t{102});
        QCOMPARE(lane.firstStartingFrom(99.0), lane.size());
    }

    void wideSpansAreTheirOwnBoxes() {
        const auto boxes = layoutLane(mixedLane(), {0.0, 10.0, 1000.0, 1.0});
        QCOMPARE(boxes[0].x, 0.0);
        QCOMPARE(boxes[0].width, 100.0);
        QCOMPARE(boxes[1].x, 100.0);
        QCOMPARE(boxes[1].width, 200.0);
        QCOMPARE(boxes[1].span, 1U);
        QCOMPARE(boxes.back().x, 800.0);
        QCOMPARE(boxes.back().width, 200.0);
    }

    void narrowSpansMergePerPixelColumn() {
        // 100 spans of a tenth of a pixel (one of two tenths): 10.1 pixels from x = 400.
        const auto boxes = layoutLane(mixedLane(), {0.0, 10.0, 1000.0, 1.0});
        std::uint32_t merged = 0;
        double x = 400.0;
        for (const TimelineBox& box : boxes) {
            if (box.x < 400.0 || box.x >= 500.0) continue;
            QCOMPARE(box.x, x);
            QCOMPARE(box.width, 1.0);
            x += 1.0;
            merged += box.count;
        }
        QCOMPARE(x, 411.0);
        QCOMPARE(merged, 100U);
        // The 41st is the widest of its column: the column is the norm's.
        const TimelineBox* column = boxAt(boxes, 404.5);
        QVERIFY(column != nullptr);
        QCOMPARE(column->span, 42U);
        QVERIFY(column->count > 1);
    }

    void boxesTouchAndNeverOverlap_data() {
        QTest::addColumn<double>("from");
        QTest::addColumn<double>("to");
        QTest::addColumn<double>("ratio");
        QTest::newRow("all") << 0.0 << 10.0 << 1.0;
        QTest::newRow("all, fine") << 0.0 << 10.0 << 2.0;
        QTest::newRow("part") << 3.99 << 4.2 << 1.0;
        QTest::newRow("odd scale") << 0.3 << 9.1 << 1.5;
        QTest::newRow("inside one") << 1.2 << 1.3 << 1.0;
    }
    void boxesTouchAndNeverOverlap() {
        QFETCH(double, from);
        QFETCH(double, to);
        QFETCH(double, ratio);
        const auto boxes = layoutLane(mixedLane(), {from, to, 613.0, ratio});
        QVERIFY(!boxes.empty());
        double right = 0.0;
        for (const TimelineBox& box : boxes) {
            QVERIFY(box.x >= right - 1e-9);
            QVERIFY(box.width * ratio >= 1.0 - 1e-9);
            QVERIFY(std::abs(box.x * ratio - std::round(box.x * ratio)) < 1e-9);
            right = box.x + box.width;
        }
        QVERIFY(right <= std::ceil(613.0 * ratio) / ratio + 1e-9);
    }

    void everySpanOnScreenIsInABox() {
        const TimelineData step = syntheticTimeline(20'000);
        for (const double width : {100.0, 777.0, 1600.0}) {
            std::uint64_t count = 0;
            for (const TimelineBox& box : layoutLane(step.operators, {0.0, step.duration, width, 1.0}))
                count += box.count;
            QCOMPARE(count, std::uint64_t{20'000});
        }
    }

    void nothingFromNothing_data() {
        QTest::addColumn<double>("from");
        QTest::addColumn<double>("to");
        QTest::addColumn<double>("width");
        QTest::newRow("empty range") << 2.0 << 2.0 << 100.0;
        QTest::newRow("reversed range") << 3.0 << 2.0 << 100.0;
        QTest::newRow("no width") << 0.0 << 10.0 << 0.0;
        QTest::newRow("negative width") << 0.0 << 10.0 << -5.0;
        QTest::newRow("after the end") << 20.0 << 30.0 << 100.0;
        QTest::newRow("before the start") << -20.0 << -10.0 << 100.0;
        QTest::newRow("in the gap") << 3.2 << 3.8 << 100.0;
    }
    void nothingFromNothing() {
        QFETCH(double, from);
        QFETCH(double, to);
        QFETCH(double, width);
        QVERIFY(layoutLane(mixedLane(), {from, to, width, 1.0}).empty());
        QVERIFY(layoutLane(TimelineLane(), {0.0, 1.0, 100.0, 1.0}).empty());
    }

    void hitsPreferTheBoxThenTheNearest() {
        const std::vector<TimelineBox> boxes{{10.0, 5.0, 0, 1}, {15.0, 5.0, 1, 1}, {30.0, 1.0, 2, 1}};
        QCOMPARE(boxAt(boxes, 14.9)->span, 0U);
        QCOMPARE(boxAt(boxes, 15.0)->span, 1U);
        QCOMPARE(boxAt(boxes, 8.5)->span, 0U);
        QCOMPARE(boxAt(boxes, 28.5)->span, 2U);
        QCOMPARE(boxAt(boxes, 21.0)->span, 1U);
        QVERIFY(boxAt(boxes, 25.0) == nullptr);
        QVERIFY(boxAt(boxes, 40.0) == nullptr);
        QVERIFY(boxAt({}, 1.0) == nullptr);
    }

    void rowsStandBelowEachOther() {
        const TimelineData step = syntheticTimeline(100);
        const TimelineGeometry plain = layoutTimeline(step, nullptr, {0.0, step.duration, 800.0, 1.0}, 300.0, 16.0);
        QCOMPARE(plain.strips.size(), std::size_t{5});
        QVERIFY(plain.strip(StripKind::ghost) == nullptr);
        const TimelineGeometry ghosted = layoutTimeline(step, &step, {0.0, step.duration, 800.0, 1.0}, 300.0, 16.0);
        QCOMPARE(ghosted.strips.size(), std::size_t{6});
        for (const auto* geometry : {&plain, &ghosted}) {
            double bottom = 0.0;
            for (const TimelineStrip& strip : geometry->strips) {
                QVERIFY(strip.y >= bottom);
                bottom = strip.y + strip.height;
                QCOMPARE(geometry->stripAt(strip.y + 0.5 * strip.height), &strip);
            }
            QVERIFY(bottom <= 300.0);
        }
        QCOMPARE(ghosted.strip(StripKind::ghost)->boxes.size(), layoutLane(step.operators, ghosted.view).size());
        const double least = leastTimelineHeight(16.0, step, &step);
        const TimelineGeometry low = layoutTimeline(step, &step, {0.0, 1.0, 800.0, 1.0}, least, 16.0);
        QVERIFY(low.strips.back().y + low.strips.back().height <= least);
    }

    void threeLinearLayersThenAFullOne() {
        const TimelineData step = syntheticTimeline(160);
        const auto& layers = step.row(TimelineRow::layer).spans();
        QCOMPARE(layers.size(), std::size_t{16});
        for (std::size_t i = 0; i < layers.size(); ++i)
            QCOMPARE(layers[i].cls, i % 4 == 3 ? OperatorClass::fullAttention : OperatorClass::linearAttention);
        QCOMPARE(step.labels[layers[3].label].full, QStringLiteral("3 · full attention"));
        QCOMPARE(step.labels[layers[3].label].brief, QStringLiteral("3"));
    }

    void ticksAreRound_data() {
        QTest::addColumn<double>("from");
        QTest::addColumn<double>("to");
        QTest::addColumn<QStringList>("labels");
        QTest::newRow("from zero") << 0.0 << 0.028 << QStringList{"0 ms", "5 ms", "10 ms", "15 ms", "20 ms", "25 ms"};
        QTest::newRow("microseconds") << 0.0 << 5e-4
                                      << QStringList{"0 µs", "100 µs", "200 µs", "300 µs", "400 µs", "500 µs"};
        QTest::newRow("deep inside") << 0.0121 << 0.01225
                                     << QStringList{"12.10 ms", "12.12 ms", "12.14 ms", "12.16 ms",
                                                    "12.18 ms", "12.20 ms", "12.22 ms", "12.24 ms"};
        QTest::newRow("seconds") << 0.0 << 2.0 << QStringList{"0.0 s", "0.5 s", "1.0 s", "1.5 s", "2.0 s"};
        QTest::newRow("empty") << 1.0 << 1.0 << QStringList{};
    }
    void ticksAreRound() {
        QFETCH(double, from);
        QFETCH(double, to);
        QStringList labels;
        for (const TimeTick& tick : timeTicks({from, to, 800.0, 1.0}, 100.0)) {
            labels << tick.label;
            QVERIFY(tick.x >= -1e-6 && tick.x <= 800.0 + 1e-6);
        }
        QTEST(labels, "labels");
    }

    void memoryStandsOnTheOperators() {
        TimelineData step;
        step.operators = TimelineLane({span(0.0, 1.0), span(1.0, 1.0), span(2.0, 2.0)});
        step.live = RangeMax({100.0F, 400.0F, 200.0F});
        const std::vector<QPointF> line = layoutMemory(step, {0.0, 4.0, 400.0, 1.0}, 400.0, 80.0);
        const std::vector<QPointF> expected{{0, 60}, {100, 60}, {100, 0}, {200, 0}, {200, 40}, {400, 40}};
        QCOMPARE(line, expected);
        // Merged into one column, the largest stands.
        const std::vector<QPointF> narrow = layoutMemory(step, {0.0, 8.0, 1.0, 1.0}, 400.0, 80.0);
        QCOMPARE(narrow.front().y(), 0.0);
        QVERIFY(layoutMemory(step, {0.0, 4.0, 400.0, 1.0}, 0.0, 80.0).empty());
        QVERIFY(layoutMemory(TimelineData(), {0.0, 4.0, 400.0, 1.0}, 400.0, 80.0).empty());
    }

    void hatchStaysInItsBox_data() {
        QTest::addColumn<int>("bound");
        QTest::addColumn<bool>("hatched");
        QTest::newRow("memory") << static_cast<int>(Bound::memory) << true;
        QTest::newRow("vector") << static_cast<int>(Bound::vector) << true;
        QTest::newRow("launch") << static_cast<int>(Bound::launch) << true;
        QTest::newRow("matrix") << static_cast<int>(Bound::matrix) << false;
        QTest::newRow("communication") << static_cast<int>(Bound::communication) << false;
    }
    void hatchStaysInItsBox() {
        QFETCH(int, bound);
        QFETCH(bool, hatched);
        const QRectF box(13.0, 7.0, 40.0, 25.0);
        std::vector<QLineF> lines;
        appendHatch(lines, box, static_cast<Bound>(bound));
        QCOMPARE(!lines.empty(), hatched);
        for (const QLineF& line : lines)
            for (const QPointF& point : {line.p1(), line.p2()})
                QVERIFY(box.adjusted(-1e-9, -1e-9, 1e-9, 1e-9).contains(point));
    }

    void rangeSums() {
        TimelineData step;
        step.operators = TimelineLane({span(0.0, 2.0), span(2.0, 1.0, OperatorClass::norm), span(3.0, 4.0)});
        RangeSummary all = summarise(step, {0.0, 7.0});
        QCOMPARE(all.operators, std::int64_t{3});
        QCOMPARE(all.time, 7.0);
        QCOMPARE(all.byClass[static_cast<std::size_t>(OperatorClass::norm)], 1.0);
        const RangeSummary part = summarise(step, {1.5, 4.0});
        QCOMPARE(part.operators, std::int64_t{3});
        QCOMPARE(part.time, 2.5);
        QCOMPARE(part.byClass[static_cast<std::size_t>(OperatorClass::linear)], 1.5);
        const RangeSummary inside = summarise(step, {3.5, 4.0});
        QCOMPARE(inside.operators, std::int64_t{1});
        QCOMPARE(inside.time, 0.5);
        QCOMPARE(summarise(step, {8.0, 9.0}).operators, std::int64_t{0});
        QCOMPARE(summarise(TimelineData(), {0.0, 9.0}).time, 0.0);
    }

    void rangeSumsOfManyEqualAScan() {
        const TimelineData step = syntheticTimeline(3000);
        const TimeSpan range{0.21 * step.duration, 0.83 * step.duration};
        double time = 0.0;
        for (const TimelineSpan& s : step.operators.spans())
            time += std::max(0.0, std::min(s.end(), range.to) - std::max(s.start, range.from));
        QVERIFY(std::abs(summarise(step, range).time - time) < 1e-9 * time);
    }

    void differencesCountPairsAndNewcomers() {
        TimelineData step;
        step.operators = TimelineLane({span(0.0, 2.0), span(2.0, 1.0, OperatorClass::norm), span(3.0, 4.0)});
        const RangeDifference all = differenceIn(step, {3.0, -1.0, 4.0}, {0.0, 7.0});
        QCOMPARE(all.total, -1.0 + 1.0);
        QCOMPARE(all.onlyHere, std::int64_t{1});
        QCOMPARE(all.byClass[static_cast<std::size_t>(OperatorClass::linear)], -1.0);
        QCOMPARE(all.byClass[static_cast<std::size_t>(OperatorClass::norm)], 1.0);
        // Only operators that lie wholly in the range have a difference there.
        QCOMPARE(differenceIn(step, {3.0, -1.0, 4.0}, {0.5, 7.0}).total, 1.0);
    }

    void kindsStandByClass() {
        const auto kinds = kindsByClass({{OperatorKind::linear, 3, Seconds(5.0)},
                                         {OperatorKind::rms_norm, 2, Seconds(4.0)},
                                         {OperatorKind::attention, 1, Seconds(3.0)},
                                         {OperatorKind::mul, 9, Seconds(2.5)}});
        std::vector<OperatorKind> order;
        for (const KindTime& kind : kinds) order.push_back(kind.kind);
        const std::vector<OperatorKind> expected{OperatorKind::rms_norm, OperatorKind::mul, OperatorKind::linear,
                                                 OperatorKind::attention};
        QCOMPARE(order, expected);
    }

    void identifiersComeBack() {
        const OperatorRef ref{63, 41};
        QVERIFY(unpackRef(packRef(ref)) == ref);
        const TimelineData step = syntheticTimeline(50);
        QCOMPARE(*step.indexOf(packRef({0, 17})), std::size_t{17});
        QVERIFY(!step.indexOf(packRef({0, 50})));
        QVERIFY(!step.indexOf(packRef({1, 0})));
    }
};

QTEST_GUILESS_MAIN(TestTimelineGeometry)
#include "tst_timeline_geometry.moc"
