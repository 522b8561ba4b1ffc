// SPDX-License-Identifier: GPL-3.0-or-later
// The step as a whole: which rule runs, the metadata that goes with it, what comes in which order, identities.
#include "support/steps.h"

#include <algorithm>

using namespace deltascope;
using namespace deltascope::test;
using OperatorKind::all_gather;
using OperatorKind::all_reduce;
using OperatorKind::attention;
using OperatorKind::embedding;
using OperatorKind::kv_cache_write;
using OperatorKind::linear;
using OperatorKind::linear_attn_apply_padding_mask;
using OperatorKind::linear_attn_causal_conv;
using OperatorKind::linear_attn_causal_conv_update;
using OperatorKind::linear_attn_chunk_gated_delta_rule;
using OperatorKind::linear_attn_gated_rmsnorm;
using OperatorKind::linear_attn_recurrent_gated_delta_rule;
using OperatorKind::quantize;
using OperatorKind::swiglu;

class TestStep : public QObject {
    Q_OBJECT
private slots:
    void rule_data() {
        QTest::addColumn<int>("query");
        QTest::addColumn<int>("context");
        QTest::addColumn<bool>("isDecode");
        QTest::addColumn<int>("mtp");
        QTest::addColumn<bool>("recurrent");
        QTest::newRow("prefill") << 8 << 0 << false << 0 << false;
        QTest::newRow("prefill of one token") << 1 << 0 << false << 0 << false;
        QTest::newRow("prefill on a context") << 8 << 64 << false << 0 << false;
        QTest::newRow("prefill of one token on a context") << 1 << 64 << false << 0 << false;
        QTest::newRow("decode") << 1 << 64 << true << 0 << true;
        QTest::newRow("decode of two tokens without drafts") << 2 << 64 << true << 0 << false;
        QTest::newRow("decode with three drafts") << 4 << 64 << true << 3 << true;
        QTest::newRow("decode of one token with drafts on") << 1 << 64 << true << 3 << true;
        QTest::newRow("decode of fewer than the drafts") << 3 << 64 << true << 3 << false;
    }

    void rule() {
        QFETCH(int, query);
        QFETCH(int, context);
        QFETCH(bool, isDecode);
        QFETCH(int, mtp);
        QFETCH(bool, recurrent);
        Scenario scenario = scenarioOf(dense, isDecode ? Phase::decode : Phase::prefill, query, context);
        scenario.mtpTokens = mtp;
        DELTASCOPE_SIMULATE(s, scenario);
        QCOMPARE(s.step.rule, recurrent ? Rule::recurrent : Rule::chunk);
        QCOMPARE(s.step.conv, recurrent ? ConvPath::update : ConvPath::body);
        QCOMPARE(callsOf(s, linear_attn_recurrent_gated_delta_rule), recurrent ? 48 : 0);
        QCOMPARE(callsOf(s, linear_attn_causal_conv_update), recurrent ? 48 : 0);
        QCOMPARE(callsOf(s, linear_attn_chunk_gated_delta_rule), recurrent ? 0 : 48);
        QCOMPARE(callsOf(s, linear_attn_causal_conv), recurrent ? 0 : 48);
    }

    void oneRuleForAMixedStep() {
        Scenario scenario = prefill(1);
        scenario.requests = {{2, 1, 64, Phase::decode, {}}, {1, 100, 0, Phase::prefill, {}}};
        DELTASCOPE_SIMULATE(s, scenario);
        QCOMPARE(s.step.rule, Rule::chunk);
        QVERIFY(s.step.metadata.hasPreviousState);
    }

    void multiTokenDecodeIsTheEngines() {
        Scenario scenario = decode(1, 64);
        scenario.mtpTokens = 3;
        scenario.queryLength = 4;
        const auto chunk = [](EngineProfile& e) { e.multiTokenDecode = MultiTokenDecode::chunk; };
        QCOMPARE(stepUnder(scenario, chunk).rule, Rule::chunk);
        scenario.queryLength = 1;
        QCOMPARE(stepUnder(scenario, chunk).rule, Rule::recurrent);
    }

    void noRuleWithoutLinearLayers() {
        DELTASCOPE_SIMULATE(plain, scenarioOf("Qwen3-8B", Phase::decode, 1, 64));
        QCOMPARE(plain.step.rule, Rule::none);
        QCOMPARE(plain.step.conv, ConvPath::none);
        Scenario scenario = decode(1, 64);
        scenario.allFull = true;
        DELTASCOPE_SIMULATE(full, scenario);
        QCOMPARE(full.step.rule, Rule::none);
        QCOMPARE(callsOf(full, attention), 64);
        QCOMPARE(callsOf(full, linear_attn_gated_rmsnorm), 0);
    }

