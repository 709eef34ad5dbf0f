"""Tables of labels, counts and estimates for all formats, and the texts of their cells."""

from __future__ import annotations

import math
import string
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from calipers import numerals
from calipers.inference.estimate import Estimate
from calipers.metrics.counts import A_COUNT
from calipers.remarks import Remark
from calipers.report import messages
from calipers.report.terminal import width

if TYPE_CHECKING:
    from calipers.metrics.base import Measure
    from calipers.report.language import Language

WIDEST = 48  # columns of a metric in a table of 80
METHODS = {"holm": "Holm", "bonferroni": "Bonferroni", "bh": "Benjamini-Hochberg", "nemenyi": "Nemenyi",
           "bonferroni-dunn": "Bonferroni-Dunn"}  # fmt: skip
NOT_A_RATE = Remark("inference.no_interval", why=A_COUNT)


def method_name(method: str) -> str:
    """The name of an adjustment as people write it.

    >>> method_name("holm"), method_name("max-t")
    ('Holm', 'max-t')
    """
    return METHODS.get(method, method)


@dataclass(frozen=True)
class Count:
    """A number of rows, or their weight."""

    value: float

    def __str__(self) -> str:
        return numerals.count(self.value)


@dataclass(frozen=True)
class Figure(Count):
    """A number as it is written, with the bounds beside it where it has some."""

    written: str = ""
    interval: str = ""

    def __str__(self) -> str:
        return f"{self.written} {self.interval}".rstrip()


class MetricName(str):
    """A metric as a table names it, and the name alone for a table that has no room for more."""

    alone: str

    @classmethod
    def of(cls, text: str, alone: str) -> MetricName:
        """The text that is shown where it fits, and the name alone."""
        name = cls(text)
        name.alone = alone
        return name


Cell = str | Count | Estimate


@dataclass(frozen=True)
class Bar:
    """An interval on a scale from 0 to 1: where it begins and ends, its value, and the mark of guessing."""

    low: float
    high: float
    value: float
    mark: float | None = None


@dataclass(frozen=True)
class Table:
    """Rows under a head; the first cell of a row is its own head. `more` says what was left out.

    split: where text has a head for the values of the second column and one for their bounds. text: what text draws in
    the place of this table, the first of them that fits. groups: a line before the row of this index, in text. bars:
    the interval of each row on its own scale, which text draws where there is room.
    """

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    more: str = ""
    split: tuple[str, str] | None = None
    text: tuple[Table, ...] = ()
    groups: tuple[tuple[int, str], ...] = ()
    bars: tuple[Bar | None, ...] = ()

    def __post_init__(self) -> None:
        columns = [one_notation(column) for column in zip(*self.rows, strict=True)]
        object.__setattr__(self, "rows", tuple(zip(*columns, strict=True)))


def one_notation(column: Sequence[Cell]) -> Sequence[Cell]:
    """Estimates of one column written alike: where one needs an exponent, so do the others that are large."""
    ends = [max(map(abs, known)) for cell in column if isinstance(cell, Estimate) and (known := _known(cell))]
    if not numerals.exponents(ends):
        return column
    return [_with(cell, exponent=True) if isinstance(cell, Estimate) else cell for cell in column]


def _known(e: Estimate) -> list[float]:
    percent = isinstance(e, Displayed) and e.percent
    return [] if percent else [x for x in (float(e), e.low, e.high) if math.isfinite(x)]


class Displayed(Estimate):
    """An estimate with the way in which it is written: in per cent, or in a column that has exponents."""

    __slots__ = ("exponent", "percent")
    percent: bool
    exponent: bool

    def shown(self) -> tuple[str, str, str]:
        """Value and bounds as text."""
        return numerals.interval(self, self.low, self.high, exponent=self.exponent, percent=self.percent)


def displayed(measure: Measure, estimate: Estimate) -> Estimate:
    """An estimate as its metric is written: some are read in per cent."""
    return _with(estimate, percent=True) if measure.metric.percent else estimate


def _with(e: Estimate, *, percent: bool | None = None, exponent: bool = False) -> Displayed:
    made = Displayed(e, n=e.n, level=e.level, interval=lambda: e.interval, reason=e.reason, flags=e.own_flags)
    made._bracket = e._bracket
    made.percent = (isinstance(e, Displayed) and e.percent) if percent is None else percent
    made.exponent = exponent
    return made


class Footnotes:
    """Remarks with a letter each, in the order in which they are met; remarks that differ in their numbers are one."""

    def __init__(self, lang: Language) -> None:
        self.lang = lang
        self._remarks: dict[Hashable, list[str]] = {}

    def marks(self, estimate: Estimate) -> str:
        """The letters of an estimate's remarks, such as "a" or "ac"; empty when there is nothing to say."""
        letters = [self._letter(r) for r in dict.fromkeys((estimate.reason, *estimate.flags, *estimate.notes)) if r]
        return "".join(dict.fromkeys(letters))

    def _letter(self, remark: str) -> str:
        shape = messages.shape(remark)
        self._remarks.setdefault(shape, []).append(remark)
        return _letter(list(self._remarks).index(shape))

    def __iter__(self) -> Iterator[tuple[str, str]]:
        for at, each in enumerate(self._remarks.values()):
            yield _letter(at), self.lang.remark(messages.joined(each))


def _letter(index: int) -> str:
    return string.ascii_letters[index] if index < len(string.ascii_letters) else f"({index + 1})"


def percent(level: float) -> str:
    """A confidence level as people say it.

    >>> percent(0.95), percent(0.995)
    ('95%', '99.5%')
    """
    return f"{100 * level:.6g}%"


def joined(names: list[str], lang: Language) -> str:
    """Names after each other, the last behind "and"."""
    *first, last = names
    return lang.say("answers.both_metrics", first=lang.say("report.names").join(first), second=last) if first else last


def value(estimate: Estimate, lang: Language) -> str:
    """The value alone; a dash when it is undefined, and no decimals for a count."""
    if math.isnan(estimate):
        return "-"
    if estimate.is_integer() and estimate.reason == NOT_A_RATE:
        return str(Count(float(estimate)))
    if not math.isnan(estimate.low):
        return lang.local(estimate.shown()[0])
    how = estimate if isinstance(estimate, Displayed) else None
    if how is not None and how.percent:
        return lang.percent(estimate)
    return lang.local(numerals.number(estimate, exponent=how is not None and how.exponent))


def text(cell: str | Count, lang: Language) -> str:
    """A cell that is no estimate."""
    return lang.local(str(cell)) if type(cell) is Count else str(cell)


def bounds(estimate: Estimate) -> tuple[str, str] | None:
    """The two bounds as `Language.interval` takes them, or None where there are none."""
    return None if math.isnan(estimate.low) else estimate.shown()[1:]


def whole(estimate: Estimate, lang: Language) -> str:
    """Value and bounds in one text."""
    ends = bounds(estimate)
    return value(estimate, lang) + (f" {lang.interval(*ends)}" if ends else "")


def counted(lang: Language, noun: str, count: int) -> str:
    """So many rows, classes or queries."""
    return lang.say(f"report.{noun}_{'1' if count == 1 else 'n'}", count=count)


def called(name: str, lang: Language) -> MetricName:
    """A metric in the first table of a report: by its name, in other languages with the English term if that fits."""
    text, alone = lang.glossed(name), lang.heading(name)
    return MetricName.of(text if width(text) <= WIDEST else alone, alone)


def briefly(name: str, lang: Language) -> str:
    """A metric elsewhere: by its name alone."""
    return lang.heading(name)
