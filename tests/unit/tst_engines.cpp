// SPDX-License-Identifier: GPL-3.0-or-later
// What engines launch and set aside: kernels of vllm-ascend against a profiled run, its pages against a served model's
// log, expected loads of the experts.
#include "support/catalog.h"
#include "support/profiled_windows.h"

#include "graph/routing.h"
#include "memory/memory.h"
#include "simulation/kernels.h"

#include <map>

using namespace deltascope;
using namespace deltascope::test;

class TestEngines : public QObject {
    Q_OBJECT
private slots:
    void kernelsOfAWindow_data() {
        QTest::addColumn<int>("window");
        for (int i = 0; i < static_cast<int>(profiledWindows().size()); ++i)
            QTest::newRow(profiledWindows()[static_cast<std::size_t>(i)].name.c_str()) << i;
    }

    void kernelsOfAWindow() {
        QFETCH(int, window);
        const ProfiledWindow& expected = profiledWindows()[static_cast<std::size_t>(window)];
        std::map<std::string, std::int64_t> counts;
        for (const ProfiledForward& forward : expected.forwards) {
            DELTASCOPE_SIMULATE(step, profiledScenario(forward));
            for (const KernelCount& kernel : kernelCounts(step)) counts[kernel.name] += kernel.launches * forward.times;
        }
        for (const ProfiledKernel& kernel : expected.kernels)
            QVERIFY2(counts[kernel.name] == kernel.calls, (kernel.name + " " + std::to_string(counts[kernel.name]) +
                                                           ", profiled " + std::to_string(kernel.calls))
                                                              .c_str());
    }

    void allCountsAreThere() {
        std::size_t n = 0;
        for (const ProfiledWindow& window : profiledWindows()) n += window.kernels.size();
        QCOMPARE(n, std::size_t(61 + 1)); // the 61 and ConcatD
    }

