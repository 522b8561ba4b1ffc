// SPDX-License-Identifier: GPL-3.0-or-later
// Every field of a scenario at its limits and one beyond: a refusal that names field, value, reason and what would
// work, or a result of finite numbers.
#include "support/catalog.h"

#include <cmath>
#include <functional>
#include <limits>

using namespace deltascope;
using namespace deltascope::test;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();

using Change = std::function<void(Scenario&)>;

/// What a refusal has to say: exact code, field and value; parts of the reason and of what would work.
struct Refusal {
    const char* name;
    Change change;
    ErrorCode code;
    const char* field;
    const char* value;
    const char* why;
    const char* accepted;
};

void prefill(Scenario& s) {
    s.phase = Phase::prefill;
    s.contextLength = 0;
}

const std::vector<Refusal>& refusals() {
    using enum ErrorCode;
    static const std::vector<Refusal> list{
        {"model", [](Scenario& s) { s.model = "Qwen9-1B"; }, notFound, "model", "Qwen9-1B", "no such", "Qwen3.5-27B"},
        {"no model", [](Scenario& s) { s.model = ""; }, notFound, "model", "", "no such", "Qwen3.5-27B"},
        {"device", [](Scenario& s) { s.device = "Abacus"; }, notFound, "device", "Abacus", "no such", "NVIDIA_L4"},
        {"engine", [](Scenario& s) { s.engine = "steam"; }, notFound, "engine", "steam", "no such", "tensorcast"},

        {"no request", [](Scenario& s) { s.queries = 0; }, outOfRange, "queries", "0", "", "1 to 4,096"},
        {"4,097 requests", [](Scenario& s) { s.queries = 4097; }, outOfRange, "queries", "4,097", "", "1 to 4,096"},
        {"fewest requests", [](Scenario& s) { s.queries = smallest; }, outOfRange, "queries", "", "", "1 to 4,096"},
        {"most requests", [](Scenario& s) { s.queries = largest; }, outOfRange, "queries", "", "", "1 to 4,096"},
        {"no query", [](Scenario& s) { s.queryLength = 0; }, outOfRange, "query_length", "0", "", "1 to 1,010,000"},
        {"long query", [](Scenario& s) { s.queryLength = 1'010'001; }, outOfRange, "query_length", "1,010,001", "",
         "1 to 1,010,000"},
        {"longest query", [](Scenario& s) { s.queryLength = largest; }, outOfRange, "query_length", "", "",
         "1 to 1,010,000"},
        {"negative context", [](Scenario& s) { s.contextLength = -1; }, outOfRange, "context_length", "-1", "",
         "0 to 1,010,000"},
        {"long context", [](Scenario& s) { s.contextLength = 1'010'001; }, outOfRange, "context_length", "1,010,001",
         "", "0 to 1,010,000"},
        {"decode without context", [](Scenario& s) { s.contextLength = 0; }, contradictory, "context_length", "0",
         "decode", "1 to 1,010,000"},

        {"negative drafts", [](Scenario& s) { s.mtpTokens = -1; }, outOfRange, "mtp_tokens", "-1", "", "0 to 8"},
        {"nine drafts", [](Scenario& s) { s.mtpTokens = 9; }, outOfRange, "mtp_tokens", "9", "", "0 to 8"},
        {"drafts without a head",
         [](Scenario& s) {
             s.model = "Qwen3-8B";
             s.mtpTokens = 1;
         },
         contradictory, "mtp_tokens", "1", "Qwen3-8B has no multi-token-prediction head", "0"},
        {"negative acceptance", [](Scenario& s) { s.acceptance = -0.1; }, outOfRange, "acceptance", "-0.1", "",
         "0 to 1"},
        {"acceptance above 1", [](Scenario& s) { s.acceptance = 1.5; }, outOfRange, "acceptance", "1.5", "", "0 to 1"},
        {"acceptance is no number", [](Scenario& s) { s.acceptance = nan; }, outOfRange, "acceptance", "nan", "",
         "0 to 1"},
        {"accepted less than one", [](Scenario& s) { s.acceptedLength = 0.5; }, outOfRange, "accepted_length", "0.5",
         "1 token", "1 to 1"},
        {"accepted more than drafted",
         [](Scenario& s) {
             s.mtpTokens = 3;
             s.acceptedLength = 4.5;
         },
         outOfRange, "accepted_length", "4.5", "3 accepted drafts", "1 to 4"},
        {"accepted without drafts", [](Scenario& s) { s.acceptedLength = 1.5; }, outOfRange, "accepted_length", "1.5",
         "0 accepted drafts", "1 to 1"},
        {"accepted is infinite", [](Scenario& s) { s.acceptedLength = infinity; }, outOfRange, "accepted_length", "inf",
         "", "1 to 1"},
        {"both ways to say it",
         [](Scenario& s) {
             s.mtpTokens = 2;
             s.acceptance = 0.5;
             s.acceptedLength = 2.0;
         },
         contradictory, "acceptance", "0.5", "accepted_length", "one of the two"},

        {"no layer", [](Scenario& s) { s.layers = 0; }, outOfRange, "layers", "0", "Qwen3.5-27B has 64 layers",
         "1 to 64"},
        {"65 layers", [](Scenario& s) { s.layers = 65; }, outOfRange, "layers", "65", "Qwen3.5-27B has 64 layers",
         "1 to 64"},

        {"tp 0", [](Scenario& s) { s.parallel.tp = 0; }, outOfRange, "tp", "0", "", "1 to 1,024"},
        {"tp 1,025", [](Scenario& s) { s.parallel.tp = 1025; }, outOfRange, "tp", "1,025", "", "1 to 1,024"},
        {"tp 32: key heads", [](Scenario& s) { s.parallel.tp = 32; }, indivisible, "tp", "32",
         "16 linear-attention key heads of Qwen3.5-27B do not divide by 32", "1, 2, 4 or 8"},
        {"tp 16: query heads", [](Scenario& s) { s.parallel.tp = 16; }, indivisible, "tp", "16",
         "24 query heads of Qwen3.5-27B do not divide by 16", "1, 2, 4 or 8"},
        {"tp 3: key heads", [](Scenario& s) { s.parallel.tp = 3; }, indivisible, "tp", "3", "16 linear-attention key",
         "1, 2, 4 or 8"},
        {"tp 3, all full: MLP",
         [](Scenario& s) {
             s.parallel.tp = 3;
             s.allFull = true;
         },
         indivisible, "tp", "3", "17,408 MLP intermediate columns", "1, 2, 4 or 8"},
        {"tp 16 of 0.8B",
         [](Scenario& s) {
             s.model = "Qwen3.5-0.8B";
             s.parallel.tp = 16;
         },
         indivisible, "tp", "16", "8 query heads of Qwen3.5-0.8B", "1, 2, 4 or 8"},
        {"dp 0", [](Scenario& s) { s.parallel.dp = 0; }, outOfRange, "dp", "0", "", "1 to 1,024"},
        {"dp 1,025", [](Scenario& s) { s.parallel.dp = 1025; }, outOfRange, "dp", "1,025", "", "1 to 1,024"},
        {"1,026 ranks",
         [](Scenario& s) {
             s.parallel.tp = 2;
             s.parallel.dp = 513;
         },
         tooLarge, "dp", "513", "tp * dp is 1,026 ranks", "at most 1,024"},
        {"ep 0", [](Scenario& s) { s.parallel.ep = 0; }, outOfRange, "ep", "0", "", "1 to 1,024"},
        {"ep 1,025", [](Scenario& s) { s.parallel.ep = 1025; }, outOfRange, "ep", "1,025", "", "1 to 1,024"},
        {"ep without experts",
         [](Scenario& s) {
             s.parallel.tp = 2;
             s.parallel.ep = 2;
         },
         contradictory, "ep", "2", "Qwen3.5-27B has no experts", "1"},
        {"ep beyond the ranks",
         [](Scenario& s) {
             s.model = "Qwen3.5-35B-A3B";
             s.parallel.tp = 2;
             s.parallel.ep = 4;
         },
         indivisible, "ep", "4", "tp * dp = 2 ranks", "1 or 2"},
        {"ep that cuts experts",
         [](Scenario& s) {
             s.model = "Qwen3.5-35B-A3B";
             s.parallel.dp = 6;
             s.parallel.ep = 6;
         },
         indivisible, "ep", "6", "256 experts of Qwen3.5-35B-A3B", "1 or 2"},
        {"vision_tp 0", [](Scenario& s) { s.parallel.visionTp = 0; }, outOfRange, "vision_tp", "0", "", "1 to 1,024"},
        {"vision_tp 1,025", [](Scenario& s) { s.parallel.visionTp = 1025; }, outOfRange, "vision_tp", "1,025", "",
         "1 to 1,024"},
        {"vision_tp without a tower",
         [](Scenario& s) {
             s.model = "Qwen3-8B";
             s.parallel.visionTp = 2;
         },
         contradictory, "vision_tp", "2", "Qwen3-8B has no vision tower", "1"},
        {"vision_tp that cuts heads",
         [](Scenario& s) {
             s.parallel.tp = 8;
             s.parallel.dp = 4;
             s.parallel.visionTp = 32;
         },
         indivisible, "vision_tp", "32", "16 heads", "1, 2, 4, 8 or 16"},
        {"vision_tp beyond the ranks", [](Scenario& s) { s.parallel.visionTp = 2; }, indivisible, "vision_tp", "2",
         "tp * dp = 1 ranks", "1"},
        {"o_proj_tp 0", [](Scenario& s) { s.parallel.oProjTp = 0; }, outOfRange, "o_proj_tp", "0", "", "1 to 1,024"},
        {"o_proj_tp 16",
         [](Scenario& s) {
             s.parallel.dp = 16;
             s.parallel.oProjTp = 16;
         },
         indivisible, "o_proj_tp", "16", "24 query heads", "1, 2, 4 or 8"},
        {"o_proj_tp beyond the ranks",
         [](Scenario& s) {
             s.parallel.tp = 2;
             s.parallel.oProjTp = 4;
         },
         indivisible, "o_proj_tp", "4", "tp * dp = 2 ranks", "1 or 2"},
        {"lm_head_tp 0", [](Scenario& s) { s.parallel.lmHeadTp = 0; }, outOfRange, "lm_head_tp", "0", "", "1 to 1,024"},
        {"lm_head_tp 1,025", [](Scenario& s) { s.parallel.lmHeadTp = 1025; }, outOfRange, "lm_head_tp", "1,025", "",
         "1 to 1,024"},
        {"lm_head_tp that cuts the vocabulary", [](Scenario& s) { s.parallel.lmHeadTp = 7; }, indivisible, "lm_head_tp",
         "7", "248,320", "divisor of the vocabulary"},
        {"lm_head_tp beyond the ranks", [](Scenario& s) { s.parallel.lmHeadTp = 2; }, indivisible, "lm_head_tp", "2",
         "tp * dp = 1 ranks", "1"},
        {"mtp_lm_head_tp 0", [](Scenario& s) { s.parallel.mtpLmHeadTp = 0; }, outOfRange, "mtp_lm_head_tp", "0", "",
         "1 to 1,024"},
        {"mtp_lm_head_tp that cuts the vocabulary", [](Scenario& s) { s.parallel.mtpLmHeadTp = 3; }, indivisible,
         "mtp_lm_head_tp", "3", "248,320", "divisor of the vocabulary"},
        {"mtp_lm_head_tp beyond the ranks",
         [](Scenario& s) {
             s.parallel.tp = 2;
             s.parallel.mtpLmHeadTp = 4;
         },
         indivisible, "mtp_lm_head_tp", "4", "tp * dp = 2 ranks", "1 or 2"},

        {"no fp8 rate", [](Scenario& s) { s.quantization.linear = Scheme::fp8; }, noRate, "quantization", "FP8",
         "ATLAS_800_A3_560T_128G_DIE has no fp8 matrix rate", "fp32, bf16, fp16 or int8"},
        {"no fp4 rate", [](Scenario& s) { s.quantization.linear = Scheme::mxfp4; }, noRate, "quantization", "MXFP4",
         "has no fp4 matrix rate", "fp32, bf16, fp16 or int8"},
        {"no rate for the lm_head", [](Scenario& s) { s.quantization.lmHead = Scheme::fp8; }, noRate,
         "lm_head_quantization", "FP8", "has no fp8 matrix rate", "int8"},
        {"no rate for the experts",
         [](Scenario& s) {
             s.model = "Qwen3.5-35B-A3B";
             s.quantization.experts = Scheme::fp8;
         },
         noRate, "expert_quantization", "FP8", "has no fp8 matrix rate", "int8"},
        {"experts of a dense model", [](Scenario& s) { s.quantization.experts = Scheme::w8a8Static; }, contradictory,
         "expert_quantization", "W8A8_STATIC", "Qwen3.5-27B has no experts", "left out"},
        {"empty pattern",
         [](Scenario& s) {
             s.quantization.keepBf16 = {"layers.*", ""};
         },
         outOfRange, "keep_bf16", "''", "nothing", "a glob"},

        {"negative prefix", [](Scenario& s) { s.prefixHit = -0.1; }, outOfRange, "prefix_hit", "-0.1", "",
         "0 to less than 1"},
        {"whole prefix", [](Scenario& s) { s.prefixHit = 1.0; }, outOfRange, "prefix_hit", "1", "", "0 to less than 1"},
        {"prefix is no number", [](Scenario& s) { s.prefixHit = nan; }, outOfRange, "prefix_hit", "nan", "",
         "0 to less than 1"},
        {"negative skew", [](Scenario& s) { s.routingSkew = -1.0; }, outOfRange, "routing_skew", "-1", "", "0"},
        {"skew above 4", [](Scenario& s) { s.routingSkew = 4.5; }, outOfRange, "routing_skew", "4.5", "", "to 4"},
        {"skew is no number", [](Scenario& s) { s.routingSkew = nan; }, outOfRange, "routing_skew", "nan", "", "to 4"},
        {"no output", [](Scenario& s) { s.outputLength = 0; }, outOfRange, "output_length", "0", "", "1 to 1,010,000"},
        {"long output", [](Scenario& s) { s.outputLength = 1'010'001; }, outOfRange, "output_length", "1,010,001", "",
         "1 to 1,010,000"},

        {"empty group",
         [](Scenario& s) {
             s.requests = {{0, 1, 1, {}, {}}};
         },
         outOfRange, "requests.count", "0", "", "1 to 4,096"},
        {"4,097 requests in groups",
         [](Scenario& s) {
             s.requests = {{4096, 1, 1, {}, {}}, {1, 1, 1, {}, {}}};
         },
         outOfRange, "requests", "4,097", "too many", "1 to 4,096"},
        {"group without a query",
         [](Scenario& s) {
             s.requests = {{1, 0, 1, {}, {}}};
         },
         outOfRange, "query_length", "0", "", "1 to 1,010,000"},
        {"group with a long context",
         [](Scenario& s) {
             s.requests = {{1, 1, 1, {}, {}}, {1, 1, 1'010'001, {}, {}}};
         },
         outOfRange, "context_length", "1,010,001", "", "0 to 1,010,000"},
        {"decode group without context",
         [](Scenario& s) {
             prefill(s);
             s.requests = {{1, 9, 0, {}, {}}, {1, 1, 0, Phase::decode, {}}};
         },
         contradictory, "context_length", "0", "decode", "1 to 1,010,000"},

        {"tp beyond the interconnect",
         [](Scenario& s) {
             s.device = "ATLAS_300I_DUO_CHIP";
             s.parallel.tp = 4;
         },
         outOfRange, "tp", "4", "interconnect of ATLAS_300I_DUO_CHIP spans 2 devices", "at most 2"},
    };
    return list;
}

