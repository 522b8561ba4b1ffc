// SPDX-License-Identifier: GPL-3.0-or-later
// A checkpoint's own quantization: every form that is read, module by module, in step and memory; what is not
// understood, and what is refused.
#include "support/catalog.h"

#include "catalog/checkpoint_quantization.h"
#include "io/simulation_output.h"
#include "scenario/module_scheme.h"

#include <QRegularExpression>
#include <QSet>
#include <QTemporaryDir>
#include <nlohmann/json.hpp>

#include <fstream>

using namespace deltascope;
using namespace deltascope::test;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

json configOf(const std::string& model) {
    std::ifstream file(sourceFolder / "models" / model / "config.json");
    return json::parse(file);
}

/// Two layers of H 256, I 512, 4 query and 2 key/value heads of 64, vocabulary 1,000, untied.
json smallConfig() {
    json config = configOf("Qwen3-8B");
    config.merge_patch({{"hidden_size", 256},
                        {"intermediate_size", 512},
                        {"num_attention_heads", 4},
                        {"num_key_value_heads", 2},
                        {"head_dim", 64},
                        {"num_hidden_layers", 2},
                        {"max_window_layers", 2},
                        {"vocab_size", 1000},
                        {"tie_word_embeddings", false}});
    return config;
}

const char* const int8Weights =
    R"("weights": {"num_bits": 8, "type": "int", "strategy": "channel", "symmetric": true})";

/// One group of compressed-tensors with everything given as JSON text.
std::string groupOf(const std::string& targets, const std::string& weights, const std::string& activations,
                    const std::string& ignore = "[]") {
    return R"({"quant_method": "compressed-tensors", "config_groups": {"group_0": {"targets": )" + targets + ", " +
           weights + R"(, "input_activations": )" + activations + R"(}}, "ignore": )" + ignore + "}";
}

const char* const int8Tokens = R"({"num_bits": 8, "type": "int", "strategy": "token", "dynamic": true})";

std::string schemeName(const std::vector<ModuleScheme>& list, const std::string& module, std::int32_t layer = -1) {
    for (const ModuleScheme& m : list)
        if (m.module == module && (layer < 0 || std::find(m.layers.begin(), m.layers.end(), layer) != m.layers.end()))
            return std::string(factsOf(m.scheme).name);
    return "none";
}

double bytesOf(const Simulation& s, std::string_view group) {
    for (const MemoryGroup& g : s.memory.ideal.groups)
        if (g.name == group) return g.bytes.value();
    return 0.0;
}

} // namespace

class TestCheckpointQuantization : public QObject {
    Q_OBJECT

    QTemporaryDir dir_;
    int written_ = 0;

    /// A folder of its own with a config.json, and a description beside it when given.
    fs::path put(const json& config, const std::string& description = {}) {
        const fs::path folder = fs::path(dir_.path().toStdString()) / ("M" + std::to_string(++written_));
        fs::create_directories(folder);
        std::ofstream(folder / "config.json") << config.dump();
        if (!description.empty()) std::ofstream(folder / "quant_model_description.json") << description;
        return folder;
    }

    struct Opened {
        Catalog catalog;
        Scenario scenario;
        [[nodiscard]] const ModelConfig& model() const { return *catalog.findModel(scenario.model); }
    };
    /// In the catalog, with a decode step that follows the checkpoint on a device that has every rate.
    Opened open(const json& config, const std::string& description = {}) {
        Opened opened{builtIn(), scenarioOf("", Phase::decode, 1, 99)};
        const auto name = opened.catalog.addModel(put(config, description));
        if (!name) qFatal("%s", name.error().text().c_str());
        opened.scenario.model = *name;
        opened.scenario.device = "NVIDIA_B200_SXM";
        opened.scenario.quantization.checkpoint = true;
        return opened;
    }
    Opened openSmall(const std::string& quantization) {
        json config = smallConfig();
        config["quantization_config"] = json::parse(quantization);
        return open(config);
    }

    static Simulation simulated(const Opened& opened) {
        auto s = simulate(opened.catalog, opened.scenario);
        if (!s) qFatal("%s", s.error().text().c_str());
        return *std::move(s);
    }

private slots:
    void initTestCase() { QVERIFY(dir_.isValid()); }

