// SPDX-License-Identifier: GPL-3.0-or-later
#include "simulation/explain.h"

#include "base/format.h"
#include "scenario/module_scheme.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace deltascope {
namespace {

std::string shapeText(const Tensor& tensor) {
    std::string text(tensor.name);
    text += " [";
    for (std::size_t i = 0; i < tensor.rank; ++i)
        text += (i ? ", " : "") + formatExact(static_cast<double>(tensor.dims[i]));
    return text + "] " + std::string(nameOf(tensor.dtype));
}

/// The formula with each variable's value in its place.
std::string substitute(const std::string& formula, const FormulaLog& log) {
    std::string result;
    for (std::size_t at = 0; at < formula.size();) {
        const auto letter = static_cast<unsigned char>(formula[at]);
        if (!std::isalpha(letter)) {
            result += formula[at++];
            continue;
        }
        std::size_t end = at;
        while (end < formula.size() && std::isalnum(static_cast<unsigned char>(formula[end]))) ++end;
        const std::string name = formula.substr(at, end - at);
        const auto variable = std::find_if(log.variables.begin(), log.variables.end(),
                                           [&](const FormulaLog::Variable& v) { return v.name == name; });
        result += variable == log.variables.end() ? name : formatExact(variable->value);
        at = end;
    }
    return result;
}

std::string_view whatIs(OperatorKind kind) {
    switch (kind) {
    case OperatorKind::linear: return "Matrix product of the tokens with a weight.";
    case OperatorKind::linear_all_reduce:
        return "Row-parallel matrix product fused with the all-reduce that sums it over the ranks: it takes as long as "
               "the longer of the two.";
    case OperatorKind::quantize:
        return "Rounds activations to the number format of the next matrix product; dynamic schemes also find a scale "
               "per token.";
    case OperatorKind::attention:
        return "Softmax attention of the step's queries over the cached keys and values. Its time and its cache grow "
               "with the context.";
    case OperatorKind::linear_attn_apply_padding_mask:
        return "Zeroes the padded tokens before the projections of linear attention.";
    case OperatorKind::linear_attn_causal_conv:
        return "Causal depthwise convolution with SiLU over the q, k and v channels of a prompt.";
    case OperatorKind::linear_attn_causal_conv_update:
        return "One step of the causal convolution per sequence: the convolution state is read and written once.";
    case OperatorKind::linear_attn_fused_gdn_gating:
        return "Computes beta = sigmoid(b) and g = -exp(A_log) * softplus(a + dt_bias), and repeats query and key "
               "heads to the value heads.";
    case OperatorKind::linear_attn_chunk_gated_delta_rule:
        return "Applies the gated delta rule to a prompt in chunks of 64 tokens: attention inside each chunk, a "
               "recurrent state between chunks. Decode uses the recurrent rule instead.";
    case OperatorKind::linear_attn_recurrent_gated_delta_rule:
        return "Applies the gated delta rule token by token: every token reads and writes a whole FP32 state, whatever "
               "the context length.";
    case OperatorKind::linear_attention:
        return "Convolution with SiLU, norms of query and key, and the gated delta rule in one operator, token by "
               "token "
               "in FP32, in prefill too. Its cost per token does not grow with the context.";
    case OperatorKind::linear_attn_gated_rmsnorm: return "RMSNorm of each value head, times its weight and SiLU(z).";
    case OperatorKind::rms_norm: return "RMSNorm in one kernel.";
    case OperatorKind::add_rms_norm: return "Residual add and RMSNorm in one kernel.";
    case OperatorKind::layer_norm: return "LayerNorm with weight and bias.";
    case OperatorKind::rope: return "Rotary position embedding of query and key in one kernel.";
    case OperatorKind::swiglu: return "SiLU of the gate times the up projection.";
    case OperatorKind::gelu: return "GELU, tanh approximation.";
    case OperatorKind::kv_cache_write: return "Writes this step's keys and values into their slots of the KV cache.";
    case OperatorKind::embedding: return "Gathers the rows of the embedding table for the step's tokens.";
    case OperatorKind::patch_embedding: return "Matrix product of each image patch with the patch embedding.";
    case OperatorKind::top_k: return "Picks each token's experts from the router's probabilities.";
    case OperatorKind::softmax: return "Router probabilities.";
    case OperatorKind::moe_permute: return "Copies tokens next to each other by expert.";
    case OperatorKind::moe_unpermute: return "Brings the experts' results back into the order of the tokens.";
    case OperatorKind::grouped_matmul: return "One matrix product per expert that got tokens, in one kernel.";
    case OperatorKind::grouped_matmul_swiglu:
        return "Gate and up projections of the experts that got tokens, with SwiGLU in the epilogue.";
    case OperatorKind::all_reduce: return "Sums a tensor over the ranks of the group; every rank gets the sum.";
    case OperatorKind::all_gather: return "Every rank gets the parts of all ranks.";
    case OperatorKind::reduce_scatter: return "Sums over the ranks; every rank keeps its part of the sum.";
    case OperatorKind::all_to_all: return "Every rank sends each other rank its share.";
    case OperatorKind::argmax: return "Greedy choice of the next token from the logits.";
    case OperatorKind::gather: return "Selects rows; the whole table is read.";
    default: return "Element-wise kernel: it reads its inputs and writes its result.";
    }
}

std::optional<Scheme> schemeOfOperator(const Operator& op) {
    if (const auto* linear = std::get_if<LinearParams>(&op.params)) return linear->scheme;
    if (const auto* experts = std::get_if<GroupedMatmulParams>(&op.params)) return experts->scheme;
    return std::nullopt;
}

std::string amountText(const FormulaLog::Term& term) {
    const bool flops = term.quantity.starts_with("matrix") || term.quantity.starts_with("vector");
    return flops ? formatFlops(term.value) : formatBytes(Bytes(term.value), ByteUnit::decimal);
}

/// When the device waits before the operator: the launch that it waits for.
void explainWait(Explanation& e, const Simulation& s, OperatorRef ref) {
    const Seconds wait = s.waitBefore(ref);
    if (wait > Seconds{})
        e.time.push_back({"waits for the host before",
                          "kernels launched one by one * dispatch - end of what ran before",
                          formatSeconds(s.host->dispatch) + " per kernel, " + std::string(nameOf(s.host->mode)),
                          formatSeconds(wait)});
}

void explainTime(Explanation& e, const Simulation& s, OperatorRef ref) {
    const OperatorCost& cost = s.cost(ref);
    const Work& work = cost.work;
    for (std::size_t i = 0; i < rateDTypeCount; ++i) {
        if (work.matrix[i] > 0.0)
            e.time.push_back({"matrix " + std::string(dtypeNames[i]), "FLOPs / rate",
                              formatFlops(work.matrix[i]) + " / " + formatFlopRate(s.rates.matrix[i]),
                              formatSeconds(Seconds(work.matrix[i] / s.rates.matrix[i]))});
    }
    for (std::size_t i = 0; i < rateDTypeCount; ++i) {
        if (work.vector[i] > 0.0)
            e.time.push_back({"vector " + std::string(dtypeNames[i]), "FLOPs / rate",
                              formatFlops(work.vector[i]) + " / " + formatFlopRate(s.rates.vector[i]),
                              formatSeconds(Seconds(work.vector[i] / s.rates.vector[i]))});
    }
    if (work.moved().value() > 0.0)
        e.time.push_back({"memory", "(read + written + scratch) / bandwidth",
                          formatBytes(work.moved(), ByteUnit::decimal) + " / " + formatByteRate(s.rates.memory),
                          formatSeconds(cost.memory)});
    if (work.ranks > 1) {
        const InterconnectTier* tier = tierFor(*s.rates.device, work.ranks);
        e.time.push_back({"communication", "latency + volume / bandwidth",
                          formatExact(static_cast<double>(work.ranks)) + " ranks over " +
                              (tier ? tier->name : "no link") + ", " +
                              formatBytes(work.communicated, ByteUnit::decimal) + " each",
                          formatSeconds(cost.communication)});
    }
    e.time.push_back({"launch", "launch cost * (1 + extra launches)",
                      std::to_string(1 + work.extraLaunches) + " launches", formatSeconds(cost.launch)});
    const char* total = s.op(ref).kind == OperatorKind::linear_all_reduce
                            ? "max(max(matrix + vector, memory) + matrix launch, communication + its launch)"
                            : "max(matrix + vector, memory, communication) + launch";
    if (const CalibrationRule* rule = s.ruleOf(cost)) {
        e.time.back().result = "as the roofline has it";
        const std::string seen =
            cost.extrapolated ? "outside the sizes that were measured" : "within the sizes that were measured";
        e.time.push_back({"time", lawText(*rule), seen, formatSeconds(cost.total)});
        return;
    }
    e.time.push_back({"time", total, "", formatSeconds(cost.total)});
}

} // namespace

