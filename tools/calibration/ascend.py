#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ascend A2 and A3: rules from the kernel totals of a public profile and two public benchmarks.

    ascend.py MEASURED_FOLDER [DEVICES_FOLDER]

reads ascend_27b_tp2_w8a8_windows.json, ascend_910b2_gdn_stages.csv and, for the experts, gpu_kernels/moe.csv.gz, prints how each
rate comes about, and writes the `calibration` sections of the Ascend devices. A rate is the work of a kernel over its time, pooled over the windows that
list it; its scatter is the least and the largest ratio of a window's time to the rule's.
"""

import csv
import json
import os
import sys

from grouped import experts_over_products
from section import write_section

PROFILE = "profile of a 27B model, vllm-ascend 0.23, die of 24 AI cores at 1.8 GHz"
REMARK = ("The profile: a public one of a 27B model of the Qwen3.5 class (48 linear and 16 full layers), W8A8 with out_proj, b and a in "
          "BF16, TP 2, MTP 3, under vllm-ascend 0.23.0, CANN 9.1.0, FULL_DECODE_ONLY; five windows of kernel counts and totals of rank 0. "
          "The scatter of what no rule applies to is that of the profile's kernels around the roofline, 0.9 to 3.4.")
UNCALIBRATED = (0.9, 3.4)
SMALLEST_PRODUCT = 5e-6  # seconds; launches of the other kernels with one request are 4 to 16 us
MEASURED_ON = "ATLAS_800_A3_752T_128G_DIE"
SCALED = ("ATLAS_800_A3_560T_128G_DIE", "ATLAS_800_A3_560T_128G_DIE_ROCE", "ATLAS_800_A2_376T_64G", "ATLAS_800_A2_313T_64G",
          "ATLAS_800_A2_280T_64G", "ATLAS_800_A2_280T_64G_PCIE", "ATLAS_800_A2_280T_32G_PCIE")
# Scaling by the quoted FP16 peaks. Of the dies of 280 TFLOP/s the BF16 figure of CANN's platform file (20 cores x 1.5 GHz, 245.8)
# is 7 % lower in proportion; but a public benchmark of a 910B4, such a die, reached 246 TFLOP/s in BF16 and 418 TOP/s in INT8
# (square products of 4,096; 228 and 400 at 8,192), where the rules scaled by FP16 say 234 and 436: 0.95 to 1.09 of the time.
SCALING = (0.93, 1.1)
SCALING_REMARK = ("By the ratios of the quoted FP16 peaks, memory bandwidth and link; the profiled die has the peaks of " + MEASURED_ON + ". The range of the "
                  "scaling: plain products on a 910B4 (280 TFLOP/s) take 0.95 to 1.09 of what it gives (public benchmark, 4,096 and 8,192 square: 246 and 228 TFLOP/s in "
                  "BF16, 418 and 400 TOP/s in INT8), and the BF16 figure of CANN's platform file would make compute 7 % slower on such dies.")

# The model of the profile, per rank (TP 2).
H, VOCABULARY = 5120, 248320 // 2
LINEAR_LAYERS, FULL_LAYERS, DRAFTS = 48, 16, 3
LAYERS = LINEAR_LAYERS + FULL_LAYERS
KEY_HEADS, VALUE_HEADS, HEAD = 8, 24, 128
QUERY_HEADS, KV_HEADS, QUERY_HEAD = 12, 2, 256
CHANNELS = 2 * KEY_HEADS * HEAD + VALUE_HEADS * HEAD
GATE_UP, DOWN = 17408, 8704
QKVZ, QKV, OUT = 8192, 7168, 3072

# Tokens that the forwards of each window ran, its forwards, those with prefill and those with few rows (at most 40). All
# drafts of a forward run their products and norms on all its tokens: only then do the shapes give the profile's own 606.9 TOP/s
# (W8A8) and 307.9 TFLOP/s (BF16, the drafts' fc split over the ranks) and 136 all-reduces of all tokens' rows. The attention
# of the later drafts has one query per request.
WINDOWS = {
    "bs16_prefill": {"tokens": 32768, "forwards": 4, "prefills": 4, "few": 0},
    "bs32_prefill": {"tokens": 256000, "forwards": 18, "prefills": 18, "few": 0},
    "bs16_decode": {"tokens": 131460, "forwards": 17, "prefills": 11, "few": 6},
    "bs32_decode": {"tokens": 262860, "forwards": 27, "prefills": 20, "few": 7},
}
# Query-key pairs per query head of the prefills, where prompts and cached prefixes are known: sixteen of 2,048 tokens
# behind 6,144 cached ones (of 131,072 prompt tokens 32,768 ran); sixteen and thirty-two whole prompts of 8,192.
PAIRS = {"bs16_prefill": 16 * 2048 * (6144 + 1024.5), "bs32_prefill": 31 * 8192 * 4096.5 + 2048 * (6144 + 1024.5),
         "bs16_decode": 16 * 8192 * 4096.5, "bs32_decode": 32 * 8192 * 4096.5}
LEAST_SCATTER = (0.95, 1.05)  # where the few windows agree better than that

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
    # As engine vllm-ascend counts them: so many passes over the convolution's channels, read and written.
    "Transpose": LINEAR_LAYERS * CHANNELS * 2 * 2 * 4.6,
    "Slice": LINEAR_LAYERS * CHANNELS * 2 * 2 * 2.1,
    "TensorMove": LINEAR_LAYERS * CHANNELS * 2 * 2 * 1.2,
}
STAGES = {"chunk_scaled_dot_kkt_fwd_kernel": "linear_attn_chunk_kkt", "solve_tril_16x16_kernel": "linear_attn_chunk_solve_tril",
          "merge_16x16_to_64x64_inverse_kernel": "linear_attn_chunk_merge", "recompute_w_u_fwd_kernel": "linear_attn_chunk_wu",
          "ChunkGatedDeltaRuleFwdH": "linear_attn_chunk_state", "ChunkFwdO": "linear_attn_chunk_output"}
for stage in STAGES:
    PER_TOKEN[stage] = LINEAR_LAYERS * VALUE_HEADS


def calls(window, kernel):
    return window["ops_rank0"].get(kernel, [0, 0.0])[0]


def seconds(window, kernel):
    return window["ops_rank0"].get(kernel, [0, 0.0])[1] * 1e-3


def at_least(ratios):
    return (min(min(ratios), LEAST_SCATTER[0]), max(max(ratios), LEAST_SCATTER[1]))


def say(what, rate, unit, *rest):
    print(f"{what:44} {rate:10.4g} {unit:8} " + "  ".join(f"{name} {value:.4g}" for name, value in rest))


def few_rows_rate(windows):
    """Bytes per second at which int8 weights stream when there are at most 40 rows."""
    few = windows["bs16_decode"]["quant_matmul_buckets_rank0"]["M<=128"][1] * 1e-3
    return WINDOWS["bs16_decode"]["few"] * QUANT_WEIGHTS / few


def pooled(windows, kernel, floor=0.0, only=None):
    """(rate, scatter) of a kernel over the windows that list it, after `floor` seconds per call."""
    points = []
    for name, facts in WINDOWS.items():
        window = windows[name]
        time = seconds(window, kernel) - floor * calls(window, kernel)
        if not calls(window, kernel) or (only and name not in only):
            continue
        if kernel == "QuantBatchMatmulV3":  # without the forwards of few rows
            if "quant_matmul_buckets_rank0" in window:
                time = window["quant_matmul_buckets_rank0"]["M>128"][1] * 1e-3
            else:
                time -= facts["few"] * QUANT_WEIGHTS / few_rows_rate(windows)
        points.append((name, PER_TOKEN[kernel] * facts["tokens"], time))
    rate = sum(work for _, work, _ in points) / sum(time for _, _, time in points)
    say(kernel, rate, "per s", *((name, work / time) for name, work, time in points))
    return rate, at_least([time * rate / work for _, work, time in points])


def term(per, rate, scales_with):
    return {"per": per, "rate": rate, "scales_with": scales_with}


def matmul_rules(windows, grouped):
    single, decode, prefill = windows["single_request"], windows["bs16_decode"], windows["bs16_prefill"]
    weights = few_rows_rate(windows)
    alone = single["forwards"] * QUANT_WEIGHTS / seconds(single, "QuantBatchMatmulV3")
    say("QuantBatchMatmulV3, few rows", weights, "B/s", ("single_request", alone))
    rate, _ = pooled(windows, "QuantBatchMatmulV3")
    # Tile edges: gate_up at M 15,364 runs at 606 TOP/s, at M 15,900 at 492.
    edges = [2 * int(m) * H * GATE_UP / (us * 1e-6) for m, us in decode["gate_up_K5120_N17408_mean_us"].items()]
    scatter = (rate / max(edges), rate / min(edges))
    int8 = [term(["flops"], rate, "compute"), term(["bytes"], weights, "memory")]
    how = ("QuantBatchMatmulV3, FLOPs over time in four windows of many rows, weights over time in the forwards of at most 40 rows; scatter: "
           "tile edges, gate_up at M 15,364 and 15,900")
    yield {"kinds": ["linear"], "dtype": "int8", "terms": int8, "constant_s": SMALLEST_PRODUCT, "scatter": scatter, "source": f"{PROFILE}: {how}",
           "seen": {"rows": [4, 16384], "k": [3072, 8704], "n": [5120, 17408]}}
    points, factors, spread = grouped
    experts = {"table": {"axes": [{"of": ["rows_per_expert"], "points": points}], "unit": 0.01, "values": [round(100 * f) for f in factors]},
               "provenance": "scaled", "floor_s": 5e-6}
    told = ("derived: no profile of experts. {}, times what experts took over plain products on six GPUs, by the rows of an expert "
            "(aiconfigurator-core 0.12.0, Apache-2.0, (c) NVIDIA and affiliates); floor: 5 us, that of a small MatMulV2. W4A8: two INT4 products at twice "
            "the INT8 rate, as CANN's A8W4 kernel splits the activation (ops-transformer, grouped_matmul_antiquant_a8w4_msd). Scatter: the GPUs', and "
            "another half for that kernel's passes over its partial sums")
    yield {"kinds": ["grouped_matmul", "grouped_matmul_swiglu"], "dtype": "int8", "terms": int8, "scatter": (spread[0], 1.5 * spread[1]),
           "source": told.format(f"{PROFILE}: rates of QuantBatchMatmulV3")} | experts

    # BF16: out_proj and the drafts' fc at many rows (MatMulV3); lm_head, b+a and the same at few rows (MatMulV2).
    head, fc, out = 2 * H * VOCABULARY, 2 * 2 * H * H // 2, 2 * OUT * H
    gates_weight = H * 2 * VALUE_HEADS * 2
    floor = SMALLEST_PRODUCT  # b+a with one request: 0.5 MB
    streamed = single["forwards"] * (LINEAR_LAYERS * out + DRAFTS * fc + (1 + DRAFTS) * head)
    bf16_weights = streamed / (seconds(single, "MatMulV2") - single["forwards"] * LINEAR_LAYERS * floor)
    gates = {}
    for name, window in (("bs16_decode", decode), ("bs16_prefill", prefill)):
        facts = WINDOWS[name]
        other = facts["few"] * (LINEAR_LAYERS * out + DRAFTS * fc) + facts["forwards"] * (1 + DRAFTS) * head
        moved = LINEAR_LAYERS * (facts["tokens"] * (H + 2 * VALUE_HEADS) * 2 + facts["forwards"] * gates_weight)
        gates[name] = moved / (seconds(window, "MatMulV2") - other / bf16_weights)
    say("MatMulV2, few rows", bf16_weights, "B/s")
    say("MatMulV2, b and a at many rows", gates["bs16_decode"], "B/s", *gates.items())
    yield {"kinds": ["linear"], "dtype": "bf16", "where": {"n": [1, 128], "rows": [256, 1e9]}, "constant_s": SMALLEST_PRODUCT,
           "seen": {"rows": [2048, 16384], "k": [5120, 5120], "n": [48, 48]},
           "terms": [term(["bytes"], gates["bs16_decode"], "memory")],
           "scatter": at_least([gates["bs16_decode"] / value for value in gates.values()]),
           "source": f"{PROFILE}: MatMulV2 of b and a (N 48), its time less that of lm_head and out_proj"}
    rate, scatter = pooled(windows, "MatMulV3")
    yield {"kinds": ["linear"], "dtype": "bf16", "terms": [term(["flops"], rate, "compute"), term(["bytes"], bf16_weights, "memory")],
           "seen": {"rows": [4, 16384], "k": [3072, 10240], "n": [48, 124160]}, "constant_s": SMALLEST_PRODUCT, "scatter": scatter,
           "source": f"{PROFILE}: MatMulV3 (out_proj, fc of the drafts) at many rows; weights of MatMulV2 over its time with one request; "
                     "no product under 5 us, which that time leaves for b and a"}
    bf16 = [term(["flops"], rate, "compute"), term(["bytes"], bf16_weights, "memory")]
    yield {"kinds": ["grouped_matmul", "grouped_matmul_swiglu"], "dtype": "bf16", "terms": bf16, "scatter": (spread[0], 1.5 * spread[1]),
           "source": told.format(f"{PROFILE}: rates of MatMulV3 and MatMulV2")} | experts


def memory_rules(windows):
    single = windows["single_request"]
    floor = seconds(single, "DynamicQuant") / calls(single, "DynamicQuant")
    say("floor: DynamicQuant, one request", floor * 1e6, "us")
    few, rates = windows["bs16_prefill"], {}
    for kinds, kernel, rows in ((["quantize"], "DynamicQuant", 1), (["add_rms_norm", "rms_norm", "layer_norm"], "AddRmsNormBias", 1),
                                (["swiglu", "gelu"], "SwiGlu", 1), (["linear_attn_gated_rmsnorm"], "_layer_norm_fwd_1pass_kernel_npu", VALUE_HEADS),
                                (["linear_attn_causal_conv"], "CausalConv1d", 1)):
        rate, scatter = pooled(windows, kernel, floor, ("bs16_prefill", "bs32_prefill") if kernel == "CausalConv1d" else None)
        rates[kernel] = rate
        yield {"kinds": kinds, "floor_s": floor, "terms": [term(["bytes"], rate, "memory")], "scatter": scatter,
               "seen": {"rows": [4 * rows, 16384 * rows]},
               "source": f"{PROFILE}: {kernel}, bytes over time; floor: 3.8 us, DynamicQuant with one request"}
    # The update: what the body's law leaves of the window with mixed forwards, over its 720 calls. How much depends on the
    # body's floor, which two windows do not tell: with 0 to 30 us, 6.6 to 16 us a call of 36 rows on the mean.
    conv = windows["bs16_decode"]
    updates, rows = LINEAR_LAYERS * 15, 548 / 15
    tokens, prefills = 16 * 8192, LINEAR_LAYERS * WINDOWS["bs16_decode"]["prefills"]
    law = floor + (rows * CHANNELS * 4 + CHANNELS * 8 + rows * CHANNELS * 8) / rates["CausalConv1d"]
    left = []
    for body in (0.0, floor, 30e-6):
        slope = (seconds(few, "CausalConv1d") / calls(few, "CausalConv1d") - body) / 8192
        left.append((seconds(conv, "CausalConv1d") - prefills * body - LINEAR_LAYERS * tokens * slope) / updates)
    say("CausalConv1d, update: what the body leaves", 1e6 * left[1], "us", ("body's floor 0", 1e6 * left[0]), ("30 us", 1e6 * left[2]),
        ("the body's law", 1e6 * law))
    yield {"kinds": ["linear_attn_causal_conv_update"], "floor_s": floor, "terms": [term(["bytes"], rates["CausalConv1d"], "memory")],
           "scatter": (left[0] / law, left[2] / law), "seen": {"rows": [4, 44]},
           "source": f"{PROFILE}: floor and rate of the body, CausalConv1d as well, which give 9.5 us for 36 rows where the window with mixed forwards leaves "
                     "7.5 a call (6.6 to 16, as the floor of the body is put at 0 to 30 us). The 86 us of the TensorCast simulator's design document "
                     "(Ascend/msmodeling), of an older engine, do not fit into it"}

    # Layout kernels: floors as one request shows them; rates of the passes that engine vllm-ascend counts.
    start = seconds(single, "Transpose") / calls(single, "Transpose")
    say("Transpose, floor per launch", start * 1e6, "us")
    rate, scatter = pooled(windows, "Transpose", start, ("bs16_prefill", "bs32_prefill"))
    yield {"kinds": ["transpose"], "floor_s": start, "terms": [term(["bytes"], rate, "memory")], "scatter": (0.85, 1.15),
           "source": f"{PROFILE}: Transpose, floor of 853 calls with one request, time over two prefill windows beyond it; bytes as engine vllm-ascend counts them"}
    for kind, kernel in (("slice", "Slice"), ("copy", "TensorMove")):
        rate, scatter = pooled(windows, kernel, floor, ("bs16_prefill",) if kernel == "Slice" else ("bs16_prefill", "bs16_decode"))
        yield {"kinds": [kind], "floor_s": floor, "terms": [term(["bytes"], rate, "memory")], "scatter": (0.8, 1.25),
               "source": f"{PROFILE}: {kernel} in one or two windows, bytes as engine vllm-ascend counts them; scatter assumed"}
    start = seconds(single, "ConcatD") / calls(single, "ConcatD")
    say("ConcatD, floor per launch", start * 1e6, "us")
    yield {"kinds": ["concat"], "floor_s": start, "terms": [term(["bytes"], rates["DynamicQuant"], "memory")], "scatter": (0.5, 1.25),
           "source": f"{PROFILE}: ConcatD, floor of 204 calls with one request; beyond it the rate of DynamicQuant, assumed: 178 us at 8,192 tokens, the most "
                     "that the list of a prefill window's kernels leaves"}
    scatters = [seconds(windows[name], "ScatterUpdate") / calls(windows[name], "ScatterUpdate") for name in ("bs16_decode", "bs32_decode")]
    say("ScatterUpdate, per call", 1e6 * scatters[0], "us", ("bs32_decode", 1e6 * scatters[1]))
    yield {"kinds": ["scatter"], "floor_s": sum(scatters) / 2, "scatter": LEAST_SCATTER,
           "source": f"{PROFILE}: ScatterUpdate, 675 and 692 us a call in two windows, whatever the tokens"}

    # What the profile's lists leave out: 6 % of the compute of a prefill window, over the bytes that gating, RoPE, the output
    # gate, cache writes, embedding and the chunk rule's cumsum move.
    window = windows["bs16_prefill"]
    listed = sum(time for name, (_, time) in window["ops_rank0"].items() if "Aicpu" not in name) * 1e-3
    concats = calls(single, "ConcatD") * start + 32768 * LINEAR_LAYERS * CHANNELS * 4 / rates["DynamicQuant"]  # not listed, but known
    unlisted = window["step_ms_rank0"]["Computing"] * 1e-3 - listed - concats
    gating = 2 * (KEY_HEADS * HEAD + VALUE_HEADS) * 2 + 2 * VALUE_HEADS * HEAD * 2 + VALUE_HEADS * 6
    full = 2 * (QUERY_HEADS + KV_HEADS) * QUERY_HEAD * 2 + 2 * QUERY_HEAD * 2 + 4 * KV_HEADS * QUERY_HEAD * 2 + 5 * QUERY_HEADS * QUERY_HEAD * 2
    moved = 32768 * (LINEAR_LAYERS * (gating + 8 * VALUE_HEADS) + (FULL_LAYERS + DRAFTS) * full + 4 * 2 * H * 2)
    say("kernels that are not listed", moved / unlisted, "B/s", ("ms", 1e3 * unlisted), ("GB", moved / 1e9))
    yield {"kinds": ["linear_attn_fused_gdn_gating", "linear_attn_chunk_cumsum", "rope", "mul", "sigmoid", "kv_cache_write", "embedding", "gather"],
           "floor_s": floor, "terms": [term(["bytes"], moved / unlisted, "memory")], "provenance": "scaled", "scatter": (0.5, 2.0),
           "source": f"{PROFILE}: compute of a prefill window less its listed kernels and ConcatD, {1e3 * unlisted:.0f} ms, shared by bytes; floor: 3.8 us; scatter assumed"}
    # Small kernels of a decode step that the profile counts but does not name (engine file): what the compute of the window with one request
    # has beyond the simulated kernels, 13.7 ms, over 1,200 kernels of its prefill forward and 947 of each of three decode forwards.
    yield {"kinds": ["cast"], "floor_s": 3.4e-6, "terms": [term(["bytes"], moved / unlisted, "memory")], "provenance": "scaled", "scatter": (0.4, 1.3),
           "source": f"{PROFILE}: 13.7 ms of compute with one request beyond the kernels that are simulated, over 4,041 kernels. Scatter: other versions of the engine launch "
                     "fewer of them"}
    yield {"kinds": ["top_k"], "floor_s": 5.5e-6, "terms": [term(["bytes"], rates["AddRmsNormBias"], "memory")], "scatter": (0.7, 1.5),
           "source": "TensorCast simulator's authors (Ascend/msmodeling), profile of DeepSeek-V3 on A3 dies, CANN 8.5: MoeGatingTopK of 256 experts, 928 calls of decode steps in "
                     "5,109 us; its bytes at the rate of AddRmsNormBias, assumed"}
    # Kernels around the experts: rows are gathered or summed somewhere between the norms' rate and that of the unlisted kernels.
    middle = (rates["AddRmsNormBias"] * moved / unlisted) ** 0.5
    say("moe_permute, moe_unpermute", middle, "B/s")
    wide = (middle / rates["AddRmsNormBias"], middle * unlisted / moved)
    for kinds, launches, what in ((["moe_permute"], 3, "sort, count, gather"), (["moe_unpermute"], 1, "one kernel"), (["softmax", "argmax", "add", "pad", "sum"], 1, "one kernel")):
        yield {"kinds": kinds, "floor_s": launches * floor, "terms": [term(["bytes"], middle, "memory")], "provenance": "scaled", "scatter": wide,
               "source": f"derived: no profile of experts. Bytes at the geometric mean of AddRmsNormBias and of the kernels that the list of the {PROFILE} leaves out, "
                         f"which are its range; floor: {what}, 3.8 us each"}


def mixer_rules(windows, stages):
    single = windows["single_request"]
    # Chunk rule: one launch floor for all stages, the one that fits the windows and the single short prompt best.
    short = single["ops_rank0"]["GDN_chunk_4ops(FwdH,recompute_w_u,solve_tril_16x16,FwdO)"][1] * 1e-3 / LINEAR_LAYERS

    def fit(floor):
        rates, off = {}, 0.0
        for stage in STAGES:
            points = [(seconds(windows[name], stage) / (LINEAR_LAYERS * facts["prefills"]), VALUE_HEADS * facts["tokens"] / facts["prefills"])
                      for name, facts in WINDOWS.items() if seconds(windows[name], stage)]
            inverse = sum((time - floor) / time * work / time for time, work in points) / sum((work / time) ** 2 for time, work in points)
            rates[stage] = 1.0 / inverse
            off += sum(((floor + work * inverse) / time - 1.0) ** 2 for time, work in points) / len(points)
        four = sum(floor + VALUE_HEADS * 5 / rates[stage] for stage in STAGES if "merge" not in stage and "kkt" not in stage)
        return off + (four / short - 1.0) ** 2, rates

    floor = min((fit(us * 1e-6)[0], us * 1e-6) for us in range(0, 61))[1]
    rates = fit(floor)[1]
    say("chunk rule, floor per stage", floor * 1e6, "us", ("four stages of one short prompt, us", short * 1e6))
    for stage, kind in STAGES.items():
        ratios = [seconds(windows[name], stage) / (LINEAR_LAYERS * facts["prefills"]) /
                  (floor + VALUE_HEADS * facts["tokens"] / facts["prefills"] / rates[stage])
                  for name, facts in WINDOWS.items() if seconds(windows[name], stage)]
        say(f"  {stage}", 1e9 / rates[stage], "us/1k", *(("ratio", r) for r in ratios))
        yield {"kinds": [kind], "floor_s": floor, "terms": [term(["rows", "heads"], rates[stage], "compute")], "scatter": at_least(ratios),
               "seen": {"rows": [64, 16384], "heads": [24, 24]},
               "source": f"{PROFILE}: {stage}, time per call over tokens and value heads; floor from one short prompt"}
    whole = 1.0 / sum(1.0 / rate for rate in rates.values())
    triton, mega = stages
    say("chunk rule, six stages", 1e9 / whole, "us/1k", ("910B2 Triton", triton), ("910B2 one kernel", mega))
    yield {"kinds": ["linear_attn_chunk_gated_delta_rule"], "floor_s": floor * 6 / 9, "terms": [term(["rows", "heads"], whole, "compute")],
           "seen": {"rows": [64, 16384], "heads": [24, 24]}, "scatter": (mega * whole / 1e9, triton * whole / 1e9),
           "source": f"{PROFILE}: its six stages over tokens and value heads, the floors of six launches; scatter: a public benchmark on one Ascend 910B2, "
                     f"{triton:.1f} us per 1,000 tokens and head in Triton, {mega:.1f} in one hand-written kernel"}

    calls_, time = single["ops_rank0"]["RecurrentGatedDeltaRule"]
    moved = (1 + DRAFTS) * VALUE_HEADS * 2 * HEAD * HEAD * 4
    weights = few_rows_rate(windows)
    floor = time * 1e-3 / calls_ - moved / weights
    say("RecurrentGatedDeltaRule, floor", floor * 1e6, "us", ("us a call", 1e3 * time / calls_))
    yield {"kinds": ["linear_attn_recurrent_gated_delta_rule"], "floor_s": floor, "terms": [term(["bytes"], weights, "memory")],
           "scatter": (0.9, 1.5), "seen": {"rows": [4, 44], "heads": [24, 24]},
           "source": f"{PROFILE}: RecurrentGatedDeltaRule, 26.6 us for one request of four tokens; its states at the rate of weights leave the floor. "
                     "Scatter: at 36 rows no more than 177 us, or it would stand in the list of the window with mixed forwards; the law gives 118"}

    ratios, rate = [], 0.0
    work = {name: 4 * pairs * QUERY_HEADS * QUERY_HEAD * (FULL_LAYERS + 1) for name, pairs in PAIRS.items()}
    rate = sum(work.values()) / sum(seconds(windows[name], "FusedInferAttentionScore") for name in PAIRS)
    for name in PAIRS:
        ratios.append(seconds(windows[name], "FusedInferAttentionScore") * rate / work[name])
    say("FusedInferAttentionScore, prefill", rate, "FLOP/s", *((n, work[n] / seconds(windows[n], "FusedInferAttentionScore")) for n in PAIRS))
    yield {"kinds": ["attention"], "floor_s": 3.8e-6,
           "terms": [term(["flops"], rate, "compute"), term(["bytes"], weights, "memory")],
           "seen": {"context": [2048, 8192]}, "scatter": (min(ratios) * 0.95, 1.4),
           "source": f"{PROFILE}: FusedInferAttentionScore, FLOPs of the causal half over its time in four windows; the cache is read at the rate of weights "
                     "(assumed). Scatter: prefills of 16K and 32K tokens on one Ascend 910B2 grow by what 150 TFLOP/s would take"}


def link_rules(windows, share=1.0):
    """Collectives of two dies; `share` of the profiled link's bandwidth on another device's pair of dies."""
    single, prefill = windows["single_request"], windows["bs16_prefill"]
    rate = prefill["comm"]["allreduce_SIO_MB"] * 1e6 / (prefill["comm"]["allreduce_SIO_ms"] * 1e-3)
    slow = single["step_ms"]["CommNotOverlapped"][1] * 1e-3 / (calls(single, "allreduceAicpuKernel") + calls(single, "allgatherAicpuKernel"))
    fast = 20e-6
    floor = (slow * fast) ** 0.5  # which of the two launches them is a setting of the engine that a scenario does not say
    how = (f"{PROFILE}: 45.6 GB of all-reduce in 300 ms on the die link; floor: the geometric mean of 54 us (there 580 collectives of the rank that never waits take 31.2 ms "
           "with one request, launched by the AI CPU) and of 20 us (an all-reduce of 16 dies launched by the vector cores, vllm-ascend 0.15, CANN 8.5, reported by the "
           "TensorCast simulator's authors), which are its range")
    if share == 1.0:
        say("all-reduce over the die link", rate, "B/s", ("floor, us", floor * 1e6), ("AI CPU", slow * 1e6))
    else:
        how += f"; rate times {share:g}, the bandwidth of a pair here over that of the die link"
    for kinds, factor, provenance in ((["all_reduce", "all_gather"], 1.0, "calibrated" if share == 1.0 else "scaled"),
                                      (["reduce_scatter", "all_to_all"], 2.0, "scaled")):
        link = {"per": ["message"], "rate": rate * factor * share}
        if share == 1.0:
            link["scales_with"] = "link"
        yield {"kinds": kinds, "where": {"ranks": [2, 2]}, "floor_s": floor, "terms": [link], "provenance": provenance, "scatter": (fast / floor, slow / floor),
               "source": how}


# Collectives of 8 and 16 dies, microseconds by the bytes that all ranks together hold: medians of two profiles (Qwen3-32B in BF16 at TP 16,
# DeepSeek-V3 in W8A8 at TP 8; vllm-ascend 0.15, CANN 8.5, launched by the vector cores, decode steps as graphs) on dies of this generation, as the
# authors of the TensorCast simulator report them. Their sizes are those of a rank's chunk, in MiB. 25 MB is the mean
# of what 22 MB take at 16 and 29 MB at 8 dies.
REPORT = ("report of the TensorCast simulator's authors on collectives (comm_alignment_report, 2026-03-19): Qwen3-32B at TP 16 and DeepSeek-V3 at TP 8 on A3 dies, "
          "vllm-ascend 0.15, CANN 8.5, AIV")
ALL_GATHER = ((8e3, 6.4), (1.15e5, 7.0), (1.2e6, 25.9), (4.7e6, 48), (2.5e7, 177), (6.4e7, 367), (1.5e8, 722), (3.6e8, 1657), (6.7e8, 3141))
REDUCE_SCATTER = ((1.15e5, 8.1), (2.5e7, 209), (6.4e7, 442), (1.5e8, 887), (3.6e8, 2115), (6.7e8, 3796))
# One size measured, 160 KB; beyond it a reduce-scatter and an all-gather.
ALL_REDUCE = ((1.6e5, 21), (1.2e6, 36), (4.7e6, 84), (2.5e7, 386), (6.4e7, 809), (1.5e8, 1609), (3.6e8, 3772), (6.7e8, 6937))


def group_rules():
    """Groups of 3 to 16 dies."""
    for kind, sizes, points, how in (("all_gather", ["message", "ranks"], ALL_GATHER, "medians of five and nine sizes"),
                                     ("reduce_scatter", ["message"], REDUCE_SCATTER, "medians of two and five sizes"),
                                     ("all_reduce", ["message"], ALL_REDUCE, "20 to 24 us for 160 KB; larger ones as a reduce-scatter and an all-gather")):
        largest, time = points[-1]
        rate, start = largest / (time * 1e-6), points[0][1] * 1e-6
        values = [us * 1e-6 / max(size / rate, start) for size, us in points]
        yield {"kinds": [kind], "where": {"ranks": [3, 16]}, "constant_s": start, "terms": [term(sizes, rate, "link")],
               "table": {"axes": [{"of": sizes, "points": [size for size, _ in points]}], "unit": 0.01, "values": [round(100 * value) for value in values]},
               "scatter": (0.7, 1.5), "source": f"{REPORT}: {how}. Scatter: the two group sizes lie up to a third apart"} | (
                   {"provenance": "scaled"} if kind == "all_reduce" else {})


def main():
    folder = sys.argv[1]
    devices = sys.argv[2] if len(sys.argv) > 2 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "devices")
    with open(os.path.join(folder, "ascend_27b_tp2_w8a8_windows.json"), encoding="utf-8") as file:
        windows = json.load(file)["windows"]
    with open(os.path.join(folder, "ascend_910b2_gdn_stages.csv"), encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["l_seg"] == "8192" and row["v_heads"] == "16"]
    per = 1e6 / (16 * 8.192 * 16) * 1e-3  # ms of 16 sequences of 8,192 tokens and 16 heads -> us per 1,000 tokens and head
    triton = per * sum(float(row["ms"]) for row in rows if row["impl"] == "triton64")
    mega = per * sum(float(row["ms"]) for row in rows if row["stage"] == "mega")
    grouped = experts_over_products(folder, devices)
    rules = [*matmul_rules(windows, grouped), *memory_rules(windows), *mixer_rules(windows, (triton, mega)), *link_rules(windows), *group_rules()]
    size = write_section(os.path.join(devices, MEASURED_ON + ".yaml"), {"uncalibrated": UNCALIBRATED, "remark": REMARK, "rules": rules})
    print(f"{MEASURED_ON}: {len(rules)} rules, {size:,} bytes")
    for name in SCALED:
        # Two A2 dies share one of seven links, 28 GB/s, or PCIe, 64 GB/s; two A3 dies the die link, 224 GB/s.
        own = list(link_rules(windows, (64 if name.endswith("_PCIE") else 28) / 224)) if "_A2_" in name else []
        write_section(os.path.join(devices, name + ".yaml"),
                      {"scaled_from": MEASURED_ON, "scaled": SCALING, "uncalibrated": UNCALIBRATED, "rules": own, "remark": SCALING_REMARK})


if __name__ == "__main__":
    main()
