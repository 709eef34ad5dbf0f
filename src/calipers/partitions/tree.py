"""A tree of merges over results that an engine has: workers and driver merge few at a time."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Generic, TypeVar

MOST = 8  # results that are merged at once, on a worker or on the driver
Result = TypeVar("Result")  # or its place on a worker


class Tree(Generic[Result]):
    """Results that become eight at most. Each is merged where it is, if enough are there, and about log8(n) times."""

    def __init__(self, join: Callable[[list[Result]], Result]) -> None:
        self._join = join
        # By worker and number of merges, in the order in which the last result was added.
        self._waiting: dict[tuple[str, int], list[Result]] = {}

    def add(self, result: Result, worker: str = "", merges: int = 0) -> None:
        """One more. Eight that a worker has become one as soon as it has them, so that it holds few at a time."""
        some = [*self._waiting.pop((worker, merges), ()), result]
        if len(some) == MOST:
            self.add(self._join(some), worker, merges + 1)
        else:
            self._waiting[worker, merges] = some

    def last(self) -> list[Result]:
        """The last ones, for the driver. If they are too many for it, a worker merges its own, the first one first."""
        own: dict[str, list[Result]] = {}
        for (worker, _), some in self._waiting.items():
            own[worker] = own.pop(worker, []) + some
        left = sum(map(len, own.values()))
        for worker, some in own.items():
            if left > MOST:
                own[worker] = self._merged(some, 1)
                left -= len(some) - 1
        return self._merged([result for some in own.values() for result in some], MOST)

    def _merged(self, results: list[Result], most: int) -> list[Result]:
        """So many at most: merged in groups of equal size, so that workers merge at the same time."""
        while len(results) > most:
            groups = max(-(-len(results) // MOST), most)
            ends = [len(results) * at // groups for at in range(groups + 1)]
            some = [results[begin:end] for begin, end in pairwise(ends)]
            results = [self._join(group) if len(group) > 1 else group[0] for group in some]
        return results