    // Matrices of the small model, K x N: q 256 x 256, k and v 256 x 128, o 256 x 256: 196,608 weights a layer;
    // gate and up 256 x 512, down 512 x 256: 393,216; lm_head 256 x 1,000.
    void storedBytes_data() {
        QTest::addColumn<QString>("quantization");
        QTest::addColumn<double>("attention"); // both layers
        QTest::addColumn<double>("mlp");
        QTest::addColumn<double>("head");
        const auto row = [](const char* name, const std::string& quantization, double attention, double mlp,
                            double head) {
            QTest::newRow(name) << QString::fromStdString(quantization) << attention << mlp << head;
        };
        constexpr double attention16 = 786'432, mlp16 = 1'572'864, head16 = 512'000;
        // blocks of 128 x 128: q 2x2, k 2x1, v 2x1, o 2x2: 12; gate and up 2x4, down 4x2: 24, FP32 each
        row("fp8 by blocks, one MLP kept",
            R"({"quant_method": "fp8", "weight_block_size": [128, 128], "activation_scheme": "dynamic",
                "modules_to_not_convert": ["lm_head", "model.layers.1.mlp"]})",
            2 * (196'608 + 48), 393'216 + 96 + 786'432, head16);
        // blocks of 64 output columns x 256 input columns: q 1x4, k and v 1x2, o 1x4; gate, up 1x8, down 2x4
        row("fp8 by oblong blocks", R"({"quant_method": "fp8", "weight_block_size": [64, 256]})",
            2 * (196'608 + 12 * 4), 2 * (393'216 + 24 * 4), head16);
        row("fp8, a scale for each tensor", R"({"quant_method": "fp8", "ignored_layers": ["o_proj"]})",
            2 * (131'072 + 3 * 4 + 131'072), 2 * (393'216 + 3 * 4), head16);
        row("W8A8", groupOf(R"(["Linear"])", int8Weights, int8Tokens, R"(["lm_head"])"), 2 * (196'608 + 768 * 4),
            2 * (393'216 + 1'280 * 4), head16);
        row("W8A8 with the head", groupOf(R"(["Linear"])", int8Weights, int8Tokens), 2 * (196'608 + 768 * 4),
            2 * (393'216 + 1'280 * 4), 256'000 + 4'000);
        // groups of 128 inputs, 16 bits each: gate and up 2 x 512, down 4 x 256
        row("W4A16 of the MLP",
            groupOf(R"(["re:.*mlp\\..*"])",
                    R"("weights": {"num_bits": 4, "type": "int", "strategy": "group", "group_size": 128})", "null"),
            attention16, 2 * (196'608 + 3 * 1'024 * 2), head16);
        row("W4A16 with zero points",
            groupOf(R"(["re:.*mlp\\..*"])",
                    R"("weights": {"num_bits": 4, "type": "int", "group_size": 128, "symmetric": false})", "null"),
            attention16, 2 * (196'608 + 3 * 1'024 * 2.5), head16);
        row("W4A8",
            groupOf(R"(["model.layers.0.mlp.down_proj"])", R"("weights": {"num_bits": 4, "type": "int"})", int8Tokens),
            attention16, mlp16 - 262'144 + 65'536 + 1'024, head16);
        row("MXFP4",
            groupOf(R"(["Linear"])", R"("weights": {"num_bits": 4, "type": "float", "group_size": 32})",
                    R"({"num_bits": 4, "type": "float", "dynamic": "local"})"),
            2 * (98'304 + 6'144), 2 * (196'608 + 12'288), 128'000 + 8'000);
        row("weights alone in 8 bits", groupOf(R"(["Linear"])", int8Weights, "null", R"(["re:^(?!.*mlp).*"])"),
            attention16, 2 * (393'216 + 1'280 * 2), head16);
        // groups of 64 inputs with 16 + 4 bits; down in 8 bits with 16 + 8
        row("gptq with exceptions",
            R"({"quant_method": "gptq", "bits": 4, "group_size": 64,
                "dynamic": {"-:.*o_proj$": {}, "+:.*down_proj": {"bits": 8}}})",
            2 * (32'768 + 4 * 256 * 2.5 + 2 * (16'384 + 4 * 128 * 2.5) + 131'072),
            2 * (2 * (65'536 + 4 * 512 * 2.5) + 131'072 + 8 * 256 * 3), head16);
        row("gptq of some modules, one group",
            R"({"quant_method": "gptq", "bits": 8, "group_size": -1, "lm_head": true,
                "modules_in_block_to_quantize": [["self_attn.q_proj"], ["mlp.down_proj"]]})",
            2 * (65'536 + 256 * 3 + 262'144), 2 * (131'072 + 256 * 3 + 524'288), 256'000 + 3'000);
        row("awq", R"({"quant_method": "awq", "bits": 4, "group_size": 128, "modules_to_not_convert": ["self_attn"]})",
            attention16, 2 * (196'608 + 3 * 1'024 * 2.5), head16);
        row("awq without zero points", R"({"quant_method": "awq", "bits": 4, "group_size": 128, "zero_point": false,
                                           "modules_to_not_convert": ["self_attn"]})",
            attention16, 2 * (196'608 + 3 * 1'024 * 2), head16);
    }
    void storedBytes() {
        QFETCH(QString, quantization);
        QFETCH(double, attention);
        QFETCH(double, mlp);
        QFETCH(double, head);
        const Opened opened = openSmall(quantization.toStdString());
        QVERIFY2(opened.model().checkpoint, opened.model().checkpointProblem.c_str());
        const Simulation s = simulated(opened);
        QCOMPARE(bytesOf(s, "full attention"), attention);
        QCOMPARE(bytesOf(s, "MLP"), mlp);
        QCOMPARE(bytesOf(s, "lm_head"), head);
        // what a step reads of its weights is what is held
        double read = 0.0;
        s.forEachOperator([&](OperatorRef ref) {
            if (const auto* p = std::get_if<LinearParams>(&s.op(ref).params))
                read += p->k * p->n * bytesPerElement(factsOf(p->scheme).weight);
        });
        double scales = 0.0;
        s.forEachOperator([&](OperatorRef ref) {
            if (const auto* p = std::get_if<LinearParams>(&s.op(ref).params); p && p->scales.columns > 0)
                scales += scaleBytes(p->scales, p->k, p->n);
        });
        const bool perTensor = s.scenario.model->checkpoint->scales[static_cast<std::size_t>(Scheme::fp8)].columns == 0;
        if (!perTensor) QCOMPARE(read + scales, attention + mlp + head); // merged matrices share the scale of a tensor
    }

