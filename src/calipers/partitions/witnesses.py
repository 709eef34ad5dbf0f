"""Which rows tell what all rows mean: one cheap pass over types, distinct labels and the range of scores.

What a column means depends on its distinct labels, on whether it has a fraction, and on its least and greatest number.
Rows that show all of these are the witnesses of a partition; those of all partitions together mean what all rows mean.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from calipers import _native
from calipers.data import containers, frames, labels
from calipers.data.batch import Array
from calipers.data.classes import MOST_CLASSES
from calipers.data.columns import Inputs
from calipers.data.reading import read
from calipers.data.schema import Columns, Schema
from calipers.errors import InputError
from calipers.evaluation.evaluate import decided
from calipers.partitions.engine import Engine, Work, known_columns, result_of
from calipers.partitions.tables import stacked, taken
from calipers.remarks import Remark
from calipers.settings import Settings

MOST = MOST_CLASSES + 1  # one more than allowed, so that too many classes are still detected


@dataclass(frozen=True)
class Meaning:
    """What the rows mean, and the notes on how that was found; None where the caller gave the schema."""

    schema: Schema
    settings: Settings
    notes: tuple[str, ...] | None = None


def meaning_of(engine: Engine, settings: Settings, columns: Columns, by: Sequence[str]) -> Meaning:
    """What the rows of all partitions mean, as memory would find it."""
    names = known_columns(engine, columns.truth, columns.pred, columns.score)
    work = Work(partial(_make, columns=columns), partial(joined_witnesses, columns=columns), small=True)
    return meaning_of_witnesses(result_of(engine, names, work), settings, columns, by)


def meaning_of_witnesses(table: Any, settings: Settings, columns: Columns, by: Sequence[str]) -> Meaning:
    """What rows mean that have these witnesses; None where there are no rows."""
    if table is None or not len(table):
        raise InputError("data.empty", truth=Remark("files.column", name=columns.truth))
    settings, of_classes = decided(settings)
    inputs = Inputs.of(table, None, columns.score, Columns(columns.truth, columns.pred), None)
    # Each partition checks its own missing values, because the error names the row.
    batch = read(replace(settings, missing="drop"), *inputs.values, names=inputs.names, of_classes=of_classes)
    schema = replace(
        batch.schema,
        columns=columns,
        by=tuple(by),
        weighted=columns.weights is not None,
        grouped=columns.groups is not None,
    )
    # The notes of clusters contain numbers of rows, which differ between partitions.
    notes = () if batch.facts.clustered else batch.notes
    return Meaning(schema, settings, notes)


def _make(tables: Iterable[Any], columns: Columns) -> Any:
    return stacked([witnesses(table, columns) for table in tables])


def joined_witnesses(parts: Iterable[Any], columns: Columns) -> Any:
    """The witnesses of the rows of all parts."""
    tables = list(parts)
    filled = [table for table in tables if len(table)]  # an empty partition may have other types
    return witnesses(stacked(filled), columns) if len(filled) > 1 else (filled or tables)[0]


def witnesses(table: Any, columns: Columns) -> Any:
    """The rows that tell what all rows of a table mean: their truth, prediction and score."""
    matrices = [tuple(each) for each in (columns.pred, columns.score) if isinstance(each, (list, tuple))]
    named = [each if isinstance(each, (list, tuple)) else [each] for each in columns[:3] if each is not None]
    names = list(dict.fromkeys(name for each in named for name in each))
    if not len(table):
        return taken(table, np.zeros(0, np.intp), names)
    found = [_telling(frames.column(table, name), name) for name in names]
    rows = [telling for telling, _ in found]
    absent = [missing for _, missing in found if missing is not None]
    complete = ~np.logical_or.reduce(absent) if absent else np.ones(1, bool)
    if complete.any():
        rows.append(complete[None].argmax(1))
    for matrix in matrices:
        rows.append(_farthest_sum(table, matrix))
    return taken(table, np.unique(np.concatenate(rows)).astype(np.intp), names)


def _telling(column: Any, name: str) -> tuple[Array, Array | None]:
    """Rows that show the distinct labels, a fraction, and the least and greatest number; and which rows are missing."""
    data = containers.source(column, name)
    if isinstance(data, containers.Text):
        absent = data.codes == np.iinfo(data.codes.dtype).max
        present = np.flatnonzero(~absent)
        return present[_telling_rows(data.codes[present])[0]], absent
    array = data.array if isinstance(data, containers.Numbers) else containers.objects(data)
    missing = data.missing if isinstance(data, containers.Numbers) else None
    return _of_numbers(array, missing) if array.dtype.kind in "fiub" else _of_objects(array)


def _telling_rows(x: Array) -> tuple[Array, int]:
    usual = x.astype(np.float64) if x.dtype.kind == "f" and x.dtype.itemsize not in (4, 8) else x
    return _native.telling_rows(usual.astype(usual.dtype.newbyteorder("="), copy=False), MOST)


def _of_numbers(x: Array, absent: Array | None) -> tuple[Array, Array | None]:
    if absent is None:
        rows, nan = _telling_rows(x)
        if nan < 0:
            return rows, None
    nans = np.isnan(x)
    absent = nans if absent is None else absent | nans
    present = np.flatnonzero(~absent)
    return present[_telling_rows(x[present])[0]], absent


def _of_objects(array: Array) -> tuple[Array, Array]:
    """Labels, sets of labels, or numbers that are objects."""
    seen: set[Any] = set()
    rows, present = [], np.zeros(len(array), bool)
    for row, cell in enumerate(array.tolist()):
        if cell is None or labels.is_missing(cell):
            continue
        present[row] = True
        values = set(cell) if isinstance(cell, (list, tuple, set, frozenset, np.ndarray)) else {cell}
        if not values <= seen and len(seen) < MOST:
            rows.append(row)
            seen |= values
    return np.array(rows, np.intp), ~present


def _farthest_sum(table: Any, names: Sequence[str]) -> Array:
    """The row whose scores sum farthest from 1, which says whether they are probabilities."""
    columns = [frames.column(table, name) for name in names]
    if any(isinstance(containers.source(c, n), containers.Text) for c, n in zip(columns, names, strict=True)):
        return np.zeros(0, np.intp)
    apart = np.abs(sum(containers.numbers(c, n) for c, n in zip(columns, names, strict=True)) - 1.0)
    return np.zeros(0, np.intp) if np.isnan(apart).all() else np.array([np.nanargmax(apart)], np.intp)
