// SPDX-License-Identifier: GPL-3.0-or-later
// Puts tensors and operators of one block together. Names are string literals: blocks keep views of them.
#pragma once

#include "graph/step.h"

#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

namespace deltascope {

using TensorId = std::uint16_t;

class BlockBuilder {
public:
    explicit BlockBuilder(std::string_view name);

    /// Activation produced by a later add(); allocated then, freed after its last reader.
    TensorId activation(std::string_view name, DType dtype, std::initializer_list<std::int64_t> dims);
    TensorId weight(std::string_view name, DType dtype, std::initializer_list<std::int64_t> dims);
    TensorId state(std::string_view name, DType dtype, std::initializer_list<std::int64_t> dims);
    /// Another shape or a slice of `base`; keeps its memory alive.
    TensorId view(TensorId base, std::string_view name, std::initializer_list<std::int64_t> dims);

    /// An activation that exists before the block runs, or one that outlives it.
    TensorId input(std::string_view name, DType dtype, std::initializer_list<std::int64_t> dims);
    void keep(TensorId id);

    void add(OperatorKind kind, std::string_view module, std::span<const TensorId> inputs,
             std::span<const TensorId> outputs, const OperatorParams& params = TensorTraffic{});
    void add(OperatorKind kind, std::string_view module, std::initializer_list<TensorId> inputs,
             std::initializer_list<TensorId> outputs, const OperatorParams& params = TensorTraffic{}) {
        add(kind, module, std::span(inputs.begin(), inputs.size()), std::span(outputs.begin(), outputs.size()), params);
    }

    [[nodiscard]] const Tensor& tensor(TensorId id) const { return block_.tensors[id]; }
    [[nodiscard]] Block take() { return std::move(block_); }

private:
    TensorId append(std::string_view name, DType dtype, std::initializer_list<std::int64_t> dims, TensorRole role);

    Block block_;
};

} // namespace deltascope
