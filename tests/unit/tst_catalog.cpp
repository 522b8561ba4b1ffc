// SPDX-License-Identifier: GPL-3.0-or-later
// The built-in catalog, figure by figure, and how folders of the user shadow it.
#include "catalog/catalog.h"

#include "base/file.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <filesystem>

using namespace deltascope;
namespace fs = std::filesystem;

namespace {

const fs::path source = DELTASCOPE_SOURCE_DIR;

const Catalog& builtIn() {
    static const Catalog catalog = Catalog::load({{source, Origin::builtIn}});
    return catalog;
}

template <class T>
std::vector<std::string> namesOf(const std::vector<std::shared_ptr<const T>>& list) {
    std::vector<std::string> names;
    for (const auto& entry : list) names.push_back(entry->name);
    return names;
}

void write(const fs::path& path, std::string_view text) {
    fs::create_directories(path.parent_path());
    QVERIFY2(writeFileWhole(path, text), path.c_str());
}

std::string deviceText(std::string_view name, std::string_view more = "") {
    return "name: " + std::string(name) +
           "\nmatrix_flops_per_s: {bf16: 100e12}\nmemory: {size_bytes: 16e9, bandwidth_bytes_per_s: 500e9}\n" +
           std::string(more);
}

} // namespace

class TestCatalog : public QObject {
    Q_OBJECT
private slots:
    void everythingLoads() {
        for (const Error& problem : builtIn().problems()) qWarning("%s", problem.text().c_str());
        QVERIFY(builtIn().problems().empty());
        const std::vector<std::string> models{"Qwen3-8B",
                                              "Qwen3-30B-A3B",
                                              "Qwen3-32B",
                                              "Qwen3-235B-A22B",
                                              "Qwen3-Next-80B-A3B-Instruct",
                                              "Qwen3-VL-8B-Instruct",
                                              "Qwen3-VL-32B-Instruct",
                                              "Qwen3.5-0.8B",
                                              "Qwen3.5-2B",
                                              "Qwen3.5-4B",
                                              "Qwen3.5-9B",
                                              "Qwen3.5-27B",
                                              "Qwen3.5-35B-A3B",
                                              "Qwen3.5-122B-A10B",
                                              "Qwen3.5-397B-A17B",
                                              "Qwen3.6-27B",
                                              "Qwen3.6-35B-A3B"};
        QCOMPARE(namesOf(builtIn().models()), models);
        QCOMPARE(builtIn().devices().size(), std::size_t{31});
        QCOMPARE(namesOf(builtIn().engines()),
                 (std::vector<std::string>{"mnn", "mnn-metal", "mnn-opencl", "mnn-vulkan", "tensorcast",
                                           "tensorcast-fused", "vllm-ascend", "vllm-cuda"}));
        for (const auto& model : builtIn().models()) {
            QVERIFY2(model->notes.empty(), model->notes.empty() ? "" : model->notes.front().c_str());
            QVERIFY2(model->imageLimits.note.empty(), model->imageLimits.note.c_str());
            QCOMPARE(model->origin, Origin::builtIn);
        }
        for (const auto& device : builtIn().devices()) QVERIFY2(!device->sources.empty(), device->name.c_str());
    }

