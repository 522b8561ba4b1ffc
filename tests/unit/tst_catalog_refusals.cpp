// SPDX-License-Identifier: GPL-3.0-or-later
// Every refusal of the model, device and engine readers: it names file, key, value and what would be accepted.
#include "catalog/catalog.h"
#include "catalog/image_limits.h"

#include <QTemporaryDir>
#include <QTest>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

using namespace deltascope;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

json readJson(const fs::path& path) {
    std::ifstream file(path);
    return json::parse(file);
}

const std::string deviceBase = "name: D\n"                                                       // line 1
                               "matrix_flops_per_s: {bf16: 100e12}\n"                            // 2
                               "memory: {size_bytes: 16e9, bandwidth_bytes_per_s: 500e9}\n"      // 3
                               "efficiency: {compute: 0.7, memory: 0.6}\n"                       // 4
                               "launch_s: {matrix: 5e-6, vector: 2e-6, communication: 10e-6}\n"  // 5
                               "interconnect:\n"                                                 // 6
                               "  - {name: in, size: 8, bandwidth_bytes_per_s: 400e9}\n"         // 7
                               "  - {name: out, bandwidth_bytes_per_s: 25e9, latency_s: 5e-6}\n" // 8
                               "vendor: V\n";                                                    // 9

} // namespace

class TestCatalogRefusals : public QObject {
    Q_OBJECT

    QTemporaryDir dir_;
    fs::path folder() const { return dir_.path().toStdString(); }
    fs::path put(const std::string& name, std::string_view text) const {
        const fs::path path = folder() / name;
        fs::create_directories(path.parent_path());
        std::ofstream(path, std::ios::binary) << text;
        return path;
    }

