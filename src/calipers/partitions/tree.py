"""A tree of merges over results that an engine has: workers merge few at a time, and the driver gets two."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from itertools import pairwise
from typing import Generic, TypeVar

MOST = 8  # results that are merged at once
LAST = 2  # results that the driver merges: two workers have merged them at the same time
Result = TypeVar("Result")  # or its place on a worker


class Tree(Generic[Result]):
    """Results that become one or two. Each is merged where it is, if enough are there, and about log8(n) times."""

    def __init__(self, join: Callable[[list[Result]], Result]) -> None:
        self._join = join
        self._waiting: dict[tuple[str, int], list[Result]] = defaultdict(list)  # by worker and number of merges

    def add(self, result: Result, worker: str = "", merges: int = 0) -> None:
        """One more. Eight that a worker has become one as soon as it has them, so that it holds few at a time."""
        some = self._waiting[worker, merges]
        some.append(result)
        if len(some) == MOST:
            del self._waiting[worker, merges]
            self.add(self._join(some), worker, merges + 1)

    def last(self) -> list[Result]:
        """The last ones: each worker merges its own, and then those of several workers are merged."""
        own: dict[str, list[Result]] = defaultdict(list)
        for (worker, _), some in self._waiting.items():
            own[worker] += some
        most = LAST if len(own) == 1 else 1
        return self._merged([result for some in own.values() for result in self._merged(some, most)], LAST)

    def _merged(self, results: list[Result], most: int) -> list[Result]:
        """So many at most: merged in groups of equal size, so that workers merge at the same time."""
        while len(results) > most:
            groups = max(-(-len(results) // MOST), most)
            ends = [len(results) * at // groups for at in range(groups + 1)]
            some = [results[begin:end] for begin, end in pairwise(ends)]
            results = [self._join(group) if len(group) > 1 else group[0] for group in some]
        return results
