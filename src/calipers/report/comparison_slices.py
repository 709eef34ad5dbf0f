"""What is said about the slices of a comparison: a table for each column, of the metric that decides."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from calipers.answers.comparisons import deciding
from calipers.report import layout
from calipers.report.language import Language
from calipers.report.terminal import escape_label

if TYPE_CHECKING:
    from calipers.comparison.compare import Comparison


def tables(comparison: Comparison, lang: Language) -> Iterator[layout.Table]:
    """One table for each slicing column: the difference of the deciding metric in each slice."""
    from calipers.report.comparison import difference_cells, difference_head, pair_of, short_verdict

    if not comparison.by:
        return
    name = deciding(comparison)
    several = len(comparison.models) > 2
    for column, slices in comparison.by.items():
        rows = []
        for value, part in slices.items():
            for d in part[name].values():
                start = (escape_label(str(value)), str(part.rows), *([pair_of(d)] if several else []))
                rows.append((*start, *difference_cells(part, d, lang)[:2], short_verdict(d, lang)))
        head = (escape_label(column), lang.say("compare.slices.rows"), *([lang.say("compare.pair")] if several else []))
        caption = lang.say("compare.slices.caption", metric=layout.called(name, lang), column=escape_label(column))
        yield layout.Table(caption, (*head, *difference_head(comparison, lang)), tuple(rows))
