// SPDX-License-Identifier: GPL-3.0-or-later
// Time to pixel and back, and the shared visible range with its history.
#include "ui/warnings.h"
#include "workbench/visible_range.h"

#include <QSignalSpy>
#include <QTest>

#include <cmath>
#include <limits>

using namespace deltascope::ui;

class TestVisibleRange : public QObject {
    Q_OBJECT
private slots:
    void init() { failOnWarnings(); }

    void pixels_data() {
        QTest::addColumn<double>("time");
        QTest::addColumn<double>("from");
        QTest::addColumn<double>("to");
        QTest::addColumn<double>("width");
        QTest::addColumn<double>("pixel");
        QTest::newRow("start") << 2.0 << 2.0 << 6.0 << 400.0 << 0.0;
        QTest::newRow("end") << 6.0 << 2.0 << 6.0 << 400.0 << 400.0;
        QTest::newRow("inside") << 3.0 << 2.0 << 6.0 << 400.0 << 100.0;
        QTest::newRow("before") << 1.0 << 2.0 << 6.0 << 400.0 << -100.0;
        QTest::newRow("after") << 7.0 << 2.0 << 6.0 << 400.0 << 500.0;
        QTest::newRow("empty range") << 3.0 << 2.0 << 2.0 << 400.0 << 0.0;
        QTest::newRow("reversed range") << 3.0 << 6.0 << 2.0 << 400.0 << 0.0;
        QTest::newRow("no width") << 3.0 << 2.0 << 6.0 << 0.0 << 0.0;
        QTest::newRow("negative width") << 3.0 << 2.0 << 6.0 << -400.0 << 0.0;
    }
    void pixels() {
        QFETCH(double, time);
        QFETCH(double, from);
        QFETCH(double, to);
        QFETCH(double, width);
        QFETCH(double, pixel);
        QCOMPARE(pixelOfTime(time, from, to, width), pixel);
        if (to > from && width > 0.0) QCOMPARE(timeOfPixel(pixel, from, to, width), time);
    }

    void timesOfNothing() {
        QCOMPARE(timeOfPixel(10.0, 2.0, 2.0, 400.0), 2.0);
        QCOMPARE(timeOfPixel(10.0, 2.0, 6.0, 0.0), 2.0);
        QCOMPARE(timeOfPixel(10.0, 2.0, 6.0, -1.0), 2.0);
    }

    void roundTrip() {
        for (const double time : {0.0, 1.23e-6, 0.4497, 12.0})
            QVERIFY(std::abs(timeOfPixel(pixelOfTime(time, 0.1, 0.3, 1600.0), 0.1, 0.3, 1600.0) - time) < 1e-12);
    }

    void wholeStaysWhole() {
        VisibleRange range;
        range.setFull(8.0);
        QCOMPARE(range.to(), 8.0);
        range.setFull(3.0);
        QCOMPARE(range.from(), 0.0);
        QCOMPARE(range.to(), 3.0);
        QVERIFY(!range.canGoBack());
    }

    void partIsKept() {
        VisibleRange range;
        range.setFull(8.0);
        range.setRange(2.0, 4.0);
        range.setFull(16.0);
        QCOMPARE(range.from(), 2.0);
        QCOMPARE(range.to(), 4.0);
        range.setFull(3.0);
        QCOMPARE(range.from(), 1.0);
        QCOMPARE(range.to(), 3.0);
    }

    void badLengthsAreIgnored() {
        VisibleRange range;
        range.setFull(8.0);
        range.setFull(0.0);
        range.setFull(-1.0);
        range.setFull(std::numeric_limits<double>::quiet_NaN());
        range.setRange(std::numeric_limits<double>::infinity(), 1.0);
        range.zoom(0.0, 1.0);
        range.pan(std::numeric_limits<double>::quiet_NaN());
        QCOMPARE(range.fullTo(), 8.0);
        QVERIFY(range.showsAll());
    }