    /// ModelSlim's list of tensors, in the configuration or beside it.
    void tensorsByName() {
        json tensors{{"model_quant_type", "W8A8_DYNAMIC"}, {"lm_head.weight", "FLOAT"}, {"version", "1.0.0"}};
        const std::vector<std::pair<std::string, std::string>> modules{
            {"self_attn.q_proj", "FLOAT"},    {"self_attn.k_proj", "FLOAT"},     {"self_attn.v_proj", "FLOAT"},
            {"self_attn.o_proj", "FLOAT"},    {"mlp.gate_proj", "W4A8_DYNAMIC"}, {"mlp.up_proj", "W4A8_DYNAMIC"},
            {"mlp.down_proj", "W4A8_DYNAMIC"}};
        for (const auto& [module, second] : modules) {
            tensors["model.layers.0." + module + ".weight"] = "W8A8_DYNAMIC";
            tensors["model.layers.0." + module + ".weight_scale"] = "W8A8_DYNAMIC";
            tensors["model.layers.1." + module + ".weight"] = second;
        }
        json inside = smallConfig();
        inside["quantization_config"] = tensors;
        inside["quantization_config"]["quant_method"] = "ascend";
        json named = smallConfig();
        named["quantization_config"] = {{"quant_method", "modelslim"}};
        for (const Opened& opened : {open(inside), open(smallConfig(), tensors.dump()), open(named, tensors.dump())}) {
            QVERIFY2(opened.model().checkpoint, opened.model().checkpointProblem.c_str());
            QCOMPARE(opened.model().checkpoint->method, std::string("modelslim"));
            QVERIFY(opened.model().checkpoint->notes.empty());
            const Simulation s = simulated(opened);
            QCOMPARE(bytesOf(s, "full attention"), 196'608.0 + 3'072 + 393'216);
            QCOMPARE(bytesOf(s, "MLP"), 393'216.0 + 5'120 + 196'608 + 5'120);
            QCOMPARE(bytesOf(s, "lm_head"), 512'000.0);
            // embedding, two layers unlike each other, head
            QCOMPARE(s.step.blocks.size(), std::size_t{4});
            QCOMPARE(callsOf(s, OperatorKind::quantize), 4 + 2);
        }
    }

    void incompleteTensorList() {
        const Opened opened =
            open(smallConfig(), R"({"model.layers.0.mlp.down_proj.weight": "W8A8", "kv_quant_type": "C8"})");
        const Simulation s = simulated(opened);
        QCOMPARE(schemeName(moduleSchemes(s.scenario), "mlp.down_proj", 0), std::string("W8A8_STATIC"));
        QCOMPARE(schemeName(moduleSchemes(s.scenario), "mlp.down_proj", 1), std::string("BF16"));
        QVERIFY(s.notes.at(0).find("KV cache of type C8") != std::string::npos);
        QVERIFY2(s.notes.at(1).find("does not name 14 modules") != std::string::npos, s.notes.at(1).c_str());
        QVERIFY(s.notes.at(1).find("model.layers.0.self_attn.q_proj") != std::string::npos);
    }

    // --- names

    void namesOfHybridCheckpoints_data() {
        QTest::addColumn<QString>("base");
        QTest::addColumn<QString>("ignored"); // JSON list
        QTest::addColumn<QStringList>("kept");
        QTest::newRow("of transformers") << "Qwen3.5-27B"
                                         << R"(["model.language_model.layers.0.linear_attn.in_proj_a", "mtp.fc",
                                               "model.language_model.layers.3.self_attn.q_proj", "model.visual"])"
                                         << QStringList{"0 linear_attn.in_proj_a", "3 self_attn.q_proj", "mtp.fc"};
        QTest::newRow("of vLLM") << "Qwen3.5-27B"
                                 << R"(["language_model.model.layers.0.linear_attn.in_proj_a", "re:visual.*"])"
                                 << QStringList{"0 linear_attn.in_proj_a"};
        QTest::newRow("of a text model") << "Qwen3.5-27B"
                                         << R"(["model.layers.1.mlp", "re:.*\\.layers\\.4\\..*out_proj"])"
                                         << QStringList{"1 mlp.gate_proj", "1 mlp.up_proj", "1 mlp.down_proj",
                                                        "4 linear_attn.out_proj"};
        QTest::newRow("joined") << "Qwen3-Next-80B-A3B-Instruct"
                                << R"(["model.layers.0.linear_attn.in_proj_ba"])"
                                << QStringList{"0 linear_attn.in_proj_b", "0 linear_attn.in_proj_a"};
        QTest::newRow("experts") << "Qwen3-30B-A3B"
                                 << R"(["re:.*mlp.gate$", "re:.*layers.5.mlp.experts.*down_proj"])"
                                 << QStringList{"mlp.gate", "5 mlp.experts.down_proj"};
        QTest::newRow("experts in one tensor")
            << "Qwen3.5-35B-A3B"
            << R"(["re:.*layers.2.mlp.experts.gate_up_proj", "re:.*mlp.gate$"])"
            << QStringList{"2 mlp.experts.gate_proj", "2 mlp.experts.up_proj", "mlp.gate", "mtp.layers.0.mlp.gate"};
        QTest::newRow("draft layer") << "Qwen3.5-27B"
                                     << R"(["re:^mtp\\..*mlp"])"
                                     << QStringList{"mtp.layers.0.mlp.gate_proj", "mtp.layers.0.mlp.up_proj",
                                                    "mtp.layers.0.mlp.down_proj"};
    }
    void namesOfHybridCheckpoints() {
        QFETCH(QString, base);
        QFETCH(QString, ignored);
        QFETCH(QStringList, kept);
        json config = configOf(base.toStdString());
        json quantization = json::parse(groupOf(R"(["Linear"])", int8Weights, int8Tokens));
        quantization["ignore"] = json::parse(ignored.toStdString());
        quantization["ignore"].push_back("lm_head");
        config["quantization_config"] = quantization;
        Opened opened = open(config);
        opened.scenario.mtpTokens = opened.model().text.mtpLayers > 0 ? 1 : 0;
        opened.scenario.queryLength = {};
        const auto resolved = validate(opened.catalog, opened.scenario);
        QVERIFY2(resolved, resolved ? "" : resolved.error().text().c_str());
        const auto list = moduleSchemes(*resolved);
        QSet<QString> unquantized;
        for (const ModuleScheme& m : list) {
            const QString module = QString::fromStdString(m.module);
            if (m.scheme != Scheme::bf16) continue;
            if (m.layers.empty() || m.where.starts_with("all "))
                unquantized << module;
            else
                for (const std::int32_t layer : m.layers) unquantized << QString::number(layer) + " " + module;
        }
        QCOMPARE(unquantized, QSet<QString>(kept.begin(), kept.end()) << "lm_head");
    }

