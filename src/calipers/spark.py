"""Adapter to Spark: `calipers.evaluate(df, truth="y", score="p")` with a Spark data frame. Spark's Python workers
compute the statistics of the partitions and merge them in a tree of two levels, so that the driver gets one result.

    import calipers as cal

    ev = cal.evaluate(spark.table("predictions"), truth="y", score="p", by=["region"])
"""

from __future__ import annotations

import pickle
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from importlib import import_module
from itertools import groupby
from operator import itemgetter
from typing import Any

from calipers.errors import InputError
from calipers.partitions.engine import DriverLimit, Sent, T, Work
from calipers.partitions.tables import tables_of
from calipers.spark_session import session as session

ROWS = 1 << 20  # rows of a table that a worker evaluates at once
CHUNK = 1 << 22  # bytes in one row of Spark: a state is sent in several
STATES = "part bigint, place bigint, state binary"
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
        rows = _collected(states)
        return [_state(rows)] if rows else []

    def _column(self, name: str) -> Any:
        kind = self.frame.schema[name].dataType.simpleString()
        if kind.startswith(NESTED):
            raise InputError("partitions.nested", name=name, kind=kind)
        return self.frame[f"`{name.replace('`', '``')}`"]


def _limit(setting: str) -> DriverLimit | None:
    """The limit that a setting such as "1g" is; 0 is none."""
    text = setting.strip().lower().removesuffix("b")
    power = "kmgt".find(text[-1:]) + 1
    most = int(text.rstrip("kmgt")) << 10 * power
    return DriverLimit(most, SETTING) if most else None


def _collected(states: Any) -> list[dict[str, Any]]:
    """The rows of a Spark data frame. Which error tells that a task was lost depends on when."""
    errors = [import_module("pyspark.errors").PySparkException]
    errors += [py4j.Py4JJavaError] if (py4j := sys.modules.get("py4j.protocol")) else []  # Connect has no Py4J
    try:
        return list(states.toArrow().to_pylist())
    except tuple(errors) as error:
        for text, code in REMEDIES.items():
            if text in str(error):
                raise InputError(code, setting=SETTING) from error
        raise


def _of_partition(batches: Iterator[Any], work: Work[Any], columns: list[str]) -> Iterator[Any]:
    tables = (table.rename_columns(columns) for table in tables_of(batches, ROWS))
    return _rows(work.on_partition(_task(), tables))


def _of_states(batches: Iterator[Any], work: Work[Any]) -> Iterator[Any]:
    rows = (row for batch in batches for row in batch.to_pylist())
    return _rows(work.joined(_state(some) for _, some in groupby(rows, itemgetter("part"))))


def _task() -> int:
    """The number of the partition that this worker has."""
    return int(import_module("pyspark").TaskContext.get().partitionId())


def _rows(state: Any) -> Iterator[Any]:
    """The state of a task as rows of Spark."""
    data, batch = pickle.dumps(state), import_module("pyarrow").RecordBatch
    for place, start in enumerate(range(0, len(data), CHUNK)):
        yield batch.from_pylist([{"part": _task(), "place": place, "state": data[start : start + CHUNK]}])


def _state(rows: Iterable[dict[str, Any]]) -> Any:
    return pickle.loads(b"".join(row["state"] for row in rows))
