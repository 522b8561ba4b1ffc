// SPDX-License-Identifier: GPL-3.0-or-later
// Mixtures of experts by hand: which experts get rows, what is moved, and what expert parallelism exchanges.
#include "support/catalog.h"

#include "graph/routing.h"

#include <cmath>

using namespace deltascope;
using namespace deltascope::test;

namespace {

// Qwen3.5-35B-A3B: H 2048, 256 experts of 512 columns, 8 per token, a shared expert of 512; 30 linear and 10 full
// layers, every one with experts.
Scenario small(std::int64_t tokens, std::int64_t tp = 1) {
    Scenario s = scenarioOf("Qwen3.5-35B-A3B", Phase::prefill, tokens, 0);
    s.parallel.tp = tp;
    s.quantization.linear = Scheme::w8a8Static;
    return s;
}

Routing routed(const Scenario& scenario) {
    const auto resolved = validate(builtIn(), scenario);
    if (!resolved) qFatal("%s", resolved.error().text().c_str());
    return routingOf(*resolved, resolved->tokens);
}

/// "kind outputs" of the operators from the router on.
QStringList chainOf(const Block& block) {
    QStringList chain;
    for (const Operator& op : block.operators)
        if (!chain.isEmpty() || op.module == "mlp.gate")
            chain << QString::fromStdString(std::string(nameOf(op.kind)) + ' ' + outputsOf(block, op));
    return chain;
}

const Operator& firstOf(const Block& block, OperatorKind kind) { return *operatorsOf(block, kind).at(0); }

} // namespace

