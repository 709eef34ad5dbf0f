"""Columns beside truth and prediction: weights, slices and clusters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from calipers import columns, labels
from calipers.batch import Batch
from calipers.errors import InputError
from calipers.question import Label


def sliced(batch: Batch, by: Mapping[str, Any]) -> Batch:
    """The batch with these slicing columns; a missing value is a slice of its own."""
    groups = {}
    for name, column in by.items():
        codes, values, missing, _ = labels.encode(column, f"by[{name!r}]")
        same_length(len(batch), len(codes), f"by[{name!r}]")
        if missing:
            none = "(missing)"
            while none in values:
                none += "*"
            codes, values = np.minimum(codes, len(values)), (*values, none)
        groups[name] = (codes, values)
    return replace(batch, groups=groups)


def weighed(batch: Batch, weights: Any) -> Batch:
    """The batch with these weights."""
    if weights is None:
        return batch
    w = columns.numbers(weights, "weights").astype(np.float64, copy=False)
    if w.ndim != 1:
        raise InputError(f"weights has shape {w.shape}: one weight a row is needed")
    same_length(len(batch), len(w), "weights")
    bad = ~(w >= 0) | np.isinf(w)
    if bad.any():
        row = int(bad.argmax())
        raise InputError(f"weights[{row}] is {w[row]}: weights are finite numbers, 0 or more")
    extreme = (w > 0) & ((w < 1e-50) | (w > 1e50))
    if extreme.any():
        row = int(extreme.argmax())
        raise InputError(f"weights[{row}] is {w[row]}: rescale the weights to lie between 1e-50 and 1e50")
    return replace(batch, weights=w)


def clustered(batch: Batch, clusters: Any) -> Batch:
    """The batch with the cluster of each row."""
    codes, values, missing, first = labels.encode(clusters, "clusters")
    same_length(len(batch), len(codes), "clusters")
    if missing:
        raise InputError(f"clusters has {missing} missing values (first at row {first}): every row must belong to one")
    if len(values) < 2:
        raise InputError("all rows are in one cluster: two or more are needed to see how they vary")
    return replace(batch, clusters=np.array([_key(v) for v in values], np.uint64)[codes])


def _key(label: Label) -> int:
    """A number for a cluster that depends on its label alone, so that parts of the rows draw it alike."""
    from hashlib import blake2b

    return int.from_bytes(blake2b(str(label).encode(), digest_size=8).digest(), "little")


def same_length(rows: int, others: int, name: str) -> None:
    """Refuse a column that has another number of rows than the truth."""
    if rows != others:
        raise InputError(f"y_true has {rows} rows and {name} has {others}: they must describe the same rows")
