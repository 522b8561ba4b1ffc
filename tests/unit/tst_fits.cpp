// SPDX-License-Identifier: GPL-3.0-or-later
// What fits: verdicts and frontiers by hand, frontiers exact over the catalog, remedies against whole simulations.
#include "support/catalog.h"

#include "base/format.h"
#include "explore/fits_report.h"
#include "io/fits_output.h"
#include "scenario/fields.h"

#include <QStringList>

#include <nlohmann/json.hpp>

using namespace deltascope;
using namespace deltascope::test;

namespace {

constexpr double gib = 1024.0 * 1024.0 * 1024.0;
constexpr std::int64_t longest = 1'010'000;

/// 27B in W8A8 on two A3 dies, decode.
Scenario pair(const char* engine = "tensorcast", std::int64_t context = 65'536, std::int64_t requests = 1) {
    Scenario s = scenarioOf("Qwen3.5-27B", Phase::decode, 1, context);
    s.engine = engine;
    s.queries = requests;
    s.parallel.tp = 2;
    s.quantization.linear = Scheme::w8a8Static;
    return s;
}

MemoryProbe probeOf(const Scenario& scenario) {
    Result<MemoryProbe> probe = MemoryProbe::make(builtIn(), scenario);
    if (!probe) qFatal("%s", probe.error().text().c_str());
    return *std::move(probe);
}

MemoryReport memoryOf(const Scenario& scenario) {
    const Result<Simulation> simulation = simulate(builtIn(), scenario);
    if (!simulation) qFatal("%s", simulation.error().text().c_str());
    return simulation->memory;
}

MemoryReport memoryAt(Scenario scenario, std::int64_t requests, std::int64_t context) {
    scenario.queries = requests;
    scenario.contextLength = context;
    return memoryOf(scenario);
}

Remedies remediesOf(const Scenario& scenario) {
    Result<Remedies> remedies = remediesFor(builtIn(), scenario);
    if (!remedies) qFatal("%s", remedies.error().text().c_str());
    return *std::move(remedies);
}

const Remedy* find(const std::vector<Remedy>& remedies, RemedyKind kind) {
    for (const Remedy& remedy : remedies)
        if (remedy.kind == kind) return &remedy;
    return nullptr;
}

/// "queries 64 -> 23, ..."
QString changesOf(const Remedy& remedy) {
    QStringList list;
    for (const FieldChange& c : remedy.changes)
        list << QString::fromStdString(c.field + " " + c.before + " -> " + c.after);
    return list.join(", ");
}

} // namespace

class TestFits : public QObject {
    Q_OBJECT
private slots:
    /// Sizes that round up to a whole step are written in the next unit.
    void sizesAsWritten() {
        QCOMPARE(formatBytes(Bytes(1023.4 * 1024 * 1024)), std::string("1023 MiB"));
        QCOMPARE(formatBytes(Bytes(gib - 1)), std::string("1.000 GiB"));
        QCOMPARE(formatBytes(Bytes(1023)), std::string("1,023 B"));
        QCOMPARE(formatBytes(Bytes(999.9e6), ByteUnit::decimal), std::string("999.9 MB"));
        QCOMPARE(formatBytes(Bytes(999.97e6), ByteUnit::decimal), std::string("1.000 GB"));
    }

    void fitByWhatIsFree() {
        QCOMPARE(fitOf(Bytes(50), Bytes(100)), Fit::fits);
        QCOMPARE(fitOf(Bytes(5), Bytes(100)), Fit::fits); // not under five per cent
        QCOMPARE(fitOf(Bytes(4.999), Bytes(100)), Fit::tight);
        QCOMPARE(fitOf(Bytes(0), Bytes(100)), Fit::tight);
        QCOMPARE(fitOf(Bytes(-1), Bytes(100)), Fit::doesNotFit);
    }

