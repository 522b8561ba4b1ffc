// SPDX-License-Identifier: GPL-3.0-or-later
// `deltascope-fidelity [--json] [--rows] [--docs FILE]`: predictions beside measurements that nothing was fitted on,
// and how well the Ascend rules give back the profile that they were fitted on.
#include "serving.h"
#include "steps.h"
#include "windows.h"

#include "base/file.h"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>

namespace {

using namespace deltascope;
using namespace deltascope::fidelity;

struct Results {
    std::vector<PredictedStep> steps, prompts;
    std::vector<ServingRun> serving;
    std::vector<WindowKernel> windows;
};

/// The built-in catalog and the models that only measurements need.
Result<Results> resultsFrom(const std::filesystem::path& source) {
    const std::filesystem::path data = source / "tests" / "data";
    const Catalog catalog = Catalog::load({{source, Origin::builtIn}, {data, Origin::builtIn}});
    Results results;
    const auto steps = measuredSteps(data);
    if (!steps) return steps.error();
    const auto prompts = measuredPrompts(data);
    if (!prompts) return prompts.error();
    auto predictedSteps = predict(catalog, *steps);
    if (!predictedSteps) return predictedSteps.error();
    auto predictedPrompts = predict(catalog, *prompts);
    if (!predictedPrompts) return predictedPrompts.error();
    auto serving = servingRuns(catalog, data);
    if (!serving) return serving.error();
    auto windows = windowKernels(catalog);
    if (!windows) return windows.error();
    return Results{*std::move(predictedSteps), *std::move(predictedPrompts), *std::move(serving), *std::move(windows)};
}

std::string jsonOf(const Results& results) {
    JsonWriter json;
    json.object([&] {
        writeSteps(json, "steps", results.steps);
        writeSteps(json, "prompts", results.prompts);
        writeServing(json, results.serving);
        writeWindows(json, results.windows);
    });
    return json.take();
}

} // namespace

int main(int argc, char** argv) {
    CLI::App options("Holds predictions against measurements.", "deltascope-fidelity");
    bool json = false, rows = false;
    std::string docs, source = DELTASCOPE_SOURCE_DIR;
    options.add_flag("--json", json, "everything as JSON");
    options.add_flag("--rows", rows, "each serving run, not only medians");
    options.add_option("--docs", docs, "put the tables between their marks in this Markdown file");
    options.add_option("--source", source, "source tree with devices, models and tests/data");
    CLI11_PARSE(options, argc, argv);

    const auto results = resultsFrom(source);
    if (!results) {
        std::cerr << results.error().text() << "\n";
        return 2;
    }
    if (json) {
        std::cout << jsonOf(*results);
        return 0;
    }
    std::vector<Table> tables{stepTable(results->steps), promptTable(results->prompts), servingTable(results->serving),
                              windowTable(results->windows)};
    if (!docs.empty()) {
        std::ifstream in(docs);
        std::stringstream text;
        text << in.rdbuf();
        std::string document = text.str();
        for (const Table& table : tables) document = placed(std::move(document), table);
        if (const auto written = document.empty() ? Result<void>() : writeFileWhole(docs, document); !written) {
            std::cerr << written.error().text() << "\n";
            return 1;
        }
    }
    if (rows) tables.push_back(servingRows(results->serving));
    for (const Table& table : tables) std::cout << toText(table) << "\n";
    return 0;
}
