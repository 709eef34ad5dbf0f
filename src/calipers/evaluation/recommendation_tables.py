"""Users and items in any form: frames, nested dicts, lists, sparse matrices and files, as columns of pairs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from calipers.data import containers, frames, labels
from calipers.data.item_facts import Features
from calipers.data.item_pairs import Coded, Pairs
from calipers.errors import InputError, UnknownName

NUMBERS = {"truth": ("rating",), "recommendations": ("score", "rank"), "history": ()}


def pairs(value: Any, name: str, named: Mapping[str, str], reading: Mapping[str, Any] | None = None) -> Coded:
    """Truth, recommendations or history (`name`) in any of their forms; `named` has the columns that were named."""
    return Coded.of(_pairs(value, name, dict(named), dict(reading or {})))


def _pairs(value: Any, name: str, named: dict[str, str], reading: dict[str, Any]) -> Pairs:
    from calipers.files import recommendations as files

    kinds = NUMBERS[name]
    if isinstance(value, (str, os.PathLike)):
        return _of_columns(files.read(value, kinds, named, reading), name)
    if hasattr(value, "tocsr"):
        return _of_matrix(value, name)
    known = frames.names(value) if frames.is_frame(value) else []
    both = all(named.get(what) in known or files.has(known, what) for what in ("user", "item"))
    if isinstance(value, Mapping) and not both:
        return _of_dict(value, name)
    if not known:
        raise InputError("recommendation.not_pairs", name=name, kind=type(value).__name__)
    columns = files.find(known, kinds, named, name)
    data = frames.columns(value, list(columns.values()))
    return _of_columns(dict(zip(columns, data, strict=True)), name)


def _of_columns(columns: Mapping[str, Any], name: str) -> Pairs:
    users, items = columns["user"], columns["item"]
    if "rank" in columns:
        ranks = containers.numbers(columns["rank"], "rank").astype(np.float64)
        return Pairs(users, items, -ranks, name, in_order=True)
    kind = next((what for what in ("rating", "score") if what in columns), None)
    in_order = kind is None and name == "recommendations"
    return Pairs(users, items, None if kind is None else columns[kind], name, in_order)


def _of_matrix(matrix: Any, name: str) -> Pairs:
    """A sparse matrix with a row per user and a column per item: what is stored in it is a pair."""
    coordinates = matrix.tocsr().tocoo()
    rows, columns = coordinates.coords if hasattr(coordinates, "coords") else (coordinates.row, coordinates.col)
    numbers = None if name == "history" else coordinates.data
    return Pairs(rows.astype(np.int64), columns.astype(np.int64), numbers, name)


def _of_dict(table: Mapping[Any, Any], name: str) -> Pairs:
    """A dict by user of dicts by item, or of lists of items, which are best first in recommendations."""
    users: list[Any] = []
    items: list[Any] = []
    numbers: list[Any] = []
    kinds = {isinstance(one, Mapping) for one in table.values()}
    for user, one in table.items():
        if isinstance(one, (str, bytes)) or not isinstance(one, Iterable) or len(kinds) > 1:
            raise InputError("recommendation.not_a_list", name=name, user=user, kind=type(one).__name__)
        if isinstance(one, (set, frozenset)) and name == "recommendations":
            raise InputError("recommendation.set_has_no_order", user=user)
        before = len(items)
        items += one
        users += [user] * (len(items) - before)
        numbers += one.values() if isinstance(one, Mapping) else ()
    nested = kinds == {True}
    return Pairs(users, items, numbers if nested else None, name, not nested and name == "recommendations")


def items_of_file(path: Any, named: Mapping[str, str], reading: Mapping[str, Any]) -> Any:
    """The column of items of a file."""
    from calipers.files import recommendations as files

    return next(iter(files.read_items(path, dict(named), dict(reading)).values()))


def features(value: Any, named: Mapping[str, str], reading: Mapping[str, Any] | None = None) -> Features:
    """Features of items: a frame or file with a column of items, a dict of vectors, or a matrix with a row per item.

    Columns of numbers are features as they are; a column of text is one feature for each of its values.
    """
    from calipers.files import recommendations as files
    from calipers.files.rankings import find_columns

    if isinstance(value, (str, os.PathLike)):
        value = files.read_items(value, dict(named), dict(reading or {}))
    if frames.is_frame(value):
        known = frames.names(value)
        if named.get("item") in known or files.has(known, "item"):
            item = find_columns(known, ["item"], dict(named), "items", files.USUAL)["item"]
            rest = [name for name in known if name != item]
            column, *data = frames.columns(value, [item, *rest])
            if not rest:
                raise InputError("recommendation.items_without_features", item=item)
            return Features(column, np.column_stack([_feature(x, name) for x, name in zip(data, rest, strict=True)]))
    if isinstance(value, Mapping):
        try:
            matrix = np.array([np.asarray(one, float) for one in value.values()])
        except (TypeError, ValueError):
            raise InputError("recommendation.unequal_vectors") from None
        return Features(list(value), matrix)
    matrix = value.toarray() if hasattr(value, "toarray") else np.asarray(value)
    if matrix.ndim != 2 or matrix.dtype.kind not in "biuf":
        raise UnknownName("recommendation.not_items", kind=type(value).__name__)
    return Features(np.arange(len(matrix)), matrix)


def _feature(column: Any, name: str) -> Any:
    """A column of numbers, or a column for each value of a text."""
    data = containers.source(column, name)
    numeric = isinstance(data, containers.Numbers) or (isinstance(data, np.ndarray) and data.dtype.kind in "biuf")
    if numeric or (isinstance(data, (list, tuple)) and all(isinstance(x, (int, float)) for x in data)):
        return containers.numbers(column, name).astype(np.float64)
    encoded = labels.encode(column, name)
    return np.equal.outer(encoded.codes, np.arange(len(encoded.values))).astype(np.float64)