    // A million tokens on two dies. Weights of a rank 16,069,035,776 as tst_memory has them; a token takes 16 layers x
    // 2 x 2 heads x 256 x 2 B = 32,768 B; a state 48 layers x 24 heads x 128 x 128 x 4 B, its convolution 48 x 5,120 x
    // 4 x 2 B.
    void aMillionTokensIdeal() {
        const MemoryReport memory = memoryOf(pair("tensorcast", longest));
        const auto parts = partsOf(memory);
        QCOMPARE(parts[0].ideal.value(), 16'069'035'776.0);
        QCOMPARE(parts[1].ideal.value(), 1'010'001.0 * 32'768);
        QCOMPARE(parts[2].ideal.value(), 75'497'472.0 + 1'966'080);
        QCOMPARE(parts[4].ideal.value(), 0.0);
        const FitVerdict verdict = verdictOf(memory);
        QVERIFY(!verdict.byEngine);
        QCOMPARE(verdict.fit, Fit::fits);
        QCOMPARE(verdict.limit.value(), 64 * gib);
        QCOMPARE(verdict.free().value(), 64 * gib - memory.ideal.total().value());
        QCOMPARE(verdict.largest, MemoryPart::kvCache);
        QCOMPARE(verdict.largestBytes.value(), 1'010'001.0 * 32'768);
    }

    // Under vLLM-Ascend a layer keeps 2,048 B of a token and 24 x 128 x 128 x 4 + 5,120 x 3 x 2 = 1,603,584 B of a
    // request: seven units of 128 tokens (262,144 B) hold that, so a block has 896 tokens and a page over 16 layers
    // 29,360,128 B. 1,010,001 tokens fill 1,128 pages; three groups of 16 linear layers have one each.
    void aMillionTokensInPages() {
        const MemoryReport memory = memoryOf(pair("vllm-ascend", longest));
        QVERIFY(memory.engine);
        QCOMPARE(memory.engine->blockTokens, std::int64_t{896});
        QCOMPARE(memory.engine->pageBytes.value(), 29'360'128.0);
        const auto parts = partsOf(memory);
        QCOMPARE(parts[1].engine->value(), 1'128 * 29'360'128.0);
        QCOMPARE(parts[2].engine->value(), 3 * 29'360'128.0);
        QCOMPARE(parts[4].engine->value(), 1.5e9 + 4e8);
        const FitVerdict verdict = verdictOf(memory);
        QVERIFY(verdict.byEngine);
        QCOMPARE(verdict.limit.value(), 0.9 * 64 * gib);
        double used = 0.0;
        for (const PartBytes& part : parts) used += part.engine->value();
        QCOMPARE(verdict.used.value(), used);
        QCOMPARE(verdict.fit, Fit::fits);
        QVERIFY(near(verdict.free().value(), 10.26 * gib, 1e-3));
        MemoryProbe probe = probeOf(pair("vllm-ascend", longest));
        QCOMPARE(mostRequests(probe, longest), std::int64_t{1});
        // Unquantized weights take 12.3 GiB more: that is too much by 1.07 GiB, and 975,743 tokens fit.
        Scenario plain = pair("vllm-ascend", longest);
        plain.quantization.linear = Scheme::bf16;
        QCOMPARE(verdictOf(memoryOf(plain)).fit, Fit::doesNotFit);
        MemoryProbe over = probeOf(plain);
        QCOMPARE(mostRequests(over, longest), std::int64_t{0});
        QCOMPARE(*longestContext(over, 1), std::int64_t{1'089 * 896 - 1}); // the step's token fills the last page
    }

    // 64 GiB less the weights is 52,650,440,960 B; a request of 65,536 tokens takes 65,537 x 32,768 + 77,463,552 =
    // 2,224,979,968 B: 23 fit. With full attention everywhere it is 65,537 x 131,072 B.
    void frontierByHand() {
        MemoryProbe probe = probeOf(pair());
        QCOMPARE(mostRequests(probe, 65'536), std::int64_t{23});
        std::optional<MemoryProbe> full = counterpartOf(builtIn(), pair());
        QVERIFY(full);
        const MemoryReport one = full->at(1, 65'536);
        QCOMPARE(one.ideal.kvCache.value(), 65'537.0 * 131'072);
        QCOMPARE(one.ideal.recurrentState.value(), 0.0);
        QCOMPARE(mostRequests(*full, 65'536),
                 std::int64_t((64 * gib - one.ideal.weights.value()) / (65'537.0 * 131'072)));
        QCOMPARE(mostRequests(*full, 65'536), std::int64_t{6});
        // One request: what is left over a token's bytes, less the token of the step itself.
        const IdealMemory ideal = memoryOf(pair()).ideal;
        const double left = 64 * gib - ideal.weights.value() - 77'463'552 - ideal.activationPeak.value();
        MemoryProbe shortOne = probeOf(pair("tensorcast", 1, 2));
        QCOMPARE(*longestContext(shortOne, 1), longest); // a million is 30.8 GiB of 48.9
        QVERIFY(left / 32'768 > 1'010'001);
        const double leftOfTwo =
            64 * gib - ideal.weights.value() - 2 * 77'463'552.0 - memoryAt(pair(), 2, 1).ideal.activationPeak.value();
        QCOMPARE(*longestContext(shortOne, 2), std::int64_t(leftOfTwo / (2 * 32'768)) - 1);
    }

    void expertsAndTheirCache() {
        // 35B-A3B on two dies: 10 layers x 2 x 1 head x 256 x 2 B a token; 30 layers x 16 heads x 128 x 128 x 4 B a
        // state
        Scenario s = pair();
        s.model = "Qwen3.5-35B-A3B";
        MemoryProbe probe = probeOf(s);
        const MemoryReport four = probe.at(4, 99'999);
        QCOMPARE(four.ideal.kvCache.value(), 4 * 100'000.0 * 10'240);
        QCOMPARE(four.ideal.recurrentState.value(), 4 * 31'457'280.0);
    }

    // Requests are dealt out: two ranks take twice as many, and one more does not fit on either.
    void dataParallelRanks() {
        for (const char* engine : {"tensorcast", "vllm-ascend"}) {
            MemoryProbe alone = probeOf(pair(engine));
            Scenario two = pair(engine);
            two.parallel.dp = 2;
            MemoryProbe both = probeOf(two);
            const std::int64_t each = mostRequests(alone, 65'536);
            QVERIFY(each > 1);
            QCOMPARE(mostRequests(both, 65'536), 2 * each);
            QCOMPARE(both.at(2 * each, 65'536).used().value(), alone.at(each, 65'536).used().value());
        }
    }

    void probeEqualsTheSimulation() {
        int compared = 0;
        for (const auto& engine : builtIn().engines())
            for (const auto& model : builtIn().models())
                for (const Phase phase : {Phase::prefill, Phase::decode})
                    for (const KvDType cache : {KvDType::bf16, KvDType::int8}) {
                        Scenario s = scenarioOf(model->name, phase, phase == Phase::decode ? 1 : 700, 5000);
                        s.engine = engine->name;
                        s.quantization.kvCache = cache;
                        if (!simulate(builtIn(), s)) continue;
                        MemoryProbe probe = probeOf(s);
                        for (const auto& [n, context] : {std::pair<std::int64_t, std::int64_t>{1, 1},
                                                         {1, 5000},
                                                         {3, 100'000},
                                                         {64, 100'001},
                                                         {3, 200'000},
                                                         {1, phase == Phase::decode ? 2 : 0}}) {
                            const MemoryReport is = probe.at(n, context), should = memoryAt(s, n, context);
                            QCOMPARE(is.ideal.total().value(), should.ideal.total().value());
                            QCOMPARE(is.ideal.activationPeak.value(), should.ideal.activationPeak.value());
                            QCOMPARE(is.used().value(), should.used().value());
                            QCOMPARE(is.limit.value(), should.limit.value());
                            ++compared;
                        }
                    }
        QVERIFY(compared > 500);
    }

    // vLLM-Ascend gathers the whole INT8 cache of a prefill into a dense copy: activations follow the context.
    void activationsThatFollowTheContext() {
        Scenario s = pair("vllm-ascend", 10'000);
        s.phase = Phase::prefill;
        s.queryLength = 512;
        s.quantization.kvCache = KvDType::int8;
        MemoryProbe probe = probeOf(s);
        const double less = probe.at(1, 300'000).ideal.activationPeak.value();
        const double more = probe.at(1, 600'000).ideal.activationPeak.value();
        QCOMPARE(more - less, 300'000.0 * 2 * 2 * 256 * 2); // keys and values of two heads, in BF16
    }

    void frontiersAreExact_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("device");
        QTest::addColumn<QString>("engine");
        QTest::addColumn<int>("tp");
        QTest::addColumn<int>("dp");
        QTest::addColumn<bool>("prefill");
        QTest::addColumn<bool>("allFull");
        const auto row = [](const char* model, const char* device, const char* engine, int tp, int dp = 1,
                            bool prefill = false, bool allFull = false) {
            QTest::addRow("%s %s %s tp%d dp%d %d%d", model, device, engine, tp, dp, prefill, allFull)
                << model << device << engine << tp << dp << prefill << allFull;
        };
        const char* die = "ATLAS_800_A3_560T_128G_DIE";
        for (const char* engine : {"tensorcast", "vllm-ascend"})
            for (const char* model : {"Qwen3.5-27B", "Qwen3.5-35B-A3B", "Qwen3-8B", "Qwen3.5-0.8B"}) {
                row(model, die, engine, 2);
                row(model, die, engine, 2, 3);
                row(model, die, engine, 2, 1, true);
            }
        row("Qwen3.5-27B", die, "vllm-ascend", 2, 1, false, true);
        row("Qwen3.5-397B-A17B", die, "vllm-ascend", 16);
        row("Qwen3.5-397B-A17B", "NVIDIA_H200_SXM", "vllm-cuda", 8);
        row("Qwen3-32B", "NVIDIA_A100_80G_SXM", "vllm-cuda", 2);
        row("Qwen3.5-9B", "NVIDIA_RTX_4090", "vllm-cuda", 1);
    }

    void frontiersAreExact() {
        QFETCH(QString, model);
        QFETCH(QString, device);
        QFETCH(QString, engine);
        QFETCH(int, tp);
        QFETCH(int, dp);
        QFETCH(bool, prefill);
        QFETCH(bool, allFull);
        Scenario s = scenarioOf(model.toStdString(), prefill ? Phase::prefill : Phase::decode, prefill ? 512 : 1, 4096);
        s.device = device.toStdString();
        s.engine = engine.toStdString();
        s.parallel.tp = tp;
        s.parallel.dp = dp;
        s.allFull = allFull;
        s.quantization.linear = Scheme::w8a8Dynamic;
        const auto refused = simulate(builtIn(), s);
        QVERIFY2(refused, refused ? "" : refused.error().text().c_str());
        MemoryProbe probe = probeOf(s);
        const auto fits = [&](std::int64_t n, std::int64_t c) { return memoryAt(s, n, c).free() >= Bytes{}; };
        const Frontier frontier =
            frontierOf(probe, nullptr, contextStops(*probe.scenario().model, 12'345), requestStops(77));
        std::int64_t before = limits::queries.highest, inside = 0;
        for (const RequestsAt& point : frontier.byContext) {
            QVERIFY(!point.counterpart);
            QVERIFY2(point.requests <= before, qPrintable(QString::number(point.context)));
            before = point.requests;
            if (point.requests > 0) QVERIFY(fits(point.requests, point.context));
            if (point.requests < limits::queries.highest) {
                QVERIFY(!fits(point.requests + 1, point.context));
                ++inside;
            }
        }
        QVERIFY(inside > 3);
        before = longest;
        for (const ContextAt& point : frontier.byRequests) {
            QVERIFY(point.context.value_or(0) <= before);
            before = point.context.value_or(0);
            const std::int64_t shortest = prefill ? 0 : 1;
            if (point.context) QVERIFY(fits(point.requests, *point.context));
            if (point.context.value_or(shortest - 1) < longest)
                QVERIFY(!fits(point.requests, point.context.value_or(shortest - 1) + 1));
        }
        // The two directions agree.
        for (const RequestsAt& point : frontier.byContext)
            if (point.requests > 0) QVERIFY(longestContext(probe, point.requests).value_or(-1) >= point.context);
    }

    // What the bisection stands on: bytes never shrink with requests or context.
    void memoryIsMonotone() {
        for (const auto& engine : builtIn().engines())
            for (const auto& model : builtIn().models())
                for (const Phase phase : {Phase::prefill, Phase::decode})
                    for (const std::int64_t dp : {1, 4}) {
                        Scenario s = scenarioOf(model->name, phase, phase == Phase::decode ? 1 : 300, 4096);
                        s.engine = engine->name;
                        s.parallel.dp = dp;
                        if (model->text.moe) s.parallel.ep = dp;
                        if (!simulate(builtIn(), s)) continue;
                        MemoryProbe probe = probeOf(s);
                        Bytes before;
                        for (std::int64_t n = 1; n <= 4096; n += 1 + n / 3) {
                            const Bytes now = probe.at(n, 4096).used();
                            QVERIFY2(now >= before,
                                     qPrintable(QString("%1 %2 %3").arg(model->name.c_str()).arg(n).arg(dp)));
                            before = now;
                        }
                        before = Bytes{};
                        for (std::int64_t c = probe.shortestContext(); c <= longest; c += 1 + c / 3) {
                            const Bytes now = probe.at(5, c).used();
                            QVERIFY(now >= before);
                            before = now;
                        }
                    }
    }

    void stops() {
        const auto contexts = contextStops(*builtIn().findModel("Qwen3-8B"), 5000);
        QVERIFY(std::is_sorted(contexts.begin(), contexts.end()));
        QCOMPARE(contexts, (std::vector<std::int64_t>{1024, 2048, 4096, 5000, 8192, 16'384, 32'768, 40'960, 65'536,
                                                      131'072, 262'144, 524'288, 1'010'000}));
        QCOMPARE(requestStops(3),
                 (std::vector<std::int64_t>{1, 2, 3, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096}));
    }

    void growth() {
        MemoryProbe probe = probeOf(pair("vllm-ascend", 65'536, 4));
        std::optional<MemoryProbe> other = counterpartOf(builtIn(), pair("vllm-ascend", 65'536, 4));
        const auto points = growthByContext(probe, &*other, 4, {1024, 65'536});
        QCOMPARE(points[1].ideal.value(), memoryOf(pair("vllm-ascend", 65'536, 4)).ideal.total().value());
        QCOMPARE(points[1].engine->value(), memoryOf(pair("vllm-ascend", 65'536, 4)).engine->total().value());
        QCOMPARE((points[1].ideal - points[0].ideal).value(), 4 * 64'512.0 * 32'768);
        QCOMPARE((*points[1].idealCounterpart - *points[0].idealCounterpart).value(), 4 * 64'512.0 * 131'072);
        // 65,537 tokens are 74 blocks of 896, 1,025 are two
        QCOMPARE((*points[1].engine - *points[0].engine).value(), 4 * 72 * 29'360'128.0);
        const auto requests = growthByRequests(probe, nullptr, 65'536, {1, 9});
        QVERIFY(!requests[0].engineCounterpart);
        const double activations = (memoryAt(pair("vllm-ascend"), 9, 65'536).ideal.activationPeak -
                                    memoryOf(pair("vllm-ascend")).ideal.activationPeak)
                                       .value();
        QCOMPARE((*requests[1].engine - *requests[0].engine).value(), 8 * 77 * 29'360'128.0 + activations);
        // The engine without settings has no bytes of its own.
        MemoryProbe plain = probeOf(pair());
        QVERIFY(!growthByContext(plain, nullptr, 1, {1024})[0].engine);
    }

    void counterparts() {
        QVERIFY(!counterpartOf(builtIn(), scenarioOf("Qwen3-8B", Phase::decode, 1, 100)));
        Scenario full = pair();
        full.allFull = true;
        const auto hybrid = counterpartOf(builtIn(), full);
        QVERIFY(hybrid);
        QCOMPARE(hybrid->present().used().value(), memoryOf(pair()).used().value());
        // 32 query heads divide by 32 ranks, 16 key heads of linear layers do not.
        full.model = "Qwen3.5-397B-A17B";
        full.parallel.tp = 32;
        QVERIFY(simulate(builtIn(), full));
        QVERIFY(!counterpartOf(builtIn(), full));
    }

    void remediesAreDifferencesOfReports_data() {
        QTest::addColumn<QString>("engine");
        QTest::addColumn<QString>("model");
        QTest::addColumn<qint64>("context");
        QTest::addColumn<qint64>("requests");
        for (const char* engine : {"tensorcast", "vllm-ascend", "vllm-cuda"})
            for (const char* model : {"Qwen3.5-27B", "Qwen3.5-35B-A3B"}) {
                QTest::addRow("%s %s fits", engine, model) << engine << model << qint64{4096} << qint64{1};
                QTest::addRow("%s %s too long", engine, model) << engine << model << qint64{longest} << qint64{40};
                QTest::addRow("%s %s too many", engine, model) << engine << model << qint64{4096} << qint64{4096};
            }
    }

    void remediesAreDifferencesOfReports() {
        QFETCH(QString, engine);
        QFETCH(QString, model);
        QFETCH(qint64, context);
        QFETCH(qint64, requests);
        Scenario s = pair(qPrintable(engine), context, requests);
        s.engine = engine.toStdString();
        s.model = model.toStdString();
        const Remedies remedies = remediesOf(s);
        const auto check = [](const Scenario& before, const Remedy& remedy) {
            // The changes, applied to the fields by name, make the scenario.
            Scenario applied = before;
            for (const FieldChange& change : remedy.changes) {
                const ScenarioField* field = findScenarioField(change.field);
                QVERIFY(field != nullptr);
                QVERIFY(field->set(*field, applied, change.after));
                QVERIFY(change.before != change.after);
            }
            QVERIFY(applied == remedy.scenario);
            const MemoryReport was = memoryOf(before), is = memoryOf(remedy.scenario);
            QCOMPARE(remedy.freed.value(), (was.used() - is.used()).value());
            QVERIFY(remedy.freed > Bytes{});
            QCOMPARE(remedy.after.free().value(), is.free().value());
            QCOMPARE(remedy.after.fit, fitOf(is.free(), is.limit));
        };
        QVERIFY(remedies.single.size() >= 3);
        for (const Remedy& remedy : remedies.single) check(s, remedy);
        Scenario before = s;
        for (const Remedy& remedy : remedies.combined) {
            check(before, remedy);
            before = remedy.scenario;
        }
        const bool amiss = verdictOf(memoryOf(s)).fit != Fit::fits;
        QCOMPARE(amiss, requests > 1);
        QCOMPARE(find(remedies.single, RemedyKind::fewerRequests) != nullptr, amiss);
        QCOMPARE(find(remedies.single, RemedyKind::shorterContext) != nullptr, amiss);
        QCOMPARE(find(remedies.single, RemedyKind::expertWeights) != nullptr, model.contains("A3B"));
    }

    // 64 requests of 65,536 tokens: half a bf16 cache is 64 x 65,537 x 16,384 B, less 16 layers of 8,192 B of scales.
    void namedRemedies() {
        const Remedies remedies = remediesOf(pair("tensorcast", 65'536, 64));
        QCOMPARE(remedies.present, Fit::doesNotFit);
        QStringList names;
        for (const Remedy& remedy : remedies.single) names << changesOf(remedy);
        QCOMPARE(names, (QStringList{"kv_cache bf16 -> int8", "kv_cache bf16 -> fp8",
                                     "quantization W8A8_STATIC -> W4A8_STATIC", "tp 2 -> 4", "tp 2 -> 8",
                                     "queries 64 -> 23", "context_length 65536 -> 22717"}));
        QCOMPARE(remedies.single[0].freed.value(), 64 * 65'537.0 * 16'384 - 16 * 8'192.0);
        QCOMPARE(remedies.single[1].freed.value(), 64 * 65'537.0 * 16'384);
        QVERIFY(remedies.singleIsEnough);
        QVERIFY(remedies.combined.empty());
        QCOMPARE(find(remedies.single, RemedyKind::fewerRequests)->after.fit, Fit::tight);
        // A larger TP helps no further than its key/value heads go: four, then copies.
        QCOMPARE(remedies.single[4].after.fit, Fit::doesNotFit);
    }

    void onlyWhatIsTaken() {
        // No FP8 cache under vLLM-Ascend.
        const Remedies ascend = remediesOf(pair("vllm-ascend"));
        QCOMPARE(changesOf(ascend.single[0]), QString("kv_cache bf16 -> int8"));
        QVERIFY(ascend.single[1].kind != RemedyKind::kvCache);
        // Nothing to do twice.
        Scenario small = pair();
        small.quantization.linear = Scheme::w4a8Dynamic;
        small.quantization.kvCache = KvDType::int8;
        small.parallel.tp = 8; // 16 does not divide 24 query heads
        QVERIFY(remediesOf(small).single.empty());
        // On every device only what it takes: its formats, the sizes its links span.
        for (const auto& device : builtIn().devices()) {
            Scenario s = pair("tensorcast");
            s.device = device->name;
            s.parallel.tp = 1;
            s.quantization.linear = Scheme::bf16;
            if (!simulate(builtIn(), s)) continue;
            for (const Remedy& remedy : remediesOf(s).single) QVERIFY(simulate(builtIn(), remedy.scenario));
        }
        // A quantized scheme with activations as they were; unquantized weights get the dynamic one.
        Scenario plain = pair();
        plain.quantization.linear = Scheme::bf16;
        QCOMPARE(changesOf(*find(remediesOf(plain).single, RemedyKind::weights)),
                 QString("quantization BF16 -> W4A8_DYNAMIC"));
        plain.quantization.linear = Scheme::w8a16;
        QCOMPARE(changesOf(*find(remediesOf(plain).single, RemedyKind::weights)),
                 QString("quantization W8A16 -> W4A16"));
    }

    void expertsFirst() {
        Scenario s = pair();
        s.model = "Qwen3.5-35B-A3B";
        s.quantization.experts = Scheme::w8a8Dynamic;
        const Remedies remedies = remediesOf(s);
        const Remedy* experts = find(remedies.single, RemedyKind::expertWeights);
        QCOMPARE(changesOf(*experts), QString("expert_quantization W8A8_DYNAMIC -> W4A8_DYNAMIC"));
        QCOMPARE(experts->freed.value(), 40.0 * 256 * 3 * 2048 * 512 / 2 / 2); // half a byte each, on two ranks
        QCOMPARE(changesOf(*find(remedies.single, RemedyKind::weights)),
                 QString("quantization W8A8_STATIC -> W4A8_STATIC, expert_quantization W8A8_DYNAMIC -> W4A8_STATIC"));
    }

    void tightAsksForRoom() {
        MemoryProbe probe = probeOf(pair("vllm-ascend"));
        const std::int64_t most = mostRequests(probe, 65'536);
        const Remedies remedies = remediesOf(pair("vllm-ascend", 65'536, most));
        QCOMPARE(remedies.present, Fit::tight);
        const Remedy* fewer = find(remedies.single, RemedyKind::fewerRequests);
        QVERIFY(fewer != nullptr);
        QCOMPARE(fewer->after.fit, Fit::fits);
        Scenario one = fewer->scenario;
        one.queries += 1;
        QVERIFY(verdictOf(memoryOf(one)).fit != Fit::fits);
        QCOMPARE(find(remedies.single, RemedyKind::shorterContext)->after.fit, Fit::fits);
    }

    // 397B in BF16 on two dies: its weights alone take 372 GiB a rank.
    void combinedUntilItFits() {
        Scenario s = pair("vllm-ascend", 65'536, 64);
        s.model = "Qwen3.5-397B-A17B";
        s.quantization.linear = Scheme::bf16;
        const Remedies remedies = remediesOf(s);
        QVERIFY(!remedies.singleIsEnough);
        QVERIFY(remedies.combinedIsEnough);
        QVERIFY(remedies.combined.size() >= 2);
        for (std::size_t i = 0; i + 1 < remedies.combined.size(); ++i) {
            QVERIFY(remedies.combined[i].kind < remedies.combined[i + 1].kind);
            QCOMPARE(remedies.combined[i].after.fit, Fit::doesNotFit);
        }
        QVERIFY(remedies.combined.back().after.fit != Fit::doesNotFit);
    }

    void nothingHelps() {
        Scenario s = pair("vllm-cuda", 4096, 2);
        s.model = "Qwen3.5-397B-A17B";
        s.device = "NVIDIA_RTX_4090";
        s.parallel.tp = 1;
        const Remedies remedies = remediesOf(s);
        QVERIFY(!remedies.singleIsEnough);
        QVERIFY(!remedies.combinedIsEnough);
        QVERIFY(!remedies.combined.empty());
        QCOMPARE(*remedies.combined.back().scenario.contextLength, std::int64_t{1});
        const auto report = fitsReport(builtIn(), s);
        QVERIFY(report);
        QVERIFY(QString::fromStdString(toReport(*report)).contains("All of these together do not make it fit."));
    }

    void listedRequests() {
        Scenario s = pair();
        s.queryLength.reset();
        s.contextLength.reset();
        s.requests = {{3, 1, 900'000, {}, {}}, {1, 512, 0, Phase::prefill, {}}};
        const auto report = fitsReport(builtIn(), s);
        QVERIFY2(report, report ? "" : report.error().text().c_str());
        QVERIFY(!report->varies);
        QVERIFY(report->frontier.byContext.empty());
        QVERIFY(report->byContext.empty());
        QCOMPARE(report->verdict.fit, Fit::doesNotFit);
        QVERIFY(find(report->remedies.single, RemedyKind::kvCache) != nullptr);
        QVERIFY(find(report->remedies.single, RemedyKind::fewerRequests) == nullptr);
        QVERIFY(find(report->remedies.single, RemedyKind::shorterContext) == nullptr);
        QVERIFY(QString::fromStdString(toReport(*report)).contains("lists requests of different lengths"));
        QVERIFY(!nlohmann::json::parse(toJson(*report)).contains("frontier"));
    }

    void refusals_data() {
        QTest::addColumn<QString>("field");
        QTest::addColumn<QString>("value");
        QTest::newRow("model") << "model"
                               << "Qwen9";
        QTest::newRow("device") << "device"
                                << "Abacus";
        QTest::newRow("engine") << "engine"
                                << "steam";
        QTest::newRow("tp") << "tp"
                            << "3";
        QTest::newRow("ep of a dense model") << "ep"
                                             << "2";
        QTest::newRow("dp") << "dp"
                            << "0";
        QTest::newRow("no request") << "queries"
                                    << "0";
        QTest::newRow("too many requests") << "queries"
                                           << "4097";
        QTest::newRow("context") << "context_length"
                                 << "1010001";
        QTest::newRow("no context in decode") << "context_length"
                                              << "0";
        QTest::newRow("query") << "query_length"
                               << "0";
        QTest::newRow("mtp") << "mtp_tokens"
                             << "9";
        QTest::newRow("checkpoint") << "quantization"
                                    << "CHECKPOINT";
        QTest::newRow("experts") << "expert_quantization"
                                 << "W4A8_STATIC";
        QTest::newRow("layers") << "layers"
                                << "65";
    }

    void refusals() {
        QFETCH(QString, field);
        QFETCH(QString, value);
        Scenario s = pair();
        const ScenarioField* f = findScenarioField(field.toStdString());
        QVERIFY(f->set(*f, s, value.toStdString()));
        const auto refusal = simulate(builtIn(), s);
        QVERIFY(!refusal);
        const auto probe = MemoryProbe::make(builtIn(), s);
        const auto remedies = remediesFor(builtIn(), s);
        const auto report = fitsReport(builtIn(), s);
        QVERIFY(!probe && !remedies && !report);
        for (const Error& error : {probe.error(), remedies.error(), report.error()}) {
            QCOMPARE(error.text(), refusal.error().text());
            QCOMPARE(error.subject, field.toStdString());
        }
        QVERIFY(!counterpartOf(builtIn(), s) || field == "context_length");
    }

    void beyondTheInterconnect() {
        for (const auto& device : builtIn().devices()) {
            Scenario s = pair();
            s.device = device->name;
            s.parallel.tp = 8;
            const auto refusal = simulate(builtIn(), s);
            QCOMPARE(bool(fitsReport(builtIn(), s)), bool(refusal));
        }
    }

    void asJson() {
        const auto report = fitsReport(builtIn(), pair("vllm-ascend", longest));
        QVERIFY(report);
        const auto json = nlohmann::json::parse(toJson(*report));
        QCOMPARE(json["schema"].get<std::string>(), std::string("deltascope.fits/1"));
        QCOMPARE(json["verdict"]["fit"].get<std::string>(), std::string("fits"));
        QCOMPARE(json["verdict"]["judged_by"].get<std::string>(), std::string("engine"));
        QCOMPARE(json["verdict"]["free_bytes"].get<double>(), report->verdict.free().value());
        QCOMPARE(json["parts"][1]["engine_bytes"].get<double>(), 1'128 * 29'360'128.0);
        QCOMPARE(json["device"]["size_bytes"].get<double>(), 64 * gib);
        QCOMPARE(json["frontier"]["requests_by_context"].back()["requests"].get<int>(), 1);
        QCOMPARE(json["frontier"]["requests_by_context"].back()["all_full_requests"].get<int>(), 0);
        QCOMPARE(json["remedies"].size(), report->remedies.single.size());
        QVERIFY(!json["combination"]["needed"].get<bool>());
        QCOMPARE(json["growth"]["by_context"].size(), report->byContext.size());
        for (const std::string& line : {std::string("Fits: 10.26 GiB free of 57.60 GiB"), std::string("KV cache"),
                                        std::string("kv_cache bf16 -> int8"), std::string("<- here: 1,010,000")})
            QVERIFY2(toReport(*report).find(line) != std::string::npos, line.c_str());
    }
};

QTEST_GUILESS_MAIN(TestFits)
#include "tst_fits.moc"
