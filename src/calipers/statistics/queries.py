"""One row of measures a query: what the mean over queries, its interval and paired tests are made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from calipers import _native
from calipers.data.ranking_columns import NOT_SAMPLED
from calipers.errors import InputError
from calipers.settings import Label
from calipers.statistics.base import Array, Statistic

if TYPE_CHECKING:
    from calipers.data.rankings import Rankings

Step = tuple[str, float, float, float]  # measure, cutoff, grade that counts as relevant, and one number of its own
COUNTS = ("retrieved", "judged_retrieved", "relevant", "judged")
BY_ORDER = ("iprec", "eleven", "infap")  # of which no closed form gives the mean over the orders of tied documents
PLAIN: Mapping[str, Step] = {"map": ("map", np.inf, 1.0, 0.0), "ndcg": ("ndcg", np.inf, 1.0, 0.0)}


@dataclass(frozen=True, eq=False)
class QueryGains(Statistic):
    """Measures by name and query, NaN where a query is left out; and the counts behind them.

    A query's documents must be in one part: parts are laid one after the other, never mixed.
    """

    names: tuple[str, ...]
    queries: tuple[Label, ...]
    values: Array
    counts: Array
    missing: Array

    @classmethod
    def of(cls, batch: Any, steps: Mapping[str, Step] = PLAIN) -> Self:
        """The measures of each query, by the rules that the rankings were read with."""
        ranked: Rankings = batch
        rules = ranked.rules
        if rules.ties == "mean" and ranked.tied is not None:
            for name, (kind, *_) in steps.items():
                if kind in BY_ORDER:
                    raise InputError("statistics.no_mean_over_orders", metric=name)
        values, counts = _native.rank_measures(
            ranked.starts,
            _sampled(ranked.gains),
            ranked.tied if rules.ties == "mean" else None,
            ranked.pool_starts,
            _sampled(ranked.pool),
            list(steps.values()),
            rules.unjudged == "drop",
        )
        if rules.missing_queries == "skip":
            values[ranked.missing] = np.nan
        if rules.no_relevant != "zero":
            values[counts[:, COUNTS.index("relevant")] == 0] = 1.0 if rules.no_relevant == "one" else np.nan
        return cls(tuple(steps), ranked.queries, values, counts, ranked.missing)

    @classmethod
    def empty(cls) -> Self:
        """No queries."""
        return cls((), (), np.zeros((0, 0)), np.zeros((0, len(COUNTS)), np.int64), np.zeros(0, bool))

    def merge(self, other: Self) -> Self:
        """The queries of both, which must have been evaluated in the same way."""
        if not self.queries or not other.queries:
            return self if self.queries else other
        if self.names != other.names:
            raise InputError("statistics.other_measures", mine=self.names, theirs=other.names)
        both = ((getattr(self, name), getattr(other, name)) for name in ("values", "counts", "missing"))
        return type(self)(self.names, self.queries + other.queries, *map(np.concatenate, both))

    def scale(self, factor: int) -> Self:
        """Every query repeated."""
        if not factor:
            return self.empty()
        parts = (np.tile(x, (factor,) + (1,) * (x.ndim - 1)) for x in (self.values, self.counts, self.missing))
        return type(self)(self.names, self.queries * factor, *parts)

    @property
    def rows(self) -> int:
        """How many queries there are."""
        return len(self.queries)

    def of_measure(self, name: str) -> Array:
        """The values of a measure, query by query."""
        return np.asarray(self.values[:, self.names.index(name)])

    def count(self, name: str) -> Array:
        """A count of each query, by its name."""
        return np.asarray(self.counts[:, COUNTS.index(name)])


def _sampled(grades: Array) -> Array:
    """Grades with -inf for what was not in the sample to judge: the gains that scikit-learn takes may be negative."""
    return np.where(grades == NOT_SAMPLED, -np.inf, grades) if (grades < 0).any() else grades
