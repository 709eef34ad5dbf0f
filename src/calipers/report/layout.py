"""Tables of labels, counts and estimates for all formats, and the texts of their cells."""

from __future__ import annotations

import math
import string
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from calipers.inference.estimate import Estimate, digits
from calipers.metrics.counts import A_COUNT
from calipers.remarks import Remark
from calipers.report import messages

if TYPE_CHECKING:
    from calipers.report.language import Language

NOT_A_RATE = Remark("inference.no_interval", why=A_COUNT)


@dataclass(frozen=True)
class Count:
    """A number of rows, or their weight."""

    value: float

    def __str__(self) -> str:
        return f"{self.value:.0f}" if float(self.value).is_integer() else digits(self.value)


Cell = str | Count | Estimate


@dataclass(frozen=True)
class Table:
    """Rows under a head; the first cell of a row is its own head. `more` says what was left out.

    split: where text has a head for the values of the second column and one for their bounds. text: what text draws in
    the place of this table, the first of them that fits.
    """

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    more: str = ""
    split: tuple[str, str] | None = None
    text: tuple[Table, ...] = ()


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


def value(estimate: Estimate, lang: Language) -> str:
    """The value alone; a dash when it is undefined, and no decimals for a count."""
    if math.isnan(estimate):
        return "-"
    if estimate.is_integer() and estimate.reason == NOT_A_RATE:
        return str(Count(float(estimate)))
    return lang.local(digits(estimate) if math.isnan(estimate.low) else estimate.shown()[0])


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


def called(name: str, lang: Language) -> str:
    """A metric in the first table of a report: by its name, in other languages with the English term."""
    return lang.glossed(name)


def briefly(name: str, lang: Language) -> str:
    """A metric elsewhere: by its name alone."""
    return lang.heading(name)


