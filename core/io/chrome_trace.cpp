// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/json_writer.h"
#include "io/simulation_output.h"

#include <cmath>

namespace deltascope {
namespace {

constexpr int process = 1;
enum Thread : int { model = 1, compute = 2, communication = 3 };

/// Whole nanoseconds, so that what ends where another begins still does after rounding.
std::int64_t nanoseconds(Seconds time) { return std::llround(time.value() * 1e9); }
double microseconds(std::int64_t ns) { return static_cast<double>(ns) / 1000.0; }

class TraceWriter {
public:
    explicit TraceWriter(const Simulation& simulation) : simulation_(simulation), json_(2) {}

    std::string write() {
        json_.object([&] {
            json_.field("displayTimeUnit", "ms");
            json_.object("otherData", [&] {
                json_.field("program", "DeltaScope " DELTASCOPE_VERSION);
                json_.field("times", "simulated, not measured");
            });
            json_.array("traceEvents", [&] {
                names();
                structure();
                simulation_.forEachOperator([&](OperatorRef ref) { operatorEvent(ref); });
                memory();
            });
        });
        return json_.take();
    }

private:
    template <class Arguments>
    void metadata(std::string_view what, std::optional<int> thread, Arguments arguments) {
        json_.object([&] {
            json_.field("ph", "M");
            json_.field("name", what);
            json_.field("pid", process);
            if (thread) json_.field("tid", *thread);
            json_.object("args", arguments);
        });
    }

    void names() {
        const Scenario& s = simulation_.scenario.scenario;
        metadata("process_name", {}, [&] { json_.field("name", s.model + " on " + s.device + ", one rank"); });
        for (const auto& [thread, name] :
             {std::pair{model, "model"}, {compute, "compute"}, {communication, "communication"}}) {
            metadata("thread_name", thread, [&] { json_.field("name", name); });
            metadata("thread_sort_index", thread, [&] { json_.field("sort_index", static_cast<int>(thread)); });
        }
    }

    template <class Arguments>
    void slice(Thread thread, std::string_view name, std::string_view category, Seconds from, Seconds to,
               Arguments arguments) {
        const std::int64_t begin = nanoseconds(from);
        json_.object([&] {
            json_.field("ph", "X");
            json_.field("name", name);
            json_.field("cat", category);
            json_.field("pid", process);
            json_.field("tid", static_cast<int>(thread));
            json_.field("ts", microseconds(begin));
            json_.field("dur", microseconds(nanoseconds(to) - begin));
            json_.object("args", arguments);
        });
    }

    /// Parts, layers in them and modules in those, nested on one thread.
    void structure() {
        const auto& segments = simulation_.step.segments;
        for (std::uint32_t s = 0; s < segments.size();) {
            std::uint32_t last = s;
            while (last + 1 < segments.size() && segments[last + 1].part == segments[s].part) ++last;
            slice(model, nameOf(segments[s].part), "part", simulation_.segmentStart[s], simulation_.segmentEnd(last),
                  [] {});
            for (; s <= last; ++s) {
                const Segment& segment = segments[s];
                if (segment.layer >= 0)
                    slice(model, layerName(segment), "layer", simulation_.segmentStart[s], simulation_.segmentEnd(s),
                          [] {});
                modules(s);
            }
        }
    }

    static std::string layerName(const Segment& segment) {
        const std::string number = std::to_string(segment.layer);
        if (segment.part != Part::text) return std::string(nameOf(segment.part)) + " " + number;
        return "layer " + number + (segment.layerType == LayerType::linearAttention ? " linear" : " full");
    }

    /// Runs of operators whose modules begin alike: "linear_attn", "mlp".
    void modules(std::uint32_t s) {
        const Segment& segment = simulation_.step.segments[s];
        const auto& operators = simulation_.step.blocks[segment.block].operators;
        const auto head = [&](std::size_t i) { return operators[i].module.substr(0, operators[i].module.find('.')); };
        const auto startOf = [&](std::size_t i) {
            return i < operators.size() ? simulation_.start({s, static_cast<std::uint32_t>(i)})
                                        : simulation_.segmentEnd(s);
        };
        for (std::size_t i = 0; i < operators.size();) {
            std::size_t end = i + 1;
            while (end < operators.size() && head(end) == head(i)) ++end;
            slice(model, head(i), "module", startOf(i), startOf(end), [] {});
            i = end;
        }
    }

    void operatorEvent(OperatorRef ref) {
        const Operator& op = simulation_.op(ref);
        const OperatorCost& cost = simulation_.cost(ref);
        const Seconds start = simulation_.start(ref);
        slice(isCommunication(op.kind) ? communication : compute, nameOf(op.kind), nameOf(classOf(op.kind)), start,
              start + cost.total, [&] {
                  json_.field("id", simulation_.id(ref).text());
                  json_.field("bound", nameOf(cost.bound));
                  json_.field("provenance", nameOf(cost.provenance));
                  json_.field("matrix_flop", cost.work.matrixTotal());
                  json_.field("vector_flop", cost.work.vectorTotal());
                  json_.field("moved_bytes", cost.work.moved().value());
              });
    }

    void counter(Seconds time, Bytes activations) {
        json_.object([&] {
            json_.field("ph", "C");
            json_.field("name", "memory");
            json_.field("pid", process);
            json_.field("ts", microseconds(nanoseconds(time)));
            json_.object("args", [&] {
                json_.field("resident bytes", simulation_.memory.ideal.resident().value());
                json_.field("activation bytes", activations.value());
            });
        });
    }

    void memory() {
        Bytes last(-1.0);
        simulation_.forEachOperator([&](OperatorRef ref) {
            const Bytes live = simulation_.live(ref);
            if (live != last) counter(simulation_.start(ref), live);
            last = live;
        });
        counter(simulation_.totals.time, Bytes{});
    }

    const Simulation& simulation_;
    JsonWriter json_;
};

} // namespace

std::string toChromeTrace(const Simulation& simulation) { return TraceWriter(simulation).write(); }

} // namespace deltascope
