# SPDX-License-Identifier: GPL-3.0-or-later
"""What products of many experts take over plain ones of the same work, on GPUs: a law for devices whose experts nobody measured.

The measured kernels of mixture-of-experts layers (BF16, both products and the sum over experts) over the sum of two plain products
of the same sizes, each max(FLOPs / (0.75 peak), bytes / (0.85 bandwidth)) + 3 us as the same GPUs' plain products have it. The ratio
depends on the rows of an expert far more than on the GPU."""

import os

import numpy as np

from experts import busiest
from measurements import Device, read_rows

GPUS = ("NVIDIA_A100_80G_SXM", "NVIDIA_H100_SXM", "NVIDIA_H200_SXM", "NVIDIA_B200_SXM", "NVIDIA_L40S", "NVIDIA_RTX_PRO_6000")
EDGES = (0.0, 1.5, 4.0, 16.0, 64.0, 200.0, 600.0, 1e9)  # rows of an expert
POINTS = (1, 2.5, 8, 32, 120, 350, 1000)


def plain(used, touched, hidden, inner, device):
    seconds = 0.0
    for k, n, out in ((hidden, 2 * inner, inner), (inner, hidden, hidden)):
        moved = 2 * (used * k + touched * k * n) + 2 * used * out
        seconds += max(2 * used * k * n / (0.75 * device.peak["bf16"]), moved / (0.85 * device.bandwidth)) + 3e-6
    return seconds


def experts_over_products(folder, devices):
    """(points, medians, (p10, p90) of ratio / median) over the rows of an expert."""
    ratios = [[] for _ in POINTS]
    for name in GPUS:
        device = Device(os.path.join(devices, name + ".yaml"))
        for row in read_rows(folder, "moe", name):
            if row["moe_dtype"] != "bfloat16" or not row["engine"].startswith("vllm"):
                continue
            hidden, inner, topk, count, tp, ep, tokens = (int(row[c]) for c in ("hidden_size", "inter_size", "topk", "num_experts", "moe_tp_size",
                                                                                "moe_ep_size", "num_tokens"))
            used, touched = busiest(tokens, topk, count, ep, row["distribution"])
            inner /= tp
            if 128 <= inner <= 1024 and touched >= 16:
                bucket = int(np.searchsorted(EDGES, used / touched, side="right")) - 1
                ratios[bucket].append(float(row["latency_us"]) * 1e-6 / plain(used, touched, hidden, inner, device))
    medians = [float(np.median(bucket)) for bucket in ratios]
    spread = np.concatenate([np.array(bucket) / median for bucket, median in zip(ratios, medians)])
    for point, bucket, median in zip(POINTS, ratios, medians):
        print(f"experts over plain products, {point:6} rows: {median:.2f}, {np.percentile(bucket, 10):.2f} to {np.percentile(bucket, 90):.2f}, "
              f"{len(bucket)} points")
    return list(POINTS), medians, (float(np.percentile(spread, 10)), float(np.percentile(spread, 90)))