    void paddingMaskComesBeforeTheProjections() {
        Scenario scenario = decode(2, 64);
        scenario.paddingMask = true;
        scenario.quantization.linear = Scheme::w8a8Static;
        DELTASCOPE_SIMULATE(s, scenario);
        const QStringList list = listOf(*findBlock(s.step, "linear layer"));
        const auto mask = list.indexOf("linear_attn.padding_mask linear_attn_apply_padding_mask");
        QCOMPARE(mask, 8); // after the eight kernels of the norm
        QCOMPARE(list[mask - 1], "input_layernorm cast");
        QCOMPARE(list[mask + 1], "linear_attn.in_proj quantize");
        QCOMPARE(list[mask + 2], "linear_attn.in_proj linear");
        QCOMPARE(callsOf(s, linear_attn_apply_padding_mask), 48); // full layers need none
        scenario.paddingMask = false;
        DELTASCOPE_SIMULATE(without, scenario);
        QCOMPARE(callsOf(without, linear_attn_apply_padding_mask), 0);
        QCOMPARE(s.totals.operators, without.totals.operators + 48);
    }

    void metadataOfDraftingDecode() {
        Scenario scenario = decode(2, 100);
        scenario.mtpTokens = 3;
        scenario.queryLength.reset(); // 1 + drafts
        DELTASCOPE_SIMULATE(s, scenario);
        const StepMetadata& m = s.step.metadata;
        QCOMPARE(m.queryLengths, (std::vector<std::int64_t>{4, 4}));
        QCOMPARE(m.isDecode, (std::vector<bool>{true, true}));
        QCOMPARE(m.positionStarts, (std::vector<std::int64_t>{100, 100}));
        QVERIFY(m.hasPreviousState);
        QCOMPARE(m.baseDecodeQueryLength, std::int64_t{1});
        QCOMPARE(m.mtpTokens, std::int64_t{3});
        QCOMPARE(m.effectiveDecodeSteps, std::int64_t{4});
        QCOMPARE(s.scenario.tokens, std::int64_t{8});
    }

    void metadataOfPlainDecodeAndPrefill() {
        DELTASCOPE_SIMULATE(plain, decode(1, 7));
        QVERIFY(plain.step.metadata.hasPreviousState);
        QCOMPARE(plain.step.metadata.baseDecodeQueryLength, std::int64_t{0});
        QCOMPARE(plain.step.metadata.mtpTokens, std::int64_t{0});
        QCOMPARE(plain.step.metadata.effectiveDecodeSteps, std::int64_t{1});
        DELTASCOPE_SIMULATE(fresh, prefill(9));
        QVERIFY(!fresh.step.metadata.hasPreviousState);
        QCOMPARE(fresh.step.metadata.effectiveDecodeSteps, std::int64_t{0});
        QCOMPARE(fresh.step.metadata.isDecode, std::vector<bool>{false});
        QCOMPARE(fresh.step.metadata.positionStarts, std::vector<std::int64_t>{0});
    }

    void positionsStartAtEachContext() {
        Scenario scenario = prefill(1);
        scenario.requests = {
            {2, 5, 0, Phase::prefill, {}}, {1, 3, 70, Phase::prefill, {}}, {1, 1, 9, Phase::decode, {}}};
        DELTASCOPE_SIMULATE(s, scenario);
        const StepMetadata& m = s.step.metadata;
        QCOMPARE(m.queryLengths, (std::vector<std::int64_t>{5, 5, 3, 1}));
        QCOMPARE(m.positionStarts, (std::vector<std::int64_t>{0, 0, 70, 9}));
        QCOMPARE(m.isDecode, (std::vector<bool>{false, false, false, true}));
        QVERIFY(m.hasPreviousState);
        QCOMPARE(s.scenario.tokens, std::int64_t{14});
        QCOMPARE(s.scenario.requestCount, std::int64_t{4});
        QCOMPARE(s.scenario.scenario.queries, std::int64_t{4});
        // logits of the last token of each prefill and of the decode token
        QCOMPARE(paramsOf<LinearParams>(s.step, "head", linear).m, 4.0);
    }

    void logitsOfEveryDecodeToken() {
        Scenario scenario = decode(3, 20);
        scenario.mtpTokens = 3;
        scenario.queryLength = 4;
        DELTASCOPE_SIMULATE(s, scenario);
        QCOMPARE(paramsOf<LinearParams>(s.step, "head", linear).m, 12.0);
        // each draft's head sees the last row of each request
        const Block& draft = *findBlock(s.step, "draft");
        QCOMPARE(outputsOf(draft, *operatorsOf(draft, linear).back()), std::string("3x248320 bf16"));
        std::vector<std::int32_t> drafts;
        for (const Segment& segment : s.step.segments)
            if (segment.part == Part::mtp) drafts.push_back(segment.layer);
        QCOMPARE(drafts, (std::vector<std::int32_t>{0, 1, 2}));
    }

