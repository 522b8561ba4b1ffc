// SPDX-License-Identifier: GPL-3.0-or-later
// What must add up, adds up: on every built-in model, device, engine, scheme and phase.
#include "support/catalog.h"

#include "explore/compare.h"

#include <numeric>

using namespace deltascope;
using namespace deltascope::test;

namespace {

constexpr double precision = 1e-12;

/// A step of each sort that the model can run; small, so that all combinations stay quick.
std::vector<Scenario> stepsOf(const ModelConfig& model) {
    Scenario prompt = scenarioOf(model.name, Phase::prefill, 300, 0);
    Scenario onContext = scenarioOf(model.name, Phase::prefill, 70, 4096);
    onContext.queries = 2;
    Scenario decode = scenarioOf(model.name, Phase::decode, 1, 5000);
    decode.queries = 8;
    if (model.text.mtpLayers > 0) {
        decode.mtpTokens = 2;
        decode.queryLength = 3;
        decode.acceptance = 0.7;
    }
    Scenario mixed = prompt;
    mixed.requests = {{1, 200, 0, Phase::prefill, {}}, {3, 1, 900, Phase::decode, {}}};
    std::vector<Scenario> steps{prompt, onContext, decode, mixed};
    if (model.vision) {
        prompt.image = ImageChoice{2, 480, 640, {}, {}};
        steps.push_back(prompt);
    }
    return steps;
}

std::string whereOf(const Simulation& s) {
    const Scenario& c = s.scenario.scenario;
    return c.model + " on " + c.device + ", " + c.engine + ", " + std::string(nameOf(c.phase)) + ", " +
           std::string(factsOf(c.quantization.linear).name) + ", tp " + std::to_string(c.parallel.tp) + ", ep " +
           std::to_string(c.parallel.ep);
}

/// What an engine sets aside against what is needed.
std::string imbalance(const EngineMemory& engine, const IdealMemory& ideal) {
    const double parts =
        (engine.weights + engine.activationPeak + engine.kvCache + engine.states + engine.reserved + engine.buffers)
            .value();
    if (!near(parts, engine.total().value(), precision)) return "parts of the engine's memory";
    for (Bytes bytes : {engine.pageBytes, engine.kvCache, engine.states, engine.reserved, engine.buffers,
                        engine.weights, engine.cacheSpace})
        if (!std::isfinite(bytes.value()) || bytes < Bytes(0)) return "the engine's memory";
    for (std::int64_t n : {engine.blockTokens, engine.groups, engine.blocksPerRequest})
        if (n < 1) return "the engine's blocks";
    for (std::int64_t n : {engine.blocksFit, engine.requestsFit, engine.contextFit})
        if (n < 0) return "what the engine says fits";
    // Whole pages hold at least what is needed; an FP32 convolution state, more.
    const double slack = 1.0 + precision;
    if (ideal.kvCache.value() > engine.kvCache.value() * slack) return "a cache smaller than what it holds";
    if ((ideal.recurrentState + ideal.convState).value() > engine.states.value() * slack) return "states without space";
    if (ideal.weights.value() > engine.weights.value() * slack) return "weights without space";
    return {};
}

/// What does not add up; empty when everything does.
std::string imbalance(const Simulation& s) {
    if (const std::string problem = impossibleNumber(s); !problem.empty()) return problem;
    const double total = s.totals.time.value();
    const auto differs = [total](double sum) { return std::abs(sum - total) > precision * total; };

    double layers = 0.0, other = 0.0, parts = 0.0;
    for (const LayerSummary& layer : s.layers) {
        layers += layer.time.value();
        const double byClass = std::accumulate(layer.byClass.begin(), layer.byClass.end(), Seconds(0)).value();
        if (!near(byClass + layer.hostWait.value(), layer.time.value(), precision)) return "the classes of a layer";
        if (!near((layer.kernelTime + layer.communication + layer.hostWait).value(), layer.time.value(), precision))
            return "kernels, communication and waiting of a layer";
        double exchanged = 0.0;
        const Block& block = s.block({layer.segment, 0});
        for (std::uint32_t i = 0; i < block.operators.size(); ++i)
            if (isCommunication(block.operators[i].kind)) exchanged += s.cost({layer.segment, i}).total.value();
        if (!near(exchanged, layer.communication.value(), precision)) return "communication of a layer";
        const OperatorRef first{layer.segment, 0};
        if (!near((s.start(first) - s.waitBefore(first)).value(), layer.start.value(), precision))
            return "the start of a layer";
    }
    for (const PartSummary& part : s.parts) {
        parts += part.time.value();
        if (part.part != Part::text) other += part.time.value();
    }
    if (differs(layers + other)) return "layers and other parts";
    if (differs(parts)) return "parts";

    double kinds = 0.0;
    std::int64_t calls = 0;
    for (const KindSummary& kind : s.byKind) {
        kinds += kind.time.value();
        calls += kind.calls;
    }
    const double wait = s.totals.hostWait.value();
    if (differs(kinds + wait)) return "kinds";
    if (calls != s.totals.operators) return "calls by kind";
    if (differs(std::accumulate(s.byClass.begin(), s.byClass.end(), Seconds(0)).value() + wait)) return "classes";
    const Totals& t = s.totals;
    if (std::abs(t.shareCompute + t.shareMemory + t.shareCommunication + t.shareLaunch + t.shareHost - 1.0) > precision)
        return "shares by bound";
    if (std::abs(std::accumulate(t.shareProvenance.begin(), t.shareProvenance.end(), -1.0)) > 1e-9)
        return "shares by provenance";

    double end = 0.0, matrix = 0.0, launch = 0.0, memory = 0.0;
    std::int64_t operators = 0;
    bool ordered = true, collective = false;
    s.forEachOperator([&](OperatorRef ref) {
        const OperatorCost& cost = s.cost(ref);
        end += s.waitBefore(ref).value();
        ordered = ordered && near(s.start(ref).value(), end, 1e-9);
        end += cost.total.value();
        matrix += cost.matrix.value();
        launch += cost.launch.value();
        memory += cost.memory.value();
        ++operators;
        collective = collective || isCommunication(s.op(ref).kind) || cost.work.ranks > 1;
    });
    if (!ordered) return "starts and durations";
    if (!near(end, total, 1e-9)) return "durations";
    if (!near(matrix, t.matrix.value(), 1e-9) || !near(launch, t.launch.value(), 1e-9) ||
        !near(memory, t.memory.value(), 1e-9))
        return "parts of the operators' times";
    if (operators != t.operators) return "the number of operators";
    const Parallelism& p = s.scenario.scenario.parallel;
    if (collective && p.tp * p.ep * p.visionTp == 1) return "a collective on one rank";

    const IdealMemory& m = s.memory.ideal;
    double loaded = 0.0;
    for (const MemoryGroup& group : m.groups)
        if (group.loaded) loaded += group.bytes.value();
    if (!near(loaded, m.weights.value(), precision)) return "weight groups";
    const double held = m.weights.value() + m.kvCache.value() + m.recurrentState.value() + m.convState.value() +
                        m.activationPeak.value();
    if (!near(held, m.total().value(), precision)) return "parts of memory";
    if (!near(s.memory.limit.value(), s.memory.used().value() + s.memory.free().value(), precision))
        return "free memory";
    if (s.memory.limit > s.memory.deviceSize) return "more memory than the device has";
    return s.memory.engine ? imbalance(*s.memory.engine, m) : std::string();
}

/// What does not add up in a comparison.
std::string imbalance(const Simulation& a, const Simulation& b) {
    const Comparison c = compare(a, b);
    const double scale = std::max(a.totals.time.value(), b.totals.time.value());
    double difference = 0.0, sumA = 0.0, sumB = 0.0;
    for (const WaterfallStep& step : c.waterfall) difference += step.time.value();
    if (std::abs(difference - (b.totals.time - a.totals.time).value()) > precision * scale) return "waterfall";
    std::int64_t ofA = 0, ofB = 0;
    for (const OperatorPair& pair : c.operators) {
        if (!pair.a && !pair.b) return "a pair of nothing";
        if (pair.a && pair.b && a.id(*pair.a) != b.id(*pair.b)) return "operators that are not the same";
        if (pair.a && a.cost(*pair.a).total != pair.timeA) return "a time of A";
        if (pair.b && b.cost(*pair.b).total != pair.timeB) return "a time of B";
        ofA += pair.a.has_value();
        ofB += pair.b.has_value();
        sumA += pair.timeA.value();
        sumB += pair.timeB.value();
    }
    if (ofA != a.totals.operators || ofB != b.totals.operators) return "every operator once";
    if (!near(sumA + a.totals.hostWait.value(), a.totals.time.value(), 1e-9) ||
        !near(sumB + b.totals.hostWait.value(), b.totals.time.value(), 1e-9))
        return "times of the pairs";
    return {};
}

void modelRows() {
    QTest::addColumn<QString>("model");
    for (const auto& model : builtIn().models())
        QTest::newRow(model->name.c_str()) << QString::fromStdString(model->name);
}

bool isExpectedRefusal(const Error& error) {
    return error.code == ErrorCode::noRate ||
           (error.code == ErrorCode::outOfRange && error.why.find("interconnect") != error.why.npos) ||
           (error.code == ErrorCode::unsupported && error.why.find("no collectives") != error.why.npos);
}

} // namespace

