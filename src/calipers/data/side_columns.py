"""Columns beside truth and prediction: weights, slices and groups."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from calipers.data import containers, labels
from calipers.data.batch import Batch
from calipers.data.labels import Encoded
from calipers.errors import InputError
from calipers.remarks import Remark
from calipers.settings import Label

MISSING = "(missing)"  # the slice of missing values
LEAST, MOST = 1e-50, 1e50  # weights beyond these cannot be squared twice


def sliced(batch: Batch, by: Mapping[str, Any]) -> Batch:
    """The batch with these slicing columns; missing values form a separate slice."""
    slices = {}
    for name, column in by.items():
        codes, values, missing, _ = _keys(column, Remark("data.by", key=name))
        same_length(len(batch), len(codes), Remark("data.by", key=name))
        if missing:
            none = MISSING
            while none in values:
                none += "*"
            codes, values = np.minimum(codes, len(values)), (*values, none)
        slices[name] = (codes, values)
    return replace(batch, slices=slices)


def slice_values(values: Iterable[Label]) -> list[Label]:
    """The values of a slicing column as `sliced` has them: numbers, then texts, then missing values.

    >>> slice_values(["(missing)", "b", "a"])
    ['a', 'b', '(missing)']
    """
    return sorted(values, key=lambda v: (isinstance(v, str), isinstance(v, str) and v.rstrip("*") == MISSING, v))


def weighed(batch: Batch, weights: Any) -> tuple[Batch, bool]:
    """The batch with these weights, and whether some of them may be 0."""
    if weights is None:
        return batch, False
    w = np.require(containers.numbers(weights, "weights"), np.float64, ["C", "A"])  # as native code takes them
    if w.ndim != 1:
        raise InputError("data.weights_shape", shape=w.shape)
    same_length(len(batch), len(w), "weights")
    if len(w) and w.min() >= LEAST and w.max() <= MOST:
        return replace(batch, weights=w), False
    bad = ~(w >= 0) | np.isinf(w)
    if bad.any():
        row = int(bad.argmax())
        raise InputError("data.not_a_weight", row=row, value=float(w[row]))
    extreme = (w > 0) & ((w < LEAST) | (w > MOST))
    if extreme.any():
        row = int(extreme.argmax())
        raise InputError("data.extreme_weight", row=row, value=float(w[row]))
    return replace(batch, weights=w), True


def grouped(batch: Batch, groups: Any, truth: str = "y_true") -> Batch:
    """The batch with the group of each row; truth: what messages call the rows."""
    codes, values, missing, first = _keys(groups, "groups")
    same_length(len(batch), len(codes), "groups", truth)
    if missing:
        raise InputError("data.groups_missing", count=missing, row=first)
    if len(values) < 2:
        raise InputError("data.one_group")
    return replace(batch, groups=np.array([_key(v) for v in values], np.uint64)[codes])


def in_order(batch: Batch, key: Any) -> Batch:
    """The rows in the order of their keys, so that what is drawn of them does not depend on the order they came in."""
    codes, values, missing, first = _keys(key, "key")
    if batch.kept is None:
        same_length(len(batch), len(codes), "key")
    rows = np.arange(len(batch)) if batch.kept is None else batch.kept
    if missing:
        raise InputError("data.keys_missing", count=missing, row=first)
    if len(values) < len(codes):
        raise InputError("data.keys_repeated", count=len(codes), distinct=len(values))
    return replace(batch, kept=rows).take(np.argsort(codes[rows], kind="stable"))


def _key(label: Label) -> int:
    """A number for a group that depends only on its label, so that all parts of the data draw it in the same way."""
    from hashlib import blake2b

    return int.from_bytes(blake2b(str(label).encode(), digest_size=8).digest(), "little")


def _keys(column: Any, name: str) -> Encoded:
    """A column that divides rows, as labels: values that are not labels by their text, in the order of the values."""
    if callable(column):
        raise InputError("data.a_function", name=name)
    data = containers.source(column, name)  # raises an error for broken data
    try:
        return labels.encode(data, name)
    except InputError:
        array = containers.objects(data)
        if array.ndim != 1 or array.dtype.kind not in "fmMO":
            raise
    if array.dtype.kind == "M":
        items = [None if text == "NaT" else text for text in np.datetime_as_string(array, unit="auto").tolist()]
        return labels.encode(items, name)
    items = [None if v is None or labels.is_missing(v) else v for v in array.tolist()]
    try:
        values = sorted({v for v in items if v is not None})
    except TypeError:  # of several types, or of one that has no order
        return labels.encode([None if v is None else str(v) for v in items], name)
    texts = list(dict.fromkeys(map(str, values)))
    place = {text: code for code, text in enumerate(texts)}
    codes = np.array([len(texts) if v is None else place[str(v)] for v in items], np.uint32)
    missing = codes == len(texts)
    codes[missing] = np.iinfo(codes.dtype).max
    return Encoded(codes, tuple(texts), int(missing.sum()), int(missing.argmax()) if missing.any() else -1)


def same_length(rows: int, others: int, name: str, truth: str = "y_true") -> None:
    """Refuse a column that has another number of rows than the truth."""
    if rows != others:
        raise InputError("data.rows_differ", truth=truth, rows=rows, name=name, others=others)


def same_index(columns: Iterable[Any], names: Iterable[str], by: Mapping[str, Any]) -> None:
    """Raise an error for pandas objects of the same length with different indexes: matching by label and by position
    would give different rows."""
    indexed = [(name, x.index) for x, name in zip(columns, names, strict=True) if hasattr(x, "iloc")]
    for name, x in by.items():
        indexed += [(Remark("data.by", key=name), x.index)] if hasattr(x, "iloc") else []
    for name, index in indexed[1:]:
        first, known = indexed[0]
        if index is not known and len(index) == len(known) and not index.equals(known):
            raise InputError("data.index_differs", name=name, first=first)
