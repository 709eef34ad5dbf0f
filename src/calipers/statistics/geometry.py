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
from calipers.statistics.centres import Centres
from calipers.statistics.distances import measurable, nearness
from calipers.statistics.portable import Portable
from calipers.statistics.silhouettes import mean_without_each, silhouette

PAIRS = 1_000_000_000  # distances up to which all silhouettes are computed
FEWEST = 500  # rows of a sample


@dataclass(frozen=True, eq=False)
class Geometry(Portable):
    """What a clustering of points is like.

    clusters, sizes: the labels and how many rows they have. silhouettes, of: the silhouettes of some rows, and the
    numbers of these rows among all rows that were given. codes: their clusters. rows: how many rows are in clusters;
    all: how many were given. least, most: the least distance between rows of two clusters, and the greatest within
    one; NaN of a sample. centres: whether there are features, and so centres. within, between: sums of squared
    distances to the centre of the cluster, and of these to the mean of all. davies_bouldin: the index. clustered: the
    numbers of the rows that are in clusters; left_out: metrics without each of them, the others in the clusters that
    they have.
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
    clustered: Array
    left_out: dict[str, Array]

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

    def without(self, name: str, value: float) -> Array:
        """A metric without each row that was given; noise does not change it."""
        values = np.full(self.all, value)
        values[self.clustered] = self.left_out[name]
        return values

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
        *,
        errors: bool = False,
    ) -> Self:
        """Codes beyond the clusters are noise, whose rows are left out. sample: how many rows get a silhouette. errors:
        whether metrics are also found without each row.
        """
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
        centres = None if _is_distance(metric) or not n else Centres(points, codes, sizes)
        left_out = centres.left_out if centres is not None and errors else {}
        if 1 < k < n and len(rows):
            points, metric = measurable(points, metric)
            near = nearness(points, codes, k, rows, metric, options)
            silhouettes = silhouette(near.own, near.other, sizes[codes[rows]])
            if len(rows) == n:
                least, most = float(near.least.min()), float(near.most.max())
                if errors:
                    left_out["silhouette"] = mean_without_each(points, codes, silhouettes, near, metric, options)
        nothing = (np.nan, np.nan, np.nan)
        numbers = nothing if centres is None else (centres.within, centres.between, centres.davies_bouldin)
        return cls(names, sizes, silhouettes, kept[rows], codes[rows], n, every, least, most, centres is not None,
                   *numbers, metric if isinstance(metric, str) else "callable", kept, left_out)  # fmt: skip


def _is_distance(metric: Any) -> bool:
    return isinstance(metric, str) and metric == PRECOMPUTED


def _drawn(n: int, sample: int | None, seed: int) -> Array:
    size = n if n * n <= PAIRS else max(FEWEST, PAIRS // n)
    size = min(n, size if sample is None else sample)
    return np.arange(n) if size == n else np.sort(np.random.default_rng(seed).choice(n, size, replace=False))
