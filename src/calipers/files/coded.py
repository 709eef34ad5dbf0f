"""Columns of text that Parquet files hold as codes of a few texts: DuckDB then gives codes, for a third of the work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from calipers.data.containers import Numbers, Text
from calipers.files.parts import Parquet, Part

MOST_TEXTS = 255  # codes of one byte, of which one stands for missing values


class Requested(NamedTuple):
    """A column that is read as labels, numbers or groups; texts: all that occur in it, if it comes as codes of them."""

    kind: str
    name: str
    texts: list[str] | None = None


def with_texts(duckdb: Any, parts: Sequence[Part], requested: Sequence[Requested]) -> list[Requested]:
    """The same columns, with the texts of those that have few and are coded in every file."""
    return [
        one if one.kind == "number" else one._replace(texts=_texts(duckdb, parts, one.name)) for one in requested
    ]


def _texts(duckdb: Any, parts: Sequence[Part], name: str) -> list[str] | None:
    found: set[str] = set()
    for part in parts:
        if not isinstance(part, Parquet) or not part.is_coded(name):
            return None
        column = duckdb.ColumnExpression(part.columns[part.names.index(name)])
        rows = part.fetched(part.relation.select(column).distinct)
        found.update(text for (text,) in rows if text is not None)
        if len(found) > MOST_TEXTS:
            return None
    return sorted(found)


def code_of(duckdb: Any, column: Any, texts: list[str]) -> Any:
    """The place of each cell among these texts, from 1 on; NULL where it has none."""
    place = duckdb.FunctionExpression("list_position", duckdb.ConstantExpression(texts), column)
    return place.cast(duckdb.sqltype("UTINYINT"))


def as_text(places: Numbers, texts: list[str]) -> Text:
    """The column of text that these places stand for; a place is 0 where there is no value."""
    return Text(places.array - np.uint8(1), list(texts), [])  # 0 becomes 255, the code of missing values
