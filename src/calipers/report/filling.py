"""Texts of a report with values put in."""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from calipers.report.chinese import spaced
from calipers.report.messages import argument, parsed

if TYPE_CHECKING:
    from calipers.report.language import Language


class Argument(NamedTuple):
    """An argument of Python or an option of the shell, with the values of the text that names it."""

    name: str
    values: Mapping[str, Any]


class Filling(string.Formatter):
    """Puts values into a text, numbers as the language writes them."""

    def __init__(self, lang: Language) -> None:
        self.lang = lang

    def text(self, text: str, values: Mapping[str, Any]) -> str:
        """The text with the values put in."""
        if self.lang.code != "zh":
            return self.vformat(text, (), values)
        parts = [(literal, "" if field is None else self.vformat(_field(field, spec, how), (), values))
                 for literal, field, spec, how in parsed(text)]  # fmt: skip
        return spaced([part for pair in parts for part in pair if part])

    def get_field(self, field_name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """The value of a field; of an argument its name, with the values of the text."""
        if field_name.startswith("@"):
            return Argument(field_name[1:], kwargs), field_name
        return super().get_field(field_name, args, kwargs)

    def format_field(self, value: Any, format_spec: str) -> str:
        """One value, as the language writes numbers."""
        if isinstance(value, Argument):
            return argument(value.name, format_spec, value.values, self.lang.code)
        if format_spec == "percent":
            return self.lang.percent(value)
        if format_spec == "p":
            return self.lang.pvalue(value)
        if format_spec == "count":
            return self.lang.count(value)
        if format_spec in ("class", "Class"):
            name = self.lang.class_name(value)
            return name if format_spec == "class" or name == value else name[0].upper() + name[1:]
        if format_spec in ("names", "classes"):
            each = [self.lang.class_name(name) for name in value] if format_spec == "classes" else value
            return self.lang.say("report.names").join(each)
        if "|" in format_spec:
            one, several = format_spec.split("|")
            return one if value == 1 else several
        if format_spec:
            return self.lang.local(format(value, format_spec))
        if isinstance(value, int) and not isinstance(value, bool):
            return self.lang.count(value)
        return self.lang.number(value) if isinstance(value, float) else str(value)


def _field(name: str, spec: str, conversion: str | None) -> str:
    return "{" + name + (f"!{conversion}" if conversion else "") + (f":{spec}" if spec else "") + "}"
