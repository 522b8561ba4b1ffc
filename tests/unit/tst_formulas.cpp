// SPDX-License-Identifier: GPL-3.0-or-later
// The text of a formula against its value: every operator of every built-in model is explained, and what the text says
// is computed again from the text alone.
#include "support/catalog.h"

#include "base/format.h"
#include "cost/work.h"
#include "scenario/module_scheme.h"
#include "simulation/explain.h"

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <map>

using namespace deltascope;
using namespace deltascope::test;

namespace {

using Variables = std::map<std::string, double>;

/// Numbers, variables, + - * /, parentheses and max(a, b). NaN for anything else.
class Arithmetic {
public:
    Arithmetic(std::string text, const Variables& variables) : text_(std::move(text)), variables_(variables) {}

    double value() {
        const double result = sum();
        return at_ == text_.size() ? result : std::nan("");
    }

private:
    double sum() {
        double result = product();
        while (const char sign = next("+-")) result += sign == '+' ? product() : -product();
        return result;
    }
    double product() {
        double result = atom();
        while (const char sign = next("*/")) sign == '*' ? result *= atom() : result /= atom();
        return result;
    }
    double atom() {
        if (next("(")) {
            const double result = sum();
            return next(")") ? result : std::nan("");
        }
        skipBlanks();
        if (at_ < text_.size() && std::isalpha(static_cast<unsigned char>(text_[at_]))) {
            const std::size_t from = at_;
            while (at_ < text_.size() && std::isalnum(static_cast<unsigned char>(text_[at_]))) ++at_;
            const std::string name = text_.substr(from, at_ - from);
            if (name == "max" && next("(")) {
                const double first = sum();
                const double second = next(",") ? sum() : std::nan("");
                const bool both = next(")") && !std::isnan(first) && !std::isnan(second);
                return both ? std::max(first, second) : std::nan("");
            }
            const auto variable = variables_.find(name);
            return variable == variables_.end() ? std::nan("") : variable->second;
        }
        char* end = nullptr;
        const double number = std::strtod(text_.c_str() + at_, &end);
        const auto length = static_cast<std::size_t>(end - (text_.c_str() + at_));
        at_ += length;
        return length == 0 ? std::nan("") : number;
    }
    void skipBlanks() {
        while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    }
    /// Takes one of `accepted` and gives it, or 0.
    char next(std::string_view accepted) {
        skipBlanks();
        if (at_ < text_.size() && accepted.find(text_[at_]) != accepted.npos) return text_[at_++];
        return 0;
    }

    std::string text_;
    const Variables& variables_;
    std::size_t at_ = 0;
};

double evaluated(const std::string& text, const Variables& variables = {}) {
    return Arithmetic(text, variables).value();
}

constexpr double precision = 1e-12;

} // namespace

class TestFormulas : public QObject {
    Q_OBJECT
private slots:
    void arithmetic() {
        const Variables variables{{"T", 3.0}, {"dk", 4.0}};
        QCOMPARE(evaluated("2*(T + dk) - 1", variables), 13.0);
        QCOMPARE(evaluated("2*max(T - 1, max(1, dk))", variables), 8.0);
        QCOMPARE(evaluated("12/3/2 - 1.5e1"), -13.0);
        QCOMPARE(evaluated("1 - 2 + 3"), 2.0);
        for (const char* wrong : {"", "x", "2*", "(1", "1)", "1 2", "T", "2T"})
            QVERIFY2(std::isnan(evaluated(wrong)), wrong);
    }

