"""Rows that carry any number of labels: 0/1 matrices and lists of label sets, read into one boolean matrix."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from calipers.data import classes, containers, frames, labels
from calipers.data.schema import Names
from calipers.errors import InputError
from calipers.settings import Label, Settings
from calipers.tasks import UNKNOWN, Task

Array = npt.NDArray[Any]


class Indicators(NamedTuple):
    """True and predicted labels as booleans, one column for each label, and the scores."""

    labels: tuple[Label, ...]
    truth: Array
    pred: Array | None
    score: Array | None
    notes: tuple[str, ...]
    names: Names


def are(truth: Any, task: Task = UNKNOWN) -> bool:
    """Whether a truth is multi-label: an n x K matrix or frame, or a list or column of sets, lists or tuples."""
    if type(truth) is np.ndarray or hasattr(truth, "ndim"):
        objects = getattr(getattr(truth, "dtype", None), "kind", "") == "O"
        return bool(truth.ndim == 2 or (truth.ndim == 1 and objects and task.label_sets))
    if type(truth) in (list, tuple) and len(truth):
        return isinstance(truth[0], (set, frozenset, list, tuple, np.ndarray))
    return frames.is_frame(truth) or task.label_sets


def read(q: Settings, truth: Any, second: Any, score: Any, names: Names, scores: bool | None = None) -> Indicators:
    """The columns of a frame are the labels that they name; numbers beside threshold= are scores.

    scores: whether a second matrix holds scores; None: as it looks.
    """
    true = _matrix(truth, names.truth)
    if true is None:
        return _read_sets(q.labels, truth, second, score, names)
    _zero_one(true, names.truth)
    named = tuple(frames.names(truth)) if frames.is_frame(truth) else tuple(range(true.shape[1]))
    values: tuple[Label, ...] = named if q.labels is None else q.labels
    if len(values) != true.shape[1]:
        raise InputError("data.labels_and_columns", count=len(values), truth=names.truth, columns=true.shape[1])
    if len(set(values)) < len(values):
        raise InputError("data.columns_of_one_name", truth=names.truth, names=list(map(str, values)))
    pred, notes = (None, ()) if second is None else _of_labels(second, values, names.pred, names.truth)
    matrix, more = (None, ()) if score is None else _of_labels(score, values, names.score, names.truth)
    scores = (pred is not None and _are_scores(pred)) if scores is None else scores
    if pred is not None and matrix is None and (q.threshold is not None or scores):
        pred, matrix, names = None, pred, names._replace(score=names.pred)
    if pred is not None:
        _zero_one(pred, names.pred)
        pred = pred.astype(bool)
    if matrix is not None and matrix.dtype.kind != "f":
        matrix = matrix.astype(np.float64)
    ordered = labels.union(values)
    order = [values.index(v) for v in ordered]
    pred, matrix = (None if m is None else m[:, order] for m in (pred, matrix))
    return Indicators(ordered, true.astype(bool)[:, order], pred, matrix, tuple(dict.fromkeys((*notes, *more))), names)


def _are_scores(matrix: Array) -> bool:
    return bool(matrix.dtype.kind == "f" and not np.isin(matrix, (0, 1)).all())


def _of_labels(table: Any, values: tuple[Label, ...], name: str, truth: str) -> tuple[Array, tuple[str, ...]]:
    """A matrix with a column for each label; the columns of a frame are matched by their names."""
    matrix = _of_width(table, len(values), name, truth)
    if type(table) is np.ndarray or not frames.is_frame(table) or frames.names(table) == list(map(str, values)):
        return matrix, ()
    order, note = classes.matched(frames.names(table), values)
    return matrix[:, order], (note,)


def _matrix(column: Any, name: str) -> Array | None:
    """A rectangular numeric matrix, or None for lists of label sets."""
    if isinstance(column, (list, tuple)):
        if not all(isinstance(row, (list, tuple, np.ndarray)) for row in column):
            return None
        flat = {type(v) for row in column for v in row}
        if len({len(row) for row in column}) != 1 or not flat <= {bool, int, float, np.bool_, np.int64, np.float64}:
            return None
        out = np.asarray(column)
        return out if np.isin(out, (0, 1)).all() else None
    is_column = not hasattr(column, "ndim") and not frames.is_frame(column)  # of Arrow or polars
    if is_column or getattr(getattr(column, "dtype", None), "kind", "") == "O":
        return None
    return containers.numbers(column, name)


def _of_width(column: Any, width: int, name: str, truth: str) -> Array:
    matrix = containers.numbers(_of_each_label(column, name), name)
    if matrix.ndim != 2 or matrix.shape[1] != width:
        raise InputError("data.columns_per_label", name=name, shape=matrix.shape, truth=truth, width=width)
    return matrix


def _of_each_label(tables: Any, name: str) -> Any:
    """The scores of a list with one table per label, as scikit-learn and Keras predict several outputs, as one matrix.

    A table has a column for each of 0 and 1, or all tables have the score of 1 alone. Anything else as it is.
    """
    if type(tables) not in (list, tuple) or not all(len(getattr(table, "shape", ())) == 2 for table in tables):
        return tables
    widths = {table.shape[1] for table in tables}
    if len(widths) != 1 or not widths <= {1, 2}:
        raise InputError("data.columns_of_each_label", name=name, widths=sorted(widths))
    if len({len(table) for table in tables}) != 1:
        raise InputError("data.rows_of_other_lengths", name=name)
    return np.column_stack([containers.numbers(table, name)[:, -1] for table in tables])


def _zero_one(matrix: Array, name: str) -> None:
    odd = ~np.isin(matrix, (0, 1))
    if odd.any():
        row, col = (int(i) for i in np.argwhere(odd)[0])
        raise InputError("data.not_zero_or_one", name=name, value=matrix[row, col], row=row, column=col)


def _read_sets(known: tuple[Label, ...] | None, truth: Any, second: Any, score: Any, names: Names) -> Indicators:
    columns = ((truth, names.truth), (second, names.pred))
    sets = [_labels_of(column, name) for column, name in columns if column is not None]
    values = labels.union(*({*row} for rows in sets for row in rows)) if known is None else labels.union(known)
    if not values:
        raise InputError("data.no_labels_at_all")
    place = {v: i for i, v in enumerate(values)}
    matrices = []
    for name, rows in zip((names.truth, names.pred), sets, strict=False):
        out = np.zeros((len(rows), len(values)), bool)
        for i, row in enumerate(rows):
            for v in row:
                if v not in place:
                    raise InputError("data.set_label_not_listed", name=name, label=v, row=i, labels=list(known or ()))
                out[i, place[v]] = True
        matrices.append(out)
    matrix = None if score is None else _of_width(score, len(values), names.score, names.truth)
    if matrix is not None:
        matrix = matrix if matrix.dtype.kind == "f" else matrix.astype(np.float64)
        matrix = matrix if known is None else matrix[:, [known.index(v) for v in values]]
    return Indicators(values, matrices[0], matrices[1] if len(matrices) > 1 else None, matrix, (), names)


def _labels_of(column: Any, name: str) -> list[tuple[Label, ...]]:
    column = column.to_pylist() if hasattr(column, "to_pylist") else column  # of Arrow
    if not isinstance(column, Iterable) or getattr(column, "ndim", 1) == 0:
        raise InputError("data.not_label_sets", name=name, kind=type(column).__name__)
    rows = []
    for i, row in enumerate(column):
        if isinstance(row, (str, bytes, type)) or not isinstance(row, Iterable):
            raise InputError("data.row_not_a_set", name=name, value=row, row=i)
        rows.append(tuple(_label(v, name, i) for v in row))
    return rows


def _label(value: Any, name: str, row: int) -> Label:
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if not isinstance(value, (bool, int, str)):
        raise InputError("data.set_not_a_label", name=name, value=value, row=row)
    return value
