"""Where clusters lie: silhouettes of rows, distances between clusters, spread around their centres.

It is not a statistic: distances between the rows of two parts are in neither of them, so that nothing merges.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from calipers.data.features import PRECOMPUTED
from calipers.settings import Label
from calipers.statistics.base import Array
from calipers.statistics.distances import nearness
from calipers.statistics.portable import Portable

PAIRS = 1_000_000_000  # distances up to which all silhouettes are computed
FEWEST = 500  # rows of a sample
BLOCK = 1 << 16  # rows whose deviations are in memory at once


@dataclass(frozen=True, eq=False)
class Geometry(Portable):
    """What a clustering of points is like.

    clusters, sizes: the labels and how many rows they have. silhouettes, of: the silhouettes of some rows, and the
    numbers of these rows among all rows that were given. codes: their clusters. rows: how many rows are in clusters;
    all: how many were given. least, most: the least distance between rows of two clusters, and the greatest within
    one; NaN of a sample. centres: whether there are features, and so centres. within, between: sums of squared
    distances to the centre of the cluster, and of these to the mean of all. davies_bouldin: the index.
    """

    clusters: tuple[Label, ...]
    sizes: Array
    silhouettes: Array
    of: Array
    codes: Array
    rows: int
    all: int
    least: float
    most: float
    centres: bool
    within: float
    between: float
    davies_bouldin: float
    metric: str

    @property
    def sampled(self) -> bool:
        """Whether only some rows have a silhouette."""
        return len(self.of) < self.rows

    @property
    def of_rows(self) -> Array:
        """The silhouette of each row that was given; NaN for noise and for rows that were not drawn."""
        values = np.full(self.all, np.nan)
        values[self.of] = self.silhouettes
        return values

    @property
    def of_clusters(self) -> Array:
        """The mean silhouette of each cluster; NaN where no row of it was drawn."""
        counts = np.bincount(self.codes, minlength=len(self.clusters))
        sums = np.bincount(self.codes, self.silhouettes, len(self.clusters))
        with np.errstate(invalid="ignore"):
            return np.asarray(sums / counts)

    @classmethod
    def of_points(
        cls,
        table: Any,
        codes: Array,
        clusters: tuple[Label, ...],
        metric: Any = "euclidean",
        sample: int | None = None,
        seed: int = 0,
        options: Mapping[str, Any] | None = None,
    ) -> Self:
        """Codes beyond the clusters are noise, whose rows are left out. sample: how many rows get a silhouette."""
        kept = np.flatnonzero(codes < len(clusters))
        every, points = len(codes), table
        if len(kept) < every:
            points = table[kept][:, kept] if _is_distance(metric) else table[kept]
        codes = codes[kept].astype(np.int64)
        used, codes = np.unique(codes, return_inverse=True)
        names, n, k = tuple(clusters[i] for i in used), len(codes), len(used)
        rows = _drawn(n, sample, seed)
        silhouettes, least, most = np.full(len(rows), np.nan), np.nan, np.nan
        sizes = np.bincount(codes, minlength=k)
        if 1 < k < n and len(rows):
            near = nearness(points, codes, k, rows, metric, options)
            silhouettes = silhouette(near.own, near.other, sizes[codes[rows]])
            if len(rows) == n:
                least, most = float(near.least.min()), float(near.most.max())
        centred = None if _is_distance(metric) or not n else _centres(points, codes, sizes)
        within, between, index = centred or (np.nan, np.nan, np.nan)
        return cls(names, sizes, silhouettes, kept[rows], codes[rows], n, every, least, most, centred is not None,
                   within, between, index, metric if isinstance(metric, str) else "callable")  # fmt: skip


def _is_distance(metric: Any) -> bool:
    return isinstance(metric, str) and metric == PRECOMPUTED


def _drawn(n: int, sample: int | None, seed: int) -> Array:
    size = n if n * n <= PAIRS else max(FEWEST, PAIRS // n)
    size = min(n, size if sample is None else sample)
    return np.arange(n) if size == n else np.sort(np.random.default_rng(seed).choice(n, size, replace=False))


def silhouette(own: Array, other: Array, size: Array) -> Array:
    """(b - a) / max(a, b), a the mean distance to the rest of the cluster, b the least to another; 0 of a lone row."""
    with np.errstate(divide="ignore", invalid="ignore"):
        a = own / (size - 1)
        return np.asarray(np.nan_to_num((other - a) / np.maximum(a, other), nan=0.0))


def _centres(points: Any, codes: Array, sizes: Array) -> tuple[float, float, float]:
    """Squared distances within and between clusters, and Davies and Bouldin's index, all Euclidean."""
    order, starts = np.argsort(codes, kind="stable"), np.cumsum(sizes) - sizes
    dense = isinstance(points, np.ndarray)
    k = len(sizes)
    if dense:
        sums = np.add.reduceat(points[order], starts, 0)
    else:
        from scipy.sparse import csr_matrix

        belongs = csr_matrix((np.ones(len(codes)), (codes, np.arange(len(codes)))), (k, len(codes)))
        sums = np.asarray((belongs @ points).todense())
    centres = sums / sizes[:, None]
    squares = np.empty(len(codes))
    for at in range(0, len(codes), BLOCK):
        rows = slice(at, at + BLOCK)
        part = points[rows] if dense else points[rows].toarray()
        squares[rows] = ((part - centres[codes[rows]]) ** 2).sum(1)
    middle = sums.sum(0) / len(codes)
    between = float(sizes @ ((centres - middle) ** 2).sum(1))
    return float(squares.sum()), between, _davies_bouldin(centres, np.bincount(codes, np.sqrt(squares), k) / sizes)


def _davies_bouldin(centres: Array, spread: Array) -> float:
    """The mean over clusters of their largest (spread + other spread) / distance of centres."""
    k = len(centres)
    if k < 2 or not spread.any():
        return 0.0
    worst = np.zeros(k)
    step = max(1, BLOCK // k)
    with np.errstate(divide="ignore", invalid="ignore"):
        for at in range(0, k, step):
            part = slice(at, at + step)
            apart = np.sqrt(((centres[part, None] - centres[None]) ** 2).sum(2))
            apart[apart == 0] = np.inf  # as scikit-learn: centres that coincide are left out
            worst[part] = ((spread[part, None] + spread) / apart).max(1)
    return float(worst.mean())