class TestConservation : public QObject {
    Q_OBJECT
private slots:
    void everyCombination_data() { modelRows(); }

    void everyCombination() {
        QFETCH(QString, model);
        const auto config = builtIn().findModel(model.toStdString());
        int simulated = 0, refused = 0;
        for (const Scenario& step : stepsOf(*config)) {
            for (const auto& device : builtIn().devices()) {
                for (const auto& engine : builtIn().engines()) {
                    for (std::size_t scheme = 0; scheme < schemes.size(); ++scheme) {
                        Scenario scenario = step;
                        scenario.device = device->name;
                        scenario.engine = engine->name;
                        scenario.quantization.linear = static_cast<Scheme>(scheme);
                        const auto result = simulate(builtIn(), scenario);
                        if (!result) {
                            ++refused;
                            QVERIFY2(isExpectedRefusal(result.error()), result.error().text().c_str());
                            continue;
                        }
                        ++simulated;
                        const std::string problem = imbalance(*result);
                        QVERIFY2(problem.empty(), (whereOf(*result) + ": " + problem).c_str());
                    }
                }
            }
        }
        QVERIFY2(simulated > 4 * 31 * 2 * 5,
                 qPrintable(QString("%1 simulated, %2 refused").arg(simulated).arg(refused)));
        QVERIFY(refused > 0);
    }

