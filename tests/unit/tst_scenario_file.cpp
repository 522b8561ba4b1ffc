// SPDX-License-Identifier: GPL-3.0-or-later
// Scenario files: every key, every refusal with its line, and the way back to text.
#include "base/file.h"
#include "io/named_files.h"
#include "io/scenario_file.h"
#include "scenario/fields.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <fstream>

using namespace deltascope;

namespace {

Scenario parsed(const char* text) {
    const Result<Scenario> scenario = parseScenario(text, "s.yaml");
    if (!scenario) {
        qCritical("%s", scenario.error().text().c_str());
        return {};
    }
    return *scenario;
}

const char* const full = R"(# everything there is
model: Qwen3.5-9B
device: NVIDIA_H20
engine: tensorcast-fused
phase: decode
queries: 16
query_length: 4
context_length: 1010000
mtp:
  tokens: 3
  acceptance: 0.7
quantization: {linear: W4A8_DYNAMIC, experts: fp8, kv_cache: int8, lm_head: W8A16, keep_bf16: ["layers.3.*", "*.out_proj"]}
host: full_and_piecewise
all_full: true
prefix_hit: 0.25
routing_skew: 1.5
parallel: {tp: 2, ep: 4, dp: 8, vision_tp: 2, o_proj_tp: 1, lm_head_tp: 4, mtp_lm_head_tp: 8}
image: {count: 2, height: 1080, width: 1920, min_pixels: 65536, max_pixels: 1000000}
padding_mask: true
layers: 12
calibration: off
output_length: 500
)";

} // namespace

class ScenarioFileTest : public QObject {
    Q_OBJECT

private slots:
    void everyKeyIsRead() {
        const Scenario s = parsed(full);
        QCOMPARE(s.model, std::string("Qwen3.5-9B"));
        QCOMPARE(s.device, std::string("NVIDIA_H20"));
        QCOMPARE(s.engine, std::string("tensorcast-fused"));
        QVERIFY(s.phase == Phase::decode);
        QCOMPARE(s.queries, 16);
        QCOMPARE(s.queryLength.value(), 4);
        QCOMPARE(s.contextLength.value(), 1010000);
        QCOMPARE(s.mtpTokens, 3);
        QCOMPARE(s.acceptance.value(), 0.7);
        QVERIFY(s.quantization.linear == Scheme::w4a8Dynamic);
        QVERIFY(s.quantization.experts == Scheme::fp8);
        QVERIFY(s.quantization.kvCache == KvDType::int8);
        QVERIFY(s.quantization.lmHead == Scheme::w8a16);
        QCOMPARE(s.quantization.keepBf16, (std::vector<std::string>{"layers.3.*", "*.out_proj"}));
        QVERIFY(s.host == HostMode::fullAndPiecewise);
        QVERIFY(s.allFull);
        QCOMPARE(s.prefixHit, 0.25);
        QCOMPARE(s.routingSkew, 1.5);
        QVERIFY((s.parallel == Parallelism{2, 4, 8, 2, 1, 4, 8}));
        QVERIFY((s.image == ImageChoice{2, 1080, 1920, 65536, 1000000}));
        QVERIFY(s.paddingMask);
        QCOMPARE(s.layers.value(), 12);
        QCOMPARE(s.calibration.value(), false);
        QCOMPARE(s.outputLength.value(), 500);
    }

    void requestsAreRead() {
        const Scenario s = parsed("phase: prefill\nrequests:\n  - {query_length: 3510}\n"
                                  "  - {count: 3, query_length: 1, context_length: 16500, phase: decode}\n"
                                  "  - {query_length: 7, image: 1@480x640}\n");
        QCOMPARE(s.requests.size(), std::size_t{3});
        QVERIFY((s.requests[0] == RequestGroup{1, 3510, 0, {}, {}}));
        QVERIFY((s.requests[1] == RequestGroup{3, 1, 16500, Phase::decode, {}}));
        QVERIFY((s.requests[2].image == ImageChoice{1, 480, 640, {}, {}}));
    }

    void anAbsentKeyIsTheDefault() { QVERIFY(parsed("queries: 1\n") == Scenario{}); }

    void wholeNumbersMayBeWrittenAsReal() { QCOMPARE(parsed("query_length: 1e3\n").queryLength.value(), 1000); }