    void expertsThatDiffer() {
        json config = configOf("Qwen3-30B-A3B");
        config["quantization_config"] =
            json::parse(groupOf(R"(["Linear"])", int8Weights, int8Tokens, R"(["re:.*experts.127.*"])"));
        const Opened opened = open(config);
        const Simulation s = simulated(opened);
        QCOMPARE(schemeName(moduleSchemes(s.scenario), "mlp.experts.down_proj"), std::string("W8A8_DYNAMIC"));
        QVERIFY(std::any_of(s.notes.begin(), s.notes.end(), [](const std::string& note) {
            return note.find("different schemes, first model.language_model.layers.0.mlp.experts.127.") !=
                   std::string::npos;
        }));
    }

    void quantizedTowerIsNoted() {
        json config = configOf("Qwen3.5-0.8B");
        config["quantization_config"] = json::parse(groupOf(R"(["Linear"])", int8Weights, int8Tokens));
        const Opened opened = open(config);
        QCOMPARE(opened.model().checkpoint->notes.size(), std::size_t{1});
        QVERIFY(opened.model().checkpoint->notes[0].find("vision tower as W8A8_DYNAMIC") != std::string::npos);
        QVERIFY(opened.model().text.tiedEmbeddings); // so the head is the embedding, whatever the file says of it
        QCOMPARE(opened.model().checkpoint->lmHead, Scheme::bf16);
    }

