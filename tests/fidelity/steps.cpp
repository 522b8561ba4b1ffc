// SPDX-License-Identifier: GPL-3.0-or-later
#include "steps.h"

#include "errors.h"
#include "scenario/fields.h"
#include "support/csv.h"

#include <array>
#include <cmath>

namespace deltascope::fidelity {
namespace {

using test::CsvRow;

Error unreadable(const std::filesystem::path& path) {
    return {ErrorCode::unreadable, "data", path.string(), "cannot be read, or has a row of another length", {}, {}};
}

double milliseconds(Seconds time) { return 1e3 * time.value(); }

std::vector<double> errorsOf(const std::vector<PredictedStep>& steps) {
    std::vector<double> errors;
    for (const PredictedStep& step : steps) errors.push_back(step.error);
    return errors;
}

std::vector<std::string> rowOf(const PredictedStep& step) {
    const auto text = [](Seconds time) { return fixed(milliseconds(time), 1); };
    return {step.step.id,
            text(step.predicted.low),
            text(step.predicted.likely),
            text(step.predicted.high),
            fixed(milliseconds(step.step.measured), 2),
            percent(step.error),
            step.predicted.low <= step.step.measured && step.step.measured <= step.predicted.high ? "yes" : "no"};
}

std::string summary(const std::vector<PredictedStep>& steps) {
    const auto off = sizes(errorsOf(steps));
    return "Without the sign: median " + percentSize(quantile(off, 0.5)) + ", worst " +
           percentSize(quantile(off, 1.0)) + ".";
}

} // namespace

Result<std::vector<MeasuredStep>> measuredSteps(const std::filesystem::path& data) {
    const std::filesystem::path path = data / "measured_steps.csv";
    const auto rows = test::readCsv(path);
    if (rows.empty()) return unreadable(path);
    std::vector<MeasuredStep> steps;
    for (const CsvRow& row : rows) {
        MeasuredStep step{row.at("id"), {}, Seconds(1e-3 * test::numberOf(row, "measured_ms")), {}};
        step.scenario.device = "ATLAS_800_A3_560T_128G_DIE";
        step.scenario.engine = "vllm-ascend";
        step.scenario.calibration = true;
        step.scenario.parallel.tp = 2;
        for (const char* name :
             {"model", "phase", "queries", "query_length", "context_length", "mtp_tokens", "quantization", "image"}) {
            if (row.at(name).empty()) continue;
            const ScenarioField& field = *findScenarioField(name);
            if (const auto set = field.set(field, step.scenario, row.at(name)); !set) return set.error();
        }
        if (!row.at("reference_ms").empty()) step.reference = Seconds(1e-3 * test::numberOf(row, "reference_ms"));
        steps.push_back(std::move(step));
    }
    return steps;
}

Result<std::vector<MeasuredStep>> measuredPrompts(const std::filesystem::path& data) {
    const std::filesystem::path path = data / "ascend_910b2_prefill.csv";
    const auto rows = test::readCsv(path);
    if (rows.empty()) return unreadable(path);
    std::vector<MeasuredStep> steps;
    for (const CsvRow& row : rows) {
        if (row.at("gdn_kernels") != "triton") continue;
        MeasuredStep step{row.at("prompt_tokens"), {}, Seconds(1e-3 * test::numberOf(row, "ttft_ms")), {}};
        step.scenario.model = row.at("model");
        step.scenario.device = "ATLAS_800_A2_376T_64G";
        step.scenario.engine = "vllm-ascend";
        step.scenario.calibration = true;
        step.scenario.host = HostMode::eager;
        step.scenario.phase = Phase::prefill;
        step.scenario.queryLength = static_cast<std::int64_t>(test::numberOf(row, "prompt_tokens"));
        step.scenario.quantization.linear = Scheme::w8a8Dynamic;
        steps.push_back(std::move(step));
    }
    return steps;
}

Result<std::vector<PredictedStep>> predict(const Catalog& catalog, const std::vector<MeasuredStep>& steps) {
    std::vector<PredictedStep> predicted;
    for (const MeasuredStep& step : steps) {
        const auto simulation = simulate(catalog, step.scenario);
        if (!simulation) return simulation.error();
        const TimeRange range = simulation->totals.range.value_or(
            TimeRange{simulation->totals.time, simulation->totals.time, simulation->totals.time});
        predicted.push_back({step, range, errorOf(range.likely.value(), step.measured.value())});
    }
    return predicted;
}

Table stepTable(const std::vector<PredictedStep>& steps) {
    Table table{
        "steps",
        "Eight steps on Atlas 800I A3 dies (560T), TP 2, engine vllm-ascend, calibrated; ms.",
        {{"step", Align::left}, {"low"}, {"likely"}, {"high"}, {"measured"}, {"error"}, {"in range", Align::left}},
        {},
        {summary(steps) + " Aim: 5 % and 10 %."}};
    for (const PredictedStep& step : steps) {
        table.rows.push_back(rowOf(step));
        if (step.step.id == "decode-16500x3" && step.step.reference)
            table.closing.push_back(
                "decode-16500x3: measured 34.34 (counted); the " + fixed(milliseconds(*step.step.reference), 3) +
                " that the simulator's design document prints there is the simulator's own result. "
                "Against that the error were " +
                percent(errorOf(step.predicted.likely.value(), step.step.reference->value())) + ".");
    }
    return table;
}

Table promptTable(const std::vector<PredictedStep>& steps) {
    Table table{
        "prompts",
        "One prompt of a 27B model, W8A8, on one 910B2 card under vllm-ascend 0.19, eager: predicted step beside the "
        "time to the first token, ms.",
        {{"tokens"}, {"low"}, {"likely"}, {"high"}, {"measured"}, {"error"}, {"in range", Align::left}},
        {},
        {summary(steps) +
         " The time to the first token holds scheduling, sampling and the way back besides the step, so the "
         "step must be the shorter one."}};
    for (const PredictedStep& step : steps) table.rows.push_back(rowOf(step));
    return table;
}

void writeSteps(JsonWriter& json, std::string_view key, const std::vector<PredictedStep>& steps) {
    const auto off = sizes(errorsOf(steps));
    json.object(key, [&] {
        json.array("steps", [&] {
            for (const PredictedStep& step : steps)
                json.object([&] {
                    json.field("id", step.step.id);
                    json.field("low_ms", milliseconds(step.predicted.low));
                    json.field("likely_ms", milliseconds(step.predicted.likely));
                    json.field("high_ms", milliseconds(step.predicted.high));
                    json.field("measured_ms", milliseconds(step.step.measured));
                    json.field("reference_ms",
                               step.step.reference ? std::optional(milliseconds(*step.step.reference)) : std::nullopt);
                    json.field("error", step.error);
                });
        });
        json.field("median_error", quantile(off, 0.5));
        json.field("worst_error", quantile(off, 1.0));
    });
}

} // namespace deltascope::fidelity
