"""When periods were: dates in any usual form, as labels and as numbers that can be ordered."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from numbers import Real
from typing import Any, NamedTuple

from calipers.errors import InputError

DAYS, NUMBERS = "days", "numbers"
MONTH = re.compile(r"(\d{4})-(\d{2})")
QUARTER = re.compile(r"(\d{4})-?Q([1-4])")
WEEK = re.compile(r"(\d{4})-?W(\d{2})")
YEAR = re.compile(r"\d{4}")


class When(NamedTuple):
    """A period: what it is called, its place in time, and what that counts: days, or numbers of the reader's own."""

    label: str
    time: float
    unit: str


def read_dates(keys: Sequence[Any]) -> list[When]:
    """The periods of these keys, which must all be dates or all be numbers, and differ.

    >>> [(w.label, w.time) for w in read_dates(["2026-03", "2026-04-01"])], read_dates([1, 2.5])[1].unit
    ([('2026-03', 739676.0), ('2026-04-01', 739707.0)], 'numbers')
    """
    read = [read_date(key) for key in keys]
    kinds = {when.unit: key for when, key in zip(read, keys, strict=True)}
    if len(kinds) > 1:
        raise InputError("trend.mixed_dates", first=keys[0], second=next(v for v in kinds.values() if v is not keys[0]))
    known: dict[float, str] = {}
    for when in read:
        if when.time in known:
            raise InputError("trend.date_twice", first=known[when.time], second=when.label)
        known[when.time] = when.label
    return read


def read_date(key: Any) -> When:
    """One period."""
    key = key.item() if hasattr(key, "item") and not isinstance(key, datetime) else key
    if isinstance(key, Real) and not isinstance(key, bool):
        number = float(key)
        if number - number != 0:  # NaN and infinities
            raise InputError("trend.not_a_date", value=key)
        return When(f"{number:g}" if number != int(number) else str(int(number)), number, NUMBERS)
    if isinstance(key, datetime):
        return When(key.isoformat(" ", "minutes") if key.time() != time() else key.date().isoformat(), _days(key), DAYS)
    if isinstance(key, date):
        return When(key.isoformat(), float(key.toordinal()), DAYS)
    found = _of_text(key.strip()) if isinstance(key, str) else None
    if found is None:
        raise InputError("trend.not_a_date", value=key)
    return When(key.strip(), found, DAYS)


def is_date(text: str) -> bool:
    """Whether a text can be read as a date.

    >>> is_date("2026-W10"), is_date("week 10"), is_date("2026-13")
    (True, False, False)
    """
    return _of_text(text.strip()) is not None


def _days(moment: datetime) -> float:
    plain = moment if moment.tzinfo is None else moment.astimezone(UTC).replace(tzinfo=None)
    return plain.toordinal() + (plain - datetime.combine(plain.date(), time())).total_seconds() / 86_400


def _of_text(text: str) -> float | None:
    """The first day of a month, quarter, week or year, a day, or a moment; None where it is none of them."""
    try:
        if found := MONTH.fullmatch(text):
            return float(date(int(found[1]), int(found[2]), 1).toordinal())
        if found := QUARTER.fullmatch(text):
            return float(date(int(found[1]), 3 * int(found[2]) - 2, 1).toordinal())
        if found := WEEK.fullmatch(text):
            return float(date.fromisocalendar(int(found[1]), int(found[2]), 1).toordinal())
        if YEAR.fullmatch(text):
            return float(date(int(text), 1, 1).toordinal())
        return _days(datetime.fromisoformat(text))
    except ValueError:
        return None
