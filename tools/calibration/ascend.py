#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ascend A2 and A3: rules from the kernel totals of a public profile and two public benchmarks.

    ascend.py MEASURED_FOLDER [DEVICES_FOLDER]

reads ascend_27b_tp2_w8a8_windows.json and ascend_910b2_gdn_stages.csv, prints how each rate comes about, and writes the
`calibration` sections of the Ascend devices. Each rate is the work of a kernel over its time, pooled over the windows;
the scatter is the least and the largest ratio of a window's time to the rule's.
"""

import csv
import json
import os
import sys

from section import write_section

PROFILE = ("public profile of a 27B model of the Qwen3.5 class under vllm-ascend 0.23.0, CANN 9.1.0, W8A8, TP 2, MTP 3, "
           "on a die of 24 AI cores at 1.8 GHz")
STAGES = "public benchmark of the chunk rule's stages on one Ascend 910B2"

# The model of the profile, per rank (TP 2).
H, VOCABULARY = 5120, 248320 // 2
LINEAR_LAYERS, FULL_LAYERS, DRAFTS = 48, 16, 3
LAYERS = LINEAR_LAYERS + FULL_LAYERS
KEY_HEADS, VALUE_HEADS, HEAD = 8, 24, 128
QUERY_HEADS, QUERY_HEAD = 12, 256
CHANNELS = 2 * KEY_HEADS * HEAD + VALUE_HEADS * HEAD
GATE_UP, DOWN = 17408, 8704
QKVZ, QKV, OUT = 8192, 7168, 3072

# Tokens that the forwards of each window ran, and its forwards with few rows (at most 40). All three drafts of a forward
# run their layer on all its tokens: only then do the shapes give the profile's own 606.9 TOP/s (W8A8) and 307.9 TFLOP/s
# (BF16, with the drafts' fc split over the ranks) and its bytes on the die link.
WINDOWS = {
    "bs16_prefill": {"tokens": 32768, "forwards": 4, "few": 0},
    "bs32_prefill": {"tokens": 256000, "forwards": 18, "few": 0},
    "bs16_decode": {"tokens": 131460, "forwards": 17, "few": 6},
    "bs32_decode": {"tokens": 262860, "forwards": 27, "few": 7},
}
LEAST_SCATTER = (0.95, 1.05)  # where fewer than four windows agree better than that

QUANT_FLOPS = 2 * (LINEAR_LAYERS * H * QKVZ + FULL_LAYERS * (H * QKV + OUT * H) + LAYERS * (H * GATE_UP + DOWN * H))
QUANT_FLOPS_DRAFT = 2 * (H * QKV + OUT * H + H * GATE_UP + DOWN * H)
QUANT_WEIGHTS = QUANT_FLOPS / 2 + DRAFTS * QUANT_FLOPS_DRAFT / 2  # bytes a forward streams

# Work per token of a forward by kernel: bytes moved, but FLOPs of the matmuls, and tokens * value heads of the chunk rule.
PER_TOKEN = {
    "QuantBatchMatmulV3": QUANT_FLOPS + DRAFTS * QUANT_FLOPS_DRAFT,
    "MatMulV3": 2 * (LINEAR_LAYERS * OUT * H + DRAFTS * 2 * H * H // 2),
    "AddRmsNormBias": (2 * LAYERS + 2 * DRAFTS) * 4 * H * 2,
    "DynamicQuant": 3 * (LINEAR_LAYERS * H + FULL_LAYERS * (H + OUT) + LAYERS * (H + DOWN) + DRAFTS * (H + OUT + H + DOWN)),
    "SwiGlu": (LAYERS + DRAFTS) * DOWN * 3 * 2,
    "_layer_norm_fwd_1pass_kernel_npu": LINEAR_LAYERS * VALUE_HEADS * HEAD * 3 * 2,
    "CausalConv1d": LINEAR_LAYERS * CHANNELS * 2 * 2,
}
STAGE_KERNELS = ("chunk_scaled_dot_kkt_fwd_kernel", "solve_tril_16x16_kernel", "merge_16x16_to_64x64_inverse_kernel",
                 "recompute_w_u_fwd_kernel", "ChunkGatedDeltaRuleFwdH", "ChunkFwdO")
for stage in STAGE_KERNELS:
    PER_TOKEN[stage] = LINEAR_LAYERS * VALUE_HEADS


def seconds(window, kernel):
    return window["ops_rank0"].get(kernel, [0, 0.0])[1] * 1e-3


def pooled(windows, kernel):
    """(rate, scatter, text) of a kernel over the windows that list it."""
    points = []
    for name, facts in WINDOWS.items():
        time = seconds(windows[name], kernel)
        if kernel == "QuantBatchMatmulV3":  # without the forwards of few rows
            if name == "bs16_decode":
                time = windows[name]["quant_matmul_buckets_rank0"]["M>128"][1] * 1e-3
            else:
                time -= facts["few"] * QUANT_WEIGHTS / few_rows_rate(windows)
        if time > 0:
            points.append((name, PER_TOKEN[kernel] * facts["tokens"], time))
    rate = sum(work for _, work, _ in points) / sum(time for _, _, time in points)
    ratios = [time * rate / work for _, work, time in points]
    scatter = (min(min(ratios), LEAST_SCATTER[0]), max(max(ratios), LEAST_SCATTER[1]))
    print(f"{kernel:36} {rate:10.4g} per s   " + "  ".join(f"{n} {w / t:.4g}" for n, w, t in points))
    return rate, scatter


def few_rows_rate(windows):
    """Bytes per second at which int8 weights stream when there are at most 40 rows."""
    few = windows["bs16_decode"]["quant_matmul_buckets_rank0"]["M<=128"][1] * 1e-3
    return WINDOWS["bs16_decode"]["few"] * QUANT_WEIGHTS / few


def rules(windows):
    result = []

    def add(kinds, kernel, per, scales_with, how, **more):
        rate, scatter = pooled(windows, kernel)
        terms = [{"per": per, "rate": rate, "scales_with": scales_with}] + more.pop("more_terms", [])
        result.append({"kinds": kinds, "terms": terms, "scatter": scatter,
                       "source": f"{PROFILE}: {how}"} | more)

    weights = few_rows_rate(windows)
    single = windows["single_request"]
    alone = single["forwards"] * QUANT_WEIGHTS / seconds(single, "QuantBatchMatmulV3")
    print(f"{'QuantBatchMatmulV3, few rows':36} {weights:10.4g} B/s     single_request {alone:.4g}")
    # Tile edges: gate_up at M 15,364 and 15,900 is 7 % faster and 14 % slower than the pooled rate.
    gate_up = {int(m): 2 * int(m) * H * GATE_UP / (us * 1e-6)
               for m, us in windows["bs16_decode"]["gate_up_K5120_N17408_mean_us"].items()}
    add(["linear", "grouped_matmul", "grouped_matmul_swiglu"], "QuantBatchMatmulV3", ["flops"], "compute",
        "QuantBatchMatmulV3, FLOPs of all shapes over its time in four windows with many rows, weights over the time of "
        "the forwards of at most 40 rows; scatter from the tile edges, gate_up at M 15,364 and 15,900",
        dtype="int8", seen={"rows": [4, 16384], "k": [3072, 8704], "n": [5120, 17408]},
        more_terms=[{"per": ["bytes"], "rate": weights, "scales_with": "memory"}])
    rate = result[-1]["terms"][0]["rate"]
    result[-1]["scatter"] = (min(0.92, rate / max(gate_up.values())), rate / min(gate_up.values()))

    # BF16: out_proj and the drafts' fc at many rows (MatMulV3); lm_head, b+a and the same at few rows (MatMulV2).
    head = 2 * H * VOCABULARY
    fc = 2 * 2 * H * H // 2
    out = 2 * OUT * H
    forwards = single["forwards"]
    bytes_few = forwards * (LINEAR_LAYERS * out + DRAFTS * fc + (1 + DRAFTS) * head)
    small = forwards * LINEAR_LAYERS * 5e-6  # b+a, 0.5 MB each: launch floors, taken as 5 us
    bf16_weights = bytes_few / (seconds(single, "MatMulV2") - small)
    decode = windows["bs16_decode"]
    facts = WINDOWS["bs16_decode"]
    streamed = (facts["few"] * (LINEAR_LAYERS * out + DRAFTS * fc) + facts["forwards"] * (1 + DRAFTS) * head) / bf16_weights
    gates_bytes = facts["tokens"] * LINEAR_LAYERS * (H + 2 * VALUE_HEADS) * 2
    gates = gates_bytes / (seconds(decode, "MatMulV2") - streamed)
    prefill = windows["bs16_prefill"]
    gates_prefill = (32768 * LINEAR_LAYERS * (H + 2 * VALUE_HEADS) * 2 /
                     (seconds(prefill, "MatMulV2") - 4 * (1 + DRAFTS) * head / bf16_weights))
    print(f"{'MatMulV2, few rows':36} {bf16_weights:10.4g} B/s")
    print(f"{'MatMulV2, b and a':36} {gates:10.4g} B/s     bs16_prefill {gates_prefill:.4g}")
    result.append({"kinds": ["linear"], "dtype": "bf16", "where": {"n": [1, 128], "rows": [256, 1e9]},
                   "seen": {"rows": [2048, 16384], "k": [5120, 5120], "n": [48, 48]},
                   "terms": [{"per": ["bytes"], "rate": gates, "scales_with": "memory"}],
                   "scatter": (min(0.95, gates / gates_prefill), max(1.05, gates / gates_prefill)),
                   "source": f"{PROFILE}: MatMulV2 of b and a (N 48), its time less that of lm_head and out_proj at few "
                             "rows"})
    add(["linear"], "MatMulV3", ["flops"], "compute",
        "MatMulV3 (out_proj and the drafts' fc), and the weights of MatMulV2 over its time with one request",
        dtype="bf16", seen={"rows": [4, 16384], "k": [3072, 10240], "n": [2560, 124160]},
        more_terms=[{"per": ["bytes"], "rate": bf16_weights, "scales_with": "memory"}])

    floor = seconds(single, "DynamicQuant") / single["ops_rank0"]["DynamicQuant"][0]
    for kinds, kernel, what in ((["quantize"], "DynamicQuant", "DynamicQuant"),
                                (["add_rms_norm", "rms_norm", "layer_norm"], "AddRmsNormBias", "AddRmsNormBias"),
                                (["swiglu", "gelu"], "SwiGlu", "SwiGlu"),
                                (["linear_attn_gated_rmsnorm"], "_layer_norm_fwd_1pass_kernel_npu",
                                 "_layer_norm_fwd_1pass_kernel_npu"),
                                (["linear_attn_causal_conv"], "CausalConv1d", "CausalConv1d")):
        add(kinds, kernel, ["bytes"], "memory",
            f"{what}, bytes over time; floor: DynamicQuant with one request, 3.8 us", floor_s=floor,
            seen={"rows": [4, 16384 * (VALUE_HEADS if "gated" in kinds[0] else 1)]})

    # Chunk rule: time per call against tokens per call over the windows, a line; its stages together.
    rate_sum = 0.0
    for stage in STAGE_KERNELS:
        rate, _ = pooled(windows, stage)
        rate_sum += 1.0 / rate
    totals = []
    for name in ("bs16_prefill", "bs16_decode"):
        time = sum(seconds(windows[name], stage) for stage in STAGE_KERNELS)
        totals.append(time / (LINEAR_LAYERS * VALUE_HEADS * WINDOWS[name]["tokens"]))
    rate = 2.0 / sum(totals)
    print(f"{'chunk rule, six stages':36} {1e9 / rate:10.4g} us per 1,000 tokens and head   " +
          "  ".join(f"{1e9 * t:.4g}" for t in totals))
    result.append({"kinds": ["linear_attn_chunk_gated_delta_rule"],
                   "terms": [{"per": ["rows", "heads"], "rate": rate, "scales_with": "compute"}],
                   "seen": {"rows": [2048, 16384], "heads": [24, 24]}, "scatter": (0.75, 1.35),
                   "source": f"{PROFILE}: its six stages over tokens times value heads; scatter: {STAGES}, 24.5 us per "
                             "1,000 tokens and head in Triton and 13.2 in one hand-written kernel, against 18.0 here"})
    return result


def main():
    folder = sys.argv[1]
    devices = sys.argv[2] if len(sys.argv) > 2 else os.path.join(os.path.dirname(__file__), "..", "..", "devices")
    with open(os.path.join(folder, "ascend_27b_tp2_w8a8_windows.json"), encoding="utf-8") as file:
        windows = json.load(file)["windows"]
    section = {"uncalibrated": (0.7, 2.5), "rules": rules(windows)}
    print(write_section(os.path.join(devices, "ATLAS_800_A3_752T_128G_DIE.yaml"), section), "bytes")
    write_section(os.path.join(devices, "ATLAS_800_A3_560T_128G_DIE.yaml"),
                  {"scaled_from": "ATLAS_800_A3_752T_128G_DIE"})


if __name__ == "__main__":
    main()
