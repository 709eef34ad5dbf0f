"""What the page of a comparison holds: verdicts, the forest of differences, curves and where they cross, the pairs."""

from __future__ import annotations

import math
from itertools import islice
from typing import TYPE_CHECKING, Any

from calipers.comparison.differences import OPEN, about
from calipers.errors import InputError
from calipers.report import layout
from calipers.report.comparison import NOT_ADJUSTED, adjustments
from calipers.report.page.elements import (
    LABEL,
    SENTENCE,
    TAGS,
    Chart,
    Grid,
    GridCell,
    PageBudget,
    chart,
    key_of,
    minus,
    numbers,
    short,
    unbroken,
)
from calipers.report.terminal import distinct_labels, fitted

if TYPE_CHECKING:
    from calipers.comparison.compare import Comparison
    from calipers.comparison.crossings import Crossing
    from calipers.comparison.differences import Difference
    from calipers.report.language import Language

MODELS = 12  # beside each other in a table
ORDER = ("better", "higher", "equivalent")  # of the outcomes, what is known first


def contents(comparison: Comparison, lang: Language, budget: PageBudget, pictures: list[Chart]) -> dict[str, Any]:
    """Everything that the template shows of a comparison."""
    names = list(comparison.models)
    first = comparison.models[names[0]]
    level = lang.local(layout.percent(comparison.settings.level))
    kind = first.schema.facts.unit
    tables = (
        [_two(comparison, lang, level, budget)] if len(names) == 2 else list(_many(comparison, lang, level, budget))
    )
    charts = pictures[: budget.charts]
    about = lang.say("page.compared", models=len(names), counted=lang.say(f"report.{kind}_n", count=comparison.rows))
    return {
        "kind": "comparison",
        "name": lang.say("page.title.comparison"),
        "about": about,
        "labels": distinct_labels(names[:TAGS], 24),
        "left": max(0, len(names) - TAGS),
        "level": level,
        "nav": ["verdicts", *(["charts"] if charts else []), "models", "definitions", "reproduction"],
        "sections": {},
        "verdicts": _verdicts(comparison, lang, budget),
        "tables": tables,
        "left_numbers": max(0, len(comparison) - budget.numbers),
        "charts": charts,
        "left_charts": len(pictures) - len(charts),
        "every_chart": charts,
        "models": _models(comparison, lang, level, budget),
        "definitions": _assumed(comparison, lang, budget, kind),
        "notes": [],
    }


def _verdict(d: Difference, lang: Language) -> str:
    """The verdict as charts say it."""
    return lang.say("plots.verdict." + d.outcome.replace(" ", "_"), winner=short(d.winner or ""))


def _verdicts(comparison: Comparison, lang: Language, budget: PageBudget) -> list[tuple[str, str]]:
    """A sentence for each verdict between two models, with the metrics it holds for; of more, for each pair."""
    names = list(islice(comparison, budget.numbers)) if len(comparison.models) == 2 else list(comparison)[:1]
    grouped: dict[tuple[str, str, str], list[str]] = {}
    for name in names:
        for d in islice(comparison[name].values(), budget.pairs):
            gap = "" if d.outcome == OPEN or math.isnan(d.difference) else f" ({_gap(d, lang)})"
            pair = (d.baseline, d.candidate) if d.winner == d.baseline else (d.candidate, d.baseline)
            grouped.setdefault((d.outcome, *pair), []).append(lang.name(name) + gap)
    sentences = []
    for (outcome, first, second), metrics in grouped.items():
        put = {"first": short(first), "second": short(second), "metrics": lang.say("report.separator").join(metrics)}
        sentence = lang.say(f"page.said.{outcome.replace(' ', '_')}", **put)
        sentences.append((outcome.partition(" ")[0], unbroken(sentence)))
    return sorted(sentences, key=lambda each: ORDER.index(each[0]) if each[0] in ORDER else len(ORDER))


def _gap(d: Difference, lang: Language) -> str:
    ends = f" {lang.interval(_signed(d.low), _signed(d.high))}" if not math.isnan(d.low) else ""
    return f"{lang.local(_signed(d.difference))}{ends}"


def _signed(x: float) -> str:
    decimals = 3 if abs(x) < 100 else 1 if abs(x) < 10_000 else 0
    return f"{x:+.{decimals}f}".replace("-", "−")


def _cells(d: Difference, lang: Language) -> tuple[GridCell, GridCell, GridCell]:
    """Difference, p and verdict as cells."""
    if math.isnan(d.difference):
        return GridCell("-"), GridCell("-"), GridCell(_verdict(d, lang))
    mark = "" if d.interval_adjusted else NOT_ADJUSTED
    ends = "" if math.isnan(d.low) else lang.interval(_signed(d.low), _signed(d.high)) + mark
    p = "" if math.isnan(d.adjusted) else lang.local("< 0.001" if d.adjusted < 0.001 else f"{d.adjusted:.3f}")
    gap = GridCell(lang.local(_signed(d.difference)), ends, sort=key_of(d.difference))
    return gap, GridCell(p, sort=key_of(d.adjusted)), GridCell(_verdict(d, lang))


def _head(lang: Language, level: str) -> tuple[str, str, str]:
    return lang.say("page.difference", level=level), lang.say("page.p"), lang.say("page.verdict")


