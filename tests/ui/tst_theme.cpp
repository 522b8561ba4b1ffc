// SPDX-License-Identifier: GPL-3.0-or-later
// Both palettes: text is legible, operator classes can be told apart, names keep their colour.
#include "theme/theme.h"
#include "ui/warnings.h"

#include <QTest>

#include <algorithm>
#include <cmath>

using namespace deltascope;
using namespace deltascope::ui;

namespace {

double luminance(const QColor& color) {
    const auto linear = [](double channel) {
        return channel <= 0.04045 ? channel / 12.92 : std::pow((channel + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

double contrast(const QColor& a, const QColor& b) {
    const double la = luminance(a);
    const double lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

} // namespace

class TestTheme : public QObject {
    Q_OBJECT
private slots:
    void init() { failOnWarnings(); }

    void legible_data() {
        QTest::addColumn<int>("choice");
        QTest::newRow("light") << static_cast<int>(ThemeChoice::light);
        QTest::newRow("dark") << static_cast<int>(ThemeChoice::dark);
    }
    void legible() {
        QFETCH(int, choice);
        applyTheme(static_cast<ThemeChoice>(choice));
        const Theme& t = theme();
        QCOMPARE(t.dark, static_cast<ThemeChoice>(choice) == ThemeChoice::dark);
        for (const QColor& ground : {t.window, t.panel}) {
            QVERIFY(contrast(t.text, ground) >= 7.0);
            for (const QColor& ink : {t.mutedText, t.accent, t.warning, t.faster, t.slower})
                QVERIFY2(contrast(ink, ground) >= 4.0, qPrintable(ink.name() + " on " + ground.name()));
        }
        QVERIFY(contrast(t.accentText, t.accent) >= 4.5);
        QCOMPARE(QApplication::palette().color(QPalette::Window), t.window);
    }

    void classesDiffer() {
        for (const auto choice : {ThemeChoice::light, ThemeChoice::dark}) {
            applyTheme(choice);
            for (std::size_t a = 0; a < operatorClassCount; ++a)
                for (std::size_t b = a + 1; b < operatorClassCount; ++b) {
                    const QColor ca = theme().classColor(static_cast<OperatorClass>(a));
                    const QColor cb = theme().classColor(static_cast<OperatorClass>(b));
                    const int distance = std::abs(ca.red() - cb.red()) + std::abs(ca.green() - cb.green()) +
                                         std::abs(ca.blue() - cb.blue());
                    QVERIFY2(distance > 60, qPrintable(ca.name() + " and " + cb.name()));
                }
        }
    }

    void labelsReadOnEveryClass() {
        for (const auto choice : {ThemeChoice::light, ThemeChoice::dark}) {
            applyTheme(choice);
            for (std::size_t i = 0; i < operatorClassCount; ++i) {
                const QColor ground = theme().classColor(static_cast<OperatorClass>(i));
                QVERIFY2(contrast(Theme::textOn(ground), ground) >= 3.0, qPrintable(ground.name()));
            }
        }
    }

    void memoryNamesKeepTheirColor() {
        applyTheme(ThemeChoice::light);
        QCOMPARE(theme().memoryColor("linear attention"), theme().classColor(OperatorClass::linearAttention));
        const QColor unknown = theme().memoryColor("something new");
        QVERIFY(unknown.isValid());
        QCOMPARE(theme().memoryColor("something new"), unknown);
        QVERIFY(theme().memoryColor("something else") != unknown);
    }

    void figuresAreAsLargeAsText() {
        QCOMPARE(figureFont().pointSizeF(), QGuiApplication::font().pointSizeF());
        QVERIFY(figureFont() != QGuiApplication::font());
    }
};

QTEST_MAIN(TestTheme)
#include "tst_theme.moc"
