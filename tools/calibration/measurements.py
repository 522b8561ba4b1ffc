# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads the measured kernels (CSV, gzip) and the figures of a device file."""

import csv
import gzip
import os
import re

import numpy as np


def read_rows(folder, name, device):
    """Rows of one file for one device as dictionaries."""
    with gzip.open(os.path.join(folder, "gpu_kernels", name + ".csv.gz"), "rt", encoding="utf-8") as file:
        return [row for row in csv.DictReader(file) if row["device"] == device]


def columns(rows, *names):
    """The named columns as arrays of numbers, then the latency in seconds. Equal shapes become one with their median."""
    shapes = {}
    for row in rows:
        shapes.setdefault(tuple(float(row[name]) for name in names), []).append(float(row["latency_us"]) * 1e-6)
    keys = np.array(list(shapes))
    return [keys[:, i] for i in range(len(names))] + [np.array([float(np.median(v)) for v in shapes.values()])]


class Device:
    """Peaks that the base laws use."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        matrix = re.search(r"^matrix_flops_per_s:\n((?:  .*\n)+)", text, re.M).group(1)
        self.peak = {name: float(value) for name, value in re.findall(r"^  (\w+): ([0-9.e+]+)", matrix, re.M)}
        self.bandwidth = float(re.search(r"^memory:\n(?:  .*\n)*?  bandwidth_bytes_per_s: ([0-9.e+]+)", text, re.M).group(1))
        link = re.search(r"^interconnect:\n(?:  .*\n)*?    bandwidth_bytes_per_s: ([0-9.e+]+)", text, re.M)
        self.link = float(link.group(1)) if link else 0.0
