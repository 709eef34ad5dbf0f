"""Adapter to Dask: `calipers.evaluate(df, truth="y", score="p")` with a Dask data frame. Dask's workers compute the
statistics of the partitions and merge them in a tree.

    import calipers as cal
    import dask.dataframe as dd

    ev = cal.evaluate(dd.read_parquet("predictions/"), truth="y", score="p", by=["region"])
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from itertools import pairwise
from typing import Any

import numpy as np

from calipers.errors import InputError
from calipers.partitions.engine import DriverLimit, Work
from calipers.statistics.base import Array

MOST = 8  # parts that a worker merges at once
LAST = 2  # parts that the driver merges: two workers have merged them at the same time


class Adapter:
    """A Dask data frame, on threads, processes or a cluster."""

    limit: DriverLimit | None = None

    def __init__(self, frame: Any) -> None:
        if getattr(frame, "ndim", None) != 2 or not hasattr(frame, "columns"):
            raise InputError("partitions.not_a_frame", kind=type(frame).__name__)
        self.frame = frame
        self.columns: Sequence[str] = list(map(str, frame.columns))

    def reduced(self, columns: Sequence[str], work: Work[Any], together: str | None = None) -> Sequence[memoryview]:
        """The results of `work` on these columns, merged on the workers into two at most."""
        dask: Any = import_module("dask")
        frame = self.frame[list(columns)]
        if together is not None:
            frame = frame.shuffle(on=together)
        # A partition is read and evaluated in one task, so that no worker holds rows that wait for the next task.
        states = frame.map_partitions(_of_partition, work, meta=(None, object), enforce_metadata=False)
        parts, join = states.to_delayed(), dask.delayed(partial(_of_parts, work), pure=False)
        while len(parts) > LAST:
            # Groups of equal size, so that workers merge at the same time.
            groups = max(-(-len(parts) // MOST), LAST)
            ends = [len(parts) * at // groups for at in range(groups + 1)]
            parts = [join(parts[begin:end]) for begin, end in pairwise(ends)]
        try:
            return [_bytes(part) for part in dask.compute(*parts)]
        except _lost_workers() as error:
            raise InputError("partitions.dask_worker_lost") from error


# Parts are arrays of bytes, which Dask sends without a copy, unlike bytes.
def _of_partition(rows: Any, work: Work[Any], partition_info: dict[str, int]) -> Array:
    return np.frombuffer(work.on_partition(partition_info["number"], [rows]), np.uint8)


def _of_parts(work: Work[Any], parts: Sequence[Array]) -> Array:
    return np.frombuffer(work.joined(map(_bytes, parts)), np.uint8)


def _bytes(part: Array) -> memoryview:
    return part.data.toreadonly()


def _lost_workers() -> tuple[type[Exception], ...]:
    """The error of a partition that killed its workers; without a cluster, whose package is then loaded, none."""
    distributed = sys.modules.get("distributed")
    return () if distributed is None else (distributed.KilledWorker,)
