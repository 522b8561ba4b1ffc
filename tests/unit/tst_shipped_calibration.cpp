// SPDX-License-Identifier: GPL-3.0-or-later
// The calibrations that are shipped: times by hand from the laws of the device files, that every figure has a source
// which is not the test's, what is extrapolated, ranges.
#include "cost/calibration.h"
#include "support/catalog.h"
#include "support/csv.h"

#include <QTest>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace deltascope;
using namespace deltascope::test;

namespace {

const DeviceProfile& device(std::string_view name) {
    const auto found = builtIn().findDevice(name);
    if (!found) qFatal("no such device");
    return *found;
}

const DeviceProfile* siblingOf(const DeviceProfile& d) {
    return d.calibration->scaledFrom.empty() ? nullptr : &device(d.calibration->scaledFrom);
}

/// An operator of its own on a device, calibrated; `output` is the format of its result.
OperatorCost costOf(std::string_view name, OperatorKind kind, const OperatorParams& params,
                    StepPhase phase = StepPhase::prefill, DType output = DType::bf16) {
    const DeviceProfile& d = device(name);
    Block block;
    block.tensors.push_back({"result", {1}, 1, output, TensorRole::activation, 0});
    block.arguments = {0};
    Operator op;
    op.kind = kind;
    op.outputCount = 1;
    op.params = params;
    OperatorCost cost = timeOf(kind, workOf(block, op, DType::bf16), ratesOf(d));
    calibrate(cost, block, op, phase, calibratorOf(d, siblingOf(d)));
    return cost;
}

constexpr std::string_view profiled = "ATLAS_800_A3_752T_128G_DIE";
constexpr std::string_view reduced = "ATLAS_800_A3_560T_128G_DIE";

/// Table values are kept as float; where a file has them in hundredths of a fitted law, `within` is half of one.
void compare(const OperatorCost& cost, double seconds, double within, Provenance provenance = Provenance::calibrated) {
    QVERIFY2(cost.rule >= 0, "no rule applies");
    QVERIFY2(std::abs(cost.total.value() / seconds - 1.0) < within,
             (std::to_string(1e6 * cost.total.value()) + " us, by hand " + std::to_string(1e6 * seconds)).c_str());
    QCOMPARE(cost.provenance, provenance);
    QVERIFY(cost.low <= cost.total && cost.total <= cost.high);
}
void compare(const OperatorCost& cost, double seconds, Provenance provenance = Provenance::calibrated) {
    compare(cost, seconds, 1e-6, provenance);
}

} // namespace

class TestShippedCalibration : public QObject {
    Q_OBJECT
private slots:
    void ascendProducts();
    void ascendMemoryBound();
    void ascendMixers();
    void ascendExperts();
    void ascendCollectives();
    void ascendSibling();
    void hopper();
    void otherGpus();
    void gpuSibling();
    void everyRuleHasASource();
    void noSourceIsTheTest();
    void everyDeviceOfNvidiaAndAtlasA2A3();
    void outsideWhatWasSeen();
    void rangesHoldTheTimes_data();
    void rangesHoldTheTimes();
};

void TestShippedCalibration::ascendProducts() {
    // gate and up of 8,192 tokens: 2*8192*5120*17408 operations at 585.4 TOP/s; int8 weights of 4 rows at 1.115 TB/s:
    // 4*5120 + 5120*17408 + 4*17408*2 bytes.
    const auto linear = [](double m, double k, double n, Scheme scheme) {
        return LinearParams{m, k, n, scheme, false, false, 1};
    };
    compare(costOf(profiled, OperatorKind::linear, linear(8192, 5120, 17408, Scheme::w8a8Static)),
            2.0 * 8192 * 5120 * 17408 / 5.854e14);
    compare(costOf(profiled, OperatorKind::linear, linear(4, 5120, 17408, Scheme::w8a8Static)),
            (20'480.0 + 89'128'960.0 + 139'264.0) / 1.115e12);
    // out_proj in BF16: 2*8192*3072*5120 at 314.1 TFLOP/s; lm_head of one row: 2*(5120 + 5120*124160 + 124160) bytes.
    compare(costOf(profiled, OperatorKind::linear, linear(8192, 3072, 5120, Scheme::bf16)),
            2.0 * 8192 * 3072 * 5120 / 3.141e14);
    compare(costOf(profiled, OperatorKind::linear, linear(1, 5120, 124160, Scheme::bf16)),
            2.0 * (5120.0 + 5120.0 * 124160.0 + 124160.0) / 1.09e12);
    // b and a, 48 columns: 2*(8192*5120 + 5120*48 + 8192*48) bytes at 0.609 TB/s
    compare(costOf(profiled, OperatorKind::linear, linear(8192, 5120, 48, Scheme::bf16)),
            2.0 * (8192.0 * 5120 + 5120.0 * 48 + 8192.0 * 48) / 6.093e11);
}

