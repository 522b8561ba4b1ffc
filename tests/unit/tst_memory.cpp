// SPDX-License-Identifier: GPL-3.0-or-later
// Memory to the byte: parameters against the published checkpoints, caches and states, weights by group, liveness.
#include "support/catalog.h"

#include "graph/block_builder.h"
#include "memory/memory.h"

#include <map>

using namespace deltascope;
using namespace deltascope::test;

namespace {

ResolvedScenario resolved(const Scenario& scenario, std::int64_t convStateColumns = 0) {
    auto result = validate(builtIn(), scenario);
    if (!result) qFatal("%s", result.error().text().c_str());
    auto engine = std::make_shared<EngineProfile>(*result->engine);
    engine->convStateColumns = convStateColumns;
    result->engine = engine;
    return *std::move(result);
}

Scenario decode(std::string_view model, std::int64_t context = 999) {
    return scenarioOf(model, Phase::decode, 1, context);
}

double bytesOf(const IdealMemory& memory, std::string_view group) {
    for (const MemoryGroup& g : memory.groups)
        if (g.name == group) return g.bytes.value();
    return 0.0;
}

const MemoryGroup* groupOf(const IdealMemory& memory, std::string_view name) {
    for (const MemoryGroup& g : memory.groups)
        if (g.name == name) return &g;
    return nullptr;
}

/// What a matrix product reads as weights and scales.
double weightBytesRead(const Block& block, const Operator& op) {
    double columns = 0.0, rows = 0.0, copies = 1.0;
    ScaleLayout scales;
    if (const auto* p = std::get_if<LinearParams>(&op.params)) {
        rows = p->k;
        columns = p->n;
        scales = p->scales;
    } else if (const auto* g = std::get_if<GroupedMatmulParams>(&op.params)) {
        rows = g->k;
        columns = g->n;
        copies = g->experts;
        scales = g->scales;
    } else {
        return 0.0;
    }
    const DType stored = block.tensors[block.inputs(op)[1]].dtype;
    return copies * (rows * columns * bytesPerElement(stored) + scaleBytes(scales, rows, columns));
}

} // namespace

