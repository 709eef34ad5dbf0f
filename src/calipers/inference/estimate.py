"""A number with its two bounds."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple, Self

from calipers import numerals
from calipers.remarks import Remark, coded, decoded, plain


class Interval(NamedTuple):
    """Bounds, the method that computed them, flags that say why they may not be reliable, and notes."""

    low: float
    high: float
    method: str
    flags: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Estimate(float):
    """A float with a confidence interval: `.low .high .stderr .level .method .n .reason .flags .notes .bracket`.

    Bounds are computed when they are read. `reason` says why the value is NaN, or why there is no interval.

    >>> Estimate(0.5, n=10, level=0.95, interval=lambda: Interval(0.237, 0.763, "wilson"))
    0.500 [0.237, 0.763]
    """

    __slots__ = (  # noqa: RUF023 - private first
        "_bracket", "_error", "_find", "_interval", "_flags", "_reason", "level", "n",
    )  # fmt: skip
    _bracket: tuple[float, float] | None
    _error: Callable[[], float] | None
    _find: Callable[[], Interval]
    _interval: Interval | None
    _flags: tuple[str, ...]
    _reason: str
    level: float
    n: int

    def __new__(
        cls,
        value: float,
        *,
        n: int,
        level: float,
        interval: Callable[[], Interval],
        reason: str = "",
        flags: tuple[str, ...] = (),
        stderr: Callable[[], float] | None = None,
        bracket: tuple[float, float] | None = None,
    ) -> Self:
        """A value whose interval and standard error are found by calling `interval` and `stderr` when needed."""
        self = super().__new__(cls, value)
        self._find = interval
        self._error = stderr
        self._bracket = bracket
        self._interval = None
        self._flags = flags
        self._reason = reason
        self.level = level
        self.n = n
        return self

    def within(self, interval: Callable[[], Interval]) -> Self:
        """The same value with another interval."""
        return type(self)(
            self, n=self.n, level=self.level, interval=interval, reason=self._reason, flags=self._flags,
            bracket=self._bracket,
        )  # fmt: skip

    @property
    def interval(self) -> Interval:
        """Bounds and method, computed once."""
        if self._interval is None:
            self._interval = self._find()
        return self._interval

    @property
    def low(self) -> float:
        """The lower bound; NaN if there is no interval."""
        return self.interval.low

    @property
    def high(self) -> float:
        """The upper bound; NaN if there is no interval."""
        return self.interval.high

    @property
    def bracket(self) -> tuple[float, float]:
        """A pair of bounds that contain the exact value; they are equal, unless the rows of a stream were
        summarised."""
        return self._bracket or (float(self), float(self))

    @property
    def stderr(self) -> float:
        """The standard error; NaN if there is none, and for a value loaded from a document."""
        return math.nan if self._error is None or math.isnan(self) else self._error()

    @property
    def method(self) -> str:
        """The method of the interval; empty if there is none."""
        return self.interval.method if self.low == self.low else ""

    @property
    def reason(self) -> str:
        """Why the value is undefined, or why there is no interval; otherwise empty."""
        if self._reason or self.low == self.low:
            return self._reason
        return Remark("inference.no_interval", why=self.interval.method)

    @property
    def flags(self) -> tuple[str, ...]:
        """Why the value or its interval may not be reliable: few rows, classes that were left out, and so on."""
        return self._flags + self.interval.flags

    @property
    def own_flags(self) -> tuple[str, ...]:
        """The remarks about the value, without those about its interval."""
        return self._flags

    @property
    def notes(self) -> tuple[str, ...]:
        """Additional information that does not affect the reliability of the value."""
        return self.interval.notes

    def __str__(self) -> str:
        if math.isnan(self):
            return f"nan ({self.reason})"
        if math.isnan(self.low):
            return numerals.number(self)
        value, low, high = self.shown()
        return f"{value} [{low}, {high}]"

    def shown(self) -> tuple[str, str, str]:
        """Value and bounds as text, with as many decimals as are needed to distinguish the bounds."""
        return numerals.interval(self, self.low, self.high)

    __repr__ = __str__

    def __format__(self, spec: str) -> str:
        return format(float(self), spec) if spec else str(self)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self).of_dict, (self.to_dict(),)

    def to_dict(self) -> dict[str, Any]:
        """Plain values; NaN and infinities as None and text, because JSON has neither."""
        return {
            "value": plain(float(self)),
            "low": plain(self.low),
            "high": plain(self.high),
            **({} if self._bracket is None else {"bracket": plain(self._bracket)}),
            "level": self.level,
            "method": self.method,
            "n": self.n,
            "reason": self.reason,
            "flags": list(self.flags),
            **({"notes": list(self.notes)} if self.notes else {}),
            **({"codes": codes} if (codes := self._codes()) else {}),
        }

    def _codes(self) -> dict[str, Any]:
        return coded({"method": self.method, "reason": self.reason, "flags": self.flags, "notes": self.notes})

    @classmethod
    def of_dict(cls, document: dict[str, Any]) -> Self:
        """The estimate that `to_dict` described."""
        value, low, high = (_number(document[key]) for key in ("value", "low", "high"))
        codes = document.get("codes", {})
        reason, method = (decoded(document[key], codes.get(key)) for key in ("reason", "method"))
        interval = Interval(low, high, method, *(_remarks(document, codes, name) for name in ("flags", "notes")))
        ends = document.get("bracket")
        bracket = None if ends is None else (_number(ends[0]), _number(ends[1]))
        return cls(
            value, n=document["n"], level=document["level"], interval=lambda: interval, reason=reason, bracket=bracket
        )


def _remarks(document: dict[str, Any], codes: dict[str, Any], name: str) -> tuple[str, ...]:
    """The flags or the notes of a document."""
    texts = document.get(name, [])
    return tuple(decoded(*each) for each in zip(texts, codes.get(name) or [None] * len(texts), strict=True))


def _number(value: float | str | None) -> float:
    return math.nan if value is None else float(value)
