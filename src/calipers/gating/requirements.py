"""The grammar of a requirement, `roc_auc.low >= 0.9`: read into a frozen value, and written back the same.

    requirement = [ subject ":" ] metric [ ".low" | ".high" | ".value" ] op number [ "at" metric op number ]
                | [ subject ":" ] metric "at" metric op number [ ".low" | ".high" | ".value" ] op number
    subject     = "class" label | "by" column [ "=" label ]
    op          = ">=" | ">" | "<=" | "<"

Metrics are named as in the catalogue. Labels and columns that contain : = or quotes are in double quotes.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import Any

from calipers.errors import CalipersError, InputError, UnknownName, Unreadable
from calipers.metrics.base import CATALOGUE, Measure
from calipers.metrics.conditions import OPS, Bar
from calipers.metrics.names import number_text

SIDES = ("low", "high", "value")

_METRIC = re.compile(r"[A-Za-z_]\w*\s*(?:\([^()]*\))?\s*(?:@\s*\d+)?(?:(?<=\s)at\s+top\s*[\d.]+\s*%)?")
_SPELLED = re.compile(  # ROC-AUC, log loss
    r"[A-Za-z_]\w*(?:[ -](?!at\b)[A-Za-z]\w*)+\s*(?:\([^()]*\))?\s*(?:@\s*\d+)?(?:(?<=\s)at\s+top\s*[\d.]+\s*%)?"
)
_SIGNS = re.compile(r"[<>=!≤≥]+")
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w%.])")
_NAME = re.compile(r'"(?:[^"\\]|\\.)*"|[^\s:="](?:[^:="]*[^\s:="])?')


@dataclass(frozen=True)
class Subject:
    """Whose metric it is: of one class, of one slice, or of every slice of a column."""

    kind: str  # "class" or "by"
    name: str  # the label, or the column
    value: str | None = None  # of the column; None is all of them

    def __str__(self) -> str:
        return f"{self.kind} {_quoted(self.name)}" + ("" if self.value is None else f"={_quoted(self.value)}")


@dataclass(frozen=True)
class Requirement:
    """A limit for a metric, or for one bound of its interval (`side`); optionally at the best threshold that meets a
    condition.

    >>> Requirement.of("macro_f1.low>=.8"), Requirement.of("sensitivity >= 0.8 at precision >= 0.5")
    (f1(average=macro).low >= 0.8, recall >= 0.8 at precision >= 0.5)
    """

    bar: Bar
    side: str = ""
    condition: Bar | None = None
    subject: Subject | None = None

    @classmethod
    def of(cls, text: str) -> Requirement:
        """Parse a requirement."""
        return _Reader(text).requirement()

    def __str__(self) -> str:
        start = "" if self.subject is None else f"{self.subject}: "
        side = f".{self.side}" if self.side else ""
        end = "" if self.condition is None else f" at {self.condition}"
        return f"{start}{self.bar.metric}{side} {self.bar.op} {number_text(self.bar.number)}{end}"

    __repr__ = __str__


def _quoted(name: str) -> str:
    return name if _NAME.fullmatch(name) and not name.startswith('"') else json.dumps(name, ensure_ascii=False)


class _Reader:
    """A text and how far it has been read."""

    def __init__(self, text: str) -> None:
        if not isinstance(text, str):
            raise InputError("gating.not_a_text", value=text)
        self.text, self.at = text.strip(), 0

    def requirement(self) -> Requirement:
        subject = self._subject()
        measure = self._metric()
        condition = self._bar(self._metric()) if self._word("at") else None
        side = self._side()
        bar = self._bar(measure)
        if condition is None and self._word("at"):
            condition = self._bar(self._metric())
        if self.at < len(self.text):
            raise self._wrong("gating.end_expected" if condition else "gating.end_or_at")
        return Requirement(bar, side, condition, subject)

    def _subject(self) -> Subject | None:
        kind = next((word for word in ("class", "by") if self._word(word)), None)
        if kind is None:
            return None
        name, value = self._name("gating.class_expected" if kind == "class" else "gating.column_expected"), None
        if kind == "by" and self._symbol("="):
            value = self._name("gating.value_expected")
        if not self._symbol(":"):
            raise self._wrong("gating.colon_of_slice" if kind == "by" else "gating.colon_of_class")
        return Subject(kind, name, value)

    def _name(self, code: str) -> str:
        token = self._match(_NAME)
        if token is None:
            raise self._wrong(code)
        if not token.startswith('"'):
            return token
        try:
            return str(json.loads(token))
        except ValueError:
            raise self._wrong("gating.quotes_without_text", self.at - len(token)) from None

    def _metric(self) -> Measure:
        self._space()
        start, spelled = self.at, self._match(_SPELLED)
        if spelled is not None:
            try:
                return CATALOGUE[spelled.strip()]
            except UnknownName:  # the metric is the first word, and something else follows
                self.at = start
        token, start = self._match(_METRIC), self.at
        if token is None:
            raise self._wrong("gating.metric_expected")
        try:
            return CATALOGUE[token.strip()]
        except CalipersError as error:
            raise self._wrong(error.code, start - len(token), **error.values) from None

    def _side(self) -> str:
        if not self._symbol("."):
            return ""
        side = next((side for side in SIDES if self._word(side)), None)
        if side is None:
            raise self._wrong("gating.side_expected")
        return side

    def _bar(self, measure: Measure) -> Bar:
        self._space()
        start, op = self.at, self._match(_SIGNS)
        if op not in OPS:
            raise self._wrong("gating.sign_expected", start, signs=list(OPS))
        self._space()
        start, token = self.at, self._match(_NUMBER)
        if token is None:
            raise self._wrong("gating.number_expected")
        low, high = measure.metric.bounds
        if not (low <= float(token) <= high and math.isfinite(float(token))):
            values = {"metric": measure.metric.name, "low": low, "high": high, "number": token[:30]}
            raise self._wrong("gating.never_crossed", start, **values)
        return Bar(measure.name, op, float(token))

    def _space(self) -> None:
        self.at += len(self.text[self.at :]) - len(self.text[self.at :].lstrip())

    def _match(self, pattern: re.Pattern[str]) -> str | None:
        self._space()
        match = pattern.match(self.text, self.at)
        if match is None:
            return None
        self.at = match.end()
        return match[0]

    def _symbol(self, symbol: str) -> bool:
        return self._match(re.compile(re.escape(symbol))) is not None

    def _word(self, word: str) -> bool:
        return self._match(re.compile(rf"{word}(?!\w)")) is not None

    def _wrong(self, code: str, at: int | None = None, /, **values: Any) -> Unreadable:
        self._space()
        from calipers.report.terminal import caret

        return Unreadable(code, pointed=caret(self.text, self.at if at is None else at), **values)