    /// Columns common to all refusals.
    static void columns() {
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("subject");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("says"); // somewhere in why or accepted
    }
    static void compare(const Error& error, const fs::path& file) {
        QFETCH(QString, code);
        QFETCH(QString, subject);
        QFETCH(QString, value);
        QFETCH(QString, says);
        const QString text = QString::fromStdString(error.text());
        QCOMPARE(QString::fromStdString(std::string(nameOf(error.code))), code);
        QCOMPARE(QString::fromStdString(error.subject), subject);
        QCOMPARE(QString::fromStdString(error.value), value);
        QVERIFY2(QString::fromStdString(error.why + "; " + error.accepted).contains(says), qPrintable(text));
        QVERIFY2(text.startsWith(QString::fromStdString(file.string())), qPrintable(text));
    }

private slots:
    void models_data() {
        QTest::addColumn<QString>("base");
        QTest::addColumn<QString>("patch"); // JSON merge patch
        columns();
        const auto row = [](const char* name, const char* base, const char* patch, const char* code,
                            const char* subject, const char* value, const char* says) {
            QTest::newRow(name) << base << patch << code << subject << value << says;
        };
        const char* dense = "Qwen3.5-27B";
        const char* moe = "Qwen3.5-35B-A3B";
        const char* flat = "Qwen3-8B";
        row("type", dense, R"({"model_type": "mamba"})", "unsupported", "model_type", "\"mamba\"",
            "qwen3, qwen3_moe, qwen3_next, qwen3_vl, qwen3_5, qwen3_5_moe, qwen3_5_text or qwen3_5_moe_text");
        row("no type", dense, R"({"model_type": null})", "missing-key", "model_type", "", "required");
        row("type is a number", dense, R"({"model_type": 3})", "wrong-type", "model_type", "3", "a text");
        row("no text", dense, R"({"text_config": null})", "missing-key", "text_config", "", "required");
        row("text is a list", dense, R"({"text_config": []})", "wrong-type", "text_config", "a list of 0", "a map");
        row("vision is a text", dense, R"({"vision_config": "x"})", "wrong-type", "vision_config", "\"x\"", "a map");
        row("missing", dense, R"({"text_config": {"hidden_size": null}})", "missing-key", "text_config.hidden_size", "",
            "required");
        row("missing, flat", flat, R"({"vocab_size": null})", "missing-key", "vocab_size", "", "required");
        row("text for a number", dense, R"({"text_config": {"hidden_size": "5120"}})", "wrong-type",
            "text_config.hidden_size", "\"5120\"", "a whole number from 1 to 16,777,216");
        row("half", dense, R"({"text_config": {"hidden_size": 5120.5}})", "wrong-type", "text_config.hidden_size",
            "5120.5", "a whole number");
        row("zero", dense, R"({"text_config": {"hidden_size": 0}})", "out-of-range", "text_config.hidden_size", "0",
            "from 1");
        row("negative", flat, R"({"num_attention_heads": -32})", "out-of-range", "num_attention_heads", "-32",
            "from 1");
        row("absurd", flat, R"({"vocab_size": 1099511627777})", "out-of-range", "vocab_size", "1099511627777",
            "to 4,294,967,296");
        row("beyond 64 bits", flat, R"({"vocab_size": 36893488147419103232})", "out-of-range", "vocab_size",
            "3.6893488147419103e+19", "to 4,294,967,296");
        row("absurd together", flat, R"({"hidden_size": 16000000, "intermediate_size": 16000000})", "out-of-range",
            "num_hidden_layers", "36", "parameters");
        row("layers", flat, R"({"num_hidden_layers": 10001})", "out-of-range", "num_hidden_layers", "10001",
            "to 10,000");
        row("layer_types too short", dense, R"({"text_config": {"layer_types": ["full_attention"]}})", "contradictory",
            "text_config.layer_types", "a list of 1", "a list of 64");
        row("layer_types unknown", dense,
            R"({"text_config": {"num_hidden_layers": 1, "layer_types": ["sliding_attention"]}})", "unsupported",
            "text_config.layer_types", "a list of 1", "linear_attention or full_attention");
        row("layer_types of a dense family", flat, R"({"num_hidden_layers": 1, "layer_types": ["linear_attention"]})",
            "contradictory", "layer_types", "a list of 1", "full_attention");
        row("layer_types is a text", dense, R"({"text_config": {"layer_types": "all"}})", "wrong-type",
            "text_config.layer_types", "\"all\"", "a list of texts");
        row("layer_types holds a number", dense, R"({"text_config": {"num_hidden_layers": 1, "layer_types": [4]}})",
            "wrong-type", "text_config.layer_types[0]", "4", "a text");
        row("interval", dense, R"({"text_config": {"full_attention_interval": 0}})", "out-of-range",
            "text_config.full_attention_interval", "0", "from 1 to 10,000");
        row("query heads", dense, R"({"text_config": {"num_attention_heads": 22}})", "contradictory",
            "text_config.num_attention_heads", "22", "a multiple of 4");
        row("value heads", dense, R"({"text_config": {"linear_num_value_heads": 40}})", "contradictory",
            "text_config.linear_num_value_heads", "40", "a multiple of 16");
        row("no linear keys", dense, R"({"text_config": {"linear_key_head_dim": null}})", "missing-key",
            "text_config.linear_key_head_dim", "", "required");
        row("convolution", dense, R"({"text_config": {"linear_conv_kernel_dim": 4096}})", "out-of-range",
            "text_config.linear_conv_kernel_dim", "4096", "to 1,024");
        row("state dtype", dense, R"({"text_config": {"mamba_ssm_dtype": "float64"}})", "out-of-range",
            "text_config.mamba_ssm_dtype", "\"float64\"", "bfloat16, float16 or float32");
        row("head_dim absent, indivisible", dense,
            R"({"text_config": {"head_dim": null, "hidden_size": 5000, "num_attention_heads": 24}})", "contradictory",
            "text_config.hidden_size", "5000", "a multiple of 24");
        row("experts per token", moe, R"({"text_config": {"num_experts_per_tok": 257}})", "contradictory",
            "text_config.num_experts_per_tok", "257", "at most 256");
        row("no experts", moe, R"({"text_config": {"num_experts": 0}})", "out-of-range", "text_config.num_experts", "0",
            "from 1");
        row("no shared expert", moe, R"({"text_config": {"shared_expert_intermediate_size": null}})", "missing-key",
            "text_config.shared_expert_intermediate_size", "", "required");
        row("mlp_only_layers", "Qwen3-30B-A3B", R"({"mlp_only_layers": [48]})", "out-of-range", "mlp_only_layers[0]",
            "48", "from 0 to 47");
        row("sparse step", "Qwen3-30B-A3B", R"({"decoder_sparse_step": 0})", "out-of-range", "decoder_sparse_step", "0",
            "from 1");
        row("flag", flat, R"({"tie_word_embeddings": 1})", "wrong-type", "tie_word_embeddings", "1", "true or false");
        row("dtype", flat, R"({"torch_dtype": "int4"})", "out-of-range", "torch_dtype", "\"int4\"", "bfloat16");
        row("rotary factor", dense, R"({"text_config": {"rope_parameters": {"partial_rotary_factor": 1.5}}})",
            "out-of-range", "text_config.rope_parameters.partial_rotary_factor", "1.5", "at most 1");
        row("rotary factor twice", "Qwen3.6-27B", R"({"text_config": {"partial_rotary_factor": 0.5}})", "contradictory",
            "text_config.rope_parameters.partial_rotary_factor", "0.25", "0.5");
        row("odd rotary dimension", flat, R"({"head_dim": 127})", "contradictory", "head_dim", "127", "even");
        row("mrope", dense, R"({"text_config": {"rope_parameters": {"mrope_section": [11, 11, 11]}}})", "contradictory",
            "text_config.rope_parameters.mrope_section", "a list of 3", "add up to 32");
        row("mtp", dense, R"({"text_config": {"mtp_num_hidden_layers": 65}})", "out-of-range",
            "text_config.mtp_num_hidden_layers", "65", "from 0 to 64");
        row("vision width", dense, R"({"vision_config": {"out_hidden_size": 4096}})", "contradictory",
            "vision_config.out_hidden_size", "4096", "5120");
        row("vision heads", dense, R"({"vision_config": {"num_heads": 7}})", "contradictory",
            "vision_config.hidden_size", "1152", "num_heads");
        row("vision depth", dense, R"({"vision_config": {"depth": null}})", "missing-key", "vision_config.depth", "",
            "required");
        row("deepstack", "Qwen3-VL-8B-Instruct", R"({"vision_config": {"deepstack_visual_indexes": [8, 27]}})",
            "out-of-range", "vision_config.deepstack_visual_indexes[1]", "27", "to 26");
    }
    void models() {
        QFETCH(QString, base);
        QFETCH(QString, patch);
        json config = readJson(fs::path(DELTASCOPE_SOURCE_DIR) / "models" / base.toStdString() / "config.json");
        config.merge_patch(json::parse(patch.toStdString())); // a null removes the key
        const fs::path file = put("m/config.json", config.dump(2));
        const auto model = readModelConfig(file);
        QVERIFY(!model);
        compare(model.error(), file);
    }