    void textRoundTrip_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("full") << QByteArray(full);
        QTest::newRow("requests") << QByteArray("phase: prefill\nrequests: [{query_length: 5, count: 2, image: "
                                                "{height: 3, width: 4}}, {query_length: 1, context_length: 9, phase: "
                                                "decode}]\n");
        QTest::newRow("accepted length") << QByteArray("mtp: {tokens: 2, accepted_length: 2.4}\n");
        QTest::newRow("odd names") << QByteArray("model: \"a \\\"b\\\\: #c\"\ndevice: \"123\"\nengine: \"true\"\n");
        QTest::newRow("a list that begins with a star") << QByteArray("quantization: {keep_bf16: \"*\"}\n");
    }
    void textRoundTrip() {
        QFETCH(QByteArray, text);
        const Scenario first = parsed(text.constData());
        const std::string written = scenarioText(first);
        const Result<Scenario> again = parseScenario(written, "again");
        QVERIFY2(again.ok(), again ? "" : (again.error().text() + "\n" + written).c_str());
        QVERIFY2(*again == first, written.c_str());
        QCOMPARE(scenarioText(*again), written);
    }

    void refusals_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("message");
        const auto row = [](const char* name, const char* text, const char* message) {
            QTest::newRow(name) << QByteArray(text) << QByteArray(message);
        };
        row("misspelt", "model: x\nqery_length: 3\n",
            "s.yaml:2: qery_length: unknown key; accepted: \"query_length\"?");
        row("misspelt inside", "parallel: {tpp: 3}\n", "s.yaml:1: parallel.tpp: unknown key; accepted: \"tp\"?");
        row("elsewhere", "\ntp: 2\n", "s.yaml:2: tp: unknown key; accepted: tp inside parallel");
        row("elsewhere, deeper", "mtp: {queries: 2}\n",
            "s.yaml:1: mtp.queries: unknown key; accepted: queries outside mtp");
        row("text for a number", "query_length: abc\n",
            "s.yaml:1: query_length \"abc\": is not a whole number; accepted: 1 to 1,010,000");
        row("quoted number", "queries: \"12\"\n",
            "s.yaml:1: queries \"12\": is not a whole number; accepted: 1 to 4,096");
        row("half", "queries: 1.5\n", "s.yaml:1: queries 1.5: is not a whole number; accepted: 1 to 4,096");
        row("huge", "queries: 99999999999999999999\n",
            "s.yaml:1: queries 99999999999999999999: is out of range; accepted: 1 to 4,096");
        row("nan", "prefix_hit: .nan\n",
            "s.yaml:1: prefix_hit .nan: is not a finite number; accepted: 0 to less than 1");
        row("infinite", "mtp: {acceptance: .inf}\n",
            "s.yaml:1: mtp.acceptance .inf: is not a finite number; accepted: 0 to 1");
        row("a list for a number", "queries: [1]\n", "queries");
        row("a map for a name", "model: {a: b}\n", "is not a single value");
        row("a text for a map", "quantization: W8A8_STATIC\n",
            "s.yaml:1: quantization \"W8A8_STATIC\": is not a map; accepted: a map with linear, experts");
        row("scheme", "quantization: {linear: W8A9}\n",
            "s.yaml:1: quantization.linear \"W8A9\": is not known; accepted: BF16, FP16, W8A16, W8A8_STATIC");
        row("phase", "phase: prefil\n", "s.yaml:1: phase \"prefil\": is not known; accepted: prefill or decode");
        row("flag", "all_full: 3\n", "s.yaml:1: all_full 3: is neither true nor false; accepted: true or false");
        row("image text", "image: 1@2\n", "accepted: N@HxW such as 1@1080x1920");
        row("image without width", "image: {height: 3}\n", "image.width: is missing; accepted: 1 to 100,000");
        row("image key", "image: {height: 3, width: 4, hight: 5}\n", "image.hight: unknown key; accepted: \"height\"?");
        row("negative image", "image: {height: -3, width: 4}\n", "image.height -3: is out of range");
        row("request without a length", "requests: [{count: 2}]\n", "requests[0].query_length: is missing");
        row("request out of range", "requests: [{query_length: 2}, {query_length: 0}]\n",
            "requests[1].query_length 0: is out of range; accepted: 1 to 1,010,000");
        row("request key", "requests: [{query_lenght: 2}]\n",
            "requests[0].query_lenght: unknown key; accepted: \"query_length\"?");
        row("request of another kind", "requests: [3]\n", "requests[0] 3: is not a map");
        row("empty requests", "requests: []\n", "requests");
        row("requests and length", "query_length: 4\nrequests: [{query_length: 2}]\n",
            "s.yaml:1: query_length 4: the scenario lists its requests one by one");
        row("empty", "", "the file is empty");
        row("a list", "- 1\n- 2\n", "is not a map of keys");
        row("twice", "queries: 1\nqueries: 2\n", "queries");
        row("garbled", "model: [\n", "s.yaml");
        row("binary", "\x01\x02\xff\xfe", "s.yaml");
    }
    void refusals() {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, message);
        const Result<Scenario> scenario = parseScenario(text.toStdString(), "s.yaml");
        QVERIFY(!scenario);
        const std::string said = scenario.error().text();
        QVERIFY2(said.find(message.toStdString()) != std::string::npos, said.c_str());
        QVERIFY2(said.find('\n') == std::string::npos, said.c_str());
        QVERIFY2(said.starts_with("s.yaml"), said.c_str());
    }

    void deepNestingIsRefused() {
        QVERIFY(!parseScenario(std::string(100'000, '['), "s.yaml"));
        QVERIFY(!parseScenario("model: " + std::string(100'000, '{'), "s.yaml"));
    }

    void pathsAreRelativeToTheFile() {
        const QTemporaryDir folder;
        const std::filesystem::path path = folder.filePath("s.yaml").toStdString();
        QVERIFY(writeFileWhole(path, "model: ./mine/config.json\ndevice: ../d.yaml\nengine: tensorcast\n"));
        const Result<Scenario> scenario = readScenario(path);
        QVERIFY(scenario);
        QCOMPARE(scenario->model, folder.filePath("mine/config.json").toStdString());
        QCOMPARE(scenario->device, (path.parent_path().parent_path() / "d.yaml").string());
        QCOMPARE(scenario->engine, std::string("tensorcast"));
    }

    /// A device of the user's is named by its path, relative to the scenario, and found again from there.
    void filesOfTheUserAreNamedByPath() {
        const QTemporaryDir folder;
        QVERIFY(QDir(folder.path()).mkpath("devices"));
        const QString device = folder.filePath("devices/mine.yaml");
        QVERIFY(QFile::copy(DELTASCOPE_SOURCE_DIR "/devices/NVIDIA_H20.yaml", device));
        Catalog catalog = Catalog::load({{DELTASCOPE_SOURCE_DIR, Origin::builtIn}});
        Scenario scenario;
        scenario.device = device.toStdString();
        QVERIFY(addNamedFiles(catalog, scenario));
        QVERIFY(catalog.findDevice(scenario.device)->origin == Origin::file);

        const std::string path = folder.filePath("s.yaml").toStdString();
        QVERIFY(writeScenario(path, scenario, catalog));
        QFile written(QString::fromStdString(path));
        QVERIFY(written.open(QIODevice::ReadOnly));
        const QByteArray text = written.readAll();
        QVERIFY2(text.contains("device: ./devices/mine.yaml\n"), text.constData());
        Result<Scenario> again = readScenario(path);
        QVERIFY(again);
        QCOMPARE(again->device, device.toStdString());
        QCOMPARE(again->model, scenario.model);
        Catalog fresh = Catalog::load({{DELTASCOPE_SOURCE_DIR, Origin::builtIn}});
        QVERIFY(addNamedFiles(fresh, *again));
        QVERIFY(*again == scenario);
    }

    void aNameThatIsNoFileStaysForTheValidation() {
        Catalog catalog;
        Scenario scenario;
        scenario.model = "nothing-of-this-name";
        QVERIFY(addNamedFiles(catalog, scenario));
        QCOMPARE(scenario.model, std::string("nothing-of-this-name"));
        scenario.model = "./nothing-of-this-name";
        const Result<void> added = addNamedFiles(catalog, scenario);
        QVERIFY(!added);
        QCOMPARE(added.error().subject, std::string("model"));
        QVERIFY(added.error().code == ErrorCode::notFound);
    }

    void unreadableFiles() {
        const QTemporaryDir folder;
        for (const std::string& path : {folder.filePath("none.yaml").toStdString(), folder.path().toStdString()}) {
            const Result<Scenario> scenario = readScenario(path);
            QVERIFY(!scenario);
            QVERIFY2(scenario.error().text().find(path) != std::string::npos, scenario.error().text().c_str());
        }
    }

    void everyFieldHasItsPlace() {
        for (const ScenarioField& field : scenarioFields()) {
            QVERIFY(!field.name.empty() && !field.key.empty() && !field.help.empty());
            QVERIFY(findScenarioField(field.name) == &field);
        }
        QVERIFY(findScenarioField("nothing") == nullptr);
    }

    void filesAreWrittenWholeOrNotAtAll() {
        const QTemporaryDir folder;
        const QString path = folder.filePath("out.txt");
        QVERIFY(writeFileWhole(path.toStdString(), "old"));
        QVERIFY(writeFileWhole(path.toStdString(), "new"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), QByteArray("new"));
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files).size(), 1);

        QVERIFY(!writeFileWhole(folder.path().toStdString(), "x"));
        QVERIFY(!writeFileWhole(folder.filePath("none/out.txt").toStdString(), "x"));
        QCOMPARE(QDir(folder.path()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot).size(), 1);
        QVERIFY(!writeFileWhole("/dev/full", "x"));
        QVERIFY(writeFileWhole("/dev/null", "x"));
    }

    void aLinkIsFollowed() {
        const QTemporaryDir folder;
        const QString target = folder.filePath("target.txt");
        const QString link = folder.filePath("link.txt");
        QVERIFY(writeFileWhole(target.toStdString(), "old"));
        QVERIFY(QFile::link(target, link));
        QVERIFY(writeFileWhole(link.toStdString(), "new"));
        QVERIFY(QFileInfo(link).isSymLink());
        QFile file(target);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), QByteArray("new"));
    }
};

QTEST_GUILESS_MAIN(ScenarioFileTest)
#include "tst_scenario_file.moc"
