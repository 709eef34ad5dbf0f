"""Rows that carry any number of labels: 0/1 matrices and lists of label sets, read into one boolean matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from calipers import columns, labels
from calipers.errors import InputError
from calipers.question import Label

Array = npt.NDArray[Any]


def are(truth: Any, task: str | None) -> bool:
    """Whether a truth is multi-label: an n x K matrix, or a list of sets, lists or tuples."""
    if type(truth) is np.ndarray or hasattr(truth, "ndim"):
        return bool(truth.ndim == 2 or (truth.ndim == 1 and truth.dtype == object and task == "multilabel"))
    if type(truth) in (list, tuple) and len(truth):
        return isinstance(truth[0], (set, frozenset, list, tuple, np.ndarray))
    return False


def read(
    known: tuple[Label, ...] | None, truth: Any, second: Any, score: Any
) -> tuple[Array, Array | None, Array | None, tuple[Label, ...]]:
    """The true and the predicted labels as booleans, the scores, and the labels of the columns."""
    true = _matrix(truth)
    if true is None:
        return _read_sets(known, truth, second, score)
    _zero_one(true, "y_true")
    values: tuple[Label, ...] = tuple(range(true.shape[1])) if known is None else known
    if len(values) != true.shape[1]:
        raise InputError(f"labels= names {len(values)} labels and y_true has {true.shape[1]} columns")
    said = None if second is None else _of_width(second, true.shape[1], "y_pred")
    matrix = None if score is None else _of_width(score, true.shape[1], "y_score")
    if said is not None and matrix is None and said.dtype.kind == "f" and not np.isin(said, (0, 1)).all():
        said, matrix = None, said
    if said is not None:
        _zero_one(said, "y_pred")
        said = said.astype(bool)
    if matrix is not None and matrix.dtype.kind != "f":
        matrix = matrix.astype(np.float64)
    ordered = labels.union(values)
    order = [values.index(v) for v in ordered]
    if ordered != values:
        said, matrix = (None if m is None else m[:, order] for m in (said, matrix))
    return true.astype(bool)[:, order] if ordered != values else true.astype(bool), said, matrix, ordered


def _matrix(column: Any) -> Array | None:
    """A rectangular numeric matrix, or None for lists of label sets."""
    if isinstance(column, (list, tuple)):
        if not all(isinstance(row, (list, tuple, np.ndarray)) for row in column):
            return None
        flat = {type(v) for row in column for v in row}
        if len({len(row) for row in column}) != 1 or not flat <= {bool, int, float, np.bool_, np.int64, np.float64}:
            return None
        out = np.asarray(column)
        return out if np.isin(out, (0, 1)).all() else None
    if getattr(getattr(column, "dtype", None), "kind", "") == "O":
        return None
    return columns.numbers(column, "y_true")


def _of_width(column: Any, width: int, name: str) -> Array:
    matrix = columns.numbers(column, name)
    if matrix.ndim != 2 or matrix.shape[1] != width:
        raise InputError(f"{name} has shape {matrix.shape} and y_true has {width} columns: pass one column a label")
    return matrix


def _zero_one(matrix: Array, name: str) -> None:
    odd = ~np.isin(matrix, (0, 1))
    if odd.any():
        row, col = (int(i) for i in np.argwhere(odd)[0])
        raise InputError(
            f"{name} has {matrix[row, col]} at row {row}, column {col}: a multi-label matrix holds 0 and 1 only; "
            "for one label a row pass a 1-D column"
        )


def _read_sets(
    known: tuple[Label, ...] | None, truth: Any, second: Any, score: Any
) -> tuple[Array, Array | None, Array | None, tuple[Label, ...]]:
    sets = [_labels_of(column, name) for column, name in ((truth, "y_true"), (second, "y_pred")) if column is not None]
    seen = labels.union(*({*row} for rows in sets for row in rows)) if known is None else labels.union(known)
    if not seen:
        raise InputError("no row carries any label: name the labels that there are with labels=")
    place = {v: i for i, v in enumerate(seen)}
    found = []
    for name, rows in zip(("y_true", "y_pred"), sets, strict=False):
        out = np.zeros((len(rows), len(seen)), bool)
        for i, row in enumerate(rows):
            for v in row:
                if v not in place:
                    raise InputError(f"{name} has the label {v!r} at row {i}, which labels={list(known or ())!r} lacks")
                out[i, place[v]] = True
        found.append(out)
    matrix = None if score is None else _of_width(score, len(seen), "y_score")
    if matrix is not None:
        matrix = matrix if matrix.dtype.kind == "f" else matrix.astype(np.float64)
        matrix = matrix if known is None else matrix[:, [known.index(v) for v in seen]]
    return found[0], found[1] if len(found) > 1 else None, matrix, seen


def _labels_of(column: Any, name: str) -> list[tuple[Label, ...]]:
    rows = []
    for i, row in enumerate(column):
        if isinstance(row, (str, bytes)) or not hasattr(row, "__iter__"):
            raise InputError(f"{name} has {row!r} at row {i}: with label sets, every row is a set, list or tuple")
        rows.append(tuple(row))
    return rows
