// SPDX-License-Identifier: GPL-3.0-or-later
#include "cost/work.h"

#include "catalog/scheme.h"

#include <algorithm>

namespace deltascope {
namespace {

/// Adds terms to a Work and, when asked, writes down the formula that each value was computed by. The text of a formula
/// must evaluate to the value: a test holds one against the other.
class Terms {
public:
    Terms(Work& work, FormulaLog* log) : work_(work), log_(log) {}

    void let(const char* name, double value, const char* meaning) {
        if (log_) log_->variables.push_back({name, value, meaning});
    }
    void matrix(DType dtype, double value, const char* formula) {
        work_.matrix[static_cast<std::size_t>(dtype)] += value;
        if (log_) log_->terms.push_back({"matrix " + std::string(nameOf(dtype)), formula, value});
    }
    void vector(DType dtype, double value, const char* formula) {
        work_.vector[static_cast<std::size_t>(dtype)] += value;
        if (log_) log_->terms.push_back({"vector " + std::string(nameOf(dtype)), formula, value});
    }
    void read(double value, const char* formula) { bytes(work_.read, "read", value, formula); }
    void written(double value, const char* formula) { bytes(work_.written, "written", value, formula); }
    void scratch(double value, const char* formula) { bytes(work_.scratch, "scratch", value, formula); }
    void residentScratch(double value, const char* formula) {
        bytes(work_.residentScratch, "resident scratch", value, formula);
    }
    void communicated(double value, const char* formula) { bytes(work_.communicated, "communicated", value, formula); }

private:
    void bytes(Bytes& sum, const char* quantity, double value, const char* formula) {
        sum += Bytes(value);
        if (log_) log_->terms.push_back({quantity, formula, value});
    }

    Work& work_;
    FormulaLog* log_;
};

/// Everything a formula needs beside its parameters.
struct Scope {
    const Block& block;
    const Operator& op;
    DType rate; ///< that work in the activations' format runs at
    double a;   ///< bytes of an activation element
    Terms& terms;

