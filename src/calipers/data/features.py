"""Features of rows, or distances between rows: numbers that clusters are measured by."""

from __future__ import annotations

from typing import Any

import numpy as np

from calipers.data.batch import Array
from calipers.errors import InputError

PRECOMPUTED = "precomputed"


def read(points: Any, rows: int, metric: Any, name: str = "X") -> Any:
    """The features as an array of doubles, or a sparse matrix by rows; of precomputed distances, the distances."""
    if hasattr(points, "tocsr"):
        table = points.tocsr().astype(np.float64)
        values = table.data
    else:
        table = values = _array(points, name)
    if table.shape[0] != rows:
        raise InputError("data.features_rows", name=name, shape=table.shape, rows=rows)
    if not np.isfinite(values).all():
        if hasattr(points, "tocsr"):
            raise InputError("data.features_not_finite_sparse", name=name)
        row, column = (int(at) for at in np.argwhere(~np.isfinite(table))[0])
        raise InputError("data.features_not_finite", name=name, row=row, column=column, value=float(table[row, column]))
    if isinstance(metric, str) and metric == PRECOMPUTED:
        if table.shape[0] != table.shape[1]:
            raise InputError("data.distances_not_square", name=name, shape=table.shape)
        kind = getattr(points, "dtype", np.dtype(np.float64))
        if (np.abs(table.diagonal()) > (100 * np.finfo(kind).eps if kind.kind == "f" else 0)).any():
            raise InputError("data.distances_diagonal", name=name)
    return table


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
            array = array.astype(np.float64)
        except (TypeError, ValueError):
            raise InputError("data.not_features", name=name, kind=str(array.dtype)) from None
    return np.ascontiguousarray(array, np.float64)