    void models_data() {
        // model, family, hidden, intermediate, Nq, Nkv, d, linear layers, full layers, Hk, Hv, E, k, Ie, Is, vocab
        QTest::addColumn<QString>("family");
        QTest::addColumn<QList<int>>("figures");
        const auto row = [](const char* name, const char* family, QList<int> figures) {
            QTest::newRow(name) << QString(family) << figures;
        };
        row("Qwen3-8B", "Qwen3", {4096, 12288, 32, 8, 128, 0, 36, 0, 0, 0, 0, 0, 0, 151936});
        row("Qwen3-32B", "Qwen3", {5120, 25600, 64, 8, 128, 0, 64, 0, 0, 0, 0, 0, 0, 151936});
        row("Qwen3-30B-A3B", "Qwen3", {2048, 0, 32, 4, 128, 0, 48, 0, 0, 128, 8, 768, 0, 151936});
        row("Qwen3-235B-A22B", "Qwen3", {4096, 0, 64, 4, 128, 0, 94, 0, 0, 128, 8, 1536, 0, 151936});
        row("Qwen3-Next-80B-A3B-Instruct", "Qwen3-Next",
            {2048, 0, 16, 2, 256, 36, 12, 16, 32, 512, 10, 512, 512, 151936});
        row("Qwen3-VL-8B-Instruct", "Qwen3-VL", {4096, 12288, 32, 8, 128, 0, 36, 0, 0, 0, 0, 0, 0, 151936});
        row("Qwen3-VL-32B-Instruct", "Qwen3-VL", {5120, 25600, 64, 8, 128, 0, 64, 0, 0, 0, 0, 0, 0, 151936});
        row("Qwen3.5-0.8B", "Qwen3.5", {1024, 3584, 8, 2, 256, 18, 6, 16, 16, 0, 0, 0, 0, 248320});
        row("Qwen3.5-2B", "Qwen3.5", {2048, 6144, 8, 2, 256, 18, 6, 16, 16, 0, 0, 0, 0, 248320});
        row("Qwen3.5-4B", "Qwen3.5", {2560, 9216, 16, 4, 256, 24, 8, 16, 32, 0, 0, 0, 0, 248320});
        row("Qwen3.5-9B", "Qwen3.5", {4096, 12288, 16, 4, 256, 24, 8, 16, 32, 0, 0, 0, 0, 248320});
        row("Qwen3.5-27B", "Qwen3.5", {5120, 17408, 24, 4, 256, 48, 16, 16, 48, 0, 0, 0, 0, 248320});
        row("Qwen3.5-35B-A3B", "Qwen3.5", {2048, 0, 16, 2, 256, 30, 10, 16, 32, 256, 8, 512, 512, 248320});
        row("Qwen3.5-122B-A10B", "Qwen3.5", {3072, 0, 32, 2, 256, 36, 12, 16, 64, 256, 8, 1024, 1024, 248320});
        row("Qwen3.5-397B-A17B", "Qwen3.5", {4096, 0, 32, 2, 256, 45, 15, 16, 64, 512, 10, 1024, 1024, 248320});
        row("Qwen3.6-27B", "Qwen3.6", {5120, 17408, 24, 4, 256, 48, 16, 16, 48, 0, 0, 0, 0, 248320});
        row("Qwen3.6-35B-A3B", "Qwen3.6", {2048, 0, 16, 2, 256, 30, 10, 16, 32, 256, 8, 512, 512, 248320});
    }
    void models() {
        QFETCH(QString, family);
        QFETCH(QList<int>, figures);
        const auto model = builtIn().findModel(QTest::currentDataTag());
        QVERIFY(model);
        QCOMPARE(QString::fromStdString(model->family), family);
        const TextConfig& text = model->text;
        const LinearAttentionConfig linear = text.linear.value_or(LinearAttentionConfig{});
        const MoeConfig moe = text.moe.value_or(MoeConfig{});
        const std::vector<std::int64_t> read{text.hidden,
                                             text.intermediate,
                                             text.queryHeads,
                                             text.keyValueHeads,
                                             text.headDim,
                                             model->layerCount(LayerType::linearAttention),
                                             model->layerCount(LayerType::fullAttention),
                                             linear.keyHeads,
                                             linear.valueHeads,
                                             moe.experts,
                                             moe.expertsPerToken,
                                             moe.intermediate,
                                             moe.sharedIntermediate,
                                             text.vocab};
        QCOMPARE(read, std::vector<std::int64_t>(figures.begin(), figures.end()));

        const bool hybrid = figures[5] > 0;
        QCOMPARE(text.normScale, hybrid ? NormScale::onePlusWeight : NormScale::weight);
        QCOMPARE(text.outputGate, hybrid);
        QCOMPARE(text.rope.rotaryDim, hybrid ? 64 : 128);
        QVERIFY(text.qkNorm);
        QCOMPARE(text.dtype, DType::bf16);
        QCOMPARE(text.mtpLayers, hybrid ? 1 : 0);
        QCOMPARE(text.mtpInConfig, family != "Qwen3-Next");
        QCOMPARE(std::count(text.sparseLayer.begin(), text.sparseLayer.end(), true),
                 text.moe ? static_cast<std::ptrdiff_t>(model->layerCount()) : 0);
        if (hybrid) {
            QCOMPARE(linear.keyHeadDim, 128);
            QCOMPARE(linear.valueHeadDim, 128);
            QCOMPARE(linear.convKernel, 4);
            QCOMPARE(linear.stateDType, DType::fp32);
            QCOMPARE(text.layers[2], LayerType::linearAttention);
            QCOMPARE(text.layers[3], LayerType::fullAttention);
        }
    }

