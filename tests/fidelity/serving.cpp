// SPDX-License-Identifier: GPL-3.0-or-later
#include "serving.h"

#include "errors.h"
#include "simulation/simulation.h"
#include "support/csv.h"

#include <map>

namespace deltascope::fidelity {
namespace {

using test::CsvRow;

/// The catalog's name of a hub path; the FP8 checkpoint is the same model.
std::string modelName(std::string path) {
    path = path.substr(path.find('/') + 1);
    for (const char* ending : {"-FP8", "-Instruct"}) {
        const std::string_view suffix(ending);
        if (path.size() > suffix.size() && path.ends_with(suffix)) path.resize(path.size() - suffix.size());
    }
    return path;
}

Scheme schemeOf(std::string_view precision) {
    return precision == "fp8" ? Scheme::fp8 : precision == "fp4" ? Scheme::mxfp4 : Scheme::bf16;
}

void predict(const Catalog& catalog, ServingRun& run) {
    if (run.moeTp > 1 && run.ep > 1) {
        run.reason = "experts split both by TP and by EP are not simulated";
        return;
    }
    Scenario s;
    s.model = run.model;
    s.device = run.device;
    s.engine = "vllm-cuda";
    s.calibration = true;
    s.phase = Phase::decode;
    s.queries = run.batch;
    s.queryLength = 1;
    s.contextLength = run.inputTokens + run.outputTokens / 2;
    s.quantization.linear = schemeOf(run.precision);
    s.parallel.tp = run.tp;
    s.parallel.ep = run.ep;
    const auto step = simulate(catalog, s);
    Scenario prompt = s;
    prompt.phase = Phase::prefill;
    prompt.queries = 1;
    prompt.queryLength = run.inputTokens;
    prompt.contextLength = 0;
    const auto prefill = simulate(catalog, prompt);
    if (!step || !prefill) {
        run.reason = step ? prefill.error().text() : step.error().text();
        return;
    }
    run.predicted = step->totals.time.value();
    run.withPrefills = *run.predicted + static_cast<double>(run.batch - 1) / static_cast<double>(run.outputTokens) *
                                            prefill->totals.time.value();
}

struct Group {
    std::size_t rows = 0;
    std::vector<double> errors, withPrefills;
    std::map<std::string, std::size_t> reasons;
};

std::map<std::vector<std::string>, Group> grouped(const std::vector<ServingRun>& runs) {
    std::map<std::vector<std::string>, Group> groups;
    for (const ServingRun& run : runs) {
        Group& group = groups[{run.model, run.device, run.engine.substr(0, run.engine.find(' ')), run.precision}];
        ++group.rows;
        if (!run.predicted) {
            ++group.reasons[run.reason];
            continue;
        }
        group.errors.push_back(run.error());
        group.withPrefills.push_back(run.errorWithPrefills());
    }
    return groups;
}

} // namespace

double ServingRun::error() const { return errorOf(predicted.value_or(0.0), measured); }
double ServingRun::errorWithPrefills() const { return errorOf(withPrefills.value_or(0.0), measured); }

Result<std::vector<ServingRun>> servingRuns(const Catalog& catalog, const std::filesystem::path& data) {
    const std::filesystem::path path = data / "gpu_serving.csv";
    const auto rows = test::readCsv(path);
    if (rows.empty())
        return Error{
            ErrorCode::unreadable, "data", path.string(), "cannot be read, or has a row of another length", {}, {}};
    std::vector<ServingRun> runs;
    for (const CsvRow& row : rows) {
        const auto whole = [&](const char* name) {
            return std::max<std::int64_t>(1, std::stoll(row.at(name).empty() ? "1" : row.at(name)));
        };
        ServingRun run;
        run.model = modelName(row.at("model"));
        run.device = row.at("system");
        run.engine = row.at("engine") + (row.at("version").empty() ? "" : " ") + row.at("version");
        run.precision = row.at("precision").empty() ? "bf16" : row.at("precision");
        run.inputTokens = whole("isl");
        run.outputTokens = whole("osl");
        run.batch = whole("batch");
        run.tp = whole("tp");
        run.moeTp = whole("moe_tp");
        run.ep = whole("moe_ep");
        run.measured = 1e-3 * test::numberOf(row, "tpot_ms");
        predict(catalog, run);
        runs.push_back(std::move(run));
    }
    return runs;
}

Table servingTable(const std::vector<ServingRun>& runs) {
    Table table{"serving",
                "Serving runs on GPUs: simulated decode step (vllm-cuda, calibrated) against the measured time per "
                "output token.",
                {{"model", Align::left},
                 {"system", Align::left},
                 {"engine", Align::left},
                 {"precision", Align::left},
                 {"rows"},
                 {"simulated"},
                 {"median error"},
                 {"median without sign"},
                 {"90th percentile"},
                 {"with prefills"},
                 {"median without sign"},
                 {"90th percentile"}},
                {},
                {"Expected: too short. The time per output token of a loaded server holds the prefills of other "
                 "requests that are put between decode steps, scheduling and sampling; a decode step holds none of "
                 "them. The more so with long prompts, short outputs and large batches.",
                 "With prefills: step + (batch - 1) / output tokens * prefill of one input, as each of the other "
                 "requests puts one prefill between as many steps as it has output tokens. Still without scheduling, "
                 "sampling and queueing."}};
    std::map<std::string, std::size_t> reasons;
    for (const auto& [key, group] : grouped(runs)) {
        std::vector<std::string> row = key;
        row.push_back(std::to_string(group.rows));
        row.push_back(std::to_string(group.errors.size()));
        for (const auto* errors : {&group.errors, &group.withPrefills}) {
            const bool any = !errors->empty();
            row.push_back(any ? percent(quantile(*errors, 0.5)) : "");
            row.push_back(any ? percentSize(quantile(sizes(*errors), 0.5)) : "");
            row.push_back(any ? percentSize(quantile(sizes(*errors), 0.9)) : "");
        }
        table.rows.push_back(std::move(row));
        for (const auto& [reason, count] : group.reasons) reasons[reason] += count;
    }
    for (const auto& [reason, count] : reasons)
        table.closing.push_back("Not simulated, " + std::to_string(count) + " rows: " + reason + ".");
    return table;
}

Table servingRows(const std::vector<ServingRun>& runs) {
    Table table{"serving rows",
                "Each serving run; ms per output token.",
                {{"model", Align::left},
                 {"system", Align::left},
                 {"engine", Align::left},
                 {"precision", Align::left},
                 {"in"},
                 {"out"},
                 {"batch"},
                 {"TP"},
                 {"EP"},
                 {"step"},
                 {"with prefills"},
                 {"measured"},
                 {"error", Align::left}},
                {},
                {}};
    for (const ServingRun& run : runs) {
        const auto text = [](std::int64_t value) { return std::to_string(value); };
        table.rows.push_back({run.model, run.device, run.engine, run.precision, text(run.inputTokens),
                              text(run.outputTokens), text(run.batch), text(run.tp), text(run.ep),
                              run.predicted ? fixed(1e3 * *run.predicted, 2) : "",
                              run.withPrefills ? fixed(1e3 * *run.withPrefills, 2) : "", fixed(1e3 * run.measured, 2),
                              run.predicted ? percent(run.error()) : run.reason});
    }
    return table;
}

void writeServing(JsonWriter& json, const std::vector<ServingRun>& runs) {
    json.object("serving", [&] {
        json.array("groups", [&] {
            for (const auto& [key, group] : grouped(runs))
                json.object([&] {
                    json.field("model", key[0]);
                    json.field("system", key[1]);
                    json.field("engine", key[2]);
                    json.field("precision", key[3]);
                    json.field("rows", group.rows);
                    json.field("simulated", group.errors.size());
                    json.field("median_error", quantile(group.errors, 0.5));
                    json.field("median_size", quantile(sizes(group.errors), 0.5));
                    json.field("p90_size", quantile(sizes(group.errors), 0.9));
                    json.field("median_error_with_prefills", quantile(group.withPrefills, 0.5));
                    json.field("median_size_with_prefills", quantile(sizes(group.withPrefills), 0.5));
                    json.field("p90_size_with_prefills", quantile(sizes(group.withPrefills), 0.9));
                });
        });
        json.array("runs", [&] {
            for (const ServingRun& run : runs)
                json.object([&] {
                    json.field("model", run.model);
                    json.field("system", run.device);
                    json.field("engine", run.engine);
                    json.field("precision", run.precision);
                    json.field("input_tokens", run.inputTokens);
                    json.field("output_tokens", run.outputTokens);
                    json.field("batch", run.batch);
                    json.field("tp", run.tp);
                    json.field("moe_tp", run.moeTp);
                    json.field("ep", run.ep);
                    json.field("measured_ms", 1e3 * run.measured);
                    json.field("predicted_ms", run.predicted ? std::optional(1e3 * *run.predicted) : std::nullopt);
                    json.field("with_prefills_ms",
                               run.withPrefills ? std::optional(1e3 * *run.withPrefills) : std::nullopt);
                    json.field("reason", run.reason);
                });
        });
    });
}

} // namespace deltascope::fidelity
