// SPDX-License-Identifier: GPL-3.0-or-later
// How long a simulation takes, from a scenario to its result.
#include "bench_catalog.h"
#include "harness.h"
#include "simulation/simulation.h"

namespace deltascope::bench {
namespace {

Benchmark::Outcome simulateOften(const Scenario& scenario) {
    if (const auto first = simulate(catalog(), scenario); !first) return {{}, first.error().text()};
    double kept = 0.0; // the result is used, so that none of the work can be left out
    auto seconds = sample([&] { kept += simulate(catalog(), scenario)->totals.time.value(); }, {50, 1000, 2.0, 20'000});
    return {kept > 0.0 ? std::move(seconds) : std::vector<double>{}, {}};
}

} // namespace

std::vector<Benchmark> coreBenchmarks() {
    Scenario decode;
    decode.quantization.linear = Scheme::w8a8Static;
    decode.parallel.tp = 2;

    Scenario plain = decode; // under the engine whose times are calibrated, without and with it
    plain.engine = "vllm-ascend";
    plain.calibration = false;
    Scenario calibrated = plain;
    calibrated.calibration = true;

    Scenario large;
    large.model = "Qwen3.5-397B-A17B";
    large.phase = Phase::prefill;
    large.queryLength = 3510;
    large.contextLength = 0;
    large.quantization.linear = Scheme::w8a8Static;
    large.parallel.tp = 16;
    large.parallel.ep = 16;

    return {{"simulate-27b-decode", Unit::microseconds, 50.0, false, [decode] { return simulateOften(decode); }},
            {"simulate-27b-decode-plain", Unit::microseconds, 50.0, false, [plain] { return simulateOften(plain); }},
            {"simulate-27b-decode-calibrated", Unit::microseconds, 100.0, false,
             [calibrated] { return simulateOften(calibrated); }},
            {"simulate-397b-prefill", Unit::microseconds, 100.0, false, [large] { return simulateOften(large); }}};
}

} // namespace deltascope::bench
