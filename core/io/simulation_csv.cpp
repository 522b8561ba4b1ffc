// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/format.h"
#include "io/simulation_output.h"

#include <span>

namespace deltascope {
namespace {

constexpr std::string_view header =
    "id,part,layer,module,kind,occurrence,start_s,time_s,matrix_s,vector_s,memory_s,communication_s,launch_s,host_wait_"
    "s,bound,"
    "provenance,matrix_flop,vector_flop,read_bytes,written_bytes,scratch_bytes,communicated_bytes,inputs,outputs\n";

/// "3510x5120 int8; 5120x8240 int8": never a comma, so no cell needs quotes.
std::string shapes(const Block& block, std::span<const std::uint16_t> indexes) {
    std::string out;
    for (std::uint16_t index : indexes) {
        const Tensor& tensor = block.tensors[index];
        if (!out.empty()) out += "; ";
        bool first = true;
        for (std::int64_t n : tensor.shape()) {
            if (!first) out += 'x';
            out += std::to_string(n);
            first = false;
        }
        if (first) out += "scalar";
        out += ' ';
        out += nameOf(tensor.dtype);
    }
    return out;
}

} // namespace

std::string toCsv(const Simulation& simulation) {
    std::string out(header);
    const auto cell = [&](std::string_view text) {
        out += text;
        out += ',';
    };
    const auto number = [&](double value) { cell(formatExact(value)); };
    simulation.forEachOperator([&](OperatorRef ref) {
        const OperatorId id = simulation.id(ref);
        const Operator& op = simulation.op(ref);
        const OperatorCost& cost = simulation.cost(ref);
        cell(id.text());
        cell(nameOf(id.part));
        cell(id.layer < 0 ? "" : std::to_string(id.layer));
        cell(id.module);
        cell(nameOf(id.kind));
        cell(std::to_string(id.occurrence));
        for (const Seconds time : {simulation.start(ref), cost.total, cost.matrix, cost.vector, cost.memory,
                                   cost.communication, cost.launch, simulation.waitBefore(ref)})
            number(time.value());
        cell(nameOf(cost.bound));
        cell(nameOf(cost.provenance));
        number(cost.work.matrixTotal());
        number(cost.work.vectorTotal());
        for (const Bytes bytes : {cost.work.read, cost.work.written, cost.work.scratch, cost.work.communicated})
            number(bytes.value());
        cell(shapes(simulation.block(ref), simulation.block(ref).inputs(op)));
        out += shapes(simulation.block(ref), simulation.block(ref).outputs(op));
        out += '\n';
    });
    return out;
}

} // namespace deltascope