    void everyOperator_data() {
        QTest::addColumn<QString>("device");
        QTest::addColumn<QString>("engine");
        const auto row = [](const char* name, const char* device, const char* engine) {
            QTest::newRow(name) << QString(device) << QString(engine);
        };
        row("int8 device", "ATLAS_800_A3_560T_128G_DIE", "tensorcast");
        row("int8 device, fused engine", "ATLAS_800_A3_560T_128G_DIE", "tensorcast-fused");
        row("fp4 and fp8 device", "NVIDIA_B200_SXM", "tensorcast");
        row("vLLM on an NPU", "ATLAS_800_A3_560T_128G_DIE", "vllm-ascend");
        row("vLLM on a GPU", "NVIDIA_B200_SXM", "vllm-cuda");
        row("MNN on a CPU", "RASPBERRY_PI_5_8GB", "mnn");
        row("MNN on a GPU", "JETSON_ORIN_NANO_SUPER_8GB", "mnn-vulkan");
    }

    void everyOperator() {
        QFETCH(QString, device);
        QFETCH(QString, engine);
        int simulated = 0;
        for (const auto& model : builtIn().models()) {
            for (const bool isDecode : {false, true}) {
                for (std::size_t scheme = 0; scheme < schemes.size(); ++scheme) {
                    Scenario scenario = scenarioOf(model->name, isDecode ? Phase::decode : Phase::prefill,
                                                   isDecode ? 2 : 150, isDecode ? 1000 : 64);
                    scenario.device = device.toStdString();
                    scenario.engine = engine.toStdString();
                    scenario.quantization.linear = static_cast<Scheme>(scheme);
                    scenario.mtpTokens = model->text.mtpLayers > 0 ? 1 : 0;
                    scenario.queries = 3;
                    scenario.parallel.tp =
                        builtIn().findEngine(scenario.engine)->collectives ? tensorParallelSizes(*model).at(1) : 1;
                    scenario.paddingMask = true;
                    const auto result = simulate(builtIn(), scenario);
                    if (!result) {
                        QVERIFY2(result.error().code == ErrorCode::unsupported ||
                                     result.error().code == ErrorCode::noRate,
                                 result.error().text().c_str());
                        continue;
                    }
                    ++simulated;
                    check(*result);
                    if (QTest::currentTestFailed()) return;
                }
            }
        }
        QVERIFY2(simulated >= 60, qPrintable(QString("%1 simulated").arg(simulated)));
    }

private:
    void check(const Simulation& s) {
        std::vector<bool> seen(s.step.blocks.size(), false);
        for (std::uint32_t segment = 0; segment < s.step.segments.size(); ++segment) {
            const std::uint32_t block = s.step.segments[segment].block;
            if (seen[block]) continue;
            seen[block] = true;
            for (std::uint32_t i = 0; i < s.step.blocks[block].operators.size(); ++i) {
                checkTerms(s, {segment, i});
                checkExplanation(s, {segment, i});
                if (QTest::currentTestFailed()) {
                    qWarning("at %s of %s", s.id({segment, i}).text().c_str(), s.scenario.model->name.c_str());
                    return;
                }
            }
        }
    }

    /// Terms against their formulas, and the work against the sum of its terms.
    void checkTerms(const Simulation& s, OperatorRef ref) {
        FormulaLog log;
        const Work work = workOf(s.block(ref), s.op(ref), activationRate(s.scenario), &log);
        Variables variables;
        for (const FormulaLog::Variable& v : log.variables) {
            QVERIFY2(!v.meaning.empty(), v.name.c_str());
            QVERIFY2(variables.emplace(v.name, v.value).second, (v.name + " is declared twice").c_str());
        }
        std::map<std::string, double> sums;
        for (const FormulaLog::Term& term : log.terms) {
            const double value = evaluated(term.formula, variables);
            QVERIFY2(near(value, term.value, precision), qPrintable(QString("%1 is %2, not %3")
                                                                        .arg(QString::fromStdString(term.formula))
                                                                        .arg(value, 0, 'g', 17)
                                                                        .arg(term.value, 0, 'g', 17)));
            sums[term.quantity] += term.value;
        }
        std::map<std::string, double> expected{{"read", work.read.value()},
                                               {"written", work.written.value()},
                                               {"scratch", work.scratch.value()},
                                               {"resident scratch", work.residentScratch.value()},
                                               {"communicated", work.communicated.value()}};
        for (std::size_t i = 0; i < rateDTypeCount; ++i) {
            expected["matrix " + std::string(dtypeNames[i])] = work.matrix[i];
            expected["vector " + std::string(dtypeNames[i])] = work.vector[i];
        }
        for (const auto& [quantity, sum] : sums) {
            QVERIFY2(expected.contains(quantity), quantity.c_str());
            QVERIFY2(near(expected[quantity], sum, precision), quantity.c_str());
            expected.erase(quantity);
        }
        for (const auto& [quantity, rest] : expected) QVERIFY2(rest == 0.0, quantity.c_str()); // nothing unexplained
    }

