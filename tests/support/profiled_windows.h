// SPDX-License-Identifier: GPL-3.0-or-later
// Five windows of a public profile: a 27B model of the Qwen3.5 class, W8A8 with BF16 out_proj, b and a, TP 2, three MTP
// tokens, under vLLM-Ascend 0.23 (CANN 9.1.0) on a die of 24 AI cores at 1.8 GHz. Kernels of rank 0: calls and
// milliseconds. What ran in them is as the profile states it: tokens of each forward where it lists them, else their
// number and sum.
#pragma once

#include "scenario/scenario.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace deltascope::test {

struct ProfiledKernel {
    std::string name;
    std::int64_t calls = 0;
    double milliseconds = 0.0; ///< 0 where only the calls are stated
};

struct ProfiledForward {
    std::vector<RequestGroup> requests;
    std::int64_t times = 1;
};

struct ProfiledWindow {
    std::string name;
    std::vector<ProfiledForward> forwards;
    std::vector<ProfiledKernel> kernels; ///< their calls follow from the step's shapes
    std::vector<ProfiledKernel> layout;  ///< rearrange data: the engine file states them as means
    double computing = 0.0;              ///< ms of all kernels but collectives
};

namespace detail {

inline constexpr std::int64_t promptTokens = 8192;

inline RequestGroup decoding(std::int64_t requests, std::int64_t context = promptTokens) {
    return {requests, 4, context, Phase::decode, {}};
}

/// Prompts of 8,192 tokens one after the other, `tokens[i]` of them in the i-th forward beside `decodes[i]` requests
/// that decode; of the first prompt `cached` tokens are there already.
inline std::vector<ProfiledForward> packed(const std::vector<std::int64_t>& tokens,
                                           const std::vector<std::int64_t>& decodes, std::int64_t cached = 0) {
    std::vector<ProfiledForward> forwards;
    std::int64_t at = cached;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        ProfiledForward forward;
        for (std::int64_t left = tokens[i]; left > 0;) {
            const std::int64_t take = std::min(left, promptTokens - at);
            forward.requests.push_back({1, take, at, Phase::prefill, {}});
            left -= take;
            at = (at + take) % promptTokens;
        }
        if (decodes[i] > 0) forward.requests.push_back(decoding(decodes[i]));
        forwards.push_back(std::move(forward));
    }
    return forwards;
}

inline std::vector<ProfiledForward> operator+(std::vector<ProfiledForward> a, const std::vector<ProfiledForward>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

} // namespace detail

