"""Adapter to Spark: `calipers.evaluate(df, truth="y", score="p")` with a Spark data frame. Spark's Python workers make
the statistics of the partitions, and merge them in two steps of a tree, so that the driver gets one result.

    import calipers as cal

    ev = cal.evaluate(spark.table("predictions"), truth="y", score="p", by=["region"])
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain, groupby
from typing import Any

from calipers.errors import InputError, MissingExtra
from calipers.partitions.engine import DriverLimit, Engine, Work

ROWS = 1 << 20  # rows of a table that a worker evaluates at once
CHUNK = 1 << 22  # bytes in one row of Spark: a state is sent in several
STATES = "bucket int, part int, at int, state binary"
MOST_BUCKETS = 32
SETTING = "spark.driver.maxResultSize"


def adapted(frame: Any) -> Engine:
    """A data frame of Spark as the partitions take it."""
    if getattr(frame, "isStreaming", False):
        raise InputError("partitions.streaming")
    return SparkFrame(frame)


class SparkFrame:
    """A data frame of Spark, classic or Connect."""

    def __init__(self, frame: Any) -> None:
        self.frame = frame
        self.columns: Sequence[str] = frame.columns
        self.limit = _limit(frame)

    def reduced(self, columns: Sequence[str], work: Work, together: str | None = None) -> bytes | None:
        """What `work` makes of these columns: partitions first, then some workers, then one."""
        frame = self.frame.select(*(self.frame[f"`{name.replace('`', '``')}`"] for name in columns))
        if together is not None:
            frame = frame.repartition(frame[f"`{together.replace('`', '``')}`"])
        buckets = _buckets(self.frame)
        states = frame.mapInArrow(partial(_of_partition, work=work, buckets=buckets), STATES)
        for count in (1,) if work.small else (buckets, 1):
            states = states.repartition(count, "bucket").sortWithinPartitions("bucket", "part", "at")
            states = states.mapInArrow(partial(_of_states, work=work), STATES)
        try:
            chunks = states.toArrow()
        except Exception as error:  # Spark's are of many classes, also of Py4J
            if (explained := _explained(str(error))) is None:
                raise
            raise explained from error
        return b"".join(chunks.column("state").to_pylist()) or None


def session(cores: int = 2, **settings: Any) -> Any:
    """A Spark session on this machine, for tests and a first try: it tries a lost task again, and its workers run this
    Python. settings: those of Spark, with `__` for dots."""
    try:
        from pyspark.errors import PySparkException  # pyright: ignore[reportMissingImports]
        from pyspark.sql import SparkSession  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise MissingExtra("partitions.no_pyspark") from None
    if shutil.which("java") is None and not os.environ.get("JAVA_HOME"):
        raise MissingExtra("partitions.no_java")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master(f"local[{cores},4]").config("spark.ui.enabled", "false")
    for name, value in settings.items():
        builder = builder.config(name.replace("__", "."), value)
    try:
        return builder.getOrCreate()
    except PySparkException as error:
        raise MissingExtra("partitions.no_java") from error


def _explained(message: str) -> InputError | None:
    """What is to be said of an error of Spark, where there is a remedy."""
    if "No module named 'calipers" in message:
        return InputError("partitions.not_on_workers")
    if SETTING in message:
        return InputError("partitions.result_too_large", setting=SETTING)
    if "Python worker exited unexpectedly" in message or "ExecutorLostFailure" in message:
        return InputError("partitions.spark_worker_lost")
    return None


def _limit(frame: Any) -> DriverLimit | None:
    text = frame.sparkSession.conf.get(SETTING, "1g").strip().lower()
    units = {"k": 10, "m": 20, "g": 30, "t": 40}
    digits, unit = text.rstrip("bkmgt"), text.rstrip("b")[-1:]
    most = int(digits) << units.get(unit, 0)
    return DriverLimit(most, SETTING) if most else None


def _buckets(frame: Any) -> int:
    try:
        cores = int(frame.sparkSession.sparkContext.defaultParallelism)
    except Exception as error:
        if type(error).__name__ not in ("PySparkAttributeError", "PySparkNotImplementedError", "AttributeError"):
            raise
        cores = 8  # Spark Connect does not tell
    return min(MOST_BUCKETS, cores)


def _of_partition(batches: Iterator[Any], work: Work, buckets: int) -> Iterator[Any]:
    from pyspark import TaskContext  # pyright: ignore[reportMissingImports]

    context = TaskContext.get()
    number = 0 if context is None else context.partitionId()
    tables = _tables(batches)
    first = next(tables, None)
    if first is not None:
        yield from _chunks(work.on_partition(number, chain((first,), tables)), number % buckets, number)


def _tables(batches: Iterator[Any]) -> Iterator[Any]:
    """The batches of a partition as tables of many rows."""
    import pyarrow

    os.environ.setdefault("CALIPERS_THREADS", "1")  # Spark has a worker for each core
    some: list[Any] = []
    for batch in batches:
        some += [batch] if batch.num_rows else []
        if sum(each.num_rows for each in some) >= ROWS:
            yield pyarrow.Table.from_batches(some).combine_chunks()
            some = []
    if some:
        yield pyarrow.Table.from_batches(some).combine_chunks()


def _of_states(batches: Iterator[Any], work: Work) -> Iterator[Any]:
    os.environ.setdefault("CALIPERS_THREADS", "1")
    rows = (row for batch in batches for row in batch.to_pylist())
    first = next(rows, None)
    if first is not None:
        parts = groupby(chain((first,), rows), lambda row: (row["bucket"], row["part"]))
        states = (b"".join(row["state"] for row in chunks) for _, chunks in parts)
        yield from _chunks(work.joined(states), 0, first["bucket"])


def _chunks(state: bytes, bucket: int, part: int) -> Iterator[Any]:
    """A state as rows of Spark."""
    import pyarrow

    for at, start in enumerate(range(0, len(state), CHUNK)):
        cells = {"bucket": [bucket], "part": [part], "at": [at], "state": [state[start : start + CHUNK]]}
        kinds = pyarrow.schema({"bucket": "int32", "part": "int32", "at": "int32", "state": "binary"})
        yield pyarrow.RecordBatch.from_pydict(cells, kinds)