    // --- the step

    void layersByKind() {
        json config = configOf("Qwen3.5-27B");
        config["quantization_config"] = json::parse(R"({"quant_method": "fp8", "weight_block_size": [128, 128],
            "modules_to_not_convert": ["lm_head", "model.visual", "mtp", "model.language_model.layers.4.mlp",
            "model.language_model.layers.5.linear_attn.out_proj"]})");
        for (int i = 0; i < 64; ++i)
            for (const char* gate : {"a", "b"})
                config["quantization_config"]["modules_to_not_convert"].push_back(
                    "model.language_model.layers." + std::to_string(i) + ".linear_attn.in_proj_" + gate);
        Opened opened = open(config);
        const Simulation s = simulated(opened);
        // embedding, head, full layers, linear layers, layer 4, layer 5
        QCOMPARE(s.step.blocks.size(), std::size_t{6});
        const auto blockOf = [&](std::size_t layer) { return s.step.segments[1 + layer].block; };
        QCOMPARE(blockOf(0), blockOf(62));
        QCOMPARE(blockOf(3), blockOf(63));
        QVERIFY(blockOf(4) != blockOf(0) && blockOf(5) != blockOf(0) && blockOf(4) != blockOf(5));
        const auto list = moduleSchemes(s.scenario);
        const auto where = [&](const std::string& module, Scheme scheme) {
            for (const ModuleScheme& m : list)
                if (m.module == module && m.scheme == scheme) return QString::fromStdString(m.where);
            return QString("none");
        };
        QCOMPARE(where("mlp.down_proj", Scheme::bf16), "4");
        QCOMPARE(where("mlp.down_proj", Scheme::fp8), "0-3, 5-63");
        QCOMPARE(where("linear_attn.out_proj", Scheme::fp8), "0-4, 6-62");
        QCOMPARE(where("linear_attn.in_proj_a", Scheme::bf16), "all 48");
        QCOMPARE(where("linear_attn.in_proj_a", Scheme::fp8), "none");
        QCOMPARE(where("self_attn.q_proj", Scheme::fp8), "all 16");
        QCOMPARE(where("lm_head", Scheme::bf16), "");

        // qkv and z in FP8 with a scale for each 128 x 128 block, b and a in a matmul of their own
        const Work merged = workIn(s, "linear layer", OperatorKind::linear, 0).value();
        QCOMPARE(merged.read.value(), 5120.0 + 5120.0 * 16'384 + 40 * 128 * 4);
        QCOMPARE(workIn(s, "linear layer", OperatorKind::linear, 1)->read.value(), 5120.0 * 2 + 5120.0 * 96 * 2);

        opened.scenario.mtpTokens = 1;
        opened.scenario.queryLength = {};
        const Simulation drafting = simulated(opened);
        QCOMPARE(schemeName(moduleSchemes(drafting.scenario), "mtp.fc"), std::string("BF16"));
        QCOMPARE(schemeName(moduleSchemes(drafting.scenario), "mtp.layers.0.mlp.up_proj"), std::string("BF16"));
        QCOMPARE(operatorsOf(*findBlock(drafting.step, "draft"), OperatorKind::quantize).size(), std::size_t{0});
    }

    /// Full attention in every layer takes the schemes of the layers that have it.
    void everyLayerFull() {
        json config = configOf("Qwen3.5-27B");
        config["quantization_config"] = {
            {"quant_method", "fp8"}, {"modules_to_not_convert", {"model.language_model.layers.3.self_attn.v_proj"}}};
        Opened opened = open(config);
        opened.scenario.allFull = true;
        const Simulation s = simulated(opened);
        const auto list = moduleSchemes(s.scenario);
        QCOMPARE(schemeName(list, "self_attn.v_proj", 0), std::string("BF16"));
        QCOMPARE(schemeName(list, "self_attn.v_proj", 7), std::string("FP8"));
        QCOMPARE(schemeName(list, "self_attn.q_proj", 0), std::string("FP8"));
        QCOMPARE(schemeName(list, "linear_attn.out_proj"), std::string("none"));
    }

