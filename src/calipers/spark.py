"""Adapter to Spark: `calipers.evaluate(df, truth="y", score="p")` with a Spark data frame. Spark's Python workers
compute the statistics of the partitions and merge them in a tree of two levels, so that the driver gets one result.

    import calipers as cal

    ev = cal.evaluate(spark.table("predictions"), truth="y", score="p", by=["region"])
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby
from typing import Any

from calipers.errors import InputError, MissingExtra
from calipers.partitions.engine import DriverLimit, Sent, T, Work
from calipers.partitions.tables import tables_of

ROWS = 1 << 20  # rows of a table that a worker evaluates at once
CHUNK = 1 << 22  # bytes in one row of Spark: a state is sent in several
STATES = "part int, place int, state binary"
NESTED = ("vector", "matrix", "struct", "map", "array<double", "array<float")  # types of several numbers per row
SETTING = "spark.driver.maxResultSize"
REMEDIES = {  # what a message of Spark contains, and the error that says what to do
    "No module named 'calipers": "partitions.not_on_workers",
    SETTING: "partitions.result_too_large",
    "Python worker exited unexpectedly": "partitions.spark_worker_lost",
    "ExecutorLostFailure": "partitions.spark_worker_lost",
}


class Adapter:
    """A Spark data frame, classic or Connect."""

    def __init__(self, frame: Any) -> None:
        if not hasattr(type(frame), "isStreaming"):
            raise InputError("partitions.not_a_frame", kind=type(frame).__name__)
        if frame.isStreaming:
            raise InputError("partitions.streaming")
        self.frame = frame
        self.columns: Sequence[str] = frame.columns
        self.limit = _limit(frame.sparkSession.conf.get(SETTING, "1g"))

    def reduced(self, columns: Sequence[str], work: Work[T], together: str | None = None) -> Sequence[Sent[T]]:
        """The merged result of `work` on these columns."""
        # Columns are numbered, since mapInArrow takes a dot in a name for a field.
        places = {name: f"c{place}" for place, name in enumerate(columns)}
        frame = self.frame.select(*(self._column(name).alias(place) for name, place in places.items()))
        if together is not None:
            frame = frame.repartition(places[together])
        states = frame.mapInArrow(partial(_of_partition, work=work, columns=list(columns)), STATES)
        # Spark finds how many tasks merge the states of partitions, before one merges theirs.
        for count in ([1],) if work.small else ([], [1]):
            states = states.repartition(*count, "part").sortWithinPartitions("part", "place")
            states = states.mapInArrow(partial(_of_states, work=work), STATES)
        try:
            chunks = states.toArrow()
        except _errors() as error:
            if (plain := explained(str(error))) is None:
                raise
            raise plain from error
        return [work.unpacked(b"".join(chunks.column("state").to_pylist()))]

    def _column(self, name: str) -> Any:
        kind = self.frame.schema[name].dataType.simpleString()
        if kind.startswith(NESTED):
            raise InputError("partitions.nested", name=name, kind=kind)
        return self.frame[f"`{name.replace('`', '``')}`"]


def session(cores: int = 2, **settings: Any) -> Any:
    """A Spark session on this machine, for tests and first experiments. It retries lost tasks, and its workers use the
    same Python interpreter. settings: settings of Spark, with `__` instead of dots."""
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


def explained(message: str) -> InputError | None:
    """The error to raise for a message of Spark, if there is a remedy."""
    code = next((code for text, code in REMEDIES.items() if text in message), None)
    return None if code is None else InputError(code, setting=SETTING)


def _errors() -> tuple[type[Exception], ...]:
    """The errors of Spark; which of them is raised depends on when a task was lost. A client of Connect has no Py4J."""
    from pyspark.errors import PySparkException  # pyright: ignore[reportMissingImports]

    py4j = sys.modules.get("py4j.protocol")
    return (PySparkException,) if py4j is None else (PySparkException, py4j.Py4JJavaError)


def _limit(setting: str) -> DriverLimit | None:
    """The limit that a setting such as "1g" is; 0 is none."""
    text = setting.strip().lower().removesuffix("b")
    power = "kmgt".find(text[-1:]) + 1
    most = int(text.rstrip("kmgt")) << 10 * power
    return DriverLimit(most, SETTING) if most else None


def _of_partition(batches: Iterator[Any], work: Work[Any], columns: list[str]) -> Iterator[Any]:
    tables = (table.rename_columns(columns) for table in tables_of(batches, ROWS))
    return _rows(work.packed(work.on_partition(_task(), tables)))


def _of_states(batches: Iterator[Any], work: Work[Any]) -> Iterator[Any]:
    rows = (row for batch in batches for row in batch.to_pylist())
    states = (b"".join(row["state"] for row in chunks) for _, chunks in groupby(rows, lambda row: row["part"]))
    return _rows(work.packed(work.joined(map(work.unpacked, states))))


def _rows(state: bytes) -> Iterator[Any]:
    """The state of a task as rows of Spark."""
    import pyarrow

    schema = pyarrow.schema({"part": "int32", "place": "int32", "state": "binary"})
    for place, start in enumerate(range(0, len(state), CHUNK)):
        cells = {"part": [_task()], "place": [place], "state": [state[start : start + CHUNK]]}
        yield pyarrow.RecordBatch.from_pydict(cells, schema)


def _task() -> int:
    """The number of the partition that this worker has."""
    from pyspark import TaskContext  # pyright: ignore[reportMissingImports]

    context = TaskContext.get()
    assert context is not None
    return int(context.partitionId())
