// SPDX-License-Identifier: GPL-3.0-or-later
#include "harness.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>

namespace deltascope::bench {
namespace {

using Clock = std::chrono::steady_clock;

struct UnitFacts {
    const char* name;
    double perSecond;
};
UnitFacts factsOf(Unit unit) {
    switch (unit) {
    case Unit::microseconds: return {"us", 1e6};
    case Unit::milliseconds: return {"ms", 1e3};
    case Unit::seconds: break;
    }
    return {"s", 1.0};
}

} // namespace

std::vector<double> sample(const std::function<void()>& work, const Budget& budget,
                           const std::function<void()>& prepare) {
    std::vector<double> seconds;
    const auto began = Clock::now();
    for (std::size_t i = 0; seconds.size() < budget.most; ++i) {
        if (prepare) prepare();
        const auto start = Clock::now();
        work();
        const auto end = Clock::now();
        if (i >= budget.warmUp) seconds.push_back(std::chrono::duration<double>(end - start).count());
        if (seconds.size() >= budget.least && std::chrono::duration<double>(end - began).count() > budget.seconds)
            break;
    }
    return seconds;
}

double percentile(std::vector<double> samples, double share) {
    if (samples.empty()) return std::nan("");
    const double rank = std::ceil(share * static_cast<double>(samples.size()));
    const auto index = static_cast<std::ptrdiff_t>(std::clamp(rank, 1.0, static_cast<double>(samples.size()))) - 1;
    std::nth_element(samples.begin(), samples.begin() + index, samples.end());
    return samples[static_cast<std::size_t>(index)];
}

std::string report(const Benchmark& benchmark, const Benchmark::Outcome& outcome, bool json) {
    const UnitFacts unit = factsOf(benchmark.unit);
    const double median = percentile(outcome.seconds, 0.5) * unit.perSecond;
    const double tail = percentile(outcome.seconds, 0.99) * unit.perSecond;
    const bool met = (benchmark.byTail ? tail : median) <= benchmark.aim;
    if (json) {
        nlohmann::ordered_json line{{"name", benchmark.name}};
        if (outcome.skipped.empty()) {
            line["median"] = median;
            line["p99"] = tail;
            line["samples"] = outcome.seconds.size();
        } else {
            line["skipped"] = outcome.skipped;
        }
        line["unit"] = unit.name;
        line["aim"] = benchmark.aim;
        line["aim_of"] = benchmark.byTail ? "p99" : "median";
        if (outcome.skipped.empty()) line["met"] = met;
        return line.dump();
    }
    std::array<char, 256> text{};
    if (!outcome.skipped.empty()) {
        std::snprintf(text.data(), text.size(), "%-34s skipped: ", benchmark.name.c_str());
        return text.data() + outcome.skipped;
    }
    std::snprintf(text.data(), text.size(), "%-34s median %9.3f  p99 %9.3f %-2s  aim %g %s (%s)  %s",
                  benchmark.name.c_str(), median, tail, unit.name, benchmark.aim, unit.name,
                  benchmark.byTail ? "p99" : "median", met ? "met" : "MISSED");
    return text.data();
}

} // namespace deltascope::bench