    void choicesGoBeforeTheCheckpoint() {
        json config = configOf("Qwen3-30B-A3B");
        config["quantization_config"] =
            json::parse(groupOf(R"(["Linear"])", int8Weights, int8Tokens, R"(["lm_head", "re:.*mlp.gate$"])"));
        Opened opened = open(config);
        Quantization& q = opened.scenario.quantization;
        q.experts = Scheme::w4a8Dynamic;
        q.lmHead = Scheme::w8a16;
        q.keepBf16 = {"layers.7.*", "*.o_proj"};
        const Simulation s = simulated(opened);
        const auto list = moduleSchemes(s.scenario);
        QCOMPARE(schemeName(list, "mlp.experts.up_proj", 0), std::string("W4A8_DYNAMIC"));
        QCOMPARE(schemeName(list, "mlp.experts.up_proj", 7), std::string("BF16"));
        QCOMPARE(schemeName(list, "self_attn.q_proj", 0), std::string("W8A8_DYNAMIC"));
        QCOMPARE(schemeName(list, "self_attn.q_proj", 7), std::string("BF16"));
        QCOMPARE(schemeName(list, "self_attn.o_proj", 0), std::string("BF16"));
        QCOMPARE(schemeName(list, "mlp.gate", 0), std::string("BF16"));
        QCOMPARE(schemeName(list, "lm_head"), std::string("W8A16"));
        QCOMPARE(s.step.blocks.size(), std::size_t{4}); // embedding, layers, layer 7, head
    }

    void aRouterThatIsQuantized() {
        json config = configOf("Qwen3-30B-A3B");
        config["quantization_config"] =
            json::parse(groupOf(R"(["Linear"])", int8Weights, int8Tokens, R"(["lm_head"])"));
        const Simulation s = simulated(open(config));
        QCOMPARE(bytesOf(s, "router"), 48 * (2048.0 * 128 + 128 * 4));
        const Block& layer = *findBlock(s.step, "full layer");
        QVERIFY(std::any_of(layer.operators.begin(), layer.operators.end(), [](const Operator& op) {
            return op.kind == OperatorKind::quantize && op.module == "mlp.gate";
        }));
    }

    void outputsShowTheSchemes() {
        const Opened opened = openSmall(
            R"({"quant_method": "fp8", "weight_block_size": [128, 128], "modules_to_not_convert": ["model.layers.1.mlp"]})");
        const Simulation s = simulated(opened);
        const json written = json::parse(toJson(s))["scenario"]["quantization"];
        QCOMPARE(written["linear"].get<std::string>(), std::string("CHECKPOINT"));
        QCOMPARE(written["experts"].get<std::string>(), std::string("CHECKPOINT"));
        int rows = 0;
        for (const json& module : written["modules"]) {
            if (module["module"] == "mlp.up_proj") {
                ++rows;
                const bool first = module["scheme"] == "FP8";
                QCOMPARE(module["layers"].dump(), std::string(first ? "[0]" : "[1]"));
                QVERIFY(first || module["scheme"] == "BF16");
            }
            if (module["module"] == "lm_head") QVERIFY(!module.contains("layers"));
        }
        QCOMPARE(rows, 2);
        const QString report = QString::fromStdString(toReport(s));
        QVERIFY(report.contains("schemes of the checkpoint"));
        QVERIFY2(report.contains(QRegularExpression("mlp.up_proj +FP8 +layers 0\n +mlp.up_proj +BF16 +layers 1\n")),
                 qPrintable(report));
    }

    // --- what is not followed

    void chosenInsteadIsNoted() {
        Opened opened = openSmall(R"({"quant_method": "fp8"})");
        opened.scenario.quantization.checkpoint = false;
        const Simulation s = simulated(opened);
        QCOMPARE(bytesOf(s, "MLP"), 1'572'864.0);
        QVERIFY(std::any_of(s.notes.begin(), s.notes.end(), [](const std::string& note) {
            return note.find("is quantized (fp8), which the scenario does not follow") != std::string::npos;
        }));
    }

