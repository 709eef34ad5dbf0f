"""Errors and remarks as text: a code names a template of `errors.toml` or `remarks.toml`, which values fill.

Between braces stand
- `{count}`, `{x:.3f}`, `{value!r}`: a value, numbers as the language writes them; a remark or an error in its language;
- `{value:quoted}`: the repr, shortened; `{names:list}` "a, b", `{names:or}` "a, b or c", `{names:and}` "a, b and c";
  `{parts:phrases}` "a, b" of words that are not names, `{parts:sentences}` "a; b";
- `{count:row|rows}`: the first word for 1, else the second; `{n:count}` "12,345"; `{share:percent}` "12.5%";
- `{row:place}`: a row: "row 17" in Python, "line 19" in the shell;
- `{@positive}`: an argument: `positive=` in Python, `--positive` in the shell; `{@missing="drop"}` with what to pass;
  `{@positive:label}` with the value of `label`: `positive='BAD'`, `--positive BAD`; `{@by[name]}` with a key;
  `{@*name}`, `{@*name:value}`: the argument whose name is the value of `name`;
- `{@python:...}`, `{@shell:...}`: a text that only one of the two says.

Remarks that differ in their numbers alone have one `shape`; `joined`, they show from which to which number these go.

This module is imported while lower layers are, so it imports none of them.
"""

from __future__ import annotations

import os
import re
import string
from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from numbers import Integral, Real
from pathlib import Path
from typing import Any, NamedTuple

from calipers import numerals
from calipers.choices import Lang
from calipers.errors import LONGEST, CalipersError, quoted
from calipers.remarks import Remark, code_of
from calipers.report.chinese import spaced

LANGUAGES: dict[Lang, str] = {"en": "English", "vi": "Tiếng Việt", "zh": "中文"}
COMMAS = frozenset({"vi"})  # languages with a decimal comma, which then separates no numbers
NUMERAL = re.compile(r"(?<=\d)(?:\.(?=\d)|,(?=\d{3}(?!\d)))")  # a decimal point, or a comma between thousands
JOINS = {"list": "comma", "or": "comma", "and": "comma", "phrases": "separator", "sentences": "sentences"}


class Wording:
    """How Python names its arguments and rows; the shell has its own."""

    side = "python"

    def argument(self, name: str) -> str:
        """An argument by its name."""
        return f"{name}="

    def written(self, name: str, literal: str) -> str:
        """An argument with what to pass, as Python writes it."""
        return f"{name}={literal}"

    def passed(self, name: str, value: Any) -> str:
        """An argument with a value."""
        return f"{name}={quoted(value, LONGEST)}"

    def element(self, name: str, key: Any) -> str:
        """One element of an argument."""
        return f"{name}[{quoted(key, LONGEST)}]"

    def place(self, row: int) -> str:
        """Where a row is."""
        return Remark("common.row", row=row)


class _English(Wording):
    """The words of remarks as strings: Python's arguments, but rows as the reader finds them."""

    def place(self, row: int) -> str:
        return _wording.get().place(row)


PYTHON = Wording()
_wording: ContextVar[Wording] = ContextVar("wording", default=PYTHON)


def place_of(row: int) -> str:
    """Where a row is, in a table: its number alone, or the line of a file that the shell reads."""
    place = _wording.get().place(row)
    return str(row) if code_of(place) == "common.row" else place


@contextmanager
def worded(wording: Wording) -> Iterator[None]:
    """Texts that are made meanwhile name arguments and rows in this way."""
    before = _wording.set(wording)
    try:
        yield
    finally:
        _wording.reset(before)


def text(code: str, values: Mapping[str, Any], lang: str | None = None, wording: Wording | None = None) -> str:
    """The text of a code, by default in the reader's language."""
    lang = reader(lang)
    return _Filling(lang, wording or _wording.get()).text(_template(code, lang), values)


def english(code: str, values: Mapping[str, Any]) -> str:
    """The English text of a remark, which is a string of Python."""
    return _Filling("en", _English()).text(texts("en", "remarks")[code], values)


def reader(lang: str | None) -> Lang:
    """The code of the language asked for, or else of the reader's; English where that is not one of ours."""
    if lang in LANGUAGES:
        return lang
    asked = os.environ.get("CALIPERS_LANG") or of_locale()
    return asked if asked in LANGUAGES else "en"


