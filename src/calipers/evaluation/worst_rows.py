"""`ev.worst_rows(n)`: the rows with the largest loss, with their columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar, Never, Self

import numpy as np

from calipers.data import frames
from calipers.data.batch import Array, Batch
from calipers.errors import InputError, UnknownName, nearest
from calipers.evaluation.row_cells import cells_of, index_of
from calipers.evaluation.row_losses import RowLosses, losses_of
from calipers.metrics.base import CATALOGUE
from calipers.result import Result
from calipers.settings import Label
from calipers.statistics.queries import QueryGains

if TYPE_CHECKING:
    from calipers.data.rankings import Rankings
    from calipers.evaluation.evaluation import Evaluation

TOP = 5  # documents of a query that are shown


@dataclass(frozen=True, eq=False, repr=False)
class WorstRows(Result[Never], Mapping[str, tuple[Any, ...]]):
    """The rows with the largest loss, largest first, as columns by name. Equal losses are in the order of the rows.

    task: the task of the evaluation. loss: the name of the loss; for a ranking, the metric that it is based on. total:
    the number of rows of the evaluation. with_loss: the number of rows with a loss above 0; other rows are never
    listed. measured: the columns that Calipers adds. data: slices, and the other columns of the frame.

    >>> import calipers as cal
    >>> worst = cal.evaluate([0, 1, 1, 0], [0.3, 0.9, 0.2, 0.6]).worst_rows(2)
    >>> worst["row"], worst["truth"], worst["score"]
    ((2, 3), (1, 0), (0.2, 0.6))
    """

    kind: ClassVar[str] = "worst_rows"

    task: str
    loss: str
    total: int
    with_loss: int
    measured: Mapping[str, tuple[Any, ...]]
    data: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)

    def __getitem__(self, name: str) -> tuple[Any, ...]:
        for columns in (self.measured, self.data):
            if name in columns:
                return columns[name]
        raise UnknownName("evaluation.unknown_column", name=name, near=nearest(str(name), list(self)))

    def __iter__(self) -> Iterator[str]:
        yield from self.measured
        yield from self.data

    def __len__(self) -> int:
        return len(self.measured) + len(self.data)

    @property
    def n(self) -> int:
        """How many rows are listed."""
        return len(self.measured["loss"])

    def rows(self) -> Iterator[dict[str, Any]]:
        """One row after another, as plain values."""
        return (dict(zip(self, row, strict=True)) for row in zip(*self.values(), strict=True))

    def first(self, n: int) -> WorstRows:
        """The first n rows."""
        measured, data = ({k: v[:n] for k, v in columns.items()} for columns in (self.measured, self.data))
        return replace(self, measured=measured, data=data)


@dataclass(frozen=True, eq=False)
class KeptRows:
    """The rows of an evaluation while it lives, by reference.

    origin: the frame or the column that the caller passed, for its index and its columns. part: of an evaluation of a
    slice, the slicing column and its value.
    """

    batch: Batch
    origin: Any = None
    part: tuple[str, Label] | None = None

    @classmethod
    def of(cls, batch: Batch, origin: Any) -> Self:
        """The rows without what is computed of them on the way, which would stay in memory: of classes with one score
        there is nothing."""
        plain = batch.facts.one_class and batch.scan is None and batch.groups is None
        return cls(batch if plain else replace(batch, scan=None), origin)

    @property
    def losses(self) -> RowLosses:
        """The loss of each row, also of those in other slices."""
        cache = self.batch.cache
        if RowLosses not in cache:
            cache[RowLosses] = losses_of(self.batch)
        losses: RowLosses = cache[RowLosses]
        return losses

    @property
    def chosen(self) -> Array:
        """Which rows are of this slice."""
        if self.part is None:
            return np.arange(len(self.batch))
        codes, values = self.batch.slices[self.part[0]]
        return np.flatnonzero(codes == values.index(self.part[1]))

    def positions(self, rows: Array) -> Array:
        """Where rows are among those that the caller passed."""
        return rows if self.batch.kept is None else self.batch.kept[rows]


def worst_rows(ev: Evaluation, n: int) -> WorstRows:
    """The n rows of an evaluation with the largest loss."""
    if isinstance(n, bool) or not isinstance(n, Integral) or n < 1:
        raise InputError("evaluation.not_a_number_of_rows", value=n)
    if ev.record is not None and ev.record.worst_rows is not None:
        saved = ev.record.worst_rows
        if n > saved.n and saved.n < saved.with_loss:
            raise InputError("evaluation.fewer_worst_rows", n=int(n), count=saved.n)
        return saved.first(int(n))
    if not ev.is_live:
        raise InputError("evaluation.worst_rows_of_document")
    if (gains := ev.views.evidence.get(QueryGains)) is not None:
        return _worst_queries(ev, gains, int(n))
    if ev.kept is None:
        raise InputError("evaluation.worst_rows_not_kept")
    return _worst(ev, ev.kept, int(n))


def largest(losses: Array, n: int) -> Array:
    """The places of the n largest losses above 0, the largest first, equal ones in order.

    >>> largest(np.array([1.0, 3.0, 0.0, 3.0, 2.0]), 3).tolist()
    [1, 3, 4]
    """
    least = np.partition(losses, -n)[-n] if 0 < n < len(losses) else -np.inf
    places = np.flatnonzero((losses >= least) & (losses > 0))
    order: Array = places[np.argsort(-losses[places], kind="stable")][:n]
    return order


def _worst(ev: Evaluation, kept: KeptRows, n: int) -> WorstRows:
    batch, losses, chosen = kept.batch, kept.losses, kept.chosen
    mine = losses.values[chosen]
    rows = chosen[largest(mine, n)]
    positions = kept.positions(rows).tolist()
    measured: dict[str, Any] = {"row": positions, **index_of(kept.origin, positions)}
    measured |= _of_numbers(batch, rows) if batch.facts.of_numbers else _of_classes(ev, batch, rows, losses.label)
    measured["loss"] = losses.values[rows].tolist()
    if batch.weights is not None:
        measured["weight"] = batch.weights[rows].tolist()
    data = {name: [values[code] for code in codes[rows].tolist()] for name, (codes, values) in batch.slices.items()}
    used = _used(batch, kept.origin)
    data |= {k: v for k, v in cells_of(kept.origin, positions).items() if k not in used and k not in data}
    named = {_free(name, measured): tuple(cells) for name, cells in data.items()}
    whole = {name: tuple(cells) for name, cells in measured.items()}
    return WorstRows(ev.task, losses.name, len(chosen), int(np.count_nonzero(mine > 0)), whole, named)


def _free(name: str, taken: Mapping[str, Any]) -> str:
    """The name of a column of the data, which must not hide one that Calipers gives."""
    names = (name if not at else f"{name}_{at + 1}" for at in count())
    return next(each for each in names if each not in taken)


def _of_numbers(batch: Batch, rows: Array) -> dict[str, list[Any]]:
    assert batch.score is not None
    truth, predicted = batch.truth[rows], batch.score[rows]
    if truth.ndim == 1:
        return {"truth": truth.tolist(), "predicted": predicted.tolist(), "error": (predicted - truth).tolist()}
    each = enumerate(batch.labels)
    sides = {"truth": truth, "predicted": predicted}
    return {f"{side}[{name}]": x[:, at].tolist() for at, name in each for side, x in sides.items()}


def _of_classes(ev: Evaluation, batch: Batch, rows: Array, worst_label: Array | None) -> dict[str, list[Any]]:
    columns: dict[str, list[Any]] = {"truth": _labels(batch, batch.truth[rows])}
    predicted = _predicted(ev, batch, rows)
    if predicted is not None:
        columns["predicted"] = _labels(batch, predicted)
    score = None if batch.score is None else batch.score[rows]
    if score is None:
        return columns
    if score.ndim == 1:
        columns["score"] = score.tolist()
    elif worst_label is not None:  # of a set of labels, the one that is furthest from the truth
        label = worst_label[rows]
        columns["label"] = [batch.labels[code] for code in label.tolist()]
        columns["score"] = score[np.arange(len(rows)), label].tolist()
    elif batch.facts.one_class:
        assert predicted is not None
        for name, of in (("score", predicted), ("score_of_truth", batch.truth[rows])):
            columns[name] = score[np.arange(len(rows)), of].tolist()
    return columns


def _predicted(ev: Evaluation, batch: Batch, rows: Array) -> Array | None:
    """The predicted classes; a threshold, also one that was chosen later, cuts the scores."""
    if batch.facts.one_score and batch.score is not None and (threshold := ev.threshold) is not None:
        assert batch.positive is not None
        return np.where(batch.score[rows] >= threshold, batch.positive, 1 - batch.positive)
    return None if batch.pred is None else np.asarray(batch.pred[rows])


def _labels(batch: Batch, codes: Array) -> list[Any]:
    if codes.ndim == 1:
        return [batch.labels[code] for code in codes.tolist()]
    return [tuple(batch.labels[at] for at in np.flatnonzero(row).tolist()) for row in codes]


def _used(batch: Batch, origin: Any) -> set[str]:
    """The columns of a frame that are shown as truth, prediction and so on."""
    columns = batch.schema.columns
    if columns is None or not frames.is_frame(origin):
        return set()
    return {name for each in columns for name in ([each] if isinstance(each, str) else each or ()) if name}


def _worst_queries(ev: Evaluation, gains: QueryGains, n: int) -> WorstRows:
    """The queries that are furthest from the best value of the first measure that has one."""
    name = next((m for m in gains.names if CATALOGUE[m].metric.bounds == (0.0, 1.0)), None)
    if name is None:
        raise InputError("evaluation.no_loss_of_queries", known=list(gains.names))
    values = gains.of_measure(name)
    losses = np.where(np.isnan(values), 0.0, 1 - values)  # NaN: a query that the rules leave out
    at = largest(losses, n)
    called = "user" if ev.schema.facts.recommended else "query"
    columns: dict[str, list[Any]] = {called: [gains.queries[i] for i in at.tolist()], name: values[at].tolist()}
    columns["loss"] = losses[at].tolist()
    unjudged = gains.count("retrieved") - gains.count("judged_retrieved")
    sides = {"retrieved": gains.count("retrieved"), "relevant": gains.count("relevant"), "unjudged": unjudged}
    columns |= {side: counts[at].tolist() for side, counts in sides.items()}
    if (ranked := ev.views.rankings) is not None:
        columns |= _documents(ranked, at)
    whole = {key: tuple(cells) for key, cells in columns.items()}
    return WorstRows(ev.task, name, gains.rows, int(np.count_nonzero(losses > 0)), whole)


def _documents(ranked: Rankings, at: Array) -> dict[str, list[Any]]:
    """The rank of the first relevant document of each query, and of the first documents their relevance and their ids,
    where the caller named them."""
    gains = [ranked.gains[ranked.starts[i] : ranked.starts[i + 1]] for i in at.tolist()]
    hits = [np.flatnonzero(each > 0) for each in gains]
    columns: dict[str, list[Any]] = {
        "first_relevant": [int(hit[0]) + 1 if len(hit) else None for hit in hits],
        "top": [" ".join("?" if g != g else f"{g:g}" for g in each[:TOP].tolist()) for each in gains],
    }
    if ranked.documents is not None:
        columns["documents"] = [tuple(ranked.documents.first(i, TOP)) for i in at.tolist()]
    return columns
