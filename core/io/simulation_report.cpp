// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/format.h"
#include "io/simulation_output.h"
#include "io/text_table.h"
#include "scenario/module_scheme.h"

#include <algorithm>
#include <cmath>

namespace deltascope {
namespace {

constexpr std::size_t pageWidth = 100;
constexpr double smallestShare = 0.0005; ///< kinds of less are summed up in one line

std::string count(std::int64_t n) { return formatCount(static_cast<double>(n)); }
std::string counted(std::int64_t n, std::string_view thing) {
    return count(n) + " " + std::string(thing) + (n == 1 ? "" : "s");
}

/// "######", one mark per two and a half per cent.
std::string bar(double share) {
    return std::string(static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * 40.0)), '#');
}

/// "1,234", "48.3" below a hundred: a rate per second.
std::string perSecond(double rate) {
    if (rate >= 100.0) return formatCount(rate);
    return formatExact(std::round(rate * 100.0) / 100.0);
}

std::string heading(std::string_view title) { return "\n" + std::string(title) + "\n"; }

double shareOf(Seconds part, const Simulation& simulation) {
    return simulation.totals.time > Seconds{} ? part / simulation.totals.time : 0.0;
}

std::string requestsLine(const ResolvedScenario& r) {
    std::string line;
    for (const Request& request : r.requests) {
        if (!line.empty()) line += " + ";
        line += std::string(nameOf(request.phase)) + " of " + counted(request.count, "request") + " x " +
                counted(request.queryLength, "token");
        if (request.contextLength > 0) line += " on " + count(request.contextLength) + " of context";
    }
    if (r.scenario.parallel.dp > 1) line += " (busiest of " + count(r.scenario.parallel.dp) + " ranks)";
    return line;
}

std::string choicesLine(const ResolvedScenario& r) {
    const Scenario& s = r.scenario;
    std::string line(s.quantization.checkpoint ? "schemes of the checkpoint" : factsOf(s.quantization.linear).label);
    if (s.quantization.experts) line += ", experts " + std::string(factsOf(*s.quantization.experts).label);
    line += ", KV cache " + std::string(nameOf(s.quantization.kvCache)) + ", TP " + count(s.parallel.tp);
    if (s.parallel.ep > 1) line += ", EP " + count(s.parallel.ep);
    if (s.parallel.dp > 1) line += ", DP " + count(s.parallel.dp);
    if (s.mtpTokens > 0) line += ", MTP " + counted(s.mtpTokens, "token");
    if (s.allFull) line += ", full attention in every layer";
    if (s.image)
        line += ", " + counted(s.image->count, "image") + " of " + count(s.image->height) + " x " +
                count(s.image->width) + " per request";
    if (s.paddingMask) line += ", padding mask";
    return line;
}

/// "roofline 12 %, calibrated 88 %, 3 % of it outside what was measured".
std::string provenanceText(const Totals& totals) {
    std::string text;
    for (std::size_t i = 0; i < totals.shareProvenance.size(); ++i)
        if (totals.shareProvenance[i] > 0.0)
            text += (text.empty() ? "" : ", ") + std::string(nameOf(static_cast<Provenance>(i))) + " " +
                    formatShare(totals.shareProvenance[i]);
    if (totals.shareExtrapolated > 0.0)
        text += "; " + formatShare(totals.shareExtrapolated) + " outside what was measured";
    return text;
}

/// "full_decode_only: no waiting; eager 45.2 ms, full_and_piecewise 27.3 ms": the other modes with their step.
std::string hostText(const Simulation& simulation) {
    const HostReport& host = *simulation.host;
    std::string text(nameOf(host.mode));
    text += host.wait > Seconds{} ? ", the device waits " + formatSeconds(host.wait) : ", the device never waits";
    for (const HostOutcome& outcome : host.modes)
        if (outcome.mode != host.mode)
            text += "; " + std::string(nameOf(outcome.mode)) + " " + formatSeconds(outcome.time);
    return text;
}

