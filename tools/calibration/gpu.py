#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""NVIDIA GPUs: compact tables fitted to 1.2 million measured kernels.

    gpu.py MEASURED_FOLDER [--devices FOLDER] [--docs FILE] [--only DEVICE]...

writes the `calibration` section of each device file and a table of how well each rule fits. A fifth of the shapes,
chosen by a hash of the shape, is held out of the fit and gives the errors and the scatter.
"""

import argparse
import os
import sys

import numpy as np

from experts import busiest
from measurements import Device, columns, read_rows
from scaling import Law, docs_lines as scaling_lines, write_scaled
from section import write_section
from tables import errors, evaluate, fit_table, held_out_mask

SOURCE = "aiconfigurator-core 0.12.0, Apache-2.0, (c) NVIDIA and affiliates"
DEVICES = ("NVIDIA_A100_80G_SXM", "NVIDIA_H100_SXM", "NVIDIA_H200_SXM", "NVIDIA_B200_SXM", "NVIDIA_GB200", "NVIDIA_L40S",
           "NVIDIA_RTX_PRO_6000")
# Measured format -> (ours, bytes of a weight or cache element).
FORMATS = {"bfloat16": ("bf16", 2.0), "fp8": ("fp8", 1.0), "nvfp4": ("fp4", 0.5)}


class Fit:
    """Collects the rules of one device and how well they fit."""

    def __init__(self, device):
        self.device = device
        self.rules = []
        self.report = []  # (what, dtype, fitted, held out, median, p90, values)
        self.laws = {}    # by (what, dtype), for scaling.py

    def add(self, what, kinds, base, axes, features, seconds, keys, engine, **more):
        """One rule: `base` is a list of (term, seconds) that the law takes the largest of, `term` a number for a
        constant; `axes` lists (feature names, points); `features` gives each axis its sizes. `second`: the base of another
        operator that the same kernel measured."""
        parts = [[np.broadcast_to(value, seconds.shape) for _, value in part] for part in (base, more.pop("second", None)) if part]
        floor = sum(np.maximum.reduce(part) for part in parts)
        # Faster than the memory allows: weights, cache or states stayed in the L2 from one repeat to the next, as they
        # do in no step. (The input of the convolution may well lie there: its producer ran just before.)
        possible = seconds >= 0.95 * more.pop("least", 0.0)
        warm = int((~possible).sum())
        floor, seconds, keys = floor[possible], seconds[possible], [key for key, ok in zip(keys, possible) if ok]
        features = [feature[possible] for feature in features]
        parts = [[value[possible] for value in part] for part in parts]
        points = [[p for p in axis_points] for _, axis_points in axes]
        sizes = np.stack(features, axis=1)
        out = held_out_mask(keys)
        every = more.pop("every", False)

        def fitted(kept):
            values = fit_table(points, sizes[kept], (seconds / floor)[kept])
            return np.maximum(np.round(np.exp(values) * 100), 1)  # as the file has them, in hundredths

        written = fitted(~out)
        predicted = evaluate(points, np.log(written / 100), sizes) * floor
        median, p90, scatter = errors(predicted[out], seconds[out])
        if every:  # few points: the table that is written is fitted to all of them
            written = fitted(np.ones_like(out))
        rule = {"kinds": kinds, "terms": [], "scatter": scatter, "source": f"{SOURCE}: {engine}"}
        for term, _ in base:
            if isinstance(term, float):
                rule["constant_s"] = term
            else:
                rule["terms"].append(term)
        rule["table"] = {"axes": [{"of": list(of), "points": axis_points} for of, axis_points in axes], "unit": 0.01,
                         "values": [int(v) for v in written]}
        rule.update(more)
        self.rules.append(rule)
        self.laws[what, more.get("dtype", "")] = Law([term for term, _ in base], parts, [list(of) for of, _ in axes], points,
                                                     np.log(written / 100), sizes, seconds)
        self.report.append((what, more.get("dtype", ""), int((~out).sum()), int(out.sum()), warm, median, p90, len(written)))
        print(f"  {what:24} {more.get('dtype', ''):5} fitted {int((~out).sum()):6} held out {int(out.sum()):5} warm {warm:5}  "
              f"median {100 * median:5.1f} %  p90 {100 * p90:5.1f} %  values {len(written)}", flush=True)

    def included(self, kinds, where, engine, **more):
        self.rules.append({"kinds": kinds, "included_in": where, "source": f"{SOURCE}: {engine}"} | more)


def compute(per, rate):
    return {"per": per, "rate": rate, "scales_with": "compute"}


def memory(per, rate):
    return {"per": per, "rate": rate, "scales_with": "memory"}


def shape_keys(*arrays):
    return list(zip(*(array.astype(int).tolist() for array in arrays)))


def within(points, sizes):
    """`points` cut to what was measured, with both ends of it."""
    low, high = float(sizes.min()), float(sizes.max())
    return sorted({low, high} | {float(p) for p in points if low < p < high})


# --- matrix products

ROWS = {"bf16": (1, 8, 16, 32, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 2048, 4096, 32768),
        "fp8": (1, 8, 16, 17, 32, 64, 65, 128, 129, 256, 257, 512, 513, 1024, 1025, 2048, 4096, 32768),
        "fp4": (1, 8, 16, 17, 32, 64, 65, 128, 129, 256, 257, 512, 1024, 2048, 4096, 32768)}
COLUMNS = {"bf16": (32, 128, 512, 1024, 2048, 4096, 6144, 10240, 16384, 65536),
           "fp8": (32, 128, 512, 1536, 3072, 6144, 12288, 65536), "fp4": (32, 128, 512, 1536, 3072, 6144, 12288, 65536)}


def matmuls(fit, folder, name):
    rows = read_rows(folder, "gemm", name)
    for measured, (dtype, width) in FORMATS.items():
        mine = [row for row in rows if row["gemm_dtype"] == measured]
        if not mine:
            continue
        m, n, k, seconds = columns(mine, "m", "n", "k")
        engine = f"{mine[0]['engine']}, {measured}, a fifth of the weight shapes held out"
        flops, moved = 2 * m * n * k, width * (m * k + n * k) + 2 * m * n
        peak = fit.device.peak[dtype]
        base = [(compute(["flops"], peak), flops / peak), (memory(["bytes"], fit.device.bandwidth), moved / fit.device.bandwidth),
                (2.5e-6, 2.5e-6)]
        axes = [(["rows"], within(ROWS[dtype], m)), (["n"], within(COLUMNS[dtype], n)), (["k"], within(COLUMNS[dtype], k))]
        fit.add("matrix product", ["linear"], base, axes, [m, n, k], seconds, shape_keys(n, k), engine, dtype=dtype,
                least=moved / fit.device.bandwidth)
        if dtype != "bf16":
            fit.included(["quantize"], "the matrix product that it feeds", f"{engine}; its kernels quantize their input",
                         dtype=dtype)


# --- full attention

def attention(fit, folder, name):
    for phase, length in (("decode", "context"), ("prefill", "isl")):
        rows = read_rows(folder, "attention_" + phase, name)
        for measured, (dtype, width) in FORMATS.items():
            mine = [row for row in rows if row["kv_cache_dtype"] == measured]
            if not mine:
                continue
            dim, heads, kv, batch, tokens, seconds = columns(mine, "head_dim", "num_heads", "num_key_value_heads",
                                                             "batch_size", length)
            peak = fit.device.peak["bf16"]
            decode = phase == "decode"
            queries = np.ones_like(tokens) if decode else tokens
            context = tokens + 1 if decode else tokens
            pairs = context if decode else tokens * (tokens + 1) / 2
            flops = 4 * batch * pairs * heads * dim
            moved = 4 * batch * queries * heads * dim + batch * context * 2 * kv * dim * width
            start = float(np.min(seconds))
            base = [(compute(["flops"], peak), flops / peak),
                    (memory(["bytes"], fit.device.bandwidth), moved / fit.device.bandwidth), (start, start)]
            dims = sorted(set(dim.tolist()))
            if decode:
                axes = [(["context"], within((16, 128, 512, 1024, 2048, 4096, 8192, 16384, 32768), context)),
                        (["sequences"], within((2, 4, 8, 16, 32, 128, 512), batch)),
                        (["key_value_heads"], sorted(set(kv.tolist()))), (["head_dim"], dims)]
                features = [context, batch, kv, dim]
                where = {"sequence_rows": [0, 9]}
            else:
                axes = [(["sequence_pairs"], [1.0] + [p * (p + 1) / 2 for p in (16, 64, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096,
                                                                                                          8192, 16384)]),
                        (["sequences", "heads"], within((4, 8, 16, 24, 32, 48, 64, 96, 128, 512), batch * heads)),
                        (["heads_per_key_value_head"], within((4,), heads / kv)), (["head_dim"], dims)]
                features = [pairs, batch * heads, heads / kv, dim]
                where = None
            more = {"where": where} if where else {}
            fit.add("attention, " + phase, ["attention"], base, axes, features, seconds,
                    shape_keys(dim, heads, kv, batch), f"{mine[0]['engine']}, a fifth of the shapes (heads, batch) held out",
                    dtype=dtype, least=moved / fit.device.bandwidth, **more)


# --- Gated DeltaNet

HEAD = 128  # of keys and values in all models measured


def gated_delta_net(fit, folder, name):
    rows = read_rows(folder, "gdn", name)
    engines = {row["engine"].split()[0] for row in rows}
    engine = "vllm" if "vllm" in engines else "sglang"
    rows = [row for row in rows if row["engine"].startswith(engine)]
    bandwidth = fit.device.bandwidth

    def of(prefix):
        mine = [row for row in rows if row["kernel_source"].startswith(prefix)]
        if not mine:
            return None
        batch, tokens, keys, values, seconds = columns(mine, "batch_size", "seq_len", "num_k_heads", "num_v_heads")
        told = f"{mine[0]['engine']}, {mine[0]['kernel_source']}, a fifth of the shapes (heads, batch) held out"
        return batch, tokens, keys, values, seconds, told

    for prefix, kind, what in (("causal_conv1d_fn", "linear_attn_causal_conv", "convolution"),
                               ("causal_conv1d_update", "linear_attn_causal_conv_update", "convolution update")):
        batch, tokens, keys, values, seconds, told = of(prefix)
        channels = (2 * keys + values) * HEAD
        start = float(seconds.min())
        amount = batch * tokens * channels
        rate = bandwidth / 4  # elements, each read and written in two bytes
        axes = [(["rows", "channels"], geometric(amount, 2.0)),
                (["sequence_rows"], within((4, 16, 64, 256, 2048), tokens))]
        sizes = [amount, tokens]
        if engine == "sglang" and tokens.max() > 1:  # its kernel's time grows with the sequences
            axes[1], sizes[1] = (["sequences"], sorted(set(batch.tolist()))), batch
        fit.add(what, [kind], [(memory(["rows", "channels"], rate), amount / rate), (start, start)], axes, sizes,
                seconds, shape_keys(keys, values, batch), told)

    batch, tokens, keys, values, seconds, told = of("fused_recurrent")
    start = float(seconds.min())
    amount = batch * values
    rate = bandwidth / (2 * HEAD * HEAD * 4)  # states, each read and written in FP32
    fit.add("recurrent rule", ["linear_attn_recurrent_gated_delta_rule"],
            [(memory(["rows", "heads"], rate), amount / rate), (start, start)],
            [(["rows", "heads"], geometric(amount, 1.5))], [amount], seconds, shape_keys(keys, values, batch), told,
            least=amount / rate)
    if "packed_decode" in told:
        fit.included(["linear_attn_fused_gdn_gating"], "the recurrent rule's kernel", told, phase="decode")

    chunk = of("chunk_gated_delta_rule")
    if chunk is None:
        return
    batch, tokens, keys, values, seconds, told = chunk
    chunks = np.ceil(tokens / 64)
    start = float(seconds.min())
    one = batch * values == np.min(batch * values)
    serial = float(np.median(seconds[one & (chunks >= 64)] / chunks[one & (chunks >= 64)]))
    full = batch * values * tokens >= 0.2 * np.max(batch * values * tokens)
    rate = float(np.median((batch * values * tokens)[full] / seconds[full]))
    print(f"    serial {1e6 * serial:.2f} us per chunk, throughput {1e9 / rate:.3f} us per 1,000 tokens and head")
    fit.add("chunk rule", ["linear_attn_chunk_gated_delta_rule"],
            [(compute(["chunks"], 1 / serial), chunks * serial), (compute(["rows", "heads"], rate), batch * values * tokens / rate),
             (start, start)],
            [(["sequence_rows"], within((4, 16, 64, 128, 256, 512, 1024, 4096), tokens)),
             (["sequences", "heads"], within((8, 16, 32, 64, 96, 128, 192, 256, 512, 1024, 2048), batch * values))],
            [tokens, batch * values], seconds, shape_keys(keys, values, batch), told)


def geometric(sizes, factor):
    """Points from the smallest to the largest size, about `factor` apart."""
    low, high = float(sizes.min()), float(sizes.max())
    steps = max(1, int(round(np.log(high / low) / np.log(factor))))
    return [float(f"{p:.4g}") for p in low * (high / low) ** (np.arange(steps + 1) / steps)]


# --- experts

def experts(fit, folder, name):
    rows = [row for row in read_rows(folder, "moe", name) if row["engine"].startswith("vllm")]
    for measured, (dtype, width) in FORMATS.items():
        # The FP8 checkpoints of these models are scaled in blocks of 128 x 128; where those kernels were not measured, per tensor.
        # (On Hopper the kernel measured per tensor takes three times as long as the block-wise one.)
        if dtype == "fp8" and any(row["moe_dtype"] == "fp8_block" for row in rows):
            measured = "fp8_block"
        mine = [row for row in rows if row["moe_dtype"] == measured]
        if not mine:
            continue
        shapes, load, seconds = [], [], []
        for row in mine:
            shape = tuple(int(row[c]) for c in ("hidden_size", "inter_size", "topk", "num_experts", "moe_tp_size", "moe_ep_size"))
            shapes.append(shape)
            load.append(busiest(int(row["num_tokens"]), shape[2], shape[3], shape[5], row["distribution"]))
            seconds.append(float(row["latency_us"]) * 1e-6)
        shape, load, seconds = np.array(shapes, dtype=float), np.array(load), np.array(seconds)
        hidden, inner = shape[:, 0], shape[:, 1] / shape[:, 4]
        used, touched = load[:, 0], load[:, 1]
        peak, bandwidth = fit.device.peak[dtype], fit.device.bandwidth
        start = float(seconds.min()) / 2
        products, least = [], 0.0
        for k, n, out in ((hidden, 2 * inner, inner), (inner, hidden, hidden)):
            moved = width * (used * k + touched * k * n) + 2 * used * out
            least = least + moved / bandwidth
            products.append([(compute(["flops"], peak), 2 * used * k * n / peak), (memory(["bytes"], bandwidth), moved / bandwidth), (start, start)])
        axes = [(["rows_per_expert"], within((2, 8, 32, 128, 512), used / touched)),
                (["experts"], within((4, 16, 64, 128, 256), touched)),
                (["n"], within((64, 256, 512), inner)), (["k"], [2048.0, 4096.0])]
        told = f"{mine[0]['engine']}, fused experts in {measured}, a fifth of the shapes (model, TP, EP) held out"
        fit.add("experts", ["grouped_matmul_swiglu", "grouped_matmul"], products[0], axes,
                [used / touched, touched, inner, hidden], seconds, shapes, told, dtype=dtype, second=products[1], least=least)
    if rows:
        fit.included(["moe_permute", "moe_unpermute"], "the fused experts' kernels", f"{rows[0]['engine']}, fused experts")


# --- collectives

def collectives(fit, folder, name):
    nccl = read_rows(folder, "nccl", name)
    custom = read_rows(folder, "custom_all_reduce", name)
    for kind, measured in (("all_reduce", "all_reduce"), ("all_gather", "all_gather"),
                           ("reduce_scatter", "reduce_scatter"), ("all_to_all", "alltoall")):
        ranks, size, seconds = columns([row for row in nccl if row["op_name"] == measured], "num_gpus", "message_size")
        told = nccl[0]["engine"]
        if kind == "all_reduce" and custom:
            # An engine takes its own kernel where that is the faster.
            own = {(r, s): t for r, s, t in zip(*columns(custom, "num_gpus", "message_size"))}
            both = dict(zip(zip(ranks, size), seconds))
            for key, time in own.items():
                both[key] = min(time, both.get(key, time))
            ranks, size = np.array([k[0] for k in both]), np.array([k[1] for k in both])
            seconds = np.array(list(both.values()))
            told += f" or custom all-reduce of {custom[0]['engine']}, the faster of the two"
        message = 2 * size / (ranks if kind == "all_gather" else 1)  # what a rank contributes, in bytes
        volume = {"all_reduce": 2 * (ranks - 1) / ranks, "all_gather": ranks - 1}.get(kind, (ranks - 1) / ranks) * message
        big = message == message.max()
        rate = float(np.median(message[big] / seconds[big]))
        start = float(seconds.min())
        base = [({"per": ["message"], "rate": rate, "scales_with": "link"}, message / rate), (start, start)]
        # A point for each size measured (powers of two) over NVLink. Over PCIe times jump from one size to the next, and points
        # further apart follow them less.
        axes = [(["message"], geometric(message, 2.0 if fit.device.link > 100e9 else 3.0)), (["ranks"], sorted(set(ranks.tolist())))]
        print(f"    {kind}: {float(np.median(volume[big] / seconds[big])) / 1e9:.0f} GB/s per rank")
        fit.add(kind, [kind], base, axes, [message, ranks], seconds, shape_keys(ranks, size),
                f"{told}, a fifth of the sizes held out of the errors, none of the table", every=True)


def docs_lines(reports):
    lines = ["| device | kind | format | fitted | held out | left out | median | 90th percentile | values |",
             "|---|---|---|---:|---:|---:|---:|---:|---:|"]
    for name, report in reports.items():
        for what, dtype, fitted, out, warm, median, p90, values in report:
            lines.append(f"| {name.removeprefix('NVIDIA_')} | {what} | {dtype} | {fitted:,} | {out:,} | {warm:,} | {100 * median:.1f} % "
                         f"| {100 * p90:.1f} % | {values} |")
    return lines


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", help="holds gpu_kernels/*.csv.gz")
    parser.add_argument("--devices", default=os.path.join(here, "..", "..", "devices"))
    parser.add_argument("--docs", default=os.path.join(here, "..", "..", "docs", "calibration.md"))
    parser.add_argument("--only", action="append")
    arguments = parser.parse_args()
    reports, fits = {}, {}
    for name in arguments.only or DEVICES:
        print(name)
        path = os.path.join(arguments.devices, name + ".yaml")
        fit = Fit(Device(path))
        for part in (gated_delta_net, matmuls, attention, experts, collectives):
            part(fit, arguments.folder, name)
        reports[name] = fit.report
        fits[name] = fit
        print(f"  {write_section(path, {'uncalibrated': UNCALIBRATED, 'remark': REMARK, 'rules': fit.rules}):,} bytes")
    if not arguments.only:
        write_docs(arguments.docs, "gpu", docs_lines(reports))
        write_docs(arguments.docs, "scaling", scaling_lines(fits))
        write_scaled(fits, arguments.devices, UNCALIBRATED)


UNCALIBRATED = (0.6, 1.6)
REMARK = ("Kernels measured in isolation and in a graph, so without the host. Not measured, and so the roofline's: norms, "
          "RoPE, SwiGLU, cache writes, embedding, and the gating of prefill; their scatter is assumed.")


def write_docs(path, name, lines):
    """Puts the table between its marks in the document."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    opening, closing = f"<!-- {name} table: written by tools/calibration/gpu.py -->", f"<!-- end of {name} table -->"
    before, rest = text.split(opening)
    after = rest.split(closing)[1]
    with open(path + ".part", "w", encoding="utf-8") as file:
        file.write(before + opening + "\n" + "\n".join(lines) + "\n" + closing + after)
    os.replace(path + ".part", path)


if __name__ == "__main__":
    main()
