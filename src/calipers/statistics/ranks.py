"""How often the true class had rank r: top-k accuracy for every k at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from calipers.statistics.base import Array
from calipers.statistics.counts import Counts, Layout

if TYPE_CHECKING:
    from calipers.data.batch import Batch


@dataclass(frozen=True, eq=False)
class RankCounts(Counts):
    """Counts by rank, rank 1 first. Among tied scores the column that comes first ranks first, as in the label."""

    cells: Array
    squares: Array | None
    rows: int

    @classmethod
    def of(cls, batch: Batch) -> Self:
        """Rank the true class's score within its row."""
        assert batch.scan is not None
        ranks, w, k = batch.scan.rank.astype(np.intp) - 1, batch.weights, len(batch.labels)
        if w is None:
            return cls(np.bincount(ranks, minlength=k), None, len(ranks))
        return cls(np.bincount(ranks, w, k), np.bincount(ranks, w * w, k), len(ranks))

    @classmethod
    def empty(cls) -> Self:
        """No ranks."""
        return cls(np.zeros(0, np.int64), None, 0)

    def union(self, other: Self) -> tuple[Layout, Layout, dict[str, Any]]:
        """Over as many ranks as the longer of the two has."""
        ranks = max(len(self.cells), len(other.cells))
        return partial(_padded, ranks), partial(_padded, ranks), {}


def _padded(ranks: int, cells: Array) -> Array:
    return np.pad(cells, (0, ranks - len(cells)))
