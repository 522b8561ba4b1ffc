# SPDX-License-Identifier: GPL-3.0-or-later
"""Which experts got rows in the measured distributions: the number touched and the rows, on the busiest rank.

`balanced` deals the rows to the experts in turn. `power_law_A` draws each expert's popularity from a density x^-A between
1 and 0.8 of the tokens (between 0.01 and 2 where there are fewer rows than experts) and rounds; with expert parallelism
the busiest rank is the one measured. Here the draws are the quantiles of that density, dealt to the ranks at random."""

import numpy as np


def counts(tokens, topk, experts, alpha):
    low, high = (1.0, max(1.001, 0.8 * tokens)) if tokens * topk > experts else (0.01, 2.0)
    u = (np.arange(experts) + 0.5) / experts
    popularity = ((high ** (1 - alpha) - low ** (1 - alpha)) * u + low ** (1 - alpha)) ** (1 / (1 - alpha))
    rows = np.round(popularity / popularity.sum() * tokens * topk)
    rows = np.minimum(rows, tokens)  # a token goes to an expert once
    spare = int(tokens * topk - rows.sum())
    order = np.argsort(-rows, kind="stable")
    i = 0
    while spare != 0 and i < 100 * experts:
        expert = order[i % experts] if spare > 0 else order[-1 - i % experts]
        if spare > 0 and rows[expert] < tokens:
            rows[expert] += 1
            spare -= 1
        elif spare < 0 and rows[expert] > 0:
            rows[expert] -= 1
            spare += 1
        i += 1
    return rows


_cache = {}


def busiest(tokens, topk, experts, ep, distribution):
    """(rows, touched experts) of the busiest of `ep` ranks."""
    key = (tokens, topk, experts, ep, distribution)
    if key in _cache:
        return _cache[key]
    if distribution == "balanced":
        rows = tokens * topk / ep
        result = (rows, max(1.0, min(experts / ep, rows)))
    else:
        each = counts(tokens, topk, experts, float(distribution.rsplit("_", 1)[1]))
        rng = np.random.default_rng(1)
        seen = []
        for _ in range(1 if ep == 1 else 24):
            ranks = rng.permutation(each).reshape(ep, -1)
            first = ranks[np.argmax(ranks.sum(axis=1))]
            seen.append((first.sum(), (first > 0).sum()))
        result = tuple(np.mean(seen, axis=0))
    _cache[key] = result
    return result
