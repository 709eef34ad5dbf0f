"""Evaluation of published counts: they are checked and converted to the statistics of the rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from calipers.arguments import named_arguments
from calipers.choices import IntervalMethod, Side
from calipers.data import containers
from calipers.data.classes import obvious
from calipers.data.labels import union
from calipers.data.schema import Schema
from calipers.errors import InputError
from calipers.evaluation.evaluation import Evaluation
from calipers.evaluation.of_batch import checked, known_methods, listed_in, of_evidence
from calipers.metrics.calling import AskedMetrics
from calipers.remarks import Remark
from calipers.settings import Label, Settings, labels_of, metric_names
from calipers.statistics.combine import Evidence
from calipers.statistics.confusion import ConfusionCounts
from calipers.statistics.labels import LabelCounts

Array = npt.NDArray[Any]
GIVEN = Remark("evaluation.counts_given")
MOST = 2**53  # beyond, doubles no longer hold every whole number


@named_arguments
def evaluate_counts(
    matrix: Any = None,
    *,
    labels: Sequence[Label] | None = None,
    positive: Label | None = None,
    rows: Side = "truth",
    tp: Any = None,
    fp: Any = None,
    fn: Any = None,
    tn: Any = None,
    level: float = 0.95,
    metrics: AskedMetrics | None = None,
    interval: IntervalMethod | Mapping[str, IntervalMethod] | None = None,
    seed: int = 0,
    replicates: int = 1000,
) -> Evaluation:
    """Compute metrics from published counts: a confusion matrix, or TP, FP, FN (and TN) of each class.

    - matrix: a confusion matrix of counts, as an array or a data frame with the labels as index and columns.
    - labels, positive: the classes in the order of the matrix, and the positive class.
    - rows: "truth" if the rows of the matrix are the true classes, or "prediction".
    - tp, fp, fn, tn: the counts of one class, or a list with one count per class; tn is optional.
    - level, metrics, interval, seed, replicates: as in `evaluate`.

    >>> evaluate_counts([[55, 45], [50, 850]], labels=["BAD", "GOOD"], positive="BAD")["f1"]
    0.537 [0.454, 0.617]
    >>> round(float(evaluate_counts(tp=[10, 17, 25], fp=[5, 7, 2], fn=[3, 10, 4])["precision(average=micro)"]), 3)
    0.788
    """
    settings = Settings(
        positive=positive,
        labels=labels_of(labels),
        level=level,
        metrics=metric_names(metrics),
        interval=interval,
        seed=seed,
        replicates=replicates,
    )
    settings = known_methods(settings)
    parts = {name: x for name, x in (("tp", tp), ("fp", fp), ("fn", fn), ("tn", tn)) if x is not None}
    schema, evidence = _read(settings, matrix, rows, parts)
    schema = replace(schema, order=settings.labels)
    return checked(of_evidence(settings, schema, listed_in(settings, schema), evidence))


def _read(q: Settings, matrix: Any, rows: str, parts: Mapping[str, Any]) -> tuple[Schema, Evidence]:
    """What the counts mean, and the counts."""
    if (matrix is None) == (not parts):
        raise InputError("evaluation.matrix_or_counts")
    if matrix is not None:
        return _of_matrix(q, matrix, rows)
    if {"tp", "fp", "fn"} - set(parts):
        raise InputError("evaluation.counts_needed", given=list(parts))
    counts = {name: _checked(x, Remark("evaluation.counts_of", name=name)) for name, x in parts.items()}
    shapes = {name: x.shape for name, x in counts.items()}
    if len(set(shapes.values())) > 1 or counts["tp"].ndim > 1:
        raise InputError("evaluation.counts_of_other_shapes", shapes=shapes)
    if counts["tp"].ndim == 0 and "tn" in counts:
        tp, fp, fn, tn = (counts[name] for name in ("tp", "fp", "fn", "tn"))
        if q.labels is not None and len(q.labels) != 2:
            raise InputError("evaluation.counts_of_two_classes", labels=list(q.labels), count=len(q.labels))
        values = q.labels or ((0, 1) if q.positive is None else (f"not {q.positive}", q.positive))
        positive = values[1] if q.positive is None else q.positive
        if positive not in values:
            raise InputError("evaluation.positive_not_a_label", positive=positive, labels=list(values))
        table = np.array([[tn, fp], [fn, tp]])
        if values[0] == positive:
            table = table[::-1, ::-1]
        return _of_table(values, positive, table)
    return _of_labels(q, counts)


def _of_matrix(q: Settings, matrix: Any, rows: str) -> tuple[Schema, Evidence]:
    if q.labels is None and hasattr(matrix, "index") and hasattr(matrix, "columns"):  # pandas: it names its classes
        names = matrix.index.tolist()
        if sorted(map(str, names)) != sorted(map(str, matrix.columns.tolist())):
            raise InputError("evaluation.matrix_named_unlike", rows=names, columns=matrix.columns.tolist())
        q, matrix = replace(q, labels=tuple(names)), matrix[names]
    table = _checked(matrix, Remark("evaluation.the_confusion_matrix"))
    if not isinstance(rows, str) or rows not in get_args(Side):
        raise InputError("evaluation.unknown_rows", rows=rows)
    if table.ndim != 2 or table.shape[0] != table.shape[1]:
        raise InputError("evaluation.matrix_not_square", shape=table.shape)
    if not table.sum():
        raise InputError("evaluation.matrix_empty")
    values = tuple(range(len(table))) if q.labels is None else q.labels
    if len(values) != len(table):
        raise InputError("evaluation.matrix_of_other_size", labels=len(values), classes=len(table))
    if q.positive is not None and q.positive not in values:
        raise InputError("evaluation.positive_not_a_label", positive=q.positive, labels=list(values))
    pair = obvious(union(values)) if len(values) == 2 else None
    positive = q.positive if q.positive is not None or pair is None else pair[1]
    return _of_table(values, positive, table if rows == "truth" else table.T)


def _of_table(values: tuple[Label, ...], positive: Label | None, table: Array) -> tuple[Schema, Evidence]:
    if positive is not None and len(values) != 2:
        raise InputError("evaluation.positive_of_several", classes=len(values))
    ordered = union(values)
    order = [values.index(v) for v in ordered]
    counted = ConfusionCounts(ordered, table[np.ix_(order, order)], None, round(float(table.sum())))
    task = "multiclass" if positive is None else "binary"
    return Schema(task, ordered, positive, GIVEN), Evidence.holding(counted)


def _of_labels(q: Settings, counts: Mapping[str, Array]) -> tuple[Schema, Evidence]:
    """Counts of each class on its own: how the classes were confused with each other is not known."""
    tp, fp, fn = (np.atleast_1d(counts[name]).astype(np.float64) for name in ("tp", "fp", "fn"))
    tn = np.atleast_1d(counts["tn"]).astype(np.float64) if "tn" in counts else np.full(len(tp), np.nan)
    values = tuple(range(len(tp))) if q.labels is None else q.labels
    if len(values) != len(tp):
        raise InputError("evaluation.counts_of_other_size", labels=len(values), classes=len(tp))
    order = [values.index(v) for v in union(values)]
    rows = int(np.sum(tp + fn)) if len(tp) > 1 or np.isnan(tn[0]) else int(tp[0] + fp[0] + fn[0] + tn[0])
    counted = LabelCounts(union(values), np.stack([tp, fp, fn, tn])[:, order], None, rows)
    task, positive = ("binary", values[0]) if len(tp) == 1 else ("multiclass", None)
    return Schema(task, union(values), positive, GIVEN), Evidence.holding(counted)


def _checked(value: Any, name: str) -> Array:
    try:
        table = containers.numbers(value, name)
    except InputError as error:
        raise InputError("evaluation.counts_not_numbers", name=name, value=value) from error
    bad = ~(table >= 0) | np.isinf(table)
    if bad.any():
        raise InputError("evaluation.not_a_count", name=name, value=table[bad].flat[0])
    if float(table.sum(dtype=np.float64)) > MOST:
        raise InputError("evaluation.too_many_counted", name=name)
    if table.dtype.kind == "f" and (table == np.floor(table)).all():
        table = table.astype(np.int64)
    return table.astype(np.int64) if table.dtype.kind in "ub" else table