struct Limit {
    const char* name;
    Change change;
};

const std::vector<Limit>& limitsThatWork() {
    static const std::vector<Limit> list{
        {"one request", [](Scenario& s) { s.queries = 1; }},
        {"4,096 requests", [](Scenario& s) { s.queries = 4096; }},
        {"query of 1,010,000", [](Scenario& s) { s.queryLength = 1'010'000; }},
        {"context of 1", [](Scenario& s) { s.contextLength = 1; }},
        {"context of 1,010,000", [](Scenario& s) { s.contextLength = 1'010'000; }},
        {"prefill of 1,010,000 on 1,010,000",
         [](Scenario& s) {
             prefill(s);
             s.queryLength = s.contextLength = 1'010'000;
         }},
        {"prefill of one token",
         [](Scenario& s) {
             prefill(s);
             s.queryLength = 1;
         }},
        {"eight drafts", [](Scenario& s) { s.mtpTokens = 8; }},
        {"nothing accepted",
         [](Scenario& s) {
             s.mtpTokens = 8;
             s.acceptance = 0.0;
         }},
        {"all accepted",
         [](Scenario& s) {
             s.mtpTokens = 8;
             s.acceptance = 1.0;
         }},
        {"accepted length at most",
         [](Scenario& s) {
             s.mtpTokens = 3;
             s.acceptedLength = 4.0;
         }},
        {"accepted length at least", [](Scenario& s) { s.acceptedLength = 1.0; }},
        {"one layer", [](Scenario& s) { s.layers = 1; }},
        {"64 layers", [](Scenario& s) { s.layers = 64; }},
        {"tp 8", [](Scenario& s) { s.parallel.tp = 8; }},
        {"dp 1,024", [](Scenario& s) { s.parallel.dp = 1024; }},
        {"1,024 ranks",
         [](Scenario& s) {
             s.parallel.tp = 8;
             s.parallel.dp = 128;
             s.queries = 4096;
         }},
        {"vision_tp 16",
         [](Scenario& s) {
             s.parallel.tp = 8;
             s.parallel.dp = 2;
             s.parallel.visionTp = 16;
         }},
        {"o_proj_tp 8",
         [](Scenario& s) {
             s.parallel.tp = 8;
             s.parallel.oProjTp = 8;
         }},
        {"lm_head_tp 1",
         [](Scenario& s) {
             s.parallel.tp = 2;
             s.parallel.lmHeadTp = 1;
         }},
        {"prefix hit of nearly all",
         [](Scenario& s) {
             prefill(s);
             s.prefixHit = 0.999999;
         }},
        {"skew of 4", [](Scenario& s) { s.routingSkew = 4.0; }},
        {"output of 1", [](Scenario& s) { s.outputLength = 1; }},
        {"output of 1,010,000", [](Scenario& s) { s.outputLength = 1'010'000; }},
        {"4,096 requests in groups",
         [](Scenario& s) {
             s.requests = {{4095, 1, 1'010'000, {}, {}}, {1, 1'010'000, 0, Phase::prefill, {}}};
         }},
        {"pattern that keeps everything",
         [](Scenario& s) {
             s.quantization.linear = Scheme::w8a8Static;
             s.quantization.keepBf16 = {"*"};
         }},
        {"pattern that matches nothing", [](Scenario& s) { s.quantization.keepBf16 = {"nowhere"}; }},
        {"int8 cache", [](Scenario& s) { s.quantization.kvCache = KvDType::int8; }},
        {"fp8 cache", [](Scenario& s) { s.quantization.kvCache = KvDType::fp8; }},
        {"padding mask", [](Scenario& s) { s.paddingMask = true; }},
        {"all full", [](Scenario& s) { s.allFull = true; }},
        {"host eager", [](Scenario& s) { s.host = HostMode::eager; }},
        {"calibration", [](Scenario& s) { s.calibration = true; }},
    };
    return list;
}

} // namespace

