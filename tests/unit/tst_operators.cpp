// SPDX-License-Identifier: GPL-3.0-or-later
// Operators by hand: shapes, work, ranks and schemes.
#include "support/steps.h"

#include "scenario/module_scheme.h"

#include <algorithm>

using namespace deltascope;
using namespace deltascope::test;
using OperatorKind::add_rms_norm;
using OperatorKind::all_gather;
using OperatorKind::all_reduce;
using OperatorKind::attention;
using OperatorKind::copy;
using OperatorKind::embedding;
using OperatorKind::gather;
using OperatorKind::kv_cache_write;
using OperatorKind::linear;
using OperatorKind::linear_all_reduce;
using OperatorKind::linear_attn_apply_padding_mask;
using OperatorKind::linear_attn_causal_conv;
using OperatorKind::linear_attn_causal_conv_update;
using OperatorKind::linear_attn_chunk_gated_delta_rule;
using OperatorKind::linear_attn_fused_gdn_gating;
using OperatorKind::linear_attn_gated_rmsnorm;
using OperatorKind::linear_attn_recurrent_gated_delta_rule;
using OperatorKind::quantize;
using OperatorKind::rms_norm;
using OperatorKind::rope;
using OperatorKind::swiglu;

namespace {

double matrixOf(const Work& work, DType dtype) { return work.matrix[static_cast<std::size_t>(dtype)]; }
double vectorOf(const Work& work, DType dtype) { return work.vector[static_cast<std::size_t>(dtype)]; }

/// The one operator of a kind in a block, as "inputs -> outputs".
QString shapesOfOne(const Simulation& s, std::string_view blockName, OperatorKind kind) {
    const Block* block = findBlock(s.step, blockName);
    const auto found = block ? operatorsOf(*block, kind) : std::vector<const Operator*>();
    if (found.size() != 1) return QString("%1 operators").arg(found.size());
    return QString::fromStdString(inputsOf(*block, *found[0]) + " -> " + outputsOf(*block, *found[0]));
}

} // namespace

class TestOperators : public QObject {
    Q_OBJECT
private slots:
    // --- the seven operators of linear attention

