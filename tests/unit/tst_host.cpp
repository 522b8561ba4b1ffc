// SPDX-License-Identifier: GPL-3.0-or-later
// The host: launches of a block, the clock over segments, the three modes on whole steps, and what a user reads of it.
#include "support/catalog.h"

#include "explore/compare.h"
#include "io/simulation_output.h"

#include <nlohmann/json.hpp>

using namespace deltascope;
using namespace deltascope::test;

namespace {

constexpr double us = 1e-6;

OperatorCost costOf(double microseconds, int launches) {
    OperatorCost cost;
    cost.total = Seconds(microseconds * us);
    cost.work.extraLaunches = launches - 1;
    return cost;
}

bool is(Seconds time, double microseconds) { return std::abs(time.value() - microseconds * us) < 1e-12; }

Scenario smallDecode(HostMode mode) {
    Scenario s = scenarioOf("Qwen3.5-0.8B", Phase::decode, 4, 4096);
    s.mtpTokens = 3;
    s.engine = "vllm-ascend";
    s.calibration = false;
    s.host = mode;
    return s;
}

} // namespace

class TestHost : public QObject {
    Q_OBJECT
private slots:
    void launchesOfABlock() {
        // 2 us per launch. A: launched at 2. B, of two kernels: its first launched at 4, its second at 6, long before B
        // ends at 9. C: launched at 8, waits for B. D: three kernels of 1 us together, the last launched at 14.
        const std::vector<OperatorCost> costs{costOf(1, 1), costOf(5, 2), costOf(1, 1), costOf(1, 3)};
        const BlockLaunches block = launchesOf(costs, Seconds(2 * us));
        QVERIFY(is(block.earliest[0], 2));
        QVERIFY(is(block.earliest[1], 4));
        QVERIFY(is(block.earliest[2], 9));
        QVERIFY(is(block.earliest[3], 13));
        QVERIFY(is(block.end, 14));
        QCOMPARE(block.kernels, 7);
    }

    void clockOverSegments() {
        const std::vector<OperatorCost> costs{costOf(1, 1), costOf(5, 2), costOf(1, 1)};
        const Seconds d(2 * us), duration(7 * us);
        const BlockLaunches block = launchesOf(costs, d); // ends at 10, four launches
        HostClock clock;
        QVERIFY(is(clock.pass(block, duration, true, d), 3)); // 10 instead of 7
        QVERIFY(is(clock.host(), 8));
        QVERIFY(is(clock.pass(block, duration, true, d), 1)); // 8 + 10 = 18 instead of 17
        QVERIFY(is(clock.pass(block, duration, false, d), 0));
        QVERIFY(is(clock.device(), 25));
        QVERIFY(is(clock.host(), 16));
        QVERIFY(is(clock.pass(block, duration, true, d), 0)); // launched by 26, while the graph ran
        QVERIFY(is(clock.device(), 32));
    }

    void whichPartsAreGraphs() {
        for (const Part part : {Part::vision, Part::embedding, Part::text, Part::head}) {
            QVERIFY(launchesEach(HostMode::eager, part, true));
            QVERIFY(!launchesEach(HostMode::fullDecodeOnly, part, true));
            QVERIFY(launchesEach(HostMode::fullDecodeOnly, part, false));
            QVERIFY(!launchesEach(HostMode::fullAndPiecewise, part, false));
        }
        QVERIFY(launchesEach(HostMode::fullDecodeOnly, Part::mtp, true)); // the draft model is eager
        QVERIFY(!launchesEach(HostMode::fullAndPiecewise, Part::mtp, true));
    }

    void operatorsWaitForTheirLaunch() {
        for (const HostMode mode : hostModes) {
            DELTASCOPE_SIMULATE(s, smallDecode(mode));
            QVERIFY(s.host.has_value());
            QCOMPARE(s.host->mode, mode);
            QVERIFY(is(s.host->dispatch, 25)); // the engine's
            // Every operator starts when the one before has ended and its kernel is launched, and not later.
            Seconds free, waits;
            std::int64_t launched = 0, kernels = 0;
            bool asSaid = true;
            s.forEachOperator([&](OperatorRef ref) {
                const std::int64_t n = s.cost(ref).kernels();
                kernels += n;
                Seconds from = free;
                if (mode == HostMode::eager || (mode == HostMode::fullDecodeOnly && s.segment(ref).part == Part::mtp)) {
                    from = std::max({from, s.host->dispatch * static_cast<double>(launched + 1),
                                     s.host->dispatch * static_cast<double>(launched + n) - s.cost(ref).total});
                    launched += n;
                }
                asSaid = asSaid && std::abs((s.start(ref) - from).value()) < 1e-12 &&
                         std::abs((s.waitBefore(ref) - (from - free)).value()) < 1e-12;
                waits += from - free;
                free = from + s.cost(ref).total;
            });
            QVERIFY(asSaid);
            QVERIFY(is(s.totals.time, free.value() / us));
            QVERIFY(is(s.totals.hostWait, waits.value() / us));
            QCOMPARE(s.host->kernels, kernels);
            QCOMPARE(s.host->launched, launched);
            QVERIFY(s.totals.time.value() >= 25 * us * static_cast<double>(launched));
            QVERIFY(near(s.totals.shareHost, waits / free, 1e-9));
        }
    }

