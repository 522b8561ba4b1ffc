// SPDX-License-Identifier: GPL-3.0-or-later
// YAML and JSON as one tree, on good and on hostile input; reading it by key; finding the word that was meant.
#include "base/checked_map.h"
#include "base/document.h"
#include "base/spelling.h"

#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <fstream>

using namespace deltascope;
using Kind = DocumentValue::Kind;

namespace {

std::string repeated(std::string_view piece, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += piece;
    return text;
}

Error yamlError(std::string_view text) {
    const auto value = parseYaml(text, "f");
    if (value) qFatal("was read");
    return value.error();
}
Error jsonError(std::string_view text) {
    const auto value = parseJson(text, "f");
    if (value) qFatal("was read");
    return value.error();
}

} // namespace

class TestDocument : public QObject {
    Q_OBJECT
private slots:
    void scalars_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("kind");
        QTest::addColumn<double>("number");
        QTest::addColumn<qlonglong>("whole"); // -1: not a whole number
        const auto row = [](const char* text, Kind kind, double number = 0.0, qlonglong whole = -1) {
            QTest::newRow(text) << text << static_cast<int>(kind) << number << whole;
        };
        row("12", Kind::number, 12, 12);
        row("+12", Kind::number, 12, 12);
        row("16e9", Kind::number, 16e9, 16000000000);
        row("5.0", Kind::number, 5, 5);
        row("5e-6", Kind::number, 5e-6);
        row(".5", Kind::number, 0.5);
        row("9007199254740993", Kind::number, 9007199254740992.0, 9007199254740993);
        row("1e300", Kind::number, 1e300);
        row("0x10", Kind::text);
        row("1_000", Kind::text);
        row("12 GB", Kind::text);
        row("-", Kind::list);
        row("--1", Kind::text);
        row("+-1", Kind::text);
        row("1e", Kind::text);
        row("nan", Kind::text);
        row("true", Kind::boolean);
        row("False", Kind::boolean);
        row("yes", Kind::text);
        row("~", Kind::null);
        row("null", Kind::null);
        row("'12'", Kind::text);
        row("\"true\"", Kind::text);
        row("\"\"", Kind::text);
        row("", Kind::null);
        row("\xEF\xBB\xBF"
            "12",
            Kind::number, 12, 12);
    }
    void scalars() {
        QFETCH(QString, text);
        QFETCH(int, kind);
        QFETCH(double, number);
        QFETCH(qlonglong, whole);
        const auto value = parseYaml(text.toStdString(), "f");
        QVERIFY2(value.ok(), value.ok() ? "" : value.error().text().c_str());
        QCOMPARE(static_cast<int>(value->kind), kind);
        QCOMPARE(value->number, number);
        QCOMPARE(value->whole.value_or(-1), whole);
    }

    void tree() {
        const auto yaml = parseYaml("a: 1\nb:\n  - x\n  - {c: true}\n# remark\nd: >-\n  two\n  lines\n", "f");
        QVERIFY(yaml);
        QCOMPARE(yaml->members.size(), std::size_t{3});
        QCOMPARE(yaml->find("a")->line, 1);
        const DocumentValue& list = *yaml->find("b");
        QCOMPARE(list.items.size(), std::size_t{2});
        QCOMPARE(list.items[0].text, std::string("x"));
        QCOMPARE(list.items[1].line, 4);
        QVERIFY(list.items[1].find("c")->boolean);
        QCOMPARE(yaml->find("d")->text, std::string("two lines"));
        QVERIFY(!yaml->find("e"));

        const auto json = parseJson("{\"a\": 1,\r\n \"b\": [\"x\",\n {\"c\": true}],\n\"d\": -2.5\n}", "f");
        QVERIFY(json);
        QCOMPARE(json->find("b")->items[0].line, 2);
        QCOMPARE(json->find("b")->items[1].line, 3);
        QCOMPARE(json->find("d")->line, 4);
        QCOMPARE(json->members[2].line, 4);
        QCOMPARE(json->find("d")->number, -2.5);
        QVERIFY(!json->find("d")->whole);
        QCOMPARE(json->find("a")->whole.value_or(0), 1);
    }

    void refusals_data() {
        QTest::addColumn<bool>("yaml");
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("where");
        QTest::addColumn<QString>("says");
        const auto yaml = [](const char* name, const QByteArray& text, const char* code, const char* where,
                             const char* says) { QTest::newRow(name) << true << text << code << where << says; };
        const auto json = [](const char* name, const QByteArray& text, const char* code, const char* where,
                             const char* says) { QTest::newRow(name) << false << text << code << where << says; };
        const QByteArray binary("a: 1\nb: \0\x01\x02", 11);
        yaml("open list", "a: [1,\nb", "syntax", "f:2", "not valid YAML");
        yaml("tab", "a:\n\t- b", "syntax", "f:2", "not valid YAML");
        yaml("binary", binary, "syntax", "f:2", "control character");
        yaml("latin 1", "a: caf\xe9\n", "syntax", "f:1", "UTF-8");
        yaml("overlong", "a: \xc0\xaf", "syntax", "f:1", "UTF-8");
        yaml("surrogate", "a: \xed\xa0\x80", "syntax", "f:1", "UTF-8");
        yaml("UTF-16",
             QByteArray("\xff\xfe"
                        "a\0",
                        4),
             "syntax", "f:1", "UTF-8");
        yaml("twice", "a: 1\nb:\n  c: 1\n  d: 2\n  c: 3\n", "duplicate", "f:5", "first on line 3");
        yaml("twice in a list", "a:\n- {b: 1, b: 2}\n", "duplicate", "f:2", "first on line 2");
        yaml("alias", "a: &x [1]\nb: *x", "unsupported", "f:1", "anchors");
        yaml("only alias", "a: *x", "syntax", "f:1", "not valid YAML");
        yaml("tag", "a: !!int '3'", "unsupported", "f:1", "tags");
        yaml("two documents", "a: 1\n---\nb: 2", "syntax", "f", "more than one document");
        yaml("key is a list", "? [a]\n: 1", "syntax", "f:1", "where a name belongs");
        yaml("no key", ": 1", "syntax", "f:1", "an empty key");
        yaml("deep flow", (repeated("[", 1000) + repeated("]", 1000)).c_str(), "too-large", "f:1",
             "nested deeper than 64");
        yaml("deep maps", (repeated("{a: ", 1000) + repeated("}", 1000)).c_str(), "too-large", "f:1",
             "nested deeper than 64");
        yaml("deep and open", repeated("{a: [", 100000).c_str(), "syntax", "f:1", "where a name belongs");
        yaml("deep blocks", repeated("- ", 1000).c_str(), "too-large", "f:1", "nested deeper than 64");
        yaml("many", ("[" + repeated("1,", 200001) + "]").c_str(), "too-large", "f:1", "more than 200,000 values");
        json("empty", "", "syntax", "f:1", "not valid JSON");
        json("open", "{\"a\":\n", "syntax", "f:1", "not valid JSON");
        json("two values", "{}\n{}", "syntax", "f:2", "not valid JSON");
        json("comment", "{ // x\n}", "syntax", "f:1", "not valid JSON");
        json("trailing comma", "{\"a\": 1,\n}", "syntax", "f:2", "not valid JSON");
        json("single quotes", "{'a': 1}", "syntax", "f:1", "not valid JSON");
        json("NaN", "{\"a\":\n\nNaN}", "syntax", "f:3", "not valid JSON");
        json("overflow", "{\"a\":\n1e999}", "syntax", "f:2", "1e999");
        json("binary", QByteArray("{\"a\": \"\0\"}", 10), "syntax", "f:1", "control character");
        json("UTF-8", "{\"a\": \"\xff\"}", "syntax", "f:1", "UTF-8");
        json("half a pair", "{\"a\": \"\\ud800\"}", "syntax", "f:1", "not valid JSON");
        json("twice", "{\"a\": 1,\n\"b\": {\"a\": 1},\n\"a\": 2}", "duplicate", "f:3", "first on line 1");
        json("deep lists", repeated("[", 1000000).c_str(), "too-large", "f:1", "nested deeper than 64");
        json("deep maps", repeated("{\"a\":", 1000000).c_str(), "too-large", "f:1", "nested deeper than 64");
        json("many", ("[" + repeated("1,", 200001) + "1]").c_str(), "too-large", "f:1", "more than 200,000 values");
    }
    void refusals() {
        QFETCH(bool, yaml);
        QFETCH(QByteArray, text);
        QFETCH(QString, code);
        QFETCH(QString, where);
        QFETCH(QString, says);
        const std::string_view bytes(text.constData(), static_cast<std::size_t>(text.size()));
        const Error error = yaml ? yamlError(bytes) : jsonError(bytes);
        const QString line = QString::fromStdString(error.text());
        QVERIFY2(line.contains(says), qPrintable(line));
        QCOMPARE(QString::fromStdString(std::string(nameOf(error.code))), code);
        QCOMPARE(QString::fromStdString(error.where), where);
        QVERIFY(line.size() < 400);
    }

    void whereInTheTree() {
        QCOMPARE(yamlError("a:\n  b:\n    - {c: 1, c: 2}").subject, std::string("a.b[0].c"));
        QCOMPARE(jsonError("{\"x\": {}, \"a\": {\"b\": [0, {\"c\": 1, \"c\": 2}]}}").subject, std::string("a.b[1].c"));
        QCOMPARE(jsonError("{\"a\": 1, \"a\": 2}").subject, std::string("a"));
    }

    void manyKeysTakeNoQuadraticTime() {
        std::string text = "{";
        for (int i = 0; i < 90'000; ++i) text += "\"key" + std::to_string(i) + "\": 1,";
        text += "\"last\": 1}";
        const auto value = parseJson(text, "f");
        QVERIFY(value);
        QCOMPARE(value->members.size(), std::size_t{90'001});
    }

    void files() {
        const QTemporaryDir dir;
        const std::filesystem::path path = dir.path().toStdString();
        QCOMPARE(readYamlFile(path / "absent").error().code, ErrorCode::notFound);
        QCOMPARE(readYamlFile(path).error().code, ErrorCode::unreadable);
        QCOMPARE(readJsonFile("/dev/null").error().code, ErrorCode::unreadable);
        std::ofstream(path / "big").put('x');
        std::filesystem::resize_file(path / "big", (64U << 20U) + 1);
        QCOMPARE(readJsonFile(path / "big").error().code, ErrorCode::tooLarge);
        QVERIFY(readJsonFile(path / "big").error().text().find("67,108,864") != std::string::npos);
        std::filesystem::resize_file(path / "big", (4U << 20U) + 1);
        QCOMPARE(readYamlFile(path / "big").error().code, ErrorCode::tooLarge);
        QCOMPARE(readJsonFile(path / "big").error().code, ErrorCode::syntax);
        std::ofstream(path / "bom", std::ios::binary) << "\xEF\xBB\xBF{\"a\": 1}";
        QVERIFY(readJsonFile(path / "bom"));
        QVERIFY(readYamlFile(path / "bom"));
    }

    void readingByKey() {
        const auto document =
            parseYaml("name: x\ncount: 3\nshare: 0.5\non: true\nmode: fast\nnothing: ~\nlist: [a, b]\nsizes: [1, 2]\n"
                      "inner: {time_s: 2}\nmany: [{n: 1}, {n: 2}]\n",
                      "f");
        QVERIFY(document);
        Checker checker("f");
        CheckedMap map(checker, *document);
        QCOMPARE(map.requireText("name"), std::string("x"));
        QCOMPARE(map.requireWhole("count"), 3);
        QCOMPARE(map.requireNumber("share"), 0.5);
        QCOMPARE(map.optionalFlag("on").value_or(false), true);
        QCOMPARE((map.optionalChoice<int>("mode", {{"slow", 1}, {"fast", 2}}).value_or(0)), 2);
        QVERIFY(!map.optionalNumber("nothing"));
        QVERIFY(!map.has("nothing"));
        QVERIFY(!map.optionalText("absent"));
        QCOMPARE(map.textList("list"), (std::vector<std::string>{"a", "b"}));
        QCOMPARE(map.wholeList("sizes"), (std::vector<std::int64_t>{1, 2}));
        auto inner = map.requireMap("inner");
        QVERIFY(inner);
        QCOMPARE(inner->requireNumber("time_s"), 2.0);
        std::int64_t sum = 0;
        for (CheckedMap& entry : map.maps("many")) sum += entry.requireWhole("n");
        QCOMPARE(sum, 3);
        map.refuseUnknownKeys();
        inner->refuseUnknownKeys();
        QVERIFY2(!checker.failed(), checker.failed() ? checker.error().text().c_str() : "");
    }

    void firstProblemStays() {
        const auto document = parseYaml("a: x\nb: -1\ntime_ms: 5\n", "f");
        {
            Checker checker("f");
            CheckedMap map(checker, *document);
            QCOMPARE(map.requireWhole("b", {0, 5}), 0);
            QCOMPARE(map.requireNumber("a"), 0.0);
            QCOMPARE(checker.error().subject, std::string("b"));
            QCOMPARE(checker.error().text(),
                     std::string("f:2: b -1: is out of range; accepted: a whole number from 0 to 5"));
        }
        { // an unknown key explains a missing one
            Checker checker("f");
            CheckedMap map(checker, *document);
            map.optionalText("a");
            map.optionalNumber("b");
            QCOMPARE(map.requireNumber("time_s"), 0.0);
            QCOMPARE(checker.error().code, ErrorCode::missingKey);
            map.refuseUnknownKeys();
            QCOMPARE(checker.error().code, ErrorCode::wrongUnit);
            QCOMPARE(checker.error().subject, std::string("time_ms"));
            QCOMPARE(checker.error().accepted, std::string("time_s"));
        }
        Checker checker("f");
        const DocumentValue scalar;
        CheckedMap map(checker, scalar);
        QVERIFY(!map.requireMap("inner"));
        QVERIFY(map.maps("many").empty());
        map.refuseUnknownKeys();
        QCOMPARE(checker.error().code, ErrorCode::wrongType);
        QCOMPARE(checker.error().subject, std::string("file"));
    }

    void nearestWord_data() {
        QTest::addColumn<QString>("word");
        QTest::addColumn<QString>("meant");
        QTest::newRow("swap") << "lenght"
                              << "length";
        QTest::newRow("missing letter") << "contxt_length"
                                        << "context_length";
        QTest::newRow("case and dash") << "Query-Length"
                                       << "query_length";
        QTest::newRow("part") << "context"
                              << "context_length";
        QTest::newRow("nearer than a part") << "tpo"
                                            << "tp";
        QTest::newRow("nothing near") << "colour"
                                      << "";
        QTest::newRow("empty") << ""
                               << "";
        QTest::newRow("endless") << QString(100000, 'x') << "";
    }
    void nearestWord() {
        QFETCH(QString, word);
        QFETCH(QString, meant);
        const std::vector<std::string> known{"query_length", "context_length", "length", "tp", "engine"};
        QCOMPARE(QString::fromStdString(nearest(word.toStdString(), known).value_or("")), meant);
    }

    void words() {
        QCOMPARE(orList({}), std::string());
        QCOMPARE(orList(std::vector<std::string>{"a"}), std::string("a"));
        QCOMPARE(orList(std::vector<std::string>{"a", "b", "c"}), std::string("a, b or c"));
        QVERIFY(equalIgnoringCase("Qwen3-8B", "qWEN3-8b"));
        QVERIFY(!equalIgnoringCase("a", "ab"));
        QCOMPARE(printable("a\nb\x01"), std::string("a b "));
        QCOMPARE(printable("\xff"), std::string("\uFFFD"));
        QCOMPARE(printable("ääää", 5), std::string("ää…"));
        QCOMPARE(validUtf8Prefix("ok\xf4\x90\x80\x80"), std::size_t{2});
        QCOMPARE(validUtf8Prefix("\U0001F600"), std::size_t{4});
    }
};

QTEST_GUILESS_MAIN(TestDocument)
#include "tst_document.moc"