    void vision() {
        const auto small = builtIn().findModel("Qwen3.5-0.8B");
        QVERIFY(small->vision);
        QCOMPARE(small->vision->depth, 12);
        QCOMPARE(small->vision->hidden, 768);
        QCOMPARE(small->vision->intermediate, 3072);
        QCOMPARE(small->vision->heads, 12);
        QCOMPARE(small->vision->outHidden, 1024);
        QCOMPARE(small->vision->patchSize, 16);
        QCOMPARE(small->vision->spatialMerge, 2);
        QCOMPARE(small->vision->temporalPatch, 2);
        QCOMPARE(small->vision->inChannels, 3);
        QCOMPARE(small->vision->positionEmbeddings, 2304);
        QVERIFY(small->vision->deepstackIndexes.empty());
        QVERIFY(small->text.tiedEmbeddings);
        QVERIFY(small->text.rope.mrope);
        QVERIFY(small->text.rope.interleaved);
        QCOMPARE(small->text.rope.mropeSection, (std::vector<std::int64_t>{11, 11, 10}));
        QCOMPARE(small->imageLimits.minPixels, 65536);
        QCOMPARE(small->imageLimits.maxPixels, 16777216);
        const auto vl = builtIn().findModel("Qwen3-VL-8B-Instruct");
        QCOMPARE(vl->vision->deepstackIndexes, (std::vector<std::int64_t>{8, 16, 24}));
        QVERIFY(!vl->text.tiedEmbeddings);
        QVERIFY(!builtIn().findModel("Qwen3-8B")->vision);
        QVERIFY(!builtIn().findModel("Qwen3-8B")->text.rope.mrope);
    }

    void devices_data() {
        // FP16 matrix rate in T, BF16 in T, memory in GB, bandwidth in GB/s, tiers
        QTest::addColumn<double>("fp16");
        QTest::addColumn<double>("bf16");
        QTest::addColumn<double>("bytes");
        QTest::addColumn<double>("bandwidth");
        QTest::addColumn<int>("tiers");
        const double gib = 1024.0 * 1024.0 * 1024.0;
        const auto row = [](const char* name, double fp16, double bf16, double bytes, double bandwidth, int tiers) {
            QTest::newRow(name) << fp16 * 1e12 << bf16 * 1e12 << bytes << bandwidth * 1e9 << tiers;
        };
        row("AMD_MI300X", 1307.4, 1307.4, 192e9, 5300, 1);
        row("AMD_MI325X", 1307.4, 1307.4, 256e9, 6000, 1);
        row("AMD_MI355X", 2516.6, 2516.6, 288e9, 8000, 1);
        row("APPLE_M2_16GB", 3.6, 0, 16 * gib, 100, 0);
        row("ATLAS_300I_DUO_CHIP", 70, 0, 48e9, 204, 1);
        row("ATLAS_350_425T_112G", 378, 378, 112 * gib, 1539.32, 3);
        row("ATLAS_350_425T_84G", 378, 378, 84 * gib, 1539.32, 3);
        row("ATLAS_800_A2_280T_32G_PCIE", 280, 245.8, 32 * gib, 879.609, 1);
        row("ATLAS_800_A2_280T_64G", 280, 245.8, 64 * gib, 1759.22, 2);
        row("ATLAS_800_A2_280T_64G_PCIE", 280, 245.8, 64 * gib, 1759.22, 1);
        row("ATLAS_800_A2_313T_64G", 313, 294.9, 64 * gib, 1759.22, 2);
        row("ATLAS_800_A2_376T_64G", 376, 353.9, 64 * gib, 1759.22, 2);
        row("ATLAS_800_A3_560T_128G_DIE", 280, 245.8, 64 * gib, 1759.22, 3);
        row("ATLAS_800_A3_560T_128G_DIE_ROCE", 280, 245.8, 64 * gib, 1759.22, 3);
        row("ATLAS_800_A3_752T_128G_DIE", 376, 353.9, 64 * gib, 1759.22, 3);
        row("JETSON_ORIN_NANO_SUPER_8GB", 16.7, 16.7, 8 * gib, 102.4, 0);
        row("NVIDIA_A100_40G_SXM", 312, 312, 40 * gib, 1555, 2);
        row("NVIDIA_A100_80G_SXM", 312, 312, 80 * gib, 2039, 2);
        row("NVIDIA_B200_SXM", 2250, 2250, 180e9, 8000, 2);
        row("NVIDIA_GB200", 2500, 2500, 186e9, 8000, 2);
        row("NVIDIA_H100_SXM", 989, 989, 80 * gib, 3350, 2);
        row("NVIDIA_H20", 148, 148, 96e9, 4000, 2);
        row("NVIDIA_H200_SXM", 989, 989, 141e9, 4800, 2);
        row("NVIDIA_H800_SXM", 989, 989, 80 * gib, 3350, 2);
        row("NVIDIA_L4", 121, 121, 24 * gib, 300, 2);
        row("NVIDIA_L40S", 362.05, 362.05, 48305799168.0, 864, 2);
        row("NVIDIA_RTX_4090", 165.15, 165.15, 24 * gib, 1008, 1);
        row("NVIDIA_RTX_PRO_6000", 467.8, 467.8, 102641958912.0, 1792, 2);
        row("RASPBERRY_PI_5_8GB", 0.3072, 0, 8 * gib, 17.07, 0);
        row("SNAPDRAGON_8_ELITE_CPU", 1.0048, 0, 16 * gib, 84.8, 0);
        row("SNAPDRAGON_8_GEN_3_CPU", 0.5184, 0, 12 * gib, 76.8, 0);
    }
    void devices() {
        QFETCH(double, fp16);
        QFETCH(double, bf16);
        QFETCH(double, bytes);
        QFETCH(double, bandwidth);
        QFETCH(int, tiers);
        const auto device = builtIn().findDevice(QTest::currentDataTag());
        QVERIFY(device);
        const auto rate = [&](DType dtype) {
            return device->matrixRate[static_cast<std::size_t>(dtype)].value_or(FlopsPerSecond(0.0)).value();
        };
        QCOMPARE(rate(DType::fp16), fp16);
        QCOMPARE(rate(DType::bf16), bf16);
        QCOMPARE(device->memorySize.value(), bytes);
        QCOMPARE(device->memoryBandwidth.value(), bandwidth);
        QCOMPARE(device->interconnect.size(), static_cast<std::size_t>(tiers));
    }

