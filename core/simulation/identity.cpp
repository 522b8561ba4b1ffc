// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulation/simulation.h"

#include <algorithm>
#include <charconv>

namespace deltascope {
namespace {

Error malformed(std::string_view text, std::string why) {
    return {ErrorCode::notFound,
            "operator",
            std::string(text),
            std::move(why),
            "part/layer/module/kind/occurrence such as text/12/linear_attn.in_proj/linear/0",
            {}};
}

template <class Number>
bool parseNumber(std::string_view text, Number& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
}

} // namespace

std::string OperatorId::text() const {
    std::string id(nameOf(part));
    id += '/';
    id += layer < 0 ? "-" : std::to_string(layer);
    id += '/';
    id += module;
    id += '/';
    id += nameOf(kind);
    id += '/';
    id += std::to_string(occurrence);
    return id;
}

Result<OperatorId> OperatorId::parse(std::string_view text) {
    std::vector<std::string_view> fields;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t slash = std::min(text.find('/', at), text.size());
        fields.push_back(text.substr(at, slash - at));
        at = slash + 1;
    }
    if (fields.size() != 5) return malformed(text, "has not five fields");
    OperatorId id;
    const auto part = std::find(partNames.begin(), partNames.end(), fields[0]);
    if (part == partNames.end()) return malformed(text, "names no part of the step");
    id.part = static_cast<Part>(part - partNames.begin());
    if (fields[1] != "-" && (!parseNumber(fields[1], id.layer) || id.layer < 0))
        return malformed(text, "names no layer");
    id.module = fields[2];
    const auto kind = operatorKindFromName(fields[3]);
    if (!kind) return malformed(text, "names no kind of operator");
    id.kind = *kind;
    if (!parseNumber(fields[4], id.occurrence)) return malformed(text, "names no occurrence");
    return id;
}

OperatorId Simulation::id(OperatorRef ref) const {
    const Segment& where = segment(ref);
    const Operator& what = op(ref);
    return {where.part, where.layer, std::string(what.module), what.kind, what.occurrence};
}

std::optional<OperatorRef> Simulation::find(const OperatorId& id) const {
    for (std::uint32_t s = 0; s < step.segments.size(); ++s) {
        const Segment& where = step.segments[s];
        if (where.part != id.part || where.layer != id.layer) continue;
        const auto& operators = step.blocks[where.block].operators;
        for (std::uint32_t i = 0; i < operators.size(); ++i)
            if (operators[i].kind == id.kind && operators[i].occurrence == id.occurrence &&
                operators[i].module == id.module)
                return OperatorRef{s, i};
    }
    return std::nullopt;
}

} // namespace deltascope
