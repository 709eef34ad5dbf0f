"""The contract of a statistic.

A statistic is a commutative monoid with replication: `empty()` is the identity, `merge` is associative and
commutative, `scale(k)` equals k repetitions. What can be merged can be streamed, run on a group, and kept for a
day and added to tomorrow's. There is no subtraction, because floating sums do not have one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from calipers.statistics.portable import Portable

if TYPE_CHECKING:
    from calipers.data.batch import Batch
    from calipers.statistics.sketch import ScoreSketch

Array = npt.NDArray[Any]


class Statistic(Portable, abstract=True):
    """An immutable value made from rows, merged with others like it."""

    @classmethod
    def of(cls, batch: Batch) -> Self:
        """The statistic of these rows."""
        raise NotImplementedError

    @classmethod
    def empty(cls) -> Self:
        """The statistic of no rows: the identity of merge."""
        raise NotImplementedError

    def merge(self, other: Self) -> Self:
        """The statistic of both sets of rows."""
        raise NotImplementedError

    def merge_many(self, others: Sequence[Self]) -> Self:
        """The statistic of these rows and of all others; a statistic may merge them at once, which can be faster."""
        parts = [self, *others]
        while len(parts) > 1:
            pairs = zip(parts[::2], parts[1::2], strict=False)
            parts = [*(first.merge(second) for first, second in pairs), *parts[len(parts) & ~1 :]]
        return parts[0]

    def scale(self, factor: int) -> Self:
        """The statistic of the rows repeated `factor` times."""
        raise NotImplementedError

    def summary(self, fences: tuple[float, ...], budget: int, others: Sequence[Self] = ()) -> Statistic:
        """What stands for this statistic and all others in bounded memory: cells in the place of rows, the merged
        statistic where it does not grow.

        Each distinct score has a cell of its own while these are at most so many, in each sketch.
        """
        return self.merge_many(others)

    def within(self, budget: int) -> Self:
        """The same rows with at most so many cells in each sketch, now and after every merge."""
        return self

    def row_arrays(self) -> Iterator[Array]:
        """The arrays that grow with the rows, which a merge puts together; a summary has cells in their place."""
        yield from ()

    def all_sketches(self) -> Iterator[ScoreSketch]:
        """The sketches of scores in a summary."""
        yield from ()


def joined(mine: Array | None, theirs: Array | None, my_ones: int, their_ones: int) -> Array | None:
    """Weights of two sets of rows one after the other, where None stands for ones."""
    if mine is None and theirs is None:
        return None
    return np.concatenate(
        (np.ones(my_ones) if mine is None else mine, np.ones(their_ones) if theirs is None else theirs)
    )
