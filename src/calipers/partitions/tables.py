"""The rows of a partition as a table of pandas or Arrow: what both adapters hand over, and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from calipers.data import frames
from calipers.data.batch import Array


def is_arrow(table: Any) -> bool:
    """Whether a table is one of Arrow; else it is one of pandas."""
    return not hasattr(table, "iloc")


def taken(table: Any, rows: Array, names: Sequence[str]) -> Any:
    """These rows and columns of a table."""
    known = frames.names(table)
    places = [known.index(name) for name in names]  # as pandas names need not be strings
    return table.select(places).take(rows) if is_arrow(table) else table.iloc[rows, places]


def stacked(tables: Sequence[Any]) -> Any:
    """The rows of all tables, one after the other."""
    if len(tables) == 1:
        return tables[0]
    if is_arrow(tables[0]):
        import pyarrow

        return pyarrow.concat_tables(tables, promote_options="permissive")
    import pandas

    return pandas.concat(tables, ignore_index=True)


def tables_of(batches: Iterable[Any], rows: int) -> Iterator[Any]:
    """Batches of Arrow as tables of about so many rows."""
    import pyarrow

    some: list[Any] = []
    for batch in batches:
        some += [batch] if batch.num_rows else []
        if sum(each.num_rows for each in some) >= rows:
            yield pyarrow.Table.from_batches(some).combine_chunks()
            some = []
    if some:
        yield pyarrow.Table.from_batches(some).combine_chunks()


def size(table: Any) -> int:
    """The bytes of a table."""
    return int(table.nbytes) if is_arrow(table) else int(table.memory_usage(index=False, deep=True).sum())
