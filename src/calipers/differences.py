"""Differences between models by metric and pair, and what is said about them in words."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from calipers.errors import UnknownName
from calipers.inference.outcome import Outcome

Pair = tuple[str, str]
OPEN = "no evidence either way"
OPPOSITE = {"better": "worse", "worse": "better", "higher": "lower", "lower": "higher"}


@dataclass(frozen=True)
class Difference:
    """A metric of the first model minus that of the second, on the same rows.

    `adjusted` is the p-value among those of all pairs. With a margin, `equivalence` is the p-value of two one-sided
    tests and `noninferiority` that of "the first is worse by the margin or more", both among those of all pairs too.
    """

    metric: str
    first: str
    second: str
    measured: tuple[float, float]
    difference: float
    low: float
    high: float
    level: float
    pvalue: float
    adjusted: float
    verdict: str
    method: str
    more_rows: int | None = None
    equivalence: float | None = None
    noninferiority: float | None = None
    note: str = ""
    noninferiority_of_second: float | None = field(default=None, repr=False)

    def __repr__(self) -> str:
        if math.isnan(self.difference):
            return f"{self.first} - {self.second}: no difference ({self.note})"
        shown = f"{self.difference:+.4f} [{self.low:+.4f}, {self.high:+.4f}], p = {self.adjusted:.2g}"
        start = f"{self.first} - {self.second}: {shown}:"
        return f"{start} {self.verdict}" if len(start) + len(self.verdict) < 80 else f"{start}\n  {self.verdict}"

    def turned(self) -> Difference:
        """The same with the models the other way round."""
        return replace(
            self,
            first=self.second,
            second=self.first,
            measured=self.measured[::-1],
            difference=-self.difference,
            low=-self.high,
            high=-self.low,
            verdict=OPPOSITE.get(self.verdict, self.verdict),
            noninferiority=self.noninferiority_of_second,
            noninferiority_of_second=self.noninferiority,
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values; NaN as None."""
        return {k: plain(v) for k, v in self.__dict__.items()}


@dataclass(frozen=True, eq=False)
class Differences(Mapping[Pair, Difference]):
    """The differences of one metric by pair of models, either way round. Of two models, the only one is read directly.

    `overall` is the test that all models are equal, where there are three or more and such a test exists.
    """

    pairs: Mapping[Pair, Difference]
    overall: Outcome | None

    def __getitem__(self, pair: Pair) -> Difference:
        if pair in self.pairs:
            return self.pairs[pair]
        if isinstance(pair, tuple) and pair[::-1] in self.pairs:
            return self.pairs[pair[::-1]].turned()
        known = dict.fromkeys(name for p in self.pairs for name in p)
        raise UnknownName(f"no pair {pair!r}: name two of {', '.join(known)}, as in {next(iter(self.pairs))!r}")

    def __iter__(self) -> Iterator[Pair]:
        return iter(self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)

    def __getattr__(self, name: str) -> Any:
        if name not in Difference.__dataclass_fields__:
            raise AttributeError(f"no {name!r} in a comparison of one metric")
        if len(self.pairs) > 1:
            first, second = next(iter(self.pairs))
            raise AttributeError(f"several pairs: name one, as in [{first!r}, {second!r}].{name}")
        return getattr(next(iter(self.pairs.values())), name)

    def __repr__(self) -> str:
        return "\n".join(map(repr, self.pairs.values()))


def verdict_of(
    value: float, p: float, alpha: float, better: str, equivalence: float | None = None, more: int | None = None
) -> str:
    """What the numbers say, in words.

    A difference within the margin is "equivalent" even where it is not 0: the margin says that it does not matter.

    >>> verdict_of(0.03, 0.01, 0.05, "higher"), verdict_of(0.03, 0.01, 0.05, "lower")
    ('better', 'worse')
    >>> verdict_of(0.01, 0.3, 0.05, "higher", more=1234)
    'no evidence either way (about 1200 more rows would settle it)'
    """
    if p != p:
        return "not compared"
    if equivalence is not None and equivalence < alpha:
        return "equivalent"
    if p < alpha:
        if not better:
            return "higher" if value > 0 else "lower"
        return "better" if (value > 0) == (better == "higher") else "worse"
    if not more:
        return OPEN
    return f"{OPEN} ({settling(more)})"


def settling(more: int, unit: str = "rows") -> str:
    """How many more rows, or queries, it takes, roughly: it rests on a difference that is not known well."""
    return f"about {about(more)} more {unit} would settle it"


def about(more: int) -> int:
    """A number in two digits.

    >>> about(10993), about(7)
    (11000, 7)
    """
    return round(more, 2 - len(str(more)))


def document(told: Mapping[str, Any], indent: int | None = None) -> str:
    """Plain values as JSON; NaN and infinity are null."""
    finite = json.loads(json.dumps(told, ensure_ascii=False), parse_constant=lambda _: None)
    return json.dumps(finite, indent=indent, ensure_ascii=False, allow_nan=False)


def plain(value: Any) -> Any:
    """A value that JSON can hold: NaN and infinities as None."""
    if isinstance(value, tuple):
        return [plain(v) for v in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
