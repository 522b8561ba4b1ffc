// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"

#include "base/spelling.h"
#include "outcome.h"
#include "scenario_options.h"
#include "simulation/explain.h"

#include <memory>

namespace deltascope::cli {
namespace {

struct Explain {
    explicit Explain(CLI::App& command) : scenario(command), output(command) {
        option = command.add_option("--operator", id, "the operator's id, as `simulate --format csv` lists them")
                     ->type_name("ID")
                     ->take_last();
    }

    int run() const {
        if (option->count() == 0)
            return refuse({ErrorCode::usage,
                           "operator",
                           {},
                           "is missing",
                           "--operator ID such as text/0/linear_attn.in_proj/linear/0",
                           {}});
        const Result<Simulation> simulation = scenario.simulate();
        if (!simulation) return refuse(simulation.error());
        const Result<OperatorId> wanted = OperatorId::parse(id);
        const std::optional<OperatorRef> found = wanted ? simulation->find(*wanted) : std::nullopt;
        if (!found) return refuse(unknown(*simulation));
        return output.deliver(toText(explain(*simulation, *found)));
    }

    [[nodiscard]] Error unknown(const Simulation& simulation) const {
        std::vector<std::string> ids;
        simulation.forEachOperator([&](OperatorRef ref) { ids.push_back(simulation.id(ref).text()); });
        const auto meant = nearest(id, ids);
        return {ErrorCode::notFound,
                "operator",
                id.empty() ? "''" : id,
                "is not in this step",
                meant ? "\"" + *meant + "\"?"
                      : "PART/LAYER/MODULE/KIND/OCCURRENCE such as " + (ids.empty() ? std::string() : ids.front()),
                {}};
    }

    ScenarioOptions scenario;
    CLI::Option* option = nullptr;
    std::string id;
    Output output;
};

} // namespace

Run addExplain(CLI::App& command) {
    const auto explain = std::make_shared<Explain>(command);
    return [explain] { return explain->run(); };
}

} // namespace deltascope::cli