def of_locale() -> Lang:
    """The language of messages, in the order in which POSIX reads its variables; English where it is none of ours."""
    names = (os.environ.get(name) for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    code = re.split("[_.@-]", next(filter(None, names), "en"))[0]
    return code if code in LANGUAGES else "en"


def local(text: str, lang: str) -> str:
    """The decimal points and thousands of a text as a language has them.

    >>> local("12,345.6 of 1,000", "vi")
    '12.345,6 of 1.000'
    """
    return NUMERAL.sub(lambda m: "," if m[0] == "." else ".", text) if lang in COMMAS else text


def _template(code: str, lang: str) -> str:
    remarks = texts(lang, "remarks")
    return remarks[code] if code in remarks else texts(lang, "errors")[code]


@cache
def parsed(template: str) -> tuple[tuple[str, str | None, str, str | None], ...]:
    """The parts of a template: text, and the field after it with its format and conversion."""
    return tuple((literal, field, spec or "", how) for literal, field, spec, how in string.Formatter().parse(template))


def argument(field: str, spec: str, values: Mapping[str, Any], lang: Lang) -> str:
    """What stands for `{@field:spec}` where the reader is: an argument of Python, or an option of the shell."""
    return _Filling(lang, _wording.get()).argument(field, spec, values)


def names(template: str) -> set[str]:
    """The values that a template needs."""
    needed = set()
    for _, field, spec, _ in parsed(template):
        if field is None or field in ("@python", "@shell"):
            continue
        if not field.startswith("@"):
            needed.add(field)
        elif "=" not in field and field.endswith("]"):
            needed.add(field.partition("[")[2][:-1])
        else:
            needed |= {field[2:]} if field.startswith("@*") else set()
            needed |= {spec} if spec else set()
    return needed


@dataclass(frozen=True)
class _Filling:
    """Puts values into templates."""

    lang: str
    wording: Wording

    def text(self, template: str, values: Mapping[str, Any]) -> str:
        parts = [
            part
            for literal, field, spec, conversion in parsed(template)
            for part in (literal, "" if field is None else self.field(field, spec, conversion, values))
        ]
        return spaced([part for part in parts if part]) if self.lang == "zh" else "".join(parts)

    def field(self, field: str, spec: str, conversion: str | None, values: Mapping[str, Any]) -> str:
        if field.startswith("@"):
            return self.argument(field[1:], spec, values)
        return quoted(values[field], LONGEST) if conversion == "r" else self.shown(values[field], spec)

    def argument(self, field: str, spec: str, values: Mapping[str, Any]) -> str:
        if field in ("python", "shell"):
            return spec if field == self.wording.side else ""
        if field.startswith("*"):
            field = values[field[1:]]
        name, _, literal = field.partition("=")
        if literal:
            return self.wording.written(name, literal)
        if field.endswith("]"):
            name, key = field[:-1].split("[")
            return self.shown(self.wording.element(name, values[key]), "")
        return self.wording.passed(field, values[spec]) if spec else self.wording.argument(field)

    def shown(self, value: Any, spec: str) -> str:
        if "|" in spec:
            one, several = spec.split("|")
            return one if value in (1, Span(1, 1)) else several
        if isinstance(value, Span):
            return self.span([self.shown(end, spec) for end in (value.low, value.high)])
        if spec == "place":
            return self.shown(self.wording.place(value), "")
        if spec == "quoted":
            return quoted(value)
        if spec in JOINS:
            return self.joined([self.shown(item, "") for item in value], spec)
        if spec == "percent":
            return local(numerals.percent(value), self.lang)
        if spec == "count":
            return local(numerals.count(value), self.lang)
        if isinstance(value, Remark | CalipersError):
            return text(value.code, value.values, self.lang, self.wording)
        if isinstance(value, Real) and not isinstance(value, Integral):
            return local(format(value, spec) if spec else str(value), self.lang)
        return format(value, spec) if spec else str(value)

    def span(self, ends: Sequence[str]) -> str:
        low, high = ends
        return low if low == high else text("common.span", {"low": low, "high": high}, self.lang)

    def joined(self, items: Sequence[str], spec: str) -> str:
        comma = text(f"common.{JOINS[spec]}", {}, self.lang)
        if spec not in ("or", "and") or len(items) < 2:
            return comma.join(items)
        return comma.join(items[:-1]) + text(f"common.{spec}", {}, self.lang) + items[-1]


class Span(NamedTuple):
    """The numbers of several remarks: from the least to the greatest."""

    low: Any
    high: Any


def shape(remark: str) -> Hashable:
    """What remarks share that differ in their numbers alone.

    >>> shape(Remark("inference.few_rows", count=3.0)) == shape(Remark("inference.few_rows", count=7.0))
    True
    """
    if not isinstance(remark, Remark):
        return remark
    return remark.code, *(
        (key, None if _is_number(value) else shape(value) if isinstance(value, str) else repr(value))
        for key, value in remark.values.items()
    )


def joined(remarks: Sequence[str]) -> str:
    """Remarks of one shape as one.

    >>> joined([Remark("inference.few_rows", count=3.0), Remark("inference.few_rows", count=7.0)])
    'based on very few rows (3 to 7)'
    """
    first, *others = remarks
    if not isinstance(first, Remark) or not others:
        return first
    code, alike = first.code, [remark for remark in remarks if isinstance(remark, Remark)]
    values = {key: [remark.values[key] for remark in alike] for key in first.values}
    return Remark(code, **{key: _of_all(each) for key, each in values.items()})


def _of_all(values: Sequence[Any]) -> Any:
    if _is_number(values[0]):
        return Span(min(values), max(values))
    return joined(values) if isinstance(values[0], str) else values[0]


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


@cache
def texts(code: str, file: str) -> dict[str, str]:
    """The texts of a file by dotted key; of a file that a language has not, none."""
    import tomllib

    path = Path(__file__).with_name("i18n") / code / f"{file}.toml"  # importlib.resources takes longer than the file
    return dict(flat(tomllib.loads(path.read_text(encoding="utf-8")))) if path.is_file() else {}


def flat(table: Mapping[str, Any], above: str = "") -> list[tuple[str, str]]:
    """A table of tables as pairs of dotted key and text."""
    return [
        pair
        for key, value in table.items()
        for pair in (flat(value, f"{above}{key}.") if isinstance(value, Mapping) else [(above + key, value)])
    ]