def _two(comparison: Comparison, lang: Language, level: str, budget: PageBudget) -> Grid:
    baseline, candidate = comparison.models
    rows = []
    for name in islice(comparison, budget.numbers):
        d = comparison[name][candidate, baseline]
        each = d.measured[::-1]  # the baseline first, as the models are named
        values = (GridCell(minus(lang.number(v)) if not math.isnan(v) else "-", sort=key_of(v)) for v in each)
        rows.append((GridCell(lang.glossed(name)), *values, *_cells(d, lang)))
    head = (lang.say("report.metric"), *distinct_labels((baseline, candidate), 24), *_head(lang, level))
    caption = lang.say("page.minus", candidate=short(candidate), baseline=short(baseline))
    return Grid(caption, head, tuple(rows), key="pairs-0")


def _many(comparison: Comparison, lang: Language, level: str, budget: PageBudget) -> Any:
    for at, name in enumerate(islice(comparison, budget.numbers)):
        pairs = list(comparison[name].values())
        listed = pairs[: budget.pairs]
        rows = tuple(
            (GridCell(fitted(f"{short(d.candidate)} − {short(d.baseline)}", LABEL)), *_cells(d, lang)) for d in listed
        )
        overall = comparison[name].overall
        overall_text = (
            "" if overall is None else lang.say("page.overall", method=lang.remark(overall.method), p=overall.pvalue)
        )
        left = len(pairs) - budget.pairs
        more = lang.say("page.more_pairs", count=left) if left > 0 else ""
        caption = lang.heading(name) + (f" ({overall_text})" if overall_text else "")
        yield Grid(caption, (lang.say("page.pair"), *_head(lang, level)), rows, more, f"pairs-{at}")


def pictures(comparison: Comparison, lang: Language) -> list[Chart]:
    """The forest of differences and, of two classes, the ROC curves."""
    charts = [chart(comparison, "difference", lang)]
    if next(iter(comparison.models.values())).schema.facts.one_score:
        charts.append(_roc(comparison, lang))
    return [c for c in charts if c is not None]


def _roc(comparison: Comparison, lang: Language) -> Chart | None:
    """The ROC curves of all models; of two, a table of which is above where."""
    try:
        picture = chart(comparison, "roc", lang, key="curves")
        if picture is None or len(comparison.models) != 2:
            return picture
        crossing = comparison.curves("roc")
    except InputError:
        return None
    stretches = crossing.stretches[:LABEL]
    columns: dict[str, Any] = {
        lang.say("page.from_fpr"): [low for low, _, _ in stretches],
        lang.say("page.to_fpr"): [high for _, high, _ in stretches],
        lang.say("page.above"): ["=" if who is None else short(who) for *_, who in stretches],
    }
    table = numbers(picture.name, columns, lang)
    return Chart(picture.key, picture.name, picture.svg, table, note=_crossed(crossing, lang))


def _crossed(crossing: Crossing, lang: Language) -> str:
    """Which of two curves is above, and on how much of the axis."""
    first, second = short(crossing.first), short(crossing.second)
    if crossing.dominates is not None:
        other = second if crossing.dominates == crossing.first else first
        return lang.say("page.curves.above", first=short(crossing.dominates), second=other)
    if not crossing.count:
        return lang.say("page.curves.same", first=first, second=second)
    shares = {"one": crossing.share(crossing.first), "other": crossing.share(crossing.second)}
    return lang.say("page.curves.cross", count=crossing.count, first=first, second=second, **shares)


def _models(comparison: Comparison, lang: Language, level: str, budget: PageBudget) -> Grid:
    """Every model with its own intervals, a column each."""
    names = list(comparison.models)[:MODELS]
    rows = []
    for metric in islice(comparison, budget.numbers):
        cells = []
        for name in names:
            e = comparison.models[name][metric]
            ends = layout.bounds(e)
            interval = minus(lang.interval(*ends)) if ends else ""
            cells.append(GridCell(minus(layout.value(e, lang)), interval, sort=key_of(e)))
        rows.append((GridCell(lang.heading(metric)), *cells))
    head = (lang.say("report.metric"), *distinct_labels(names, 24))
    left = len(comparison.models) - len(names)
    more = lang.say("page.more_models", count=left) if left else ""
    return Grid(lang.say("page.own_intervals", level=level), head, tuple(rows), more, "models-0")


def _assumed(comparison: Comparison, lang: Language, budget: PageBudget, kind: str) -> list[str]:
    lines = [fitted(lang.remark(note), SENTENCE) for note in comparison.notes][: budget.lines]
    lines += adjustments(comparison, lang)
    if comparison.margin is not None:
        lines.append(lang.say("page.margin", margin=comparison.margin))
    methods: dict[str, list[str]] = {}
    for name in islice(comparison, budget.numbers):
        for d in islice(comparison[name].values(), 1):
            methods.setdefault(d.method or d.note, []).append(lang.name(name))
    between = lang.say("report.separator")
    more = [f"{lang.name(d.metric)} {about(d.more_rows)}" for name in islice(comparison, budget.numbers)
            for d in islice(comparison[name].values(), 1) if d.more_rows and len(comparison.models) == 2]  # fmt: skip
    if more:
        lines.append(lang.say(f"compare.more_{kind}", each=between.join(more)))
    colon = lang.say("report.colon")
    return [*lines, *(lang.remark(method) + colon + between.join(names) for method, names in methods.items())]
