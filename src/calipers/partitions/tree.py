"""A tree of merges over results that an engine has: workers and driver merge few at a time."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Generic, TypeVar

from calipers.evaluation.merging import MANY

MOST = MANY  # results that a worker or the driver has when it merges them
PER_WORKER = 2  # a worker's large results take such a part of the memory; with all of it, brackets are 7% narrower
Result = TypeVar("Result")  # or its place on a worker


class Tree(Generic[Result]):
    """Results that become eight at most, for the driver. Each is merged where it is, as soon as enough are there, and
    about log8(count) times; what the driver has room for is not merged.

    count: how many there will be. memory: bytes beyond which results are summarised when they are merged. If all are
    likely to exceed it, large ones wait until those of their worker do, and become a summary without being merged
    before; the driver gets one result of each worker. When it is known that all exceed it, `summarise` merges them, and
    those of a worker wait until they take a part of it.
    """

    def __init__(
        self,
        join: Callable[[list[Result]], Result],
        count: int,
        memory: float = math.inf,
        summarise: Callable[[list[Result]], Result] | None = None,
    ) -> None:
        self._join, self._summarise, self._memory, self._merges = join, summarise or join, memory, 1
        self._count = count
        while count > MOST ** (self._merges + 1):
            self._merges += 1
        self._left, self._room = count, MOST  # results that wait or will come, and those that the driver still takes
        # By worker and number of merges, in the order in which the last result was added: results, and their bytes.
        self._waiting: dict[tuple[str, int], tuple[list[Result], int]] = {}
        self._measured = self._all_bytes = 0

    def add(self, result: Result, worker: str = "", size: int | None = None) -> list[Result]:
        """One more, of so many bytes, None while they are not known. Returns what is ready for the driver."""
        if size is not None:
            self._measured += 1
            self._all_bytes += size
        ready = self._add(result, worker, size or 0, merges=0)
        if self._left <= self._room and not self._is_too_much:
            ready += self._handed_over([each for some, _ in self._waiting.values() for each in some])
            self._waiting.clear()
        return ready

    def _add(self, result: Result, worker: str, size: int, merges: int) -> list[Result]:
        place = worker, merges
        others, held = self._waiting.pop(place, ([], 0))
        some, held = [*others, result], held + size
        exceeds = len(some) > 1 and held * (PER_WORKER if self._is_beyond else 1) > self._memory
        waits = self._is_too_much and held * MOST > self._memory
        enough = min(self._left - self._room + 1, MOST)
        if not exceeds and (waits or not 1 < enough <= len(some)):
            self._waiting[place] = some, held
            return []
        merged = self._joined(some)
        if exceeds:  # a summary, which has few bytes, and which others of this worker join
            self._waiting[place] = [merged], 0
            return []
        if self._is_too_much or merges + 1 < self._merges:
            return self._add(merged, worker, held, merges + 1)
        return self._handed_over([merged])

    def _joined(self, some: list[Result]) -> Result:
        self._left -= len(some) - 1
        return (self._summarise if self._is_beyond else self._join)(some)

    def _handed_over(self, some: list[Result]) -> list[Result]:
        self._left -= len(some)
        self._room -= len(some)
        return some

    @property
    def _is_too_much(self) -> bool:
        """Whether all results are likely to exceed the memory."""
        return self._all_bytes * self._count > self._memory * max(self._measured, 1)

    @property
    def _is_beyond(self) -> bool:
        """Whether they are known to."""
        return self._all_bytes > self._memory

    def last(self) -> list[Result]:
        """The others. If they are too many or too much for the driver, workers merge their own: those that come first,
        and results of few merges before others."""
        own: dict[str, list[Result]] = {}
        for (worker, _), (some, _) in sorted(self._waiting.items(), key=lambda entry: entry[0][1]):
            own.setdefault(worker, []).extend(some)
        for worker, some in own.items():
            enough = len(some) if self._is_too_much else min(self._left - self._room + 1, len(some))
            if enough > 1:
                merged = [self._joined(some)] if self._is_too_much else self._in_groups(some[:enough], 1)
                own[worker] = [*merged, *some[enough:]]
        return self._in_groups([result for some in own.values() for result in some], self._room)

    def _in_groups(self, results: list[Result], most: int) -> list[Result]:
        """So many at most: merged in groups of equal size, so that workers merge at the same time."""
        while len(results) > most:
            groups = max(-(-len(results) // MOST), most)
            ends = [len(results) * at // groups for at in range(groups + 1)]
            some = [results[begin:end] for begin, end in pairwise(ends)]
            results = [self._joined(group) if len(group) > 1 else group[0] for group in some]
        return results
