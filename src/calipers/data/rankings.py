"""Ranked documents by query, checked and in rank order; ranking metrics are computed from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.data.ranked_documents import Documents
from calipers.errors import InputError
from calipers.settings import Label, Rules

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Rankings:
    """The queries that have judgements, and what was retrieved for each.

    gains: relevance of the documents of query q, best first, at starts[q] to starts[q + 1], NaN where not judged; tied:
    whether a document has the score of the one before it, None where none has; pool: relevance of all judged documents
    of each query, in any order; missing: queries that the run lacks; unknown: queries of the run that have no
    judgements; documents: what the caller named, None where there are no ids and where parts were joined; most: the
    greatest relevance of all.
    """

    queries: tuple[Label, ...]
    starts: Array
    gains: Array
    tied: Array | None
    pool_starts: Array
    pool: Array
    missing: Array
    rules: Rules
    unknown: int = 0
    notes: tuple[str, ...] = ()
    weights: None = None  # queries have equal weights
    groups: None = None
    documents: Documents | None = None

    def __len__(self) -> int:
        return len(self.queries)

    @property
    def most(self) -> float:
        """The greatest relevance of all queries."""
        return float(self.pool.max(initial=0.0))

    def take(self, rows: Any) -> Rankings:
        """These queries, in this order; one that comes twice is there twice."""
        index = np.arange(len(self))[rows]
        starts, at = _taken(self.starts, index)
        pool_starts, pool_at = _taken(self.pool_starts, index)
        return Rankings(
            tuple(self.queries[i] for i in index.tolist()),
            starts,
            self.gains[at],
            None if self.tied is None else self.tied[at],
            pool_starts,
            self.pool[pool_at],
            self.missing[index],
            self.rules,
            documents=None if self.documents is None else self.documents.take(index),
        )

    @classmethod
    def joined(cls, first: Rankings, second: Rankings) -> Rankings:
        """The queries of both; the documents of a query must be in one of them."""
        if both := set(first.queries) & set(second.queries):
            raise InputError("data.query_twice", query=min(both, key=str))
        tied = None
        if first.tied is not None or second.tied is not None:
            tied = np.concatenate([np.zeros(len(x.gains), bool) if x.tied is None else x.tied for x in (first, second)])
        return cls(
            first.queries + second.queries,
            np.concatenate((first.starts, second.starts[1:] + first.starts[-1])),
            np.concatenate((first.gains, second.gains)),
            tied,
            np.concatenate((first.pool_starts, second.pool_starts[1:] + first.pool_starts[-1])),
            np.concatenate((first.pool, second.pool)),
            np.concatenate((first.missing, second.missing)),
            first.rules,
            first.unknown + second.unknown,
            tuple(dict.fromkeys(first.notes + second.notes)),
        )


def _taken(starts: Array, index: Array) -> tuple[Array, Array]:
    """Where the chosen queries start one after another, and the places of what they hold."""
    sizes = np.diff(starts)[index]
    begin = np.concatenate(([0], np.cumsum(sizes)))
    return begin, np.arange(begin[-1]) + np.repeat(starts[:-1][index] - begin[:-1], sizes)
