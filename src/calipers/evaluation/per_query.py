"""The measures of each query as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.errors import UnknownName, nearest
from calipers.evaluation.tables import frame_of
from calipers.statistics.queries import QueryGains

Array = npt.NDArray[Any]
SHOWN = 10


class PerQuery(Mapping[str, Array]):
    """Columns of equal length: the query or user, each metric, and how many documents or items are retrieved, relevant
    and unjudged.
    """

    def __init__(self, gains: QueryGains, called: str = "query") -> None:
        queries = np.array(gains.queries) if not isinstance(gains.queries[0], str) else np.array(gains.queries, object)
        unjudged = gains.count("retrieved") - gains.count("judged_retrieved")
        self._columns: dict[str, Array] = {
            called: queries,
            **{name: gains.of_measure(name) for name in gains.names},
            "retrieved": gains.count("retrieved"),
            "relevant": gains.count("relevant"),
            "unjudged": unjudged,
        }

    def __getitem__(self, name: str) -> Array:
        if name not in self._columns:
            raise UnknownName("evaluation.unknown_column", name=name, near=nearest(name, self._columns))
        return self._columns[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def rows(self) -> Iterator[dict[str, Any]]:
        """One query after another, as plain values; NaN, for a query that was left out, as None."""
        for values in zip(*(column.tolist() for column in self._columns.values()), strict=True):
            yield {name: None if v != v else v for name, v in zip(self._columns, values, strict=True)}

    def to_frame(self) -> Any:
        """The table as a pandas DataFrame."""
        return frame_of(self._columns)

    def __repr__(self) -> str:
        first, *_ = self._columns
        return f"<{len(self[first])} {'users' if first == 'user' else 'queries'}; columns {', '.join(self._columns)}>"
