// SPDX-License-Identifier: GPL-3.0-or-later
// The Chrome trace: events that nest and do not overlap, lanes for compute and communication, the memory counter.
#include "io/simulation_output.h"
#include "support/catalog.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

using namespace deltascope;
using namespace deltascope::test;
using Json = nlohmann::json;

namespace {

struct Slice {
    std::int64_t begin, end; ///< nanoseconds
    std::string name, category;
};

std::int64_t nanoseconds(const Json& microseconds) { return std::llround(microseconds.get<double>() * 1000.0); }

} // namespace

class ChromeTraceTest : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        Scenario s = scenarioOf("Qwen3.5-27B", Phase::decode, 2, 4250);
        s.mtpTokens = 1;
        s.parallel.tp = 2;
        const auto result = simulate(builtIn(), s);
        QVERIFY(result);
        simulation_ = *result;
        const Json trace = Json::parse(toChromeTrace(simulation_));
        for (const Json& event : trace.at("traceEvents")) {
            const std::string phase = event.at("ph").get<std::string>();
            if (phase == "X") {
                const std::int64_t begin = nanoseconds(event.at("ts"));
                lanes_[event.at("tid").get<int>()].push_back({begin, begin + nanoseconds(event.at("dur")),
                                                              event.at("name").get<std::string>(),
                                                              event.at("cat").get<std::string>()});
            } else if (phase == "M" && event.at("name") == "thread_name") {
                names_[event.at("args").at("name").get<std::string>()] = event.at("tid").get<int>();
            } else if (phase == "C") {
                counters_.push_back(event);
            }
        }
    }

    void lanesHaveNames() {
        for (const char* name : {"model", "compute", "communication"}) QVERIFY2(names_.contains(name), name);
        QCOMPARE(names_.size(), lanes_.size());
    }

    void everyOperatorIsOnItsLane() {
        const auto& compute = lanes_[names_["compute"]];
        const auto& communication = lanes_[names_["communication"]];
        QCOMPARE(static_cast<std::int64_t>(compute.size() + communication.size()), simulation_.totals.operators);
        QVERIFY(!communication.empty());
        for (const Slice& slice : communication) QCOMPARE(slice.category, std::string("communication"));
        for (const Slice& slice : compute) QVERIFY(slice.category != "communication");
    }

    void operatorsDoNotOverlap() {
        for (const char* lane : {"compute", "communication"}) {
            std::int64_t end = 0;
            for (const Slice& slice : lanes_[names_[lane]]) {
                QVERIFY(slice.begin >= end && slice.end >= slice.begin);
                end = slice.end;
            }
            QVERIFY(end <= std::llround(simulation_.totals.time.value() * 1e9));
        }
    }

    void partsLayersAndModulesNest() {
        auto slices = lanes_[names_["model"]];
        std::stable_sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) {
            return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
        });
        std::vector<Slice> open;
        std::map<std::string, int> counts;
        for (const Slice& slice : slices) {
            while (!open.empty() && open.back().end <= slice.begin) open.pop_back();
            if (!open.empty()) QVERIFY2(slice.end <= open.back().end, slice.name.c_str());
            open.push_back(slice);
            ++counts[slice.category];
        }
        QCOMPARE(counts["part"], static_cast<int>(simulation_.parts.size()));
        QCOMPARE(counts["layer"], 64 + 1); // the trunk and one draft
        QVERIFY(counts["module"] > counts["layer"]);
        const auto named = [&](const std::string& name) {
            return std::any_of(slices.begin(), slices.end(), [&](const Slice& slice) { return slice.name == name; });
        };
        for (const char* name : {"layer 0 linear", "layer 3 full", "linear_attn", "self_attn", "mlp", "mtp"})
            QVERIFY2(named(name), name);
    }

    void memoryIsCounted() {
        QVERIFY(counters_.size() > 10);
        double largest = 0.0;
        double last = -1.0;
        for (const Json& event : counters_) {
            QCOMPARE(event["args"]["resident bytes"].get<double>(), simulation_.memory.ideal.resident().value());
            largest = std::max(largest, event["args"]["activation bytes"].get<double>());
            QVERIFY(event["ts"].get<double>() >= last);
            last = event["ts"].get<double>();
        }
        QCOMPARE(largest, simulation_.memory.ideal.activationPeak.value());
        QCOMPARE(counters_.back()["args"]["activation bytes"].get<double>(), 0.0);
    }

private:
    Simulation simulation_;
    std::map<int, std::vector<Slice>> lanes_;
    std::map<std::string, int> names_;
    std::vector<Json> counters_;
};

QTEST_GUILESS_MAIN(ChromeTraceTest)
#include "tst_chrome_trace.moc"
