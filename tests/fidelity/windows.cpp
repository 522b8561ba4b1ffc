// SPDX-License-Identifier: GPL-3.0-or-later
#include "windows.h"

#include "errors.h"
#include "simulation/kernels.h"
#include "support/profiled_windows.h"

#include <map>

namespace deltascope::fidelity {
namespace {

using test::ProfiledForward;
using test::ProfiledKernel;
using test::ProfiledWindow;

constexpr const char* whole = "all, with those not listed";

bool collective(const std::string& kernel) { return kernel.starts_with("all"); }

/// Seconds by kernel of all forwards of a window; collectives are not in the whole.
Result<std::map<std::string, double>> simulated(const Catalog& catalog, const ProfiledWindow& window) {
    std::map<std::string, double> seconds;
    for (const ProfiledForward& forward : window.forwards) {
        const auto step = simulate(catalog, test::profiledScenario(forward));
        if (!step) return step.error();
        step->forEachOperator([&](OperatorRef ref) {
            const double time = step->cost(ref).total.value() * static_cast<double>(forward.times);
            seconds[std::string(kernelName(*step, ref))] += time;
            if (!isCommunication(step->op(ref).kind)) seconds[whole] += time;
        });
    }
    return seconds;
}

} // namespace

Result<std::vector<WindowKernel>> windowKernels(const Catalog& catalog) {
    std::vector<WindowKernel> kernels;
    for (const ProfiledWindow& window : test::profiledWindows()) {
        auto seconds = simulated(catalog, window);
        if (!seconds) return seconds.error();
        for (const auto* list : {&window.kernels, &window.layout})
            for (const ProfiledKernel& kernel : *list)
                if (kernel.milliseconds > 0.0 && !collective(kernel.name))
                    kernels.push_back({window.name, kernel.name, 1e-3 * kernel.milliseconds, (*seconds)[kernel.name]});
        kernels.push_back({window.name, whole, 1e-3 * window.computing, (*seconds)[whole]});
    }
    return kernels;
}

Table windowTable(const std::vector<WindowKernel>& kernels) {
    Table table{"windows",
                "Time of each kernel in the profiled windows: measured ms, and simulated / measured - 1.",
                {{"kernel", Align::left}},
                {},
                {"This is a check of the fit, not of the prediction: the rules were made from these windows. "
                 "Collectives are left out: their "
                 "kernels wait for the other rank."}};
    std::vector<std::string> names;
    std::map<std::string, std::map<std::string, const WindowKernel*>> cells;
    for (const WindowKernel& kernel : kernels) {
        cells[kernel.kernel][kernel.window] = &kernel;
        if (std::find(names.begin(), names.end(), kernel.kernel) == names.end()) names.push_back(kernel.kernel);
    }
    std::rotate(std::find(names.begin(), names.end(), whole), std::find(names.begin(), names.end(), whole) + 1,
                names.end());
    for (const ProfiledWindow& window : test::profiledWindows()) table.columns.push_back({window.name});
    for (const std::string& name : names) {
        std::vector<std::string> row{name};
        for (const ProfiledWindow& window : test::profiledWindows()) {
            const auto found = cells[name].find(window.name);
            row.push_back(found == cells[name].end()
                              ? std::string()
                              : fixed(1e3 * found->second->measured, 1) + ", " +
                                    percent(errorOf(found->second->simulated, found->second->measured)));
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

void writeWindows(JsonWriter& json, const std::vector<WindowKernel>& kernels) {
    json.array("windows", [&] {
        for (const WindowKernel& kernel : kernels)
            json.object([&] {
                json.field("window", kernel.window);
                json.field("kernel", kernel.kernel);
                json.field("measured_ms", 1e3 * kernel.measured);
                json.field("simulated_ms", 1e3 * kernel.simulated);
            });
    });
}

} // namespace deltascope::fidelity
