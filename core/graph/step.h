// SPDX-License-Identifier: GPL-3.0-or-later
// One inference step as operators: distinct blocks, and the segments that use them. Equal layers share one block.
#pragma once

#include "base/dtype.h"
#include "base/operator_kind.h"
#include "base/units.h"
#include "catalog/model_config.h"
#include "catalog/scheme.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace deltascope {

enum class Part : std::uint8_t { vision, embedding, text, head, mtp };
inline constexpr std::size_t partCount = 5;
inline constexpr std::array<std::string_view, partCount> partNames{"vision", "embedding", "text", "head", "mtp"};
[[nodiscard]] constexpr std::string_view nameOf(Part part) { return partNames[static_cast<std::size_t>(part)]; }

enum class TensorRole : std::uint8_t {
    activation, ///< allocated by its producer, freed after its last reader
    weight,     ///< resident, counted by memory/
    state       ///< KV cache, recurrent and convolution state, tables: resident, counted by memory/
};

/// A tensor of one block. `storage` is the tensor that owns the memory: itself, or what it is a view of.
struct Tensor {
    std::string_view name;
    std::array<std::int64_t, 4> dims{};
    std::uint8_t rank = 0;
    DType dtype = DType::bf16;
    TensorRole role = TensorRole::activation;
    std::uint16_t storage = 0;

    [[nodiscard]] std::span<const std::int64_t> shape() const { return {dims.data(), rank}; }
    [[nodiscard]] double elements() const {
        double n = 1.0;
        for (std::size_t i = 0; i < rank; ++i) n *= static_cast<double>(dims[i]);
        return n;
    }
    [[nodiscard]] Bytes bytes() const { return Bytes(elements() * bytesPerElement(dtype)); }
};

// Parameters of the operators whose work is more than the traffic of their tensors. Sizes are per rank; see cost/work.h
// for the formulas.
struct TensorTraffic {}; ///< reads its inputs, writes its outputs
struct LinearParams {
    double m, k, n;
    Scheme scheme;
    bool bias;
    bool biasFlops;     ///< whether the engine counts the bias add
    std::int64_t ranks; ///< of the all-reduce that is fused into it; 1 when there is none
    ScaleLayout scales{};
};
struct QuantizeParams {
    double m, k;
    bool perTokenScale;
};
struct AttentionParams {
    double queryTokens;                        ///< T
    double scorePairs;                         ///< S: query-key pairs per head, after the causal discount if any
    double cacheTokens;                        ///< sum over requests of c_i + q_i
    double queryHeads, keyValueHeads, headDim; ///< per rank
    DType cacheDType;
    double launches = 1.0; ///< kernels: one per image in the vision tower
    double sequences = 1.0;
};
struct CausalConvParams {
    double tokens, channels, kernel, sequences;
    bool update;
    double statePasses; ///< of the body: 1 when it writes the state, 2 when it reads one too
};
struct GatingParams {
    double tokens, keyHeads, valueHeads, keyHeadDim;
};
struct ChunkRuleParams {
    double validTokens;  ///< sum of the sequences' tokens
    double paddedTokens; ///< the same after each is rounded up to whole chunks
    double sequences;    ///< states written
    double chunk;        ///< tokens per chunk
    double heads, keyHeadDim, valueHeadDim;
    bool previousState;
    bool movesScratch; ///< one operator of several kernels that hand their results through memory
};
struct LayoutParams {
    double elements;
    double passes; ///< times the elements are read and written
    double launches;
};
struct RecurrentRuleParams {
    double rows, heads, keyHeadDim, valueHeadDim;
};
/// The whole mixer between the projections in one operator, token by token.
struct LinearAttentionParams {
    double tokens, sequences;
    double channels, kernel; ///< of the convolution
    double heads, keyHeadDim, valueHeadDim;
    double states;        ///< recurrent states read and written: one per sequence, or one per token
    DType convStateDType; ///< of the K - 1 columns kept
    double launches;
};
struct GatedNormParams {
    double rows, dim;
};
struct NormParams {
    double rows, dim;
    bool residual;
};
struct SwigluParams {
    double rows, dim;
};
/// Rows of a table, one per token.
struct EmbeddingParams {
    double tokens, hidden;
};
struct GroupedMatmulParams {
    double rows;    ///< of all experts of this rank
    double k, n;    ///< of one expert's weight
    double experts; ///< that get rows: their weights are read
    Scheme scheme;
    bool swiglu; ///< in the epilogue: n columns become n / 2
    ScaleLayout scales{};
};
/// `bytes` of the tensor a rank contributes; of an all-to-all what it sends and, in `received`, what comes back.
struct CollectiveParams {
    std::int64_t ranks;
    Bytes bytes;
    Bytes received;
};

