# SPDX-License-Identifier: GPL-3.0-or-later
"""How well rules carry over to another device: one measured GPU is predicted from the rules of another, as the product scales
them (rates by the ratios of FP16 peak, memory bandwidth and innermost link), and held against its own measurements."""

import os

import numpy as np

from section import write_section
from tables import evaluate


class Law:
    """A fitted rule with the measurements it was fitted to: terms (a number for a constant), seconds of each term for each
    measured shape, by operator of the kernel, and the table."""

    def __init__(self, terms, parts, names, points, log_values, sizes, seconds):
        self.terms, self.parts, self.names, self.points = terms, parts, names, points
        self.log_values, self.sizes, self.seconds = log_values, sizes, seconds


def slower(source, target):
    """Seconds on `target` per second on `source`, by what a rate scales with."""
    return {"compute": source.peak["fp16"] / target.peak["fp16"], "memory": source.bandwidth / target.bandwidth,
            "link": source.link / target.link if target.link else 1.0}


def ratios(source, target, key):
    """Measured / predicted of each shape of `target`'s law by the rule of `source`; nothing where the laws are not alike."""
    if key not in source.laws:
        return None
    theirs, own = source.laws[key], target.laws[key]
    if theirs.names != own.names or len(theirs.terms) != len(own.terms):
        return None
    factor = slower(source.device, target.device)
    floor = 0.0
    for part in own.parts:
        terms = []
        for here, there, seconds in zip(own.terms, theirs.terms, part):
            if isinstance(there, float):
                terms.append(np.full(len(seconds), there))
            else:
                terms.append(seconds * here["rate"] / there["rate"] * factor.get(there.get("scales_with"), 1.0))
        floor = floor + np.maximum.reduce(terms)
    return own.seconds / (floor * evaluate(theirs.points, theirs.log_values, own.sizes))


# (predicted from, predicted). The first two differ in memory, the next in almost nothing, the others in generation or market.
PAIRS = (("NVIDIA_H100_SXM", "NVIDIA_H200_SXM"), ("NVIDIA_H200_SXM", "NVIDIA_H100_SXM"), ("NVIDIA_B200_SXM", "NVIDIA_GB200"),
         ("NVIDIA_H100_SXM", "NVIDIA_A100_80G_SXM"), ("NVIDIA_H100_SXM", "NVIDIA_B200_SXM"), ("NVIDIA_L40S", "NVIDIA_RTX_PRO_6000"),
         ("NVIDIA_RTX_PRO_6000", "NVIDIA_L40S"))
# Device -> (scaled from, pairs whose scatter is its range, what they have in common with it).
SCALED = {
    "NVIDIA_A100_40G_SXM": ("NVIDIA_A100_80G_SXM", PAIRS[:2], "the same chip with another memory, as H100 and H200"),
    "NVIDIA_H800_SXM": ("NVIDIA_H100_SXM", PAIRS[:2], "the same chip with another link; H100 and H200 differ no less"),
    "NVIDIA_H20": ("NVIDIA_H100_SXM", (PAIRS[3], PAIRS[5], PAIRS[6]), "the same generation at a seventh of its compute; pairs whose balance of compute and memory "
                                                                  "differs"),
    "NVIDIA_L4": ("NVIDIA_L40S", PAIRS[5:], "the same generation, a smaller chip; L40S and RTX PRO 6000 from each other"),
    "NVIDIA_RTX_4090": ("NVIDIA_L40S", PAIRS[5:], "the same chip generation; L40S and RTX PRO 6000 from each other"),
}


def kinds(fits, pair):
    """(what, dtype, ratios) of each law that carries over."""
    source, target = fits[pair[0]], fits[pair[1]]
    for key in target.laws:
        found = ratios(source, target, key)
        if found is not None:
            yield (*key, found)


def spread(fits, pairs):
    """Percentiles 10 and 90 of measured / predicted, every kind and format of every pair counting alike."""
    levels = np.linspace(1, 99, 99)
    pooled = np.concatenate([np.percentile(found, levels) for pair in pairs for _, _, found in kinds(fits, pair)])
    return float(np.percentile(pooled, 10)), float(np.percentile(pooled, 90))


def docs_lines(fits):
    lines = ["| from | to | kind | format | points | median | 10th | 90th percentile of measured / predicted |", "|---|---|---|---|---:|---:|---:|---:|"]
    for pair in PAIRS:
        names = [name.removeprefix("NVIDIA_") for name in pair]
        for what, dtype, found in kinds(fits, pair):
            low, middle, high = np.percentile(found, (10, 50, 90))
            lines.append(f"| {names[0]} | {names[1]} | {what} | {dtype} | {len(found):,} | {middle:.2f} | {low:.2f} | {high:.2f} |")
        low, high = spread(fits, (pair,))
        lines.append(f"| {names[0]} | {names[1]} | all, each kind alike | | | | {low:.2f} | {high:.2f} |")
    return lines


def write_scaled(fits, folder, uncalibrated):
    for name, (source, pairs, why) in SCALED.items():
        low, high = spread(fits, pairs)
        remark = ("By the ratios of FP16 peak, memory bandwidth and link. Range of the scaling: " + ", ".join(f"{b.removeprefix('NVIDIA_')} from "
                  f"{a.removeprefix('NVIDIA_')}" for a, b in pairs) + f", measured / predicted ({why}).")
        write_section(os.path.join(folder, name + ".yaml"), {"scaled_from": source, "scaled": (low, high), "uncalibrated": uncalibrated, "remark": remark})
        print(f"{name}: from {source}, {low:.2f} to {high:.2f}")
