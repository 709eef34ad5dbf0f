"""The documents of a ranking as the caller passed them, by query: looked up only when a report names some."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from calipers import _native
from calipers.data.ids import Identifiers, identifiers
from calipers.remarks import Remark

Array = npt.NDArray[Any]
MOST = 5_000_000  # rows; the columns of longer runs are not kept


class Retrieved(NamedTuple):
    """What one query retrieved: texts of ids, and scores, None where they are in rank order."""

    texts: Sequence[str]
    scores: Array | None = None
    ids: _native.Ids | None = None


@dataclass(frozen=True, eq=False)
class Documents:
    """What each query retrieved. codes: the code of each query of a ranking, by which it is looked up."""

    of: Callable[[int], Retrieved]
    codes: Array

    def take(self, index: Array) -> Documents:
        """Those of some queries."""
        return replace(self, codes=self.codes[index])

    def first(self, query: int, count: int) -> list[str]:
        """The ids of the first documents of a query; of equal scores the ids decide, as in trec_eval."""
        retrieved = self.of(int(self.codes[query]))
        texts, scores, ids = list(retrieved.texts), retrieved.scores, retrieved.ids
        if scores is None:
            return texts[:count]
        codes = np.zeros(len(scores), np.uint32)
        order = _native.rank_rows(codes, 1, scores, ids, ids is not None, scores, None, True)[5]
        return [texts[i] for i in order[:count].tolist()]


def of_columns(codes: Array, queries: int, scores: Array, ids: Identifiers, *, by_id: bool) -> Documents | None:
    """Documents of columns with the code of each row's query; None of a run that is too long to keep."""
    if len(codes) > MOST:
        return None

    def of(query: int) -> Retrieved:
        rows = np.flatnonzero(codes == query)
        texts = [ids.text(row) for row in rows.tolist()]
        return Retrieved(texts, scores[rows], identifiers(texts, Remark("data.doc_of_run")).ids if by_id else None)

    return Documents(of, np.arange(queries))


def of_mappings(runs: Sequence[Any], *, by_id: bool) -> Documents:
    """Documents of dicts, {document: score} of each query."""

    def of(query: int) -> Retrieved:
        run = runs[query]
        scores = np.array(list(run.values()), np.float64)
        ids = identifiers(list(run), Remark("data.doc_of_run")).ids if by_id else None
        return Retrieved(list(map(str, run)), scores, ids)

    return Documents(of, np.arange(len(runs)))


def of_lists(lists: Sequence[Any]) -> Documents:
    """Documents in rank order."""
    return Documents(lambda query: Retrieved(list(map(str, lists[query]))), np.arange(len(lists)))
