// SPDX-License-Identifier: GPL-3.0-or-later
// What tests of the graph share: requests of the 27B model, steps under a changed engine, operators as text.
#pragma once

#include "support/catalog.h"

#include "graph/build_step.h"

#include <QStringList>

namespace deltascope::test {

// Qwen3.5-27B: H 5120, I 17408, 24 query and 4 key/value heads of 256, 16 key and 48 value heads of 128, K 4,
// 48 linear and 16 full layers, vocabulary 248,320.
inline constexpr const char* dense = "Qwen3.5-27B";

/// "module kind" of every operator of a block.
inline QStringList listOf(const Block& block) {
    QStringList list;
    for (const Operator& op : block.operators)
        list << QString::fromStdString(std::string(op.module) + ' ' + std::string(nameOf(op.kind)));
    return list;
}

/// The step of a scenario under another engine profile.
inline Step stepUnder(const Scenario& scenario, void (*change)(EngineProfile&)) {
    auto resolved = validate(builtIn(), scenario);
    if (!resolved) qFatal("%s", resolved.error().text().c_str());
    auto engine = std::make_shared<EngineProfile>(*resolved->engine);
    change(*engine);
    resolved->engine = engine;
    auto step = buildStep(*resolved);
    if (!step) qFatal("%s", step.error().text().c_str());
    return *std::move(step);
}

template <class Params>
Params paramsOf(const Step& step, std::string_view blockName, OperatorKind kind) {
    const Block* block = findBlock(step, blockName);
    const auto found = block ? operatorsOf(*block, kind) : std::vector<const Operator*>();
    return found.empty() ? Params{} : std::get<Params>(found[0]->params);
}

inline Scenario prefill(std::int64_t tokens, std::int64_t context = 0) {
    return scenarioOf(dense, Phase::prefill, tokens, context);
}
inline Scenario decode(std::int64_t requests, std::int64_t context) {
    Scenario s = scenarioOf(dense, Phase::decode, 1, context);
    s.queries = requests;
    return s;
}

} // namespace deltascope::test
