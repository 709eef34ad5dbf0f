"""`Stream`: rows that arrive in batches, evaluated in bounded memory."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, Self

import numpy as np

from calipers.arguments import refuse_unknown
from calipers.choices import ComparisonTask, Missing
from calipers.data.batch import Batch
from calipers.data.frames import is_frame
from calipers.data.schema import Schema
from calipers.errors import InputError
from calipers.evaluation.evaluate import evaluate
from calipers.evaluation.evaluate_ranking import evaluate_ranking
from calipers.evaluation.evaluation import Evaluation
from calipers.evaluation.memory import bytes_of
from calipers.evaluation.merging import merged, piled, refuse_others, whole, without_rows
from calipers.evaluation.of_batch import of_batch
from calipers.evaluation.saved import SavedEvaluation, restored, restored_schema, saved, saved_schema
from calipers.evaluation.summary import PER_CELL, size_of, sketch_count, summarised, within
from calipers.metrics.calling import AskedMetrics
from calipers.settings import Label, Settings, labels_of, metric_names
from calipers.statistics.portable import Portable
from calipers.statistics.sketch import LEAST
from calipers.tasks import task_of

MEMORY = "256 MB"
ROWS_SHARE = 10  # rows are kept while they take at most 1/10 of the memory: summarising them needs the rest
OF_UPDATE = ("y_true", "y_pred", "score", "truth", "pred", "weights", "by")


class Stream:
    """Evaluate rows that arrive in batches of any size, in bounded memory.

    - schema: what the rows mean (`Schema.of`, or `ev.schema`). Without it, the first batch decides.
    - positive, labels, threshold, task: as in `evaluate`, if there is no schema; task="ranking" takes the arguments
      of `evaluate_ranking` in `update`.
    - by: the names of the slicing columns.
    - memory: the most memory that the stream uses for its statistics, such as "256 MB". While the rows fit, all results
      are the same as those of `evaluate`. After that, counts, losses and moments are still exact; scores are
      summarised, and metrics of their ranking have a `.bracket` that contains the exact value.
    - level, metrics, missing: as in `evaluate`.
    - model: the model; streams of different models cannot be merged.

    >>> stream = Stream(positive=1)
    >>> stream.update([0, 1, 1], [0.2, 0.9, 0.4])
    >>> stream.update([0, 1, 0], [0.6, 0.8, 0.1])
    >>> stream.result()["roc_auc"]
    0.889 [0.382, 1.000]
    """

    def __init__(
        self,
        schema: Schema | None = None,
        *,
        positive: Label | None = None,
        labels: Sequence[Label] | None = None,
        threshold: float | Mapping[Label, float] | None = None,
        task: ComparisonTask | None = None,
        by: str | Sequence[str] | None = None,
        memory: str | int = MEMORY,
        level: float = 0.95,
        metrics: AskedMetrics | None = None,
        missing: Missing = "error",
        model: str | None = None,
    ) -> None:
        if schema is not None and not isinstance(schema, Schema):
            raise InputError("evaluation.stream_schema", kind=type(schema).__name__)
        self.schema = schema
        self.memory, self._memory = bytes_of(memory), memory
        self.by = tuple([by] if isinstance(by, str) else by or (() if schema is None else schema.by))
        self._task = task_of(task)
        self._meaning = {"positive": positive, "labels": labels_of(labels), "threshold": threshold, "task": task}
        if schema is not None:
            for name, value in self._meaning.items():
                if value is not None:
                    raise InputError("data.schema_and_argument", name=name)
        of_rows = {name: value for name, value in self._meaning.items() if schema is None and not self._task.ranked}
        self._reading = {"level": level, "metrics": metric_names(metrics), "missing": missing}
        Settings(**of_rows, **self._reading)  # type: ignore[arg-type] # which refuses what is wrong, before any row
        self._model = model
        self._parts: tuple[Evaluation, ...] = ()
        self._summary: Evaluation | None = None  # the summary of all rows that are not in the parts
        self._lock = threading.RLock()

    def update(
        self,
        y_true: Any = None,
        y_pred: Any = None,
        *,
        score: Any = None,
        truth: str | Sequence[str] | None = None,
        pred: str | Sequence[str] | None = None,
        weights: Any = None,
        by: Any = None,
        **ranking: Any,
    ) -> None:
        """Add a batch; the arguments are those of `evaluate`, or of `evaluate_ranking`.

        A batch that raises an error changes nothing.
        """
        columns = {"score": score, "truth": truth, "pred": pred, "weights": weights, "by": by}
        columns = {name: value for name, value in columns.items() if value is not None}
        with self._lock if self.schema is None else nullcontext():  # the first batch decides what the next ones mean
            part = self._read(y_true, y_pred, columns, ranking)
            self._take(part, is_summary=sketch_count(part) > 0)  # of a file that did not fit the memory

    def _read(self, first: Any, second: Any, columns: dict[str, Any], ranking: Mapping[str, Any]) -> Evaluation:
        schema, reading = self.schema, dict(self._reading)
        if (self._task if schema is None else schema.facts).ranked:
            del reading["missing"]
            rules = {} if schema is None or schema.ranking is None else vars(schema.ranking)
            part = evaluate_ranking(first, second, **{**rules, **reading, **columns, **ranking})
            return replace(part, model=self._model)
        refuse_unknown("update", ranking, OF_UPDATE)
        if is_frame(first) or isinstance(first, (str, PathLike)):
            columns = {"by": list(self.by), **columns} if self.by else columns
            columns = columns if schema is None else _not_in(schema, columns)
        meaning = self._meaning if schema is None else {"schema": schema}
        part = evaluate(first, second, **{**meaning, **reading, **columns}, model=self._model)
        if part.rows and part.schema.by != self.by:
            raise InputError("evaluation.stream_slices", wanted=list(self.by), given=list(part.schema.by))
        return without_rows(part)

    def _add(self, part: Evaluation) -> None:
        """One more part with its rows."""
        with self._lock:
            summary, parts = self._summary, [*self._parts, part]
            if summary is not None:
                self._refuse_slices(summary, part)
            if sum(map(size_of, parts)) > self._room:
                summary, parts = self._summarised(parts)
            parts = piled(parts, merged, size_of, many=2)  # so that what does not fit is refused now
            self._summary, self._parts, self.schema = summary, tuple(parts), self.schema or part.schema

    @property
    def _room(self) -> int:
        """The bytes that rows may take until they are summarised: half of them where there is a summary already."""
        return self.memory // ROWS_SHARE // (1 if self._summary is None else 2)

    def _summarised(self, parts: list[Evaluation]) -> tuple[Evaluation | None, list[Evaluation]]:
        """The summary with all parts, and no parts; an error where a summary is not possible.

        Rankings have no summary, but do without the documents of their queries.
        """
        schema = parts[0].schema
        if schema.weighted and schema.scored:
            raise InputError("evaluation.stream_of_weights", memory=self._memory)
        if schema.facts.ranked:
            parts = [replace(part, seen=replace(part.views, rankings=None)) for part in parts]
            if sum(map(size_of, parts)) > self._room:
                raise InputError("evaluation.stream_of_queries", memory=self._memory)
            return None, parts
        return self._with(self._cells_of(parts)), []

    def _cells_of(self, parts: Sequence[Evaluation]) -> Evaluation:
        """All parts as one, with cells instead of rows."""
        return summarised(parts, self.memory // PER_CELL)

    def _with(self, part: Evaluation) -> Evaluation:
        """The summary with one more summarised part, within the cells that the memory allows."""
        return self._bounded(part if self._summary is None else merged(self._summary, part))

    def _bounded(self, ev: Evaluation) -> Evaluation:
        self._refuse_slices(ev)
        return within(ev, self.memory // PER_CELL)

    def _refuse_slices(self, summary: Evaluation, *parts: Evaluation) -> None:
        """An error where the cells are too few for a sketch of every slice, with those that the parts add."""
        slices = [{(name, value) for name in ev.slices for value in ev.slices[name]} for ev in (summary, *parts)]
        count = sketch_count(summary) // (1 + len(slices[0])) * (1 + len(set().union(*slices)))
        if count * LEAST * PER_CELL > self.memory:
            raise InputError("evaluation.stream_of_slices", count=count, needed=count * LEAST * PER_CELL)

    def result(self) -> Evaluation:
        """The evaluation of all rows so far; the stream can be updated further."""
        with self._lock:
            if not self._filled:
                if self.schema is None or self.schema.facts.ranked:
                    raise InputError("evaluation.stream_without_rows")
                return of_batch(Settings(**self._reading), Batch(self.schema, np.zeros(0)))  # type: ignore[arg-type]
            if self._summary is not None and self._parts:
                self._summary, self._parts = self._with(self._cells_of(self._parts)), ()
            if self._summary is not None:
                return self._summary
            self._parts = (whole(self._parts, merged),)
            return self._parts[0]

    def merge(self, other: Stream) -> None:
        """Add the rows of another stream, which stays as it is."""
        if not isinstance(other, Stream):
            raise InputError("evaluation.stream_merge_of_what", kind=type(other).__name__)
        if other is self:
            raise InputError("evaluation.stream_with_itself")
        if not other._filled:
            return
        with other._lock:
            part, is_summary = other.result(), other._summary is not None
        with self._lock:
            if self._filled:
                refuse_others(self._filled[0], part)
            self._take(part, is_summary=is_summary)

    def _take(self, part: Evaluation, *, is_summary: bool) -> None:
        if not is_summary:
            self._add(part)
            return
        with self._lock:
            self._summary, self.schema = self._with(part), self.schema or part.schema

    def reset(self) -> None:
        """Remove all rows and keep the schema."""
        with self._lock:
            self._parts, self._summary = (), None

    def to_bytes(self) -> bytes:
        """The state: schema, options and statistics. `Stream.from_bytes` continues from it."""
        with self._lock:
            options = {**self._reading, "model": self._model, "by": self.by, "memory": self._memory}
            meaning = self._meaning if self.schema is None else {}
            schema = None if self.schema is None else saved_schema(self.schema)
            evaluation = saved(self.result()) if self._filled else None
            return SavedStream(options, meaning, schema, self._summary is not None, evaluation).to_bytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> Self:
        """The stream whose state `to_bytes` returned."""
        state = Portable.from_bytes(data)
        if not isinstance(state, SavedStream):
            raise InputError("evaluation.bytes_of_no_stream", kind=type(state).__name__)
        schema = None if state.schema is None else restored_schema(state.schema)
        stream = cls(schema, **state.options, **state.meaning)
        if state.evaluation is not None:
            whole = restored(state.evaluation)
            stream._summary, stream._parts = (whole, ()) if state.summarised else (None, (whole,))
        return stream

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).from_bytes, (self.to_bytes(),)

    def __repr__(self) -> str:
        return f"<Stream of {self.rows:,} rows>"

    @property
    def rows(self) -> int:
        """How many rows, or queries, have arrived."""
        return sum(part.rows for part in self._filled)

    @property
    def _filled(self) -> tuple[Evaluation, ...]:
        """The summary, if there is one, and the parts."""
        return self._parts if self._summary is None else (self._summary, *self._parts)


@dataclass(frozen=True, eq=False)
class SavedStream(Portable):
    """The state of a stream in plain values and statistics."""

    options: dict[str, Any]
    meaning: dict[str, Any]
    schema: dict[str, Any] | None
    summarised: bool
    evaluation: SavedEvaluation | None


def _not_in(schema: Schema, columns: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of a frame that the schema does not name already, in the same way."""
    if schema.columns is None:
        return dict(columns)
    known = {**schema.columns._asdict(), "by": list(schema.by)}
    return {name: value for name, value in columns.items() if not _same(value, known[name])}


def _same(given: Any, known: Any) -> bool:
    return isinstance(given, (str, list, tuple)) and _names(given) == _names(known)


def _names(columns: Any) -> list[Any]:
    return [columns] if isinstance(columns, str) or columns is None else list(columns)