    void convolutionBodyMovesNoState() {
        DELTASCOPE_SIMULATE(s, prefill(100));
        QCOMPARE(shapesOfOne(s, "linear layer", linear_attn_causal_conv),
                 "100x10240 bf16, 10240x4 bf16 -> 100x10240 bf16");
        QCOMPARE(callsOf(s, linear_attn_causal_conv_update), 0);
        const Work work = workIn(s, "linear layer", linear_attn_causal_conv).value();
        QCOMPARE(vectorOf(work, DType::fp16), 100.0 * 10240 * 14);
        QCOMPARE(work.vectorTotal(), 14'336'000.0);
        QCOMPARE(work.matrixTotal(), 0.0);
        QCOMPARE(work.read.value(), 2'048'000.0 + 81'920.0);
        QCOMPARE(work.written.value(), 2'048'000.0);
        QCOMPARE(work.scratch.value(), 0.0);
    }

    void convolutionUpdateTouchesItsState() {
        Scenario scenario = decode(3, 10);
        scenario.mtpTokens = 1;
        scenario.queryLength = 2; // (3, 2) is run as (6, 1)
        DELTASCOPE_SIMULATE(s, scenario);
        QCOMPARE(shapesOfOne(s, "linear layer", linear_attn_causal_conv_update),
                 "6x10240 bf16, 10240x4 bf16, 6x10240x4 bf16 -> 6x10240 bf16");
        QCOMPARE(callsOf(s, linear_attn_causal_conv), 0);
        const Work work = workIn(s, "linear layer", linear_attn_causal_conv_update).value();
        QCOMPARE(vectorOf(work, DType::fp16), 860'160.0);
        QCOMPARE(work.read.value(), 122'880.0 + 81'920.0);
        QCOMPARE(work.written.value(), 122'880.0);
        QCOMPARE(work.scratch.value(), 491'520.0);
    }

    void paddingMaskShapes() {
        Scenario scenario = prefill(100);
        scenario.paddingMask = true;
        DELTASCOPE_SIMULATE(s, scenario);
        QCOMPARE(shapesOfOne(s, "linear layer", linear_attn_apply_padding_mask),
                 "100x5120 bf16, 100 int64 -> 100x5120 bf16");
        const Work work = workIn(s, "linear layer", linear_attn_apply_padding_mask).value();
        QCOMPARE(work.read.value(), 1'024'000.0 + 800.0);
        QCOMPARE(work.written.value(), 1'024'000.0);
        QCOMPARE(work.matrixTotal() + work.vectorTotal(), 0.0);
    }

    void gatingRepeatsKeyHeads() {
        DELTASCOPE_SIMULATE(s, prefill(100));
        QCOMPARE(shapesOfOne(s, "linear layer", linear_attn_fused_gdn_gating),
                 "100x16x128 bf16, 100x16x128 bf16, 100x48 bf16, 100x48 bf16, 48 fp32, 48 bf16 -> "
                 "100x48x128 bf16, 100x48x128 bf16, 100x48 bf16, 100x48 fp32");
        const Work work = workIn(s, "linear layer", linear_attn_fused_gdn_gating).value();
        QCOMPARE(vectorOf(work, DType::fp16), 19'200.0);
        QCOMPARE(vectorOf(work, DType::fp32), 33'648.0);
        QCOMPARE(work.read.value(), 819'200.0 + 19'200.0 + 288.0);
        QCOMPARE(work.written.value(), 2'457'600.0 + 28'800.0);
    }

    void chunkRuleWorkAndLaunches() {
        DELTASCOPE_SIMULATE(s, prefill(100)); // two chunks of 64
        const Work work = workIn(s, "linear layer", linear_attn_chunk_gated_delta_rule).value();
        QCOMPARE(matrixOf(work, DType::fp32), 301'989'888.0 + 201'326'592.0 + 603'979'776.0);
        QCOMPARE(work.matrixTotal(), 1'107'296'256.0);
        QCOMPARE(vectorOf(work, DType::fp16), 4'915'200.0);
        QCOMPARE(vectorOf(work, DType::fp32), 4'737'024.0 + 2'359'296.0 + 16'386'048.0 + 3'145'824.0);
        QCOMPARE(work.read.value(), 3'686'400.0 + 28'800.0);
        QCOMPARE(work.written.value(), 1'228'800.0 + 3'145'728.0);
        QCOMPARE(work.scratch.value(), 6'291'456.0 + 19'021'824.0 + 12'582'912.0);
        QVERIFY(work.residentScratch.value() > 0.0);
        QVERIFY(work.residentScratch < work.scratch);
        QCOMPARE(work.extraLaunches, 8);
        const Block* block = findBlock(s.step, "linear layer");
        const auto at = std::find_if(block->operators.begin(), block->operators.end(),
                                     [](const Operator& op) { return op.kind == linear_attn_chunk_gated_delta_rule; });
        const auto index = static_cast<std::uint32_t>(at - block->operators.begin());
        QCOMPARE(s.cost({1, index}).launch.value(), 45e-6);
    }

    void chunkRuleReadsPreviousState() {
        DELTASCOPE_SIMULATE(s, prefill(100, 64));
        QVERIFY(s.step.metadata.hasPreviousState);
        const Work work = workIn(s, "linear layer", linear_attn_chunk_gated_delta_rule).value();
        QCOMPARE(work.read.value(), 3'686'400.0 + 28'800.0 + 3'145'728.0);
        QCOMPARE(work.written.value(), 1'228'800.0 + 3'145'728.0);
    }

    void chunkPackingIsTheEngines() {
        Scenario scenario = prefill(65);
        scenario.queries = 2;
        const Step packed = stepUnder(scenario, [](EngineProfile& e) { e.chunkPacking = ChunkPacking::step; });
        const Step padded = stepUnder(scenario, [](EngineProfile& e) { e.chunkPacking = ChunkPacking::request; });
        const auto a = paramsOf<ChunkRuleParams>(packed, "linear layer", linear_attn_chunk_gated_delta_rule);
        QCOMPARE(a.validTokens, 130.0);
        QCOMPARE(a.paddedTokens, 192.0);
        QCOMPARE(a.sequences, 1.0);
        const auto b = paramsOf<ChunkRuleParams>(padded, "linear layer", linear_attn_chunk_gated_delta_rule);
        QCOMPARE(b.validTokens, 130.0);
        QCOMPARE(b.paddedTokens, 256.0);
        QCOMPARE(b.sequences, 2.0);
    }

    void recurrentRuleReadsAndWritesTheState() {
        DELTASCOPE_SIMULATE(s, decode(3, 10));
        QCOMPARE(shapesOfOne(s, "linear layer", linear_attn_recurrent_gated_delta_rule),
                 "3x48x128 bf16, 3x48x128 bf16, 3x48x128 bf16, 3x48 bf16, 3x48 fp32, 3x48x128x128 fp32 -> "
                 "3x48x128 bf16");
        const Work work = workIn(s, "linear layer", linear_attn_recurrent_gated_delta_rule).value();
        QCOMPARE(matrixOf(work, DType::fp32), 9'437'184.0);
        QCOMPARE(vectorOf(work, DType::fp16), 147'456.0);
        QCOMPARE(vectorOf(work, DType::fp32), 4'774'176.0);
        QCOMPARE(work.read.value(), 110'592.0 + 864.0 + 9'437'184.0);
        QCOMPARE(work.written.value(), 36'864.0 + 9'437'184.0);
        QCOMPARE(work.scratch.value(), 0.0);
        QCOMPARE(work.extraLaunches, 0);
    }

    void gatedNormShapes() {
        DELTASCOPE_SIMULATE(s, prefill(100));
        QCOMPARE(shapesOfOne(s, "linear layer", linear_attn_gated_rmsnorm),
                 "100x48x128 bf16, 100x48x128 bf16, 128 fp32 -> 100x48x128 bf16");
        const Work work = workIn(s, "linear layer", linear_attn_gated_rmsnorm).value();
        QCOMPARE(vectorOf(work, DType::fp32), 7'987'200.0);
        QCOMPARE(work.read.value(), 2'457'600.0 + 512.0);
        QCOMPARE(work.written.value(), 1'228'800.0);
    }

    void extraLaunchesAddUp() {
        Work a, b;
        a.extraLaunches = 3;
        a.read = Bytes(10);
        a.matrix[0] = 7.0;
        a.residentScratch = Bytes(5);
        b.extraLaunches = 5;
        b.read = Bytes(20);
        b.scratch = Bytes(4);
        b.matrix[0] = 1.0;
        b.residentScratch = Bytes(2);
        b.ranks = 2;
        a += b;
        QCOMPARE(a.extraLaunches, 8);
        QCOMPARE(a.read.value(), 30.0);
        QCOMPARE(a.moved().value(), 34.0);
        QCOMPARE(a.matrixTotal(), 8.0);
        QCOMPARE(a.residentScratch.value(), 5.0); // not alive at the same time
        QCOMPARE(a.ranks, std::int64_t{2});
    }

    // --- tensor parallelism

    void sixteenRanks_data() {
        QTest::addColumn<int>("query");
        QTest::addColumn<int>("mtp");
        QTest::addColumn<bool>("isDecode");
        QTest::newRow("prefill") << 100 << 0 << false;
        QTest::newRow("decode") << 1 << 0 << true;
        QTest::newRow("decode with drafts") << 4 << 3 << true;
    }

    // Qwen3.5-9B: 16 key heads, 32 value heads, 16 query heads, 4 key/value heads, I 12288: on 16 ranks 1, 2, 1, 1
    // (replicated) and 768.
    void sixteenRanks() {
        QFETCH(int, query);
        QFETCH(int, mtp);
        QFETCH(bool, isDecode);
        Scenario scenario =
            scenarioOf("Qwen3.5-9B", isDecode ? Phase::decode : Phase::prefill, query, isDecode ? 50 : 0);
        scenario.mtpTokens = mtp;
        scenario.parallel.tp = 16;
        DELTASCOPE_SIMULATE(s, scenario);
        QCOMPARE(s.step.rule, isDecode ? Rule::recurrent : Rule::chunk);
        const QString T = QString::number(query);
        const auto expect = [&](const char* text) { return QString(text).replace("T", T); };
        if (isDecode) {
            QCOMPARE(shapesOfOne(s, "linear layer", linear_attn_causal_conv_update),
                     expect("Tx512 bf16, 512x4 bf16, Tx512x4 bf16 -> Tx512 bf16"));
            QCOMPARE(shapesOfOne(s, "linear layer", linear_attn_recurrent_gated_delta_rule),
                     expect("Tx2x128 bf16, Tx2x128 bf16, Tx2x128 bf16, Tx2 bf16, Tx2 fp32, Tx2x128x128 fp32 -> "
                            "Tx2x128 bf16"));
        } else {
            QCOMPARE(shapesOfOne(s, "linear layer", linear_attn_causal_conv),
                     expect("Tx512 bf16, 512x4 bf16 -> Tx512 bf16"));
            QCOMPARE(shapesOfOne(s, "linear layer", linear_attn_chunk_gated_delta_rule),
                     expect("Tx2x128 bf16, Tx2x128 bf16, Tx2x128 bf16, Tx2 bf16, Tx2 fp32, 1x2x128x128 fp32 -> "
                            "Tx2x128 bf16"));
        }
        QCOMPARE(shapesOfOne(s, "linear layer", linear_attn_fused_gdn_gating),
                 expect("Tx1x128 bf16, Tx1x128 bf16, Tx2 bf16, Tx2 bf16, 2 fp32, 2 bf16 -> "
                        "Tx2x128 bf16, Tx2x128 bf16, Tx2 bf16, Tx2 fp32"));
        QCOMPARE(shapesOfOne(s, "linear layer", linear_attn_gated_rmsnorm),
                 expect("Tx2x128 bf16, Tx2x128 bf16, 128 fp32 -> Tx2x128 bf16"));

        const Block& layer = *findBlock(s.step, "linear layer");
        QStringList products;
        for (const Operator* op : operatorsOf(layer, linear)) products << QString::fromStdString(inputsOf(layer, *op));
        QCOMPARE(products, (QStringList{expect("Tx4096 bf16, 4096x772 bf16"), expect("Tx2x128 bf16, 256x4096 bf16"),
                                        expect("Tx4096 bf16, 4096x1536 bf16"), expect("Tx768 bf16, 768x4096 bf16")}));
        const Block& full = *findBlock(s.step, "full layer");
        QCOMPARE(QString::fromStdString(inputsOf(full, *operatorsOf(full, linear)[0])),
                 expect("Tx4096 bf16, 4096x1024 bf16")); // query and gate of one head, a key and a value head
        QCOMPARE(callsOf(s, all_reduce), 2 * 32 + 2 * mtp);
        for (const Operator* op : operatorsOf(layer, all_reduce))
            QCOMPARE(std::get<CollectiveParams>(op->params).ranks, std::int64_t{16});
    }

    void rowParallelLinearsAreReduced() {
        Scenario scenario = prefill(10);
        scenario.parallel.tp = 2;
        DELTASCOPE_SIMULATE(s, scenario);
        for (const char* name : {"linear layer", "full layer"}) {
            const Block& block = *findBlock(s.step, name);
            QStringList reduced;
            for (std::size_t i = 1; i < block.operators.size(); ++i) {
                if (block.operators[i].kind != all_reduce) continue;
                QCOMPARE(block.operators[i - 1].kind, linear);
                reduced << QString::fromStdString(std::string(block.operators[i].module));
                QCOMPARE(std::get<CollectiveParams>(block.operators[i].params).bytes.value(), 10.0 * 5120 * 2);
            }
            QCOMPARE(reduced.size(), 2);
            QVERIFY(reduced[0].endsWith(".out_proj") || reduced[0].endsWith(".o_proj"));
            QCOMPARE(reduced[1], "mlp.down_proj");
        }
    }

    void fusedEngineOverlapsLinearAndAllReduce() {
        Scenario scenario = prefill(10);
        scenario.parallel.tp = 2;
        scenario.engine = "tensorcast-fused";
        DELTASCOPE_SIMULATE(s, scenario);
        QCOMPARE(callsOf(s, all_reduce), 0);
        QCOMPARE(callsOf(s, linear_all_reduce), 128);
        scenario.parallel.tp = 1;
        DELTASCOPE_SIMULATE(alone, scenario);
        QCOMPARE(callsOf(alone, linear_all_reduce), 0);
    }

    void draftHeadHasItsOwnGroup() {
        Scenario scenario = decode(2, 64);
        scenario.mtpTokens = 2;
        scenario.queryLength = 3;
        scenario.parallel.tp = 4;
        const auto heads = [](const Simulation& s, const char* blockName) {
            const Block& block = *findBlock(s.step, blockName);
            std::string text;
            for (const Operator& op : block.operators)
                if (op.module == "lm_head" && op.kind != gather)
                    text += std::string(nameOf(op.kind)) + ' ' + outputsOf(block, op) + "; ";
            return QString::fromStdString(text);
        };
        DELTASCOPE_SIMULATE(same, scenario);
        QCOMPARE(heads(same, "head"), "linear 6x62080 bf16; all_gather 6x248320 bf16; ");
        QCOMPARE(heads(same, "draft"), "linear 2x62080 bf16; all_gather 2x248320 bf16; ");
        scenario.parallel.mtpLmHeadTp = 2;
        DELTASCOPE_SIMULATE(own, scenario);
        QCOMPARE(heads(own, "head"), "linear 6x62080 bf16; all_gather 6x248320 bf16; ");
        QCOMPARE(heads(own, "draft"), "linear 2x124160 bf16; all_gather 2x248320 bf16; ");
        for (const Operator* op : operatorsOf(*findBlock(own.step, "draft"), all_gather))
            QCOMPARE(std::get<CollectiveParams>(op->params).ranks, std::int64_t{2});
        scenario.parallel.mtpLmHeadTp = 1;
        DELTASCOPE_SIMULATE(whole, scenario);
        QCOMPARE(heads(whole, "draft"), "linear 2x248320 bf16; ");
    }

    // --- quantization

    void quantizedLinearsFollowTheirQuantize() {
        Scenario scenario = prefill(100);
        scenario.quantization.linear = Scheme::w8a8Static;
        DELTASCOPE_SIMULATE(s, scenario);
        for (std::size_t b = 0; b < s.step.blocks.size(); ++b) {
            const Block& block = s.step.blocks[b];
            if (block.name != "linear layer" && block.name != "full layer") continue;
            int linears = 0;
            for (std::size_t i = 0; i < block.operators.size(); ++i) {
                const Operator& op = block.operators[i];
                const Work& work = s.blocks[b].costs[i].work;
                if (op.kind == linear) {
                    ++linears;
                    QCOMPARE(block.operators[i - 1].kind, quantize);
                    QCOMPARE(block.operators[i - 1].module, op.module);
                    QCOMPARE(block.outputs(block.operators[i - 1])[0], block.inputs(op)[0]);
                    QVERIFY(matrixOf(work, DType::int8) > 0.0);
                    QCOMPARE(work.matrixTotal(), matrixOf(work, DType::int8));
                    QCOMPARE(block.tensors[block.inputs(op)[1]].dtype, DType::int8);
                    QCOMPARE(block.tensors[block.outputs(op)[0]].dtype, DType::bf16);
                } else {
                    QCOMPARE(matrixOf(work, DType::int8), 0.0);
                    if (op.kind == quantize) continue;
                    for (std::uint16_t id : block.inputs(op)) QVERIFY(block.tensors[id].dtype != DType::int8);
                    for (std::uint16_t id : block.outputs(op)) QVERIFY(block.tensors[id].dtype != DType::int8);
                }
            }
            QCOMPARE(linears, 4);
        }
        QCOMPARE(callsOf(s, quantize), 256);
        const Block& head = *findBlock(s.step, "head"); // lm_head stays as it is
        QCOMPARE(operatorsOf(head, quantize).size(), std::size_t{0});
        QCOMPARE(inputsOf(head, *operatorsOf(head, linear)[0]), std::string("1x5120 bf16, 5120x248320 bf16"));
    }

    void linearWork_data() {
        QTest::addColumn<int>("scheme");
        QTest::addColumn<int>("matrixRate");
        QTest::addColumn<double>("read");
        QTest::addColumn<double>("vector");
        QTest::addColumn<double>("quantizeWritten"); // 0: there is no quantize
        // down_proj of 3 tokens: M 3, K 17408, N 5120; K*N = 89,128,960
        constexpr double kn = 89'128'960.0;
        const auto row = [](Scheme scheme, DType rate, double read, double vector, double written) {
            QTest::newRow(factsOf(scheme).name.data())
                << static_cast<int>(scheme) << static_cast<int>(rate) << read << vector << written;
        };
        row(Scheme::bf16, DType::fp16, 104'448 + 178'257'920.0, 0, 0);
        row(Scheme::fp16, DType::fp16, 104'448 + 178'257'920.0, 0, 0);
        row(Scheme::w8a16, DType::fp16, 104'448 + kn + 20'480, 0, 0);
        row(Scheme::w8a8Static, DType::int8, 52'224 + kn + 20'480, 0, 52'224);
        row(Scheme::w8a8Dynamic, DType::int8, 52'224 + kn + 20'480, 0, 52'224 + 12);
        row(Scheme::w4a8Static, DType::int8, 52'224 + 44'564'480 + 20'480, kn, 52'224);
        row(Scheme::w4a8Dynamic, DType::int8, 52'224 + 44'564'480 + 20'480, kn, 52'224 + 12);
        row(Scheme::fp8, DType::fp8, 52'224 + kn + 20'480, 0, 52'224 + 12);
        row(Scheme::mxfp4, DType::fp4, 26'112 + 44'564'480 + 2'785'280, 0, 26'112 + 12);
        row(Scheme::w4a16, DType::fp16, 104'448 + 44'564'480 + 1'392'640, 0, 0);
    }

    void linearWork() {
        QFETCH(int, scheme);
        QFETCH(int, matrixRate);
        QFETCH(double, read);
        QFETCH(double, vector);
        QFETCH(double, quantizeWritten);
        Scenario scenario = prefill(3);
        scenario.device = "NVIDIA_B200_SXM";
        scenario.quantization.linear = static_cast<Scheme>(scheme);
        DELTASCOPE_SIMULATE(s, scenario);
        const Work work = workIn(s, "linear layer", linear, 3).value();
        QCOMPARE(work.matrixTotal(), 534'773'760.0);
        QCOMPARE(matrixOf(work, static_cast<DType>(matrixRate)), 534'773'760.0);
        QCOMPARE(work.vectorTotal(), vector);
        QCOMPARE(vectorOf(work, DType::fp32), vector);
        QCOMPARE(work.read.value(), read);
        QCOMPARE(work.written.value(), 30'720.0);
        const auto before = workIn(s, "linear layer", quantize, 3);
        QCOMPARE(before.has_value(), quantizeWritten > 0.0);
        if (before) {
            QCOMPARE(before->read.value(), 104'448.0);
            QCOMPARE(before->written.value(), quantizeWritten);
        }
    }

    void keptLayersGetABlockOfTheirOwn() {
        Scenario scenario = prefill(10);
        scenario.quantization.linear = Scheme::w8a8Static;
        scenario.quantization.keepBf16 = {"layers.3"};
        DELTASCOPE_SIMULATE(s, scenario);
        const auto quantizes = [&](std::uint32_t layer) {
            return operatorsOf(s.step.blocks[s.step.segments[1 + layer].block], quantize).size();
        };
        QCOMPARE(quantizes(3), std::size_t{0});
        for (std::uint32_t layer : {0u, 2u, 7u, 31u, 63u}) QCOMPARE(quantizes(layer), std::size_t{4});
        QCOMPARE(s.step.segments[1 + 7].block, s.step.segments[1 + 63].block);
    }

    void mixedSchemesSplitAMergedProjection() {
        Scenario scenario = prefill(10);
        scenario.quantization.linear = Scheme::w8a8Static;
        scenario.quantization.keepBf16 = {"linear_attn.in_proj_a", "*.in_proj_b"};
        DELTASCOPE_SIMULATE(s, scenario);
        const QStringList list = listOf(*findBlock(s.step, "linear layer"));
        QVERIFY(list.contains("linear_attn.in_proj_qkvz linear"));
        QVERIFY(list.contains("linear_attn.in_proj_ba linear"));
        QVERIFY(!list.contains("linear_attn.in_proj linear"));
        QVERIFY(!list.contains("linear_attn.in_proj_ba quantize"));
        QCOMPARE(list.filter("quantize").size(), 4);
    }

    void globs() {
        QVERIFY(globMatches("*", ""));
        QVERIFY(globMatches("layers.3.*", "layers.3.mlp.down_proj"));
        QVERIFY(!globMatches("layers.3.*", "layers.33.mlp.down_proj"));
        QVERIFY(globMatches("layers.?.*proj", "layers.3.mlp.down_proj"));
        QVERIFY(!globMatches("layers.?", "layers.33"));
        QVERIFY(globMatches("*a*b*c", "xxaxxbxxbxc"));
        QVERIFY(!globMatches("*a*b*c", "xxaxxbxxbx"));
        QVERIFY(!globMatches("", "a"));
        QVERIFY(globMatches("", ""));
        QVERIFY(!globMatches(std::string(40, '*') + "b", std::string(5000, 'a'))); // no blow-up
    }

    // --- full attention

    void attentionWork() {
        Scenario scenario = prefill(1);
        scenario.requests = {{1, 2, 10, Phase::prefill, {}}, {1, 3, 0, Phase::prefill, {}}};
        DELTASCOPE_SIMULATE(s, scenario);
        // S = 2*12 + 3*3 = 33, cached tokens 12 + 3 = 15
        const Work work = workIn(s, "full layer", attention).value();
        QCOMPARE(matrixOf(work, DType::fp16), 4.0 * 33 * 24 * 256);
        QCOMPARE(vectorOf(work, DType::fp16), 4.0 * 33 * 24);
        QCOMPARE(work.read.value(), 5.0 * 24 * 256 * 2 + 15.0 * 2 * 4 * 256 * 2);
        QCOMPARE(work.written.value(), 5.0 * 24 * 256 * 2);
        scenario.quantization.kvCache = KvDType::int8;
        DELTASCOPE_SIMULATE(c8, scenario);
        // with an FP32 scale and offset for each of 2 x 4 x 256 channels, and two operations per cached element
        QCOMPARE(workIn(c8, "full layer", attention)->read.value(), 5.0 * 24 * 256 * 2 + 15.0 * 2 * 4 * 256 + 16'384);
        QCOMPARE(vectorOf(*workIn(c8, "full layer", attention), DType::fp32), 15.0 * 2 * 4 * 256 * 2);
        const Step discounted = stepUnder(scenario, [](EngineProfile& e) { e.causalDiscount = true; });
        // 2*(10 + 1.5) + 3*(0 + 2) = 29
        QCOMPARE(paramsOf<AttentionParams>(discounted, "full layer", attention).scorePairs, 29.0);
    }

    /// An INT8 cache: scales ride along; an engine may attend on a dense copy in prefill.
    void int8Cache() {
        Scenario scenario = decode(2, 31);
        scenario.quantization.kvCache = KvDType::int8;
        DELTASCOPE_SIMULATE(s, scenario);
        QCOMPARE(shapesOfOne(s, "full layer", kv_cache_write),
                 "2x4x256 bf16, 2x4x256 bf16, 2 int64, 2x2x1024 fp32 -> 2x2x4x256 int8");
        QCOMPARE(workIn(s, "full layer", kv_cache_write)->read.value(), 2.0 * 2 * 1024 * 2 + 16 + 16'384);
        QCOMPARE(workIn(s, "full layer", kv_cache_write)->written.value(), 2.0 * 2 * 1024);
        QCOMPARE(shapesOfOne(s, "full layer", attention),
                 "2x24x256 bf16, 2x64x4x256 int8, 2x2x1024 fp32 -> 2x24x256 bf16");
        scenario.parallel.tp = 2;
        DELTASCOPE_SIMULATE(halves, scenario);
        QCOMPARE(shapesOfOne(halves, "full layer", attention),
                 "2x12x256 bf16, 2x64x2x256 int8, 2x2x512 fp32 -> 2x12x256 bf16");

        scenario.parallel.tp = 1;
        scenario.quantization.kvCache = KvDType::fp8;
        DELTASCOPE_SIMULATE(fp8, scenario);
        QCOMPARE(shapesOfOne(fp8, "full layer", attention), "2x24x256 bf16, 2x64x4x256 fp8 -> 2x24x256 bf16");
        QCOMPARE(workIn(fp8, "full layer", attention)->read.value(), 2.0 * 24 * 256 * 2 + 64.0 * 2 * 4 * 256);
        QCOMPARE(vectorOf(*workIn(fp8, "full layer", attention), DType::fp32), 0.0);
    }

    void int8CacheOfADensePrefill() {
        const auto attends = [](const Scenario& chosen) {
            const Step step = stepUnder(chosen, [](EngineProfile& e) { e.denseInt8Prefill = true; });
            const Block& block = *findBlock(step, "full layer");
            std::string text;
            for (const Operator* op : operatorsOf(block, gather))
                text += inputsOf(block, *op) + " -> " + outputsOf(block, *op) + "; ";
            return QString::fromStdString(text + inputsOf(block, *operatorsOf(block, attention).at(0)));
        };
        Scenario scenario = prefill(10);
        scenario.quantization.kvCache = KvDType::int8;
        QCOMPARE(attends(scenario), "10x24x256 bf16, 10x4x256 bf16, 10x4x256 bf16"); // float keys and values
        scenario.contextLength = 30;
        QCOMPARE(attends(scenario),
                 "2x40x4x256 int8, 2x2x1024 fp32 -> 2x40x4x256 bf16; 10x24x256 bf16, 2x40x4x256 bf16");
        Scenario mixed = scenario;
        mixed.requests = {{1, 10, 0, Phase::prefill, {}}, {1, 1, 29, Phase::decode, {}}};
        QCOMPARE(attends(mixed), "2x40x4x256 int8, 2x2x1024 fp32 -> 2x40x4x256 bf16; 11x24x256 bf16, 2x40x4x256 bf16");
        Scenario later = decode(1, 39);
        later.quantization.kvCache = KvDType::int8;
        QCOMPARE(attends(later), "1x24x256 bf16, 2x40x4x256 int8, 2x2x1024 fp32");
    }

    void copiesMakeQueryAndKeyContiguous_data() {
        QTest::addColumn<int>("tokens");
        QTest::addColumn<int>("tp");
        QTest::addColumn<int>("copies");
        QTest::newRow("two of q, one of k") << 4 << 2 << 3;
        QTest::newRow("one key head: two of q") << 4 << 4 << 2;
        QTest::newRow("one token: one of q") << 1 << 2 << 1;
    }

    void copiesMakeQueryAndKeyContiguous() {
        QFETCH(int, tokens);
        QFETCH(int, tp);
        QFETCH(int, copies);
        Scenario scenario = prefill(tokens);
        scenario.parallel.tp = tp;
        DELTASCOPE_SIMULATE(s, scenario);
        QCOMPARE(operatorsOf(*findBlock(s.step, "full layer"), copy).size(), static_cast<std::size_t>(copies));
    }

    void keyValueHeadsAreReplicatedBeyondTheirNumber() {
        Scenario scenario = scenarioOf("Qwen3.5-9B", Phase::decode, 1, 99); // 4 key/value heads
        for (auto [tp, heads] : {std::pair{1, 4.0}, {2, 2.0}, {4, 1.0}, {8, 1.0}, {16, 1.0}}) {
            scenario.parallel.tp = tp;
            DELTASCOPE_SIMULATE(s, scenario);
            const auto params = paramsOf<AttentionParams>(s.step, "full layer", attention);
            QCOMPARE(params.keyValueHeads, heads);
            QCOMPARE(params.queryHeads, 16.0 / tp);
        }
    }

    /// Llama: the layers of Qwen3 without norms of query and key.
    void layersOfLlama() {
        Catalog catalog = builtIn();
        const auto name = catalog.addModel(sourceFolder / "tests/data/models/Llama-3.1-8B");
        QVERIFY2(name, name ? "" : name.error().text().c_str());
        Scenario scenario = scenarioOf(*name, Phase::decode, 1, 99);
        const auto s = simulate(catalog, scenario);
        QVERIFY2(s, s ? "" : s.error().text().c_str());
        QCOMPARE(listOf(*findBlock(s->step, "full layer")),
                 (QStringList{"input_layernorm rms_norm", "self_attn.qkv_proj linear", "self_attn.rotary_emb rope",
                              "self_attn.cache kv_cache_write", "self_attn.attention attention",
                              "self_attn.o_proj linear", "post_attention_layernorm add_rms_norm",
                              "mlp.gate_up_proj linear", "mlp.act_fn swiglu", "mlp.down_proj linear", "residual add"}));
        QCOMPARE(shapesOfOne(*s, "full layer", attention), "1x32x128 bf16, 2x100x8x128 bf16 -> 1x32x128 bf16");
        QCOMPARE(shapesOfOne(*s, "head", linear), "1x4096 bf16, 4096x128256 bf16 -> 1x128256 bf16");
        QCOMPARE(shapesOfOne(*s, "full layer", rope),
                 "1x32x128 bf16, 1x8x128 bf16, 1x128 bf16, 1x128 bf16 -> 1x32x128 bf16, 1x8x128 bf16");
        QCOMPARE(s->step.rule, Rule::none);
        QCOMPARE(s->layers.size(), std::size_t{32});
        scenario.parallel.tp = 8;
        scenario.quantization.linear = Scheme::w8a8Dynamic;
        const auto split = simulate(catalog, scenario);
        QVERIFY2(split, split ? "" : split.error().text().c_str());
        QCOMPARE(shapesOfOne(*split, "full layer", attention), "1x4x128 bf16, 2x100x1x128 bf16 -> 1x4x128 bf16");
        QCOMPARE(callsOf(*split, all_reduce), 64);
        scenario.mtpTokens = 1;
        scenario.queryLength = {};
        const auto drafting = simulate(catalog, scenario);
        QVERIFY(!drafting);
        QCOMPARE(drafting.error().subject, std::string("mtp_tokens"));
    }

    void weightScaledNormsAreOneKernel() {
        DELTASCOPE_SIMULATE(s, scenarioOf("Qwen3-8B", Phase::prefill, 10, 0));
        QCOMPARE(listOf(*findBlock(s.step, "full layer")),
                 (QStringList{"input_layernorm rms_norm", "self_attn.qkv_proj linear", "self_attn.q_norm rms_norm",
                              "self_attn.k_norm rms_norm", "self_attn.rotary_emb rope",
                              "self_attn.cache kv_cache_write", "self_attn.attention attention",
                              "self_attn.o_proj linear", "post_attention_layernorm add_rms_norm",
                              "mlp.gate_up_proj linear", "mlp.act_fn swiglu", "mlp.down_proj linear", "residual add"}));
        // H 4096, 32 query and 8 key/value heads of 128
        QCOMPARE(workIn(s, "full layer", rms_norm)->read.value(), 10.0 * 4096 * 2 + 4096 * 2);
        QCOMPARE(vectorOf(*workIn(s, "full layer", rms_norm), DType::fp32), 5.0 * 10 * 4096);
        const Work added = workIn(s, "full layer", add_rms_norm).value();
        QCOMPARE(vectorOf(added, DType::fp32), 6.0 * 10 * 4096);
        QCOMPARE(added.moved().value(), 4.0 * 10 * 4096 * 2 + 4096 * 2);
        const Work rotated = workIn(s, "full layer", rope).value();
        QCOMPARE(rotated.read.value(), 10.0 * 40 * 128 * 2 + 2.0 * 10 * 128 * 2);
        QCOMPARE(rotated.written.value(), 10.0 * 40 * 128 * 2);
        const Work activated = workIn(s, "full layer", swiglu).value();
        QCOMPARE(activated.vectorTotal(), 7.0 * 10 * 12288);
        QCOMPARE(activated.read.value(), 2.0 * 10 * 12288 * 2);
        QCOMPARE(activated.written.value(), 10.0 * 12288 * 2);
    }

    void tablesAreReadWhole() {
        DELTASCOPE_SIMULATE(s, prefill(100));
        const Block& start = *findBlock(s.step, "embedding");
        QCOMPARE(listOf(start), (QStringList{"embed_tokens embedding", "rotary_emb gather", "rotary_emb gather"}));
        QCOMPARE(workIn(s, "embedding", embedding)->read.value(), 100.0 * 8 + 100.0 * 5120 * 2);
        QCOMPARE(workIn(s, "embedding", embedding)->written.value(), 100.0 * 5120 * 2);
        for (std::size_t table : {0u, 1u}) { // cos and sin: 262,144 positions of 64 rotary dims
            const Work work = workIn(s, "embedding", gather, table).value();
            QCOMPARE(work.read.value(), 262'144.0 * 64 * 2 + 100.0 * 8);
            QCOMPARE(work.written.value(), 100.0 * 64 * 2);
        }
    }
};

QTEST_GUILESS_MAIN(TestOperators)
#include "tst_operators.moc"