    void modelFiles() {
        const auto code = [](const fs::path& path) { return readModelConfig(path).error().code; };
        QCOMPARE(code(folder() / "nowhere"), ErrorCode::notFound);
        fs::create_directories(folder() / "empty");
        QCOMPARE(code(folder() / "empty"), ErrorCode::notFound);
        QVERIFY(readModelConfig(folder() / "empty").error().text().find("config.json") != std::string::npos);
        QCOMPARE(code(put("x.json", "")), ErrorCode::syntax);
        QCOMPARE(code(put("x.json", "[]")), ErrorCode::wrongType);
        QCOMPARE(code("/dev/zero"), ErrorCode::unreadable);
        const auto nan = readModelConfig(put("x.json", "{\n\"model_type\": \"qwen3\",\n\"hidden_size\": NaN}"));
        QCOMPARE(nan.error().code, ErrorCode::syntax);
        QVERIFY(nan.error().where.ends_with("x.json:3"));
        const auto infinite =
            readModelConfig(put("x.json", "{\"model_type\": \"qwen3\",\n\n\"num_hidden_layers\": 1e999}"));
        QVERIFY(!infinite);
        QVERIFY(infinite.error().where.ends_with("x.json:3"));
        const auto line = readModelConfig(put("x.json", "{\"model_type\": \"qwen3\",\n\n\"num_hidden_layers\": 0\n}"));
        QVERIFY2(line.error().where.ends_with("x.json:3"), line.error().text().c_str());
    }

