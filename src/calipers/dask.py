"""Adapter to Dask: `calipers.evaluate(df, truth="y", score="p")` with a Dask data frame. Dask's workers make the
statistics of the partitions and merge them in a tree.

    import calipers as cal
    import dask.dataframe as dd

    ev = cal.evaluate(dd.read_parquet("predictions/"), truth="y", score="p", by=["region"])
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from calipers.errors import InputError
from calipers.partitions.engine import DriverLimit, Engine, Work

FAN = 8  # parts that a worker merges at once


def adapted(frame: Any) -> Engine:
    """A data frame of Dask as the partitions take it."""
    if getattr(frame, "ndim", None) != 2 or not hasattr(frame, "columns"):
        raise InputError("partitions.not_a_frame", kind=type(frame).__name__)
    return DaskFrame(frame)


class DaskFrame:
    """A data frame of Dask, on threads, processes or a cluster."""

    limit: DriverLimit | None = None

    def __init__(self, frame: Any) -> None:
        self.frame = frame
        self.columns: Sequence[str] = list(map(str, frame.columns))

    def reduced(self, columns: Sequence[str], work: Work, together: str | None = None) -> bytes | None:
        """What `work` makes of these columns."""
        from dask.delayed import delayed  # pyright: ignore[reportMissingImports]

        frame = self.frame[list(columns)]
        if together is not None:
            frame = frame.shuffle(on=together)
        make, join = delayed(work.on_partition, pure=False), delayed(work.joined, pure=False)
        parts = [make(number, [part]) for number, part in enumerate(frame.to_delayed())]
        while len(parts) > 1:
            parts = [join(parts[at : at + FAN]) for at in range(0, len(parts), FAN)]
        try:
            whole: bytes = parts[0].compute()
        except Exception as error:  # distributed need not be installed, so its errors have no name here
            if type(error).__name__ != "KilledWorker":
                raise
            raise InputError("partitions.dask_worker_lost") from error
        return whole
