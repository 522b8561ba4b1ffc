// SPDX-License-Identifier: GPL-3.0-or-later
// Small models on phones and boards under the mnn engines: linear attention token by token, memory without pages,
// decode speed against the weights' bytes.
#include "support/steps.h"

#include "base/format.h"
#include "memory/memory.h"

#include <fstream>

using namespace deltascope;
using namespace deltascope::test;

namespace {

Scenario edge(std::string_view model, Phase phase, std::int64_t queryLength, std::int64_t contextLength) {
    Scenario s = scenarioOf(model, phase, queryLength, contextLength);
    s.engine = "mnn";
    s.device = "RASPBERRY_PI_5_8GB";
    s.quantization.linear = Scheme::w4a16;
    return s;
}

/// Of Qwen3.5-0.8B: C 6,144 channels, K 4, 16 value heads of 128 x 128; of the others the same by formula.
const OperatorCost* linearAttentionOf(const Simulation& s) {
    for (std::size_t b = 0; b < s.blocks.size(); ++b)
        for (std::size_t i = 0; i < s.step.blocks[b].operators.size(); ++i)
            if (s.step.blocks[b].operators[i].kind == OperatorKind::linear_attention) return &s.blocks[b].costs[i];
    return nullptr;
}

double fp32Vector(const Work& work) { return work.vector[static_cast<std::size_t>(DType::fp32)]; }

Bytes groupOf(const Simulation& s, std::string_view name, bool loaded) {
    for (const MemoryGroup& group : s.memory.ideal.groups)
        if (group.name == name && group.loaded == loaded) return group.bytes;
    return Bytes(-1);
}

} // namespace