    /// What a hub's file may lack or hold besides: it opens, and the notes say what was assumed.
    void lenientModels() {
        const fs::path source = DELTASCOPE_SOURCE_DIR;
        json config = readJson(source / "models/Qwen3.5-27B/config.json");
        config["architectures"] = {"SomethingForConditionalGeneration"};
        config["quantization_config"] = {{"bits", 4}};
        config["text_config"]["layer_types"][0] = "full_attention";
        config["text_config"]["tie_word_embeddings"] = true;
        config["text_config"].erase("dtype");
        config["text_config"].erase("head_dim");
        config["text_config"]["num_attention_heads"] = 20;
        config.erase("vision_config");
        const auto model = readModelConfig(put("Hub/config.json", config.dump()));
        QVERIFY2(model.ok(), model.ok() ? "" : model.error().text().c_str());
        QCOMPARE(model->name, std::string("Hub"));
        QCOMPARE(model->layerCount(LayerType::fullAttention), 17);
        QCOMPARE(model->text.headDim, 256); // 5120 / 20
        QVERIFY(!model->text.tiedEmbeddings);
        QVERIFY(!model->vision);
        QCOMPARE(model->notes.size(), std::size_t{6});

        json flat = readJson(source / "models/Qwen3.5-27B/config.json")["text_config"];
        flat.erase("layer_types");
        flat.erase("full_attention_interval");
        const auto text = readModelConfig(put("Flat/config.json", flat.dump()));
        QVERIFY2(text.ok(), text.ok() ? "" : text.error().text().c_str());
        QVERIFY(!text->vision);
        QCOMPARE(text->modelType, std::string("qwen3_5_text"));
        QCOMPARE(text->layerCount(LayerType::fullAttention), 16);
        QCOMPARE(text->text.layers[3], LayerType::fullAttention);
        QCOMPARE(text->notes.size(), std::size_t{1});

        json sparse = readJson(source / "models/Qwen3-30B-A3B/config.json");
        sparse["decoder_sparse_step"] = 2;
        sparse["mlp_only_layers"] = {1, 2};
        const auto mixed = readModelConfig(put("Mixed/config.json", sparse.dump()));
        QVERIFY(mixed);
        QCOMPARE(std::count(mixed->text.sparseLayer.begin(), mixed->text.sparseLayer.end(), true), 23);
        QVERIFY(mixed->text.sparseLayer[3] && !mixed->text.sparseLayer[1] && !mixed->text.sparseLayer[0]);
        QCOMPARE(mixed->text.intermediate, 6144);
    }