void TestShippedCalibration::ascendMemoryBound() {
    // 8,192 tokens of 5,120 columns: two bytes in, one out, and a scale of four bytes per token
    compare(costOf(profiled, OperatorKind::quantize, QuantizeParams{8192, 5120, true}, StepPhase::prefill, DType::int8),
            3.818e-6 + (3.0 * 8192 * 5120 + 4.0 * 8192) / 1.049e12);
    // x and residual in, both out, and the weight
    compare(costOf(profiled, OperatorKind::add_rms_norm, NormParams{8192, 5120, true}),
            3.818e-6 + (8.0 * 8192 * 5120 + 2.0 * 5120) / 1.075e12);
    compare(costOf(profiled, OperatorKind::swiglu, SwigluParams{8192, 8704}), 3.818e-6 + 6.0 * 8192 * 8704 / 1.157e12);
    compare(costOf(profiled, OperatorKind::linear_attn_gated_rmsnorm, GatedNormParams{8192 * 24, 128}),
            3.818e-6 + (6.0 * 8192 * 24 * 128 + 4.0 * 128) / 8.126e11);
    // layout kernels: 15 launches, 4.6 times read and written; one concat
    compare(costOf(profiled, OperatorKind::transpose, LayoutParams{8192.0 * 5120, 4.6, 15}),
            15 * 1.588e-5 + 4.6 * 4.0 * 8192 * 5120 / 1.407e12);
    compare(costOf(profiled, OperatorKind::slice, LayoutParams{8192.0 * 5120, 2.1, 11}),
            11 * 3.818e-6 + 2.1 * 4.0 * 8192 * 5120 / 1.167e12);
    compare(costOf(profiled, OperatorKind::concat, LayoutParams{8192.0 * 5120, 1.0, 1}),
            1.923e-5 + 4.0 * 8192 * 5120 / 1.049e12);
    compare(costOf(profiled, OperatorKind::cast, LayoutParams{4.0 * 5120, 1.0, 20}, StepPhase::decode),
            20 * 3.4e-6 + 4.0 * 4 * 5120 / 3.63e11, Provenance::scaled);
    // whatever it moves
    compare(costOf(profiled, OperatorKind::scatter, LayoutParams{1e6, 1.0, 2}), 2 * 6.839e-4);
    compare(costOf(profiled, OperatorKind::embedding, EmbeddingParams{8192, 5120}),
            3.818e-6 + (8.0 * 8192 + 4.0 * 8192 * 5120) / 3.63e11, Provenance::scaled);
}