std::string headline(const Simulation& simulation) {
    const ResolvedScenario& r = simulation.scenario;
    const Totals& t = simulation.totals;
    const auto allAre = [&](Phase phase) {
        return std::all_of(r.requests.begin(), r.requests.end(),
                           [&](const Request& request) { return request.phase == phase; });
    };
    TextTable table({Align::left, Align::left}, 0);
    table.row({"Step", formatSeconds(t.time) + ", " + counted(t.operators, "operator")});
    if (t.range)
        table.row({"Range", formatSeconds(t.range->low) + " to " + formatSeconds(t.range->high) +
                                ", by the scatter of the calibration"});
    if (allAre(Phase::prefill)) table.row({"TTFT", formatSeconds(t.time) + " to the first token"});
    if (allAre(Phase::decode) && t.tokensPerSecondPerUser > 0.0)
        table.row({"TPOT", formatSeconds(Seconds(1.0 / t.tokensPerSecondPerUser)) + " per token and user"});
    table.row({"Throughput", perSecond(t.tokensPerSecond) + " tokens/s, " + perSecond(t.tokensPerSecondPerDevice) +
                                 " per device (" + counted(t.devices, "device") + ")"});
    const Bytes free = simulation.memory.free();
    table.row({"Memory", formatBytes(simulation.memory.used()) + " of " + formatBytes(simulation.memory.limit) +
                             (free < Bytes{} ? ": does not fit, " + formatBytes(Bytes(-free.value())) + " too much"
                                             : ", " + formatBytes(free) + " free") +
                             " (per rank)"});
    if (simulation.step.rule != Rule::none)
        table.row({"Path", std::string(nameOf(simulation.step.rule)) + " rule, convolution " +
                               std::string(nameOf(simulation.step.conv))});
    if (simulation.host) table.row({"Host", hostText(simulation)});
    table.row({"Times", provenanceText(t)});
    return scenarioLines(r) + "\n" + table.text();
}

std::string boundsSection(const Totals& totals) {
    TextTable table({Align::left, Align::right, Align::left});
    const std::pair<std::string_view, double> shares[] = {{"memory", totals.shareMemory},
                                                          {"compute", totals.shareCompute},
                                                          {"communication", totals.shareCommunication},
                                                          {"launch", totals.shareLaunch},
                                                          {"host", totals.shareHost}};
    for (const auto& [name, share] : shares)
        if (name != "host" || share > 0.0) table.row({std::string(name), formatShare(share), bar(share)});
    return heading("Where the time goes, by what bounds each operator") + table.text();
}

std::string kindsSection(const Simulation& simulation) {
    TextTable table({Align::left, Align::right, Align::right, Align::right, Align::left});
    table.row({"", "calls", "time", "share"});
    KindSummary rest{OperatorKind::copy, 0, {}};
    std::int64_t restKinds = 0;
    for (const KindSummary& kind : simulation.byKind) {
        const double share = shareOf(kind.time, simulation);
        if (share < smallestShare) {
            rest.calls += kind.calls;
            rest.time += kind.time;
            ++restKinds;
            continue;
        }
        table.row({std::string(nameOf(kind.kind)), count(kind.calls), formatSeconds(kind.time), formatShare(share),
                   bar(share)});
    }
    if (restKinds > 0)
        table.row({counted(restKinds, "more kind"), count(rest.calls), formatSeconds(rest.time),
                   formatShare(shareOf(rest.time, simulation)), ""});
    return heading("By kind of operator") + table.text();
}

/// Layers of one type that take the same time but for one per cent (an engine's first layer may lack a residual add).
struct LayerGroup {
    LayerType type;
    std::int64_t layers = 0;
    std::int32_t first = 0;
    Seconds time, communication;
};

std::vector<LayerGroup> layerGroups(const Simulation& simulation) {
    std::vector<LayerGroup> groups;
    for (const LayerSummary& layer : simulation.layers) {
        const auto alike = [&](const LayerGroup& group) {
            const double mean = group.time.value() / static_cast<double>(group.layers);
            return group.type == layer.type && std::abs(layer.time.value() - mean) <= 0.01 * mean;
        };
        auto group = std::find_if(groups.begin(), groups.end(), alike);
        if (group == groups.end()) group = groups.insert(groups.end(), {layer.type, 0, layer.index, {}, {}});
        ++group->layers;
        group->time += layer.time;
        group->communication += layer.communication;
    }
    return groups;
}

