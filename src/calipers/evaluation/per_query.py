"""The measures of each query as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from calipers.evaluation.tables import ColumnTable, names_of
from calipers.statistics.queries import QueryGains

SHOWN = 10


class PerQuery(ColumnTable):
    """Columns of equal length: the query or user, each metric, and how many documents or items are retrieved, relevant
    and unjudged.
    """

    def __init__(self, gains: QueryGains, called: str = "query", more: Mapping[str, Any] | None = None) -> None:
        super().__init__(
            {
                called: names_of(gains.queries),
                **{name: gains.of_measure(name) for name in gains.names},
                **(more or {}),
                "retrieved": gains.count("retrieved"),
                "relevant": gains.count("relevant"),
                "unjudged": gains.count("retrieved") - gains.count("judged_retrieved"),
            }
        )

    def rows(self) -> Iterator[dict[str, Any]]:
        """One query after another, as plain values; NaN, for a query that was left out, as None."""
        for values in zip(*(column.tolist() for column in self._columns.values()), strict=True):
            yield {name: None if v != v else v for name, v in zip(self._columns, values, strict=True)}

    def __repr__(self) -> str:
        first, *_ = self._columns
        return f"<{len(self[first])} {'users' if first == 'user' else 'queries'}; columns {', '.join(self._columns)}>"
