"""Adapter to Dask: `calipers.evaluate(df, truth="y", score="p")` with a Dask data frame. Dask's workers compute the
statistics of the partitions and merge them in a tree.

    import calipers as cal
    import dask.dataframe as dd

    ev = cal.evaluate(dd.read_parquet("predictions/"), truth="y", score="p", by=["region"])
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Sequence
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
        parts, join = states.to_delayed(), dask.delayed(partial(_of_parts, work), pure=False)
        while len(parts) > LAST:
            # Groups of equal size, so that workers merge at the same time.
            groups = max(-(-len(parts) // MOST), LAST)
            ends = [len(parts) * at // groups for at in range(groups + 1)]
            parts = [join(parts[begin:end]) for begin, end in pairwise(ends)]
        try:
            return [_result(part) for part in dask.compute(*parts, direct=_is_local())]
        except _lost_workers() as error:
            raise InputError("partitions.dask_worker_lost") from error


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


def _is_local() -> bool | None:
    """True where this process has started the cluster: the driver then gets results from the workers.

    Else Dask decides. It sends them through the scheduler, since a driver may not reach the workers of other machines.
    """
    distributed = sys.modules.get("distributed")
    try:
        cluster = None if distributed is None else distributed.default_client().cluster
    except ValueError:  # there is no client
        return None
    return True if distributed and isinstance(cluster, distributed.LocalCluster) else None


def _lost_workers() -> tuple[type[Exception], ...]:
    """The error of a partition that killed its workers; without a cluster, whose package is then loaded, none."""
    distributed = sys.modules.get("distributed")
    return () if distributed is None else (distributed.KilledWorker,)
