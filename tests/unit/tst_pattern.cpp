// SPDX-License-Identifier: GPL-3.0-or-later
// Regular expressions of configuration files: what matches, what is refused, and that nothing blows up.
#include "base/pattern.h"

#include <QTest>

#include <string>

using namespace deltascope;

namespace {

constexpr std::size_t plenty = 10'000'000;

bool matches(std::string_view pattern, std::string_view text) {
    const auto parsed = Pattern::parse(pattern);
    if (!parsed) qFatal("%s", parsed.error().text().c_str());
    std::size_t steps = plenty;
    return parsed->matchesStartOf(text, steps);
}

} // namespace

class TestPattern : public QObject {
    Q_OBJECT
private slots:
    void matching_data() {
        QTest::addColumn<QString>("pattern");
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("yes");
        const auto row = [](const char* pattern, const char* text, bool yes) {
            QTest::addRow("%s on %s", pattern, text) << QString(pattern) << QString(text) << yes;
        };
        row("lm_head", "lm_head", true);
        row("lm_head", "lm_header", true); // a beginning is enough
        row("lm_head$", "lm_header", false);
        row("head", "lm_head", false); // but it begins at the start
        row(".*head", "lm_head", true);
        row(".*mlp.gate$", "model.layers.3.mlp.gate", true);
        row(".*mlp.gate$", "model.layers.3.mlp.gate_proj", false);
        row(".*\\.gate$", "mlpxgate", false);
        row("model\\.layers\\.(0|1|2)\\..*", "model.layers.1.mlp", true);
        row("model\\.layers\\.(0|1|2)\\..*", "model.layers.11.mlp", false);
        row("(?:a|bc)+d", "abcabcd", true);
        row("(?:a|bc)+d", "abcabd", false);
        row("layers\\.\\d+\\.x", "layers.128.x", true);
        row("layers\\.\\d+\\.x", "layers..x", false);
        row("layers\\.[0-9]{1,2}\\.", "layers.42.", true);
        row("layers\\.[0-9]{1,2}\\.", "layers.420.", false);
        row("a{3}$", "aaa", true);
        row("a{3}$", "aaaa", false);
        row("a{2,}$", "aaaaa", true);
        row("a{2,}$", "a", false);
        row("a{,2}$", "aaa", false);
        row("a{x}", "a{x}", true); // no quantifier
        row("a*?b", "aaab", true);
        row("ab?c", "ac", true);
        row("ab?c", "abbc", false);
        row("[^.]*\\.b$", "a.b", true);
        row("[^.]*\\.b$", "a.a.b", false);
        row("[]x]+$", "]x]", true);
        row("[a\\-z]+$", "a-z", true);
        row("[a\\-z]+$", "b", false);
        row("[\\w.]+$", "mtp.fc_1", true);
        row("\\W", "a", false);
        row("q\\b", "q.k", true);
        row("q\\b", "qk", false);
        row("^(?!.*visual).*proj$", "model.layers.0.q_proj", true);
        row("^(?!.*visual).*proj$", "model.visual.q_proj", false);
        row("(?=.*experts).*down", "mlp.experts.3.down", true);
        row("(?=.*experts).*down", "mlp.down", false);
        row("a|", "", true);
        row("", "anything", true);
        row("$", "a", false);
        row("(a*)*b", "aaab", true);
        row("(a|a)*$", "aaaa", true);
    }
    void matching() {
        QFETCH(QString, pattern);
        QFETCH(QString, text);
        QFETCH(bool, yes);
        QCOMPARE(matches(pattern.toStdString(), text.toStdString()), yes);
    }

    void refused_data() {
        QTest::addColumn<QByteArray>("pattern");
        QTest::addColumn<QString>("why");
        const auto row = [](const char* name, const QByteArray& pattern, const char* why) {
            QTest::newRow(name) << pattern << QString(why);
        };
        row("open group", "(a", "lacks a )");
        row("closed group", "a)", "a ) too many");
        row("open class", "[a", "lacks a ]");
        row("open class at a range", "[a-", "lacks a ]");
        row("open class at a backslash", "[a-\\", "lacks a ]");
        row("backwards", "[z-a]", "ends before it begins");
        row("backslash", "a\\", "ends with a backslash");
        row("star", "*a", "repeats nothing");
        row("back reference", "(a)\\1", "not understood");
        row("named group", "(?P<x>a)", "not understood");
        row("look behind", "(?<=a)b", "not understood");
        row("nested lookahead", "(?=a(?!b))", "lookahead in a lookahead");
        row("m above n", "a{3,2}", "below its m");
        row("many", "a{1001}", "repeats too much");
        row("many times many", "((a{1000}){1000}){1000}", "repeats too much");
        row("deep", QByteArray(500, '(') + QByteArray(500, ')'), "too deep");
        row("long", QByteArray(1001, 'a'), "longer than 1,000");
        row("digits", "a{99999999999999999999}", "repeats too much");
    }
    void refused() {
        QFETCH(QByteArray, pattern);
        QFETCH(QString, why);
        const auto parsed = Pattern::parse(pattern.toStdString());
        QVERIFY(!parsed);
        QCOMPARE(parsed.error().subject, std::string("pattern"));
        QVERIFY2(QString::fromStdString(parsed.error().why).contains(why), parsed.error().text().c_str());
    }

    /// What takes other matchers a time that doubles with each character.
    void stepsAreBounded() {
        const std::string text(200, 'a');
        for (const char* pattern : {"(a*)*b", "(a|aa)*b", "(.*)*(.*)*(.*)*b", "(a?){100}a{100}b", "(?=(a*)*b)c"}) {
            const auto parsed = Pattern::parse(pattern);
            QVERIFY2(parsed, pattern);
            std::size_t steps = plenty;
            QVERIFY(!parsed->matchesStartOf(text, steps));
            QVERIFY2(plenty - steps < 200'000, pattern);
        }
        std::size_t few = 10;
        QVERIFY(!Pattern::parse(".*b")->matchesStartOf(text, few));
        QCOMPARE(few, std::size_t{0});
    }
};

QTEST_GUILESS_MAIN(TestPattern)
#include "tst_pattern.moc"
