"""Rows in: the only place where input is checked, cast, encoded and weighted. Nothing downstream validates."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from calipers.arguments import refuse_given
from calipers.data import (
    classes,
    clusterings,
    containers,
    frames,
    label_sets,
    labels,
    matrices,
    numbers,
    side_columns,
)
from calipers.data.batch import Array, Batch
from calipers.data.labels import Encoded
from calipers.data.schema import GIVEN, NAMES, Names, Schema, found
from calipers.errors import InputError, not_a_number
from calipers.remarks import Remark
from calipers.settings import Settings


def read(
    settings: Settings,
    truth: Any,
    second: Any = None,
    score: Any = None,
    weights: Any = None,
    by: Mapping[str, Any] | None = None,
    groups: Any = None,
    *,
    names: Names = NAMES,
    of_classes: bool = False,
    schema: Schema | None = None,
) -> Batch:
    """Check the columns and take them as the table in docs/inputs.md says, or as the schema says where there is one.

    names: what the caller calls the columns, for messages. of_classes: whether metrics of classes were asked for by
    name, so that the rows are not measurements.

    >>> read(Settings(), [0, 1, 1], [0.2, 0.7, 0.4]).task
    'binary'
    >>> read(Settings(), ["a", "b", "c"], ["a", "b", "b"]).labels
    ('a', 'b', 'c')
    """
    if schema is not None:
        settings = schema.settings(settings)
    if isinstance(settings.threshold, tuple) and not label_sets.are(truth, settings.facts):
        raise InputError("data.thresholds_without_labels")
    if second is not None and score is not None and settings.threshold is not None:
        raise InputError("data.labels_and_threshold")
    if second is None and score is None:
        raise InputError("data.nothing_to_measure", truth=names.truth)
    if not type(truth) is type(second) is np.ndarray or by or weights is not None or groups is not None:
        side_columns.same_index((truth, second, score, weights, groups), (*names, "weights", "groups"), by or {})
        truth, second = containers.typed(truth, names.truth), containers.typed(second, names.pred)
    if not settings.facts.label_sets:
        truth, second, score = frames.flat(truth), frames.flat(second), frames.flat(score)
    if schema is not None and len(truth) == 0:
        return Batch(schema, np.zeros(0))
    encoded = labels.Column(truth, names.truth)
    if settings.facts.clustered:
        _refuse_of_clusters(settings, second, score, weights)
        batch = clusterings.read(second, truth, names, missing=settings.missing, part=schema is not None)
    elif numbers.are(settings, truth, second, score, encoded, of_classes=of_classes):
        batch = numbers.read(settings, truth, second, score, names)
    elif settings.facts.label_sets if schema is not None else label_sets.are(truth, settings.facts):
        batch = _multilabel(settings, truth, second, score, names, schema)
    else:
        batch = _single(settings, encoded(), second, score, names, schema)
    if len(batch) == 0:
        if schema is not None and batch.dropped:  # a part of the data whose labels are all missing
            return replace(batch, schema=schema)
        raise InputError("data.empty", truth=names.truth)
    some_weigh_nothing = False
    if weights is not None or by:
        batch, some_weigh_nothing = side_columns.weighed(side_columns.sliced(batch, by or {}), weights)
    if groups is not None:
        batch = side_columns.grouped(batch, groups)
    if some_weigh_nothing or settings.missing == "drop":
        batch = _without_absent(settings, batch, schema)
        if not len(batch):
            return batch
    if weights is not None or by or groups is not None:
        batch = batch.meaning(by=tuple(by or ()), weighted=weights is not None, grouped=groups is not None)
    if not batch.facts.of_numbers and batch.score is not None and batch.score.ndim == 2:
        batch = matrices.scanned(settings, batch, schema)
    if schema is not None:
        schema.demand(batch)
        batch = replace(batch, schema=replace(schema, names=batch.names))
    return batch


def _refuse_of_clusters(q: Settings, second: Any, score: Any, weights: Any) -> None:
    """An error for what clusters do not have."""
    given = {"score": score, "weights": weights, "positive": q.positive, "labels": q.labels, "threshold": q.threshold}
    refuse_given(given, "data.not_for_clusters")


def _single(q: Settings, true: Encoded, second: Any, score: Any, names: Names, schema: Schema | None) -> Batch:
    notes: tuple[str, ...] = ()
    predicted: Encoded | None = None
    if second is not None:
        floats = _is_float(second)
        if schema.second_is_scores if schema is not None else _scores(q, second, true, names, floats=floats):
            if score is not None:
                raise InputError("data.scores_twice", pred=names.pred)
            second, score, names = None, second, names._replace(score=names.pred)
        else:
            predicted = labels.encode(second, names.pred)
            if floats:
                listed = classes.listed_labels(predicted.values)
                notes += (Remark("data.floats_as_labels", labels=listed),)
            side_columns.same_length(len(true.codes), len(predicted.codes), names.pred, names.truth)
            notes += classes.unseen(q, true, predicted, names)
    matrix = None if score is None else _matrix(score, len(true.codes), names)
    if not len(true.codes):
        return Batch(Schema("binary"), true.codes)
    if schema is not None and q.missing == "drop" and (not true.values or (predicted and not predicted.values)):
        return Batch(schema, np.zeros(0), dropped=len(true.codes))
    if true.missing:
        _missing(q, true, names.truth)
    if predicted is not None and predicted.missing:
        _missing(q, predicted, names.pred)
    width = 0 if matrix is None else 1 if matrix.ndim == 1 else matrix.shape[1]
    values, positive = classes.classes_of(q, true, predicted, width, names)
    codes = labels.recode(true, values)
    pred = None if predicted is None else labels.recode(predicted, values)
    task = "binary" if positive is not None else "multiclass"
    if q.task is not None and q.task != task:
        raise classes.wrong_task(q.facts, values, names)
    columns = q.labels if schema is None else schema.order  # the classes of the score columns, where they were listed
    if matrix is not None and matrix.ndim == 2 and matrix.shape[1] == len(values):
        if columns is not None:
            matrix = matrix[:, [columns.index(v) for v in values]]
        elif type(score) is not np.ndarray and frames.is_frame(score):
            order, note = classes.matched(frames.names(score), values)
            matrix, notes = matrix[:, order], (*notes, note)
    notes += classes.remarks(q, values, positive, width)
    meaning = found(
        task,
        values,
        # The label as in the data: True if 1 was passed.
        positive=None if positive is None else values[values.index(positive)],
        predicted=GIVEN if predicted else "",
        scored=matrix is not None,
        threshold=q.threshold,
        order=q.labels,
        names=names,
    )
    return Batch(meaning, codes, pred, matrix, notes=notes)


def _matrix(score: Any, rows: int, names: Names) -> Array:
    """The scores as floats: one for each row, or one column for each class."""
    matrix = containers.numbers(score, names.score)
    if matrix.ndim > 2 or matrix.ndim == 0:
        raise InputError("data.scores_shape", name=names.score, shape=matrix.shape)
    side_columns.same_length(rows, len(matrix), names.score, names.truth)
    matrix = matrix[:, 0] if matrix.ndim == 2 and matrix.shape[1] == 1 else matrix
    return matrix if matrix.dtype.kind == "f" else matrix.astype(np.float64)


def _multilabel(q: Settings, truth: Any, second: Any, score: Any, names: Names, schema: Schema | None) -> Batch:
    if q.positive is not None:
        raise InputError("data.positive_of_sets")
    indicators = label_sets.read(q, truth, second, score, names, None if schema is None else schema.second_is_scores)
    for other, name in ((indicators.pred, names.pred), (indicators.score, indicators.names.score)):
        if other is not None:
            side_columns.same_length(len(indicators.truth), len(other), name, names.truth)
    meaning = Schema(
        "multilabel",
        indicators.labels,
        predicted="" if indicators.pred is None else GIVEN,
        scored=indicators.score is not None,
        threshold=q.threshold,
        order=q.labels,
        names=indicators.names,
    )
    return Batch(meaning, indicators.truth, indicators.pred, indicators.score, notes=indicators.notes)


def _missing(q: Settings, encoded: Encoded, name: str) -> None:
    if encoded.missing == len(encoded.codes):
        raise InputError("data.all_labels_missing", name=name)
    if q.missing == "error":
        raise InputError("data.labels_missing", name=name, count=encoded.missing, row=encoded.first_missing)


def _nothing_absent(batch: Batch) -> bool:
    """Whether the least and the greatest of each column say that no row is absent; False where in doubt."""
    if not batch.facts.one_class:
        return False
    known = all(codes is None or codes.max() < len(batch.labels) for codes in (batch.truth, batch.pred))
    scored = batch.score is None or not np.isnan(batch.score.min(initial=np.inf))
    return known and scored and (batch.weights is None or batch.weights.min() > 0)


def _without_absent(q: Settings, batch: Batch, schema: Schema | None) -> Batch:
    """Drop rows with missing values, if requested, and rows of weight 0. A part of the data (`schema`) may lose all."""
    if _nothing_absent(batch):
        return batch
    complete = numbers.complete(batch) if batch.facts.of_numbers else np.ones(len(batch), bool)
    if batch.facts.one_class:
        complete &= batch.truth < len(batch.labels)
        complete &= True if batch.pred is None else batch.pred < len(batch.labels)
    if batch.score is not None and not batch.facts.of_numbers:
        missing = np.isnan(batch.score)
        complete &= ~(missing.any(1) if missing.ndim == 2 else missing)
    present = np.ones(len(batch), bool) if batch.weights is None else batch.weights > 0
    if q.missing == "error" and (present & ~complete).any():  # now, while rows have the numbers that the caller knows
        absent = present & ~complete
        raise not_a_number(int(absent.sum()), int(absent.argmax()), batch.names.score)
    keep = complete & present
    if keep.all():
        return batch
    if not keep.any() and schema is not None:
        return Batch(schema, np.zeros(0), dropped=int(np.count_nonzero(~complete)))
    if not keep.any():
        raise InputError("data.all_rows_missing" if not complete.any() else "data.all_weights_zero")
    return replace(batch.take(keep), dropped=int(np.count_nonzero(~complete)), kept=np.flatnonzero(keep))


def _scores(q: Settings, second: Any, true: Encoded, names: Names, *, floats: bool) -> bool:
    """Whether a second argument is scores rather than labels: a matrix, or floats that are not all labels.

    A threshold cuts scores, so numbers beside it are scores, also where they are 0 and 1 only.
    """
    if len(getattr(second, "shape", ())) == 2 or _nested(second) or type(second) is dict:
        return not q.facts.label_sets
    if q.threshold is not None:
        values = () if floats or isinstance(second, containers.Text) else labels.encode(second, names.pred).values
        if not floats and not (values and type(values[0]) is int):
            raise InputError("data.threshold_of_labels", pred=names.pred)
        return True
    if not floats or q.facts.label_sets:
        return False
    array = containers.numbers(second, names.pred)
    if array.ndim != 1:
        raise InputError("data.one_prediction_per_row", pred=names.pred, shape=array.shape)
    numeric = [v for v in true.values if not isinstance(v, str)]
    if true.values and not numeric:  # the labels are text, so numbers are scores
        return True
    known = {0.0, 1.0, *(float(v) for v in numeric if abs(v) <= sys.float_info.max)}
    if any(v == v and v not in known for v in array[:16].tolist()):  # the usual case, at no cost
        return True
    return not np.isin(array[~np.isnan(array)], list(known)).all()


def _is_float(column: Any) -> bool:
    if type(column) is list or type(column) is tuple:
        if any(isinstance(v, str) for v in column[:16]):  # the usual case, at no cost
            return False
        return any(isinstance(v, float) for v in column) and not any(isinstance(v, str) for v in column)
    if isinstance(column, containers.Numbers):
        column = column.array
    dtype = getattr(column, "dtype", None)
    kind = getattr(dtype, "kind", None)
    if kind == "O":
        cells = np.asarray(column).ravel()
        return not any(isinstance(v, str) for v in cells[:16].tolist()) and _is_float(cells.tolist())
    if kind is not None:
        return bool(kind == "f" or (kind == "V" and "float" in str(dtype)))  # bfloat16 of ml_dtypes is V
    text = str(getattr(column, "type", None) if dtype is None else dtype).lower()
    return "float" in text or "double" in text


def _nested(column: Any) -> bool:
    return type(column) in (list, tuple) and len(column) > 0 and isinstance(column[0], (list, tuple, np.ndarray))
