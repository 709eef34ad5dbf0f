"""The columns of all partitions in memory, where a result needs the rows: paired tests, groups and resampling."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from calipers.errors import InputError
from calipers.partitions.engine import BeyondMemory, Engine, Work, result_of
from calipers.partitions.tables import size, stacked


def gathered(engine: Engine, columns: Sequence[str], memory: int) -> Any:
    """These columns of all rows, the partitions in any order; more than fits is an error."""
    within = partial(_stacked, memory=memory)
    table = result_of(engine, columns, Work(within, within))
    if table is None:
        raise InputError("partitions.no_rows")
    return table


def _stacked(tables: Iterable[Any], memory: int) -> Any:
    kept, total = [], 0
    for table in tables:
        total += size(table)
        if total > memory:
            raise BeyondMemory("partitions.rows_beyond_memory", memory=memory)
        kept.append(table)
    return stacked([table for table in kept if len(table)] or kept[:1])
