// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/fits_output.h"
#include "io/json_writer.h"
#include "io/scenario_json.h"

namespace deltascope {
namespace {

std::optional<double> bytesOf(const std::optional<Bytes>& bytes) {
    return bytes ? std::optional(bytes->value()) : std::nullopt;
}

void writeVerdictFields(JsonWriter& json, const FitVerdict& verdict) {
    json.field("fit", nameOf(verdict.fit));
    json.field("used_bytes", verdict.used.value());
    json.field("limit_bytes", verdict.limit.value());
    json.field("free_bytes", verdict.free().value());
}

void writeParts(JsonWriter& json, const MemoryReport& memory) {
    json.array("parts", [&] {
        for (const PartBytes& part : partsOf(memory))
            json.object([&] {
                json.field("part", nameOf(part.part));
                json.field("ideal_bytes", part.ideal.value());
                json.field("engine_bytes", bytesOf(part.engine));
            });
    });
    json.object("total", [&] {
        json.field("ideal_bytes", memory.ideal.total().value());
        json.field("engine_bytes", memory.engine ? std::optional(memory.engine->total().value()) : std::nullopt);
    });
    json.object("device", [&] {
        json.field("size_bytes", memory.deviceSize.value());
        json.field("limit_bytes", memory.limit.value());
    });
}

void writeRemedy(JsonWriter& json, const Remedy& remedy) {
    json.object([&] {
        json.field("remedy", nameOf(remedy.kind));
        json.array("changes", [&] {
            for (const FieldChange& change : remedy.changes)
                json.object([&] {
                    json.field("field", change.field);
                    json.field("before", change.before);
                    json.field("after", change.after);
                });
        });
        json.field("freed_bytes", remedy.freed.value());
        writeVerdictFields(json, remedy.after);
    });
}

void writeRemedies(JsonWriter& json, const Remedies& remedies) {
    json.array("remedies", [&] {
        for (const Remedy& remedy : remedies.single) writeRemedy(json, remedy);
    });
    json.object("combination", [&] {
        json.field("needed", remedies.present != Fit::fits && !remedies.singleIsEnough);
        json.field("enough", remedies.combinedIsEnough);
        json.array("order", [&] {
            for (const RemedyKind kind : remedyOrder) json.value(nameOf(kind));
        });
        json.array("steps", [&] {
            for (const Remedy& remedy : remedies.combined) writeRemedy(json, remedy);
        });
    });
}

void writeFrontier(JsonWriter& json, const FitsReport& report) {
    const std::string_view other = report.simulation.scenario.scenario.allFull ? "hybrid" : "all_full";
    json.object("frontier", [&] {
        json.field("most_requests_looked_at", limits::queries.highest);
        json.field("longest_context_looked_at", limits::contextLength.highest);
        json.array("requests_by_context", [&] {
            for (const RequestsAt& point : report.frontier.byContext)
                json.object([&] {
                    json.field("context_length", point.context);
                    json.field("requests", point.requests);
                    if (report.hasCounterpart) json.field(std::string(other) + "_requests", point.counterpart);
                });
        });
        json.array("context_by_requests", [&] {
            for (const ContextAt& point : report.frontier.byRequests)
                json.object([&] {
                    json.field("requests", point.requests);
                    json.field("context_length", point.context);
                    if (report.hasCounterpart) json.field(std::string(other) + "_context_length", point.counterpart);
                });
        });
    });
    const auto writeGrowth = [&](std::string_view key, std::string_view at, const std::vector<GrowthPoint>& points) {
        json.array(key, [&] {
            for (const GrowthPoint& point : points)
                json.object([&] {
                    json.field(at, point.at);
                    json.field("ideal_bytes", point.ideal.value());
                    json.field("engine_bytes", bytesOf(point.engine));
                    if (!report.hasCounterpart) return;
                    json.field(std::string(other) + "_ideal_bytes", bytesOf(point.idealCounterpart));
                    json.field(std::string(other) + "_engine_bytes", bytesOf(point.engineCounterpart));
                });
        });
    };
    json.object("growth", [&] {
        writeGrowth("by_context", "context_length", report.byContext);
        writeGrowth("by_requests", "requests", report.byRequests);
    });
}

} // namespace

std::string toJson(const FitsReport& report) {
    const Simulation& simulation = report.simulation;
    JsonWriter json;
    json.object([&] {
        json.field("schema", "deltascope.fits/1");
        json.field("version", DELTASCOPE_VERSION);
        writeScenario(json, simulation.scenario);
        json.object("verdict", [&] {
            writeVerdictFields(json, report.verdict);
            json.field("judged_by", report.verdict.byEngine ? "engine" : "ideal");
            json.object("largest", [&] {
                json.field("part", nameOf(report.verdict.largest));
                json.field("bytes", report.verdict.largestBytes.value());
            });
        });
        writeParts(json, simulation.memory);
        writeRemedies(json, report.remedies);
        if (report.varies) writeFrontier(json, report);
        json.list("notes", simulation.notes);
    });
    return json.take();
}

} // namespace deltascope