    void deviceDetails() {
        const auto die = builtIn().findDevice("atlas_800_a3_560t_128g_die");
        QVERIFY(die);
        QCOMPARE(builtIn().findDevice("ascend910c DIE 560t"), die);
        QCOMPARE(die->vendor, std::string("HUAWEI"));
        QCOMPARE(die->matrixRate[static_cast<std::size_t>(DType::int8)]->value(), 560e12);
        QCOMPARE(die->matrixRate[static_cast<std::size_t>(DType::fp32)]->value(), 75e12);
        QVERIFY(!die->matrixRate[static_cast<std::size_t>(DType::fp8)]);
        QCOMPARE(die->vectorRate[static_cast<std::size_t>(DType::fp32)]->value(), 8e12);
        QCOMPARE(*die->computeEfficiency, 0.7);
        QCOMPARE(*die->memoryEfficiency, 0.6);
        QCOMPARE(die->matrixLaunch->value(), 5e-6);
        QCOMPARE(die->vectorLaunch->value(), 2e-6);
        QCOMPARE(die->communicationLaunch->value(), 10e-6);
        QCOMPARE(die->interconnect[0].name, std::string("SIO"));
        QCOMPARE(*die->interconnect[0].size, 2);
        QCOMPARE(die->interconnect[0].bandwidth.value(), 224e9);
        QCOMPARE(die->interconnect[0].latency.value(), 0.2e-6);
        QCOMPARE(die->interconnect[2].latency.value(), 5.5e-6);
        QCOMPARE(die->interconnect[2].latencyScaling, LatencyScaling::steps);

        const auto card = builtIn().findDevice("ATLAS_800_A2_376T_64G");
        QCOMPARE(card->interconnect[0].topology, Topology::fullMesh);
        const auto h100 = builtIn().findDevice("NVIDIA_H100_SXM");
        QCOMPARE(h100->interconnect[0].latencyScaling, LatencyScaling::flat);
        QVERIFY(!h100->interconnect[1].size);
        QVERIFY(!h100->matrixLaunch);
        QVERIFY(h100->remark.find("3072e9") != std::string::npos);
        std::vector<std::string> flat;
        for (const auto& device : builtIn().devices())
            for (const auto& tier : device->interconnect)
                if (tier.latencyScaling == LatencyScaling::flat) flat.push_back(device->name);
        QCOMPARE(flat, (std::vector<std::string>{"NVIDIA_A100_80G_SXM", "NVIDIA_B200_SXM", "NVIDIA_H100_SXM",
                                                 "NVIDIA_H200_SXM"}));
    }