    void everyGroupSize_data() { modelRows(); }

    void everyGroupSize() {
        QFETCH(QString, model);
        const auto config = builtIn().findModel(model.toStdString());
        int simulated = 0;
        for (const Scenario& step : stepsOf(*config)) {
            for (const char* device : {"ATLAS_800_A3_560T_128G_DIE", "NVIDIA_H100_SXM"}) {
                for (const auto& engine : builtIn().engines()) {
                    if (!engine->collectives) continue;
                    for (std::int64_t tp : tensorParallelSizes(*config)) {
                        for (std::int64_t ep : {1, 2, 4}) {
                            if (ep > 1 && (!config->text.moe || (2 * tp) % ep != 0)) continue;
                            Scenario scenario = step;
                            scenario.device = device;
                            scenario.engine = engine->name;
                            scenario.quantization.linear = Scheme::w8a8Dynamic;
                            scenario.parallel.tp = tp;
                            scenario.parallel.dp = 2;
                            scenario.calibration.reset(); // as the engine has it
                            scenario.parallel.ep = ep;
                            const auto result = simulate(builtIn(), scenario);
                            if (!result) {
                                QVERIFY2(isExpectedRefusal(result.error()), result.error().text().c_str());
                                continue;
                            }
                            ++simulated;
                            const std::string problem = imbalance(*result);
                            QVERIFY2(problem.empty(), (whereOf(*result) + ": " + problem).c_str());
                        }
                    }
                }
            }
        }
        QVERIFY(simulated >= 4 * 2 * 2 * 4);
    }