inline const std::vector<ProfiledWindow>& profiledWindows() {
    using namespace detail;
    // 256,000 tokens in 18 forwards; 262,144 and 179 requests' decode steps in 20 and 25.
    std::vector<std::int64_t> of32(17, 14222), mixed32(20, 13107), decodes32(20, 7);
    of32.push_back(14226);
    mixed32.back() += 4;
    decodes32[0] = decodes32[1] = 0;
    static const std::vector<ProfiledWindow> all{
        {"one request",
         {{{{1, 5, 0, Phase::prefill, {}}}, 1}, {{decoding(1, 8)}, 3}},
         {{"allreduceAicpuKernel", 552, 92.07},
          {"QuantBatchMatmulV3", 880, 42.339},
          {"MatMulV2", 412, 25.741},
          {"RecurrentGatedDeltaRule", 144, 3.833},
          {"allgatherAicpuKernel", 28, 3.552},
          {"DynamicQuant", 880, 3.36},
          {"ConcatD", 204, 3.922},
          {"recompute_w_u_fwd_kernel", 48, 0}},
         {{"Transpose", 853, 13.543}},
         130.289},
        {"prefill of 16 requests",
         {{{{1, 2048, 6144, Phase::prefill, {}}}, 2},
          {{{8, 2048, 6144, Phase::prefill, {}}}, 1},
          {{{6, 2048, 6144, Phase::prefill, {}}}, 1}},
         {{"allreduceAicpuKernel", 552, 1716.705},
          {"QuantBatchMatmulV3", 880, 1292.29},
          {"FusedInferAttentionScore", 76, 243.427},
          {"recompute_w_u_fwd_kernel", 192, 212.876},
          {"MatMulV3", 204, 177.423},
          {"merge_16x16_to_64x64_inverse_kernel", 192, 176.882},
          {"AddRmsNormBias", 536, 170.498},
          {"allgatherAicpuKernel", 28, 128.746},
          {"ChunkGatedDeltaRuleFwdH", 192, 128.19},
          {"DynamicQuant", 880, 127.547},
          {"SwiGlu", 268, 98.369},
          {"ChunkFwdO", 192, 91.444},
          {"CausalConv1d", 192, 82.983},
          {"MatMulV2", 208, 42.82},
          {"solve_tril_16x16_kernel", 192, 37.915},
          {"_layer_norm_fwd_1pass_kernel_npu", 192, 36.604},
          {"chunk_scaled_dot_kkt_fwd_kernel", 192, 36.382}},
         {{"Transpose", 2916, 148.331}, {"Slice", 2084, 65.933}, {"TensorMove", 636, 39.761}},
         3410.628},
        {"prefill of 32 requests",
         packed(of32, std::vector<std::int64_t>(of32.size(), 0), 6144),
         {{"allreduceAicpuKernel", 2484, 14311.734},
          {"QuantBatchMatmulV3", 3960, 10056.275},
          {"recompute_w_u_fwd_kernel", 864, 1645.891},
          {"merge_16x16_to_64x64_inverse_kernel", 864, 1368.754},
          {"MatMulV3", 918, 1358.608},
          {"AddRmsNormBias", 2412, 1321.963},
          {"allgatherAicpuKernel", 126, 1125.324},
          {"FusedInferAttentionScore", 342, 1119.719},
          {"ChunkGatedDeltaRuleFwdH", 864, 1070.782},
          {"DynamicQuant", 3960, 984.813}},
         {{"Transpose", 13150, 1034.558}},
         25425.934},
        {"decode of 16 requests",
         packed({6144, 2048, 15360, 14848, 14848, 14848, 15872, 15360, 15872, 11776, 4096},
                {0, 0, 1, 1, 3, 5, 7, 8, 10, 11, 11}) +
             std::vector<ProfiledForward>{
                 {{decoding(10)}, 2}, {{decoding(8)}, 1}, {{decoding(6)}, 1}, {{decoding(4)}, 1}, {{decoding(2)}, 1}},
         {{"QuantBatchMatmulV3", 3740, 5573.33},
          {"recompute_w_u_fwd_kernel", 528, 835.853},
          {"allreduceAicpuKernel", 2346, 708.092},
          {"MatMulV3", 561, 697.963},
          {"merge_16x16_to_64x64_inverse_kernel", 528, 694.882},
          {"AddRmsNormBias", 2278, 678.161},
          {"FusedInferAttentionScore", 323, 623.707},
          {"ScatterUpdate", 864, 583.626},
          {"ChunkGatedDeltaRuleFwdH", 528, 524.407},
          {"DynamicQuant", 3740, 513.092},
          {"SwiGlu", 1139, 403.778},
          {"ChunkFwdO", 528, 358.162},
          {"CausalConv1d", 1248, 336.45},
          {"MatMulV2", 1190, 196.195},
          {"solve_tril_16x16_kernel", 528, 150.611},
          {"_layer_norm_fwd_1pass_kernel_npu", 816, 146.058},
          {"chunk_scaled_dot_kkt_fwd_kernel", 528, 139.685}},
         {{"Transpose", 11483, 760.788}, {"Slice", 8149, 368.837}, {"TensorMove", 1783, 127.139}},
         14733.274},
        {"decode of 32 requests",
         packed(mixed32, decodes32) + std::vector<ProfiledForward>{{{decoding(8)}, 4}, {{decoding(7)}, 3}},
         {{"QuantBatchMatmulV3", 5940, 11144.613},
          {"recompute_w_u_fwd_kernel", 960, 1668.18},
          {"MatMulV3", 1020, 1392.192},
          {"merge_16x16_to_64x64_inverse_kernel", 960, 1387.397},
          {"AddRmsNormBias", 3618, 1350.305},
          {"FusedInferAttentionScore", 513, 1234.113},
          {"ScatterUpdate", 1728, 1196.218},
          {"ChunkGatedDeltaRuleFwdH", 960, 1079.88},
          {"DynamicQuant", 5940, 1022.432},
          {"allreduceAicpuKernel", 3726, 983.073}},
         {{"Transpose", 21180, 1526.848}},
         29434.442},
    };
    return all;
}

/// One forward of the profiled model.
inline Scenario profiledScenario(const ProfiledForward& forward) {
    Scenario s;
    s.model = "Qwen3.5-27B";
    s.device = "ATLAS_800_A3_752T_128G_DIE";
    s.engine = "vllm-ascend";
    s.phase = Phase::prefill;
    s.mtpTokens = 3;
    s.parallel.tp = 2;
    s.quantization.linear = Scheme::w8a8Static;
    s.quantization.keepBf16 = {"*.out_proj", "*.in_proj_b", "*.in_proj_a"};
    s.requests = forward.requests;
    return s;
}

} // namespace deltascope::test