    void engines() {
        const auto plain = builtIn().findEngine("tensorcast");
        QVERIFY(plain);
        QCOMPARE(plain->onePlusWeightNorm, Fusion::unfused);
        QCOMPARE(plain->onePlusWeightRope, Fusion::unfused);
        QVERIFY(plain->mergeGateProjections);
        QVERIFY(!plain->fuseLinearAllReduce);
        QCOMPARE(plain->embedding, EmbeddingSplit::replicated);
        QCOMPARE(plain->multiTokenDecode, MultiTokenDecode::recurrent);
        QCOMPARE(plain->chunkPacking, ChunkPacking::step);
        QVERIFY(!plain->causalDiscount);
        QCOMPARE(plain->floatPath, DType::fp16);
        QCOMPARE(plain->convStateColumns, 0);
        QVERIFY(!plain->appliesCalibration);
        QVERIFY(builtIn().findEngine("TensorCast-Fused")->fuseLinearAllReduce);
    }

    void unknownNames() {
        QVERIFY(!builtIn().findModel("Qwen9"));
        QVERIFY(!builtIn().findDevice(""));
        QVERIFY(!builtIn().findEngine("Ascend910B2"));
    }

    void userFolderShadows() {
        const QTemporaryDir dir;
        const fs::path user = dir.path().toStdString();
        write(user / "devices" / "mine.yaml", deviceText("nvidia_l4", "aliases: [Mine]\n"));
        write(user / "devices" / "notes.txt", "not a device");
        write(user / "engines" / "own.yaml", "name: own\ncausal_discount: false\n");
        fs::create_directories(user / "models" / "Qwen3-8B");
        fs::copy_file(source / "models/Qwen3-32B/config.json", user / "models/Qwen3-8B/config.json");

        const Catalog catalog = Catalog::load({{source, Origin::builtIn}, {user, Origin::user}});
        QVERIFY(catalog.problems().empty());
        QCOMPARE(catalog.devices().size(), std::size_t{31});
        QCOMPARE(catalog.findDevice("NVIDIA_L4")->origin, Origin::user);
        QCOMPARE(catalog.findDevice("NVIDIA_L4")->memoryBandwidth.value(), 500e9);
        QCOMPARE(catalog.findDevice("mine")->name, std::string("nvidia_l4"));
        QVERIFY(!catalog.findDevice("L4-24GB")); // an alias of the shadowed file
        QCOMPARE(catalog.findModel("Qwen3-8B")->origin, Origin::user);
        QCOMPARE(catalog.findModel("Qwen3-8B")->text.hidden, 5120);
        QCOMPARE(catalog.models().size(), std::size_t{17});
        QCOMPARE(catalog.findEngine("own")->origin, Origin::user);
        QVERIFY(catalog.findEngine("own")->appliesCalibration); // absent keys keep their defaults
        QCOMPARE(catalog.findDevice("NVIDIA_L40S")->origin, Origin::builtIn);
    }

    void nameBeforeAlias() {
        const QTemporaryDir dir;
        const fs::path folder = dir.path().toStdString();
        write(folder / "a" / "devices" / "one.yaml", deviceText("one", "aliases: [two]\n"));
        write(folder / "b" / "devices" / "two.yaml", deviceText("two"));
        const Catalog catalog = Catalog::load({{folder / "a", Origin::builtIn}, {folder / "b", Origin::user}});
        QCOMPARE(catalog.devices().size(), std::size_t{2});
        QCOMPARE(catalog.findDevice("TWO")->name, std::string("two"));
    }