std::string layersSection(const Simulation& simulation) {
    TextTable table({Align::left, Align::right, Align::right, Align::right, Align::right});
    table.row({"", "each", "together", "share", "communication"});
    const auto groups = layerGroups(simulation);
    for (const LayerGroup& group : groups) {
        const bool unique =
            std::count_if(groups.begin(), groups.end(), [&](const LayerGroup& g) { return g.type == group.type; }) == 1;
        table.row({count(group.layers) + " x " + (group.type == LayerType::linearAttention ? "linear" : "full") +
                       (unique ? "" : " (from layer " + count(group.first) + ")"),
                   formatSeconds(group.time / static_cast<double>(group.layers)), formatSeconds(group.time),
                   formatShare(shareOf(group.time, simulation)), formatSeconds(group.communication)});
    }
    for (const PartSummary& part : simulation.parts)
        if (part.part != Part::text)
            table.row({std::string(nameOf(part.part)), "", formatSeconds(part.time),
                       formatShare(shareOf(part.time, simulation)), ""});
    return heading("Layers") + table.text();
}

std::string memorySection(const Simulation& simulation) {
    const MemoryReport& memory = simulation.memory;
    const IdealMemory& ideal = memory.ideal;
    TextTable table({Align::left, Align::right, Align::right, Align::left});
    const auto row = [&](std::string_view name, Bytes bytes, std::string remark = {}) {
        table.row({std::string(name), formatBytes(bytes),
                   formatShare(memory.limit > Bytes{} ? bytes / memory.limit : 0.0), std::move(remark)});
    };
    for (const MemoryGroup& group : ideal.groups)
        if (group.loaded) row("weights: " + std::string(group.name), group.bytes);
    const bool hybrid = ideal.kvCacheAllFull > ideal.kvCache;
    row("KV cache", ideal.kvCache, hybrid ? formatBytes(ideal.kvCacheAllFull) + " if all layers were full" : "");
    if (ideal.recurrentState > Bytes{}) {
        row("recurrent states", ideal.recurrentState, counted(ideal.stateSlots, "slot") + " per request");
        row("convolution states", ideal.convState);
    }
    const OperatorId peak = simulation.id({ideal.peakSegment, ideal.peakOperator});
    row("activations, peak", ideal.activationPeak,
        "at " + peak.module + (peak.layer < 0 ? "" : " of layer " + count(peak.layer)));
    row("together", ideal.total());
    if (ideal.experts)
        table.row({"experts read per step", formatBytes(ideal.experts->touched), "",
                   "of " + formatBytes(ideal.experts->resident) + ": about " +
                       formatCount(std::round(ideal.experts->distinctExperts)) + " of " +
                       count(ideal.experts->experts) + " a layer"});
    if (memory.engine) {
        const EngineMemory& e = *memory.engine;
        row("the engine sets aside", e.total(),
            "blocks of " + count(e.blockTokens) + " tokens, " + formatBytes(e.total() - ideal.total()) +
                " beyond the need");
        table.row({"fits", count(e.requestsFit) + " requests", "",
                   "of this length, or " + count(e.contextFit) + " tokens each for as many as here"});
    }
    row("limit", memory.limit, "of " + formatBytes(memory.deviceSize) + " on the device");
    for (const MemoryGroup& group : ideal.groups)
        if (!group.loaded) table.row({"not loaded: " + std::string(group.name), formatBytes(group.bytes), "", ""});
    return heading("Memory per rank, share of the limit") + table.text();
}

/// Module by module, where they are not all alike.
std::string schemesSection(const ResolvedScenario& scenario) {
    const Quantization& q = scenario.scenario.quantization;
    if (!q.checkpoint && q.keepBf16.empty() && !q.experts && !q.lmHead) return {};
    TextTable table({Align::left, Align::left, Align::left});
    for (const ModuleScheme& module : moduleSchemes(scenario))
        table.row({module.module, std::string(factsOf(module.scheme).label),
                   module.where.empty() ? "" : "layers " + module.where});
    return heading("Schemes, module by module") + table.text();
}

std::string notesSection(const std::vector<std::string>& notes) {
    if (notes.empty()) return {};
    std::string out = heading("Notes");
    for (const std::string& note : notes) out += "  - " + wrapped(note, pageWidth - 4, 4) + "\n";
    return out;
}

} // namespace

std::string scenarioLines(const ResolvedScenario& r) {
    return r.scenario.model + " on " + r.scenario.device + ", engine " + r.scenario.engine + "\n" + requestsLine(r) +
           "\n" + choicesLine(r) + "\n";
}

std::string toReport(const Simulation& simulation) {
    return headline(simulation) + boundsSection(simulation.totals) + kindsSection(simulation) +
           layersSection(simulation) + memorySection(simulation) + schemesSection(simulation.scenario) +
           notesSection(simulation.notes);
}

} // namespace deltascope
