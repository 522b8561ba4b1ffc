// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a piece of work often enough to say its median and its 99th percentile, and holds them against an aim.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace deltascope::bench {

enum class Unit { microseconds, milliseconds, seconds };

struct Benchmark {
    std::string name;
    Unit unit = Unit::milliseconds;
    double aim = 0.0;    ///< in `unit`
    bool byTail = false; ///< the aim is for the 99th percentile, not for the median
    /// Gives durations in seconds, or says why there are none.
    struct Outcome {
        std::vector<double> seconds;
        std::string skipped; ///< reason; empty when it ran
    };
    std::function<Outcome()> run;
};

struct Budget {
    std::size_t warmUp = 5;
    std::size_t least = 100; ///< samples
    double seconds = 2.0;    ///< no further sample after that, once there are `least`
    std::size_t most = 100'000;
};

/// Times `work`, with `prepare` before each sample and outside of its time.
[[nodiscard]] std::vector<double> sample(const std::function<void()>& work, const Budget& budget = {},
                                         const std::function<void()>& prepare = {});

/// Value below which `share` of the samples lie, by the nearest rank. `samples` need not be sorted.
[[nodiscard]] double percentile(std::vector<double> samples, double share);

/// The line for one benchmark, as text or as a JSON object.
[[nodiscard]] std::string report(const Benchmark& benchmark, const Benchmark::Outcome& outcome, bool json);

[[nodiscard]] std::vector<Benchmark> coreBenchmarks();
[[nodiscard]] std::vector<Benchmark> timelineBenchmarks();
[[nodiscard]] std::vector<Benchmark> windowBenchmarks();

} // namespace deltascope::bench