    void sameScenarioSameResult_data() { modelRows(); }

    void sameScenarioSameResult() {
        QFETCH(QString, model);
        for (const Scenario& step : stepsOf(*builtIn().findModel(model.toStdString()))) {
            DELTASCOPE_SIMULATE(a, step);
            DELTASCOPE_SIMULATE(b, step);
            QCOMPARE(a.totals.time.value(), b.totals.time.value());
            for (const WaterfallStep& cause : compare(a, b).waterfall) QCOMPARE(cause.time.value(), 0.0);
            for (const OperatorPair& pair : compare(a, b).operators) {
                QVERIFY(pair.a && pair.a == pair.b);
                QCOMPARE(pair.timeA.value(), pair.timeB.value());
            }
            QVERIFY2(imbalance(a, a).empty(), imbalance(a, a).c_str());
            std::string lost;
            a.forEachOperator([&](OperatorRef ref) {
                if (a.find(a.id(ref)) != ref) lost = a.id(ref).text();
            });
            QVERIFY2(lost.empty(), lost.c_str());
        }
    }

    void comparisons_data() { modelRows(); }

    void comparisons() {
        QFETCH(QString, model);
        const auto config = builtIn().findModel(model.toStdString());
        std::vector<Simulation> results;
        const auto add = [&](const Scenario& scenario) {
            auto result = simulate(builtIn(), scenario);
            if (!result) qFatal("%s", result.error().text().c_str());
            results.push_back(*std::move(result));
        };
        for (const Scenario& step : stepsOf(*config)) add(step);
        Scenario changed = stepsOf(*config)[0];
        changed.quantization.linear = Scheme::w4a8Dynamic;
        changed.parallel.tp = 2;
        add(changed);
        changed.engine = "tensorcast-fused";
        changed.layers = 6;
        add(changed);
        changed.allFull = true;
        changed.paddingMask = true;
        add(changed);
        changed.quantization.keepBf16 = {"layers.1", "*.down_proj"};
        add(changed);
        changed.device = "NVIDIA_H100_SXM";
        add(changed);
        changed.engine = "vllm-cuda";
        changed.calibration = true;
        add(changed);
        changed.model = model == "Qwen3.5-2B" ? "Qwen3.5-4B" : "Qwen3.5-2B";
        add(changed);
        for (const Simulation& a : results) {
            for (const Simulation& b : results) {
                const std::string problem = imbalance(a, b);
                QVERIFY2(problem.empty(), (whereOf(a) + " against " + whereOf(b) + ": " + problem).c_str());
            }
        }
        // Turned round, every cause changes its sign, and what was added is removed.
        const Comparison there = compare(results[0], results[5]), back = compare(results[5], results[0]);
        double added = 0.0, removed = 0.0;
        for (std::size_t i = 0; i < there.waterfall.size(); ++i) {
            QCOMPARE(there.waterfall[i].cause, back.waterfall[i].cause);
            if (there.waterfall[i].cause == "operators added") added = there.waterfall[i].time.value();
            if (back.waterfall[i].cause == "operators removed") removed = back.waterfall[i].time.value();
            if (there.waterfall[i].cause.starts_with("operators")) continue;
            QVERIFY(near(there.waterfall[i].time.value(), -back.waterfall[i].time.value(), 1e-9));
        }
        QVERIFY(near(added, -removed, 1e-9));
    }