    void imageLimits_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("min");
        QTest::addColumn<int>("max");
        QTest::addColumn<QString>("note"); // empty: none
        QTest::newRow("edges") << R"({"size": {"shortest_edge": 1024, "longest_edge": 4096}})" << 1024 << 4096 << "";
        QTest::newRow("pixels") << R"({"min_pixels": 2048, "max_pixels": 8192, "other": [1]})" << 2048 << 8192 << "";
        QTest::newRow("invalid JSON") << R"({"size": {)" << 65536 << 16777216 << "not valid JSON";
        QTest::newRow("empty") << "" << 65536 << 16777216 << "not valid JSON";
        QTest::newRow("missing file") << "-" << 65536 << 16777216 << "holds no preprocessor_config.json";
        QTest::newRow("no limits") << "{}" << 65536 << 16777216 << "names no limits";
        QTest::newRow("one limit") << R"({"min_pixels": 2048})" << 65536 << 16777216 << "names no limits";
        QTest::newRow("text") << R"({"min_pixels": "a", "max_pixels": 1})" << 65536 << 16777216 << "min_pixels";
        QTest::newRow("zero") << R"({"min_pixels": 0, "max_pixels": 1})" << 65536 << 16777216 << "out of range";
        QTest::newRow("crossed") << R"({"min_pixels": 9, "max_pixels": 8})" << 65536 << 16777216 << "above";
        QTest::newRow("list") << "[]" << 65536 << 16777216 << "another type";
    }
    void imageLimits() {
        QFETCH(QString, text);
        QFETCH(int, min);
        QFETCH(int, max);
        QFETCH(QString, note);
        const fs::path model =
            put("v/config.json", readJson(fs::path(DELTASCOPE_SOURCE_DIR) / "models/Qwen3.5-0.8B/config.json").dump());
        fs::remove(folder() / "v/preprocessor_config.json");
        if (text != "-") put("v/preprocessor_config.json", text.toStdString());
        const auto config = readModelConfig(model);
        QVERIFY(config);
        QCOMPARE(config->imageLimits.minPixels, min);
        QCOMPARE(config->imageLimits.maxPixels, max);
        const QString said = QString::fromStdString(config->imageLimits.note);
        QVERIFY2(note.isEmpty() ? said.isEmpty() : said.contains(note) && said.contains("65,536"), qPrintable(said));
    }
    void imageLimitsWithoutFolder() {
        const ImageLimits none = readImageLimits(folder() / "nowhere");
        QCOMPARE(none.minPixels, 65536);
        QVERIFY(none.note.find("is no folder") != std::string::npos);
        const ImageLimits file = readImageLimits(put("plain.txt", "x"));
        QCOMPARE(file.maxPixels, 16777216);
        QVERIFY(file.note.find("is no folder") != std::string::npos);
        fs::create_directories(folder() / "bare"); // no config.json either
        QVERIFY(readImageLimits(folder() / "bare").note.find("holds no") != std::string::npos);
    }

    void devices_data() {
        QTest::addColumn<QString>("replace");
        QTest::addColumn<QString>("with");
        QTest::addColumn<int>("line");
        columns();
        const auto row = [](const char* name, const char* replace, const char* with, int line, const char* code,
                            const char* subject, const char* value, const char* says) {
            QTest::newRow(name) << replace << with << line << code << subject << value << says;
        };
        row("no name", "name: D", "", 2, "missing-key", "name", "", "required");
        row("name empty", "name: D", "name: ''", 1, "out-of-range", "name", "\"\"", "is empty");
        row("name a number", "name: D", "name: 910", 1, "wrong-type", "name", "910", "in quotes");
        row("no memory", "memory: {size_bytes: 16e9, bandwidth_bytes_per_s: 500e9}", "", 1, "missing-key", "memory", "",
            "required");
        row("no size", "size_bytes: 16e9, ", "", 3, "missing-key", "memory.size_bytes", "", "required");
        row("no bandwidth", ", bandwidth_bytes_per_s: 500e9}", "}", 3, "missing-key", "memory.bandwidth_bytes_per_s",
            "", "required");
        row("no rates", "matrix_flops_per_s: {bf16: 100e12}", "", 1, "missing-key", "matrix_flops_per_s", "",
            "required");
        row("rates empty", "{bf16: 100e12}", "{}", 2, "missing-key", "matrix_flops_per_s", "a map of 0", "fp32");
        row("memory a number", "memory: {size_bytes: 16e9, bandwidth_bytes_per_s: 500e9}", "memory: 16e9", 3,
            "wrong-type", "memory", "16e9", "a map");
        row("unknown key", "vendor: V", "vendro: V", 9, "unknown-key", "vendro", "\"V\"", "the nearest is vendor");
        row("far key", "vendor: V", "colour: red", 9, "unknown-key", "colour", "\"red\"", "name, vendor, aliases");
        row("misspelt required", "memory:", "memroy:", 3, "unknown-key", "memroy", "a map of 2", "nearest is memory");
        row("unknown dtype", "bf16:", "bf61:", 2, "unknown-key", "matrix_flops_per_s.bf61", "100e12",
            "the nearest is bf16");
        row("unknown tier key", "size: 8", "sise: 8", 7, "unknown-key", "interconnect[0].sise", "8",
            "the nearest is size");
        row("size in GB", "size_bytes: 16e9", "size_gb: 16", 3, "wrong-unit", "memory.size_gb", "16",
            "memory.size_bytes");
        row("size without unit", "size_bytes: 16e9", "size: 16e9", 3, "wrong-unit", "memory.size", "16e9", "in bytes");
        row("bandwidth in GB/s", "bandwidth_bytes_per_s: 500e9}", "bandwidth_gb_per_s: 500}", 3, "wrong-unit",
            "memory.bandwidth_gb_per_s", "500", "bytes per second");
        row("rates in TFLOPS", "matrix_flops_per_s", "matrix_tflops", 2, "wrong-unit", "matrix_tflops", "a map of 1",
            "matrix_flops_per_s");
        row("latency in us", "latency_s: 5e-6", "latency_us: 5", 8, "wrong-unit", "interconnect[1].latency_us", "5",
            "in seconds");
        row("launch in us", "launch_s:", "launch_us:", 5, "wrong-unit", "launch_us", "a map of 3", "launch_s");
        row("value with unit", "size_bytes: 16e9", "size_bytes: 16 GB", 3, "wrong-unit", "memory.size_bytes",
            "\"16 GB\"", "a number of bytes");
        row("rate in T", "bf16: 100e12", "bf16: 100", 2, "out-of-range", "matrix_flops_per_s.bf16", "100",
            "floating-point operations per second");
        row("size in G", "size_bytes: 16e9", "size_bytes: 16", 3, "out-of-range", "memory.size_bytes", "16",
            "from 1000000 to");
        row("bandwidth in G", "500e9", "500", 3, "out-of-range", "memory.bandwidth_bytes_per_s", "500", "from 1000000");
        row("latency of seconds", "latency_s: 5e-6", "latency_s: 5", 8, "out-of-range", "interconnect[1].latency_s",
            "5", "a number of seconds from 0 to 0.1");
        row("negative launch", "matrix: 5e-6", "matrix: -5e-6", 5, "out-of-range", "launch_s.matrix", "-5e-6",
            "from 0");
        row("negative size", "16e9", "-16e9", 3, "out-of-range", "memory.size_bytes", "-16e9", "from 1000000");
        row("NaN", "16e9", ".nan", 3, "out-of-range", "memory.size_bytes", ".nan", "not finite");
        row("NaN as a word", "16e9", "NaN", 3, "out-of-range", "memory.size_bytes", "\"NaN\"", "not finite");
        row("infinity", "16e9", ".inf", 3, "out-of-range", "memory.size_bytes", ".inf", "not finite");
        row("overflow", "16e9", "1e999", 3, "out-of-range", "memory.size_bytes", "1e999", "not finite");
        row("efficiency 0", "compute: 0.7", "compute: 0", 4, "out-of-range", "efficiency.compute", "0",
            "above 0, at most 1");
        row("efficiency in percent", "compute: 0.7", "compute: 70", 4, "out-of-range", "efficiency.compute", "70",
            "above 0, at most 1");
        row("efficiency a text", "memory: 0.6", "memory: good", 4, "wrong-type", "efficiency.memory", "\"good\"",
            "a number above 0");
        row("tier size", "size: 8", "size: 0", 7, "out-of-range", "interconnect[0].size", "0", "from 1");
        row("tier size half", "size: 8", "size: 8.5", 7, "wrong-type", "interconnect[0].size", "8.5", "whole");
        row("tier without name", "name: in, ", "", 7, "missing-key", "interconnect[0].name", "", "required");
        row("tier without bandwidth", ", bandwidth_bytes_per_s: 400e9", "", 7, "missing-key",
            "interconnect[0].bandwidth_bytes_per_s", "", "required");
        row("tier twice", "name: out", "name: IN", 8, "duplicate", "interconnect[1].name", "\"IN\"", "earlier tier");
        row("tier out of reach", "size: 8, ", "", 8, "contradictory", "interconnect[1].name", "\"out\"",
            "the tier before it, in, has no size");
        row("topology", "size: 8", "topology: full-mesh", 7, "out-of-range", "interconnect[0].topology",
            "\"full-mesh\"", "perhaps full_mesh");
        row("scaling", "size: 8", "latency_scaling: log", 7, "out-of-range", "interconnect[0].latency_scaling",
            "\"log\"", "steps or flat");
        row("interconnect a map", "interconnect:\n  - {name: in,", "interconnect: {name: in,", 6, "wrong-type",
            "interconnect", "a map of 3", "a list of maps");
        row("alias twice", "vendor: V", "aliases: [X, x]", 9, "duplicate", "aliases", "a list of 2", "x twice");
        row("alias is the name", "vendor: V", "aliases: [d]", 9, "duplicate", "aliases", "a list of 1", "d twice");
        row("key twice", "vendor: V", "name: E", 9, "duplicate", "name", "", "first on line 1");
        row("not YAML", "vendor: V", "vendor: [", 10, "syntax", "file", "", "not valid YAML");
    }
    void devices() {
        QFETCH(QString, replace);
        QFETCH(QString, with);
        QFETCH(int, line);
        QString text = QString::fromStdString(deviceBase);
        QVERIFY(text.contains(replace));
        text.replace(text.indexOf(replace), replace.size(), with);
        if (QByteArray(QTest::currentDataTag()) == "interconnect a map")
            text.remove("  - {name: out, bandwidth_bytes_per_s: 25e9, latency_s: 5e-6}\n");
        const fs::path file = put("device.yaml", text.toStdString());
        const auto device = readDeviceProfile(file);
        QVERIFY(!device);
        compare(device.error(), file);
        QCOMPARE(device.error().where, file.string() + ':' + std::to_string(line));
    }
    void deviceDefaults() {
        QVERIFY(readDeviceProfile(put("device.yaml", deviceBase)));
        const auto device =
            readDeviceProfile(put("device.yaml", "name: D\nmatrix_flops_per_s: {fp8: 1e12}\n"
                                                 "memory: {size_bytes: 16000000000, bandwidth_bytes_per_s: +500e9}\n"
                                                 "interconnect: [{name: link, bandwidth_bytes_per_s: 1e9}]\n"));
        QVERIFY2(device.ok(), device.ok() ? "" : device.error().text().c_str());
        QVERIFY(!device->computeEfficiency && !device->matrixLaunch && device->sources.empty());
        QCOMPARE(device->origin, Origin::file);
        const InterconnectTier& tier = device->interconnect[0];
        QVERIFY(!tier.size);
        QCOMPARE(tier.topology, Topology::clos);
        QCOMPARE(tier.latency.value(), 0.0);
        QCOMPARE(tier.efficiency, 1.0);
        QCOMPARE(device->memoryBandwidth.value(), 500e9);
    }

    void engines_data() {
        QTest::addColumn<QString>("text");
        columns();
        const auto row = [](const char* name, const char* text, const char* code, const char* subject,
                            const char* value,
                            const char* says) { QTest::newRow(name) << text << code << subject << value << says; };
        row("empty", "", "wrong-type", "file", "null", "a map");
        row("no name", "summary: s", "missing-key", "name", "", "required");
        row("unknown key", "name: e\none_plus_weight_rms_norm: fused", "unknown-key", "one_plus_weight_rms_norm",
            "\"fused\"", "one_plus_weight_norm");
        row("word", "name: e\none_plus_weight_norm: fuse", "out-of-range", "one_plus_weight_norm", "\"fuse\"",
            "perhaps fused");
        row("flag", "name: e\ncausal_discount: yes", "wrong-type", "causal_discount", "\"yes\"", "true or false");
        row("embedding", "name: e\nembedding: split", "out-of-range", "embedding", "\"split\"",
            "replicated, vocabulary_parallel or storage");
        row("decode", "name: e\nmulti_token_decode: 1", "out-of-range", "multi_token_decode", "1",
            "recurrent or chunk");
        row("packing", "name: e\nchunk_packing: []", "wrong-type", "chunk_packing", "a list of 0", "step or request");
        row("token by token", "name: e\ntoken_by_token: true", "wrong-type", "token_by_token", "true", "a map");
        row("launches", "name: e\ntoken_by_token: {launches: 0}", "out-of-range", "token_by_token.launches", "0",
            "1 to 1,000");
        row("state", "name: e\ntoken_by_token: {state: cache}", "out-of-range", "token_by_token.state", "\"cache\"",
            "cached or streamed");
        row("token key", "name: e\ntoken_by_token: {states: cached}", "unknown-key", "token_by_token.states",
            "\"cached\"", "state");
        row("scale rows", "name: e\nfour_bit_scales: {bits: 32}", "missing-key", "four_bit_scales.rows", "",
            "required");
        row("scale bits", "name: e\nfour_bit_scales: {rows: 64, bits: 65}", "out-of-range", "four_bit_scales.bits",
            "65", "1 to 64");
        row("collectives", "name: e\ncollectives: none", "wrong-type", "collectives", "\"none\"", "true or false");
        row("tables", "name: e\nrope_tables: no", "out-of-range", "rope_tables", "\"no\"", "whole, rows or computed");
        row("merge", "name: e\nmerge_projections: 1", "wrong-type", "merge_projections", "1", "true or false");
        row("head", "name: e\nquantizes_lm_head: 4", "wrong-type", "quantizes_lm_head", "4", "true or false");
        row("pages", "name: e\nmemory: {paged: never}", "wrong-type", "memory.paged", "\"never\"", "true or false");
        row("rate", "name: e\nfloat_path: int8", "out-of-range", "float_path", "\"int8\"", "bf16, fp16 or fp32");
        row("name of two lines", "name: \"e\\nf\"", "out-of-range", "name", "\"e f\"", "one line");
        row("name with an escape", "name: \"e\\e[31m\"", "out-of-range", "name", "\"e [31m\"", "one line");
        row("kernel of no kind", "name: e\nkernels: [{name: K, kind: liner}]", "out-of-range", "kernels[0].kind",
            "\"liner\"", "perhaps linear");
        row("no mode", "name: e\nhost: {dispatch_s: 1e-5}", "missing-key", "host.mode", "",
            "eager, full_decode_only or full_and_piecewise");
        row("columns", "name: e\nconv_state_columns: 3", "out-of-range", "conv_state_columns", "3", "K or K-1");
    }
    void engines() {
        QFETCH(QString, text);
        const fs::path file = put("engine.yaml", text.toStdString());
        const auto engine = readEngineProfile(file);
        QVERIFY(!engine);
        compare(engine.error(), file);
    }
    void engineSettings() {
        const auto engine = readEngineProfile(
            put("engine.yaml", "name: e\nembedding: vocabulary_parallel\nmulti_token_decode: chunk\n"
                               "chunk_packing: request\nfloat_path: fp32\nconv_state_columns: K-1\n"));
        QVERIFY(engine);
        QCOMPARE(engine->embedding, EmbeddingSplit::vocabularyParallel);
        QCOMPARE(engine->multiTokenDecode, MultiTokenDecode::chunk);
        QCOMPARE(engine->chunkPacking, ChunkPacking::request);
        QCOMPARE(engine->floatPath, DType::fp32);
        QCOMPARE(engine->convStateColumns, -1);
        QVERIFY(engine->collectives && engine->ropeTables == RopeTables::whole && !engine->tokenByToken &&
                !engine->fourBitScales);

        const auto small = readEngineProfile(put(
            "engine.yaml", "name: e\nembedding: storage\ncollectives: false\nmerge_projections: false\n"
                           "quantizes_lm_head: true\nrope_tables: computed\nmemory: {paged: false}\n"
                           "token_by_token: {launches: 3, state: streamed}\nfour_bit_scales: {rows: 32, bits: 16}\n"));
        QVERIFY(small);
        QCOMPARE(small->embedding, EmbeddingSplit::storage);
        QVERIFY(!small->collectives && !small->mergeProjections && small->quantizesLmHead);
        QVERIFY(small->ropeTables == RopeTables::computed && !small->memory->paged);
        QCOMPARE(small->tokenByToken->launches, 3);
        QVERIFY(!small->tokenByToken->cachedState);
        QCOMPARE(*small->fourBitScales, (ScaleLayout{32, 1, 16}));
        const auto plain = readEngineProfile(put("engine.yaml", "name: e\ntoken_by_token: {}\n"));
        QVERIFY(plain);
        QCOMPARE(plain->tokenByToken->launches, 1);
        QVERIFY(plain->tokenByToken->cachedState);
    }

    /// Every prefix of a good file, and the file with bytes changed, is read or refused: no crash, no hang.
    void damagedFiles() {
        const fs::path source = DELTASCOPE_SOURCE_DIR;
        std::ifstream modelFile(source / "models/Qwen3.5-9B/config.json", std::ios::binary);
        const std::string model{std::istreambuf_iterator<char>(modelFile), {}};
        std::ifstream deviceFile(source / "devices/NVIDIA_H200_SXM.yaml", std::ios::binary);
        const std::string device{std::istreambuf_iterator<char>(deviceFile), {}};
        QVERIFY(model.size() > 1000 && device.size() > 1000);
        for (std::size_t n = 0; n + 2 < model.size(); n += 7)
            QVERIFY(!readModelConfig(put("cut.json", model.substr(0, n))));
        for (std::size_t n = 0; n < device.size(); n += 7) {
            const auto cut = readDeviceProfile(put("cut.yaml", device.substr(0, n)));
            QVERIFY(cut || !cut.error().text().empty());
        }
        std::uint32_t random = 1;
        const auto next = [&random](std::size_t below) {
            random = random * 1664525U + 1013904223U;
            return static_cast<std::size_t>(random >> 8U) % below;
        };
        for (int i = 0; i < 500; ++i) {
            std::string badModel = model;
            std::string badDevice = device;
            for (int k = 0; k < 4; ++k) {
                badModel[next(badModel.size())] = static_cast<char>(next(256));
                badDevice[next(badDevice.size())] = "{}[]:-,#'\"\n\t &*!|>%@`?0eE.\xff"[next(28)];
            }
            const auto a = readModelConfig(put("bad.json", badModel));
            QVERIFY(a || !a.error().text().empty());
            const auto b = readDeviceProfile(put("bad.yaml", badDevice));
            QVERIFY(b || !b.error().text().empty());
        }
    }
};

QTEST_GUILESS_MAIN(TestCatalogRefusals)
#include "tst_catalog_refusals.moc"
