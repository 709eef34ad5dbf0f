"""Differences of models as strips with a direction: right of the line the candidate is better, for losses too."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from calipers import numerals
from calipers.answers.comparisons import Standing
from calipers.comparison.differences import OPEN, direction
from calipers.metrics.base import CATALOGUE
from calipers.report.comparison import NOT_ADJUSTED
from calipers.report.page.elements import LABEL, PageBudget, key_of, short
from calipers.report.page.leaderboard import difference, needed, unit_of
from calipers.report.page.strips import Scale, StripCell, StripTable, axis, sides, strip
from calipers.report.terminal import fitted

if TYPE_CHECKING:
    from calipers.comparison.compare import Comparison
    from calipers.comparison.differences import Difference
    from calipers.report.language import Language

SHARES = ((0.0, 1.0), (-1.0, 1.0))  # ranges of metrics that can stand on one axis


def two(comparison: Comparison, lang: Language, level: str, most: int) -> Iterator[StripTable]:
    """Every metric of two models: those that are shares on one axis, the others each on its own scale."""
    baseline, candidate = comparison.models
    listed = [comparison[name][candidate, baseline] for name in islice(comparison, most)]
    shares = [d for d in listed if CATALOGUE[d.metric].metric.bounds in SHARES]
    others = [d for d in listed if d not in shares]
    head = (
        lang.say("report.metric"), short(baseline, 24), short(candidate, 24), lang.say("page.difference", level=level),
        lang.say("views.compare.forest"), lang.say("page.p"), lang.say("page.verdict"),
    )  # fmt: skip
    which = sides(lang.say("views.compare.model_better", model=short(baseline, 24)),
                  lang.say("views.compare.model_better", model=short(candidate, 24)))  # fmt: skip
    caption = lang.say("page.minus", candidate=short(candidate), baseline=short(baseline))
    common = Scale.of((x for d in shares for x in (d.difference, d.low, d.high)), around=0)
    for at, (group, scale) in enumerate(((shares, common), (others, None))):
        if group:
            rows = tuple(_row(d, lang, scale, unit_of(comparison)) for d in group)
            foot = which if scale is None else axis(scale, lang, unsigned=True) + which
            said = caption if scale is not None else lang.say("views.compare.own_scale")
            yield StripTable(said, head, rows, f"pairs-{at}", ("", "", "", "", foot, "", ""), numeric=(1, 2, 3, 5))


def _row(d: Difference, lang: Language, common: Scale | None, unit: str) -> tuple[StripCell, ...]:
    """A metric with both values, the baseline first, and the difference."""
    values = (StripCell(lang.number(v) if not math.isnan(v) else "-", sort=key_of(v)) for v in d.measured[::-1])
    return (StripCell(lang.glossed(d.metric)), *values, *cells_of(d, lang, common, unit))


def cells_of(d: Difference, lang: Language, common: Scale | None, unit: str) -> tuple[StripCell, ...]:
    """Difference, strip, p and verdict."""
    tone = "open" if d.winner is None else "good" if d.winner == d.candidate else "bad"
    value, interval = difference(d, lang)
    mark = "" if d.interval_adjusted or not interval else NOT_ADJUSTED
    picture: Any = ""
    if not math.isnan(d.difference):
        turned = direction(d) == "lower"
        scale = common or Scale.of((d.difference, d.low, d.high), around=0)
        scale = Scale(scale.low, scale.high, turned)
        picture = strip(scale, (d.difference, d.low, d.high), tone, lines=(0,), title=f"{value} {interval}")
    p = "" if math.isnan(d.adjusted) else lang.local(numerals.pvalue(d.adjusted))
    return (
        StripCell(value, interval + mark, sort=key_of(d.difference)), StripCell("", strip=picture),
        StripCell(p, sort=key_of(d.adjusted)), StripCell(_verdict(d, unit, lang), tone=tone, kind="verdict"),
    )  # fmt: skip


def _verdict(d: Difference, unit: str, lang: Language) -> str:
    """The verdict, with the name of the winner."""
    text = lang.say("plots.verdict." + d.outcome.replace(" ", "_"), winner=short(d.winner or "", 24))
    return text + needed(d, unit, lang) if d.outcome == OPEN else text


class Pairs(NamedTuple):
    """All pairs of models on one metric, behind a line that says who leads."""

    key: str
    name: str
    table: StripTable


def pairs(
    comparison: Comparison, every: list[Standing], lang: Language, level: str, budget: PageBudget
) -> Iterator[Pairs]:
    """For each metric, all pairs of models; right of the line the first of a pair is better."""
    names, most = dict.fromkeys([*(found.metric for found in every), *comparison]), budget.pairs
    for at, name in enumerate(islice(names, max(len(every), budget.numbers))):
        listed = list(islice(comparison[name].values(), most))
        scale = Scale.of((x for d in listed for x in (d.difference, d.low, d.high)), around=0)
        named = [fitted(f"{short(d.candidate)} − {short(d.baseline)}", LABEL) for d in listed]
        cells = (cells_of(d, lang, scale, unit_of(comparison)) for d in listed)
        rows = tuple((StripCell(text), *each) for text, each in zip(named, cells, strict=True))
        overall = comparison[name].overall
        tested = "" if overall is None else lang.say(
            "page.overall", method=lang.remark(overall.method), p=overall.pvalue
        )  # fmt: skip
        left = len(comparison[name]) - most
        more = lang.say("page.more_pairs", count=left) if left > 0 else ""
        head = (
            lang.say("page.pair"), lang.say("page.difference", level=level), lang.say("views.compare.forest"),
            lang.say("page.p"), lang.say("page.verdict"),
        )  # fmt: skip
        which = sides(lang.say("views.compare.second"), lang.say("views.compare.first"))
        foot = axis(scale, lang, unsigned=True) + which
        caption = lang.say("report.colon").join(filter(None, (lang.heading(name), tested)))
        table = StripTable(caption, head, rows, f"all-{at}", ("", "", foot, "", ""), more, numeric=(1, 3))
        yield Pairs(f"pairs-{at}", lang.heading(name), table)
