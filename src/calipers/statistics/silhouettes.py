"""Silhouettes of rows, and their mean without each row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from calipers import _native
from calipers.statistics.base import Array
from calipers.statistics.distances import TILE, Nearness, distances


def silhouette(own: Array, other: Array, size: Array) -> Array:
    """(b - a) / max(a, b), a the mean distance to the rest of the cluster, b the least to another; 0 of a lone row."""
    with np.errstate(divide="ignore", invalid="ignore"):
        a = own / (size - 1)
        return np.asarray(np.nan_to_num((other - a) / np.maximum(a, other), nan=0.0))


def mean_without_each(table: Any, codes: Array, values: Array, near: Nearness, metric: Any, options: Any) -> Array:
    """The mean silhouette without each row, all others in the clusters that they have, to first order.

    A row changes the mean through its own silhouette and through the mean distances of other rows: a of the rows of its
    cluster, and b of the rows whose nearest other cluster is its cluster. Intervals from the silhouettes alone covered
    72 to 84% instead of 95% (docs/decisions/clusters.md).
    """
    sizes = np.bincount(codes)
    others = np.maximum(sizes[codes] - 1, 1)
    table, unit = _centred(table, metric)
    a, b = near.own / others / unit, near.other / unit
    counted = (sizes[codes] > 1) & (np.maximum(a, b) > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        by_a = np.where(counted, np.where(a <= b, -1 / b, -b / a**2), 0.0) / others
        by_b = np.where(counted, np.where(a <= b, a / b**2, 1 / a), 0.0) / sizes[near.nearest]
    own, beside = (_rows_by(each, len(sizes)) for each in (codes, near.nearest))
    moved = values - values.mean()

    def move(tile: tuple[int, Array]) -> None:
        cluster, rows = tile
        first, second = own[cluster], beside[cluster]
        weights = np.concatenate((by_a[first], by_b[second]))
        sums = distances(table, metric, options, rows, np.concatenate((first, second))) @ weights
        means = by_a[first] @ a[first] + by_b[second] @ b[second]
        moved[rows] += sums - means + by_a[rows] * a[rows]  # a row is not among its own neighbours

    from concurrent.futures import ThreadPoolExecutor  # loads logging, which nobody else needs

    with ThreadPoolExecutor(_native.threads()) as pool:
        list(pool.map(move, _tiles(own, beside)))
    return np.asarray(values.mean() - moved / (len(codes) - 1))


def _centred(table: Any, metric: Any) -> tuple[Any, float]:
    """Features between -1 and 1, whose distances by products keep the digits that an error needs, and their unit."""
    if not isinstance(table, np.ndarray) or metric != "euclidean":
        return table, 1.0
    table = table - table.mean(0)
    largest = float(np.abs(table).max())
    return (table / largest, largest) if largest > 0 else (table, 1.0)


def _rows_by(codes: Array, count: int) -> list[Array]:
    """The rows that have each code."""
    order = np.argsort(codes, kind="stable")
    return np.split(order, np.cumsum(np.bincount(codes, minlength=count))[:-1])


def _tiles(own: list[Array], beside: list[Array]) -> Iterator[tuple[int, Array]]:
    for cluster, rows in enumerate(own):
        step = max(1, TILE // (len(rows) + len(beside[cluster])))
        for at in range(0, len(rows), step):
            yield cluster, rows[at : at + step]