    void wholePrefillOf27B() {
        DELTASCOPE_SIMULATE(s, prefill(2171));
        // 27 operators in a linear layer, 58 in a full one, 3 before and 10 after
        QCOMPARE(s.totals.operators, std::int64_t{48 * 27 + 16 * 58 + 3 + 10});
        QCOMPARE(callsOf(s, linear), 257);
        QCOMPARE(callsOf(s, attention), 16);
        QCOMPARE(callsOf(s, kv_cache_write), 16);
        QCOMPARE(callsOf(s, linear_attn_chunk_gated_delta_rule), 48);
        QCOMPARE(callsOf(s, swiglu), 64);
        QCOMPARE(callsOf(s, quantize), 0);
        QCOMPARE(callsOf(s, embedding), 1);
        QCOMPARE(s.layers.size(), std::size_t{64});
        for (std::size_t i = 0; i < 64; ++i)
            QCOMPARE(s.layers[i].type, i % 4 == 3 ? LayerType::fullAttention : LayerType::linearAttention);
        QCOMPARE(s.totals.devices, std::int64_t{1});
        const double tokensPerSecond = 2171.0 / s.totals.time.value();
        QVERIFY(near(s.totals.tokensPerSecond, tokensPerSecond, 1e-12));
    }

    void wholeDecodeOfSeveralRequestsOnTwoRanks() {
        Scenario scenario = decode(16, 8192);
        scenario.parallel.tp = 2;
        scenario.quantization.linear = Scheme::w8a8Static;
        DELTASCOPE_SIMULATE(s, scenario);
        // 33 operators in a linear layer, 64 in a full one, 3 before and 10 after (no rows to select)
        QCOMPARE(s.totals.operators, std::int64_t{48 * 33 + 16 * 64 + 3 + 10});
        QCOMPARE(callsOf(s, all_reduce), 128);
        QCOMPARE(callsOf(s, all_gather), 1);
        QCOMPARE(callsOf(s, quantize), 256);
        QCOMPARE(callsOf(s, linear_attn_recurrent_gated_delta_rule), 48);
        QCOMPARE(s.totals.devices, std::int64_t{2});
        QVERIFY(near(s.totals.tokensPerSecond, 16.0 / s.totals.time.value(), 1e-12));
        QVERIFY(near(s.totals.tokensPerSecondPerDevice, 8.0 / s.totals.time.value(), 1e-12));
        QVERIFY(near(s.totals.tokensPerSecondPerUser, 1.0 / s.totals.time.value(), 1e-12));
    }

    void dataParallelRanksShareTheRequests() {
        Scenario scenario = decode(10, 64);
        scenario.parallel.dp = 4;
        DELTASCOPE_SIMULATE(s, scenario);
        QCOMPARE(s.scenario.requestCount, std::int64_t{3}); // the busiest of four
        QCOMPARE(s.totals.devices, std::int64_t{4});
        QVERIFY(near(s.totals.tokensPerSecond, 10.0 / s.totals.time.value(), 1e-12));
        QCOMPARE(callsOf(s, all_reduce), 0);
    }

    void firstLayersOnly() {
        Scenario scenario = prefill(8);
        scenario.layers = 5;
        DELTASCOPE_SIMULATE(s, scenario);
        QCOMPARE(s.layers.size(), std::size_t{5});
        QCOMPARE(callsOf(s, attention), 1);
        QCOMPARE(callsOf(s, linear_attn_gated_rmsnorm), 4);
        QCOMPARE(callsOf(s, embedding), 1);
    }

    void identitiesAreUniqueAndFound() {
        Scenario scenario = decode(1, 64);
        scenario.mtpTokens = 2;
        scenario.queryLength = 3;
        scenario.parallel.tp = 2;
        DELTASCOPE_SIMULATE(s, scenario);
        std::vector<std::string> ids;
        s.forEachOperator([&](OperatorRef ref) {
            const OperatorId id = s.id(ref);
            const auto parsed = OperatorId::parse(id.text());
            QVERIFY2(parsed, id.text().c_str());
            QVERIFY(*parsed == id);
            QVERIFY(s.find(id) == ref);
            ids.push_back(id.text());
        });
        QCOMPARE(static_cast<std::int64_t>(ids.size()), s.totals.operators);
        std::sort(ids.begin(), ids.end());
        QVERIFY(std::adjacent_find(ids.begin(), ids.end()) == ids.end());
        QVERIFY(std::binary_search(ids.begin(), ids.end(), std::string("text/12/linear_attn.in_proj/linear/0")));
        QVERIFY(std::binary_search(ids.begin(), ids.end(), std::string("mtp/1/fc/linear/0")));
        QVERIFY(std::binary_search(ids.begin(), ids.end(), std::string("embedding/-/rotary_emb/gather/1")));
    }

    void malformedIdentities() {
        for (const char* text : {"", "text", "text/1/a/linear", "text/1/a/linear/0/0", "body/1/a/linear/0",
                                 "text/x/a/linear/0", "text/-2/a/linear/0", "text/1/a/matmul/0", "text/1/a/linear/-1",
                                 "text/1/a/linear/99999", "text/99999999999/a/linear/0", "text/1/a/linear/0x"}) {
            const auto id = OperatorId::parse(text);
            QVERIFY2(!id, text);
            QCOMPARE(id.error().subject, std::string("operator"));
            QCOMPARE(id.error().value, std::string(text));
            QVERIFY(!id.error().accepted.empty());
        }
    }
};

QTEST_GUILESS_MAIN(TestStep)
#include "tst_step.moc"