Explanation explain(const Simulation& simulation, OperatorRef ref) {
    Explanation e;
    const Operator& op = simulation.op(ref);
    const Block& block = simulation.block(ref);
    const Segment& segment = simulation.segment(ref);
    const OperatorCost& cost = simulation.cost(ref);
    e.title = nameOf(op.kind);
    e.path = std::string(nameOf(segment.part));
    if (segment.layer >= 0)
        e.path += (segment.part == Part::mtp      ? " / draft "
                   : segment.part == Part::vision ? " / block "
                                                  : " / layer ") +
                  std::to_string(segment.layer);
    e.path += " / " + std::string(op.module);
    e.what = whatIs(op.kind);
    if (const auto scheme = schemeOfOperator(op))
        e.what += " Its scheme is " + std::string(factsOf(*scheme).label) + ".";
    for (std::uint16_t id : block.inputs(op)) e.shapes.push_back(shapeText(block.tensors[id]));
    for (std::uint16_t id : block.outputs(op)) e.shapes.push_back("-> " + shapeText(block.tensors[id]));
    FormulaLog log;
    (void)workOf(block, op, activationRate(simulation.scenario), &log);
    for (const FormulaLog::Variable& v : log.variables)
        e.values.push_back({v.name, v.meaning, {}, formatExact(v.value)});
    for (const FormulaLog::Term& term : log.terms)
        if (term.value != 0.0)
            e.work.push_back({term.quantity, term.formula, substitute(term.formula, log), amountText(term)});
    explainWait(e, simulation, ref);
    explainTime(e, simulation, ref);
    e.bound = nameOf(cost.bound);
    e.provenance = nameOf(cost.provenance);
    if (const CalibrationRule* rule = simulation.ruleOf(cost))
        e.provenance +=
            ", between " + formatSeconds(cost.low) + " and " + formatSeconds(cost.high) + "; " + rule->source;
    return e;
}

std::string toText(const Explanation& e) {
    std::string text = e.title + "\n" + e.path + "\n" + e.what + "\n";
    const auto section = [&](const char* name, const std::vector<ExplanationLine>& lines) {
        if (lines.empty()) return;
        text += "\n" + std::string(name) + "\n";
        for (const ExplanationLine& line : lines) {
            text += "  " + line.label + std::string(line.label.size() < 18 ? 18 - line.label.size() : 1, ' ');
            text += line.formula;
            if (!line.substituted.empty()) text += " = " + line.substituted;
            text += " = " + line.result + "\n";
        }
    };
    if (!e.shapes.empty()) {
        text += "\nshapes (per rank)\n";
        for (const std::string& shape : e.shapes) text += "  " + shape + "\n";
    }
    section("values", e.values);
    section("work", e.work);
    section("time", e.time);
    text += "\nbound       " + e.bound + "\nprovenance  " + e.provenance + "\n";
    return text;
}

} // namespace deltascope
