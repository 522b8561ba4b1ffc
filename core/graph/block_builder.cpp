// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph/block_builder.h"

#include <algorithm>

namespace deltascope {

BlockBuilder::BlockBuilder(std::string_view name) {
    block_.name = name;
    block_.tensors.reserve(128);
    block_.arguments.reserve(224);
    block_.operators.reserve(80);
}

TensorId BlockBuilder::append(std::string_view name, DType dtype, std::initializer_list<std::int64_t> dims,
                              TensorRole role) {
    Tensor tensor;
    tensor.name = name;
    tensor.rank = static_cast<std::uint8_t>(dims.size());
    std::copy(dims.begin(), dims.end(), tensor.dims.begin());
    tensor.dtype = dtype;
    tensor.role = role;
    tensor.storage = static_cast<TensorId>(block_.tensors.size());
    block_.tensors.push_back(tensor);
    return tensor.storage;
}

TensorId BlockBuilder::activation(std::string_view name, DType dtype, std::initializer_list<std::int64_t> dims) {
    return append(name, dtype, dims, TensorRole::activation);
}

TensorId BlockBuilder::weight(std::string_view name, DType dtype, std::initializer_list<std::int64_t> dims) {
    return append(name, dtype, dims, TensorRole::weight);
}

TensorId BlockBuilder::state(std::string_view name, DType dtype, std::initializer_list<std::int64_t> dims) {
    return append(name, dtype, dims, TensorRole::state);
}

TensorId BlockBuilder::view(TensorId base, std::string_view name, std::initializer_list<std::int64_t> dims) {
    const TensorId storage = block_.tensors[base].storage;
    const TensorId id = append(name, block_.tensors[base].dtype, dims, block_.tensors[base].role);
    block_.tensors[id].storage = storage;
    return id;
}

TensorId BlockBuilder::input(std::string_view name, DType dtype, std::initializer_list<std::int64_t> dims) {
    const TensorId id = activation(name, dtype, dims);
    block_.liveIn.push_back(id);
    return id;
}

void BlockBuilder::keep(TensorId id) { block_.liveOut.push_back(block_.tensors[id].storage); }

void BlockBuilder::add(OperatorKind kind, std::string_view module, std::span<const TensorId> inputs,
                       std::span<const TensorId> outputs, const OperatorParams& params) {
    Operator op;
    op.kind = kind;
    op.module = module;
    op.inputCount = static_cast<std::uint8_t>(inputs.size());
    op.outputCount = static_cast<std::uint8_t>(outputs.size());
    op.firstArgument = static_cast<std::uint32_t>(block_.arguments.size());
    op.params = params;
    for (auto other = block_.operators.rbegin(); other != block_.operators.rend(); ++other) {
        if (other->kind == kind && other->module == module) {
            op.occurrence = static_cast<std::uint16_t>(other->occurrence + 1);
            break;
        }
    }
    block_.arguments.insert(block_.arguments.end(), inputs.begin(), inputs.end());
    block_.arguments.insert(block_.arguments.end(), outputs.begin(), outputs.end());
    block_.operators.push_back(op);
}

} // namespace deltascope