    void checkExplanation(const Simulation& s, OperatorRef ref) {
        const Explanation e = explain(s, ref);
        const OperatorCost& cost = s.cost(ref);
        QVERIFY(e.title == nameOf(s.op(ref).kind));
        QVERIFY(!e.what.empty());
        QVERIFY(e.path.ends_with(s.op(ref).module));
        QVERIFY(e.bound == nameOf(cost.bound));
        QVERIFY(e.provenance == nameOf(Provenance::roofline));
        QCOMPARE(e.shapes.size(), s.block(ref).inputs(s.op(ref)).size() + s.block(ref).outputs(s.op(ref)).size());

        Variables variables;
        for (const ExplanationLine& line : e.values)
            variables.emplace(line.label, std::strtod(line.result.c_str(), nullptr));
        std::map<std::string, double> sums;
        for (const ExplanationLine& line : e.work) {
            const double value = evaluated(line.formula, variables);
            QVERIFY2(near(value, evaluated(line.substituted), precision),
                     (line.formula + " = " + line.substituted).c_str());
            const bool flops = line.label.starts_with("matrix") || line.label.starts_with("vector");
            const std::string text = flops ? formatFlops(value) : formatBytes(Bytes(value), ByteUnit::decimal);
            QVERIFY2(line.result == text, (line.formula + " = " + line.result + ", not " + text).c_str());
            sums[line.label] += value;
        }
        QVERIFY(near(sums["read"] + sums["written"] + sums["scratch"], cost.work.moved().value(), precision));

        Seconds compute;
        for (const ExplanationLine& line : e.time) {
            if (line.label == "memory") QCOMPARE(line.result, formatSeconds(cost.memory));
            if (line.label == "communication") QCOMPARE(line.result, formatSeconds(cost.communication));
            if (line.label == "launch") QCOMPARE(line.result, formatSeconds(cost.launch));
            for (std::size_t i = 0; i < rateDTypeCount; ++i) {
                const std::string name(dtypeNames[i]);
                if (line.label == "matrix " + name) compute += Seconds(sums[line.label] / s.rates.matrix[i]);
                if (line.label == "vector " + name) compute += Seconds(sums[line.label] / s.rates.vector[i]);
            }
        }
        QVERIFY(near(compute.value(), (cost.matrix + cost.vector).value(), precision));
        QVERIFY(!e.time.empty());
        QCOMPARE(e.time.back().label, std::string("time"));
        QCOMPARE(e.time.back().result, formatSeconds(cost.total));
        const Seconds local = std::max(cost.matrix + cost.vector, cost.memory);
        if (s.op(ref).kind == OperatorKind::linear_all_reduce) {
            QVERIFY(e.time.back().formula.starts_with("max(max("));
            const Seconds total =
                std::max(local + s.rates.matrixLaunch, cost.communication + s.rates.communicationLaunch);
            QVERIFY(near(cost.total.value(), total.value(), precision));
        } else {
            const Seconds total = std::max(local, cost.communication) + cost.launch;
            QVERIFY(near(cost.total.value(), total.value(), precision));
        }

        const std::string text = toText(e);
        for (const std::string& part : {e.title, e.path, e.what, e.bound, e.time.back().result})
            QVERIFY2(text.find(part) != text.npos, part.c_str());
    }
};

QTEST_GUILESS_MAIN(TestFormulas)
#include "tst_formulas.moc"
