"""What the page of a comparison holds: who wins, every metric at a glance, differences with a direction, curves."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from calipers.answers import answer_of_models
from calipers.answers.comparisons import standings
from calipers.comparison.differences import about
from calipers.errors import InputError
from calipers.report import layout
from calipers.report.comparison import adjustments, rows_of_each
from calipers.report.page import comparison_slices, first_screen, forests
from calipers.report.page.elements import (
    LABEL,
    SENTENCE,
    Chart,
    Grid,
    GridCell,
    PageBudget,
    chart,
    key_of,
    numbers,
    short,
    unbroken,
)
from calipers.report.page.leaderboard import boards, conclusion, glance
from calipers.report.terminal import distinct_labels, fitted

if TYPE_CHECKING:
    from calipers.comparison.compare import Comparison
    from calipers.comparison.crossings import Crossing
    from calipers.report.language import Language

MODELS = 12  # beside each other in a table


def contents(comparison: Comparison, lang: Language, budget: PageBudget, pictures: list[Chart]) -> dict[str, Any]:
    """Everything that the template shows of a comparison."""
    names = list(comparison.models)
    level = lang.local(layout.percent(comparison.settings.level))
    kind = comparison.models[names[0]].schema.facts.unit
    every = standings(comparison, budget.numbers)
    answer = first_screen.shown(answer_of_models(comparison), lang)
    paired = len(names) == 2
    charts = pictures[: budget.charts]
    about = lang.say("page.compared", models=len(names), counted=layout.counted(lang, kind, comparison.rows))
    if not comparison.paired:
        about = lang.say("unpaired.about", count=len(names), counted=rows_of_each(comparison, lang))
    shown = every and not paired
    sliced = list(comparison_slices.slices(comparison, lang, level, budget)) if comparison.by else []
    sections = ["verdicts", *(["glance"] if shown else []), "differences", *(["slices"] if sliced else []),
                *(["charts"] if charts else []), "models"]  # fmt: skip
    return {
        "kind": "comparison",
        "name": lang.say("page.title.comparison"),
        "about": about,
        "labels": (),
        "left": 0,
        "level": level,
        "nav": [*sections, "definitions", "reproduction"],
        "sections": {},
        "answer": answer,
        "gauges": first_screen.gauges(answer),
        "boards": boards(comparison, every, lang, level, budget),
        "verdicts": [(tone, unbroken(text)) for tone, text in conclusion(every, lang)],
        "glance": glance(comparison, every, lang, MODELS) if shown else None,
        "tables": list(forests.two(comparison, lang, level, budget.numbers)) if paired else [],
        "pairs": [] if paired else list(forests.pairs(comparison, every, lang, level, budget)),
        "slices": sliced,
        "left_slicings": len(comparison.by) - len(sliced),
        "left_numbers": max(0, len(comparison) - budget.numbers),
        "charts": charts,
        "left_charts": len(pictures) - len(charts),
        "every_chart": charts,
        "models": _models(comparison, lang, level, budget),
        "definitions": _assumed(comparison, lang, budget, kind),
        "notes": [],
    }


def pictures(comparison: Comparison, lang: Language) -> list[Chart]:
    """Of two classes, the curves of all models."""
    if not next(iter(comparison.models.values())).schema.facts.one_score:
        return []
    charts = [_roc(comparison, lang), _curves(comparison, "pr", lang), _curves(comparison, "calibration", lang)]
    return [c for c in charts if c is not None]


def _curves(comparison: Comparison, kind: str, lang: Language) -> Chart | None:
    """The curves of all models; None where there are none."""
    try:
        return chart(comparison, kind, lang, key=f"curves-{kind}")
    except InputError:
        return None


def _roc(comparison: Comparison, lang: Language) -> Chart | None:
    """The ROC curves of all models; of two, a table of which is above where."""
    picture = _curves(comparison, "roc", lang)
    if picture is None or len(comparison.models) != 2:
        return picture
    crossing = comparison.curves("roc")
    stretches = crossing.stretches[:LABEL]
    columns: dict[str, Any] = {
        lang.say("page.from_fpr"): [low for low, _, _ in stretches],
        lang.say("page.to_fpr"): [high for _, high, _ in stretches],
        lang.say("page.above"): ["=" if who is None else short(who) for *_, who in stretches],
    }
    table = numbers(picture.name, columns, lang)
    return replace(picture, table=table, note=_crossed(crossing, lang))


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
            interval = lang.interval(*ends) if ends else ""
            cells.append(GridCell(layout.value(e, lang), interval, sort=key_of(e), number=True))
        rows.append((GridCell(lang.heading(metric)), *cells))
    head = (lang.say("report.metric"), *distinct_labels(names, 24))
    left = len(comparison.models) - len(names)
    more = lang.say("page.more_models", count=left) if left else ""
    caption = "page.own_intervals" if comparison.paired else "unpaired.own_intervals"
    return Grid(lang.say(caption, level=level), head, tuple(rows), more, "models-0")


def _assumed(comparison: Comparison, lang: Language, budget: PageBudget, kind: str) -> list[str]:
    lines = [fitted(lang.remark(note), SENTENCE) for note in comparison.notes][: budget.lines]
    lines += [] if comparison.paired else [lang.say("unpaired.assumed")]
    lines += adjustments(comparison, lang)
    lines += [lang.say("compare.slices.alone")] if comparison.by else []
    if comparison.margin is not None:
        lines.append(lang.say("page.margin", margin=comparison.margin))
    methods: dict[str, list[str]] = {}
    for name in islice(comparison, budget.numbers):
        for d in islice(comparison[name].values(), 1):
            methods.setdefault(d.method or d.note, []).append(lang.heading(name))
    between = lang.say("report.names")
    more = [f"{lang.heading(d.metric)} {lang.count(about(d.more_rows))}" for name in islice(comparison, budget.numbers)
            for d in islice(comparison[name].values(), 1) if d.more_rows and len(comparison.models) == 2]  # fmt: skip
    if more:
        lines.append(lang.say(f"compare.more_{kind}", each=lang.say("compare.separator").join(more)))
    colon = lang.say("report.colon")
    return [*lines, *(lang.remark(method) + colon + between.join(names) for method, names in methods.items())]
