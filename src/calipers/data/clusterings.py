"""Clusters and classes of rows: two columns of labels, each with its own names."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, get_args

import numpy as np

from calipers import _native
from calipers.choices import Missing, Noise
from calipers.data import containers, labels, side_columns
from calipers.data.batch import Array, Batch
from calipers.data.labels import Encoded
from calipers.data.schema import GIVEN, Names, Schema
from calipers.errors import InputError
from calipers.remarks import Remark
from calipers.settings import Label

NOISE = (-1, "-1")  # what DBSCAN, HDBSCAN and OPTICS call a row that is in no cluster, as a number and in a file
NAMES = Names("truth", "labels")


def read(
    clusters: Any,
    truth: Any,
    names: Names = NAMES,
    noise: Noise = "drop",
    missing: Missing = "error",
    groups: Any = None,
    *,
    part: bool = False,
) -> Batch:
    """Codes of classes and clusters; a row of noise has a code that no cluster has.

    part: whether there are more rows elsewhere, so that these may all be dropped.

    >>> batch = read([0, 0, 1, -1], ["a", "a", "b", "b"])
    >>> batch.code_names, batch.pred.tolist()
    ((('a', 'b'), (0, 1)), [0, 0, 1, 255])
    """
    if noise not in get_args(Noise):
        raise InputError("data.unknown_noise", value=noise)
    side_columns.same_index((truth, clusters, groups), (names.truth, names.pred, "groups"), {})
    found = _column(clusters, names.pred)
    known = None if truth is None else _column(truth, names.truth)
    if known is not None:
        side_columns.same_length(len(known.codes), len(found.codes), names.pred, names.truth)
    kept = _kept(found, known, names, missing, part=part)
    if not len(kept):
        if part:
            return Batch(Schema("clustering"), np.zeros(0), dropped=len(found.codes))
        raise InputError("data.all_rows_missing")
    values, codes = _without_noise(found) if noise == "drop" else (found.values, found.codes)
    classes = () if known is None else known.values
    of_classes = np.zeros(len(codes), np.uint8) if known is None else known.codes
    schema = Schema("clustering", predicted=GIVEN, names=names)
    batch = Batch(schema, of_classes, codes, code_names=(classes, values))
    if groups is not None:
        batch = side_columns.grouped(batch, groups, names.pred).meaning(grouped=True)
    return _of_rows(batch, kept)


def complete(batch: Batch, incomplete: Array) -> Batch:
    """The rows of a batch but those that are incomplete among all rows that were given."""
    kept = np.arange(len(batch)) if batch.kept is None else batch.kept
    left = np.flatnonzero(~incomplete[kept])
    if not len(left):
        raise InputError("data.all_rows_missing")
    return _of_rows(batch, left)


def _of_rows(batch: Batch, rows: Array) -> Batch:
    """These rows of a batch, which ones they are, and how many of them are noise."""
    if len(rows) < len(batch):
        kept = rows if batch.kept is None else batch.kept[rows]
        batch = replace(batch.take(rows), kept=kept, dropped=batch.dropped + len(batch) - len(rows))
    assert batch.pred is not None
    assert batch.code_names is not None
    noise = int(np.count_nonzero(batch.pred >= len(batch.code_names[1])))
    return replace(batch, notes=(Remark("data.noise_left_out", count=noise),) if noise else ())


def _column(column: Any, name: str) -> Encoded:
    if column is None or isinstance(column, (str, bytes)) or callable(column):
        raise InputError("data.not_a_column", name=name, kind=type(column).__name__)
    encoded = labels.encode(containers.typed(column, name), name)
    if not len(encoded.codes):
        raise InputError("data.empty", truth=name)
    return encoded


def _kept(found: Encoded, known: Encoded | None, names: Names, missing: Missing, *, part: bool) -> Array:
    """The rows that have a class and a cluster, or are noise."""
    complete = np.ones(len(found.codes), bool)
    for column, name in ((found, names.pred), (known, names.truth)):
        if column is None or not column.missing:
            continue
        if column.missing == len(column.codes) and not (part and missing == "drop"):
            raise InputError("data.all_labels_missing", name=name)
        if missing == "error":
            raise InputError("data.labels_missing", name=name, count=column.missing, row=column.first_missing)
        complete &= column.codes < len(column.values)
    return np.flatnonzero(complete)


def _without_noise(found: Encoded) -> tuple[tuple[Label, ...], Array]:
    """The clusters, and codes in which noise is the largest value of its type, as a missing label is."""
    at = next((i for i, value in enumerate(found.values) if value in NOISE and not isinstance(value, bool)), None)
    if at is None:
        return found.values, found.codes
    table = np.arange(len(found.values), dtype=found.codes.dtype)
    table[at + 1 :] -= 1
    table[at] = np.iinfo(found.codes.dtype).max
    return (*found.values[:at], *found.values[at + 1 :]), _native.recode(found.codes, table)
