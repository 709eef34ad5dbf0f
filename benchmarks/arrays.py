"""Labels, scores and classes to measure: what both sides take."""

from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np


@cache
def scored(n: int, dtype: str = "float64") -> tuple:
    """Labels 0 and 1 (three in ten) and distinct probabilities, AUC about 0.86."""
    rng = np.random.default_rng(n)
    y = (rng.random(n) < 0.3).astype(np.int64)
    return y, (1 / (1 + np.exp(-rng.normal(1.5 * y - 0.75)))).astype(dtype)


def rounded(values: int, n: int, dtype: str = "float64") -> tuple:
    """Few distinct scores, as of rounded probabilities, beside distinct ones."""
    y, s = scored(n, dtype)
    return y, (np.floor(s * values) / values).astype(dtype), y, s


def leaves(values: int, n: int, dtype: str = "float64") -> tuple:
    """Few distinct scores that are random numbers, as of the leaves of trees, beside distinct ones."""
    y, s = scored(n, dtype)
    found = np.sort(np.random.default_rng(values).random(values)).astype(dtype)
    return y, found[np.minimum((s * values).astype(np.intp), values - 1)], y, s


def ordered(n: int, dtype: str = "float64") -> tuple:
    y, s = scored(n, dtype)
    order = np.argsort(s)
    return y[order], s[order], y, s


KINDS = {
    "1,000 values": partial(rounded, 1000), "20,000 values": partial(rounded, 20_000),
    "5,000 random values": partial(leaves, 5000), "20,000 random values": partial(leaves, 20_000), "ordered": ordered,
}  # fmt: skip


def predicted(n: int) -> tuple:
    y, s = scored(n)
    return y, (s >= 0.5).astype(np.int64)


@cache
def classes(n: int, kind: str, k: int = 10) -> tuple:
    """True and predicted labels of k classes, right in seven rows of ten."""
    rng = np.random.default_rng(n)
    y = rng.integers(0, k, n)
    p = np.where(rng.random(n) < 0.7, y, rng.integers(0, k, n))
    names = np.array([f"class {i}" for i in range(k)])
    containers: dict[str, Callable[[Any], Any]] = {
        "int64": lambda codes: codes,
        "'U' strings": lambda codes: names[codes],
        "shared str objects": lambda codes: names.astype(object)[codes],
        "a str object each": lambda codes: np.array([f"class {c}" for c in codes.tolist()], object),
    }
    return containers[kind](y), containers[kind](p)


@cache
def matrix(n: int, k: int) -> tuple:
    """True classes and rows of probabilities."""
    rng = np.random.default_rng(n)
    y = np.r_[np.arange(k), rng.integers(0, k, n - k)]
    p = rng.exponential(size=(n, k))
    p[np.arange(n), y] += 1.5
    return y, p / p.sum(1, keepdims=True)
