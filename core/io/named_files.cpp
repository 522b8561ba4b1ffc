// SPDX-License-Identifier: GPL-3.0-or-later
#include "io/named_files.h"

#include "scenario/fields.h"

#include <filesystem>
#include <system_error>

namespace deltascope {
namespace {

namespace fs = std::filesystem;

/// `find` says whether a name is known; `add` reads a file and gives its name.
template <class Find, class Add>
Result<void> addNamed(std::string& name, std::string_view field, Find find, Add add) {
    if (!looksLikePath(name) && find(name)) return {};
    std::error_code ignored;
    if (!looksLikePath(name) && !fs::exists(name, ignored)) return {}; // validate() says which names there are
    Result<std::string> added = add(fs::path(name));
    if (!added) return saidOfField(added.error(), field, name);
    name = *added;
    return {};
}

} // namespace

Result<void> addNamedFiles(Catalog& catalog, Scenario& scenario) {
    const auto model = addNamed(
        scenario.model, "model", [&](const std::string& n) { return catalog.findModel(n) != nullptr; },
        [&](const fs::path& p) { return catalog.addModel(p); });
    if (!model) return model;
    const auto device = addNamed(
        scenario.device, "device", [&](const std::string& n) { return catalog.findDevice(n) != nullptr; },
        [&](const fs::path& p) { return catalog.addDevice(p); });
    if (!device) return device;
    return addNamed(
        scenario.engine, "engine", [&](const std::string& n) { return catalog.findEngine(n) != nullptr; },
        [&](const fs::path& p) { return catalog.addEngine(p); });
}

Error saidOfField(Error error, std::string_view field, const std::string& path) {
    const bool opening = error.subject == "file" && error.code == ErrorCode::unreadable;
    if (error.code != ErrorCode::notFound && !opening) return error;
    std::error_code ignored;
    if (opening && !fs::is_regular_file(path, ignored)) error.code = ErrorCode::usage;
    const ScenarioField* known = findScenarioField(field);
    const std::string accepted = known ? std::string(known->accepted) : "a YAML file";
    return {error.code, std::string(field), path.empty() ? "''" : path, error.why, accepted, {}};
}

bool looksLikePath(std::string_view name) {
    return name.find('/') != std::string_view::npos || name.ends_with(".json") || name.ends_with(".yaml") ||
           name.ends_with(".yml");
}

} // namespace deltascope
