"""Adapter to Dask: `calipers.evaluate(df, truth="y", score="p")` with a Dask data frame. Dask's workers compute the
statistics of the partitions and merge them in a tree.

    import calipers as cal
    import dask.dataframe as dd

    ev = cal.evaluate(dd.read_parquet("predictions/"), truth="y", score="p", by=["region"])
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from importlib import import_module
from itertools import islice
from typing import Any

from calipers.errors import InputError
from calipers.partitions.engine import DriverLimit, Sent, T, Work
from calipers.partitions.tree import MOST, Tree


class Adapter:
    """A Dask data frame, on threads, processes or a cluster."""

    limit: DriverLimit | None = None

    def __init__(self, frame: Any) -> None:
        if not hasattr(type(frame), "columns") or frame.ndim != 2:
            raise InputError("partitions.not_a_frame", kind=type(frame).__name__)
        self.frame = frame
        self.columns: Sequence[str] = list(map(str, frame.columns))
        self._labels = dict(zip(self.columns, frame.columns, strict=True))  # which may be numbers

    def reduced(self, columns: Sequence[str], work: Work[T], together: str | None = None) -> Iterable[Sent[T]]:
        """The results of `work` on these columns, merged on the workers into eight at most."""
        frame = self.frame[[self._labels[name] for name in columns]]
        if together is not None:
            frame = frame.shuffle(on=self._labels[together])
        # A partition is read and evaluated in one task, so that no worker holds rows that wait for the next task.
        # `optimize` makes it one: `persist` would leave two.
        states = frame.map_partitions(_of_partition, work, meta=(None, object), enforce_metadata=False).optimize()
        client = _client()
        return _on_threads(states, work) if client is None else _on_cluster(client, states, work)


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


def _of_partition(rows: Any, work: Work[T], partition_info: dict[str, int]) -> Sent[T]:
    return work.on_partition(partition_info["number"], [rows])


def _on_threads(states: Any, work: Work[Any]) -> list[Any]:
    """The results, merged in the order of the partitions."""
    dask: Any = import_module("dask")
    parts = states.to_delayed()
    tree = Tree[Any](dask.delayed(work.joined, pure=False), len(parts))
    ready = [result for part in parts for result in tree.add(part)]
    return list(dask.compute(*ready, *tree.last()))


def _on_cluster(client: Any, states: Any, work: Work[Any]) -> Iterator[Any]:
    """The results, merged by the workers that have them, so that few are sent between workers. Each comes as soon as
    it is there, while others are computed."""
    distributed = sys.modules["distributed"]
    parts = {part.key: part for part in distributed.futures_of(client.persist(states))}
    # Before other partitions, so that a worker holds few results.
    join = partial(client.submit, work.joined, pure=False, priority=1)
    tree, ready = Tree[Any](join, len(parts), work.memory, partial(join, beyond=True)), list[Any]()
    # The driver of a cluster on its machine gets results from the workers. Else Dask decides, and sends them
    # through the scheduler, since a driver may not reach the workers of other machines.
    direct = True if isinstance(client.cluster, distributed.LocalCluster) else None
    try:
        for part, worker, size in _places(client, parts):
            ready += tree.add(part, worker, size)
            for result in [each for each in ready if each.done()]:
                ready.remove(result)
                yield client.gather(result, direct=direct)
        for result in distributed.as_completed([*ready, *tree.last()]):
            yield client.gather(result, direct=direct)
    except distributed.KilledWorker as error:
        raise InputError("partitions.dask_worker_lost") from error


def _places(client: Any, waiting: dict[str, Any]) -> Iterator[tuple[Any, str, int | None]]:
    """Each part with its worker and its bytes: eight at a time when they are done, so that the scheduler is asked
    seldom, and the last ones while they are computed (None bytes), so that a worker merges its parts while another one
    computes.

    waiting: the parts by their keys, which lose those that are returned: a worker holds a part while someone refers
    to it, also if it is merged already.
    """
    threads, count = sum(client.nthreads().values()), len(waiting)
    done = sys.modules["distributed"].as_completed(waiting.values())
    latest: dict[str, int] = {}  # by worker, which part it finished last
    while waiting:
        for part, worker, size in _held(client, list(islice(done, min(MOST, max(len(waiting) - threads, 1))))):
            del waiting[part.key]
            latest[worker] = count - len(waiting)
            yield part, worker, size
        if len(waiting) <= threads:
            computed_by = {key: worker for worker, keys in client.processing().items() for key in keys}
            yield from _held(client, [part for key, part in waiting.items() if key not in computed_by])
            last = [(part, computed_by[key], None) for key, part in waiting.items() if key in computed_by]
            waiting.clear()
            yield from sorted(last, key=lambda place: latest.get(place[1], count))  # as they will be done
            return


def _held(client: Any, parts: list[Any]) -> Iterator[tuple[Any, str, int | None]]:
    """Each part with the worker that has it, and its bytes; what no worker has (it failed, or waits) is in a place of
    its own."""
    keys = [part.key for part in parts]
    workers, sizes = (client.who_has(parts), client.nbytes(keys, summary=False)) if parts else ({}, {})
    return ((part, next(iter(workers[part.key]), part.key), max(sizes[part.key], 0)) for part in parts)