    void rangesAreClamped_data() {
        QTest::addColumn<double>("from");
        QTest::addColumn<double>("to");
        QTest::addColumn<double>("shownFrom");
        QTest::addColumn<double>("shownTo");
        QTest::newRow("inside") << 1.0 << 3.0 << 1.0 << 3.0;
        QTest::newRow("reversed") << 3.0 << 1.0 << 1.0 << 3.0;
        QTest::newRow("before the start") << -2.0 << 1.0 << 0.0 << 3.0;
        QTest::newRow("after the end") << 9.0 << 11.0 << 6.0 << 8.0;
        QTest::newRow("wider than the whole") << -5.0 << 50.0 << 0.0 << 8.0;
    }
    void rangesAreClamped() {
        QFETCH(double, from);
        QFETCH(double, to);
        VisibleRange range;
        range.setFull(8.0);
        range.setRange(from, to);
        QTEST(range.from(), "shownFrom");
        QTEST(range.to(), "shownTo");
    }

    void emptyRangeGetsTheSmallestWidth() {
        VisibleRange range;
        range.setFull(8.0);
        range.setRange(4.0, 4.0);
        QVERIFY(range.to() > range.from());
        QVERIFY(range.to() - range.from() < 1e-6);
    }

    void zoomKeepsThePointUnderTheCursor() {
        VisibleRange range;
        range.setFull(8.0);
        const double before = range.pixel(2.0, 1000.0);
        range.zoom(0.5, 2.0);
        QCOMPARE(range.to() - range.from(), 4.0);
        QCOMPARE(range.pixel(2.0, 1000.0), before);
        for (int i = 0; i < 200; ++i) range.zoom(0.5, 2.0);
        QVERIFY(std::abs(range.pixel(2.0, 1000.0) - before) < 1.0);
        for (int i = 0; i < 200; ++i) range.zoom(2.0, 2.0);
        QVERIFY(range.showsAll());
    }

    void panStopsAtTheEnds() {
        VisibleRange range;
        range.setFull(8.0);
        range.setRange(2.0, 4.0);
        range.pan(1.0);
        QCOMPARE(range.from(), 3.0);
        range.pan(100.0);
        QCOMPARE(range.from(), 6.0);
        QCOMPARE(range.to(), 8.0);
        range.pan(-100.0);
        QCOMPARE(range.from(), 0.0);
        QCOMPARE(range.to(), 2.0);
    }

    void backAndForward() {
        VisibleRange range;
        range.setFull(8.0);
        range.setRange(2.0, 4.0);
        range.setRange(2.5, 3.0);
        range.back();
        QCOMPARE(range.from(), 2.0);
        range.back();
        QVERIFY(range.showsAll());
        QVERIFY(!range.canGoBack());
        range.forward();
        range.forward();
        QCOMPARE(range.to(), 3.0);
        QVERIFY(!range.canGoForward());
        range.back();
        range.setRange(1.0, 2.0);
        QVERIFY(!range.canGoForward());
    }

    void aGestureIsOneStepBack() {
        VisibleRange range;
        range.setFull(8.0);
        for (int i = 0; i < 5; ++i) range.setRange(i * 0.1, 1.0 + i * 0.1, true);
        range.endGesture();
        for (int i = 0; i < 5; ++i) range.setRange(3.0 + i * 0.1, 4.0 + i * 0.1, true);
        range.zoom(0.5, 3.5);
        range.zoom(0.5, 3.5);
        range.back();
        QCOMPARE(range.from(), 3.4);
        range.back();
        QCOMPARE(range.from(), 0.4);
        range.back();
        QVERIFY(range.showsAll());
    }

    void changesAreAnnouncedOnce() {
        VisibleRange range;
        range.setFull(8.0);
        const QSignalSpy spy(&range, &VisibleRange::changed);
        range.setRange(1.0, 2.0);
        range.setRange(1.0, 2.0);
        range.fitAll();
        range.fitAll();
        range.back();
        QCOMPARE(spy.count(), 3);
    }
};

QTEST_GUILESS_MAIN(TestVisibleRange)
#include "tst_visible_range.moc"
