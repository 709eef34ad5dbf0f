"""Columns of Parquet files in one byte per row: text that they hold as codes of a few texts, and small whole numbers.

DuckDB gives codes for a third of the work of text, and one byte for half of the work of eight.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from calipers.data.containers import Numbers, Text
from calipers.files.parquet import Parquet
from calipers.files.parts import Part

MOST_TEXTS = 255  # codes of one byte, of which one stands for missing values
BYTES = {"TINYINT": (-128, 127), "UTINYINT": (0, 255)}  # types of one byte, with their ranges


class Requested(NamedTuple):
    """A column that is read as labels, numbers or groups.

    texts: all that occur in it, if it comes as codes of them. small: the type of one byte that it comes as.
    """

    kind: str
    name: str
    texts: list[str] | None = None
    small: str | None = None


def in_bytes(duckdb: Any, parts: Sequence[Part], requested: Sequence[Requested]) -> list[Requested]:
    """The same columns, with how those come in one byte per row that can."""
    files = [part for part in parts if isinstance(part, Parquet)]
    if len(files) < len(parts):
        return list(requested)
    return [one if one.kind == "number" else _in_bytes(duckdb, files, one) for one in requested]


def _in_bytes(duckdb: Any, files: Sequence[Parquet], one: Requested) -> Requested:
    return one._replace(texts=_texts(duckdb, files, one.name), small=_small(files, one.name))


def _texts(duckdb: Any, files: Sequence[Parquet], name: str) -> list[str] | None:
    """The texts of a column that has few and is coded in every file."""
    found: set[str] = set()
    for file in files:
        if not file.is_coded(name):
            return None
        column = duckdb.ColumnExpression(file.columns[file.names.index(name)])
        rows = file.fetched(file.relation.select(column).distinct)
        found.update(text for (text,) in rows if text is not None)
        if len(found) > MOST_TEXTS:
            return None
    return sorted(found)


def _small(files: Sequence[Parquet], name: str) -> str | None:
    """The type of one byte that has all whole numbers of a column."""
    ranges = [file.range_of(name) for file in files]
    known = [both for both in ranges if both is not None]
    if not known or len(known) < len(ranges):
        return None
    low, high = min(a for a, _ in known), max(b for _, b in known)
    return next((kind for kind, (least, most) in BYTES.items() if least <= low and high <= most), None)


def expression(duckdb: Any, column: Any, one: Requested) -> Any:
    """A column as it was requested: of text, the place of each cell among the texts, from 1 on, and NULL for none."""
    if one.texts is not None:
        column = duckdb.FunctionExpression("list_position", duckdb.ConstantExpression(one.texts), column)
        return column.cast(duckdb.sqltype("UTINYINT"))
    return column if one.small is None else column.cast(duckdb.sqltype(one.small))


def as_text(places: Numbers, texts: list[str]) -> Text:
    """The column of text that these places stand for; a place is 0 where there is no value."""
    return Text(places.array - np.uint8(1), list(texts), [])  # 0 becomes 255, the code of missing values