    void problemsDoNotStopTheRest() {
        const QTemporaryDir dir;
        const fs::path folder = dir.path().toStdString();
        write(folder / "devices" / "a.yaml", deviceText("A", "aliases: [Alias]\n"));
        write(folder / "devices" / "b.yaml", deviceText("alias"));                   // name is an alias of a.yaml
        write(folder / "devices" / "c.yaml", deviceText("C", "aliases: [ALIAS]\n")); // alias of both
        write(folder / "devices" / "d.yaml", "name: [");
        write(folder / "devices" / "e.yaml", deviceText("E"));
        write(folder / "engines" / "x.yaml", "name: x\nembeding: replicated\n");
        fs::create_directories(folder / "models" / "empty");
        const Catalog catalog = Catalog::load({{folder, Origin::user}, {folder / "absent", Origin::user}});
        QCOMPARE(namesOf(catalog.devices()), (std::vector<std::string>{"A", "E"}));
        QVERIFY(catalog.engines().empty());
        QVERIFY(catalog.models().empty());
        std::vector<std::string> found;
        for (const Error& problem : catalog.problems())
            found.push_back(std::string(nameOf(problem.code)) + ' ' + fs::path(problem.where).filename().string());
        QCOMPARE(found, (std::vector<std::string>{"not-found empty", "duplicate b.yaml", "duplicate c.yaml",
                                                  "syntax d.yaml:1", "unknown-key x.yaml:2", "not-found absent"}));
        QCOMPARE(catalog.problems()[1].value, std::string("alias"));
    }

    void addedFiles() {
        const QTemporaryDir dir;
        const fs::path folder = dir.path().toStdString();
        Catalog catalog = Catalog::load({{source, Origin::builtIn}});
        fs::copy_file(source / "models/Qwen3.5-27B/config.json", folder / "Tuned-3.6.json");
        const auto model = catalog.addModel(folder / "Tuned-3.6.json");
        QVERIFY(model);
        QCOMPARE(*model, std::string("Tuned-3.6"));
        QCOMPARE(catalog.findModel(*model)->origin, Origin::file);
        QCOMPARE(catalog.findModel(*model)->family, std::string("Qwen3.6"));
        QCOMPARE(catalog.models().size(), std::size_t{18});
        write(folder / "d.yaml", deviceText("NVIDIA_H20"));
        QCOMPARE(*catalog.addDevice(folder / "d.yaml"), std::string("NVIDIA_H20"));
        QCOMPARE(catalog.devices().size(), std::size_t{31});
        QCOMPARE(catalog.findDevice("NVIDIA_H20")->memorySize.value(), 16e9);
        write(folder / "e.yaml", "summary: no name\n");
        const auto refused = catalog.addEngine(folder / "e.yaml");
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, ErrorCode::missingKey);
        QCOMPARE(catalog.engines().size(), builtIn().engines().size());
    }

    void defaultFolders() {
        const QTemporaryDir dir;
        const fs::path prefix = fs::path(dir.path().toStdString()) / "prefix";
        qputenv("XDG_DATA_HOME", (dir.path() + "/data").toUtf8());
        write(prefix / "bin" / "deltascope", "");
        const auto inSource = defaultCatalogFolders(prefix / "bin" / "deltascope");
        QCOMPARE(inSource.size(), std::size_t{1});
        QCOMPARE(inSource[0].path, source);

        fs::create_directories(prefix / "share/deltascope/models");
        fs::create_directories(prefix / "share/deltascope/devices");
        fs::create_directories(userCatalogFolder());
        const auto installed = defaultCatalogFolders(prefix / "bin" / "deltascope", {"/extra"});
        QCOMPARE(installed.size(), std::size_t{3});
        QCOMPARE(installed[0].path, fs::canonical(prefix) / "share/deltascope");
        QCOMPARE(installed[0].origin, Origin::builtIn);
        QCOMPARE(installed[1].path, fs::path(dir.path().toStdString()) / "data/deltascope");
        QCOMPARE(installed[1].origin, Origin::user);
        QCOMPARE(installed[2].path, fs::path("/extra"));
        QCOMPARE(installed[2].origin, Origin::user);

        fs::create_directories(prefix / "bin/models");
        fs::create_directories(prefix / "bin/devices");
        QCOMPARE(defaultCatalogFolders(prefix / "bin" / "deltascope")[0].path, fs::canonical(prefix) / "bin");
    }
};

QTEST_GUILESS_MAIN(TestCatalog)
#include "tst_catalog.moc"
