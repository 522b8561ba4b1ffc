// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario/validate.h"

#include "scenario/checks.h"

#include <algorithm>

namespace deltascope {

using std::int64_t;

std::string list(const std::vector<std::string>& words) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i)
        text += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + words[i];
    return text;
}

std::string list(const std::vector<int64_t>& numbers) {
    std::vector<std::string> words;
    for (int64_t n : numbers) words.push_back(count(n));
    return list(words);
}

Error outOfRange(std::string field, int64_t value, Range range, std::string why) {
    return {ErrorCode::outOfRange,
            std::move(field),
            count(value),
            std::move(why),
            count(range.lowest) + " to " + count(range.highest),
            {}};
}

namespace {

template <class Items>
std::string names(const Items& items) {
    std::vector<std::string> words;
    for (const auto& item : items) words.push_back(item->name);
    return list(words);
}

std::optional<Error> lookUp(ResolvedScenario& r, const Catalog& catalog) {
    const Scenario& s = r.scenario;
    r.model = catalog.findModel(s.model);
    if (!r.model)
        return Error{ErrorCode::notFound, "model", s.model, "there is no such model", names(catalog.models()), {}};
    r.device = catalog.findDevice(s.device);
    if (!r.device)
        return Error{ErrorCode::notFound, "device", s.device, "there is no such device", names(catalog.devices()), {}};
    r.engine = catalog.findEngine(s.engine);
    if (!r.engine)
        return Error{ErrorCode::notFound, "engine", s.engine, "there is no such engine", names(catalog.engines()), {}};
    r.scenario.model = r.model->name;
    r.scenario.device = r.device->name;
    r.scenario.engine = r.engine->name;
    return std::nullopt;
}

std::optional<Error> checkModel(ResolvedScenario& r) {
    Scenario& s = r.scenario;
    const int64_t depth = r.model->layerCount();
    if (s.layers && (*s.layers < 1 || *s.layers > depth))
        return outOfRange("layers", *s.layers, {1, depth}, r.model->name + " has " + count(depth) + " layers");
    r.layers = r.model->text.layers;
    if (s.layers) r.layers.resize(static_cast<std::size_t>(*s.layers));
    if (s.allFull) std::fill(r.layers.begin(), r.layers.end(), LayerType::fullAttention);
    for (const std::string& note : r.model->notes) r.notes.push_back(note);
    return std::nullopt;
}

std::optional<Error> checkRest(ResolvedScenario& r, const Catalog& catalog) {
    Scenario& s = r.scenario;
    if (!(s.routingSkew >= 0.0 && s.routingSkew <= 4.0))
        return Error{ErrorCode::outOfRange, "routing_skew",     formatExact(s.routingSkew),
                     "is out of range",     "0 (uniform) to 4", {}};
    if (s.outputLength && (*s.outputLength < 1 || *s.outputLength > limits::contextLength.highest))
        return outOfRange("output_length", *s.outputLength, {1, limits::contextLength.highest});
    r.calibration = s.calibration.value_or(r.engine->appliesCalibration) && r.device->calibration;
    if (r.calibration && !r.device->calibration->scaledFrom.empty()) {
        r.calibrationSibling = catalog.findDevice(r.device->calibration->scaledFrom);
        if (!r.calibrationSibling || !r.calibrationSibling->calibration ||
            r.calibrationSibling->calibration->rules.empty())
            r.notes.push_back("the calibration of " + r.device->name + " is scaled from " +
                              r.device->calibration->scaledFrom + ", which is not here or has no rules of its own");
    }
    if (r.engine->embedding == EmbeddingSplit::storage)
        r.notes.push_back("engine " + r.engine->name +
                          " leaves the embedding table in storage: it takes no memory, and reading its rows is counted "
                          "at the memory's rate");
    if (r.engine->host)
        r.host = s.host.value_or(r.engine->host->mode);
    else if (s.host)
        r.notes.push_back("engine " + r.engine->name + " has no host model: host " + std::string(nameOf(*s.host)) +
                          " has no effect");
    return std::nullopt;
}

} // namespace

Result<ResolvedScenario> validate(const Catalog& catalog, const Scenario& scenario) {
    ResolvedScenario r;
    r.scenario = scenario;
    if (auto error = lookUp(r, catalog)) return *std::move(error);
    for (auto check : {checkModel, checkParallelism, checkRequests, checkDrafting, checkQuantization})
        if (auto error = check(r)) return *std::move(error);
    if (auto error = checkRest(r, catalog)) return *std::move(error);
    return r;
}

} // namespace deltascope
