"""Distances from rows to clusters, tile by tile: what silhouettes and Dunn's index are made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from calipers import _native
from calipers.data.features import PRECOMPUTED
from calipers.errors import InputError
from calipers.statistics.base import Array

TILE = 1 << 22  # distances in memory at once, for each thread
DENSE = 1 << 27  # cells of a sparse matrix that may become a dense one
ALIASES = {"l2": "euclidean", "l1": "cityblock", "manhattan": "cityblock"}
EIGHT = 8  # rows that the kernel takes together
SMALL = -400  # power of two of features whose squares may be 0


class Nearness(NamedTuple):
    """Of each row: the sum of its distances to its own cluster, the least mean distance to another one and which one
    that is, its least distance to a row elsewhere, and its greatest within its cluster."""

    own: Array
    other: Array
    nearest: Array
    least: Array
    most: Array


def measurable(table: Any, metric: Any) -> tuple[Any, Any]:
    """The table as an array where the metric needs one, and the metric by SciPy's name."""
    metric = ALIASES.get(metric, metric) if isinstance(metric, str) else metric
    if isinstance(table, np.ndarray) or metric in ("euclidean", PRECOMPUTED):
        return table, metric
    if table.shape[0] * table.shape[1] > DENSE:
        raise InputError("statistics.sparse_distances", metric=str(metric))
    return table.toarray(), metric


def nearness(
    table: Any,
    codes: Array,
    clusters: int,
    rows: Array,
    metric: Any = "euclidean",
    options: Mapping[str, Any] | None = None,
) -> Nearness:
    """The distances from some rows to all rows; each cluster has at least one row."""
    order = np.argsort(codes, kind="stable")
    sizes = np.bincount(codes, minlength=clusters)
    table, metric = measurable(table, metric)
    if isinstance(table, np.ndarray) and metric == "euclidean":
        return Nearness(*_euclidean(table, order, sizes, codes, rows))
    of_tile = partial(_tile, table, order, sizes, codes, metric, dict(options or {}))
    from concurrent.futures import ThreadPoolExecutor  # loads logging, which nobody else needs

    with ThreadPoolExecutor(_native.threads()) as pool:
        parts = list(pool.map(of_tile, _tiles(rows, len(codes))))
    return Nearness(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _euclidean(table: Array, order: Array, sizes: Array, codes: Array, rows: Array) -> tuple[Array, ...]:
    """The native kernel: groups of eight rows of one cluster, feature by feature, filled with its last row."""
    groups = -(-sizes // EIGHT)
    begins = np.cumsum(groups) - groups
    cluster = np.repeat(np.arange(len(sizes)), EIGHT * groups)
    within = np.minimum(np.arange(len(cluster)) - EIGHT * begins[cluster], sizes[cluster] - 1)
    take = order[(np.cumsum(sizes) - sizes)[cluster] + within]
    # Squares of very small numbers would be 0; a power of two changes no digit.
    _, power = np.frexp(max(table.max(), -table.min()))
    shift = int(power) if power < SMALL else 0
    table = np.ldexp(table, -shift) if shift else table
    packed = np.ascontiguousarray(table[take].reshape(-1, EIGHT, table.shape[1]).swapaxes(1, 2))
    own, other, nearest, least, most = _native.cluster_distances(
        packed.reshape(len(packed), -1), begins.astype(np.int64), sizes.astype(np.int64),
        np.ascontiguousarray(table[rows]), codes[rows].astype(np.uint32),
    )  # fmt: skip
    return (*np.ldexp((own, other), shift), nearest, *np.ldexp((least, most), shift))


def _tiles(rows: Array, n: int) -> Iterator[Array]:
    step = max(1, TILE // n)
    for at in range(0, len(rows), step):
        yield rows[at : at + step]


def _tile(
    table: Any, order: Array, sizes: Array, codes: Array, metric: Any, options: dict[str, Any], rows: Array
) -> tuple[Array, ...]:
    apart = distances(table, metric, options, rows)[:, order]
    if np.isnan(apart).any():
        row, at = np.argwhere(np.isnan(apart))[0]
        pair = {"first": int(rows[row]), "second": int(order[at])}
        raise InputError("statistics.undefined_distance", metric=str(metric), **pair)
    starts, place = np.cumsum(sizes) - sizes, np.arange(len(rows))
    sums, least, most = (f.reduceat(apart, starts, 1) for f in (np.add, np.minimum, np.maximum))
    mine = codes[rows]
    own, within = sums[place, mine], most[place, mine]
    means = sums / sizes
    means[place, mine] = np.inf
    least[place, mine] = np.inf
    return own, means.min(1), means.argmin(1), least.min(1), within


def distances(table: Any, metric: Any, options: Mapping[str, Any] | None, rows: Array, others: Any = None) -> Array:
    """The distances from these rows of a measurable table to all, or to others; to all, a row is at 0 from itself.

    Euclidean ones are taken from products, which lose the digits of rows that are close together.
    """
    if isinstance(metric, str) and metric == PRECOMPUTED:
        part = table[rows] if others is None else table[rows][:, others]
        return np.asarray(part if isinstance(part, np.ndarray) else part.toarray(), np.float64)
    first, second = table[rows], table if others is None else table[others]
    if isinstance(metric, str) and metric in BY_PRODUCTS:
        apart = BY_PRODUCTS[metric](first, second)
        if others is None:
            apart[np.arange(len(rows)), rows] = 0.0
        return apart
    from scipy.spatial.distance import cdist

    distance: Any = cdist  # its stubs know neither a name nor a function as one type
    try:
        return np.asarray(distance(first, second, metric, **(options or {})), np.float64)
    except (TypeError, ValueError) as error:
        raise InputError("statistics.unknown_distance", metric=str(metric), error=str(error)) from None


def _euclidean_by_products(first: Any, second: Any) -> Array:
    squares = [np.asarray((each * each if isinstance(each, np.ndarray) else each.multiply(each)).sum(1)).ravel()
               for each in (first, second)]  # fmt: skip
    products = first @ second.T
    products = products if isinstance(products, np.ndarray) else products.toarray()
    apart = squares[0][:, None] + squares[1] - 2 * products
    return np.asarray(np.sqrt(np.maximum(apart, 0.0)))


def _units(table: Array) -> Array:
    """Rows of length 1; a row of zeros has no direction, and is at distance 1 from all others, as in scikit-learn."""
    lengths = np.sqrt((table**2).sum(1, keepdims=True))
    return np.asarray(table / np.where(lengths > 0, lengths, 1.0))


def _cosine(first: Array, second: Array) -> Array:
    return np.asarray(np.clip(1.0 - _units(first) @ _units(second).T, 0.0, 2.0))


BY_PRODUCTS = {"euclidean": _euclidean_by_products, "cosine": _cosine}
