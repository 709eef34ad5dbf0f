"""Adapter to Dask: `calipers.evaluate(df, truth="y", score="p")` with a Dask data frame. Dask's workers compute the
statistics of the partitions and merge them in a tree.

    import calipers as cal
    import dask.dataframe as dd

    ev = cal.evaluate(dd.read_parquet("predictions/"), truth="y", score="p", by=["region"])
"""

from __future__ import annotations

import pickle
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from calipers.errors import InputError
from calipers.partitions.engine import DriverLimit, Sent, T, Work
from calipers.statistics.base import Array

MOST = 8  # parts that a worker merges at once
LARGE = 1 << 16  # bytes of an array that is sent as it is
LAST = 2  # parts that the driver merges: two workers have merged them at the same time
Part: TypeAlias = list[Array]  # a pickle, and its large arrays, as bytes
Join: TypeAlias = Callable[[Sequence[Any]], Any]  # of parts that the engine has


class Adapter:
    """A Dask data frame, on threads, processes or a cluster."""

    limit: DriverLimit | None = None

    def __init__(self, frame: Any) -> None:
        if not hasattr(type(frame), "columns") or frame.ndim != 2:
            raise InputError("partitions.not_a_frame", kind=type(frame).__name__)
        self.frame = frame
        self.columns: Sequence[str] = list(map(str, frame.columns))
        self._labels = dict(zip(self.columns, frame.columns, strict=True))  # which may be numbers

    def reduced(self, columns: Sequence[str], work: Work[T], together: str | None = None) -> Sequence[Sent[T]]:
        """The results of `work` on these columns, merged on the workers into two at most."""
        dask: Any = import_module("dask")
        frame = self.frame[[self._labels[name] for name in columns]]
        if together is not None:
            frame = frame.shuffle(on=self._labels[together])
        # A partition is read and evaluated in one task, so that no worker holds rows that wait for the next task.
        states = frame.map_partitions(_of_partition, work, meta=(None, object), enforce_metadata=False)
        client, join = _client(), partial(_of_parts, work)
        if client is None:
            parts = dask.compute(*_last(states.to_delayed(), dask.delayed(join, pure=False)))
            return list(map(_result, parts))
        distributed = sys.modules["distributed"]
        # The driver of a cluster on its machine gets results from the workers. Else Dask decides, and sends them
        # through the scheduler, since a driver may not reach the workers of other machines.
        direct = True if isinstance(client.cluster, distributed.LocalCluster) else None
        try:
            parts = _by_worker(client, states.to_delayed(), partial(client.submit, join, pure=False))
            return list(map(_result, client.gather(parts, direct=direct)))
        except distributed.KilledWorker as error:
            raise InputError("partitions.dask_worker_lost") from error


def _client() -> Any:
    """The client of the cluster on which Dask computes; None if it computes on threads, or in a task of a cluster."""
    client = getattr(import_module("dask.base").get_scheduler(), "__self__", None)
    distributed = sys.modules.get("distributed")
    if distributed is None or not isinstance(client, distributed.Client):
        return None
    try:
        distributed.get_worker()
    except ValueError:
        return client
    return None


def _by_worker(client: Any, parts: Sequence[Any], join: Join) -> list[Any]:
    """The parts, merged by the workers that have them, so that few are sent between workers.

    A worker merges eight as soon as it has them, and eight of the results, so that it holds few at a time.
    """
    merged: dict[tuple[str, int], list[Any]] = defaultdict(list)  # by worker and by how often they were merged
    for batch in _batches(client, parts):
        places = client.who_has(batch)
        for part in batch:
            worker, times = next(iter(places[part.key]), ""), 0  # what failed is nowhere, and its error comes later
            while len(merged[worker, times]) == MOST - 1:
                part, times = join([*merged.pop((worker, times)), part]), times + 1
            merged[worker, times].append(part)
    by_worker: dict[str, list[Any]] = defaultdict(list)
    for (worker, _), some in merged.items():
        by_worker[worker] += some
    own = list(by_worker.values())
    return _last(own[0] if len(own) == 1 else [_last(some, join, most=1)[0] for some in own], join)


def _batches(client: Any, parts: Sequence[Any]) -> Iterator[list[Any]]:
    """The parts when they are done: eight or more at once, so that the scheduler is asked seldom where they are."""
    done: list[Any] = []
    for some in sys.modules["distributed"].as_completed(client.compute(parts)).batches():
        done += some
        if len(done) >= MOST:
            yield done
            done = []
    yield done


def _last(parts: Sequence[Any], join: Join, most: int = LAST) -> list[Any]:
    """The parts, merged into so many at most: in groups of equal size, so that workers merge at the same time."""
    while len(parts) > most:
        groups = max(-(-len(parts) // MOST), most)
        ends = [len(parts) * at // groups for at in range(groups + 1)]
        parts = [join(parts[begin:end]) for begin, end in pairwise(ends)]
    return list(parts)


def _of_partition(rows: Any, work: Work[Any], partition_info: dict[str, int]) -> Part:
    return _part(work.on_partition(partition_info["number"], [rows]))


def _of_parts(work: Work[Any], parts: Sequence[Part]) -> Part:
    return _part(work.joined(map(_result, parts)))


def _part(result: Any) -> Part:
    """A result as a pickle and its large arrays. Dask sends arrays of bytes without a copy, unlike bytes."""
    large: list[memoryview] = []

    def is_small(buffer: pickle.PickleBuffer) -> bool:
        if (data := buffer.raw()).nbytes >= LARGE:
            large.append(data)
        return data.nbytes < LARGE

    pickled = pickle.dumps(result, protocol=5, buffer_callback=is_small)
    return [np.frombuffer(data, np.uint8) for data in (memoryview(pickled), *large)]


def _result(part: Part) -> Any:
    pickled, *large = part
    # The first array of a message may begin at any byte, others at a multiple of 8, as numbers must.
    return pickle.loads(pickled.data, buffers=[x.copy() if x.ctypes.data % 8 else x for x in large])
