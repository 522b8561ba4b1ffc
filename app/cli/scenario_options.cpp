// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario_options.h"

#include "io/scenario_file.h"

#include <algorithm>

namespace deltascope::cli {
namespace {

std::string optionName(std::string_view field) {
    std::string name = "--" + std::string(field);
    std::replace(name.begin(), name.end(), '_', '-');
    return name;
}

} // namespace

ScenarioOptions::ScenarioOptions(CLI::App& command) {
    fileOption_ = command.add_option("--scenario", file_, "scenario file; the other options override it")
                      ->type_name("FILE.yaml")
                      ->take_last();
    given_.reserve(scenarioFields().size()); // the parser keeps pointers to the values
    for (const ScenarioField& field : scenarioFields()) {
        Given& given = given_.emplace_back(Given{&field, nullptr, {}});
        const std::string name = optionName(field.name);
        const std::string help(field.help);
        given.option = field.value.empty() ? command.add_flag(name, help)
                                           : command.add_option(name, given.values, help)
                                                 ->allow_extra_args(false)
                                                 ->type_name(std::string(field.value));
        given.option->group("Scenario");
    }
    fileOption_->group("Scenario");
}

bool ScenarioOptions::isGiven(std::string_view name) const {
    return std::any_of(given_.begin(), given_.end(),
                       [&](const Given& g) { return g.field->name == name && g.option->count() > 0; });
}

Result<Scenario> ScenarioOptions::read(Catalog& catalog) const {
    Scenario scenario;
    if (fileOption_->count() > 0) {
        Result<Scenario> fromFile = readScenario(file_);
        if (!fromFile && fromFile.error().subject == "file")
            return Error{fromFile.error().code, "scenario",    file_.empty() ? "''" : file_,
                         fromFile.error().why,  "a YAML file", {}};
        if (!fromFile) return fromFile;
        scenario = *std::move(fromFile);
    }
    // Each of the two says what the other does: one given here replaces whichever the file has.
    if (isGiven("acceptance") || isGiven("accepted_length")) scenario.acceptance = scenario.acceptedLength = {};
    if (isGiven("keep_bf16")) scenario.quantization.keepBf16.clear();
    for (const Given& given : given_) {
        if (given.option->count() == 0) continue;
        const ScenarioField& field = *given.field;
        if (field.value.empty()) {
            if (const auto set = field.set(field, scenario, "true"); !set) return set.error();
        } else if (field.kind == ScenarioField::Kind::list) {
            for (const std::string& value : given.values)
                if (const auto set = field.set(field, scenario, value); !set) return set.error();
        } else if (const auto set = field.set(field, scenario, given.values.back()); !set) { // the last one counts
            return set.error();
        }
    }
    if (const auto added = addNamedFiles(catalog, scenario); !added) return added.error();
    return scenario;
}

} // namespace deltascope::cli
