// SPDX-License-Identifier: GPL-3.0-or-later
// The kinds of operator a step consists of, their names and the class each belongs to in every view.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace deltascope {

/// Colour classes: fixed over all views.
enum class OperatorClass : std::uint8_t {
    linear,
    linearAttention,
    fullAttention,
    norm,
    quantize,
    activation,
    experts,
    communication,
    other
};
inline constexpr std::size_t operatorClassCount = 9;
inline constexpr std::array<std::string_view, operatorClassCount> operatorClassNames{
    "linear",     "linear attention", "full attention", "norm, element-wise",     "quantize",
    "activation", "experts",          "communication",  "embedding, cache, other"};

// name, class, communication operators run on the link lane
#define DELTASCOPE_OPERATOR_KINDS(X)                                                                                   \
    X(linear, linear)                                                                                                  \
    X(linear_all_reduce, linear)                                                                                       \
    X(quantize, quantize)                                                                                              \
    X(attention, fullAttention)                                                                                        \
    X(linear_attn_apply_padding_mask, linearAttention)                                                                 \
    X(linear_attn_causal_conv, linearAttention)                                                                        \
    X(linear_attn_causal_conv_update, linearAttention)                                                                 \
    X(linear_attn_fused_gdn_gating, linearAttention)                                                                   \
    X(linear_attn_chunk_gated_delta_rule, linearAttention)                                                             \
    X(linear_attn_recurrent_gated_delta_rule, linearAttention)                                                         \
    X(linear_attn_gated_rmsnorm, linearAttention)                                                                      \
    X(linear_attention, linearAttention)                                                                               \
    X(linear_attn_chunk_cumsum, linearAttention)                                                                       \
    X(linear_attn_chunk_kkt, linearAttention)                                                                          \
    X(linear_attn_chunk_solve_tril, linearAttention)                                                                   \
    X(linear_attn_chunk_merge, linearAttention)                                                                        \
    X(linear_attn_chunk_wu, linearAttention)                                                                           \
    X(linear_attn_chunk_state, linearAttention)                                                                        \
    X(linear_attn_chunk_output, linearAttention)                                                                       \
    X(rms_norm, norm)                                                                                                  \
    X(add_rms_norm, norm)                                                                                              \
    X(layer_norm, norm)                                                                                                \
    X(rope, norm)                                                                                                      \
    X(swiglu, activation)                                                                                              \
    X(gelu, activation)                                                                                                \
    X(kv_cache_write, other)                                                                                           \
    X(embedding, other)                                                                                                \
    X(patch_embedding, linear)                                                                                         \
    X(top_k, experts)                                                                                                  \
    X(softmax, experts)                                                                                                \
    X(moe_permute, experts)                                                                                            \
    X(moe_unpermute, experts)                                                                                          \
    X(grouped_matmul, experts)                                                                                         \
    X(grouped_matmul_swiglu, experts)                                                                                  \
    X(all_reduce, communication)                                                                                       \
    X(all_gather, communication)                                                                                       \
    X(reduce_scatter, communication)                                                                                   \
    X(all_to_all, communication)                                                                                       \
    X(argmax, other)                                                                                                   \
    X(mul, norm)                                                                                                       \
    X(pow, norm)                                                                                                       \
    X(mean, norm)                                                                                                      \
    X(add, norm)                                                                                                       \
    X(rsqrt, norm)                                                                                                     \
    X(cast, norm)                                                                                                      \
    X(copy, norm)                                                                                                      \
    X(concat, norm)                                                                                                    \
    X(sigmoid, norm)                                                                                                   \
    X(neg, norm)                                                                                                       \
    X(gather, norm)                                                                                                    \
    X(sum, norm)                                                                                                       \
    X(div, norm)                                                                                                       \
    X(sub, norm)                                                                                                       \
    X(exp, norm)                                                                                                       \
    X(max, norm)                                                                                                       \
    X(scatter, norm)                                                                                                   \
    X(pad, norm)                                                                                                       \
    X(transpose, norm)                                                                                                 \
    X(slice, norm)

enum class OperatorKind : std::uint8_t {
#define X(name, cls) name,
    DELTASCOPE_OPERATOR_KINDS(X)
#undef X
};

inline constexpr std::array operatorKindNames{
#define X(name, cls) std::string_view{#name},
    DELTASCOPE_OPERATOR_KINDS(X)
#undef X
};
inline constexpr std::size_t operatorKindCount = operatorKindNames.size();

inline constexpr std::array<OperatorClass, operatorKindCount> operatorKindClasses{
#define X(name, cls) OperatorClass::cls,
    DELTASCOPE_OPERATOR_KINDS(X)
#undef X
};

[[nodiscard]] constexpr std::string_view nameOf(OperatorKind kind) {
    return operatorKindNames[static_cast<std::size_t>(kind)];
}
[[nodiscard]] constexpr std::string_view nameOf(OperatorClass cls) {
    return operatorClassNames[static_cast<std::size_t>(cls)];
}
[[nodiscard]] constexpr OperatorClass classOf(OperatorKind kind) {
    return operatorKindClasses[static_cast<std::size_t>(kind)];
}
[[nodiscard]] constexpr bool isCommunication(OperatorKind kind) {
    return classOf(kind) == OperatorClass::communication;
}
[[nodiscard]] std::optional<OperatorKind> operatorKindFromName(std::string_view name);

} // namespace deltascope