void TestShippedCalibration::ascendMixers() {
    // body: in and out, the weight, a state of three columns; update of one request's four tokens: its state instead
    compare(costOf(profiled, OperatorKind::linear_attn_causal_conv, CausalConvParams{8192, 5120, 4, 1, false, 1.0}),
            3.818e-6 + (4.0 * 8192 * 5120 + 8.0 * 5120 + 6.0 * 5120) / 3.916e11);
    compare(costOf(profiled, OperatorKind::linear_attn_causal_conv_update, CausalConvParams{4, 5120, 4, 4, true, 0.0},
                   StepPhase::decode),
            3.818e-6 + (4.0 * 4 * 5120 + 8.0 * 5120 + 4.0 * 5120 * 4 * 2) / 3.916e11);
    const ChunkRuleParams chunk{8192, 8192, 1, 64, 24, 128, 128, false, false};
    const std::vector<std::pair<OperatorKind, double>> stages{
        {OperatorKind::linear_attn_chunk_kkt, 1.324e9},   {OperatorKind::linear_attn_chunk_solve_tril, 1.233e9},
        {OperatorKind::linear_attn_chunk_merge, 2.241e8}, {OperatorKind::linear_attn_chunk_wu, 1.852e8},
        {OperatorKind::linear_attn_chunk_state, 2.989e8}, {OperatorKind::linear_attn_chunk_output, 4.535e8}};
    for (const auto& [kind, rate] : stages) compare(costOf(profiled, kind, chunk), 4.4e-5 + 8192.0 * 24 / rate);
    // one request's four tokens: 96 heads; q, k, v (6*128 bytes), beta and g (6), state read and written (2*64 KiB), o
    compare(costOf(profiled, OperatorKind::linear_attn_recurrent_gated_delta_rule, RecurrentRuleParams{4, 24, 128, 128},
                   StepPhase::decode),
            1.533e-5 + 96.0 * (3 * 128 * 2 + 6 + 2 * 65536 + 256) / 1.115e12);
    // 8,192 tokens without cache: 4*S*12*256 operations of S = 8192*8193/2 pairs a head
    compare(costOf(profiled, OperatorKind::attention, AttentionParams{8192, 33'558'528, 8192, 12, 2, 256, DType::bf16}),
            3.8e-6 + 4.0 * 33'558'528 * 12 * 256 / 1.881e14);
    // one token of a request with 4,254 cached: q and o, 2*2*256*2 bytes of each token
    compare(costOf(profiled, OperatorKind::attention, AttentionParams{4, 17'010, 4254, 12, 2, 256, DType::bf16},
                   StepPhase::decode),
            3.8e-6 + (2.0 * 4 * 12 * 256 * 2 + 4254.0 * 2048) / 1.115e12);
}

void TestShippedCalibration::ascendExperts() {
    // 35B-A3B, TP 2, 32 tokens: 256 rows of 32 experts, eight each: 1.14 times the plain product, INT8 weights
    const GroupedMatmulParams eight{256, 2048, 512, 32, Scheme::w8a8Static, true};
    compare(costOf(profiled, OperatorKind::grouped_matmul_swiglu, eight),
            5e-6 + 1.14 * (256.0 * 2048 + 32.0 * 2048 * 512 + 256.0 * 256 * 2) / 1.115e12, Provenance::scaled);
    // W4A8: half the bytes of the weights, another kernel, so extrapolated
    const GroupedMatmulParams four{256, 2048, 512, 32, Scheme::w4a8Static, true};
    const OperatorCost w4 = costOf(profiled, OperatorKind::grouped_matmul_swiglu, four);
    compare(w4, 5e-6 + 1.14 * (256.0 * 2048 + 32.0 * 2048 * 512 / 2 + 256.0 * 256 * 2) / 1.115e12, Provenance::scaled);
    QVERIFY(w4.extrapolated);
    // permuted rows move at 0.625 TB/s, behind three floors
    compare(costOf(profiled, OperatorKind::moe_permute, LayoutParams{65536.0 * 2048, 1.0, 1}),
            1.145e-5 + 4.0 * 65536 * 2048 / 6.247e11, Provenance::scaled);
}

void TestShippedCalibration::ascendCollectives() {
    compare(costOf(profiled, OperatorKind::all_reduce, CollectiveParams{2, Bytes(83'886'080), {}}),
            3.282e-5 + 83'886'080 / 1.52e11);
    // eight and sixteen dies: at points of the tables, 25 MB held by all ranks together
    compare(costOf(profiled, OperatorKind::all_gather, CollectiveParams{16, Bytes(1'562'500), {}}), 177e-6, 0.005);
    compare(costOf(profiled, OperatorKind::reduce_scatter, CollectiveParams{8, Bytes(25'000'000), {}}), 209e-6, 0.005);
    compare(costOf(profiled, OperatorKind::all_reduce, CollectiveParams{8, Bytes(160'000), {}}), 21e-6, 0.005,
            Provenance::scaled);
    // more than sixteen: no measurement, so the roofline's
    QCOMPARE(costOf(profiled, OperatorKind::all_reduce, CollectiveParams{32, Bytes(160'000), {}}).rule, -1);
    // two A2 dies have one of seven links: 28 of 224 GB/s
    compare(costOf("ATLAS_800_A2_376T_64G", OperatorKind::all_reduce, CollectiveParams{2, Bytes(83'886'080), {}}),
            3.282e-5 + 83'886'080 / 1.899e10, Provenance::scaled);
}

void TestShippedCalibration::ascendSibling() {
    // Compute by the quoted FP16 peaks, 376 and 280 TFLOP/s; memory is the same; launches stay.
    const LinearParams many{8192, 5120, 17408, Scheme::w8a8Static, false, false, 1};
    const OperatorCost cost = costOf(reduced, OperatorKind::linear, many);
    compare(cost, 2.0 * 8192 * 5120 * 17408 / 5.854e14 * 376 / 280, Provenance::scaled);
    compare(costOf(reduced, OperatorKind::swiglu, SwigluParams{8192, 8704}), 3.818e-6 + 6.0 * 8192 * 8704 / 1.157e12,
            Provenance::scaled);
    compare(costOf(reduced, OperatorKind::linear_attn_chunk_wu,
                   ChunkRuleParams{8192, 8192, 1, 64, 24, 128, 128, false, false}),
            4.4e-5 + 8192.0 * 24 / 1.852e8 * 376 / 280, Provenance::scaled);
    // The scaling adds to the rule's own range: roots of 0.035^2 + 0.07^2 below, 0.191^2 + 0.1^2 above.
    QVERIFY(std::abs(1.0 - cost.low / cost.total - std::hypot(1 - 0.9649, 1 - 0.93)) < 1e-3);
    QVERIFY(std::abs(cost.high / cost.total - 1.0 - std::hypot(1.191 - 1, 1.1 - 1)) < 1e-3);
}

void TestShippedCalibration::hopper() {
    constexpr std::string_view h100 = "NVIDIA_H100_SXM";
    // At points of the tables, whose factors the device file lists.
    compare(costOf(h100, OperatorKind::linear, LinearParams{4096, 2048, 4096, Scheme::bf16, false, false, 1}),
            1.37 * 2.0 * 4096 * 2048 * 4096 / 9.89e14);
    compare(costOf(h100, OperatorKind::linear, LinearParams{16, 3072, 6144, Scheme::fp8, false, false, 1}),
            2.09 * (16.0 * 3072 + 3072.0 * 6144 + 2.0 * 16 * 6144) / 3.35e12);
    compare(costOf(h100, OperatorKind::linear_attn_recurrent_gated_delta_rule, RecurrentRuleParams{1025, 32, 128, 128},
                   StepPhase::decode),
            1.12 * 1025.0 * 32 / 2.556e7);
    compare(costOf(h100, OperatorKind::linear_attn_chunk_gated_delta_rule,
                   ChunkRuleParams{4096, 4096, 1, 64, 32, 128, 128, false, false}),
            1.03 * 64 / 3.332e5); // the serial scan: 64 chunks
    compare(costOf(h100, OperatorKind::attention, AttentionParams{8, 32'768, 32'768, 16, 2, 256, DType::bf16, 1.0, 8},
                   StepPhase::decode),
            1.87 * (2.0 * 8 * 16 * 256 * 2 + 32'768.0 * 2 * 2 * 256 * 2) / 3.35e12);
    compare(
        costOf(h100, OperatorKind::attention, AttentionParams{4096, 8'390'656, 4096, 16, 4, 256, DType::bf16, 1.0, 1}),
        1.76 * 4.0 * 8'390'656 * 16 * 256 / 9.89e14);
    // its kernels quantize their input
    const OperatorCost quantize =
        costOf(h100, OperatorKind::quantize, QuantizeParams{4096, 4096, true}, StepPhase::prefill, DType::fp8);
    QCOMPARE(quantize.total.value(), 0.0);
    QCOMPARE(quantize.provenance, Provenance::calibrated);
}

void TestShippedCalibration::otherGpus() {
    compare(costOf("NVIDIA_A100_80G_SXM", OperatorKind::linear,
                   LinearParams{128, 2048, 2048, Scheme::bf16, false, false, 1}),
            2.91 * 2.0 * (128.0 * 2048 + 2048.0 * 2048 + 128.0 * 2048) / 2.039e12);
    compare(costOf("NVIDIA_L40S", OperatorKind::linear, LinearParams{2048, 3072, 6144, Scheme::fp8, false, false, 1}),
            3.14 * 2.0 * 2048 * 3072 * 6144 / 7.33e14);
    compare(
        costOf("NVIDIA_B200_SXM", OperatorKind::linear, LinearParams{4096, 3072, 6144, Scheme::mxfp4, false, false, 1}),
        2.85 * 2.0 * 4096 * 3072 * 6144 / 9e15);
    compare(costOf("NVIDIA_RTX_PRO_6000", OperatorKind::linear_attn_recurrent_gated_delta_rule,
                   RecurrentRuleParams{1025, 32, 128, 128}, StepPhase::decode),
            1.23 * 1025.0 * 32 / 1.367e7);
}

void TestShippedCalibration::gpuSibling() {
    // L4 from the L40S: 362.05 and 121 TFLOP/s in FP16, 864 and 300 GB/s.
    compare(costOf("NVIDIA_L4", OperatorKind::linear, LinearParams{2048, 3072, 6144, Scheme::fp8, false, false, 1}),
            3.14 * 2.0 * 2048 * 3072 * 6144 / 7.33e14 * 362.05 / 121, Provenance::scaled);
    const RecurrentRuleParams states{1025, 32, 128, 128};
    const auto decode = [&](std::string_view name) {
        return costOf(name, OperatorKind::linear_attn_recurrent_gated_delta_rule, states, StepPhase::decode).total;
    };
    QVERIFY(std::abs(decode("NVIDIA_L4") / decode("NVIDIA_L40S") - 864.0 / 300.0) < 1e-9);
    QVERIFY(std::abs(decode("NVIDIA_A100_40G_SXM") / decode("NVIDIA_A100_80G_SXM") - 2039.0 / 1555.0) < 1e-9);
    // What a link reaches of its nominal bandwidth is carried over: H800's NVLink is 200 of H100's 450 GB/s.
    const CollectiveParams large{8, Bytes(1'073'741'824), {}};
    const Seconds h100 = costOf("NVIDIA_H100_SXM", OperatorKind::all_reduce, large).total;
    const Seconds h800 = costOf("NVIDIA_H800_SXM", OperatorKind::all_reduce, large).total;
    const double links = device("NVIDIA_H100_SXM").interconnect.front().bandwidth /
                         device("NVIDIA_H800_SXM").interconnect.front().bandwidth;
    QVERIFY(links > 2.0 && std::abs(h800 / h100 - links) < 1e-9);
}

void TestShippedCalibration::everyRuleHasASource() {
    std::size_t rules = 0;
    for (const auto& d : builtIn().devices()) {
        if (!d->calibration) continue;
        if (!d->calibration->scaledFrom.empty()) {
            const Scatter& scaled = d->calibration->scaled;
            QVERIFY2(scaled.p10 < 1.0 && scaled.p90 > 1.0, (d->name + " is scaled without a range").c_str());
            QVERIFY2(!d->calibration->remark.empty(), d->name.c_str());
        }
        for (const CalibrationRule& rule : d->calibration->rules) {
            ++rules;
            const bool told = rule.source.find("profile of a 27B model") != std::string::npos ||
                              rule.source.find("aiconfigurator-core 0.12.0, Apache-2.0") != std::string::npos ||
                              rule.source.find("TensorCast simulator's authors") != std::string::npos;
            QVERIFY2(told, (d->name + ": " + rule.source).c_str());
            if (rule.includedIn.empty())
                QVERIFY2(rule.scatter.p10 < 1.0 && rule.scatter.p90 > 1.0, (d->name + ": " + rule.source).c_str());
        }
    }
    QVERIFY(rules > 100);
}

/// The eight measured steps are the test: neither their names nor their figures stand in a device or engine file.
void TestShippedCalibration::noSourceIsTheTest() {
    const auto steps = readCsv(sourceFolder / "tests/data/measured_steps.csv");
    QCOMPARE(steps.size(), std::size_t(8));
    std::vector<std::filesystem::path> files;
    for (const char* folder : {"devices", "resources/engines"})
        for (const auto& entry : std::filesystem::directory_iterator(sourceFolder / folder))
            if (entry.path().extension() == ".yaml") files.push_back(entry.path());
    files.push_back(sourceFolder / "tools/calibration/ascend.py");
    QVERIFY(files.size() > 25);
    for (const auto& path : files) {
        std::ifstream in(path);
        const std::string text{std::istreambuf_iterator<char>(in), {}};
        QVERIFY(!text.empty());
        for (const CsvRow& step : steps)
            for (const std::string& word :
                 {step.at("id"), step.at("measured_ms") + " ms", std::string("measured_steps")})
                QVERIFY2(text.find(word) == std::string::npos, (path.string() + " names " + word).c_str());
    }
}

void TestShippedCalibration::everyDeviceOfNvidiaAndAtlasA2A3() {
    for (const auto& d : builtIn().devices()) {
        const bool expected = d->name.starts_with("NVIDIA_") || d->name.starts_with("ATLAS_800_A");
        QVERIFY2(!expected || d->calibration, (d->name + " has no calibration").c_str());
    }
}

void TestShippedCalibration::outsideWhatWasSeen() {
    // The profile's products had 5,120 to 17,408 columns and up to 16,384 rows.
    const auto linear = [](double m, double n) {
        return costOf(profiled, OperatorKind::linear, LinearParams{m, 5120, n, Scheme::w8a8Static, false, false, 1});
    };
    QVERIFY(!linear(16384, 17408).extrapolated);
    QVERIFY(linear(16385, 17408).extrapolated);
    QVERIFY(linear(16384, 17409).extrapolated);
    // twice as far off in the logarithm: squares of 0.9649 and 1.191
    const OperatorCost far = linear(32768, 17408);
    QVERIFY(std::abs(far.low / far.total - 0.9649 * 0.9649) < 1e-3);
    QVERIFY(std::abs(far.high / far.total - 1.191 * 1.191) < 1e-3);
    // contexts of 2,048 to 8,192
    const auto attention = [](double context) {
        return costOf(profiled, OperatorKind::attention, AttentionParams{1, context, context, 12, 2, 256, DType::bf16},
                      StepPhase::decode);
    };
    QVERIFY(!attention(8192).extrapolated);
    QVERIFY(attention(8193).extrapolated);
    // the edge of a table: the H100's products had at most 65,536 columns
    const auto h100 = [](double n) {
        return costOf("NVIDIA_H100_SXM", OperatorKind::linear,
                      LinearParams{128, 4096, n, Scheme::bf16, false, false, 1});
    };
    QVERIFY(!h100(65536).extrapolated);
    QVERIFY(h100(65537).extrapolated);
}

void TestShippedCalibration::rangesHoldTheTimes_data() {
    QTest::addColumn<QString>("name");
    for (const auto& d : builtIn().devices())
        if (d->calibration) QTest::newRow(d->name.c_str()) << QString::fromStdString(d->name);
}

void TestShippedCalibration::rangesHoldTheTimes() {
    QFETCH(QString, name);
    const bool ascend = name.startsWith("ATLAS");
    for (const char* model : {"Qwen3.5-4B", "Qwen3.5-35B-A3B"})
        for (const Phase phase : {Phase::prefill, Phase::decode}) {
            Scenario s =
                scenarioOf(model, phase, phase == Phase::prefill ? 3000 : 1, phase == Phase::prefill ? 0 : 5000);
            s.device = name.toStdString();
            s.engine = ascend ? "vllm-ascend" : "vllm-cuda";
            s.calibration = true;
            s.queries = 3;
            s.parallel.tp = 2;
            s.quantization.linear = ascend ? Scheme::w8a8Dynamic : Scheme::bf16;
            DELTASCOPE_SIMULATE(step, s);
            QVERIFY(step.totals.range.has_value());
            const TimeRange& range = *step.totals.range;
            QVERIFY(Seconds(0) < range.low && range.low < range.likely && range.likely < range.high);
            step.forEachOperator([&](OperatorRef ref) {
                const OperatorCost& cost = step.cost(ref);
                QVERIFY2(Seconds(0) <= cost.low && cost.low <= cost.total && cost.total <= cost.high,
                         step.id(ref).text().c_str());
            });
        }
}

QTEST_GUILESS_MAIN(TestShippedCalibration)
#include "tst_shipped_calibration.moc"
