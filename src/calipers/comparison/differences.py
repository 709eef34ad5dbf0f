"""Differences between models by metric and pair, with their verdicts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from calipers.errors import UnknownAttribute, UnknownName
from calipers.inference.outcome import Outcome
from calipers.inference.paired import MCNEMAR
from calipers.metrics.base import CATALOGUE
from calipers.remarks import Remark, with_codes

Pair = tuple[str, str]
BETTER, HIGHER, EQUIVALENT, NOT_COMPARED = "better", "higher", "equivalent", "not compared"
OPEN = "no evidence either way"
OUTCOMES = (BETTER, HIGHER, EQUIVALENT, NOT_COMPARED, OPEN)
NEEDED = {"rows": "comparison.more_rows", "queries": "comparison.more_queries", "users": "recommendation.more_users",
          "documents": "topics.documents_needed"}  # fmt: skip
UNSIGNED = tuple(MCNEMAR.values())  # their statistic is the same either way round


@dataclass(frozen=True)
class Difference:
    """A metric of the candidate minus that of the baseline, on the same rows.

    `outcome` is "better" or "higher" (`winner` is then the model), "equivalent", "no evidence either way" or "not
    compared"; `verdict` is the text of it. `adjusted` is the p-value adjusted over all pairs by `adjustment`; the
    interval is adjusted in the same way unless `interval_adjusted` is False. With a margin, `equivalence` is the
    p-value of two one-sided tests, and `noninferiority` that of the test that the candidate is worse by the margin or
    more, both adjusted too. `statistic`, `df` and `stderr` belong to the test; `df` is infinite for a normal test and
    NaN for an exact one. `more_rows` counts what `unit` says: rows, queries or users.
    """

    metric: str
    candidate: str
    baseline: str
    measured: tuple[float, float]
    difference: float
    low: float
    high: float
    level: float
    pvalue: float
    adjusted: float
    outcome: str
    winner: str | None
    method: str
    statistic: float
    df: float
    stderr: float
    adjustment: str = ""
    interval_adjusted: bool = True
    more_rows: int | None = None
    equivalence: float | None = None
    noninferiority: float | None = None
    note: str = ""
    noninferiority_of_baseline: float | None = field(default=None, repr=False)
    unit: str = "rows"

    @property
    def verdict(self) -> str:
        """The conclusion in words: "new better", for example."""
        if self.winner is not None:
            return f"{self.winner} {self.outcome}"
        if self.outcome == OPEN and self.more_rows:
            return f"{OPEN} ({settling(self.more_rows, self.unit)})"
        return self.outcome

    def __repr__(self) -> str:
        start = f"{self.candidate} - {self.baseline}:"
        if math.isnan(self.difference):
            return f"{start} no difference ({self.note})"
        apart = "" if self.interval_adjusted else " (not adjusted)"
        numbers = f"{self.difference:+.4f} [{self.low:+.4f}, {self.high:+.4f}]{apart}, p = {self.adjusted:.2g}:"
        line = f"{start} {numbers} {self.verdict}"
        return line if len(line) <= 80 else f"{start} {numbers}\n  {self.verdict}"

    def turned(self) -> Difference:
        """The same difference with the other model as the baseline."""
        return replace(
            self,
            candidate=self.baseline,
            baseline=self.candidate,
            measured=self.measured[::-1],
            difference=-self.difference,
            low=-self.high,
            high=-self.low,
            statistic=self.statistic if self.method in UNSIGNED else -self.statistic,
            noninferiority=self.noninferiority_of_baseline,
            noninferiority_of_baseline=self.noninferiority,
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values; NaN as None, infinities as texts."""
        values = {name: value for name, value in self.__dict__.items() if name != "unit"}
        return with_codes({**values, "verdict": self.verdict})


@dataclass(frozen=True, eq=False)
class Differences(Mapping[Pair, Difference]):
    """The differences of one metric by pair of models, in either order. With two models, attributes are those of the
    only pair.

    `overall` is the test that all models are equal, for three or more models, if such a test exists.
    """

    pairs: Mapping[Pair, Difference]
    overall: Outcome | None

    def __getitem__(self, pair: Pair) -> Difference:
        if pair in self.pairs:
            return self.pairs[pair]
        if isinstance(pair, tuple) and len(pair) == 2 and (turned := (pair[1], pair[0])) in self.pairs:
            return self.pairs[turned].turned()
        known = dict.fromkeys(name for pair in self.pairs for name in pair[::-1])
        raise UnknownName("comparison.unknown_pair", pair=pair, names=list(known), example=next(iter(self.pairs)))

    def __iter__(self) -> Iterator[Pair]:
        return iter(self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)

    def __getattr__(self, name: str) -> Any:
        if name not in Difference.__dataclass_fields__ and name != "verdict":
            raise UnknownAttribute("comparison.no_attribute", name=name)
        if len(self.pairs) > 1:
            first, second = next(iter(self.pairs))
            raise UnknownAttribute("comparison.attribute_of_several", first=first, second=second, name=name)
        return getattr(next(iter(self.pairs.values())), name)

    def __repr__(self) -> str:
        return "\n".join(map(repr, self.pairs.values()))


def judged(
    pair: Pair, value: float, p: float, alpha: float, better: str, equivalence: float | None = None
) -> tuple[str, str | None]:
    """The outcome, and the winner where there is one. `value` is the first of the pair minus the second.

    A difference within the margin is "equivalent" even where it is not 0: the margin says that it does not matter.

    >>> judged(("new", "old"), 0.03, 0.01, 0.05, "higher"), judged(("new", "old"), 0.03, 0.01, 0.05, "lower")
    (('better', 'new'), ('better', 'old'))
    >>> judged(("new", "old"), 0.01, 0.3, 0.05, "higher")
    ('no evidence either way', None)
    """
    if p != p:
        return NOT_COMPARED, None
    if equivalence is not None and equivalence < alpha:
        return EQUIVALENT, None
    if not p < alpha:
        return OPEN, None
    upper, lower = pair if value > 0 else pair[::-1]
    return (HIGHER, upper) if not better else (BETTER, upper if better == "higher" else lower)


def direction(d: Difference) -> str:
    """Which end of the metric is better, "higher" or "lower"; empty where it does not say."""
    return CATALOGUE[d.metric].metric.better


def settling(more: int, unit: str = "rows") -> str:
    """About how many more rows, or queries, are needed; a rough number, because the difference itself is uncertain."""
    code = NEEDED[unit]
    return Remark(code, count=about(more))


def about(more: int) -> int:
    """A number in two digits.

    >>> about(10993), about(7)
    (11000, 7)
    """
    return round(more, 2 - len(str(more)))
