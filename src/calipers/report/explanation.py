"""The explanation of a metric, and what is said about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar, Never

from calipers.choices import Lang
from calipers.report.language import Language
from calipers.report.layout import Table
from calipers.report.report import Report
from calipers.report.terminal import padded, width, wrapped
from calipers.result import Result


@dataclass(frozen=True, repr=False)
class Explanation(Result[Never]):
    """Facts by name, ways to compute the number, definitions with their values, and the explanation of `got`."""

    kind: ClassVar[str] = "explanation"

    name: str
    title: str
    meaning: str
    facts: tuple[tuple[str, str], ...]
    ways: tuple[tuple[str, str], ...]
    definitions: tuple[tuple[str, str], ...]
    got: tuple[str, ...]
    lang: Lang
    again: Callable[[Language], Explanation] = field(compare=False)

    def to_text(self, lang: Lang | None = None) -> str:
        """The explanation as plain text, by default in its own language."""
        return super().to_text(lang or self.lang)

    def __repr__(self) -> str:
        from calipers.report import rendering, terminal

        return rendering.to_text(self, self.lang, columns=terminal.columns())

    def __str__(self) -> str:
        return self.to_text()


def report(explanation: Explanation, lang: Language) -> Report:
    """Meaning, facts, ways to the number, and what else goes by the name."""
    if lang.code != explanation.lang:
        explanation = explanation.again(lang)
    tables = [Table("", ("", explanation.meaning), explanation.facts)]
    tables += [Table(caption, (lang.say("report.value"), ""), rows) for caption, rows in _captioned(explanation, lang)]
    lines = partial(_lines, explanation, lang)
    return Report(explanation.title, sentences=explanation.got, tables=tuple(tables), lines=lines)


def _captioned(explanation: Explanation, lang: Language) -> Iterator[tuple[str, tuple[tuple[str, str], ...]]]:
    for key, rows in (("explain.ways", explanation.ways), ("explain.several", explanation.definitions)):
        if rows:
            yield lang.say(key), rows


def _lines(explanation: Explanation, lang: Language, columns: int) -> list[str]:
    lines = [*wrapped(explanation.title, columns), *wrapped(explanation.meaning, columns, ""), ""]
    first = 2 + max(width(name) for name, _ in explanation.facts)
    for name, text in explanation.facts:
        for at, line in enumerate(text.split("\n")):
            lines += wrapped(line, columns, " " * first, padded("" if at else name, first))
    for caption, rows in _captioned(explanation, lang):
        lines += ["", caption, *_two_columns(rows, columns)]
    for text in explanation.got:
        lines += ["", *wrapped(text, columns)]
    return lines


def _two_columns(rows: tuple[tuple[str, str], ...], columns: int) -> list[str]:
    """Values in a column, texts beside them."""
    first = 4 + max(width(value) for value, _ in rows)
    lines = []
    for value, text in rows:
        lines += wrapped(text, columns, " " * first, f"  {padded(value, first - 4, right=True)}  ")
    return lines
