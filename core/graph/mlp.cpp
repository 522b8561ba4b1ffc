// SPDX-License-Identifier: GPL-3.0-or-later
// Dense MLP: gate and up in one matmul, SwiGLU, down.
#include "graph/context.h"

#include <array>

namespace deltascope {

TensorId mlp(BlockBuilder& b, const GraphContext& g, std::string_view prefix, TensorId x) {
    const std::int64_t columns = g.text.intermediate / g.t;
    const std::array projections{Projection{"mlp.gate_proj", columns, {}}, Projection{"mlp.up_proj", columns, {}}};
    const auto projected = mergedLinear(b, g, prefix, "mlp.gate_up_proj", projections, x);
    const TensorId y = b.activation("silu(gate) * up", g.a, {g.T, columns});
    b.add(OperatorKind::swiglu, "mlp.act_fn", {projected[0], projected[1]}, {y},
          SwigluParams{static_cast<double>(g.T), static_cast<double>(columns)});
    return linear(b, g, prefix, "mlp.down_proj", y, g.H, {.reduceRanks = g.t});
}

} // namespace deltascope