    /// The profile's own rates and times of the window "prefill of 16 requests": 606.877 TOP/s of W8A8 products for
    /// 1,292.29 ms, 307.919 TFLOP/s of MatMulV3 for 177.423 ms, 45,634.355 MB of all-reduce. They fit only when the
    /// products of all three drafts go over all 32,768 tokens and the later drafts' embedding over one of each request.
    void workOfAWindow() {
        double int8 = 0.0, bf16 = 0.0, reduced = 0.0;
        for (const ProfiledForward& forward : profiledWindows()[1].forwards) {
            DELTASCOPE_SIMULATE(step, profiledScenario(forward));
            const double times = static_cast<double>(forward.times);
            step.forEachOperator([&](OperatorRef ref) {
                const Work& work = step.cost(ref).work;
                if (kernelName(step, ref) == "QuantBatchMatmulV3") int8 += times * work.matrixTotal();
                if (kernelName(step, ref) == "MatMulV3") bf16 += times * work.matrixTotal();
                if (step.op(ref).kind == OperatorKind::all_reduce) reduced += times * work.communicated.value();
            });
        }
        QVERIFY(near(int8, 606.877e12 * 1.29229, 1e-5));
        QVERIFY(near(bf16, 307.919e12 * 0.177423, 1e-5));
        QVERIFY(near(reduced, 45'634.355e6, 1e-6));
    }

    /// 64 rotary dims of two bytes and an index of eight a token; the reference reads all 262,144 positions instead.
    void rotaryRowsOfTheStep() {
        for (const auto& [engine, read] : {std::pair("vllm-cuda", 5.0 * (8 + 64 * 2)),
                                           {"vllm-ascend", 5.0 * (8 + 64 * 2)},
                                           {"tensorcast", 262'144.0 * 64 * 2 + 5.0 * 8}}) {
            Scenario s = scenarioOf("Qwen3.5-27B", Phase::decode, 1, 4096);
            s.engine = engine;
            s.queries = 5;
            DELTASCOPE_SIMULATE(step, s);
            const auto cosines = OperatorId::parse("embedding/-/rotary_emb/gather/0");
            const auto ref = step.find(*cosines);
            QVERIFY(ref);
            QCOMPARE(step.cost(*ref).work.read.value(), read);
            QCOMPARE(step.cost(*ref).work.written.value(), 5.0 * 64 * 2);
        }
    }

    /// A served 27B: 262,144 tokens of KV cache are 16.0 GiB; the states of four requests with an FP32 convolution
    /// state of three columns are 598.5 MiB.
    void cacheAndStatesOfAServedModel() {
        Scenario s = scenarioOf("Qwen3.5-27B", Phase::decode, 1, 262143);
        s.engine = "vllm-ascend";
        DELTASCOPE_SIMULATE(step, s);
        QCOMPARE(step.memory.ideal.kvCache.value(), 16.0 * 1024 * 1024 * 1024);

        ResolvedScenario four = step.scenario;
        EngineProfile engine = *four.engine;
        engine.memory->convStateDType = DType::fp32;
        four.engine = std::make_shared<const EngineProfile>(engine);
        four.requests = {{4, 1, 4096, Phase::decode, 0, {}}};
        four.requestCount = 4;
        const IdealMemory ideal = idealMemory(four);
        QCOMPARE(std::round((ideal.recurrentState + ideal.convState).value() / 1024 / 1024 * 10) / 10, 598.5);
    }

    /// 27B at TP 1: a state page is 3,145,728 + 61,440 bytes a layer, a token 4,096; the block is the next multiple of
    /// 128 tokens, 896, whose page over the 16 layers of a group is 58,720,256 bytes.
    void pagesGrowUntilTheyHoldAState() {
        Scenario s = scenarioOf("Qwen3.5-27B", Phase::decode, 1, 4096);
        s.engine = "vllm-ascend";
        s.quantization.linear = Scheme::w8a8Static;
        DELTASCOPE_SIMULATE(step, s);
        QVERIFY(step.memory.engine.has_value());
        const EngineMemory& e = *step.memory.engine;
        QCOMPARE(e.blockTokens, std::int64_t(896));
        QCOMPARE(e.pageBytes.value(), 896.0 * 4096 * 16);
        QCOMPARE(e.groups, std::int64_t(4)); // 16 full layers, three times 16 linear ones
        QCOMPARE(e.blocksPerRequest,
                 std::int64_t(5 + 3)); // 4,097 tokens in blocks of 896, a state in each linear group
        QCOMPARE(e.kvCache.value(), 5 * e.pageBytes.value());
        QCOMPARE(e.states.value(), 3 * e.pageBytes.value());
        QCOMPARE(step.memory.limit.value(), 68719476736.0 * 0.9);
        QVERIFY(e.total() > step.memory.ideal.total());
        QVERIFY(e.requestsFit > 0 && e.contextFit > 4096);
    }

    void withoutSettingsNothingIsSetAside() {
        DELTASCOPE_SIMULATE(step, scenarioOf("Qwen3.5-27B", Phase::decode, 1, 4096));
        QVERIFY(!step.memory.engine);
        QCOMPARE(step.memory.limit.value(), 68719476736.0);
    }

    /// 256 experts, 8 a token: 16 tokens touch 256 * (1 - (31/32)^16) = 101.9 of them.
    void expectedDistinctExperts() {
        Scenario s = scenarioOf("Qwen3.5-35B-A3B", Phase::decode, 1, 4096);
        s.queries = 16;
        DELTASCOPE_SIMULATE(step, s);
        const double expected = 256.0 * (1.0 - std::pow(31.0 / 32.0, 16.0));
        QVERIFY(step.memory.ideal.experts.has_value());
        const ExpertMemory& experts = *step.memory.ideal.experts;
        QVERIFY(std::abs(experts.distinctExperts - expected) < 1e-9);
        QVERIFY(std::abs(experts.touched / experts.resident - expected / 256.0) < 1e-12);
        QCOMPARE(experts.busiestShare, 1.0);
    }

    /// A skew concentrates the rows: fewer distinct experts, more rows on the busiest rank.
    void skewedRouting() {
        Scenario s = scenarioOf("Qwen3.5-35B-A3B", Phase::prefill, 4096, 0);
        s.parallel.tp = 2;
        s.parallel.ep = 2;
        DELTASCOPE_SIMULATE(uniform, s);
        s.routingSkew = 1.0;
        DELTASCOPE_SIMULATE(skewed, s);
        // Zipf over 256 experts dealt to two ranks: the odd ones of 1/e hold sum(1/(2j-1), 128) / sum(1/e, 256)
        double odd = 0.0, all = 0.0;
        for (int e = 1; e <= 256; ++e) {
            all += 1.0 / e;
            if (e % 2 == 1) odd += 1.0 / e;
        }
        QVERIFY(std::abs(skewed.memory.ideal.experts->busiestShare - 2.0 * odd / all) < 1e-12);
        QVERIFY(skewed.memory.ideal.experts->distinctExperts < uniform.memory.ideal.experts->distinctExperts);
        QVERIFY(skewed.totals.time > uniform.totals.time);
    }

    void fp8CacheIsRefusedWhereTheEngineHasNone() {
        Scenario s = scenarioOf("Qwen3.5-27B", Phase::decode, 1, 4096);
        s.engine = "vllm-ascend";
        s.quantization.kvCache = KvDType::fp8;
        const auto refused = simulate(builtIn(), s);
        QVERIFY(!refused);
        QCOMPARE(refused.error().subject, std::string("kv_cache"));
        s.engine = "vllm-cuda";
        QVERIFY(simulate(builtIn(), s));
    }
};

QTEST_GUILESS_MAIN(TestEngines)
#include "tst_engines.moc"