class TestValidate : public QObject {
    Q_OBJECT
private slots:
    void refused_data() {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < refusals().size(); ++i) QTest::newRow(refusals()[i].name) << static_cast<int>(i);
    }

    void refused() {
        QFETCH(int, index);
        const Refusal& expected = refusals()[static_cast<std::size_t>(index)];
        Scenario scenario;
        expected.change(scenario);
        const auto result = simulate(builtIn(), scenario);
        QVERIFY2(!result, "accepted");
        const Error& error = result.error();
        const std::string text = error.text();
        QVERIFY2(error.code == expected.code, (std::string(nameOf(error.code)) + ": " + text).c_str());
        QCOMPARE(error.subject, std::string(expected.field));
        if (*expected.value) QCOMPARE(error.value, std::string(expected.value));
        QVERIFY2(error.why.find(expected.why) != error.why.npos, text.c_str());
        QVERIFY2(error.accepted.find(expected.accepted) != error.accepted.npos, text.c_str());
        QVERIFY(!error.why.empty());
        QVERIFY(!error.accepted.empty());
        for (const std::string& part : {error.subject, error.value, error.why, error.accepted})
            QVERIFY2(text.find(part) != text.npos, text.c_str());
        QVERIFY(text.find('\n') == text.npos);
    }

    void accepted_data() {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < limitsThatWork().size(); ++i)
            QTest::newRow(limitsThatWork()[i].name) << static_cast<int>(i);
    }

    void accepted() {
        QFETCH(int, index);
        Scenario scenario;
        limitsThatWork()[static_cast<std::size_t>(index)].change(scenario);
        DELTASCOPE_SIMULATE(s, scenario);
        const std::string problem = impossibleNumber(s);
        QVERIFY2(problem.empty(), problem.c_str());
    }

    void defaultsAreFilledIn() {
        Scenario scenario;
        scenario.mtpTokens = 2;
        DELTASCOPE_SIMULATE(decode, scenario);
        QCOMPARE(decode.scenario.scenario.queryLength.value(), std::int64_t{3});
        QCOMPARE(decode.scenario.scenario.contextLength.value(), std::int64_t{4096});
        QCOMPARE(decode.scenario.lmHeadTp, std::int64_t{1});
        scenario.phase = Phase::prefill;
        scenario.parallel.tp = 2;
        scenario.device = "Ascend910C DIE 560T"; // an alias
        scenario.model = "qwen3.5-27b";
        DELTASCOPE_SIMULATE(prompt, scenario);
        QCOMPARE(prompt.scenario.scenario.queryLength.value(), std::int64_t{1024});
        QCOMPARE(prompt.scenario.scenario.contextLength.value(), std::int64_t{0});
        QCOMPARE(prompt.scenario.oProjTp, std::int64_t{2});
        QCOMPARE(prompt.scenario.lmHeadTp, std::int64_t{2});
        QCOMPARE(prompt.scenario.mtpLmHeadTp, std::int64_t{2});
        QCOMPARE(prompt.scenario.scenario.device, std::string("ATLAS_800_A3_560T_128G_DIE"));
        QCOMPARE(prompt.scenario.scenario.model, std::string("Qwen3.5-27B"));
    }

    void tokensPerStep() {
        Scenario scenario;
        scenario.mtpTokens = 3;
        DELTASCOPE_SIMULATE(assumed, scenario);
        QCOMPARE(assumed.scenario.tokensPerStep, 4.0);
        QVERIFY(QString::fromStdString(assumed.notes.front()).contains("acceptance"));
        scenario.acceptance = 0.5;
        DELTASCOPE_SIMULATE(half, scenario);
        QCOMPARE(half.scenario.tokensPerStep, 1.875); // 1 + 1/2 + 1/4 + 1/8
        QVERIFY(near(half.totals.tokensPerSecond, 1.875 / half.totals.time.value(), 1e-12));
        scenario.acceptance.reset();
        scenario.acceptedLength = 2.6;
        DELTASCOPE_SIMULATE(mean, scenario);
        QCOMPARE(mean.scenario.tokensPerStep, 2.6);
    }

    // Every rank's tokens count, also when the busiest rank has other requests than the rest.
    void tokensOfAllRanks() {
        Scenario scenario;
        scenario.requests = {{1, 100, 0, Phase::prefill, {}}, {3, 1, 50, Phase::decode, {}}};
        scenario.parallel.dp = 2;
        DELTASCOPE_SIMULATE(s, scenario);
        QCOMPARE(s.scenario.tokens, std::int64_t{101});
        QVERIFY2(near(s.totals.tokensPerSecond, 103.0 / s.totals.time.value(), 1e-12),
                 qPrintable(QString::number(s.totals.tokensPerSecond * s.totals.time.value())));
    }

    void busiestRank() {
        Scenario scenario;
        scenario.queries = 4096;
        for (auto [dp, requests] : {std::pair{1, 4096}, {3, 1366}, {1000, 5}, {1024, 4}}) {
            scenario.parallel.dp = dp;
            const auto resolved = validate(builtIn(), scenario);
            QVERIFY(resolved);
            QCOMPARE(resolved->requestCount, std::int64_t{requests});
        }
        scenario.queries = 1;
        const auto idle = validate(builtIn(), scenario);
        QVERIFY(idle);
        QCOMPARE(idle->requestCount, std::int64_t{1});
    }

    void longContextIsNoted() {
        Scenario scenario;
        scenario.contextLength = 262'143;
        DELTASCOPE_SIMULATE(within, scenario);
        const auto noted = [](const Simulation& s) {
            for (const std::string& note : s.notes)
                if (note.find("RoPE scaling") != note.npos) return true;
            return false;
        };
        QVERIFY(!noted(within));
        scenario.contextLength = 262'144;
        DELTASCOPE_SIMULATE(beyond, scenario);
        QVERIFY(noted(beyond));
    }

    void tensorParallelSizesThatWork() {
        const auto sizes = [](const char* model, bool allFull = false) {
            return tensorParallelSizes(*builtIn().findModel(model), allFull);
        };
        using Sizes = std::vector<std::int64_t>;
        QCOMPARE(sizes("Qwen3.5-27B"), (Sizes{1, 2, 4, 8}));
        QCOMPARE(sizes("Qwen3.5-9B"), (Sizes{1, 2, 4, 8, 16}));
        QCOMPARE(sizes("Qwen3.5-0.8B"), (Sizes{1, 2, 4, 8}));
        QCOMPARE(sizes("Qwen3-8B"), (Sizes{1, 2, 4, 8, 16, 32}));
        QCOMPARE(sizes("Qwen3-32B"), (Sizes{1, 2, 4, 8, 16, 32, 64}));
        QCOMPARE(sizes("Qwen3.5-27B", true), (Sizes{1, 2, 4, 8}));
        QCOMPARE(tensorParallelSizes(*builtIn().findModel("Qwen3-32B"), false, 4), (Sizes{1, 2, 4}));
        // What is listed is accepted, and nothing else.
        for (const auto& model : builtIn().models()) {
            const Sizes listed = tensorParallelSizes(*model);
            for (std::int64_t t = 1; t <= 130; ++t) {
                Scenario scenario;
                scenario.model = model->name;
                scenario.parallel.tp = t;
                QCOMPARE(validate(builtIn(), scenario).ok(),
                         std::find(listed.begin(), listed.end(), t) != listed.end());
            }
        }
    }

    // A scheme runs exactly where the device has its rate; a refusal lists the rates there are.
    void schemesByDevice() {
        int refusedCount = 0;
        for (const auto& device : builtIn().devices()) {
            for (std::size_t i = 0; i < schemes.size(); ++i) {
                Scenario scenario;
                scenario.device = device->name;
                scenario.quantization.linear = static_cast<Scheme>(i);
                DType rate = schemes[i].matrix;
                if (rate == DType::bf16) rate = DType::fp16; // the engine's float path
                const auto resolved = validate(builtIn(), scenario);
                QCOMPARE(resolved.ok(), device->matrixRate[static_cast<std::size_t>(rate)].has_value());
                if (resolved) continue;
                ++refusedCount;
                QCOMPARE(resolved.error().code, ErrorCode::noRate);
                QCOMPARE(resolved.error().value, std::string(schemes[i].name));
                for (std::size_t d = 0; d < rateDTypeCount; ++d) {
                    const std::string name(dtypeNames[d]);
                    QCOMPARE(resolved.error().accepted.find(name) != std::string::npos,
                             device->matrixRate[d].has_value());
                }
            }
        }
        QVERIFY(refusedCount > 20);
    }

    void groupsWithinTheInterconnect() {
        for (const auto& device : builtIn().devices()) {
            const std::int64_t span = interconnectSpan(*device);
            for (std::int64_t t : {1, 2, 4, 8, 16, 32, 64}) {
                Scenario scenario;
                scenario.model = "Qwen3-32B";
                scenario.device = device->name;
                scenario.parallel.tp = t;
                const auto result = simulate(builtIn(), scenario);
                QCOMPARE(result.ok(), t <= span);
                if (!result) QVERIFY(result.error().why.find(device->name) != std::string::npos);
            }
        }
    }

    void extremes_data() {
        QTest::addColumn<QString>("device");
        for (const auto& device : builtIn().devices()) QTest::newRow(device->name.c_str()) << device->name.c_str();
    }

    // 4,096 requests of 1,010,000 tokens on contexts of 1,010,000, on one rank and on as many as there can be.
    void extremes() {
        QFETCH(QString, device);
        int simulated = 0;
        for (const auto& model : builtIn().models()) {
            for (const bool isDecode : {false, true}) {
                for (const bool manyRanks : {false, true}) {
                    Scenario scenario =
                        scenarioOf(model->name, isDecode ? Phase::decode : Phase::prefill, 1'010'000, 1'010'000);
                    scenario.device = device.toStdString();
                    scenario.queries = 4096;
                    if (isDecode && model->text.mtpLayers > 0) {
                        scenario.mtpTokens = 8;
                        scenario.queryLength = 9;
                    }
                    if (manyRanks) {
                        const std::int64_t span = interconnectSpan(*builtIn().findDevice(scenario.device));
                        scenario.parallel.tp = tensorParallelSizes(*model, false, span).back();
                        scenario.parallel.dp = 1024 / scenario.parallel.tp;
                    }
                    const auto result = simulate(builtIn(), scenario);
                    if (!result) {
                        QVERIFY2(result.error().code == ErrorCode::unsupported, result.error().text().c_str());
                        continue;
                    }
                    ++simulated;
                    const std::string problem = impossibleNumber(*result);
                    QVERIFY2(problem.empty(), (model->name + ": " + problem).c_str());
                }
            }
        }
        QVERIFY(simulated >= 8 * 4);
    }
};

QTEST_GUILESS_MAIN(TestValidate)
#include "tst_validate.moc"
