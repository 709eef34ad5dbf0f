"""The worst rows on a page, where somebody asked for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from calipers.report import worst_rows
from calipers.report.layout import Footnotes
from calipers.report.page.elements import Grid, PageBudget, grid

if TYPE_CHECKING:
    from calipers.evaluation.worst_rows import WorstRows
    from calipers.report.language import Language

AFTER = ("definitions", "reproduction")  # sections that close a page


def contents(worst: WorstRows, lang: Language, budget: PageBudget) -> Grid:
    """The table, five times as long as other tables may be."""
    return grid(worst_rows.section(worst, lang, 5 * budget.rows), Footnotes(lang), "worst_rows", worst_rows.CELL)


def nav(keys: Sequence[str], table: Grid | None) -> list[str]:
    """The sections of a page, with the rows before those that close it."""
    if table is None:
        return list(keys)
    at = next((i for i, key in enumerate(keys) if key in AFTER), len(keys))
    return [*keys[:at], "worst_rows", *keys[at:]]