class TestEdge : public QObject {
    Q_OBJECT
private slots:
    /// 0.8B, one token: FLOPs 6,144*14 + 16*(7*16,384 + 8*128 + 2*128 + 1); read 12,288 (qkv) + 49,152 (weight) + 96
    /// (beta, g) + 73,728 (three FP32 columns) + 1,048,576 (states); written 73,728 + 1,048,576 + 4,096; moved between
    /// its kernels 49,152. The bandwidth is 0.67 of 17.07 GB/s.
    void oneToken() {
        DELTASCOPE_SIMULATE(s, edge("Qwen3.5-0.8B", Phase::decode, 1, 4096));
        const OperatorCost* cost = linearAttentionOf(s);
        QVERIFY(cost);
        QCOMPARE(fp32Vector(cost->work), 86'016.0 + 1'855'504.0);
        QCOMPARE(cost->work.vectorTotal(), fp32Vector(cost->work));
        QCOMPARE(cost->work.matrixTotal(), 0.0);
        QCOMPARE(cost->work.read.value(), 1'183'840.0);
        QCOMPARE(cost->work.written.value(), 1'126'400.0);
        QCOMPARE(cost->work.scratch.value(), 49'152.0);
        QCOMPARE(cost->work.extraLaunches, 0);
        QVERIFY(near(cost->total.value(), 2'359'392.0 / (17.07e9 * 0.67), 1e-12));
        QCOMPARE(cost->bound, Bound::memory);
    }

    /// Two prompts of 1,000 tokens: 1,000 times the arithmetic of two tokens, but each head's state is moved once per
    /// prompt where it stays in a core's cache, and once per token where it streams.
    void prompts() {
        Scenario scenario = edge("Qwen3.5-0.8B", Phase::prefill, 1000, 0);
        scenario.queries = 2;
        DELTASCOPE_SIMULATE(cached, scenario);
        const Work cpu = linearAttentionOf(cached)->work;
        QCOMPARE(fp32Vector(cpu), 2000.0 * 1'941'520.0);
        const double tokens = 2000.0 * (12'288.0 + 96.0) + 49'152.0; // qkv, beta and g; the weight once
        QCOMPARE(cpu.read.value(), tokens + 2 * (73'728.0 + 1'048'576.0));
        QCOMPARE(cpu.written.value(), 2000.0 * 4'096.0 + 2 * (73'728.0 + 1'048'576.0));
        QCOMPARE(cpu.scratch.value(), 2000.0 * 49'152.0);
        QCOMPARE(cpu.residentScratch.value(), 1000.0 * 49'152.0);

        scenario.engine = "mnn-opencl";
        DELTASCOPE_SIMULATE(streamed, scenario);
        const Work gpu = linearAttentionOf(streamed)->work;
        QCOMPARE(fp32Vector(gpu), fp32Vector(cpu));
        QCOMPARE(gpu.read.value(), tokens + 2 * 73'728.0 + 2000.0 * 1'048'576.0);
        QCOMPARE(gpu.extraLaunches, 2);
        QVERIFY(linearAttentionOf(cached)->bound == Bound::vector &&
                linearAttentionOf(streamed)->bound == Bound::memory);
    }

    void theRecurrentRuleRunsInPrefillToo_data() {
        QTest::addColumn<bool>("isDecode");
        QTest::newRow("prefill") << false;
        QTest::newRow("decode") << true;
    }
    void theRecurrentRuleRunsInPrefillToo() {
        QFETCH(bool, isDecode);
        Scenario scenario =
            isDecode ? edge("Qwen3.5-2B", Phase::decode, 1, 100) : edge("Qwen3.5-2B", Phase::prefill, 100, 0);
        for (const char* engine : {"mnn", "mnn-metal", "mnn-opencl", "mnn-vulkan"}) {
            scenario.engine = engine;
            DELTASCOPE_SIMULATE(s, scenario);
            QCOMPARE(s.step.rule, Rule::recurrent);
            QCOMPARE(s.step.conv, ConvPath::update);
            QCOMPARE(callsOf(s, OperatorKind::linear_attention), std::int64_t(18));
            for (OperatorKind kind :
                 {OperatorKind::linear_attn_chunk_gated_delta_rule,
                  OperatorKind::linear_attn_recurrent_gated_delta_rule, OperatorKind::linear_attn_causal_conv,
                  OperatorKind::linear_attn_causal_conv_update})
                QCOMPARE(callsOf(s, kind), std::int64_t(0));
            QCOMPARE(linearAttentionOf(s)->work.extraLaunches, std::string_view(engine) == "mnn" ? 0 : 2);
        }
    }

    void operatorsOfALinearLayer() {
        Scenario scenario = edge("Qwen3.5-4B", Phase::decode, 1, 100);
        DELTASCOPE_SIMULATE(weightOnly, scenario);
        const QStringList expected{"input_layernorm rms_norm",
                                   "linear_attn.in_proj_qkv linear",
                                   "linear_attn.in_proj_z linear",
                                   "linear_attn.in_proj_b linear",
                                   "linear_attn.in_proj_a linear",
                                   "linear_attn.gating sigmoid",
                                   "linear_attn.gating add",
                                   "linear_attn.gating exp",
                                   "linear_attn.gating mul",
                                   "linear_attn.attention linear_attention",
                                   "linear_attn.norm linear_attn_gated_rmsnorm",
                                   "linear_attn.out_proj linear",
                                   "residual add",
                                   "post_attention_layernorm rms_norm",
                                   "mlp.gate_proj linear",
                                   "mlp.up_proj linear",
                                   "mlp.act_fn swiglu",
                                   "mlp.down_proj linear",
                                   "residual add"};
        QCOMPARE(listOf(*findBlock(weightOnly.step, "linear layer")), expected);

        // int8 activations: one quantize before each input's matmuls; several tokens: one transpose
        scenario.quantization.linear = Scheme::w4a8Dynamic;
        DELTASCOPE_SIMULATE(dynamic, scenario);
        QCOMPARE(operatorsOf(*findBlock(dynamic.step, "linear layer"), OperatorKind::quantize).size(), std::size_t(4));
        scenario.phase = Phase::prefill;
        scenario.queryLength = 2;
        DELTASCOPE_SIMULATE(prompt, scenario);
        QCOMPARE(operatorsOf(*findBlock(prompt.step, "linear layer"), OperatorKind::transpose).size(), std::size_t(1));
        QCOMPARE(listOf(*findBlock(prompt.step, "linear layer")).size(), expected.size() + 4 + 1);
    }

    /// Tables that are computed are not read: two small kernels in place of 2 * 262,144 * 64 * 2 bytes.
    void rotaryTablesAreComputed() {
        DELTASCOPE_SIMULATE(s, edge("Qwen3.5-0.8B", Phase::decode, 1, 4096));
        QCOMPARE(callsOf(s, OperatorKind::gather), std::int64_t(0));
        QCOMPARE(groupOf(s, "RoPE tables", true), Bytes(-1));
        QCOMPARE(groupOf(s, "RoPE tables", false), Bytes(-1));
        QCOMPARE(s.blocks[0].costs[1].work.read.value(), 32.0 * 4 + 8);
    }

    void memoryOfTheSmallest() {
        DELTASCOPE_SIMULATE(s, edge("Qwen3.5-0.8B", Phase::decode, 1, 4095));
        const IdealMemory& m = s.memory.ideal;
        QCOMPARE(m.recurrentState.value(), 18'874'368.0);
        QCOMPARE(m.convState.value(), 2 * 663'552.0); // K - 1 = 3 columns, FP32
        QCOMPARE(m.kvCache.value(), 4096.0 * 12'288.0);
        // The embedding stays in storage; the head that is tied to it is a copy at 4.5 bits.
        QCOMPARE(groupOf(s, "embedding", false).value(), 248'320.0 * 1024 * 2);
        QCOMPARE(groupOf(s, "lm_head", true).value(), 248'320.0 * 1024 * 4.5 / 8);
        QCOMPARE(groupOf(s, "vision tower", false).value(), 100'592'896.0 * 2);
        // No pages: the cache in steps of 64 tokens over the six full layers, the states as they are.
        QVERIFY(s.memory.engine.has_value());
        const EngineMemory& e = *s.memory.engine;
        QCOMPARE(e.blockTokens, std::int64_t(64));
        QCOMPARE(e.pageBytes.value(), 64.0 * 12'288);
        QCOMPARE(e.kvCache.value(), 64 * e.pageBytes.value());
        QCOMPARE(e.states.value(), 18'874'368.0 + 2 * 663'552.0);
        QCOMPARE(e.weights.value(), m.weights.value());
        QCOMPARE(s.memory.limit.value(), 8.0 * 1024 * 1024 * 1024 * 0.6);
        const double request = 64 * e.pageBytes.value() + e.states.value();
        QCOMPARE(e.requestsFit, static_cast<std::int64_t>(e.cacheSpace.value() / request));
        QCOMPARE(e.contextFit, static_cast<std::int64_t>((e.cacheSpace - e.states).value() / e.pageBytes.value()) * 64);

        DELTASCOPE_SIMULATE(longer, edge("Qwen3.5-0.8B", Phase::decode, 1, 4096)); // one token into the next step
        QCOMPARE(longer.memory.engine->kvCache.value(), 65 * e.pageBytes.value());
    }

    /// Every fourth layer keeps keys and values: a quarter of what all layers would.
    void aQuarterOfTheCache_data() { models(); }
    void aQuarterOfTheCache() {
        QFETCH(double, kvPerToken);
        for (std::int64_t context : {4095, 32'767}) {
            Scenario scenario = edge(QTest::currentDataTag(), Phase::decode, 1, context);
            DELTASCOPE_SIMULATE(hybrid, scenario);
            scenario.allFull = true;
            DELTASCOPE_SIMULATE(full, scenario);
            QCOMPARE(hybrid.memory.ideal.kvCache.value(), static_cast<double>(context + 1) * kvPerToken);
            QCOMPARE(full.memory.ideal.kvCache.value(), 4 * hybrid.memory.ideal.kvCache.value());
            QCOMPARE(hybrid.memory.ideal.kvCacheAllFull.value(), full.memory.ideal.kvCache.value());
            QCOMPARE(full.memory.ideal.recurrentState.value(), 0.0);
            QCOMPARE(full.memory.engine->kvCache.value(), 4 * hybrid.memory.engine->kvCache.value());
        }
    }

    /// A decode step reads every weight once: never faster than 4.5 bits of each over the bandwidth, nor, at a short
    /// context, a tenth slower than that and states, cache and activations that it moves too.
    void aStepReadsTheWeights_data() { models(); }
    void aStepReadsTheWeights() {
        QFETCH(double, weights);
        struct Place {
            const char* device;
            const char* engine;
            double bandwidth;
        };
        for (const Place& place :
             {Place{"RASPBERRY_PI_5_8GB", "mnn", 17.07e9 * 0.67}, Place{"SNAPDRAGON_8_GEN_3_CPU", "mnn", 76.8e9 * 0.59},
              Place{"SNAPDRAGON_8_ELITE_CPU", "mnn", 84.8e9 * 0.59},
              Place{"JETSON_ORIN_NANO_SUPER_8GB", "mnn-vulkan", 102.4e9}, Place{"APPLE_M2_16GB", "mnn-metal", 100e9}}) {
            Scenario scenario = edge(QTest::currentDataTag(), Phase::decode, 1, 128);
            scenario.device = place.device;
            scenario.engine = place.engine;
            DELTASCOPE_SIMULATE(s, scenario);
            const double time = s.totals.time.value();
            QVERIFY2(time >= weights / place.bandwidth, place.device);
            const IdealMemory& m = s.memory.ideal;
            const double moved = weights + m.kvCache.value() + 2 * (m.recurrentState + m.convState).value();
            QVERIFY2(time <= 1.1 * moved / place.bandwidth, place.device);
            double stored = 0.0;
            for (const char* group : {"linear attention", "full attention", "MLP", "lm_head"})
                stored += groupOf(s, group, true).value();
            QCOMPARE(stored, weights);
        }
    }

    /// 0.6 of 8 GiB are 5,153,960,755 bytes. All fit with 4,096 tokens; at 32,768 the 9B's cache of 1 GiB is too much.
    void whatFits_data() { models(); }
    void whatFits() {
        QFETCH(double, weights);
        QFETCH(double, kvPerToken);
        QFETCH(bool, fitsLong);
        for (const char* device : {"RASPBERRY_PI_5_8GB", "JETSON_ORIN_NANO_SUPER_8GB"}) {
            for (std::int64_t context : {4095, 32'767}) {
                Scenario scenario = edge(QTest::currentDataTag(), Phase::decode, 1, context);
                scenario.device = device;
                DELTASCOPE_SIMULATE(s, scenario);
                const IdealMemory& m = s.memory.ideal;
                const double tokens = static_cast<double>(context + 1);
                const double needed = weights + groupOf(s, "norms and convolutions", true).value() +
                                      tokens * kvPerToken + (m.recurrentState + m.convState + m.activationPeak).value();
                QCOMPARE(s.memory.used().value(), needed);
                QCOMPARE(s.memory.free() >= Bytes(0), context == 4095 || fitsLong);
                QCOMPARE(s.memory.engine->requestsFit > 0, context == 4095 || fitsLong);
            }
        }
    }

    void oneDeviceOnly_data() {
        QTest::addColumn<int>("field");
        int i = 0;
        for (const char* field : {"tp", "dp", "ep", "vision_tp", "o_proj_tp", "lm_head_tp", "mtp_lm_head_tp"})
            QTest::newRow(field) << i++;
    }
    void oneDeviceOnly() {
        QFETCH(int, field);
        Scenario scenario = edge("Qwen3.5-35B-A3B", Phase::decode, 1, 100);
        Parallelism& p = scenario.parallel;
        switch (field) {
        case 0: p.tp = 2; break;
        case 1: p.dp = 2; break;
        case 2: p.ep = 2; break;
        case 3: p.visionTp = 2; break;
        case 4: p.oProjTp = 2; break;
        case 5: p.lmHeadTp = 2; break;
        default: p.mtpLmHeadTp = 2; break;
        }
        const auto refused = simulate(builtIn(), scenario);
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, ErrorCode::unsupported);
        QCOMPARE(QString::fromStdString(refused.error().text()),
                 QString("%1 2: engine mnn runs on one device and has no collectives; accepted: 1")
                     .arg(QTest::currentDataTag()));
    }

    /// The decode table of docs/edge.md is what comes out: "| model | context | step, tokens/s | ...", device by
    /// device.
    void theDocumentedStepTimes() {
        std::ifstream file(sourceFolder / "docs/edge.md");
        std::vector<std::string> devices;
        int compared = 0;
        for (std::string line; std::getline(file, line);) {
            const QStringList cells = QString::fromStdString(line).split('|', Qt::SkipEmptyParts);
            if (line.starts_with("| model | context | SNAPDRAGON"))
                for (const QString& cell : cells.mid(2)) devices.push_back(cell.trimmed().toStdString());
            if (devices.empty() || !line.starts_with("| Qwen3.5-") || cells.size() != 7) continue;
            for (std::size_t i = 0; i < devices.size(); ++i) {
                const std::int64_t context = cells[1].trimmed().remove(',').toLongLong();
                Scenario scenario = edge(cells[0].trimmed().toStdString(), Phase::decode, 1, context);
                scenario.device = devices[i];
                const bool gpu = devices[i].starts_with("JETSON") || devices[i].starts_with("APPLE");
                scenario.engine = devices[i].starts_with("JETSON") ? "mnn-vulkan" : gpu ? "mnn-metal" : "mnn";
                scenario.quantization.linear = gpu ? Scheme::w4a16 : Scheme::w4a8Dynamic;
                DELTASCOPE_SIMULATE(s, scenario);
                const QString cell = cells[static_cast<int>(i) + 2].trimmed();
                const QString step = QString::fromStdString(formatSeconds(s.totals.time));
                QVERIFY2(cell.startsWith(step + ", "), qPrintable(cell + " documented, " + step));
                QCOMPARE(cell.contains("does not fit"), s.memory.free() < Bytes(0));
                ++compared;
            }
        }
        QCOMPARE(compared, 8 * 5);
    }

    void headFollowsTheScheme() {
        Scenario scenario = edge("Qwen3.5-9B", Phase::decode, 1, 100);
        DELTASCOPE_SIMULATE(follows, scenario);
        QCOMPARE(groupOf(follows, "lm_head", true).value(), 248'320.0 * 4096 * 4.5 / 8);
        scenario.quantization.lmHead = Scheme::bf16;
        DELTASCOPE_SIMULATE(chosen, scenario);
        QCOMPARE(groupOf(chosen, "lm_head", true).value(), 248'320.0 * 4096 * 2);

        scenario.device = "APPLE_M2_16GB"; // no int8
        scenario.quantization.linear = Scheme::w4a8Dynamic;
        const auto refused = simulate(builtIn(), scenario);
        QVERIFY(!refused);
        QCOMPARE(refused.error().subject, std::string("quantization"));
    }

private:
    /// Weights in four bits and a scale and minimum of 16 bits each per 64, of linear and full layers' projections,
    /// MLPs and head; bytes of keys and values per token; whether 32,768 tokens fit in 0.6 of 8 GiB.
    static void models() {
        QTest::addColumn<double>("weights");
        QTest::addColumn<double>("kvPerToken");
        QTest::addColumn<bool>("fitsLong");
        const auto row = [](const char* name, double linear, double full, double mlp, double head, double layers,
                            double kvPerToken, bool fitsLong) {
            const double count = layers * 0.75 * linear + layers * 0.25 * full + layers * mlp + head;
            QTest::newRow(name) << count * 4.5 / 8 << kvPerToken << fitsLong;
        };
        row("Qwen3.5-0.8B", 10'518'528, 7'340'032, 11'010'048, 254'279'680, 24, 12'288, true);
        row("Qwen3.5-2B", 21'037'056, 14'680'064, 37'748'736, 508'559'360, 24, 12'288, true);
        row("Qwen3.5-4B", 42'106'880, 36'700'160, 70'778'880, 635'699'200, 32, 32'768, true);
        row("Qwen3.5-9B", 67'371'008, 58'720'256, 150'994'944, 1'017'118'720, 32, 32'768, false);
    }
};

QTEST_GUILESS_MAIN(TestEdge)
#include "tst_edge.moc"
