// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/scenario_json.h"

#include "scenario/module_scheme.h"

namespace deltascope {
namespace {

void writeImage(JsonWriter& json, const std::optional<ImageChoice>& image) {
    if (!image) return json.field("image", std::optional<bool>{});
    json.object("image", [&] {
        json.field("count", image->count);
        json.field("height", image->height);
        json.field("width", image->width);
        json.field("min_pixels", image->minPixels);
        json.field("max_pixels", image->maxPixels);
    });
}

void writeRequests(JsonWriter& json, const std::vector<RequestGroup>& requests) {
    json.array("requests", [&] {
        for (const RequestGroup& request : requests)
            json.object([&] {
                json.field("count", request.count);
                json.field("query_length", request.queryLength);
                json.field("context_length", request.contextLength);
                if (request.phase) json.field("phase", nameOf(*request.phase));
                if (request.image) writeImage(json, request.image);
            });
    });
}

void writeQuantization(JsonWriter& json, const ResolvedScenario& resolved) {
    const Quantization& q = resolved.scenario.quantization;
    json.object("quantization", [&] {
        json.field("linear", linearName(q));
        json.field("experts", q.experts ? factsOf(*q.experts).name : linearName(q));
        json.field("kv_cache", nameOf(q.kvCache));
        json.field("lm_head", q.lmHead ? std::optional(factsOf(*q.lmHead).name) : std::nullopt);
        json.list("keep_bf16", q.keepBf16);
        json.array("modules", [&] {
            for (const ModuleScheme& module : moduleSchemes(resolved))
                json.object([&] {
                    json.field("module", module.module);
                    json.field("scheme", factsOf(module.scheme).name);
                    if (!module.layers.empty()) json.list("layers", module.layers);
                });
        });
    });
}

} // namespace

void writeScenario(JsonWriter& json, const ResolvedScenario& resolved) {
    const Scenario& s = resolved.scenario;
    json.object("scenario", [&] {
        json.field("model", s.model);
        json.field("device", s.device);
        json.field("engine", s.engine);
        json.field("phase", nameOf(s.phase));
        json.field("queries", s.queries);
        json.field("query_length", s.queryLength);
        json.field("context_length", s.contextLength);
        if (!s.requests.empty()) writeRequests(json, s.requests);
        json.object("mtp", [&] {
            json.field("tokens", s.mtpTokens);
            json.field("acceptance", s.acceptance);
            json.field("accepted_length", s.acceptedLength);
            json.field("tokens_per_step", resolved.tokensPerStep);
        });
        writeQuantization(json, resolved);
        writeImage(json, s.image);
        json.object("parallel", [&] {
            json.field("tp", s.parallel.tp);
            json.field("ep", s.parallel.ep);
            json.field("dp", s.parallel.dp);
            json.field("vision_tp", s.parallel.visionTp);
            json.field("o_proj_tp", resolved.oProjTp);
            json.field("lm_head_tp", resolved.lmHeadTp);
            json.field("mtp_lm_head_tp", resolved.mtpLmHeadTp);
        });
        json.field("layers", resolved.layers.size());
        json.field("all_full", s.allFull);
        json.field("padding_mask", s.paddingMask);
        json.field("prefix_hit", s.prefixHit);
        json.field("routing_skew", s.routingSkew);
        json.field("host", s.host ? std::optional(nameOf(*s.host)) : std::nullopt);
        json.field("calibration", resolved.calibration);
        json.field("output_length", s.outputLength);
    });
}

} // namespace deltascope
