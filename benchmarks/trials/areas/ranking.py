"""Means over queries: many zeros or ones, few levels, skewed."""

import numpy as np

from trials.cells import MANY, Queries


def reciprocal(p: float):
    """Reciprocal ranks, cut at 10."""
    return lambda rng: np.where((r := rng.geometric(p, MANY)) <= 10, 1 / r, 0)


def zeros(share: float):
    return lambda rng: np.where(rng.random(MANY) < share, 0, rng.beta(1, 1.5, MANY))


POPULATIONS = {
    "beta(1/2, 1), as average precision": lambda rng: rng.beta(0.5, 1, MANY),
    "6 in 10 are 0": zeros(0.6),
    "9 in 10 are 0": zeros(0.9),
    "95 in 100 are 1": lambda rng: np.where(rng.random(MANY) < 0.95, 1, rng.random(MANY)),
    "reciprocal ranks, geometric(0.03)": reciprocal(0.03),
    "reciprocal ranks, geometric(0.3)": reciprocal(0.3),
    "reciprocal ranks, geometric(0.85)": reciprocal(0.85),
    "beta(8, 1), as a high nDCG": lambda rng: rng.beta(8, 1, MANY),
    "beta(2, 2)": lambda rng: rng.beta(2, 2, MANY),
    "tenths, as P@10": lambda rng: rng.binomial(10, rng.beta(1, 3, MANY)) / 10,
}


def parts() -> dict[str, list[Queries]]:
    sizes = (10, 30, 50, 200)
    return {
        f"{n} queries": [Queries(f"{name}, {n} queries", draw, n) for name, draw in POPULATIONS.items()] for n in sizes
    }