    void theModesOfOneStep() {
        DELTASCOPE_SIMULATE(eager, smallDecode(HostMode::eager));
        DELTASCOPE_SIMULATE(graph, smallDecode(HostMode::fullDecodeOnly));
        DELTASCOPE_SIMULATE(piecewise, smallDecode(HostMode::fullAndPiecewise));
        QCOMPARE(piecewise.totals.hostWait, Seconds{});
        QVERIFY(eager.totals.time > graph.totals.time); // 0.8B: far more launches than work
        QVERIFY(eager.host->bound(eager.totals.time - eager.totals.hostWait));
        // Whichever is run, all three are told.
        for (const Simulation* s : {&eager, &graph, &piecewise}) {
            QCOMPARE(s->host->modes[0].time, eager.totals.time);
            QCOMPARE(s->host->modes[1].time, graph.totals.time);
            QCOMPARE(s->host->modes[2].time, piecewise.totals.time);
            QCOMPARE(s->host->modes[1].wait, graph.totals.hostWait);
        }
        // A prefill is no graph under full_decode_only.
        Scenario prompt = smallDecode(HostMode::fullDecodeOnly);
        prompt.phase = Phase::prefill;
        prompt.queryLength = 64;
        prompt.contextLength = 0;
        DELTASCOPE_SIMULATE(prefill, prompt);
        QVERIFY(prefill.totals.hostWait > Seconds{});
        QCOMPARE(prefill.host->modes[0].time, prefill.totals.time);
        // The engine's own mode holds when none is chosen.
        Scenario unsaid = smallDecode(HostMode::eager);
        unsaid.host.reset();
        DELTASCOPE_SIMULATE(byDefault, unsaid);
        QCOMPARE(byDefault.totals.time, graph.totals.time);
    }

    void aStepBusyEnoughNeverWaits() {
        Scenario s = scenarioOf("Qwen3.5-27B", Phase::prefill, 16'384, 0);
        s.engine = "vllm-ascend";
        s.host = HostMode::eager;
        s.parallel.tp = 2;
        DELTASCOPE_SIMULATE(busy, s);
        // Its first kernel is launched after 25 us; from then on the host is ahead, but for the small first ones.
        QVERIFY(busy.totals.hostWait.value() >= 25 * us);
        QVERIFY(busy.totals.shareHost < 0.001);
        QVERIFY(!busy.host->bound(busy.totals.time - busy.totals.hostWait));
    }

    void whatIsSaid() {
        DELTASCOPE_SIMULATE(eager, smallDecode(HostMode::eager));
        const auto said = [](const Simulation& s, const char* text) {
            return std::any_of(s.notes.begin(), s.notes.end(),
                               [&](const std::string& note) { return note.find(text) != note.npos; });
        };
        QVERIFY(said(eager, "host eager: the device waits"));
        QVERIFY(said(eager, "the step is host-bound"));
        DELTASCOPE_SIMULATE(piecewise, smallDecode(HostMode::fullAndPiecewise));
        QVERIFY(!said(piecewise, "waits"));
        const auto json = nlohmann::json::parse(toJson(eager));
        const auto& host = json["host"];
        QCOMPARE(host["mode"].get<std::string>(), std::string("eager"));
        QCOMPARE(host["dispatch_s"].get<double>(), 2.5e-5);
        QVERIFY(host["kernels"] == host["launched_one_by_one"]);
        QVERIFY(host["bound"].get<bool>());
        QCOMPARE(host["modes"].size(), std::size_t{3});
        QVERIFY(host["modes"][0]["time_s"] == json["totals"]["time_s"]);
        double shares = 0.0, waits = 0.0;
        for (const auto& share : json["totals"]["share"]) shares += share.get<double>();
        QVERIFY(near(shares, 1.0, 1e-9));
        for (const auto& op : json["operators"]) waits += op["host_wait_s"].get<double>();
        QVERIFY(near(waits, json["totals"]["host_wait_s"].get<double>(), 1e-9));
        QVERIFY(toReport(eager).find("full_and_piecewise") != std::string::npos);
    }

    void waitingIsACauseOfItsOwn() {
        DELTASCOPE_SIMULATE(eager, smallDecode(HostMode::eager));
        DELTASCOPE_SIMULATE(piecewise, smallDecode(HostMode::fullAndPiecewise));
        for (const WaterfallStep& step : compare(eager, piecewise).waterfall)
            QCOMPARE(step.time, step.cause == "host" ? Seconds{} - eager.totals.hostWait : Seconds{});
    }

    void enginesWithoutAHost() {
        Scenario s = scenarioOf("Qwen3.5-0.8B", Phase::decode, 1, 4096);
        DELTASCOPE_SIMULATE(plain, s);
        QVERIFY(!plain.host);
        QCOMPARE(plain.totals.shareHost, 0.0);
        QVERIFY(nlohmann::json::parse(toJson(plain))["host"]["modelled"] == false);
    }
};

QTEST_GUILESS_MAIN(TestHost)
#include "tst_host.moc"
