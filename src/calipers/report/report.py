"""What is to be said about a result: described once, then drawn as text, Markdown, HTML or LaTeX."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from calipers.report.layout import Footnotes, Table

if TYPE_CHECKING:
    from calipers.findings import Finding
    from calipers.report.answers import ShownAnswer


@dataclass(frozen=True)
class Report:
    """A title, the answer, findings, sentences, tables, and what the numbers are based on.

    labels: the names of classes behind the title, as many as there is room for; more_labels: whether some are missing;
    behind, comma: the brackets around them and the mark between them.
    brief: text names the first warnings only, and other findings by their codes. lines: the whole as text in so many
    columns, for a result whose own arrangement reads better than tables below each other.
    """

    title: str
    labels: tuple[str, ...] = ()
    more_labels: bool = False
    behind: str = " ({})"
    comma: str = ", "
    answer: ShownAnswer | None = None
    findings: tuple[Finding, ...] = ()
    brief: bool = False
    sentences: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    assumptions: tuple[str, ...] = ()
    lines: Callable[[int], Iterable[str]] | None = None

    @property
    def names(self) -> str:
        """The labels behind the title, in brackets; empty where there are none."""
        names = self.comma.join((*self.labels, *["..."] * self.more_labels))
        return self.behind.format(names) if self.labels else ""


def footnotes(notes: Footnotes) -> Iterable[str]:
    """The remarks that tables refer to, each behind its letter."""
    return (f"{letter}) {text}" for letter, text in notes)
