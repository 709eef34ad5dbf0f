"""Tables of columns, and columns as a pandas frame."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from calipers.errors import MissingExtra, UnknownName, nearest

if TYPE_CHECKING:
    import pandas as pd


Array = npt.NDArray[Any]


class ColumnTable(Mapping[str, Array]):
    """Columns of equal length by name."""

    def __init__(self, columns: dict[str, Array]) -> None:
        self._columns = columns

    def __getitem__(self, name: str) -> Array:
        if name not in self._columns:
            raise UnknownName("evaluation.unknown_column", name=name, near=nearest(name, self._columns))
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def to_frame(self) -> Any:
        """The table as a pandas DataFrame."""
        return frame_of(self._columns)


def names_of(values: Sequence[Any]) -> Array:
    """Names of rows as a column, text as objects."""
    return np.array(values, object) if len(values) and isinstance(values[0], str) else np.array(values)


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