    void waterfallNamesTheCause() {
        const Scenario plain = scenarioOf("Qwen3.5-27B", Phase::decode, 1, 4096);
        const auto causes = [](const Simulation& a, const Simulation& b) {
            QStringList list;
            for (const WaterfallStep& step : compare(a, b).waterfall)
                if (step.time != Seconds(0))
                    list << (step.time < Seconds(0) ? "-" : "+") +
                                QString::fromUtf8(step.cause.data(), static_cast<qsizetype>(step.cause.size()));
            return list;
        };
        DELTASCOPE_SIMULATE(a, plain);
        Scenario longer = plain;
        longer.contextLength = 100'000; // attention reads more cache, and nothing else changes
        DELTASCOPE_SIMULATE(b, longer);
        QCOMPARE(causes(a, b), QStringList{"+memory"});
        Scenario split = plain;
        split.parallel.tp = 2; // collectives come, weights are halved
        DELTASCOPE_SIMULATE(c, split);
        QCOMPARE(causes(a, c), (QStringList{"-memory", "+operators added"}));
        Scenario fewer = plain;
        fewer.layers = 4;
        DELTASCOPE_SIMULATE(d, fewer);
        QCOMPARE(causes(a, d), QStringList{"-operators removed"});
    }

    void moreTokensNeverCostLess_data() { modelRows(); }

    void moreTokensNeverCostLess() {
        QFETCH(QString, model);
        const auto config = builtIn().findModel(model.toStdString());
        const std::int64_t several = tensorParallelSizes(*config).at(1);
        const std::vector<std::int64_t> lengths{1,   2,   3,   7,    31,   63,   64,     65,     127,     128,
                                                129, 200, 512, 1000, 2171, 8192, 16'824, 65'537, 262'144, 1'010'000};
        std::vector<std::pair<std::string, std::string>> places; // each device, and each engine on two of them
        for (const auto& device : builtIn().devices()) places.emplace_back(device->name, "tensorcast");
        for (const auto& engine : builtIn().engines())
            for (const char* device : {"ATLAS_800_A3_560T_128G_DIE", "NVIDIA_H100_SXM"})
                if (engine->name != "tensorcast") places.emplace_back(device, engine->name);
        for (const auto& [device, engine] : places) {
            const std::int64_t tp = builtIn().findEngine(engine)->collectives ? several : 1;
            for (const Scheme scheme : {Scheme::bf16, Scheme::w8a8Dynamic}) {
                for (const std::int64_t ep : {std::int64_t{1}, tp}) {
                    if (ep > 1 && !config->text.moe) continue;
                    const auto check = [&](const char* what, Phase phase, auto&& set) {
                        double last = 0.0;
                        for (std::int64_t length : lengths) {
                            Scenario scenario = scenarioOf(config->name, phase, 1, phase == Phase::decode ? 100 : 0);
                            scenario.device = device;
                            scenario.engine = engine;
                            scenario.quantization.linear = scheme;
                            scenario.parallel.tp = tp;
                            scenario.parallel.ep = ep;
                            // Experts spread over ranks pad an odd step: one kernel more than an even one has.
                            if (!set(scenario, length) || (ep > 1 && length % tp != 0)) continue;
                            const auto result = simulate(builtIn(), scenario);
                            if (!result) {
                                QVERIFY2(isExpectedRefusal(result.error()), result.error().text().c_str());
                                return;
                            }
                            const double time = result->totals.time.value();
                            QVERIFY2(time >= last * (1.0 - precision),
                                     qPrintable(QString("%1: %2 of %3 takes %4 s, fewer took %5")
                                                    .arg(whereOf(*result).c_str(), what)
                                                    .arg(length)
                                                    .arg(time, 0, 'g', 12)
                                                    .arg(last, 0, 'g', 12)));
                            last = time;
                        }
                        QVERIFY(last > 0.0);
                    };
                    check("query", Phase::prefill, [](Scenario& s, std::int64_t n) {
                        s.queryLength = n;
                        return true;
                    });
                    check("context", Phase::decode, [](Scenario& s, std::int64_t n) {
                        s.contextLength = n;
                        return true;
                    });
                    check("context of a prefill", Phase::prefill, [](Scenario& s, std::int64_t n) {
                        s.queryLength = 50;
                        s.contextLength = n;
                        return true;
                    });
                    check("requests", Phase::decode, [](Scenario& s, std::int64_t n) {
                        s.queries = n;
                        return n <= limits::queries.highest;
                    });
                    if (QTest::currentTestFailed()) return;
                }
            }
        }
    }
};

QTEST_GUILESS_MAIN(TestConservation)
#include "tst_conservation.moc"
