"""The slices of a comparison: the deciding metric in each slice as strips with a direction, as for all rows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from calipers.answers.comparisons import deciding
from calipers.report.page.elements import PageBudget, key_of, short
from calipers.report.page.forests import cells_of
from calipers.report.page.leaderboard import unit_of
from calipers.report.page.strips import Scale, StripCell, StripTable, axis, sides

if TYPE_CHECKING:
    from calipers.comparison.compare import Comparison
    from calipers.report.language import Language

NAME = 24


def slices(comparison: Comparison, lang: Language, level: str, budget: PageBudget) -> Iterator[StripTable]:
    """One table for each slicing column, all rows first; every pair on one scale."""
    metric, several = deciding(comparison), len(comparison.models) > 2
    for at, (column, parts) in enumerate(islice(comparison.by.items(), budget.slicings)):
        whole = (lang.say("views.compare.all_rows"), comparison)
        listed = [whole, *((short(value), part) for value, part in islice(parts.items(), budget.pairs))]
        each = [(name, part, d) for name, part in listed for d in part[metric].values()]
        scale = Scale.of((x for _, _, d in each for x in (d.difference, d.low, d.high)), around=0)
        rows = tuple(
            (StripCell(name), StripCell(lang.count(part.rows), sort=key_of(part.rows)),
             *([StripCell(f"{short(d.candidate, NAME)} − {short(d.baseline, NAME)}")] if several else []),
             *cells_of(d, lang, scale, unit_of(comparison)))
            for name, part, d in each
        )  # fmt: skip
        head = (
            short(column), lang.say(f"report.{unit_of(comparison)}"),
            *([lang.say("page.pair")] if several else []), lang.say("page.difference", level=level),
            lang.say("views.compare.forest"), lang.say("page.p"), lang.say("page.verdict"),
        )  # fmt: skip
        caption = lang.say("compare.slices.caption", metric=lang.heading(metric), column=short(column))
        left = len(parts) - budget.pairs
        more = lang.say("views.compare.more_slices", count=left) if left > 0 else ""
        foot = axis(scale, lang, unsigned=True) + _sides(comparison, lang, several=several)
        place = len(head) - 3
        feet = tuple(foot if column == place else "" for column in range(len(head)))
        yield StripTable(caption, head, rows, f"slices-{at}", feet, more, numeric=(1, place - 1, place + 1))


def _sides(comparison: Comparison, lang: Language, *, several: bool) -> Any:
    """What is better left and right of the line."""
    if several:
        return sides(lang.say("views.compare.second"), lang.say("views.compare.first"))
    baseline, candidate = (short(name, NAME) for name in comparison.models)
    return sides(*(lang.say("views.compare.model_better", model=name) for name in (baseline, candidate)))