    [[nodiscard]] const Tensor& output(std::size_t i = 0) const { return block.tensors[block.outputs(op)[i]]; }
};

constexpr double fp32Bytes = bytesPerElement(DType::fp32);
constexpr double indexBytes = bytesPerElement(DType::int64);

void workOfParams(const Scope& s, const TensorTraffic&) {
    double in = 0.0, out = 0.0;
    for (std::uint16_t id : s.block.inputs(s.op)) in += s.block.tensors[id].bytes().value();
    for (std::uint16_t id : s.block.outputs(s.op)) out += s.block.tensors[id].bytes().value();
    s.terms.let("in", in, "bytes of the inputs");
    s.terms.let("out", out, "bytes of the results");
    s.terms.read(in, "in");
    s.terms.written(out, "out");
}

void workOfParams(const Scope& s, const LinearParams& p) {
    const SchemeFacts& facts = factsOf(p.scheme);
    const double M = p.m, K = p.k, N = p.n;
    const double x = bytesPerElement(facts.activation), w = bytesPerElement(facts.weight);
    const double scales = scaleBytes(p.scales, K, N);
    s.terms.let("M", M, "rows");
    s.terms.let("K", K, "input columns");
    s.terms.let("N", N, "output columns");
    s.terms.let("x", x, "bytes of an input element");
    s.terms.let("w", w, "bytes of a weight");
    s.terms.let("a", s.a, "bytes of an output element");
    s.terms.let("scales", scales, "bytes of the weight's scales");
    const DType unit = facts.matrix == DType::bf16 || facts.matrix == DType::fp16 ? s.rate : facts.matrix;
    s.terms.matrix(unit, 2.0 * M * K * N, "2*M*K*N");
    if (facts.unpacksInt4) s.terms.vector(DType::fp32, K * N, "K*N");
    s.terms.read(M * K * x, "M*K*x");
    s.terms.read(K * N * w + scales, "K*N*w + scales");
    if (p.bias) s.terms.read(N * s.a, "N*a");
    if (p.bias && p.biasFlops) s.terms.vector(s.rate, M * N, "M*N");
    s.terms.written(M * N * s.a, "M*N*a");
    if (p.ranks > 1) s.terms.communicated(M * N * s.a, "M*N*a");
}

void workOfParams(const Scope& s, const QuantizeParams& p) {
    const double M = p.m, K = p.k, x = bytesPerElement(s.output().dtype);
    s.terms.let("M", M, "rows");
    s.terms.let("K", K, "columns");
    s.terms.let("a", s.a, "bytes of an activation element");
    s.terms.let("x", x, "bytes of a quantized element");
    s.terms.read(M * K * s.a, "M*K*a");
    s.terms.written(M * K * x, "M*K*x");
    if (p.perTokenScale) s.terms.written(M * fp32Bytes, "M*4");
}

void workOfParams(const Scope& s, const AttentionParams& p) {
    const double T = p.queryTokens, S = p.scorePairs, L = p.cacheTokens;
    const double Nq = p.queryHeads, Nkv = p.keyValueHeads, d = p.headDim, kv = bytesPerElement(p.cacheDType);
    s.terms.let("T", T, "query tokens");
    s.terms.let("S", S, "query-key pairs per head");
    s.terms.let("L", L, "cached tokens, of all requests, with this step's");
    s.terms.let("Nq", Nq, "query heads");
    s.terms.let("Nkv", Nkv, "key/value heads");
    s.terms.let("d", d, "head dim");
    s.terms.let("a", s.a, "bytes of an activation element");
    s.terms.let("kv", kv, "bytes of a cache element");
    s.terms.matrix(s.rate, 4.0 * S * Nq * d, "4*S*Nq*d");
    s.terms.vector(s.rate, 4.0 * S * Nq, "4*S*Nq");
    s.terms.read(T * Nq * d * s.a, "T*Nq*d*a");
    s.terms.read(L * 2.0 * Nkv * d * kv, "L*2*Nkv*d*kv");
    if (p.cacheDType == DType::int8) { // minus the offset, times the scale of the channel, in FP32
        s.terms.vector(DType::fp32, 2.0 * L * 2.0 * Nkv * d, "2*L*2*Nkv*d");
        s.terms.read(2.0 * 2.0 * Nkv * d * fp32Bytes, "2*2*Nkv*d*4");
    }
    s.terms.written(T * Nq * d * s.a, "T*Nq*d*a");
}

void workOfParams(const Scope& s, const CausalConvParams& p) {
    const double T = p.tokens, C = p.channels, K = p.kernel, B = p.sequences;
    s.terms.let("T", T, "tokens");
    s.terms.let("C", C, "channels of q, k and v");
    s.terms.let("K", K, "kernel width");
    s.terms.let("a", s.a, "bytes of an activation element");
    s.terms.vector(s.rate, T * C * (2.0 * K + 6.0), "T*C*(2*K + 6)");
    s.terms.read(T * C * s.a, "T*C*a");
    s.terms.read(C * K * s.a, "C*K*a");
    s.terms.written(T * C * s.a, "T*C*a");
    if (!p.update && p.statePasses == 0.0) return;
    s.terms.let("B", B, "sequences whose state is moved");
    if (!p.update) {
        s.terms.written(B * C * (K - 1.0) * s.a, "B*C*(K - 1)*a");
        if (p.statePasses > 1.0) s.terms.read(B * C * (K - 1.0) * s.a, "B*C*(K - 1)*a");
        return;
    }
    s.terms.scratch(B * C * K * s.a, "B*C*K*a");
}

void workOfParams(const Scope& s, const GatingParams& p) {
    const double T = p.tokens, Hk = p.keyHeads, Hv = p.valueHeads, dk = p.keyHeadDim;
    s.terms.let("T", T, "tokens");
    s.terms.let("Hk", Hk, "key heads");
    s.terms.let("Hv", Hv, "value heads");
    s.terms.let("dk", dk, "key head dim");
    s.terms.let("a", s.a, "bytes of an activation element");
    s.terms.vector(s.rate, 4.0 * T * Hv, "4*T*Hv");
    s.terms.vector(DType::fp32, Hv + 7.0 * T * Hv, "Hv + 7*T*Hv");
    s.terms.read(2.0 * T * Hk * dk * s.a, "2*T*Hk*dk*a");
    s.terms.read(2.0 * T * Hv * s.a, "2*T*Hv*a");
    s.terms.read(Hv * (4.0 + s.a), "Hv*(4 + a)");
    s.terms.written(2.0 * T * Hv * dk * s.a, "2*T*Hv*dk*a");
    s.terms.written(T * Hv * (s.a + 4.0), "T*Hv*(a + 4)");
}

/// One stage of the chunk rule as a kernel of its own: matrix work on the operands' format, its tensors moved once.
void workOfChunkStage(const Scope& s, const ChunkRuleParams& p) {
    const double c = p.chunk, dk = p.keyHeadDim, dv = p.valueHeadDim;
    const double pos = p.paddedTokens * p.heads, nc = pos / c;
    Terms& t = s.terms;
    t.let("p", pos, "padded tokens times value heads");
    t.let("c", c, "tokens of a chunk");
    t.let("n", nc, "chunks times value heads");
    t.let("dk", dk, "key head dim");
    t.let("dv", dv, "value head dim");
    switch (s.op.kind) {
    case OperatorKind::linear_attn_chunk_cumsum: t.vector(DType::fp32, pos, "p"); break;
    case OperatorKind::linear_attn_chunk_kkt: t.matrix(s.rate, 2.0 * nc * c * c * dk, "2*n*c*c*dk"); break;
    case OperatorKind::linear_attn_chunk_solve_tril:
        // four 16 x 16 triangular inverses a chunk, row by row
        t.vector(DType::fp32, nc * 4.0 * 16.0 * 16.0 * 16.0 / 3.0, "n*4*16*16*16/3");
        break;
    case OperatorKind::linear_attn_chunk_merge:
        // six off-diagonal blocks, products of two to five 16 x 16 matrices: 20 products
        t.matrix(DType::fp32, nc * 20.0 * 2.0 * 16.0 * 16.0 * 16.0, "n*20*2*16*16*16");
        break;
    case OperatorKind::linear_attn_chunk_wu: t.matrix(s.rate, 2.0 * nc * c * c * (dk + dv), "2*n*c*c*(dk + dv)"); break;
    case OperatorKind::linear_attn_chunk_state: t.matrix(s.rate, 4.0 * pos * dk * dv, "4*p*dk*dv"); break;
    default:
        t.matrix(s.rate, 2.0 * pos * dk * dv, "2*p*dk*dv");
        t.matrix(s.rate, 2.0 * nc * c * c * (dk + dv), "2*n*c*c*(dk + dv)");
        break;
    }
    workOfParams(s, TensorTraffic{});
}

// Sources: the chunked form of the gated delta rule (Yang et al., Gated Delta Networks, 2024): inside a chunk the
// products k*kT, q*kT, the triangular solve and its application; across chunks the state.
void workOfParams(const Scope& s, const ChunkRuleParams& p) {
    if (s.op.kind != OperatorKind::linear_attn_chunk_gated_delta_rule) {
        workOfChunkStage(s, p);
        return;
    }
    const double c = p.chunk, dk = p.keyHeadDim, dv = p.valueHeadDim, heads = p.heads;
    const double v = p.validTokens * heads, pos = p.paddedTokens * heads, nc = pos / c, x = nc * c * c;
    const double states = p.sequences * heads;
    Terms& t = s.terms;
    t.let("v", v, "tokens times value heads");
    t.let("p", pos, "the same with each sequence padded to whole chunks");
    t.let("c", c, "tokens of a chunk");
    t.let("n", nc, "chunks times value heads");
    t.let("h", states, "sequences times value heads");
    t.let("dk", dk, "key head dim");
    t.let("dv", dv, "value head dim");
    t.let("a", s.a, "bytes of an activation element");
    t.matrix(DType::fp32, x * (4.0 * dk + 2.0 * dv), "n*c*c*(4*dk + 2*dv)");
    t.matrix(DType::fp32, 2.0 * x * (dk + dv) + 6.0 * pos * dk * dv, "2*n*c*c*(dk + dv) + 6*p*dk*dv");
    t.vector(s.rate, 8.0 * v * dk, "8*v*dk");
    t.vector(DType::fp32, pos * (3.0 * dk + 3.0 * dv + 3.0) + 6.0 * x, "p*(3*dk + 3*dv + 3) + 6*n*c*c");
    t.vector(DType::fp32, nc * (c - 1.0) * c * (2.0 * c - 1.0) / 3.0, "n*(c - 1)*c*(2*c - 1)/3");
    t.vector(DType::fp32, nc * (2.0 * dk * dv + 1.0), "n*(2*dk*dv + 1)");
    t.read(v * (2.0 * dk + dv) * s.a, "v*(2*dk + dv)*a");
    t.read(v * (s.a + 4.0), "v*(a + 4)");
    if (p.previousState) t.read(states * dk * dv * 4.0, "h*dk*dv*4");
    t.written(v * dv * s.a, "v*dv*a");
    t.written(states * dk * dv * 4.0, "h*dk*dv*4");
    if (!p.movesScratch) return;
    t.scratch(2.0 * pos * (dk + dv) * s.a, "2*p*(dk + dv)*a");
    t.scratch(2.0 * pos * (2.0 * dk + dv + 3.0) * 4.0, "2*p*(2*dk + dv + 3)*4");
    t.scratch(8.0 * x * 4.0, "8*n*c*c*4");
    // Alive at once: each moved buffer is written and read once, so half of it; of the chunk matrices the product and
    // its inverse.
    t.residentScratch(pos * (dk + dv) * s.a + pos * (2.0 * dk + dv + 3.0) * 4.0 + 2.0 * x * 4.0,
                      "p*(dk + dv)*a + p*(2*dk + dv + 3)*4 + 2*n*c*c*4");
}

void workOfParams(const Scope& s, const RecurrentRuleParams& p) {
    const double P = p.rows * p.heads, dk = p.keyHeadDim, dv = p.valueHeadDim;
    s.terms.let("P", P, "tokens times value heads");
    s.terms.let("dk", dk, "key head dim");
    s.terms.let("dv", dv, "value head dim");
    s.terms.let("a", s.a, "bytes of an activation element");
    s.terms.matrix(DType::fp32, 4.0 * P * dk * dv, "4*P*dk*dv");
    s.terms.vector(s.rate, 8.0 * P * dk, "8*P*dk");
    s.terms.vector(DType::fp32, P * (dk + 2.0 * dv + 2.0 + 2.0 * dk * dv), "P*(dk + 2*dv + 2 + 2*dk*dv)");
    s.terms.read(P * (2.0 * dk + dv) * s.a, "P*(2*dk + dv)*a");
    s.terms.read(P * (s.a + 4.0), "P*(a + 4)");
    s.terms.read(P * dk * dv * 4.0, "P*dk*dv*4");
    s.terms.written(P * dv * s.a, "P*dv*a");
    s.terms.written(P * dk * dv * 4.0, "P*dk*dv*4");
}

// Per token and head the decay takes one operation per element of the state, the products k*S and q*S and the update by
// k times delta two each: 7*dk*dv; norms and scale of q and k 8*dk, delta 2*dv, exp(g) 1. A core takes one head
// through a whole sequence, so its state (64 KiB at 128 x 128) stays in its cache and S counts sequences; where the
// rule works on the state in memory, S counts tokens. The convolved channels go through memory in FP32.
void workOfParams(const Scope& s, const LinearAttentionParams& p) {
    const double T = p.tokens, B = p.sequences, C = p.channels, K = p.kernel, P = T * p.heads, S = p.states;
    const double dk = p.keyHeadDim, dv = p.valueHeadDim, c = bytesPerElement(p.convStateDType);
    Terms& t = s.terms;
    t.let("T", T, "tokens, one after another");
    t.let("B", B, "sequences");
    t.let("C", C, "channels of q, k and v");
    t.let("K", K, "kernel width");
    t.let("P", P, "tokens times value heads");
    t.let("S", S, "states read and updated: value heads of each sequence, or of each token where they stream");
    t.let("dk", dk, "key head dim");
    t.let("dv", dv, "value head dim");
    t.let("a", s.a, "bytes of an activation element");
    t.let("c", c, "bytes of a convolution state element");
    t.vector(DType::fp32, T * C * (2.0 * K + 6.0), "T*C*(2*K + 6)");
    t.vector(DType::fp32, P * (7.0 * dk * dv + 8.0 * dk + 2.0 * dv + 1.0), "P*(7*dk*dv + 8*dk + 2*dv + 1)");
    t.read(T * C * s.a, "T*C*a");
    t.read(C * K * s.a, "C*K*a");
    t.read(P * (s.a + 4.0), "P*(a + 4)");
    t.read(B * C * (K - 1.0) * c, "B*C*(K - 1)*c");
    t.read(S * dk * dv * 4.0, "S*dk*dv*4");
    t.written(B * C * (K - 1.0) * c, "B*C*(K - 1)*c");
    t.written(S * dk * dv * 4.0, "S*dk*dv*4");
    t.written(P * dv * s.a, "P*dv*a");
    t.scratch(2.0 * T * C * 4.0, "2*T*C*4");
    t.residentScratch(T * C * 4.0, "T*C*4");
}

void workOfParams(const Scope& s, const GatedNormParams& p) {
    const double E = p.rows * p.dim;
    s.terms.let("E", E, "elements");
    s.terms.let("dv", p.dim, "value head dim");
    s.terms.let("a", s.a, "bytes of an activation element");
    s.terms.vector(DType::fp32, 13.0 * E, "13*E");
    s.terms.read(2.0 * E * s.a, "2*E*a");
    s.terms.read(p.dim * 4.0, "dv*4");
    s.terms.written(E * s.a, "E*a");
}

void workOfParams(const Scope& s, const NormParams& p) {
    const double E = p.rows * p.dim;
    s.terms.let("E", E, "elements");
    s.terms.let("H", p.dim, "elements of a row");
    s.terms.let("a", s.a, "bytes of an activation element");
    if (p.residual) {
        s.terms.vector(DType::fp32, 6.0 * E, "6*E");
        s.terms.read(2.0 * E * s.a + p.dim * s.a, "2*E*a + H*a");
        s.terms.written(2.0 * E * s.a, "2*E*a");
    } else {
        s.terms.vector(DType::fp32, 5.0 * E, "5*E");
        s.terms.read(E * s.a + p.dim * s.a, "E*a + H*a");
        s.terms.written(E * s.a, "E*a");
    }
}

void workOfParams(const Scope& s, const LayoutParams& p) {
    s.terms.let("E", p.elements, "elements");
    s.terms.let("passes", p.passes, "times they are moved");
    s.terms.let("a", s.a, "bytes of an activation element");
    s.terms.read(p.passes * p.elements * s.a, "passes*E*a");
    s.terms.written(p.passes * p.elements * s.a, "passes*E*a");
}

void workOfParams(const Scope& s, const SwigluParams& p) {
    const double E = p.rows * p.dim;
    s.terms.let("E", E, "elements of the result");
    s.terms.let("a", s.a, "bytes of an activation element");
    s.terms.vector(DType::fp32, 7.0 * E, "7*E");
    s.terms.read(2.0 * E * s.a, "2*E*a");
    s.terms.written(E * s.a, "E*a");
}

void workOfParams(const Scope& s, const EmbeddingParams& p) {
    const double T = p.tokens, H = p.hidden;
    s.terms.let("T", T, "tokens");
    s.terms.let("H", H, "elements of a row");
    s.terms.let("a", s.a, "bytes of an activation element");
    s.terms.read(T * indexBytes, "T*8");
    s.terms.read(T * H * s.a, "T*H*a");
    s.terms.written(T * H * s.a, "T*H*a");
}

void workOfParams(const Scope& s, const GroupedMatmulParams& p) {
    const SchemeFacts& facts = factsOf(p.scheme);
    const double M = p.rows, K = p.k, N = p.n, X = p.experts;
    const double x = bytesPerElement(facts.activation), w = bytesPerElement(facts.weight);
    const double scales = scaleBytes(p.scales, K, N);
    Terms& t = s.terms;
    t.let("M", M, "rows of all experts");
    t.let("K", K, "input columns");
    t.let("N", N, "output columns of an expert's weight");
    t.let("X", X, "experts that get rows");
    t.let("x", x, "bytes of an input element");
    t.let("w", w, "bytes of a weight");
    t.let("a", s.a, "bytes of an output element");
    t.let("scales", scales, "bytes of the scales of an expert's weight");
    const DType unit = facts.matrix == DType::bf16 || facts.matrix == DType::fp16 ? s.rate : facts.matrix;
    t.matrix(unit, 2.0 * M * K * N, "2*M*K*N");
    if (facts.unpacksInt4) t.vector(DType::fp32, X * K * N, "X*K*N");
    if (p.swiglu) t.vector(s.rate, 7.0 * M * N / 2.0, "7*M*N/2");
    t.read(M * K * x, "M*K*x");
    t.read(X * (K * N * w + scales), "X*(K*N*w + scales)");
    if (p.swiglu)
        t.written(M * N / 2.0 * s.a, "M*N/2*a");
    else
        t.written(M * N * s.a, "M*N*a");
}

void workOfParams(const Scope& s, const CollectiveParams& p) {
    const double b = p.bytes.value();
    const auto n = static_cast<double>(p.ranks);
    s.terms.let("b", b, "bytes that a rank contributes");
    s.terms.let("n", n, "ranks");
    s.terms.read(b, "b");
    if (s.op.kind == OperatorKind::all_to_all) {
        const double r = p.received.value();
        s.terms.let("r", r, "bytes that come back");
        s.terms.communicated(std::max(b, r), "max(b, r)");
        s.terms.written(r, "r");
        return;
    }
    s.terms.communicated(b, "b");
    switch (s.op.kind) {
    case OperatorKind::all_gather: s.terms.written(b * n, "b*n"); break;
    case OperatorKind::reduce_scatter: s.terms.written(b / n, "b/n"); break;
    default: s.terms.written(b, "b"); break;
    }
}

int extraLaunchesOf(const Operator& op) {
    constexpr int chunkRuleStages = 8; // kernels that the chunk rule launches beyond the first
    if (op.kind == OperatorKind::linear_attn_chunk_gated_delta_rule)
        return std::get<ChunkRuleParams>(op.params).movesScratch ? chunkRuleStages : 0;
    if (const auto* attention = std::get_if<AttentionParams>(&op.params))
        return static_cast<int>(attention->launches) - 1;
    if (const auto* layout = std::get_if<LayoutParams>(&op.params)) return static_cast<int>(layout->launches) - 1;
    if (const auto* linear = std::get_if<LinearAttentionParams>(&op.params))
        return static_cast<int>(linear->launches) - 1;
    return 0;
}

std::int64_t ranksOf(const OperatorParams& params) {
    if (const auto* collective = std::get_if<CollectiveParams>(&params)) return collective->ranks;
    if (const auto* linear = std::get_if<LinearParams>(&params)) return linear->ranks;
    return 1;
}

} // namespace

double Work::matrixTotal() const {
    double sum = 0.0;
    for (double flops : matrix) sum += flops;
    return sum;
}

double Work::vectorTotal() const {
    double sum = 0.0;
    for (double flops : vector) sum += flops;
    return sum;
}

Work& Work::operator+=(const Work& other) {
    for (std::size_t i = 0; i < rateDTypeCount; ++i) {
        matrix[i] += other.matrix[i];
        vector[i] += other.vector[i];
    }
    read += other.read;
    written += other.written;
    scratch += other.scratch;
    residentScratch = std::max(residentScratch, other.residentScratch);
    extraLaunches += other.extraLaunches;
    ranks = std::max(ranks, other.ranks);
    communicated += other.communicated;
    return *this;
}

Work workOf(const Block& block, const Operator& op, DType activation, FormulaLog* log) {
    Work work;
    Terms terms(work, log);
    const Scope scope{block, op, activation, 2.0, terms};
    std::visit([&](const auto& params) { workOfParams(scope, params); }, op.params);
    work.extraLaunches = extraLaunchesOf(op);
    work.ranks = ranksOf(op.params);
    return work;
}

} // namespace deltascope
