"""A tree of merges over results that an engine has: workers and driver merge few at a time."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Generic, TypeVar

from calipers.evaluation.merging import MANY

MOST = MANY  # results that a worker or the driver has when it merges them
Result = TypeVar("Result")  # or its place on a worker


class Tree(Generic[Result]):
    """Results that become eight at most. Each is merged where it is, if enough are there, and about log8(count) times.

    count: how many there will be. memory: bytes beyond which results are summarised when they are merged. If all are
    likely to exceed it, large ones wait until those of their worker do, and become a summary without being merged
    before; the driver gets one result of each worker.
    """

    def __init__(self, join: Callable[[list[Result]], Result], count: int, memory: float = math.inf) -> None:
        self._join, self._count, self._memory, self._merges, self._room = join, count, memory, 1, MOST
        while count > MOST ** (self._merges + 1):
            self._merges += 1
        # By worker and number of merges, in the order in which the last result was added.
        self._waiting: dict[tuple[str, int], list[Result]] = {}
        self._bytes: dict[tuple[str, int], int] = {}  # of those that wait
        self._added = self._all_bytes = 0

    def add(self, result: Result, worker: str = "", size: int = 0) -> list[Result]:
        """One more, of so many bytes. Eight that a worker has become one as soon as it has them, so that it holds few.

        Returns what is ready for the driver: a result of so many that there are eight such results at most.
        """
        self._added += 1
        self._all_bytes += size
        return self._add(result, worker, size, merges=0)

    def _add(self, result: Result, worker: str, size: int, merges: int) -> list[Result]:
        place = worker, merges
        some, held = [*self._waiting.pop(place, ()), result], self._bytes.pop(place, 0) + size
        exceeds = len(some) > 1 and held > self._memory
        waits = self._is_too_much and held * MOST > self._memory
        if not exceeds and (len(some) < MOST or waits):
            self._waiting[place], self._bytes[place] = some, held
            return []
        merged = self._join(some)
        if exceeds:  # a summary, which others of this worker join
            self._waiting[place], self._bytes[place] = [merged], 0
            return []
        if self._is_too_much or merges + 1 < self._merges:
            return self._add(merged, worker, held, merges + 1)
        self._room -= 1
        return [merged]

    @property
    def _is_too_much(self) -> bool:
        """Whether all results are likely to exceed the memory."""
        return self._all_bytes * self._count > self._memory * self._added

    def last(self) -> list[Result]:
        """The others. If they are too many or too much for the driver, a worker merges its own, those of few first."""
        waiting = dict(sorted(self._waiting.items(), key=lambda entry: entry[0][1]))
        left = sum(map(len, waiting.values()))
        for place, some in waiting.items():
            if left > self._room and not self._is_too_much:
                waiting[place] = self._merged(some, 1)
                left -= len(some) - 1
        own: dict[str, list[Result]] = {}
        for (worker, _), some in waiting.items():
            own.setdefault(worker, []).extend(some)
        if self._is_too_much:
            own = {worker: [self._join(some)] if len(some) > 1 else some for worker, some in own.items()}
        elif left > self._room:
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