    void notUnderstood_data() {
        QTest::addColumn<QByteArray>("quantization");
        QTest::addColumn<QString>("says"); // subject and value, then a part of the reason or of what is accepted
        const auto row = [](const char* name, const std::string& quantization, const char* says) {
            QTest::newRow(name) << QByteArray::fromStdString(quantization) << QString(says);
        };
        const auto group = [](const char* weights, const char* activations) {
            return groupOf(R"(["Linear"])", "\"weights\": " + std::string(weights), activations);
        };
        row("no map", "7", "quantization_config");
        row("no method", R"({"bits": 4})", "quantization_config.quant_method: is required");
        row("method", R"({"quant_method": "bitsandbytes"})",
            "quantization_config.quant_method \"bitsandbytes\": is no form of quantization that is read; accepted: "
            "compressed-tensors, fp8, gptq");
        row("gptq bits", R"({"quant_method": "gptq", "bits": 3})",
            "quantization_config.bits 3: is no width that is simulated; accepted: 4 or 8");
        row("gptq without bits", R"({"quant_method": "gptq"})", "quantization_config.bits: is required");
        row("gptq exception", R"({"quant_method": "gptq", "bits": 4, "dynamic": {"x": {"bits": 2}}})",
            "quantization_config.dynamic.x");
        // no raw strings here: moc takes brackets in them for its own
        row("gptq expression", "{\"quant_method\": \"gptq\", \"bits\": 4, \"dynamic\": {\"-:(a\": {}}}", "lacks a )");
        row("awq bits", R"({"quant_method": "awq", "bits": "four"})", "quantization_config.bits \"four\"");
        row("awq group", R"({"quant_method": "awq", "bits": 4, "group_size": 1e300})",
            "quantization_config.group_size");
        row("fp8 block", R"({"quant_method": "fp8", "weight_block_size": [128]})",
            "quantization_config.weight_block_size");
        row("fp8 block of 0", R"({"quant_method": "fp8", "weight_block_size": [0, 128]})",
            "quantization_config.weight_block_size");
        row("fp8 list", R"({"quant_method": "fp8", "modules_to_not_convert": {"a": 1}})",
            "quantization_config.modules_to_not_convert");
        row("no groups", R"({"quant_method": "compressed-tensors"})", "quantization_config.config_groups: is required");
        row("groups", R"({"quant_method": "compressed-tensors", "config_groups": [1]})",
            "quantization_config.config_groups");
        row("group", R"({"quant_method": "compressed-tensors", "config_groups": {"g": 1}})",
            "quantization_config.config_groups.g");
        row("no weights", R"({"quant_method": "compressed-tensors", "config_groups": {"g": {"targets": ["Linear"]}}})",
            "quantization_config.config_groups.g.weights: is required");
        row("weights of 3 bits", group(R"({"num_bits": 3})", "null"),
            "3-bit integer weights with unquantized activations");
        row("float weights, integer activations", group(R"({"num_bits": 8, "type": "float"})", R"({"num_bits": 8})"),
            "8-bit float weights with 8-bit integer activations");
        row("bits", group(R"({"num_bits": -8})", "null"), "quantization_config.config_groups.group_0.weights.num_bits");
        row("type", group(R"({"num_bits": 8, "type": "complex"})", "null"), "int or float");
        row("block", group(R"({"num_bits": 8, "strategy": "block"})", "null"), "block_structure");
        row("expression", groupOf(R"(["re:a{2000}"])", int8Weights, "null"), "repeats too much");
        row("ignored expression", groupOf(R"(["Linear"])", int8Weights, "null", "[\"re:[a\"]"), "lacks a ]");
        row("ascend without tensors", R"({"quant_method": "ascend"})", "there is no quant_model_description.json");
        row("word of ModelSlim", R"({"quant_method": "ascend", "model.layers.0.mlp.up_proj.weight": "W2A2"})",
            "\"W2A2\": is no scheme that is simulated; accepted: FLOAT, W8A8");
    }
    void notUnderstood() {
        QFETCH(QByteArray, quantization);
        QFETCH(QString, says);
        Opened opened = openSmall(quantization.toStdString());
        const ModelConfig& model = opened.model();
        QVERIFY(!model.checkpoint);
        QVERIFY2(QString::fromStdString(model.checkpointProblem).contains(says), model.checkpointProblem.c_str());
        QVERIFY(model.checkpointProblem.find("config.json") != std::string::npos);
        QCOMPARE(std::count(model.notes.begin(), model.notes.end(), model.checkpointProblem), 1);
        const auto refused = validate(opened.catalog, opened.scenario);
        QVERIFY(!refused);
        QCOMPARE(refused.error().subject, std::string("quantization"));
        QCOMPARE(refused.error().value, std::string("CHECKPOINT"));
        QCOMPARE(refused.error().why, model.checkpointProblem);
        opened.scenario.quantization.checkpoint = false;
        QVERIFY(validate(opened.catalog, opened.scenario)); // in a scheme of one's own choice it runs
    }