class TestMemory : public QObject {
    Q_OBJECT
private slots:
    void parameters_data() {
        QTest::addColumn<qint64>("text");
        QTest::addColumn<qint64>("vision");
        QTest::addColumn<qint64>("mtp");
        QTest::addColumn<qint64>("total");
        QTest::addColumn<qint64>("active");
        const auto row = [](const char* model, qint64 text, qint64 vision, qint64 mtp, qint64 total, qint64 active) {
            QTest::newRow(model) << text << vision << mtp << total << active;
        };
        row("Qwen3.5-27B", 26'895'998'464, 460'730'096, 424'699'392, 27'781'427'952, 26'895'998'464 - 248'320 * 5120);
        row("Qwen3.6-27B", 26'895'998'464, 460'730'096, 424'699'392, 27'781'427'952, 26'895'998'464 - 248'320 * 5120);
        row("Qwen3.5-35B-A3B", 34'660'610'688, 446'571'248, 844'640'768, 35'951'822'704, 2'946'429'568);
        row("Qwen3.6-35B-A3B", 34'660'610'688, 446'571'248, 844'640'768, 35'951'822'704, 2'946'429'568);
        row("Qwen3.5-122B-A10B", 122'111'526'912, 451'290'864, 2'523'679'232, 125'086'497'008, 9'008'449'536);
        row("Qwen3.5-397B-A17B", 396'346'350'336, 456'010'480, 6'595'568'128, 403'397'928'944, 16'331'922'176);
        row("Qwen3.5-0.8B", 752'393'024, 100'592'896, 20'452'864, 873'438'784, 752'393'024 - 248'320 * 1024);
        row("Qwen3.5-2B", 1'881'825'088, 331'416'576, 60'828'160, 2'274'069'824, 1'881'825'088 - 248'320 * 2048);
        row("Qwen3.5-4B", 4'205'751'296, 333'514'240, 120'599'552, 4'659'865'088, 4'205'751'296 - 248'320 * 2560);
        row("Qwen3.5-9B", 8'953'803'264, 456'010'480, 243'290'624, 9'653'104'368, 8'953'803'264 - 248'320 * 4096);
        // Its configuration does not mention the MTP head. Active of a model with experts: less those that a token is
        // not sent to.
        row("Qwen3-Next-80B-A3B-Instruct", 79'674'391'296, 0, 1'650'471'424, 79'674'391'296,
            79'674'391'296 - 48LL * 502 * 3 * 2048 * 512 - 151'936 * 2048);
        row("Qwen3-8B", 8'190'735'360, 0, 0, 8'190'735'360, 8'190'735'360 - 151'936 * 4096);
        row("Qwen3-32B", 32'762'123'264, 0, 0, 32'762'123'264, 32'762'123'264 - 151'936LL * 5120);
        row("Qwen3-30B-A3B", 30'532'122'624, 0, 0, 30'532'122'624,
            30'532'122'624 - 48LL * 120 * 3 * 2048 * 768 - 151'936 * 2048);
        row("Qwen3-235B-A22B", 235'093'634'560, 0, 0, 235'093'634'560,
            235'093'634'560 - 94LL * 120 * 3 * 4096 * 1536 - 151'936 * 4096);
        row("Qwen3-VL-8B-Instruct", 8'190'735'360, 576'388'336, 0, 8'767'123'696, 8'190'735'360 - 151'936 * 4096);
        row("Qwen3-VL-32B-Instruct", 32'762'123'264, 595'266'800, 0, 33'357'390'064, 32'762'123'264 - 151'936LL * 5120);
    }

    void parameters() {
        QFETCH(qint64, text);
        QFETCH(qint64, vision);
        QFETCH(qint64, mtp);
        QFETCH(qint64, total);
        QFETCH(qint64, active);
        const auto model = builtIn().findModel(QTest::currentDataTag());
        QVERIFY(model);
        const ParameterCounts counts = countParameters(*model);
        QCOMPARE(counts.text, text);
        QCOMPARE(counts.vision, vision);
        QCOMPARE(counts.mtp, mtp);
        QCOMPARE(counts.total, total);
        QCOMPARE(counts.active, active);
    }

    /// A model of another vendor, whose layers are made of the same blocks.
    void parametersOfLlama() {
        const auto model = readModelConfig(sourceFolder / "tests/data/models/Llama-3.1-8B", Origin::file);
        QVERIFY2(model, model ? "" : model.error().text().c_str());
        const ParameterCounts counts = countParameters(*model);
        // 2 * 128,256 * 4,096 + 32 * (2 * 4,096 * 4,096 + 2 * 4,096 * 1,024 + 3 * 4,096 * 14,336 + 2 * 4,096) + 4,096
        QCOMPARE(counts.total, std::int64_t{8'030'261'248});
        QCOMPARE(counts.text, counts.total);
        QCOMPARE(counts.active, counts.total - 128'256 * std::int64_t{4096});
    }

    void everyModelIsCounted() {
        // The rows above are all there are.
        QCOMPARE(builtIn().models().size(), std::size_t{17});
    }

    void cachesAndStates_data() {
        QTest::addColumn<double>("perToken");
        QTest::addColumn<double>("state");
        QTest::addColumn<double>("conv3");
        QTest::addColumn<double>("conv4");
        const auto row = [](std::initializer_list<const char*> models, double kv, double state, double three,
                            double four) {
            for (const char* model : models) QTest::newRow(model) << kv << state << three << four;
        };
        row({"Qwen3.5-27B", "Qwen3.6-27B"}, 65'536, 150'994'944, 2'949'120, 3'932'160);
        row({"Qwen3.5-35B-A3B", "Qwen3.6-35B-A3B"}, 20'480, 62'914'560, 1'474'560, 1'966'080);
        row({"Qwen3.5-122B-A10B"}, 24'576, 150'994'944, 2'654'208, 3'538'944);
        row({"Qwen3.5-397B-A17B"}, 30'720, 188'743'680, 3'317'760, 4'423'680);
        row({"Qwen3.5-0.8B", "Qwen3.5-2B"}, 12'288, 18'874'368, 663'552, 884'736);
        row({"Qwen3.5-4B", "Qwen3.5-9B"}, 32'768, 50'331'648, 1'179'648, 1'572'864);
        row({"Qwen3-Next-80B-A3B-Instruct"}, 24'576, 75'497'472, 1'769'472, 2'359'296);
        row({"Qwen3-8B", "Qwen3-VL-8B-Instruct"}, 147'456, 0, 0, 0);
        row({"Qwen3-32B", "Qwen3-VL-32B-Instruct"}, 262'144, 0, 0, 0);
        row({"Qwen3-30B-A3B"}, 98'304, 0, 0, 0);
        row({"Qwen3-235B-A22B"}, 192'512, 0, 0, 0);
    }

    void cachesAndStates() {
        QFETCH(double, perToken);
        QFETCH(double, state);
        QFETCH(double, conv3);
        QFETCH(double, conv4);
        const Scenario one = decode(QTest::currentDataTag());
        const IdealMemory whole = idealMemory(resolved(one));
        QCOMPARE(whole.kvCache.value(), 1000.0 * perToken);
        QCOMPARE(whole.recurrentState.value(), state);
        QCOMPARE(whole.convState.value(), conv4);
        QCOMPARE(whole.stateSlots, std::int64_t{state > 0.0 ? 1 : 0});
        QCOMPARE(idealMemory(resolved(one, -1)).convState.value(), conv3);
        QCOMPARE(idealMemory(resolved(one, -1)).kvCache.value(), 1000.0 * perToken);

        Scenario many = one;
        many.queries = 7;
        many.contextLength = 1'009'999; // a KV cache grows with the context, a state does not
        const IdealMemory seven = idealMemory(resolved(many));
        QCOMPARE(seven.kvCache.value(), 7.0 * 1'010'000 * perToken);
        QCOMPARE(seven.recurrentState.value(), 7.0 * state);
        QCOMPARE(seven.convState.value(), 7.0 * conv4);
    }

    void everyLayerFull() {
        const IdealMemory hybrid = idealMemory(resolved(decode("Qwen3.5-27B", 262'143)));
        QCOMPARE(hybrid.kvCache.value(), 16.0 * 1024 * 1024 * 1024);
        QCOMPARE(hybrid.kvCacheAllFull.value(), 4.0 * hybrid.kvCache.value());
        Scenario full = decode("Qwen3.5-27B", 262'143);
        full.allFull = true;
        const IdealMemory all = idealMemory(resolved(full));
        QCOMPARE(all.kvCache.value(), hybrid.kvCacheAllFull.value());
        QCOMPARE(all.recurrentState.value() + all.convState.value(), 0.0);
        QCOMPARE(all.stateSlots, std::int64_t{0});
    }

    void cacheFormats() {
        Scenario scenario = decode("Qwen3.5-27B");
        for (KvDType dtype : {KvDType::int8, KvDType::fp8}) {
            scenario.quantization.kvCache = dtype;
            QCOMPARE(idealMemory(resolved(scenario)).kvCache.value(), 1000.0 * 32'768);
        }
    }

    /// An INT8 cache has an FP32 scale and offset for each of the 2 x 4 x 256 channels of a layer, split as the heads.
    void int8CacheHasScales() {
        Scenario scenario = decode("Qwen3.5-27B");
        scenario.mtpTokens = 1;
        for (auto [tp, perLayer] : {std::pair{1, 16'384.0}, {2, 8'192.0}, {4, 4'096.0}, {8, 4'096.0}}) {
            scenario.parallel.tp = tp;
            scenario.quantization.kvCache = KvDType::fp8;
            const IdealMemory fp8 = idealMemory(resolved(scenario));
            scenario.quantization.kvCache = KvDType::int8;
            const IdealMemory int8 = idealMemory(resolved(scenario));
            QCOMPARE(bytesOf(int8, "full attention") - bytesOf(fp8, "full attention"), 16 * perLayer);
            QCOMPARE(bytesOf(int8, "MTP head") - bytesOf(fp8, "MTP head"), perLayer);
            QCOMPARE((int8.weights - fp8.weights).value(), 17 * perLayer);
        }
    }

    // 4 key/value heads: split up to 4 ranks, then replicated; 32 value heads and 16 key heads are split throughout.
    void ranksBeyondTheKeyValueHeads() {
        Scenario scenario = decode("Qwen3.5-9B");
        for (auto [tp, perToken] : {std::pair{1, 32'768.0}, {2, 16'384.0}, {4, 8'192.0}, {8, 8'192.0}, {16, 8'192.0}}) {
            scenario.parallel.tp = tp;
            const IdealMemory memory = idealMemory(resolved(scenario));
            QCOMPARE(memory.kvCache.value(), 1000.0 * perToken);
            QCOMPARE(memory.recurrentState.value(), 50'331'648.0 / tp);
            QCOMPARE(memory.convState.value(), 1'572'864.0 / tp);
        }
    }

    void draftsKeepMoreSlotsAndACacheOfTheirOwn() {
        Scenario scenario = decode("Qwen3.5-27B");
        scenario.mtpTokens = 3;
        const IdealMemory memory = idealMemory(resolved(scenario));
        QCOMPARE(memory.stateSlots, std::int64_t{4});
        QCOMPARE(memory.recurrentState.value(), 4.0 * 150'994'944);
        QCOMPARE(memory.convState.value(), 4.0 * 3'932'160);
        QCOMPARE(memory.kvCache.value(), 1000.0 * 65'536 / 16 * 17); // the MTP head's layer too
        QVERIFY(groupOf(memory, "MTP head")->loaded);
        QVERIFY(!groupOf(memory, "vision tower")->loaded);
        const IdealMemory without = idealMemory(resolved(decode("Qwen3.5-27B")));
        QVERIFY(!groupOf(without, "MTP head")->loaded);
        QCOMPARE(memory.weights.value() - without.weights.value(), bytesOf(memory, "MTP head"));
    }

    // 27B, W8A8, two ranks, by hand: 1 byte a weight and a 4-byte scale per output column.
    void weightsByGroup() {
        Scenario scenario = decode("Qwen3.5-27B");
        scenario.quantization.linear = Scheme::w8a8Static;
        scenario.parallel.tp = 2;
        const IdealMemory memory = idealMemory(resolved(scenario));
        // qkv 5120x5120, z 5120x3072, b and a 5120x24 each, out 3072x5120
        const double linearLayer = 26'214'400 + 15'728'640 + 245'760 + 15'728'640 + 4.0 * (5120 + 3072 + 48 + 5120);
        // q and gate 5120x6144, k and v 5120x512 each, o 3072x5120
        const double fullLayer = 31'457'280 + 5'242'880 + 15'728'640 + 4.0 * (6144 + 1024 + 5120);
        // gate and up 5120x8704 each, down 8704x5120
        const double mlp = 3.0 * 44'564'480 + 4.0 * (2 * 8704 + 5120);
        // two norms of H; convolution 5120x4 in BF16, 24 A_log in FP32, 24 dt_bias, a norm of 128 in FP32
        const double linearNorms = 2 * 10'240 + 40'960 + 96 + 48 + 512;
        const double fullNorms = 2 * 10'240 + 2 * 512;
        QCOMPARE(bytesOf(memory, "embedding"), 2'542'796'800.0); // replicated
        QCOMPARE(bytesOf(memory, "RoPE tables"), 67'108'864.0);
        QCOMPARE(bytesOf(memory, "linear attention"), 48.0 * linearLayer);
        QCOMPARE(bytesOf(memory, "full attention"), 16.0 * fullLayer);
        QCOMPARE(bytesOf(memory, "MLP"), 64.0 * mlp);
        QCOMPARE(bytesOf(memory, "norms and convolutions"), 48.0 * linearNorms + 16.0 * fullNorms + 10'240.0);
        QCOMPARE(bytesOf(memory, "lm_head"), 1'271'398'400.0); // stays in BF16
        // fc 10240x5120 whole on each rank, three norms, a full layer with its MLP
        QCOMPARE(bytesOf(memory, "MTP head"), 52'428'800 + 4.0 * 5120 + 3 * 10'240 + fullLayer + mlp + fullNorms);
        QCOMPARE(bytesOf(memory, "vision tower"), 2.0 * 460'730'096);
        QCOMPARE(memory.weights.value(), 16'069'035'776.0);
        QCOMPARE(groupOf(memory, "linear attention")->parameters, 48.0 * 57'917'440);
    }

    void keptModulesTakeTwoBytes() {
        Scenario scenario = decode("Qwen3.5-27B");
        scenario.quantization.linear = Scheme::w8a8Static;
        const double before = idealMemory(resolved(scenario)).weights.value();
        scenario.quantization.keepBf16 = {"layers.3"};
        const double after = idealMemory(resolved(scenario)).weights.value();
        // 104,857,600 weights of attention and 267,386,880 of the MLP take a byte more, and lose their scales
        QCOMPARE(after - before, 372'244'480.0 - 4.0 * (12'288 + 2 * 1024 + 5120 + 2 * 17'408 + 5120));
        scenario.quantization.keepBf16 = {"*"};
        scenario.quantization.linear = Scheme::w4a8Dynamic;
        Scenario plain = decode("Qwen3.5-27B");
        QCOMPARE(idealMemory(resolved(scenario)).weights.value(), idealMemory(resolved(plain)).weights.value());
    }

    void storedWidths_data() {
        QTest::addColumn<int>("scheme");
        QTest::addColumn<double>("bytes"); // of the 64 MLPs: 267,386,880 weights, 39,936 columns each
        const auto row = [](Scheme scheme, double bytes) {
            QTest::newRow(factsOf(scheme).name.data()) << static_cast<int>(scheme) << 64.0 * bytes;
        };
        constexpr double weights = 267'386'880.0, scales = 4.0 * 39'936;
        row(Scheme::bf16, 2 * weights);
        row(Scheme::fp16, 2 * weights);
        row(Scheme::w8a16, weights + scales);
        row(Scheme::w8a8Dynamic, weights + scales);
        row(Scheme::w4a8Static, weights / 2 + scales);
        row(Scheme::fp8, weights + scales);
        row(Scheme::mxfp4, weights / 2 + weights / 32);
        row(Scheme::w4a16, weights / 2 + weights / 128 * 2);
    }

    void storedWidths() {
        QFETCH(int, scheme);
        QFETCH(double, bytes);
        Scenario scenario = decode("Qwen3.5-27B");
        scenario.device = "NVIDIA_B200_SXM";
        scenario.quantization.linear = static_cast<Scheme>(scheme);
        QCOMPARE(bytesOf(idealMemory(resolved(scenario)), "MLP"), bytes);
    }

    void unquantizedWeightsAreTheParameters() {
        for (const auto& model : builtIn().models()) {
            const IdealMemory memory = idealMemory(resolved(decode(model->name)));
            const ParameterCounts counts = countParameters(*model);
            double bytes = 0.0, parameters = 0.0, loaded = 0.0;
            for (const MemoryGroup& group : memory.groups) {
                bytes += group.bytes.value();
                parameters += group.parameters;
                if (group.loaded) loaded += group.bytes.value();
            }
            QCOMPARE(parameters, static_cast<double>(counts.text + counts.vision + counts.mtp));
            QCOMPARE(memory.weights.value(), loaded);
            const TextConfig& text = model->text;
            const double tables = 2.0 * static_cast<double>(text.maxPosition * text.rope.rotaryDim) * 2.0;
            double wide = 0.0; // A_log and the gated norm are in FP32
            if (text.linear)
                wide = static_cast<double>(model->layerCount(LayerType::linearAttention) *
                                           (text.linear->valueHeads + text.linear->valueHeadDim));
            QCOMPARE(bytes, 2.0 * parameters + tables + 2.0 * wide);
            QCOMPARE(groupOf(memory, "lm_head") == nullptr, text.tiedEmbeddings);
        }
    }

    void expertsAreSplitOrSpread() {
        // 40 layers of 256 experts of 3 * 2048 * 512 weights
        constexpr double weights = 40.0 * 256 * 3 * 2048 * 512;
        Scenario scenario = decode("Qwen3.5-35B-A3B");
        QCOMPARE(bytesOf(idealMemory(resolved(scenario)), "experts"), 2.0 * weights);
        scenario.parallel.tp = 2;
        QCOMPARE(bytesOf(idealMemory(resolved(scenario)), "experts"), weights);
        scenario.quantization.linear = Scheme::w8a8Static;
        // gate and up have 256 of their 512 columns here, down all 2048 of its own
        QCOMPARE(bytesOf(idealMemory(resolved(scenario)), "experts"), weights / 2 + 40.0 * 256 * 4 * (2 * 256 + 2048));
        scenario.parallel.ep = 2;
        QCOMPARE(bytesOf(idealMemory(resolved(scenario)), "experts"), weights / 2 + 40.0 * 128 * 4 * (2 * 512 + 2048));
        scenario.parallel.dp = 4;
        scenario.parallel.ep = 8;
        QCOMPARE(bytesOf(idealMemory(resolved(scenario)), "experts"), weights / 8 + 40.0 * 32 * 4 * (2 * 512 + 2048));
    }

    void routerAndSharedExpertStayWhole() {
        Scenario scenario = decode("Qwen3.5-35B-A3B");
        scenario.parallel.tp = 2;
        const IdealMemory memory = idealMemory(resolved(scenario));
        QCOMPARE(bytesOf(memory, "router"), 40.0 * 2048 * 256 * 2);
        QCOMPARE(bytesOf(memory, "shared expert"), 40.0 * (3 * 2048 * 512 + 2048) * 2);
    }

    // With so many tokens that every expert gets one, the weights a step reads are the weights a rank holds.
    void whatTheStepReadsIsWhatIsHeld() {
        int compared = 0;
        for (const auto& model : builtIn().models()) {
            for (std::int64_t tp : tensorParallelSizes(*model, false, 8)) {
                for (Scheme scheme : {Scheme::bf16, Scheme::w8a8Static, Scheme::mxfp4, Scheme::w4a16}) {
                    Scenario scenario = scenarioOf(model->name, Phase::prefill, 20'000, 0);
                    scenario.device = "NVIDIA_B200_SXM";
                    scenario.parallel.tp = tp;
                    scenario.quantization.linear = scheme;
                    const auto result = simulate(builtIn(), scenario);
                    if (!result) {
                        QCOMPARE(result.error().code, ErrorCode::unsupported);
                        continue;
                    }
                    const Simulation& s = *result;
                    double read = 0.0;
                    for (const Segment& segment : s.step.segments) {
                        const Block& block = s.step.blocks[segment.block];
                        for (const Operator& op : block.operators) read += weightBytesRead(block, op);
                    }
                    const IdealMemory& memory = s.memory.ideal;
                    double held = 0.0;
                    for (const char* group :
                         {"linear attention", "full attention", "MLP", "router", "experts", "shared expert"})
                        held += bytesOf(memory, group);
                    held += model->text.tiedEmbeddings ? bytesOf(memory, "embedding") / static_cast<double>(tp)
                                                       : bytesOf(memory, "lm_head");
                    QVERIFY2(near(read, held, 1e-9), qPrintable(QString("%1 at tp %2 in %3 reads %4 of %5 bytes")
                                                                    .arg(model->name.c_str())
                                                                    .arg(tp)
                                                                    .arg(factsOf(scheme).name.data())
                                                                    .arg(read, 0, 'f', 0)
                                                                    .arg(held, 0, 'f', 0)));
                    ++compared;
                }
            }
        }
        QVERIFY(compared >= 8 * 4 * 4);
    }

    // --- activations

    void livenessOfABlock() {
        BlockBuilder b("by hand");
        const auto x = b.input("x", DType::fp32, {10});                // 40 bytes
        const auto w = b.weight("w", DType::fp32, {1000});             // resident, not counted here
        const auto state = b.state("state", DType::fp32, {1000});      // likewise
        const auto a = b.activation("a", DType::fp32, {4, 5});         // 80
        const auto unread = b.activation("unread", DType::fp32, {50}); // 200
        const auto row = b.view(a, "row of a", {5});
        const auto c = b.activation("c", DType::fp16, {10}); // 20
        const auto d = b.activation("d", DType::int8, {4});  // 4
        b.add(OperatorKind::linear, "1", {x, w}, {a, unread});
        b.add(OperatorKind::mul, "2", {row, row, state}, {c});
        b.add(OperatorKind::add, "3", {c, x}, {d});
        b.add(OperatorKind::copy, "4", {d}, {state});
        b.keep(d);
        const Block block = b.take();
        const std::vector<Bytes> live = liveBytes(block, {Bytes(0), Bytes(1000), Bytes(0), Bytes(7)});
        QCOMPARE(live.size(), std::size_t{4});
        QCOMPARE(live[0].value(), 40.0 + 80.0 + 200.0);
        QCOMPARE(live[1].value(), 40.0 + 80.0 + 20.0 + 1000.0); // `unread` is gone; a lives through its view
        QCOMPARE(live[2].value(), 40.0 + 20.0 + 4.0);
        QCOMPARE(live[3].value(), 4.0 + 7.0);
    }

    void keptTensorsOutliveTheirLastReader() {
        const auto peakAtTheEnd = [](bool keep) {
            BlockBuilder b("by hand");
            const auto x = b.input("x", DType::fp32, {10});
            const auto y = b.activation("y", DType::fp32, {10});
            const auto z = b.activation("z", DType::fp32, {10});
            if (keep) b.keep(b.view(x, "x again", {10}));
            b.add(OperatorKind::copy, "1", {x}, {y});
            b.add(OperatorKind::copy, "2", {y}, {z});
            return liveBytes(b.take(), {Bytes(0), Bytes(0)})[1].value();
        };
        QCOMPARE(peakAtTheEnd(false), 80.0);
        QCOMPARE(peakAtTheEnd(true), 120.0);
    }

    // 100 tokens of 27B: the chunk rule with two chunks of 48 heads has the most alive.
    void activationPeak() {
        DELTASCOPE_SIMULATE(s, scenarioOf("Qwen3.5-27B", Phase::prefill, 100, 0));
        const IdealMemory& memory = s.memory.ideal;
        const double tables = 2 * 100 * 64 * 2; // cos and sin of the step's positions
        const double residual = 100 * 5120 * 2;
        const double projections = 100 * 16'480 * 2; // z, b and a are views of them
        const double convolved = 100 * 10'240 * 2;   // v is a view of it
        const double gating = 2 * 100 * 48 * 128 * 2 + 100 * 48 * (2 + 4);
        const double output = 100 * 48 * 128 * 2;
        const double scratch = 6144.0 * 256 * 2 + 6144.0 * 387 * 4 + 2.0 * 393'216 * 4;
        QCOMPARE(memory.activationPeak.value(),
                 tables + residual + projections + convolved + gating + output + scratch);
        const OperatorRef peak{memory.peakSegment, memory.peakOperator};
        QCOMPARE(s.op(peak).kind, OperatorKind::linear_attn_chunk_gated_delta_rule);
        QCOMPARE(s.segment(peak).layer, 0);
    }

    void peakIsTheLargestOfTheStep() {
        for (const char* model : {"Qwen3.5-27B", "Qwen3-8B", "Qwen3.5-0.8B"}) {
            for (const bool isDecode : {false, true}) {
                Scenario scenario = scenarioOf(model, isDecode ? Phase::decode : Phase::prefill, isDecode ? 1 : 3000,
                                               isDecode ? 3000 : 0);
                scenario.queries = 4;
                DELTASCOPE_SIMULATE(s, scenario);
                const IdealMemory& memory = s.memory.ideal;
                Bytes most;
                s.forEachOperator([&](OperatorRef ref) { most = std::max(most, s.live(ref)); });
                QCOMPARE(memory.activationPeak.value(), most.value());
                QCOMPARE(s.live({memory.peakSegment, memory.peakOperator}).value(), most.value());
            }
        }
    }

    void partsAddUp() {
        Scenario scenario = decode("Qwen3.5-27B");
        scenario.parallel.tp = 4;
        DELTASCOPE_SIMULATE(s, scenario);
        const IdealMemory& m = s.memory.ideal;
        QCOMPARE(m.resident().value(),
                 m.weights.value() + m.kvCache.value() + m.recurrentState.value() + m.convState.value());
        QCOMPARE(m.total().value(), m.resident().value() + m.activationPeak.value());
        QCOMPARE(s.memory.deviceSize.value(), 68'719'476'736.0);
        QVERIFY(s.memory.limit <= s.memory.deviceSize);
        QCOMPARE(s.memory.free().value(), s.memory.limit.value() - m.total().value());
    }
};

QTEST_GUILESS_MAIN(TestMemory)
#include "tst_memory.moc"
