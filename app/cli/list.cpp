// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"

#include "base/format.h"
#include "io/json_writer.h"
#include "io/text_table.h"
#include "memory/memory.h"
#include "outcome.h"
#include "simulation/simulation.h"

#include <cstdio>
#include <memory>

namespace deltascope::cli {
namespace {

/// A model is supported when the plainest step of it simulates.
bool isSupported(const Catalog& catalog, const ModelConfig& model) {
    Scenario plain;
    plain.model = model.name;
    const Result<Simulation> simulation = simulate(catalog, plain);
    return simulation || simulation.error().code != ErrorCode::unsupported;
}

std::string_view originMark(Origin origin) { return origin == Origin::builtIn ? "" : "your own"; }

std::string modelsAsText(const Catalog& catalog) {
    TextTable table({Align::left, Align::left, Align::right, Align::right, Align::right, Align::right, Align::left}, 0);
    table.row({"name", "family", "parameters", "active", "linear", "full", ""});
    for (const auto& model : catalog.models()) {
        const ParameterCounts n = countParameters(*model);
        std::string remark(originMark(model->origin));
        if (!isSupported(catalog, *model)) remark += remark.empty() ? "not yet supported" : ", not yet supported";
        table.row({model->name, model->family, formatCount(static_cast<double>(n.total)),
                   formatCount(static_cast<double>(n.active)),
                   std::to_string(model->layerCount(LayerType::linearAttention)),
                   std::to_string(model->layerCount(LayerType::fullAttention)), remark});
    }
    return table.text();
}

std::string modelsAsJson(const Catalog& catalog) {
    JsonWriter json(1);
    json.array([&] {
        for (const auto& model : catalog.models())
            json.object([&] {
                const ParameterCounts n = countParameters(*model);
                json.field("name", model->name);
                json.field("family", model->family);
                json.object("parameters", [&] {
                    json.field("text", n.text);
                    json.field("vision", n.vision);
                    json.field("mtp", n.mtp);
                    json.field("total", n.total);
                    json.field("active", n.active);
                });
                json.object("layers", [&] {
                    json.field("linear", model->layerCount(LayerType::linearAttention));
                    json.field("full", model->layerCount(LayerType::fullAttention));
                });
                json.field("supported", isSupported(catalog, *model));
            });
    });
    return json.take();
}

std::string devicesAsText(const Catalog& catalog) {
    TextTable table({Align::left, Align::left, Align::right, Align::right, Align::right, Align::right, Align::left}, 0);
    table.row({"name", "vendor", "memory", "bandwidth", "bf16 peak", "int8 peak", ""});
    const auto rate = [](const DeviceProfile& device, DType dtype) {
        const auto& flops = device.matrixRate[static_cast<std::size_t>(dtype)];
        return flops ? formatFlopRate(flops->value()) : std::string("-");
    };
    for (const auto& device : catalog.devices())
        table.row({device->name, device->vendor, formatBytes(device->memorySize),
                   formatByteRate(device->memoryBandwidth.value()), rate(*device, DType::bf16),
                   rate(*device, DType::int8), std::string(originMark(device->origin))});
    return table.text();
}

std::string devicesAsJson(const Catalog& catalog) {
    JsonWriter json(1);
    json.array([&] {
        for (const auto& device : catalog.devices())
            json.object([&] {
                json.field("name", device->name);
                json.field("vendor", device->vendor);
                json.list("aliases", device->aliases);
                json.field("memory_bytes", device->memorySize.value());
                json.field("memory_bytes_per_s", device->memoryBandwidth.value());
                json.object("matrix_flops_per_s", [&] {
                    for (std::size_t i = 0; i < rateDTypeCount; ++i)
                        if (device->matrixRate[i]) json.field(dtypeNames[i], device->matrixRate[i]->value());
                });
                json.field("built_in", device->origin == Origin::builtIn);
            });
    });
    return json.take();
}

std::string enginesAsText(const Catalog& catalog) {
    TextTable table({Align::left, Align::left, Align::left}, 0);
    for (const auto& engine : catalog.engines())
        table.row({engine->name, engine->summary, std::string(originMark(engine->origin))});
    return table.text();
}

std::string enginesAsJson(const Catalog& catalog) {
    JsonWriter json(1);
    json.array([&] {
        for (const auto& engine : catalog.engines())
            json.object([&] {
                json.field("name", engine->name);
                json.field("summary", engine->summary);
                json.field("built_in", engine->origin == Origin::builtIn);
            });
    });
    return json.take();
}

struct Listing {
    std::string_view name;
    std::string (*text)(const Catalog&);
    std::string (*json)(const Catalog&);
};
constexpr std::array listings{Listing{"models", modelsAsText, modelsAsJson},
                              Listing{"devices", devicesAsText, devicesAsJson},
                              Listing{"engines", enginesAsText, enginesAsJson}};

struct List {
    explicit List(CLI::App& command) : output(command) {
        command.add_option("what", what, "models, devices or engines")->type_name("");
        command.add_option("--format", format, "text or json")->take_last();
    }

    int run() const {
        std::array<std::string_view, listings.size()> names{};
        for (std::size_t i = 0; i < listings.size(); ++i) names[i] = listings[i].name;
        const Result<std::size_t> chosen = choiceOf("list", what, names);
        if (!chosen) return refuse(chosen.error());
        constexpr std::array<std::string_view, 2> formatNames{"text", "json"};
        const Result<std::size_t> chosenFormat = choiceOf("format", format, formatNames);
        if (!chosenFormat) return refuse(chosenFormat.error());
        const Catalog catalog = loadCatalog();
        for (const Error& problem : catalog.problems()) std::fprintf(stderr, "left out: %s\n", problem.text().c_str());
        const Listing& listing = listings[*chosen];
        return output.deliver(*chosenFormat == 0 ? listing.text(catalog) : listing.json(catalog));
    }

    std::string what;
    std::string format = "text";
    Output output;
};

} // namespace

Run addList(CLI::App& command) {
    const auto list = std::make_shared<List>(command);
    return [list] { return list->run(); };
}

} // namespace deltascope::cli