    void brokenDescriptions_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::newRow("empty") << QByteArray(" ");
        QTest::newRow("cut off") << QByteArray("{\"model.layers.0.mlp.up_proj.weight\": \"W8A");
        QTest::newRow("a list") << QByteArray("[1, 2]");
        QTest::newRow("binary") << QByteArray("\x00\xff\x7f", 3);
    }
    void brokenDescriptions() {
        QFETCH(QByteArray, text);
        const Opened opened = open(smallConfig(), text.toStdString());
        QVERIFY(!opened.model().checkpoint);
        QVERIFY(opened.model().checkpointProblem.find("quant_model_description.json") != std::string::npos);
    }

    /// Expressions that would keep other matchers busy for ever.
    void expressionsThatTakeTooLong() {
        // 80 * 8 loops of three instructions, all alive at each of some sixty characters of nine hundred module paths:
        // 400 of these would take 4e10 steps.
        json slow = json::parse(groupOf(R"(["Linear"])", int8Weights, int8Tokens));
        for (int i = 0; i < 400; ++i)
            slow["ignore"].push_back("re:" + std::string(i % 7, '.') + "(.*.*.*.*.*.*.*.*){80}x");
        json config = configOf("Qwen3.5-397B-A17B");
        config["quantization_config"] = slow;
        const Opened opened = open(config);
        QVERIFY(!opened.model().checkpoint);
        QVERIFY2(opened.model().checkpointProblem.find("its expressions take too long to match") != std::string::npos,
                 opened.model().checkpointProblem.c_str());
    }

    void expressionsThatAreTooLarge() {
        json large = json::parse(groupOf(R"(["Linear"])", int8Weights, int8Tokens)); // 100 * 8 * 3 instructions
        large["ignore"].push_back("re:(.*.*.*.*.*.*.*.*){100}x");
        json config = configOf("Qwen3.5-397B-A17B");
        config["quantization_config"] = large;
        const Opened opened = open(config);
        QVERIFY(!opened.model().checkpoint);
        QVERIFY2(opened.model().checkpointProblem.find("repeats too much") != std::string::npos,
                 opened.model().checkpointProblem.c_str());
    }

    // --- rates

    void everySchemeIsChecked() {
        json config = configOf("Qwen3.5-27B");
        config["quantization_config"] =
            json::parse(groupOf(R"(["Linear"])", int8Weights, int8Tokens, R"(["re:.*visual.*"])"));
        config["quantization_config"]["config_groups"]["group_1"] = json::parse(
            R"({"targets": ["re:.*layers.40.mlp.down_proj"], "weights": {"num_bits": 8, "type": "float"},
                "input_activations": {"num_bits": 8, "type": "float", "dynamic": true}})");
        Opened opened = open(config);
        QVERIFY(validate(opened.catalog, opened.scenario));
        opened.scenario.device = "ATLAS_800_A3_560T_128G_DIE"; // no FP8
        const auto refused = validate(opened.catalog, opened.scenario);
        QVERIFY(!refused);
        const Error& error = refused.error();
        QCOMPARE(error.code, ErrorCode::noRate);
        QCOMPARE(error.subject, std::string("quantization"));
        QCOMPARE(error.value, std::string("CHECKPOINT"));
        QVERIFY2(error.why.starts_with("layers.40.mlp.down_proj of "), error.why.c_str());
        QVERIFY(error.why.ends_with("is stored as FP8, and ATLAS_800_A3_560T_128G_DIE has no fp8 matrix rate"));
        QCOMPARE(error.accepted, std::string("schemes that run in fp32, bf16, fp16 or int8"));
        opened.scenario.layers = 40; // without that layer it runs
        QVERIFY(validate(opened.catalog, opened.scenario));
        opened.scenario.layers = {};
        opened.scenario.quantization.keepBf16 = {"layers.40.mlp.*"};
        QVERIFY(validate(opened.catalog, opened.scenario));
    }

    void aModelWithoutQuantization() {
        Scenario scenario = scenarioOf("Qwen3.5-27B", Phase::decode, 1, 99);
        scenario.quantization.checkpoint = true;
        const auto refused = validate(builtIn(), scenario);
        QVERIFY(!refused);
        QCOMPARE(refused.error().text(),
                 std::string("quantization CHECKPOINT: Qwen3.5-27B names no quantization of its "
                             "own; accepted: a scheme such as BF16 or W8A8_DYNAMIC"));
    }

    /// The table of modules that checkpoints are asked for knows every matrix product of a layer.
    void everyMatrixProductIsAModule() {
        for (const auto& model : builtIn().models()) {
            Scenario scenario = scenarioOf(model->name, Phase::decode, 1, 99);
            scenario.quantization.linear = Scheme::w8a8Dynamic;
            DELTASCOPE_SIMULATE(s, scenario);
            std::size_t products = 0;
            for (const LayerModule& module : layerModules)
                products += hasModule(model->text, LayerType::fullAttention, model->text.sparseLayer.back(), module);
            scenario.quantization.keepBf16 = {};
            for (const LayerModule& module : layerModules)
                if (module.role != ModuleRole::router) scenario.quantization.keepBf16.emplace_back(module.path);
            DELTASCOPE_SIMULATE(kept, scenario);
            QCOMPARE(callsOf(kept, OperatorKind::quantize), std::int64_t{0});
            QVERIFY(callsOf(s, OperatorKind::quantize) > 0);
            QVERIFY(products >= 7);
        }
    }
};

QTEST_GUILESS_MAIN(TestCheckpointQuantization)
#include "tst_checkpoint_quantization.moc"
