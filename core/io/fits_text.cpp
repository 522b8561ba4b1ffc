// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/format.h"
#include "io/fits_output.h"
#include "io/simulation_output.h"
#include "io/text_table.h"
#include "scenario/fields.h"

#include <cmath>

namespace deltascope {
namespace {

constexpr std::size_t pageWidth = 100;

std::string count(std::int64_t n) { return formatCount(static_cast<double>(n)); }

std::string sized(const std::optional<Bytes>& bytes) { return bytes ? formatBytes(*bytes) : "-"; }

/// "fits, 45.2 GiB free", "tight, 1.2 GiB free", "3.4 GiB too much".
std::string fitText(const FitVerdict& verdict) {
    const std::string free = formatBytes(Bytes(std::abs(verdict.free().value())));
    if (verdict.fit == Fit::doesNotFit) return free + " too much";
    return std::string(nameOf(verdict.fit)) + ", " + free + " free";
}

std::string verdictSection(const FitsReport& report) {
    const FitVerdict& v = report.verdict;
    const std::string free = formatBytes(Bytes(std::abs(v.free().value())));
    const std::string limit = formatBytes(v.limit) + " (" + formatShare(std::abs(v.free() / v.limit)) + ")";
    std::string line = v.fit == Fit::fits    ? "Fits: " + free + " free of " + limit
                       : v.fit == Fit::tight ? "Tight: only " + free + " free of " + limit
                                             : "Does not fit: " + free + " over the limit of " + limit;
    line += " on each rank\nLargest: " + std::string(nameOf(v.largest)) + ", " + formatBytes(v.largestBytes) + " of " +
            formatBytes(v.used);
    line += v.byEngine ? ", as the engine sets it aside\n"
                       : "; what the engine sets aside beyond the need is not modelled\n";
    return "\n" + line;
}

std::string partsSection(const MemoryReport& memory) {
    TextTable table({Align::left, Align::right, Align::right, Align::right});
    table.row({"", "ideal", "engine", "device"});
    for (const PartBytes& part : partsOf(memory))
        table.row({std::string(nameOf(part.part)), formatBytes(part.ideal), sized(part.engine), ""});
    const std::optional<Bytes> engine = memory.engine ? std::optional(memory.engine->total()) : std::nullopt;
    table.row({"together", formatBytes(memory.ideal.total()), sized(engine), ""});
    table.row({"limit", "", "", formatBytes(memory.limit)});
    table.row({"size", "", "", formatBytes(memory.deviceSize)});
    return "\nMemory per rank\n" + table.text();
}

void addRemedy(TextTable& table, const Remedy& remedy, const std::string& mark) {
    std::string changes;
    for (const FieldChange& change : remedy.changes) {
        const ScenarioField* field = findScenarioField(change.field);
        const bool number = field != nullptr && field->kind == ScenarioField::Kind::whole;
        const auto shown = [&](const std::string& value) { return number ? count(std::stoll(value)) : value; };
        changes +=
            (changes.empty() ? "" : ", ") + change.field + " " + shown(change.before) + " -> " + shown(change.after);
    }
    table.row({mark + changes, formatBytes(remedy.freed), fitText(remedy.after)});
}

std::string remediesSection(const Remedies& remedies) {
    const std::vector<Align> columns{Align::left, Align::right, Align::left};
    const bool amiss = remedies.present != Fit::fits;
    std::string out = amiss ? "\nRemedies, each alone\n" : "\nWhat changes would free\n";
    TextTable table(columns);
    table.row({"", "frees", "then"});
    for (const Remedy& remedy : remedies.single) addRemedy(table, remedy, "");
    out += remedies.single.empty() ? "  none that this model, engine and device take\n" : table.text();
    if (!amiss || remedies.singleIsEnough) return out;
    out += "\nTogether, one after the other\n";
    if (!remedies.combined.empty()) {
        TextTable steps(columns);
        steps.row({"", "frees", "then"});
        for (std::size_t i = 0; i < remedies.combined.size(); ++i)
            addRemedy(steps, remedies.combined[i], std::to_string(i + 1) + ". ");
        out += steps.text();
    }
    if (!remedies.combinedIsEnough)
        out += remedies.present == Fit::tight ? "  All of these together leave it tight.\n"
                                              : "  All of these together do not make it fit.\n";
    return out;
}

/// "4,096 or more" at the end of what is looked at.
std::string bounded(std::int64_t n, Range range) { return count(n) + (n == range.highest ? " or more" : ""); }

std::string frontierSection(const FitsReport& report) {
    if (!report.varies)
        return "\nThe scenario lists requests of different lengths: there is no one context and no one number that "
               "could be\nlonger or larger.\n";
    const bool allFull = report.simulation.scenario.scenario.allFull;
    const std::string other = !report.hasCounterpart ? "" : allFull ? "hybrid" : "all full";
    const std::string own = !report.hasCounterpart ? "" : allFull ? "all full" : "hybrid";
    const std::vector<Align> columns{Align::right, Align::right, Align::right, Align::left};
    const Scenario& s = report.simulation.scenario.scenario;
    TextTable requests(columns), contexts(columns);
    requests.row({"context", own, other, ""});
    for (const RequestsAt& point : report.frontier.byContext)
        requests.row({count(point.context), bounded(point.requests, limits::queries),
                      point.counterpart ? bounded(*point.counterpart, limits::queries) : "",
                      point.context == s.contextLength ? "<- here: " + count(s.queries) : ""});
    contexts.row({"requests", own, other, ""});
    const auto length = [](const std::optional<std::int64_t>& context) {
        return context ? bounded(*context, limits::contextLength) : std::string("none");
    };
    for (const ContextAt& point : report.frontier.byRequests)
        contexts.row({count(point.requests), length(point.context),
                      report.hasCounterpart ? length(point.counterpart) : "",
                      point.requests == s.queries ? "<- here: " + count(s.contextLength.value_or(0)) : ""});
    return "\nThe most requests that fit, by context of each\n" + requests.text() +
           "\nThe longest context that fits, by requests\n" + contexts.text();
}

} // namespace

std::string toReport(const FitsReport& report) {
    std::string out = scenarioLines(report.simulation.scenario) + verdictSection(report) +
                      partsSection(report.simulation.memory) + remediesSection(report.remedies) +
                      frontierSection(report);
    if (!report.simulation.notes.empty()) out += "\nNotes\n";
    for (const std::string& note : report.simulation.notes) out += "  - " + wrapped(note, pageWidth - 4, 4) + "\n";
    return out;
}

} // namespace deltascope
