// SPDX-License-Identifier: GPL-3.0-or-later
// The built command line: what it prints, its exit status, and the one line on stderr that a refusal is.
#include "support/catalog.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>

#include <nlohmann/json.hpp>

using namespace deltascope;
using namespace deltascope::test;
using Json = nlohmann::json;

namespace {

struct Outcome {
    int status = -1;
    QByteArray output;
    QByteArray error;
};

Outcome runProgram(const QString& program, const QStringList& arguments) {
    QProcess process;
    process.start(program, arguments);
    if (!process.waitForFinished(30'000)) process.kill();
    if (process.exitStatus() != QProcess::NormalExit) return {};
    return {process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError()};
}

const QString program = DELTASCOPE_BINARY_DIR "/bin/deltascope-cli";

Outcome cli(const QStringList& arguments) { return runProgram(program, arguments); }

Json jsonOf(const QByteArray& text) { return Json::parse(text.toStdString(), nullptr, false); }

void writeFile(const QString& path, const QByteArray& text) {
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
}

} // namespace

class CliTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() { QVERIFY(folder_.isValid()); }

    void versionAndHelp() {
        const Outcome version = cli({"--version"});
        QCOMPARE(version.status, 0);
        QVERIFY(version.output.startsWith("deltascope-cli 0."));
        const Outcome help = cli({"--help"});
        QCOMPARE(help.status, 0);
        for (const char* command : {"simulate", "fits", "list", "explain"}) QVERIFY(help.output.contains(command));
        QVERIFY(!help.output.contains("sweep"));
    }

    /// Every option of the contract is there and describes itself.
    void simulateTakesTheContractsOptions() {
        const Outcome help = cli({"simulate", "--help"});
        QCOMPARE(help.status, 0);
        const QList<QByteArray> lines = help.output.split('\n');
        for (const char* option : {"--scenario",
                                   "--model",
                                   "--device",
                                   "--engine",
                                   "--phase",
                                   "--queries",
                                   "--query-length",
                                   "--context-length",
                                   "--mtp-tokens",
                                   "--acceptance",
                                   "--accepted-length",
                                   "--quantization",
                                   "--expert-quantization",
                                   "--kv-cache",
                                   "--keep-bf16",
                                   "--host",
                                   "--all-full",
                                   "--prefix-hit",
                                   "--routing-skew",
                                   "--tp",
                                   "--ep",
                                   "--dp",
                                   "--vision-tp",
                                   "--o-proj-tp",
                                   "--lm-head-tp",
                                   "--mtp-lm-head-tp",
                                   "--image",
                                   "--padding-mask",
                                   "--layers",
                                   "--calibration",
                                   "--format",
                                   "--output"})
            QVERIFY2(
                std::any_of(lines.begin(), lines.end(),
                            [&](const QByteArray& line) { return line.startsWith("  " + QByteArray(option) + " "); }),
                option);
    }

    void simulateGivesEveryFormat() {
        const QStringList step{"simulate", "--model", "Qwen3.5-0.8B", "--query-length", "5"};
        const Outcome text = cli(step);
        QCOMPARE(text.status, 0);
        QVERIFY(text.error.isEmpty());
        QVERIFY(text.output.startsWith("Qwen3.5-0.8B on "));
        const Outcome json = cli(step + QStringList{"--format", "json"});
        QCOMPARE(jsonOf(json.output)["scenario"]["query_length"].get<int>(), 5);
        QVERIFY(cli(step + QStringList{"--format", "csv"}).output.startsWith("id,part,layer,"));
        QVERIFY(jsonOf(cli(step + QStringList{"--format", "chrome-trace"}).output).contains("traceEvents"));
    }

    void fitsTakesAScenario() {
        const QStringList million{"fits",           "--engine",    "vllm-ascend",      "--tp",   "2",
                                  "--quantization", "W8A8_STATIC", "--context-length", "1010000"};
        const Outcome text = cli(million);
        QCOMPARE(text.status, 0);
        QVERIFY(text.error.isEmpty());
        QVERIFY(text.output.startsWith("Qwen3.5-27B on "));
        QVERIFY2(text.output.contains("Fits: 10.26 GiB free of 57.60 GiB"), text.output.constData());
        for (const QByteArray& line : text.output.split('\n')) QVERIFY2(QString::fromUtf8(line).size() <= 100, line);
        const QString file = folder_.filePath("fits.json");
        const Outcome json = cli(million + QStringList{"--format", "json", "--output", file});
        QCOMPARE(json.status, 0);
        QVERIFY(json.output.isEmpty());
        QFile written(file);
        QVERIFY(written.open(QIODevice::ReadOnly));
        const Json content = jsonOf(written.readAll());
        QCOMPARE(content["schema"].get<std::string>(), std::string("deltascope.fits/1"));
        QCOMPARE(content["scenario"]["context_length"].get<int>(), 1'010'000);
        QCOMPARE(content["scenario"]["parallel"]["tp"].get<int>(), 2);
        QCOMPARE(content["verdict"]["fit"].get<std::string>(), std::string("fits"));
        QVERIFY(cli({"fits", "--help"}).output.contains("--format"));

        const Outcome refused = cli({"fits", "--tp", "32"});
        QCOMPARE(refused.status, 2);
        QVERIFY(refused.error.startsWith("tp 32: 16 linear-attention key heads"));
        const Outcome format = cli({"fits", "--format", "csv"});
        QCOMPARE(format.status, 2);
        QVERIFY(format.error.startsWith("format csv: is not known"));
    }

    void optionsGoOverTheFile() {
        const QString file = folder_.filePath("s.yaml");
        writeFile(file, "model: Qwen3.5-0.8B\nphase: decode\nqueries: 3\ncontext_length: 77\n"
                        "mtp: {tokens: 1, accepted_length: 1.5}\nquantization: {keep_bf16: ['*']}\n");
        const Outcome plain = cli({"simulate", "--scenario", file, "--format", "json"});
        QVERIFY2(plain.status == 0, plain.error.constData());
        const Json asFile = jsonOf(plain.output)["scenario"];
        QCOMPARE(asFile["queries"].get<int>(), 3);
        QCOMPARE(asFile["mtp"]["tokens_per_step"].get<double>(), 1.5);
        const Outcome over = cli({"simulate", "--scenario", file, "--queries", "5", "--acceptance", "0.25",
                                  "--keep-bf16", "a", "--keep-bf16", "b", "--format", "json"});
        QVERIFY2(over.status == 0, over.error.constData());
        const Json asOptions = jsonOf(over.output)["scenario"];
        QCOMPARE(asOptions["queries"].get<int>(), 5);
        QCOMPARE(asOptions["context_length"].get<int>(), 77);
        QCOMPARE(asOptions["mtp"]["tokens_per_step"].get<double>(), 1.25);
        QVERIFY(asOptions["quantization"]["keep_bf16"] == Json::array({"a", "b"}));
    }

    void namesMayBeFilesAndFolders() {
        const QDir source(DELTASCOPE_SOURCE_DIR);
        const Outcome byFolder = cli({"simulate", "--model", source.filePath("models/Qwen3.5-0.8B"), "--device",
                                      source.filePath("devices/NVIDIA_H20.yaml"), "--engine",
                                      source.filePath("resources/engines/tensorcast-fused.yaml"), "--format", "json"});
        QVERIFY2(byFolder.status == 0, byFolder.error.constData());
        const Json scenario = jsonOf(byFolder.output)["scenario"];
        QCOMPARE(scenario["model"].get<std::string>(), std::string("Qwen3.5-0.8B"));
        QCOMPARE(scenario["device"].get<std::string>(), std::string("NVIDIA_H20"));
        QCOMPARE(scenario["engine"].get<std::string>(), std::string("tensorcast-fused"));
        const Outcome byFile = cli({"simulate", "--model", source.filePath("models/Qwen3.5-0.8B/config.json")});
        QVERIFY2(byFile.status == 0, byFile.error.constData());
    }

    void listsAreComplete() {
        const Json models = jsonOf(cli({"list", "models", "--format", "json"}).output);
        QCOMPARE(models.size(), std::size_t{17});
        const auto found = std::find_if(models.begin(), models.end(),
                                        [](const Json& model) { return model["name"] == "Qwen3.5-27B"; });
        QVERIFY(found != models.end());
        QCOMPARE((*found)["family"].get<std::string>(), std::string("Qwen3.5"));
        QVERIFY((*found)["parameters"] == Json({{"text", 26'895'998'464},
                                                {"vision", 460'730'096},
                                                {"mtp", 424'699'392},
                                                {"total", 27'781'427'952},
                                                {"active", 25'624'600'064}}));
        QVERIFY((*found)["layers"] == Json({{"linear", 48}, {"full", 16}}));
        QCOMPARE((*found)["supported"].get<bool>(), true);
        QCOMPARE(jsonOf(cli({"list", "devices", "--format", "json"}).output).size(), std::size_t{31});
        QVERIFY(jsonOf(cli({"list", "engines", "--format", "json"}).output).size() >= 2);
        for (const char* what : {"models", "devices", "engines"}) {
            const Outcome text = cli({"list", what});
            QCOMPARE(text.status, 0);
            QVERIFY(text.error.isEmpty());
            QVERIFY(text.output.count('\n') >= 2);
        }
    }

    void explainShowsFormulaAndNumbers() {
        const Outcome outcome =
            cli({"explain", "--operator", "text/0/linear_attn.in_proj/linear/0", "--phase", "prefill", "--query-length",
                 "3510", "--quantization", "W8A8_STATIC", "--tp", "2"});
        QVERIFY2(outcome.status == 0, outcome.error.constData());
        QVERIFY2(outcome.output.contains("3510") && outcome.output.contains("8240"), outcome.output.constData());
    }

    void refusals_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("message");
        const auto row = [](const QStringList& arguments, const char* message) {
            QTest::addRow("%s", qPrintable(arguments.join(' ').simplified().left(80)))
                << arguments << QByteArray(message);
        };
        row({}, "command: is missing; accepted: simulate, fits, list or explain");
        row({"simulte"}, "command simulte: is not known; accepted: \"simulate\"?");
        row({"--tp", "2", "simulate"}, "option --tp: is not known");
        row({"simulate", "--qury-length", "3"}, "option --qury-length: is not known; accepted: --query-length?");
        row({"simulate", "extra"}, "argument extra: is one too many");
        row({"simulate", "--", "extra"}, "extra");
        row({"simulate", "list"}, "argument list: is one too many");
        row({"simulate", "--tp"}, "option --tp: needs a value; accepted: N");
        row({"simulate", "--tp", "--ep", "2"}, "option --tp: needs a value; accepted: N");
        row({"simulate", "--query-length", "abc"}, "query_length abc: is not a whole number; accepted: 1 to 1,010,000");
        row({"simulate", "--query-length", "1.5"}, "query_length 1.5: is not a whole number");
        row({"simulate", "--query-length", "0"}, "query_length 0: is out of range; accepted: 1 to 1,010,000");
        row({"simulate", "--query-length", "1010001"}, "accepted: 1 to 1,010,000");
        row({"simulate", "--queries", "99999999999999999999"},
            "queries 99999999999999999999: is out of range; accepted: 1 to 4,096");
        row({"simulate", "--queries", ""}, "queries '': is not a whole number");
        row({"simulate", "--acceptance", "nan"}, "acceptance nan: is not a finite number; accepted: 0 to 1");
        row({"simulate", "--acceptance", "1.5", "--mtp-tokens", "1"}, "acceptance 1.5");
        row({"simulate", "--acceptance", "0.5", "--accepted-length", "1"}, "accepted_length");
        row({"simulate", "--all-full=maybe"}, "all_full maybe: is neither true nor false");
        row({"simulate", "--tp", "32"}, "16 linear-attention key heads of Qwen3.5-27B do not divide by 32");
        row({"simulate", "--tp", "16"}, "24 query heads of Qwen3.5-27B do not divide by 16; accepted: 1, 2, 4 or 8");
        row({"simulate", "--context-length", "0"}, "context_length 0");
        row({"simulate", "--quantization", "W8A9"}, "quantization W8A9: is not known; accepted: BF16, FP16, W8A16");
        row({"simulate", "--kv-cache", "int4"}, "kv_cache int4: is not known; accepted: bf16, int8 or fp8");
        row({"simulate", "--host", "x"}, "host x: is not known; accepted: eager, full_decode_only");
        row({"simulate", "--image", "1@2"}, "image 1@2: is not a number of images and their size; accepted: N@HxW");
        row({"simulate", "--format", "xml"}, "format xml: is not known; accepted: text, json, csv or chrome-trace");
        row({"simulate", "--model", "Qwen9"}, "model Qwen9: there is no such model; accepted: ");
        row({"simulate", "--model", "a\nb"}, "model a b");
        row({"simulate", "--model", "./none.json"}, "model ./none.json: there is no such file");
        row({"simulate", "--model", "/bin/sh"}, "/bin/sh");
        row({"simulate", "--device", "/"}, "/");
        row({"simulate", "--scenario", "/none.yaml"},
            "scenario /none.yaml: there is no such file; accepted: a YAML file");
        row({"simulate", "--scenario", "/"}, "scenario /: is a folder; accepted: a YAML file");
        row({"simulate", "--scenario", "/bin/sh"}, "/bin/sh:1: ");
        row({"list"}, "list '': is not known; accepted: models, devices or engines");
        row({"list", "model"}, "list model: is not known; accepted: models, devices or engines");
        row({"list", "models", "devices"}, "argument devices: is one too many");
        row({"explain"}, "operator: is missing");
        row({"explain", "--operator", "x"}, "operator x: is not in this step; accepted: PART/LAYER/MODULE/KIND");
        row({"explain", "--operator", "text/0/linear_attn.in_proj/linear/1"},
            "accepted: \"text/0/linear_attn.in_proj/linear/0\"?");
    }
    void refusals() {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, message);
        const Outcome outcome = cli(arguments);
        QCOMPARE(outcome.status, 2);
        QVERIFY2(outcome.error.contains(message), outcome.error.constData());
        QCOMPARE(outcome.error.count('\n'), 1);
        QVERIFY(outcome.error.endsWith('\n'));
        QVERIFY(outcome.output.isEmpty());
    }

    void scenarioFileRefusalsNameTheLine() {
        const QString file = folder_.filePath("wrong.yaml");
        writeFile(file, "model: Qwen3.5-27B\nquery_lenght: 3\n");
        const Outcome outcome = cli({"simulate", "--scenario", file});
        QCOMPARE(outcome.status, 2);
        QCOMPARE(outcome.error, file.toUtf8() + ":2: query_lenght: unknown key; accepted: \"query_length\"?\n");
    }

    /// A broken file of the user's is named when it is asked for, and does not stop the rest.
    void aBrokenFileOfTheUserIsNamed() {
        const QString devices = folder_.filePath("data/deltascope/devices");
        QVERIFY(QDir().mkpath(devices));
        writeFile(devices + "/MINE.yaml", "name: MINE\nmemroy: 3\n");
        qputenv("XDG_DATA_HOME", folder_.filePath("data").toUtf8());
        const Outcome asked = cli({"simulate", "--device", "MINE"});
        const Outcome other = cli({"simulate", "--device", "NVIDIA_H20"});
        const Outcome list = cli({"list", "devices"});
        qunsetenv("XDG_DATA_HOME");
        QCOMPARE(asked.status, 2);
        QVERIFY2(asked.error.contains("MINE.yaml:2: memroy"), asked.error.constData());
        QCOMPARE(asked.error.count('\n'), 1);
        QVERIFY2(other.status == 0, other.error.constData());
        QCOMPARE(list.status, 0);
        QVERIFY2(list.error.contains("MINE.yaml:2: memroy"), list.error.constData());
    }

    void outputIsWholeOrNotAtAll() {
        const QString file = folder_.filePath("out.json");
        const Outcome written = cli({"simulate", "--model", "Qwen3.5-0.8B", "--format", "json", "--output", file});
        QCOMPARE(written.status, 0);
        QVERIFY(written.output.isEmpty());
        QFile content(file);
        QVERIFY(content.open(QIODevice::ReadOnly));
        const QByteArray first = content.readAll();
        QVERIFY(!jsonOf(first).is_discarded());
        content.close();

        const Outcome refused = cli({"simulate", "--tp", "3", "--output", file});
        QCOMPARE(refused.status, 2);
        QVERIFY(content.open(QIODevice::ReadOnly));
        QCOMPARE(content.readAll(), first);
        QCOMPARE(QDir(folder_.path()).entryList({"out.json*"}, QDir::Files).size(), 1);
    }

    void whatCannotBeWrittenIsStatusOne_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::newRow("no folder") << QStringList{"simulate", "--output", "/none/out.txt"};
        QTest::newRow("a folder") << QStringList{"list", "models", "--output", "/"};
        QTest::newRow("no name") << QStringList{"simulate", "--output", ""};
        QTest::newRow("a full disk") << QStringList{"simulate", "--output", "/dev/full"};
    }
    void whatCannotBeWrittenIsStatusOne() {
        QFETCH(QStringList, arguments);
        const Outcome outcome = cli(arguments);
        QCOMPARE(outcome.status, 1);
        QVERIFY2(outcome.error.startsWith("cannot write"), outcome.error.constData());
        QCOMPARE(outcome.error.count('\n'), 1);
    }

    void standardOutputThatFails() {
        const auto shell = [](const QString& line) {
            return runProgram("/bin/sh", {"-c", "\"" + program + "\" simulate --format json " + line});
        };
        QCOMPARE(shell(">/dev/full").status, 1);
        QCOMPARE(shell(">&-").status, 1);
        const Outcome head = shell("| head -n 1");
        QCOMPARE(head.status, 0);
        QVERIFY2(head.error.isEmpty(), head.error.constData());
        QCOMPARE(head.output, QByteArray("{\n"));
    }

private:
    QTemporaryDir folder_;
};

QTEST_GUILESS_MAIN(CliTest)
#include "tst_cli.moc"
