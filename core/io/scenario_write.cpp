// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/scenario_file.h"

#include "base/file.h"
#include "base/numbers.h"
#include "scenario/fields.h"

#include <algorithm>
#include <system_error>
#include <vector>

namespace deltascope {
namespace {

namespace fs = std::filesystem;

/// Plain where YAML reads it back as the same text, else in double quotes.
std::string yamlText(std::string_view text) {
    const auto safe = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
               c == '/' || c == '-' || c == '+';
    };
    const bool wordLike = !text.empty() && std::all_of(text.begin(), text.end(), safe);
    const bool special = text == "true" || text == "false" || text == "null" || finiteNumber(text) ||
                         text.starts_with('-') || text.starts_with('+') ||
                         (text.starts_with('.') && text.find('/') == std::string_view::npos);
    if (wordLike && !special) return std::string(text);
    std::string out = "\"";
    for (char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (c == '\n')
            out += "\\n";
        else if (c == '\t')
            out += "\\t";
        else
            out += c;
    }
    return out + "\"";
}

std::string imageText(const ImageChoice& image) {
    std::string out = "{count: " + std::to_string(image.count) + ", height: " + std::to_string(image.height) +
                      ", width: " + std::to_string(image.width);
    if (image.minPixels) out += ", min_pixels: " + std::to_string(*image.minPixels);
    if (image.maxPixels) out += ", max_pixels: " + std::to_string(*image.maxPixels);
    return out + "}";
}

std::string requestText(const RequestGroup& request) {
    std::string out = "{count: " + std::to_string(request.count) +
                      ", query_length: " + std::to_string(request.queryLength) +
                      ", context_length: " + std::to_string(request.contextLength);
    if (request.phase) out += ", phase: " + std::string(nameOf(*request.phase));
    if (request.image) out += ", image: " + imageText(*request.image);
    return out + "}";
}

/// The value of a field as it stands in a file; empty when it is left out.
std::string valueText(const ScenarioField& field, const Scenario& scenario) {
    if (field.kind == ScenarioField::Kind::image) return scenario.image ? imageText(*scenario.image) : "";
    if (field.kind == ScenarioField::Kind::list) {
        std::string items;
        for (const std::string& pattern : scenario.quantization.keepBf16)
            items += (items.empty() ? "[" : ", ") + yamlText(pattern);
        return items.empty() ? "" : items + "]";
    }
    const std::optional<std::string> text = field.get(scenario);
    if (!text) return "";
    return field.kind == ScenarioField::Kind::text ? yamlText(*text) : *text;
}

template <class Found>
void namePath(std::string& name, const Found& found, const fs::path& folder) {
    if (!found || found->origin != Origin::file || found->path.empty()) return;
    std::error_code failed;
    const std::string path = fs::absolute(found->path, failed).string();
    std::string relative = fs::relative(path, folder, failed).string();
    if (!failed && !relative.empty() && !relative.starts_with("..")) relative = "./" + relative;
    name = failed || relative.empty() || relative.size() > path.size() ? path : relative;
}

} // namespace

std::string scenarioText(const Scenario& scenario) {
    std::string out;
    std::string_view open; // the map whose keys are being written
    for (const ScenarioField& field : scenarioFields()) {
        const bool plain = field.name == "queries" || field.name == "query_length" || field.name == "context_length";
        if (plain && !scenario.requests.empty()) continue;
        const std::string value = valueText(field, scenario);
        if (value.empty()) continue;
        const std::size_t dot = field.key.find('.');
        const std::string_view parent = dot == std::string_view::npos ? std::string_view{} : field.key.substr(0, dot);
        if (parent != open && !parent.empty()) out += std::string(parent) + ":\n";
        open = parent;
        out += parent.empty() ? std::string(field.key) : "  " + std::string(field.key.substr(dot + 1));
        out += ": " + value + "\n";
    }
    if (!scenario.requests.empty()) {
        out += "requests:\n";
        for (const RequestGroup& request : scenario.requests) out += "  - " + requestText(request) + "\n";
    }
    return out;
}

Result<void> writeScenario(const fs::path& path, const Scenario& scenario, const Catalog& catalog) {
    std::error_code ignored;
    const fs::path folder = fs::absolute(path, ignored).parent_path();
    Scenario named = scenario;
    namePath(named.model, catalog.findModel(scenario.model), folder);
    namePath(named.device, catalog.findDevice(scenario.device), folder);
    namePath(named.engine, catalog.findEngine(scenario.engine), folder);
    return writeFileWhole(path, scenarioText(named));
}

} // namespace deltascope
