"""Clusters by the centres of their rows: squared distances, Davies and Bouldin's index, and both without each row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from calipers.cached import lazy
from calipers.statistics.base import Array

BLOCK = 1 << 22  # numbers that are in memory at once
MANY = 2_000  # clusters, beyond which the index of Davies and Bouldin is not found without each row


@dataclass(frozen=True, eq=False)
class Centres:
    """Rows of features, dense or sparse, with the codes of their clusters and the sizes of these; all is Euclidean."""

    points: Any
    codes: Array
    sizes: Array

    @lazy
    def _sums(self) -> Array:
        if isinstance(self.points, np.ndarray):
            order, starts = np.argsort(self.codes, kind="stable"), np.cumsum(self.sizes) - self.sizes
            return np.add.reduceat(self.points[order], starts, 0)
        from scipy.sparse import csr_matrix

        n = len(self.codes)
        belongs = csr_matrix((np.ones(n), (self.codes, np.arange(n))), (len(self.sizes), n))
        return np.asarray((belongs @ self.points).todense())

    @lazy
    def centres(self) -> Array:
        """The mean of the rows of each cluster."""
        return np.asarray(self._sums / self.sizes[:, None])

    @lazy
    def middle(self) -> Array:
        """The mean of all rows."""
        return np.asarray(self._sums.sum(0) / len(self.codes))

    @lazy
    def squares(self) -> Array:
        """The squared distance of each row to the centre of its cluster."""
        return self._squares(self.centres)

    def _squares(self, of_clusters: Array) -> Array:
        squares = np.empty(len(self.codes))
        for rows in self._blocks():
            squares[rows] = (self._away(rows, of_clusters) ** 2).sum(1)
        return squares

    def _blocks(self, width: int = 0) -> Iterator[slice]:
        """Some rows after the other, each with its features or `width` numbers."""
        return _steps(len(self.codes), max(width, self.points.shape[1]))

    def _away(self, rows: slice, of_clusters: Array) -> Array:
        """Rows as seen from a point of each cluster."""
        part = self.points[rows]
        return np.asarray((part if isinstance(part, np.ndarray) else part.toarray()) - of_clusters[self.codes[rows]])

    @property
    def within(self) -> float:
        """The sum of squared distances to the centre of the cluster."""
        return float(self.squares.sum())

    @lazy
    def between(self) -> float:
        """The sum over rows of squared distances of the centre of the cluster to the mean of all rows."""
        return float(self.sizes @ ((self.centres - self.middle) ** 2).sum(1))

    @lazy
    def spread(self) -> Array:
        """The mean distance of the rows of each cluster to its centre."""
        return np.asarray(np.bincount(self.codes, np.sqrt(self.squares), len(self.sizes)) / self.sizes)

    @property
    def davies_bouldin(self) -> float:
        """The mean over clusters of their largest (spread + other spread) / distance of centres."""
        k = len(self.sizes)
        if k < 2 or not self.spread.any():
            return 0.0
        return float(np.mean(np.concatenate([self._ratios(some, gaps).max(1) for some, gaps in self._gaps()])))

    def _gaps(self) -> Iterator[tuple[slice, Array]]:
        """The squared distances of some centres to all, block by block."""
        for some in _steps(len(self.sizes), self.centres.size):
            yield some, ((self.centres[some, None] - self.centres[None]) ** 2).sum(2)

    def _ratios(self, some: slice, gaps: Array) -> Array:
        """(spread + other spread) / distance of centres, of some clusters and all."""
        return _over(self.spread[some, None] + self.spread, np.sqrt(gaps))

    # The values without each row; all other rows keep their clusters

    @property
    def within_left_out(self) -> Array:
        """`within` without each row: the centre moves towards the rows that are left."""
        return np.asarray(self.within - self.squares * _lift(self.sizes)[self.codes])

    @property
    def ratio_left_out(self) -> Array:
        """(between / (k - 1)) / (within / (n - k)) without each row; a cluster of one row goes with it."""
        n, k = len(self.codes), len(self.sizes) - (self.sizes == 1)[self.codes]
        whole = self.within + self.between
        total = whole - self._squares(np.broadcast_to(self.middle, self.centres.shape)) * n / (n - 1)
        within = self.within_left_out
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray((total - within) / within * (n - 1 - k) / (k - 1))

    @property
    def left_out(self) -> dict[str, Array]:
        """Each metric that has a centre, without each row."""
        if not 1 < len(self.sizes) < len(self.codes):
            return {"inertia": self.within_left_out}
        found = {"inertia": self.within_left_out, "calinski_harabasz": self.ratio_left_out}
        return found | ({"davies_bouldin": self.davies_bouldin_left_out} if len(self.sizes) <= MANY else {})

    @property
    def davies_bouldin_left_out(self) -> Array:
        """The index without each row; the mean distance to a centre that moves, to first order.

        Without a row e away from it, a centre moves by -e / (size - 1).
        """
        k, codes = len(self.sizes), self.codes
        gaps = np.concatenate([gaps for _, gaps in self._gaps()])
        rest = _largest_but(self._ratios(slice(None), gaps))
        radius, left = np.sqrt(self.squares), np.empty(len(codes))
        directions = self._directions(radius)
        for rows in self._blocks(k):
            own, far, away = codes[rows], radius[rows], self._away(rows, self.centres)
            move, here = 1 / np.maximum(self.sizes[own] - 1, 1), np.arange(len(own))
            along = (away * directions[own]).sum(1) - far
            spread = (self.sizes[own] * self.spread[own] - far + move * along) * move
            products = away @ self.centres.T
            apart = move[:, None] * (products[here, own][:, None] - products)
            moved = np.sqrt(np.maximum(gaps[own] - 2 * apart + (move * far)[:, None] ** 2, 0.0))
            moved[here, own] = 0.0
            ratios = _over(spread[:, None] + self.spread, moved)
            with_it = (ratios.max(1) + np.maximum(rest[own], ratios).sum(1)) / k
            left[rows] = np.where(self.sizes[own] > 1, with_it, rest[own].sum(1) / (k - 1))
        return left

    def _directions(self, radius: Array) -> Array:
        """The sum of the unit vectors from the centre of each cluster to its rows."""
        sums = np.zeros(self.centres.shape)
        for rows in self._blocks():
            unit = self._away(rows, self.centres) / np.where(radius[rows] > 0, radius[rows], 1.0)[:, None]
            np.add.at(sums, self.codes[rows], unit)
        return sums


def _steps(count: int, width: int) -> Iterator[slice]:
    step = max(1, BLOCK // max(width, 1))
    return (slice(at, at + step) for at in range(0, count, step))


def _lift(sizes: Array) -> Array:
    """How much more than its square a row takes off: n / (n - 1), and 1 of a single row, which is its own centre."""
    return np.asarray(sizes / np.maximum(sizes - 1, 1))


def _over(sums: Array, gaps: Array) -> Array:
    """Ratios; 0 for centres that coincide, which scikit-learn leaves out."""
    return np.asarray(np.divide(sums, gaps, out=np.zeros(np.broadcast_shapes(sums.shape, gaps.shape)), where=gaps > 0))


def _largest_but(ratios: Array) -> Array:
    """[c, a]: the largest ratio of cluster a with a cluster that is not c; 0 of a itself."""
    k = len(ratios)
    order = np.argsort(ratios, 1)
    best, second = order[:, -1], np.take_along_axis(ratios, order[:, -2:-1], 1)[:, 0]
    largest = np.where(np.arange(k)[:, None] == best, second, ratios[np.arange(k), best])
    np.fill_diagonal(largest, 0.0)
    return largest
