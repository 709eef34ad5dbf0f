"""What an adapter to an engine does: run a function on each partition, and merge the results in a tree.

Partitions, retries, shuffles and scheduling are the engine's. Errors of Calipers travel as results, so that an engine
does not try again what must fail again, and the caller sees the error and no traceback of a worker.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import chain
from typing import Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from calipers import _native
from calipers.data import frames
from calipers.errors import CalipersError, InputError, UnknownName, nearest
from calipers.evaluation.memory import bytes_of

MEMORY = 256_000_000  # bytes of partial statistics: 32 million scores
SHARE = 2  # the statistics may take this part of what a driver accepts
T = TypeVar("T")
Sent: TypeAlias = "T | Failed | None"  # what a worker sends


class BeyondMemory(InputError):
    """What the partitions send does not fit `memory=`, whichever of them finds it."""


class DriverLimit(NamedTuple):
    """The most bytes that a driver accepts as a result, and the setting that says so."""

    most: int
    setting: str


@dataclass(frozen=True)
class Failed:
    """An error of Calipers on a worker, in the place of a result."""

    error: CalipersError


class Engine(Protocol):
    """A data frame of Spark or Dask."""

    columns: Sequence[str]
    limit: DriverLimit | None

    def reduced(self, columns: Sequence[str], work: Work[T], together: str | None = None) -> Iterable[Sent[T]]:
        """What `work` makes of these columns, merged on the workers into a few results.

        together: a column whose equal values must be in one partition.
        """
        ...


@dataclass(frozen=True)
class Work(Generic[T]):
    """A function of the tables of a partition, and one that merges its results.

    A partition without tables has no result. small: whether the results are small, so that one worker can merge all of
    them. memory: bytes beyond which results are summarised when they are merged. summarise: merges results of which it
    is known that they and those of other workers exceed it. Workers run all on one thread, since the engine has a task
    for each core. Results are sent as pickles.
    """

    make: Callable[[Iterable[Any]], T | None]
    join: Callable[[Iterable[T]], T]
    small: bool = False
    memory: float = math.inf
    summarise: Callable[[Iterable[T]], T] | None = None

    def on_partition(self, number: int, tables: Iterable[Any]) -> Sent[T]:
        """What the partition of this number gives, on a worker."""
        try:
            return _on_one_thread(self.make, tables)
        except BeyondMemory as error:
            return Failed(error)
        except CalipersError as error:
            return Failed(InputError("partitions.of_partition", number=number, error=error))

    def joined(self, parts: Iterable[Sent[T]], *, beyond: bool = False) -> Sent[T]:
        """The parts as one, on a worker; the first failure is that of the whole. beyond: whether it is known that all
        results exceed the memory."""
        join = self.summarise if beyond and self.summarise is not None else self.join
        try:
            return _on_one_thread(join, _results(parts))
        except CalipersError as error:
            return Failed(error)

    def result(self, parts: Iterable[Sent[T]]) -> T | None:
        """The last parts as one, on the driver; a failure of one is raised."""
        return _unless_empty(self.join, _results(parts))


def _on_one_thread(function: Callable[[Iterable[Any]], T | None], values: Iterable[Any]) -> T | None:
    limit = _native.limit_threads(1)
    try:
        return _unless_empty(function, values)
    finally:
        _native.limit_threads(limit)


def _results(parts: Iterable[Sent[T]]) -> Iterator[T]:
    for part in parts:
        if isinstance(part, Failed):
            raise part.error
        if part is not None:
            yield part


def _unless_empty(function: Callable[[Iterable[Any]], T | None], values: Iterable[Any]) -> T | None:
    each = iter(values)
    for first in each:
        return function(chain((first,), each))
    return None


def result_of(engine: Engine, columns: Sequence[str], work: Work[T], together: str | None = None) -> T | None:
    """What all partitions gave, None if there are no rows; an error of one of them is raised."""
    parts = engine.reduced(columns, work, together)
    return work.result(parts)


def engine_of(frame: Any) -> Engine:
    """The adapter of a data frame: `calipers.spark.Adapter` or `calipers.dask.Adapter`."""
    engine: Engine = import_module(f"calipers.{frames.package_of_engine(frame)}").Adapter(frame)
    return engine


def known_columns(engine: Engine, *named: Any) -> list[str]:
    """The names of the columns that arguments name, each once; an unknown one is an error."""
    listed = [name for each in named for name in (each if isinstance(each, (list, tuple)) else [each])]
    if others := [each for each in listed if not isinstance(each, str | None)]:
        value = others[0] if isinstance(others[0], (int, float)) else type(others[0]).__name__
        raise InputError("partitions.not_a_name", value=value)
    names = list(dict.fromkeys(name for name in listed if name is not None))
    for name in names:
        if name not in engine.columns:
            raise UnknownName("data.no_column", name=name, nearest=nearest(name, engine.columns))
        if list(engine.columns).count(name) > 1:
            raise InputError("data.columns_alike", count=list(engine.columns).count(name), name=name)
    return names


def memory_of(engine: Engine, memory: str | int | None) -> int:
    """The bytes that partial statistics may take: what was asked for, within what the driver accepts."""
    asked = None if memory is None else bytes_of(memory)
    limit = engine.limit
    if limit is None:
        return asked or MEMORY
    if asked is not None and asked * SHARE > limit.most:
        raise InputError("partitions.driver_limit", memory=memory, setting=limit.setting, most=limit.most, share=SHARE)
    return asked or min(MEMORY, limit.most // SHARE)
