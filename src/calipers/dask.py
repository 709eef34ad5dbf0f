"""Adapter to Dask: `calipers.evaluate(df, truth="y", score="p")` with a Dask data frame. Dask's workers compute the
statistics of the partitions and merge them in a tree.

    import calipers as cal
    import dask.dataframe as dd

    ev = cal.evaluate(dd.read_parquet("predictions/"), truth="y", score="p", by=["region"])
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from calipers.errors import InputError
from calipers.partitions.engine import DriverLimit, Engine, Work

MOST = 8  # parts that a worker merges at once


def adapted(frame: Any) -> Engine:
    """A Dask data frame as an engine."""
    if getattr(frame, "ndim", None) != 2 or not hasattr(frame, "columns"):
        raise InputError("partitions.not_a_frame", kind=type(frame).__name__)
    return DaskFrame(frame)


class DaskFrame:
    """A Dask data frame, on threads, processes or a cluster."""

    limit: DriverLimit | None = None

    def __init__(self, frame: Any) -> None:
        self.frame = frame
        self.columns: Sequence[str] = list(map(str, frame.columns))

    def reduced(self, columns: Sequence[str], work: Work, together: str | None = None) -> bytes | None:
        """The merged result of `work` on these columns."""
        from dask.delayed import delayed  # pyright: ignore[reportMissingImports]

        frame = self.frame[list(columns)]
        if together is not None:
            frame = frame.shuffle(on=together)
        make, join = delayed(work.on_partition, pure=False), delayed(work.joined, pure=False)
        parts = [make(number, [part]) for number, part in enumerate(frame.to_delayed())]
        while len(parts) > 1:
            # Groups of equal size, several while there are enough parts, so that workers merge at the same time.
            groups = max(-(-len(parts) // MOST), min(2, len(parts) // 2))
            ends = [len(parts) * at // groups for at in range(groups + 1)]
            parts = [join(parts[begin:end]) for begin, end in pairwise(ends)]
        try:
            whole: bytes = parts[0].compute()
        except _lost_workers() as error:
            raise InputError("partitions.dask_worker_lost") from error
        return whole


def _lost_workers() -> tuple[type[Exception], ...]:
    """The error of a partition that killed its workers; without a cluster, whose package is then loaded, none."""
    distributed = sys.modules.get("distributed")
    return () if distributed is None else (distributed.KilledWorker,)