using OperatorParams =
    std::variant<TensorTraffic, LinearParams, QuantizeParams, AttentionParams, CausalConvParams, GatingParams,
                 ChunkRuleParams, RecurrentRuleParams, GatedNormParams, NormParams, SwigluParams, EmbeddingParams,
                 CollectiveParams, GroupedMatmulParams, LayoutParams, LinearAttentionParams>;

struct Operator {
    OperatorKind kind = OperatorKind::copy;
    std::uint8_t inputCount = 0;
    std::uint8_t outputCount = 0;
    std::uint16_t occurrence = 0;    ///< among the operators of the same module and kind
    std::uint32_t firstArgument = 0; ///< into Block::arguments: inputs, then outputs
    std::string_view module;         ///< path inside the layer: "linear_attn.in_proj"
    OperatorParams params;
};

struct Block {
    std::string_view name; ///< "linear layer", "full layer", "embedding", "head", "draft"
    std::vector<Tensor> tensors;
    std::vector<std::uint16_t> arguments;
    std::vector<Operator> operators;
    std::vector<std::uint16_t> liveIn;  ///< activations that exist before the first operator
    std::vector<std::uint16_t> liveOut; ///< activations that outlive the last one

    [[nodiscard]] std::span<const std::uint16_t> inputs(const Operator& op) const {
        return {arguments.data() + op.firstArgument, op.inputCount};
    }
    [[nodiscard]] std::span<const std::uint16_t> outputs(const Operator& op) const {
        return {arguments.data() + op.firstArgument + op.inputCount, op.outputCount};
    }
};

/// One use of a block: a layer of the trunk, the embedding, the head, one MTP draft.
struct Segment {
    Part part = Part::text;
    std::int32_t layer = -1;                          ///< index in its part; -1 outside layers
    LayerType layerType = LayerType::linearAttention; ///< of the layers of the trunk
    std::uint32_t block = 0;
    Bytes held; ///< activations of earlier segments that are alive throughout this one
};

/// What an engine hands to the layers beside the tokens.
struct StepMetadata {
    std::vector<std::int64_t> queryLengths;   ///< per request
    std::vector<bool> isDecode;               ///< per request
    std::vector<std::int64_t> positionStarts; ///< per request: its context length
    bool hasPreviousState = false;
    std::int64_t baseDecodeQueryLength = 0; ///< 1 when MTP is on in decode
    std::int64_t mtpTokens = 0;
    std::int64_t effectiveDecodeSteps = 0; ///< the query length in decode, else 0
};

enum class Rule : std::uint8_t { none, chunk, recurrent, mixed };
enum class ConvPath : std::uint8_t { none, body, update, mixed };
[[nodiscard]] constexpr std::string_view nameOf(Rule rule) {
    constexpr std::array<std::string_view, 4> names{"none", "chunk", "recurrent", "mixed"};
    return names[static_cast<std::size_t>(rule)];
}
[[nodiscard]] constexpr std::string_view nameOf(ConvPath path) {
    constexpr std::array<std::string_view, 4> names{"none", "body", "update", "mixed"};
    return names[static_cast<std::size_t>(path)];
}

struct Step {
    std::vector<Block> blocks;
    std::vector<Segment> segments; ///< in order of execution
    StepMetadata metadata;
    Rule rule = Rule::none;
    ConvPath conv = ConvPath::none;
};

} // namespace deltascope
