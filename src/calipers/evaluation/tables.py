"""Columns as a pandas frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from calipers.errors import MissingExtra

if TYPE_CHECKING:
    import pandas as pd


def frame_of(
    columns: Mapping[str, Any], index: Any = None, *, as_they_are: Sequence[str] = ()
) -> pd.DataFrame:
    """The frame of these columns; an error with the install command where pandas is missing.

    as_they_are: columns whose values pandas must not convert.
    """
    try:
        import pandas as pd
    except ImportError:
        raise MissingExtra("evaluation.no_pandas") from None
    objects = {name: pd.Series(columns[name], dtype=object) for name in as_they_are if name in columns}
    return pd.DataFrame({**columns, **objects}, index=index)
