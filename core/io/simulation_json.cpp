// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/simulation_output.h"

#include "io/json_writer.h"
#include "io/scenario_json.h"

#include <span>

namespace deltascope {
namespace {

std::string_view nameOfType(LayerType type) {
    return type == LayerType::linearAttention ? "linear_attention" : "full_attention";
}

void writeTotals(JsonWriter& json, const Totals& totals) {
    json.object("totals", [&] {
        json.field("time_s", totals.time.value());
        json.field("matrix_s", totals.matrix.value());
        json.field("vector_s", totals.vector.value());
        json.field("memory_s", totals.memory.value());
        json.field("communication_s", totals.communication.value());
        json.field("launch_s", totals.launch.value());
        json.field("host_wait_s", totals.hostWait.value());
        json.object("share", [&] {
            json.field("compute", totals.shareCompute);
            json.field("memory", totals.shareMemory);
            json.field("communication", totals.shareCommunication);
            json.field("launch", totals.shareLaunch);
            json.field("host", totals.shareHost);
        });
        json.object("provenance", [&] {
            for (std::size_t i = 0; i < totals.shareProvenance.size(); ++i)
                json.field(nameOf(static_cast<Provenance>(i)), totals.shareProvenance[i]);
            json.field("extrapolated", totals.shareExtrapolated);
        });
        if (totals.range)
            json.object("range", [&] {
                json.field("low_s", totals.range->low.value());
                json.field("likely_s", totals.range->likely.value());
                json.field("high_s", totals.range->high.value());
            });
        json.field("tokens_per_s", totals.tokensPerSecond);
        json.field("tokens_per_s_per_device", totals.tokensPerSecondPerDevice);
        json.field("tokens_per_s_per_user", totals.tokensPerSecondPerUser);
        json.field("devices", totals.devices);
        json.field("operators", totals.operators);
    });
}

void writeHost(JsonWriter& json, const Simulation& simulation) {
    json.object("host", [&] {
        json.field("modelled", simulation.host.has_value());
        if (!simulation.host) return;
        const HostReport& host = *simulation.host;
        json.field("mode", nameOf(host.mode));
        json.field("dispatch_s", host.dispatch.value());
        json.field("kernels", host.kernels);
        json.field("launched_one_by_one", host.launched);
        json.field("wait_s", host.wait.value());
        json.field("bound", host.bound(simulation.totals.time - host.wait));
        json.array("modes", [&] {
            for (const HostOutcome& outcome : host.modes)
                json.object([&] {
                    json.field("mode", nameOf(outcome.mode));
                    json.field("time_s", outcome.time.value());
                    json.field("wait_s", outcome.wait.value());
                });
        });
    });
}

void writeTensors(JsonWriter& json, std::string_view key, const Block& block, std::span<const std::uint16_t> indexes) {
    json.array(key, [&] {
        for (std::uint16_t index : indexes) {
            const Tensor& tensor = block.tensors[index];
            json.object([&] {
                json.field("name", tensor.name);
                json.list("shape", tensor.shape());
                json.field("dtype", nameOf(tensor.dtype));
            });
        }
    });
}

void writeRates(JsonWriter& json, std::string_view key, const std::array<double, rateDTypeCount>& flops) {
    json.object(key, [&] {
        for (std::size_t i = 0; i < rateDTypeCount; ++i)
            if (flops[i] != 0.0) json.field(dtypeNames[i], flops[i]);
    });
}

void writeWork(JsonWriter& json, const Work& work) {
    json.object("work", [&] {
        writeRates(json, "matrix_flops", work.matrix);
        writeRates(json, "vector_flops", work.vector);
        json.field("read_bytes", work.read.value());
        json.field("written_bytes", work.written.value());
        json.field("scratch_bytes", work.scratch.value());
        json.field("resident_scratch_bytes", work.residentScratch.value());
        json.field("extra_launches", work.extraLaunches);
        json.field("ranks", work.ranks);
        json.field("communicated_bytes", work.communicated.value());
    });
}

void writeOperator(JsonWriter& json, const Simulation& simulation, OperatorRef ref) {
    const OperatorId id = simulation.id(ref);
    const Operator& op = simulation.op(ref);
    const Block& block = simulation.block(ref);
    const OperatorCost& cost = simulation.cost(ref);
    json.object([&] {
        json.field("id", id.text());
        json.field("kind", nameOf(op.kind));
        json.field("name", id.module);
        json.field("layer", id.layer < 0 ? std::nullopt : std::optional(id.layer));
        json.field("part", nameOf(id.part));
        json.field("start_s", simulation.start(ref).value());
        json.field("time_s", cost.total.value());
        json.field("matrix_s", cost.matrix.value());
        json.field("vector_s", cost.vector.value());
        json.field("memory_s", cost.memory.value());
        json.field("communication_s", cost.communication.value());
        json.field("launch_s", cost.launch.value());
        if (simulation.host) json.field("host_wait_s", simulation.waitBefore(ref).value());
        json.field("bound", nameOf(cost.bound));
        json.field("provenance", nameOf(cost.provenance));
        if (simulation.calibrator.active()) {
            json.field("low_s", cost.low.value());
            json.field("high_s", cost.high.value());
            json.field("extrapolated", cost.extrapolated);
            if (const CalibrationRule* rule = simulation.ruleOf(cost)) json.field("source", rule->source);
        }
        json.object("shapes", [&] {
            writeTensors(json, "inputs", block, block.inputs(op));
            writeTensors(json, "outputs", block, block.outputs(op));
        });
        writeWork(json, cost.work);
    });
}

void writeSummaries(JsonWriter& json, const Simulation& simulation) {
    json.array("by_kind", [&] {
        for (const KindSummary& kind : simulation.byKind)
            json.object([&] {
                json.field("kind", nameOf(kind.kind));
                json.field("calls", kind.calls);
                json.field("time_s", kind.time.value());
            });
    });
    json.array("layers", [&] {
        for (const LayerSummary& layer : simulation.layers)
            json.object([&] {
                json.field("index", layer.index);
                json.field("type", nameOfType(layer.type));
                json.field("time_s", layer.time.value());
                json.field("kernel_time_s", layer.kernelTime.value());
                json.field("communication_s", layer.communication.value());
                json.field("host_wait_s", layer.hostWait.value());
            });
    });
    json.array("parts", [&] {
        for (const PartSummary& part : simulation.parts)
            json.object([&] {
                json.field("name", nameOf(part.part));
                json.field("time_s", part.time.value());
            });
    });
}

void writeStep(JsonWriter& json, const Step& step) {
    const StepMetadata& m = step.metadata;
    json.object("step", [&] {
        json.list("query_lengths", m.queryLengths);
        json.array("is_decode", [&] {
            for (bool decode : m.isDecode) json.value(decode);
        });
        json.field("has_previous_state", m.hasPreviousState);
        json.field("base_decode_query_length", m.baseDecodeQueryLength);
        json.field("mtp_tokens", m.mtpTokens);
        json.field("effective_decode_steps", m.effectiveDecodeSteps);
        json.list("position_starts", m.positionStarts);
    });
}

void writeIdealMemory(JsonWriter& json, const Simulation& simulation) {
    const IdealMemory& ideal = simulation.memory.ideal;
    json.object("ideal", [&] {
        json.field("weights_bytes", ideal.weights.value());
        json.field("kv_cache_bytes", ideal.kvCache.value());
        json.field("recurrent_state_bytes", ideal.recurrentState.value());
        json.field("conv_state_bytes", ideal.convState.value());
        json.field("activation_peak_bytes", ideal.activationPeak.value());
        json.field("total_bytes", ideal.total().value());
        json.field("state_slots", ideal.stateSlots);
        json.field("kv_cache_all_full_bytes", ideal.kvCacheAllFull.value());
        if (ideal.experts)
            json.object("experts", [&] {
                json.field("resident_bytes", ideal.experts->resident.value());
                json.field("touched_bytes", ideal.experts->touched.value());
                json.field("experts", ideal.experts->experts);
                json.field("expected_distinct_experts", ideal.experts->distinctExperts);
                json.field("busiest_rank_share", ideal.experts->busiestShare);
            });
        const OperatorRef peak{ideal.peakSegment, ideal.peakOperator};
        json.field("activation_peak_operator", simulation.id(peak).text());
        json.array("groups", [&] {
            for (const MemoryGroup& group : ideal.groups)
                json.object([&] {
                    json.field("name", group.name);
                    json.field("bytes", group.bytes.value());
                    json.field("parameters", group.parameters);
                    json.field("loaded", group.loaded);
                });
        });
    });
}

void writeEngineMemory(JsonWriter& json, const MemoryReport& memory) {
    json.object("engine", [&] {
        json.field("modelled", memory.engine.has_value());
        if (!memory.engine) return;
        const EngineMemory& e = *memory.engine;
        json.field("block_tokens", e.blockTokens);
        json.field("page_bytes", e.pageBytes.value());
        json.field("groups", e.groups);
        json.field("blocks_per_request", e.blocksPerRequest);
        json.field("weights_bytes", e.weights.value());
        json.field("kv_cache_bytes", e.kvCache.value());
        json.field("state_bytes", e.states.value());
        json.field("activation_peak_bytes", e.activationPeak.value());
        json.field("reserved_bytes", e.reserved.value());
        json.field("communication_bytes", e.buffers.value());
        json.field("total_bytes", e.total().value());
        json.field("loss_bytes", (e.total() - memory.ideal.total()).value());
        json.field("cache_space_bytes", e.cacheSpace.value());
        json.field("blocks_fit", e.blocksFit);
        json.field("requests_fit", e.requestsFit);
        json.field("context_fit", e.contextFit);
    });
}

void writeMemory(JsonWriter& json, const Simulation& simulation) {
    const MemoryReport& memory = simulation.memory;
    json.object("memory", [&] {
        writeIdealMemory(json, simulation);
        writeEngineMemory(json, memory);
        json.object("device", [&] {
            json.field("size_bytes", memory.deviceSize.value());
            json.field("limit_bytes", memory.limit.value());
            json.field("free_bytes", memory.free().value());
        });
    });
}

} // namespace

std::string toJson(const Simulation& simulation) {
    JsonWriter json;
    json.object([&] {
        json.field("schema", "deltascope.simulation/1");
        json.field("version", DELTASCOPE_VERSION);
        writeScenario(json, simulation.scenario);
        writeTotals(json, simulation.totals);
        writeHost(json, simulation);
        json.object("path", [&] {
            json.field("rule", nameOf(simulation.step.rule));
            json.field("conv", nameOf(simulation.step.conv));
        });
        writeStep(json, simulation.step);
        writeSummaries(json, simulation);
        writeMemory(json, simulation);
        json.list("notes", simulation.notes);
        json.array("operators",
                   [&] { simulation.forEachOperator([&](OperatorRef ref) { writeOperator(json, simulation, ref); }); });
    });
    return json.take();
}

} // namespace deltascope
