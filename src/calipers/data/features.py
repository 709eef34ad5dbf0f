"""Features of rows, or distances between rows: numbers that clusters are measured by."""

from __future__ import annotations

from typing import Any

import numpy as np

from calipers.data.batch import Array
from calipers.errors import InputError

PRECOMPUTED = "precomputed"
LARGEST = 1e150  # features beyond it have squares that are not numbers


def read(points: Any, rows: int, metric: Any, name: str = "X") -> Any:
    """The features as an array of doubles, or a sparse matrix by rows; of precomputed distances, the distances."""
    return checked(table_of(points, rows, name), metric, getattr(points, "dtype", None), name)


def table_of(points: Any, rows: int, name: str = "X") -> Any:
    """The features of this number of rows, as numbers that were not checked."""
    table = points.tocsr().astype(np.float64) if hasattr(points, "tocsr") else _array(points, name)
    if table.shape[0] != rows:
        raise InputError("data.features_rows", name=name, shape=table.shape, rows=rows)
    return table


def incomplete(table: Any) -> Array:
    """Which rows have a missing number."""
    if isinstance(table, np.ndarray):
        return np.asarray(np.isnan(table).any(1))
    rows = np.repeat(np.arange(table.shape[0]), np.diff(table.indptr))
    return np.isin(np.arange(table.shape[0]), rows[np.isnan(table.data)])


def checked(table: Any, metric: Any, dtype: Any = None, name: str = "X") -> Any:
    """The same table, every number finite and every distance possible. dtype: in which precision it was given."""
    values = table if isinstance(table, np.ndarray) else table.data
    _refuse(table, values, ~np.isfinite(values), "data.features_not_finite", name)
    _refuse(table, values, np.abs(values) > LARGEST, "data.features_too_large", name)
    if isinstance(metric, str) and metric == PRECOMPUTED:
        if table.shape[0] != table.shape[1]:
            raise InputError("data.distances_not_square", name=name, shape=table.shape)
        kind = np.dtype(np.float64) if dtype is None else dtype
        if (np.abs(table.diagonal()) > (100 * np.finfo(kind).eps if kind.kind == "f" else 0)).any():
            raise InputError("data.distances_diagonal", name=name)
        _refuse(table, values, values < 0, "data.distances_negative", name)
    return table


def _refuse(table: Any, values: Array, wrong: Array, code: str, name: str) -> None:
    """An error that names the first wrong number and where it is."""
    if not wrong.any():
        return
    at = int(np.argmax(wrong))
    value = float(values.ravel()[at])
    if isinstance(table, np.ndarray):
        row, column = divmod(at, table.shape[1])
    else:
        row, column = int(np.searchsorted(table.indptr, at, "right")) - 1, int(table.indices[at])
    raise InputError(code, name=name, row=row, column=column, value=value)


def _array(points: Any, name: str) -> Array:
    if points is None or isinstance(points, (str, bytes)) or callable(points):
        raise InputError("data.not_features", name=name, kind=type(points).__name__)
    try:
        array = np.asarray(points if not hasattr(points, "to_numpy") else points.to_numpy())
    except ValueError:
        raise InputError("data.not_features", name=name, kind=type(points).__name__) from None
    if array.ndim != 2 or not array.shape[1]:
        raise InputError("data.features_shape", name=name, shape=array.shape)
    if array.dtype.kind not in "iubf":
        try:
            if array.dtype.kind == "c":
                raise TypeError
            array = array.astype(np.float64)
        except (TypeError, ValueError):
            raise InputError("data.not_features", name=name, kind=str(array.dtype)) from None
    return np.ascontiguousarray(array, np.float64)


