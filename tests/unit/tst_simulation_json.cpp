// SPDX-License-Identifier: GPL-3.0-or-later
// A simulation as JSON, CSV and report: the contract's keys, the simulation's numbers, sums that close.
#include "io/json_writer.h"
#include "io/simulation_output.h"
#include "io/text_table.h"
#include "support/catalog.h"

#include <QRegularExpression>

#include <limits>
#include <nlohmann/json.hpp>
#include <set>

using namespace deltascope;
using namespace deltascope::test;
using Json = nlohmann::json;

namespace {

Scenario decodeScenario() {
    Scenario s = scenarioOf("Qwen3.5-27B", Phase::decode, 4, 4250);
    s.mtpTokens = 3;
    s.acceptance = 0.5;
    s.quantization.linear = Scheme::w8a8Static;
    s.parallel.tp = 2;
    return s;
}

std::set<std::string> keysOf(const Json& object) {
    std::set<std::string> keys;
    for (const auto& [key, value] : object.items()) keys.insert(key);
    return keys;
}

std::string missing(const Json& object, const std::set<std::string>& wanted) {
    std::string names;
    for (const std::string& key : wanted)
        if (!object.contains(key)) names += key + " ";
    return names;
}

double sumOf(const Json& rows, const char* key) {
    double sum = 0.0;
    for (const Json& row : rows) sum += row.at(key).get<double>();
    return sum;
}

} // namespace

class SimulationJsonTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        const auto result = simulate(builtIn(), decodeScenario());
        QVERIFY2(result, result ? "" : result.error().text().c_str());
        simulation_ = *result;
        text_ = toJson(simulation_);
        json_ = Json::parse(text_);
    }

    void theContractsKeysAreThere() {
        QCOMPARE(json_.at("schema").get<std::string>(), std::string("deltascope.simulation/1"));
        QCOMPARE(missing(json_, {"scenario", "totals", "operators", "by_kind", "layers", "parts", "step", "memory",
                                 "path", "notes"}),
                 std::string());
        QCOMPARE(
            missing(json_["totals"], {"time_s", "matrix_s", "vector_s", "memory_s", "communication_s", "launch_s",
                                      "share", "tokens_per_s", "tokens_per_s_per_device", "tokens_per_s_per_user"}),
            std::string());
        QCOMPARE(keysOf(json_["totals"]["share"]),
                 (std::set<std::string>{"compute", "memory", "communication", "launch", "host"}));
        QCOMPARE(missing(json_["operators"][0], {"id", "kind", "name", "layer", "part", "start_s", "time_s", "bound",
                                                 "provenance", "shapes", "work"}),
                 std::string());
        QCOMPARE(missing(json_["step"], {"query_lengths", "is_decode", "has_previous_state", "base_decode_query_length",
                                         "mtp_tokens", "effective_decode_steps", "position_starts"}),
                 std::string());
        QCOMPARE(missing(json_["memory"], {"ideal", "engine", "device"}), std::string());
        QCOMPARE(missing(json_["memory"]["ideal"], {"weights_bytes", "kv_cache_bytes", "recurrent_state_bytes",
                                                    "conv_state_bytes", "activation_peak_bytes", "groups"}),
                 std::string());
        for (const char* key : {"by_kind", "layers", "parts"}) QVERIFY2(!json_[key].empty(), key);
        QCOMPARE(missing(json_["by_kind"][0], {"kind", "calls", "time_s"}), std::string());
        QCOMPARE(missing(json_["layers"][0], {"index", "type", "time_s", "kernel_time_s", "communication_s"}),
                 std::string());
        QCOMPARE(missing(json_["parts"][0], {"name", "time_s"}), std::string());
    }

    void theScenarioIsComplete() {
        const Json& s = json_["scenario"];
        QCOMPARE(s["model"].get<std::string>(), std::string("Qwen3.5-27B"));
        QCOMPARE(s["phase"].get<std::string>(), std::string("decode"));
        QCOMPARE(s["query_length"].get<int>(), 4);
        QCOMPARE(s["context_length"].get<int>(), 4250);
        QCOMPARE(s["mtp"]["tokens"].get<int>(), 3);
        QCOMPARE(s["mtp"]["tokens_per_step"].get<double>(), 1.875); // 1 + 1/2 + 1/4 + 1/8
        QCOMPARE(s["quantization"]["linear"].get<std::string>(), std::string("W8A8_STATIC"));
        QCOMPARE(s["parallel"]["tp"].get<int>(), 2);
        QCOMPARE(s["parallel"]["lm_head_tp"].get<int>(), 2); // as tp, filled in
        QCOMPARE(s["layers"].get<int>(), 64);
    }

    void theNumbersAreTheSimulations() {
        QCOMPARE(json_["totals"]["time_s"].get<double>(), simulation_.totals.time.value());
        QCOMPARE(json_["operators"].size(), static_cast<std::size_t>(simulation_.totals.operators));
        const Json& ideal = json_["memory"]["ideal"];
        // 48 layers, 48 value heads / 2 ranks, 128 x 128 fp32, 1 + 3 slots
        QCOMPARE(ideal["recurrent_state_bytes"].get<std::int64_t>(), 301'989'888);
        // 48 layers, (2*16*128 + 48*128) / 2 channels, 4 columns of bf16, 4 slots
        QCOMPARE(ideal["conv_state_bytes"].get<std::int64_t>(), 7'864'320);
        QCOMPARE(ideal["state_slots"].get<int>(), 4);
        double groups = 0.0;
        for (const Json& group : ideal["groups"])
            if (group["loaded"].get<bool>()) groups += group["bytes"].get<double>();
        QCOMPARE(groups, ideal["weights_bytes"].get<double>());
        QCOMPARE(json_["path"]["rule"].get<std::string>(), std::string("recurrent"));
        QCOMPARE(json_["path"]["conv"].get<std::string>(), std::string("update"));
        QVERIFY(json_["step"]["query_lengths"] == Json::array({4}));
        QVERIFY(json_["step"]["is_decode"] == Json::array({true}));
        QVERIFY(json_["step"]["position_starts"] == Json::array({4250}));
        QCOMPARE(json_["step"]["effective_decode_steps"].get<int>(), 4);
        QCOMPARE(json_["step"]["base_decode_query_length"].get<int>(), 1);
    }

    void sumsClose() {
        const double time = json_["totals"]["time_s"].get<double>();
        QVERIFY(near(sumOf(json_["by_kind"], "time_s"), time, 1e-12));
        QVERIFY(near(sumOf(json_["parts"], "time_s"), time, 1e-12));
        QVERIFY(near(sumOf(json_["operators"], "time_s"), time, 1e-12));
        double text = 0.0;
        for (const Json& part : json_["parts"])
            if (part["name"] == "text") text = part["time_s"].get<double>();
        QVERIFY(near(sumOf(json_["layers"], "time_s"), text, 1e-12));
        double shares = 0.0;
        for (const Json& share : json_["totals"]["share"]) shares += share.get<double>();
        QVERIFY(near(shares, 1.0, 1e-12));
    }

    void operatorsFollowEachOther() {
        double end = 0.0;
        std::set<std::string> ids;
        for (const Json& op : json_["operators"]) {
            QVERIFY(near(op["start_s"].get<double>(), end, 1e-9));
            end = op["start_s"].get<double>() + op["time_s"].get<double>();
            const std::string id = op["id"].get<std::string>();
            QVERIFY2(ids.insert(id).second, id.c_str());
            const auto parsed = OperatorId::parse(id);
            QVERIFY2(parsed && simulation_.find(*parsed), id.c_str());
            QCOMPARE(op["layer"].is_null(), id.find("/-/") != std::string::npos);
        }
    }

    void aProjectionIsWrittenInFull() {
        for (const Json& op : json_["operators"]) {
            if (op["id"] != "text/0/linear_attn.in_proj/linear/0") continue;
            QCOMPARE(op["name"].get<std::string>(), std::string("linear_attn.in_proj"));
            QCOMPARE(op["part"].get<std::string>(), std::string("text"));
            QCOMPARE(op["layer"].get<int>(), 0);
            // (2*16*128 + 48*128 + 48*128 + 2*48) / 2 = 8,240 columns, 4 rows
            QVERIFY(op["shapes"]["inputs"][0]["shape"] == Json::array({4, 5120}));
            QCOMPARE(op["shapes"]["inputs"][0]["dtype"].get<std::string>(), std::string("int8"));
            QCOMPARE(op["shapes"]["outputs"][0]["shape"].back().get<int>(), 8240);
            QCOMPARE(op["work"]["matrix_flops"]["int8"].get<double>(), 2.0 * 4 * 5120 * 8240);
            return;
        }
        QFAIL("no such operator");
    }

    void theSameSimulationGivesTheSameBytes() {
        const auto again = simulate(builtIn(), decodeScenario());
        QVERIFY(again);
        QCOMPARE(toJson(*again), text_);
    }

    void limitsStayFinite_data() {
        QTest::addColumn<int>("format");
        for (int i = 0; i < 4; ++i) QTest::addRow("%d", i) << i;
    }
    void limitsStayFinite() {
        QFETCH(int, format);
        Scenario s = scenarioOf("Qwen3.5-0.8B", Phase::prefill, 1'010'000, 1'010'000);
        s.queries = 4096;
        DELTASCOPE_SIMULATE(largest, s);
        const std::string text =
            std::array{toJson, toCsv, toChromeTrace, toReport}[static_cast<std::size_t>(format)](largest);
        const QRegularExpression odd("\\b(nan|inf|infinity)\\b", QRegularExpression::CaseInsensitiveOption);
        QVERIFY(!odd.match(QString::fromStdString(text)).hasMatch());
    }

    void csvHasARowPerOperator() {
        const QStringList lines = QString::fromStdString(toCsv(simulation_)).split('\n');
        QCOMPARE(lines.size(), simulation_.totals.operators + 2); // the header, and nothing after the last line end
        QVERIFY(lines.last().isEmpty());
        const QStringList header = lines.first().split(',');
        double time = 0.0;
        for (int i = 1; i + 1 < lines.size(); ++i) {
            const QStringList cells = lines[i].split(',');
            QCOMPARE(cells.size(), header.size());
            time += cells[header.indexOf("time_s")].toDouble();
        }
        QVERIFY(near(time, simulation_.totals.time.value(), 1e-12));
    }

    void theReportSaysWhatMatters() {
        const std::string report = toReport(simulation_);
        for (const char* part :
             {"Qwen3.5-27B on ATLAS_800_A3_560T_128G_DIE", "decode of 1 request x 4 tokens on 4,250 of context",
              "W8A8 static, KV cache bf16, TP 2, MTP 3 tokens", "recurrent rule, convolution update", "48 x linear",
              "16 x full", "recurrent states", "4 slots per request", "not loaded: vision tower", "limit", "Notes"})
            QVERIFY2(report.find(part) != std::string::npos, part);
        for (const QString& line : QString::fromStdString(report).split('\n'))
            QVERIFY2(line.size() <= 100, qPrintable(line));
    }

    void writerEscapesAndNests() {
        JsonWriter json(0);
        json.object([&] {
            json.field("a\"b", "c\\d\n\x01\xff\xc3\xa9");
            json.list("n", std::vector<double>{0.5, 1e300, -0.0, 3.0, 9007199254740991.0});
            json.field("none", std::optional<int>{});
            json.field("nan", std::numeric_limits<double>::quiet_NaN());
            json.object("empty", [] {});
            json.array("yes", [&] { json.value(true); });
        });
        QCOMPARE(json.take(),
                 std::string("{\"a\\\"b\":\"c\\\\d\\n\\u0001\xEF\xBF\xBD\xc3\xa9\",\"n\":[0.5,1e+300,0,3,"
                             "9007199254740991],\"none\":null,\"nan\":null,\"empty\":{},\"yes\":[true]}\n"));
    }

    void tablesAlignCharactersNotBytes() {
        TextTable table({Align::left, Align::right}, 1);
        table.row({"µs", "1"});
        table.row({"a", "100"});
        table.row({"only"});
        QCOMPARE(table.text(), std::string(" µs      1\n a     100\n only\n"));
        QCOMPARE(wrapped("one two three", 9, 2), std::string("one two\n  three"));
    }

private:
    Simulation simulation_;
    std::string text_;
    Json json_;
};

QTEST_GUILESS_MAIN(SimulationJsonTest)
#include "tst_simulation_json.moc"
