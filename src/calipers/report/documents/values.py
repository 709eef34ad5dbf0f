"""Values of a document as it is read: each is what a document may hold, or an error says where it is not."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from calipers.errors import InputError
from calipers.findings import Finding
from calipers.inference.estimate import Estimate
from calipers.inference.outcome import Outcome
from calipers.remarks import Remark, decoded, with_codes
from calipers.settings import Label

SLACK = 1e-9  # sums of floats may exceed the end of a range by rounding
UNBOUNDED = (-math.inf, math.inf)
SHARE = (0.0, 1.0)
LABELS: dict[str, type] = {"bool": bool, "int": int, "str": str}
NAME = 200  # characters of the name of a field in an error


def demand(right: bool, where: str, value: Any, allowed: str) -> None:
    """Refuse a value of the document."""
    if not right:
        raise InputError("report.damaged", where=where[:NAME], value=value, allowed=allowed)


def tagged(values: Sequence[Label]) -> dict[str, Any]:
    """Labels with their types, which JSON would lose between true and 1."""
    return {"types": [type(v).__name__ for v in values], "values": list(values)}


class Fields:
    """A JSON object of a document, read by name; `where` is its place in the document."""

    def __init__(self, values: Any, where: str = "") -> None:
        demand(isinstance(values, Mapping), where or "the document", values, Remark("report.an_object"))
        self.values, self.where = values, where

    def __contains__(self, name: str) -> bool:
        return name in self.values

    def place(self, name: str) -> str:
        """Where a value is."""
        return f"{self.where}.{name}" if self.where else name

    def value(self, name: str) -> Any:
        """A value as it is."""
        if name not in self.values:
            raise InputError("report.missing", where=self.place(name)[:NAME])
        return self.values[name]

    def number(self, name: str, bounds: tuple[float, float] = UNBOUNDED, *, null: bool = False) -> float:
        """A number within bounds; null is NaN where that may be."""
        return number(self.value(name), self.place(name), bounds, null=null)

    def numbers(self, name: str, bounds: tuple[float, float] = UNBOUNDED) -> list[float]:
        """Numbers, NaN for null."""
        each = enumerate(self.items(name))
        return [number(value, f"{self.place(name)}[{at}]", bounds, null=True) for at, value in each]

    def level(self, name: str = "level") -> float:
        """A confidence level."""
        value = self.number(name)
        demand(0 < value < 1, self.place(name), self.value(name), Remark("report.between_0_and_1"))
        return value

    def count(self, name: str) -> int:
        """How many there are of something."""
        value = self.value(name)
        right = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**63
        demand(right, self.place(name), value, Remark("report.a_count"))
        return int(value)

    def counts(self, name: str) -> list[int]:
        """Several counts."""
        each = dict(enumerate(self.items(name)))
        return [Fields({"": v}, f"{self.place(name)}[{at}]").count("") for at, v in each.items()]

    def flag(self, name: str) -> bool:
        """True or false."""
        value = self.value(name)
        demand(isinstance(value, bool), self.place(name), value, Remark("report.true_or_false"))
        return bool(value)

    def choice(self, name: str, among: Collection[Any]) -> Any:
        """One of several words."""
        value = self.value(name)
        right = isinstance(value, (str, type(None))) and value in among
        demand(right, self.place(name), value, Remark("report.one_of", known=[str(each) for each in among]))
        return value

    def text(self, name: str) -> str:
        """A text, as a remark where the document has its code."""
        value = self.value(name)
        demand(isinstance(value, str), self.place(name), value, Remark("report.a_text"))
        return decoded(value, self._codes.get(name))

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts, as remarks where the document has their codes."""
        values = self.value(name)
        right = isinstance(values, list) and all(isinstance(value, str) for value in values)
        demand(right, self.place(name), values, Remark("report.a_list_of_texts"))
        codes = self._codes.get(name)
        known = codes if isinstance(codes, list) and len(codes) == len(values) else [None] * len(values)
        return tuple(decoded(*both) for both in zip(values, known, strict=True))

    @property
    def _codes(self) -> Mapping[str, Any]:
        codes = self.values.get("codes", {})
        demand(isinstance(codes, Mapping), self.place("codes"), codes, Remark("report.an_object"))
        return codes if isinstance(codes, Mapping) else {}

    def items(self, name: str, length: int | None = None) -> list[Any]:
        """A list, of this length where one is given."""
        values = self.value(name)
        demand(isinstance(values, list), self.place(name), values, Remark("report.a_list"))
        if length is not None:
            demand(len(values) == length, self.place(name), values, Remark("report.so_many", count=length))
        return list(values)

    def part(self, name: str) -> Fields:
        """An object inside."""
        return Fields(self.value(name), self.place(name))

    def parts(self, name: str, length: int | None = None) -> list[Fields]:
        """A list of objects."""
        return [Fields(each, f"{self.place(name)}[{at}]") for at, each in enumerate(self.items(name, length))]

    def named(self, name: str) -> Iterator[tuple[str, Fields]]:
        """The objects of an object, by their names."""
        part = self.part(name)
        return ((key, part.part(key)) for key in part.values)

    def labels(self, name: str) -> tuple[Label, ...]:
        """Labels with their types; no two are the same."""
        part, where = self.part(name), self.place(name)
        values = part.items("values")
        for kind, value in zip(part.items("types", len(values)), values, strict=True):
            right = isinstance(kind, str) and kind in LABELS and type(value) is LABELS[kind]
            demand(right, where, value, Remark("report.a_label", kind=kind))
        demand(len(set(values)) == len(values), where, values, Remark("report.labels_that_differ"))
        return tuple(values)

    def estimate(self, bounds: tuple[float, float] = UNBOUNDED) -> Estimate:
        """The object as an estimate, whose value and interval lie within the range of its metric."""
        value, low, high = (self.number(key, bounds, null=True) for key in ("value", "low", "high"))
        self.level()
        self.count("n")
        reason, _ = self.text("reason"), (self.text("method"), self.texts("flags"))
        whole, ends = not math.isnan(value) and not math.isnan(low), [self.value("low"), self.value("high")]
        demand(math.isnan(low) == math.isnan(high), self.where, ends, Remark("report.two_bounds"))
        demand(whole or math.isnan(low), self.where, self.value("value"), Remark("report.number_with_bounds"))
        demand(whole or bool(reason), self.place("reason"), reason, Remark("report.why_undefined"))
        demand(not whole or low <= high, self.where, ends, Remark("report.bounds_in_order"))
        if "bracket" in self:
            ends = self.numbers("bracket")
            demand(len(ends) == 2 and ends[0] <= ends[1], self.where, ends, Remark("report.bounds_in_order"))
        return Estimate.of_dict(dict(self.values))

    def outcome(self) -> Outcome:
        """The object as the result of a test."""
        df = self.value("df")
        freedom = tuple(self.numbers("df")) if isinstance(df, list) else None if df is None else self.number("df")
        right = not isinstance(freedom, tuple) or len(freedom) == 2
        demand(right, self.place("df"), df, Remark("report.so_many", count=2))
        values = self.number("statistic", null=True), self.number("pvalue", SHARE, null=True)
        return Outcome(*values, self.text("method"), freedom, self.text("note"))  # type: ignore[arg-type] # of two

    def findings(self, name: str = "findings") -> tuple[Finding, ...]:
        """What was found."""
        for each in self.parts(name):
            each.part("numbers")
            each.text("code")
            each.text("severity")
        return tuple(map(Finding.of_dict, self.items(name)))


def outcome_values(outcome: Outcome) -> dict[str, Any]:
    """The result of a test as plain values."""
    return with_codes(outcome._asdict())


def number(value: Any, where: str, bounds: tuple[float, float] = UNBOUNDED, *, null: bool = False) -> float:
    """A number within bounds, or the text of an infinite one, which JSON does not have."""
    if value is None and null:
        return math.nan
    right = value in ("inf", "-inf") if isinstance(value, str) else isinstance(value, (int, float))
    demand(right and not isinstance(value, bool), where, value, Remark("report.a_number"))
    given: Any = value  # a number by now
    try:
        found = float(given)
    except OverflowError:  # a whole number of more than 308 digits
        found = math.inf if given > 0 else -math.inf
    slack = SLACK * max(1.0, abs(found)) if math.isfinite(found) else 0.0
    within = bounds[0] - slack <= found <= bounds[1] + slack
    demand(within, where, value, Remark("report.from_to", low=bounds[0], high=bounds[1]))
    return found