class TestExperts : public QObject {
    Q_OBJECT
private slots:
    void expectedDistinctExperts() {
        // 256 * (1 - (31/32)^4) = 125,055 / 4,096
        const Routing four = routed(small(4));
        QCOMPARE(four.touchedExperts, 125'055.0 / 4096);
        QCOMPARE(four.distinctExperts, four.touchedExperts);
        QCOMPARE(four.rows, 32.0);
        QCOMPARE(routed(small(1)).touchedExperts, 8.0);
        QVERIFY(near(routed(small(100'000)).touchedExperts, 256.0, 1e-12));
    }

    void chainOfOneLayer() {
        DELTASCOPE_SIMULATE(s, small(4, 2));
        QCOMPARE(chainOf(*findBlock(s.step, "linear layer")),
                 (QStringList{"linear 4x256 bf16", // the router is not quantized
                              "cast 4x256 fp32",
                              "max 4x1 fp32",
                              "sub 4x256 fp32",
                              "exp 4x256 fp32",
                              "sum 4x1 fp32",
                              "div 4x256 fp32",
                              "top_k 4x8 fp32, 4x8 int64",
                              "sum 4x1 fp32",
                              "div 4x8 fp32",
                              "cast 4x8 bf16",
                              "moe_permute 32x2048 bf16",
                              "quantize 32x2048 int8",
                              "grouped_matmul_swiglu 32x256 bf16",
                              "quantize 32x256 int8",
                              "grouped_matmul 32x2048 bf16",
                              "all_reduce 32x2048 bf16",
                              "concat 32x2048 bf16",
                              "moe_unpermute 4x8x2048 bf16",
                              "mul 4x8x2048 bf16",
                              "sum 4x2048 bf16",
                              "linear 4x1025 bf16", // the shared expert with its gate, not split
                              "swiglu 4x512 bf16",
                              "quantize 4x512 int8",
                              "linear 4x2048 bf16",
                              "sigmoid 4x1 bf16",
                              "mul 4x2048 bf16",
                              "add 4x2048 bf16",
                              "add 4x2048 bf16"}));
        QCOMPARE(callsOf(s, OperatorKind::grouped_matmul_swiglu), 40);
        QCOMPARE(callsOf(s, OperatorKind::all_reduce), 80);
        QCOMPARE(callsOf(s, OperatorKind::all_to_all), 0);
    }

    void groupedWork() {
        DELTASCOPE_SIMULATE(s, small(4, 2));
        constexpr double touched = 125'055.0 / 4096;
        const Work up = workIn(s, "linear layer", OperatorKind::grouped_matmul_swiglu).value();
        QCOMPARE(up.matrix[static_cast<std::size_t>(DType::int8)], 2.0 * 32 * 2048 * 512);
        QCOMPARE(up.vectorTotal(), 7.0 * 32 * 256);
        QCOMPARE(up.read.value(), 32.0 * 2048 + touched * (2048.0 * 512 + 4 * 512));
        QCOMPARE(up.written.value(), 32.0 * 256 * 2);
        const Work down = workIn(s, "linear layer", OperatorKind::grouped_matmul).value();
        QCOMPARE(down.matrixTotal(), 2.0 * 32 * 256 * 2048);
        QCOMPARE(down.vectorTotal(), 0.0);
        QCOMPARE(down.read.value(), 32.0 * 256 + touched * (256.0 * 2048 + 4 * 2048));
        QCOMPARE(down.written.value(), 32.0 * 2048 * 2);
        const Work permute = workIn(s, "linear layer", OperatorKind::moe_permute).value();
        QCOMPARE(permute.read.value(), 4.0 * 2048 * 2 + 8.0 * 4 * 8);
        QCOMPARE(permute.written.value(), 32.0 * 2048 * 2);
    }

    void expertsInASchemeOfTheirOwn() {
        Scenario scenario = small(4);
        scenario.quantization.experts = Scheme::w4a8Static;
        DELTASCOPE_SIMULATE(s, scenario);
        const Block& layer = *findBlock(s.step, "linear layer");
        const auto weightOf = [&](const Operator& op) { return layer.tensors[layer.inputs(op)[1]].dtype; };
        QCOMPARE(weightOf(firstOf(layer, OperatorKind::grouped_matmul_swiglu)), DType::int4);
        QCOMPARE(weightOf(firstOf(layer, OperatorKind::grouped_matmul)), DType::int4);
        QCOMPARE(weightOf(firstOf(layer, OperatorKind::linear)), DType::int8);
        QCOMPARE(workIn(s, "linear layer", OperatorKind::grouped_matmul)->vectorTotal(),
                 125'055.0 / 4096 * 512 * 2048); // unpacking
        scenario.quantization.experts.reset();
        scenario.quantization.keepBf16 = {"mlp.experts.*"};
        DELTASCOPE_SIMULATE(kept, scenario);
        const Block& plain = *findBlock(kept.step, "linear layer");
        QCOMPARE(plain.tensors[plain.inputs(firstOf(plain, OperatorKind::grouped_matmul))[1]].dtype, DType::bf16);
        QVERIFY(kept.memory.ideal.weights > 1.5 * s.memory.ideal.weights);
    }

    void withoutASharedExpert() {
        DELTASCOPE_SIMULATE(s, scenarioOf("Qwen3-30B-A3B", Phase::prefill, 4, 0));
        QCOMPARE(callsOf(s, OperatorKind::swiglu), 0);
        QCOMPARE(callsOf(s, OperatorKind::sigmoid), 0);
        QCOMPARE(callsOf(s, OperatorKind::grouped_matmul_swiglu), 48);
    }

    // 397B on 16 ranks, 2,171 tokens: 136 each, 1,360 rows; 3 to each of 512 experts, of which 32 are here.
    void expertParallelPrefillOf397B() {
        Scenario scenario = scenarioOf("Qwen3.5-397B-A17B", Phase::prefill, 2171, 0);
        scenario.quantization.linear = Scheme::w8a8Static;
        scenario.parallel.tp = 16;
        scenario.parallel.ep = 16;
        DELTASCOPE_SIMULATE(s, scenario);
        const Routing routing = routed(scenario);
        QCOMPARE(routing.sourceTokens, std::int64_t{136});
        QCOMPARE(routing.sentRows, std::int64_t{1360});
        QCOMPARE(routing.rows, 1536.0);
        QCOMPARE(routing.touchedExperts, 32.0);
        const Block& layer = *findBlock(s.step, "linear layer");
        QCOMPARE(outputsOf(layer, firstOf(layer, OperatorKind::pad)), std::string("2176x4096 bf16"));
        QCOMPARE(outputsOf(layer, firstOf(layer, OperatorKind::moe_permute)), std::string("1360x4096 bf16"));
        QCOMPARE(outputsOf(layer, firstOf(layer, OperatorKind::grouped_matmul_swiglu)), std::string("1536x1024 bf16"));
        const auto exchanges = operatorsOf(layer, OperatorKind::all_to_all);
        QCOMPARE(exchanges.size(), std::size_t{2});
        QCOMPARE(inputsOf(layer, *exchanges[0]) + " -> " + outputsOf(layer, *exchanges[0]),
                 std::string("1360x4096 bf16 -> 1536x4096 bf16"));
        QCOMPARE(inputsOf(layer, *exchanges[1]) + " -> " + outputsOf(layer, *exchanges[1]),
                 std::string("1536x4096 bf16 -> 1360x4096 bf16"));
        for (const Operator* op : exchanges) QCOMPARE(std::get<CollectiveParams>(op->params).ranks, std::int64_t{16});
        const Operator& gathered = firstOf(layer, OperatorKind::all_gather);
        QCOMPARE(inputsOf(layer, gathered), std::string("136x4096 bf16"));
        QCOMPARE(outputsOf(layer, gathered), std::string("2176x4096 bf16"));
        QCOMPARE(callsOf(s, OperatorKind::grouped_matmul_swiglu), 60);
        QCOMPARE(callsOf(s, OperatorKind::grouped_matmul), 60);
        QCOMPARE(callsOf(s, OperatorKind::all_to_all), 120);
        QCOMPARE(callsOf(s, OperatorKind::all_reduce), 60); // of the mixers only
        // the larger of what is sent and received
        QCOMPARE(workIn(s, "linear layer", OperatorKind::all_to_all, 0)->communicated.value(), 1536.0 * 4096 * 2);
    }

    void expertsSpreadOverDataParallelRanks() {
        Scenario scenario = scenarioOf("Qwen3.5-35B-A3B", Phase::decode, 1, 4096);
        scenario.queries = 32;
        scenario.parallel.tp = 2;
        scenario.parallel.dp = 2;
        scenario.parallel.ep = 4;
        // 16 requests a group, 8 tokens a rank, 64 rows: one to each of the 256 experts
        const Routing routing = routed(scenario);
        QCOMPARE(routing.sourceTokens, std::int64_t{8});
        QCOMPARE(routing.rows, 256.0);
        QCOMPARE(routing.touchedExperts, 64.0);
        DELTASCOPE_SIMULATE(s, scenario);
        QCOMPARE(callsOf(s, OperatorKind::pad), 0);
        const Block& layer = *findBlock(s.step, "full layer");
        QCOMPARE(std::get<CollectiveParams>(firstOf(layer, OperatorKind::all_to_all).params).ranks, std::int64_t{4});
        QCOMPARE(std::get<CollectiveParams>(firstOf(layer, OperatorKind::all_gather).params).ranks, std::int64_t{2});
    }

    void skewConcentratesTheRows() {
        double last = 257.0;
        for (double skew : {0.0, 0.3, 1.0, 2.0, 4.0}) {
            Scenario scenario = small(64);
            scenario.routingSkew = skew;
            const Routing routing = routed(scenario);
            QVERIFY(routing.touchedExperts < last);
            QVERIFY(routing.touchedExperts >= 8.0 * 0.5);
            last = routing.touchedExperts;
        }
        Scenario spread = small(4096, 2);
        spread.parallel.ep = 2;
        const Routing even = routed(spread);
        QCOMPARE(even.busiestShare, 1.0);
        spread.routingSkew = 1.0;
        const Routing skewed = routed(spread);
        QVERIFY(skewed.busiestShare > 1.0 && skewed.busiestShare <= 2.0);
        QVERIFY(near(skewed.rows, even.rows * skewed.busiestShare, 1e-12));
        DELTASCOPE_SIMULATE(busy, spread);
        spread.routingSkew = 0.0;
        DELTASCOPE_SIMULATE(calm, spread);
        QVERIFY(busy.totals.time > calm.totals.time);
    }

    void draftsHaveExpertsToo() {
        Scenario scenario = scenarioOf("Qwen3.5-35B-A3B", Phase::decode, 2, 100);
        scenario.mtpTokens = 1;
        DELTASCOPE_SIMULATE(s, scenario);
        QCOMPARE(operatorsOf(*findBlock(s.step, "draft"), OperatorKind::grouped_matmul).size(), std::size_t{1});
        QCOMPARE(callsOf(s, OperatorKind::grouped_matmul), 41);
    }
};

QTEST_GUILESS_MAIN(TestExperts)
#include "tst_experts.moc"
