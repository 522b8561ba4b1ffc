# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables as core/cost/calibration.cpp reads them: a factor over one to four sizes, linear in all logarithms between the
points of each axis, the nearest edge outside them. fit_table finds the values that fit measurements best."""

import hashlib

import numpy as np


def held_out(key, share=0.2):
    """Whether the shape `key` is held out of the fit: by a hash of it, so the same in every run."""
    digest = hashlib.sha256(repr(key).encode()).digest()
    return int.from_bytes(digest[:4], "big") < share * 2**32


def held_out_mask(keys, share=0.2):
    verdict = {}
    for key in keys:
        if key not in verdict:
            verdict[key] = held_out(key, share)
    return np.array([verdict[key] for key in keys])


def corners(axes, sizes):
    """Indexes and weights of the table values that each row of `sizes` [points, axes] is interpolated from."""
    count = len(sizes)
    index = np.zeros((count, 1), dtype=np.int64)
    weight = np.ones((count, 1))
    for a, points in enumerate(axes):
        log = np.log(np.asarray(points, dtype=float))
        index = index * len(log)
        if len(log) == 1:
            continue
        x = np.log(np.asarray(sizes[:, a], dtype=float))
        low = np.clip(np.searchsorted(log, x, side="right") - 1, 0, len(log) - 2)
        share = np.clip((x - log[low]) / (log[low + 1] - log[low]), 0.0, 1.0)
        index = np.hstack([index + low[:, None], index + low[:, None] + 1])
        weight = np.hstack([weight * (1.0 - share)[:, None], weight * share[:, None]])
    return index, weight


def evaluate(axes, log_values, sizes):
    index, weight = corners(axes, sizes)
    return np.exp((log_values[index] * weight).sum(axis=1))


def smoothness(shape, strength):
    """Rows that ask for a zero second difference along each axis, so that values no measurement reaches are continued."""
    size = int(np.prod(shape))
    strides = [int(np.prod(shape[a + 1:])) for a in range(len(shape))]
    matrix = np.zeros((size, size))
    grid = np.arange(size).reshape(shape)
    for a, stride in enumerate(strides):
        length = shape[a]
        if length == 1:
            continue
        if length == 2:
            first = np.take(grid, 0, axis=a).ravel()
            pattern = ((0, 1.0), (stride, -1.0))
        else:
            first = np.take(grid, np.arange(length - 2), axis=a).ravel()
            pattern = ((0, 1.0), (stride, -2.0), (2 * stride, 1.0))
        for offset_a, value_a in pattern:
            for offset_b, value_b in pattern:
                np.add.at(matrix, (first + offset_a, first + offset_b), strength * value_a * value_b)
    return matrix


def fit_table(axes, sizes, factors, weights=None, strength=0.02, rounds=4):
    """Log values of the table that make the sum of |log(measured / table)| least, by reweighted least squares."""
    shape = [len(points) for points in axes]
    size = int(np.prod(shape))
    index, weight = corners(axes, sizes)
    target = np.log(factors)
    importance = np.ones(len(target)) if weights is None else weights
    smooth = smoothness(shape, strength)
    robust = np.ones(len(target))
    values = None
    for _ in range(rounds):
        scale = importance * robust
        normal = smooth + 1e-9 * np.eye(size)
        right = np.zeros(size)
        for c in range(index.shape[1]):
            np.add.at(right, index[:, c], scale * weight[:, c] * target)
            for e in range(index.shape[1]):
                np.add.at(normal, (index[:, c], index[:, e]), scale * weight[:, c] * weight[:, e])
        values = np.linalg.solve(normal, right)
        error = np.abs((values[index] * weight).sum(axis=1) - target)
        robust = 1.0 / np.maximum(error, 0.01)
        robust /= np.median(robust)
    return values


def errors(predicted, measured):
    """Median and 90th percentile of |predicted / measured - 1|, and percentiles 10 and 90 of measured / predicted."""
    off = np.abs(predicted / measured - 1.0)
    ratio = measured / predicted
    return (float(np.median(off)), float(np.percentile(off, 90)),
            (float(np.percentile(ratio, 10)), float(np.percentile(ratio, 90))))
