"""A Parquet file as rows of DuckDB, with what its metadata says of columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from calipers.files.formats import SourceFile
from calipers.files.parts import Counted, pattern

ROWS = "select * from read_parquet($path, hive_partitioning=false)"
NAMES = "select name, num_children from parquet_schema($path)"
COUNT = "select num_rows from parquet_file_metadata($path)"
CODED = """select bool_and(coalesce(data_page_offset - dictionary_page_offset between 1 and $most, false))
           from parquet_metadata($path) where path_in_schema = $name"""
RANGE = """select min(stats_min_value::hugeint), max(stats_max_value::hugeint), bool_and(stats_max_value is not null)
           from parquet_metadata($path) where path_in_schema = $name"""
FEW_TEXTS = 1 << 14  # bytes of a list of texts
WHOLE = re.compile(r"U?(SMALL|BIG)?INT(EGER)?")


class Parquet(Counted):
    """A Parquet file."""

    def __init__(self, query: Callable[..., Any], source: SourceFile) -> None:
        self._query, self._pattern = query, pattern(source.path)
        relation = query(ROWS, path=self._pattern)
        names = top_names(query(NAMES, path=self._pattern).fetchall())
        ((rows,),) = query(COUNT, path=self._pattern).fetchall()
        super().__init__(source, relation, names, int(rows))

    def is_coded(self, name: str) -> bool:
        """Whether a column has text, and every group of rows has a short list of texts and codes into it."""
        if self.types[self.names.index(name)] != "VARCHAR":
            return False
        query = partial(self._query, CODED, path=self._pattern, name=name, most=FEW_TEXTS)
        return self.fetched(query) == [(True,)]

    def range_of(self, name: str) -> tuple[int, int] | None:
        """The least and the greatest of a column of whole numbers, if the file says so for all of its rows."""
        if not WHOLE.fullmatch(self.types[self.names.index(name)]):
            return None
        ((low, high, is_known),) = self.fetched(partial(self._query, RANGE, path=self._pattern, name=name))
        return (low, high) if is_known else None


def top_names(tree: Sequence[tuple[str, int | None]]) -> list[str]:
    """The columns of a Parquet file as it names them, out of its schema, a tree whose root comes first.

    DuckDB makes names differ that are equal or differ in case only.

    >>> top_names([("root", 2), ("a", None), ("b", 1), ("inner", None)])
    ['a', 'b']
    """
    names, inside = [], 0
    for name, children in tree[1:]:
        if inside == 0:
            names.append(name)
        inside += (children or 0) - (inside > 0)
    return names
