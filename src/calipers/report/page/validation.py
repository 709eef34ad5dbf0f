"""What the page of a model over folds holds: findings, every metric averaged and pooled, charts, and the folds."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from calipers.report import layout, validation
from calipers.report.layout import Footnotes, Table
from calipers.report.page import validation_charts
from calipers.report.page.elements import SENTENCE, TAGS, Chart, Grid, PageBudget, Shown, cell, grid, key_of
from calipers.report.page.evaluation import CARDS, FIRST, SIGNS, Number, findings_of
from calipers.report.terminal import distinct_labels, fitted
from calipers.validation.cross_validation import Validation

if TYPE_CHECKING:
    from calipers.metrics.base import Measure
    from calipers.report.language import Language

FOLDS, BESIDE = 50, 6  # folds and metrics of the table of folds


def pictures(found: Validation, lang: Language) -> list[Chart]:
    """The charts."""
    return validation_charts.charts(found, lang)


def contents(found: Validation, lang: Language, room: PageBudget, drawn: list[Chart]) -> dict[str, Any]:
    """Everything that the template shows of a model over folds."""
    notes = Footnotes(lang)
    table = validation.table(found, lang, wide=True)
    rows = table.rows[: room.numbers]
    whole = grid(Table(lang.say("page.folds_table"), table.head, rows), notes, "metrics")
    charts = drawn[: room.charts]
    told = findings_of(found.findings, lang, {"numbers", *(c.key for c in charts)}, room)
    labels = found.folds[0].evaluation.labels
    nav = [*(["findings"] if told else []), "numbers", *(["charts"] if charts else []), "folds"]
    return {
        "kind": "validation",
        "sections": {},
        "name": lang.say("page.title.validation"),
        "about": fitted(validation.title(found, lang), SENTENCE),
        "labels": distinct_labels(labels[:TAGS], 24),
        "left": max(0, len(labels) - TAGS),
        "level": lang.local(layout.percent(found.level)),
        "nav": [*nav, "definitions", "reproduction"],
        "findings": told,
        "cards": list(islice(_cards(found, notes), CARDS)),
        "metrics": whole,
        "left_numbers": max(0, len(found) - room.numbers),
        "charts": charts,
        "left_charts": len(drawn) - len(charts),
        "every_chart": charts,
        "folds": _folds(found, lang, min(FOLDS, 2 * room.rows)),
        "definitions": [fitted(line, SENTENCE) for line in validation.assumed(found, lang)],
        "notes": list(notes),
    }


def _cards(found: Validation, notes: Footnotes) -> Iterator[Number]:
    """The numbers on top: those that people look for first, then the others."""
    for measure in _order(found):
        e = found[measure.name]
        if not math.isnan(e):
            name = notes.lang.name(measure)
            yield Number(SIGNS.sub("-", measure.name), name, cell(e, notes), None, None)


def _order(found: Validation) -> list[Measure]:
    """The metrics, those first that people look for first."""
    plain = {m.metric.name: m for m in reversed(found.listed)}
    return list(dict.fromkeys((*(plain[name] for name in FIRST if name in plain), *found.listed)))


def _folds(found: Validation, lang: Language, most: int) -> Grid:
    """Every fold: its rows and the first metrics."""
    listed = _order(found)[:BESIDE]
    rows = []
    for fold in found.folds[:most]:
        counts = (Shown(str(n), sort=str(n)) for n in (fold.number, len(fold.train), len(fold.test)))
        values = (fold.evaluation[m.name] for m in listed)
        cells = (Shown(layout.value(e, lang), sort=key_of(e)) for e in values)
        rows.append((*counts, *cells))
    head = (*(lang.say(f"page.fold.{key}") for key in ("number", "train", "test")),
            *(layout.briefly(m.name, lang) for m in listed))  # fmt: skip
    left = len(found.folds) - most
    more = lang.say("page.more_folds", count=left) if left > 0 else ""
    return Grid(lang.say("page.each_fold"), head, tuple(rows), more, "folds-0")
