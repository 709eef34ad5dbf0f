"""A tree of merges over results that an engine has: workers and driver merge few at a time."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Generic, TypeVar

from calipers.evaluation.merging import MANY

MOST = MANY  # results that a worker or the driver has when it merges them
Result = TypeVar("Result")  # or its place on a worker


class Tree(Generic[Result]):
    """Results that become eight at most. Each is merged where it is, if enough are there, and about log8(count) times.

    count: how many there will be.
    """

    def __init__(self, join: Callable[[list[Result]], Result], count: int) -> None:
        self._join, self._merges, self._room = join, 1, MOST
        while count > MOST ** (self._merges + 1):
            self._merges += 1
        # By worker and number of merges, in the order in which the last result was added.
        self._waiting: dict[tuple[str, int], list[Result]] = {}

    def add(self, result: Result, worker: str = "", merges: int = 0) -> list[Result]:
        """One more. Eight that a worker has become one as soon as it has them, so that it holds few at a time.

        Returns what is ready for the driver: a result of so many that there are eight such results at most.
        """
        some = [*self._waiting.pop((worker, merges), ()), result]
        if len(some) < MOST:
            self._waiting[worker, merges] = some
            return []
        merged = self._join(some)
        if merges + 1 < self._merges:
            return self.add(merged, worker, merges + 1)
        self._room -= 1
        return [merged]

    def last(self) -> list[Result]:
        """The others. If they are too many for the driver, a worker merges its own, those of few results first."""
        waiting = dict(sorted(self._waiting.items(), key=lambda entry: entry[0][1]))
        left = sum(map(len, waiting.values()))
        for place, some in waiting.items():
            if left > self._room:
                waiting[place] = self._merged(some, 1)
                left -= len(some) - 1
        own: dict[str, list[Result]] = {}
        for (worker, _), some in waiting.items():
            own.setdefault(worker, []).extend(some)
        if left > self._room:
            own = {worker: self._merged(some, 1) for worker, some in own.items()}
        return self._merged([result for some in own.values() for result in some], self._room)

    def _merged(self, results: list[Result], most: int) -> list[Result]:
        """So many at most: merged in groups of equal size, so that workers merge at the same time."""
        while len(results) > most:
            groups = max(-(-len(results) // MOST), most)
            ends = [len(results) * at // groups for at in range(groups + 1)]
            some = [results[begin:end] for begin, end in pairwise(ends)]
            results = [self._join(group) if len(group) > 1 else group[0] for group in some]
        return results
