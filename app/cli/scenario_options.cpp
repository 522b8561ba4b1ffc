// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario_options.h"

#include "base/spelling.h"
#include "commands.h"
#include "io/named_files.h"
#include "io/scenario_file.h"

#include <algorithm>
#include <span>
#include <string>

namespace deltascope::cli {
namespace {

std::string optionName(std::string_view field) {
    std::string name = "--" + std::string(field);
    std::replace(name.begin(), name.end(), '_', '-');
    return name;
}

std::string helpOf(const ScenarioField& field) {
    const auto value = field.get(Scenario{});
    return std::string(field.help) + (value ? " (default " + *value + ")" : "");
}

/// Why a name is not in the catalog although a file of that name is: it could not be read.
const Error* problemOf(const Catalog& catalog, const std::string& name) {
    for (const Error& problem : catalog.problems())
        if (problem.where.find("/" + name + ".yaml") != std::string::npos ||
            problem.where.find("/" + name + "/config.json") != std::string::npos)
            return &problem;
    return nullptr;
}

} // namespace

ScenarioOptions::ScenarioOptions(CLI::App& command)
    : file_(command.add_option("--scenario", "scenario file; the other options override it")) {
    file_->type_name("FILE.yaml")->take_last()->group("Scenario");
    for (const ScenarioField& field : scenarioFields()) {
        const std::string name = optionName(field.name);
        const std::string help = helpOf(field); // const: a string that can change would be taken for the value
        CLI::Option* option = field.value.empty() ? command.add_flag(name, help) : command.add_option(name, help);
        option->group("Scenario")->take_all();
        if (!field.value.empty()) option->type_name(std::string(field.value));
        given_.push_back({&field, option});
    }
    std::vector<std::string> names;
    for (const SchemeFacts& scheme : schemes) names.emplace_back(scheme.name);
    command.footer("SCHEME is " + orList(names) + ".\n" + command.get_footer());
}

bool ScenarioOptions::isGiven(std::string_view name) const {
    return std::any_of(given_.begin(), given_.end(),
                       [&](const Given& g) { return g.field->name == name && g.option->count() > 0; });
}

Result<Scenario> ScenarioOptions::readFile() const {
    if (file_->count() == 0) return Scenario{};
    const std::string& path = file_->results().back();
    Result<Scenario> scenario = readScenario(path);
    if (!scenario) return saidOfField(scenario.error(), "scenario", path);
    return scenario;
}

Result<Scenario> ScenarioOptions::read(Catalog& catalog) const {
    Result<Scenario> scenario = readFile();
    if (!scenario) return scenario;
    // Each of the two says what the other does: one given here replaces whichever the file has.
    if (isGiven("acceptance") || isGiven("accepted_length")) scenario->acceptance = scenario->acceptedLength = {};
    if (isGiven("keep_bf16")) scenario->quantization.keepBf16.clear();
    for (const auto& [field, option] : given_) {
        if (option->count() == 0) continue;
        std::span<const std::string> values = option->results();
        if (field->kind != ScenarioField::Kind::list) values = values.last(1);
        for (const std::string& value : values)
            if (const Result<void> set = field->set(*field, *scenario, value); !set) return set.error();
    }
    if (const Result<void> added = addNamedFiles(catalog, *scenario); !added) return added.error();
    // A quantized checkpoint named on the command line runs as it is stored unless something else is said.
    const auto model = catalog.findModel(scenario->model);
    if (model && model->checkpoint && file_->count() == 0 && !isGiven("quantization"))
        scenario->quantization.checkpoint = true;
    return scenario;
}

template <class Compute>
auto ScenarioOptions::computed(Compute compute) const -> decltype(compute(std::declval<const Catalog&>(), Scenario{})) {
    Catalog catalog = loadCatalog();
    const Result<Scenario> scenario = read(catalog);
    if (!scenario) return scenario.error();
    auto result = compute(catalog, *scenario);
    if (!result && result.error().code == ErrorCode::notFound)
        if (const Error* problem = problemOf(catalog, result.error().value)) return *problem;
    return result;
}

Result<Simulation> ScenarioOptions::simulate() const {
    return computed([](const Catalog& catalog, const Scenario& s) { return deltascope::simulate(catalog, s); });
}

Result<FitsReport> ScenarioOptions::fits() const {
    return computed([](const Catalog& catalog, const Scenario& s) { return fitsReport(catalog, s); });
}

} // namespace deltascope::cli
