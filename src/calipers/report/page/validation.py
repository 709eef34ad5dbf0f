"""What the page of a model over folds holds: findings, every metric averaged and pooled, charts, and the folds."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from calipers.answers import answer_over_folds
from calipers.report import layout
from calipers.report import validation as validation_report
from calipers.report.layout import Footnotes, Table
from calipers.report.model_names import last_step
from calipers.report.page import first_screen, validation_charts
from calipers.report.page.elements import SENTENCE, TAGS, Chart, Grid, GridCell, PageBudget, grid, key_of, short
from calipers.report.page.evaluation import findings_of
from calipers.report.page.first_screen import FIRST
from calipers.report.page.fold_strips import spread
from calipers.report.terminal import distinct_labels, fitted
from calipers.validation.cross_validation import Validation

if TYPE_CHECKING:
    from calipers.metrics.base import Measure
    from calipers.report.language import Language

FOLDS, METRICS = 50, 6  # folds and metrics of the table of folds


def pictures(validation: Validation, lang: Language) -> list[Chart]:
    """The charts."""
    return validation_charts.charts(validation, lang)


def contents(validation: Validation, lang: Language, budget: PageBudget, pictures: list[Chart]) -> dict[str, Any]:
    """Everything that the template shows of a model over folds."""
    notes, level = Footnotes(lang), lang.local(layout.percent(validation.level))
    answer = first_screen.shown(answer_over_folds(validation), lang)
    table = validation_report.table(validation, lang, wide=True)
    strips = spread(validation, lang, level, budget.numbers)
    named, called = zip(validation, table.rows, strict=True), lang.heading if strips else lang.glossed
    rows = tuple((called(name), *row[1:]) for name, row in islice(named, budget.numbers))
    whole = grid(Table(lang.say("page.folds_table"), table.head, rows), notes, "metrics")
    charts = pictures[: budget.charts]
    findings = findings_of(validation.findings, lang, {"numbers", *(c.key for c in charts)}, budget)
    labels = validation.folds[0].evaluation.labels
    nav = [*(["findings"] if findings else []), "numbers", *(["charts"] if charts else []), "folds"]
    return {
        "kind": "validation",
        "sections": {},
        "name": lang.say("views.folds.title", model=short(last_step(validation.model).removesuffix("()"))),
        "about": fitted(validation_report.title(validation, lang), SENTENCE),
        "labels": distinct_labels(labels[:TAGS], 24),
        "left": max(0, len(labels) - TAGS),
        "level": level,
        "nav": [*nav, "definitions", "reproduction"],
        "findings": findings,
        "answer": answer,
        "gauges": first_screen.gauges(answer),
        "metrics": whole,
        "spread": strips,
        "left_numbers": max(0, len(validation) - budget.numbers),
        "charts": charts,
        "left_charts": len(pictures) - len(charts),
        "every_chart": charts,
        "folds": _folds(validation, lang, min(FOLDS, 2 * budget.rows)),
        "definitions": [fitted(line, SENTENCE) for line in validation_report.assumed(validation, lang)],
        "notes": list(notes),
    }


def _order(validation: Validation) -> list[Measure]:
    """The metrics, those first that people look for first."""
    plain = {m.metric.name: m for m in reversed(validation.listed)}
    return list(dict.fromkeys((*(plain[name] for name in FIRST if name in plain), *validation.listed)))


def _folds(validation: Validation, lang: Language, most: int) -> Grid:
    """Every fold: its rows and the first metrics."""
    listed = _order(validation)[:METRICS]
    rows = []
    for fold in validation.folds[:most]:
        sizes = fold.number, len(fold.train), len(fold.test)
        counts = (GridCell(lang.count(n), sort=str(n), number=True) for n in sizes)
        values = (fold.evaluation[m.name] for m in listed)
        cells = (GridCell(layout.value(e, lang), sort=key_of(e), number=True) for e in values)
        rows.append((*counts, *cells))
    head = (*(lang.say(f"page.fold.{key}") for key in ("number", "train", "test")),
            *(lang.heading(m) for m in listed))  # fmt: skip
    left = len(validation.folds) - most
    more = lang.say("page.more_folds", count=left) if left > 0 else ""
    return Grid(lang.say("page.each_fold"), head, tuple(rows), more, "folds-0")
