"""What the page of an evaluation holds. Everything is bounded: no number of rows, classes or slices makes it long."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from calipers.errors import InputError
from calipers.metrics.views import Unavailable
from calipers.report import layout
from calipers.report.display import fitted
from calipers.report.explain import Explanation, explain
from calipers.report.layout import Footnotes
from calipers.report.page.explorer import explorer
from calipers.report.page.heat import Heat, heat
from calipers.report.page.parts import SENTENCE, Chart, Room, Shown, cell, chart, grid, numbers, short

if TYPE_CHECKING:
    from calipers.evaluation import Evaluation
    from calipers.findings import Finding
    from calipers.report.language import Language

SIGNS = re.compile(r"\W+")
CARDS, FOUND, DRAWN = 4, 20, 60  # numbers on top, findings, classes whose curves can be told apart
# The numbers on top; of what was asked for, the first that are here.
FIRST = ("roc_auc", "f1", "average_precision", "mcc", "balanced_accuracy", "accuracy", "log_loss", "rmse", "mae", "r2",
         "bias", "ndcg", "map", "mrr", "jaccard", "hamming_loss")  # fmt: skip
# Charts by task, with the columns that the table behind each shows.
CURVES: dict[str, tuple[tuple[str, str, tuple[str, ...]], ...]] = {
    "binary": (
        ("calibration", "calibration", ("begin", "end", "rows", "score", "outcome", "low", "high")),
        ("scores", "scores", ("begin", "end", "positives", "negatives")),
        ("thresholds", "thresholds", ("threshold", "precision", "recall", "f1")),
    ),
    "regression": (
        ("predicted", "predictions", ("truth_begin", "truth_end", "begin", "end", "rows")),
        ("residuals", "residuals", ("predicted", "error", "low", "high", "sd")),
    ),
}
# Where a reader sees what a finding says: the first of these that is on the page.
EVIDENCE = {
    "scores_too_high": ("calibration", "number-ece"),
    "scores_too_low": ("calibration", "number-ece"),
    "overconfident": ("calibration", "number-ece"),
    "underconfident": ("calibration", "number-ece"),
    "accuracy_no_better_than_majority": ("number-accuracy", "confusion"),
    "imbalance": ("confusion",),
    "too_few_rows_of_a_class": ("classes", "confusion"),
    "class_never_predicted": ("confusion", "classes"),
    "most_confused_pair": ("confusion",),
    "predictions_too_high": ("residuals",),
    "predictions_too_low": ("residuals",),
    "worse_than_the_mean": ("number-r2", "predicted"),
    "errors_depend_on_the_prediction": ("residuals",),
    "one_error_carries_the_mse": ("predicted", "number-rmse"),
    "constant_scores": ("scores", "roc"),
    "two_valued_scores": ("scores", "roc"),
    "scores_inverted": ("roc",),
    "perfect_ranking": ("roc", "scores"),
    "ties_carry_the_roc_area": ("roc",),
    "threshold_far_from_best": ("explorer", "thresholds"),
    "rows_look_copied": ("scores",),
    "weak_slice": ("slices",),
    "prevalence_differs_between_slices": ("slices",),
    "overfitting": ("chart-folds", "numbers"),
}


class Told(NamedTuple):
    """A finding as it stands on the page."""

    severity: str
    kind: str
    sentence: str
    advice: str
    link: str


class Number(NamedTuple):
    """A metric with its interval, a bar that shows it, and how it came about."""

    key: str
    name: str
    shown: Shown
    bar: tuple[float, float, float] | None
    working: Explanation | None


def contents(ev: Evaluation, lang: Language, room: Room) -> dict[str, Any]:
    """Everything that the template shows of an evaluation."""
    notes = Footnotes(lang)
    told, labels = layout.title(ev, lang)
    every = _numbers(ev, notes, room)
    charts, roc_pr = list(_charts(ev, lang)), list(_by_threshold(ev, lang))
    explored = _explorer(ev, lang) if roc_pr else None
    matrix = layout.matrix(ev)
    table = layout.classes(ev, lang, layout.LISTED * 2)
    slices = [grid(t, notes, f"slice-{i}") for i, t in enumerate(layout.slices(ev, lang)) if i < room.slicings]
    of_errors = None if matrix is None else _errors(matrix, lang, notes)
    of_classes = None if table is None else grid(table, notes, "classes")
    there = {f"number-{n.key}" for n in every} | {c.key for c in (*charts, *roc_pr)}
    sections = {"explorer": explored, "charts": charts, "confusion": of_errors, "classes": of_classes, "slices": slices}
    there |= {key for key, held in sections.items() if held}
    found = findings_of(layout.found(ev), lang, there)
    nav = ["findings"] * bool(found) + ["numbers"] + [key for key, held in sections.items() if held]
    return {
        "kind": "evaluation",
        "formulas": [lang.say("explain.formula"), lang.say("explain.here")],
        "name": lang.say(f"page.title.{ev.task}"),
        "about": told.partition(lang.say("report.colon"))[2],
        "labels": [fitted(label, 24) for label in labels[:8]],
        "left": max(0, len(ev.labels) - 8),
        "level": lang.local(layout.percent(ev.level)),
        "nav": [*nav, "definitions", "reproduction"],
        "findings": found,
        "cards": _cards(every),
        "numbers": every,
        "left_numbers": max(0, len(ev.listed) - room.numbers),
        "explorer": explored,
        "roc_pr": roc_pr,
        "charts": charts,
        "every_chart": [*charts, *roc_pr],
        "errors": of_errors,
        "classes": of_classes,
        "slices": slices,
        "left_slicings": max(0, len(ev.by) - room.slicings),
        "definitions": [fitted(line, SENTENCE) for line in layout.assumed(ev, lang)] + list(_defined(ev, lang)),
        "notes": list(notes),
    }


def _numbers(ev: Evaluation, notes: Footnotes, room: Room) -> list[Number]:
    lang, found = notes.lang, []
    for at, measure in enumerate(ev.listed[: room.numbers]):
        e = ev[measure.name]
        low, high = measure.metric.bounds
        bar = None
        if math.isfinite(low) and math.isfinite(high) and not math.isnan(e.low):
            value, start, end = (round(100 * (float(x) - low) / (high - low), 2) for x in (e, e.low, e.high))
            bar = value, start, max(end - start, 0.6)
        working = explain(measure.name, ev, lang=lang.code) if at < room.workings else None
        found.append(Number(SIGNS.sub("-", measure.name), lang.name(measure), cell(e, notes), bar, working))
    return found


def _cards(every: list[Number]) -> list[Number]:
    plain = {n.key.partition("-")[0]: n for n in reversed(every) if n.shown.interval}
    first = [plain[name] for name in FIRST if name in plain][:CARDS]
    return first if len(first) == CARDS else [*first, *(n for n in every if n not in first)][:CARDS]


def findings_of(every: Sequence[Finding], lang: Language, there: set[str]) -> list[Told]:
    """Findings as they stand on the page, each with a link to what shows it."""
    found = []
    for f in every[:FOUND]:
        link = next((place for place in EVIDENCE.get(f.code, ()) if place in there), "")
        sentence, advice = (fitted(text, SENTENCE) for text in (lang.finding(f), lang.advice(f)))
        found.append(Told(f.severity, lang.say(f"report.{f.severity}"), sentence, advice, link))
    return found


def _scored(ev: Evaluation) -> bool:
    """Whether there are scores of one positive class that can be cut anywhere."""
    if ev.views is None or ev.positive is None or ev.task != "binary":
        return False
    try:
        samples = ev.views.samples
    except Unavailable:
        return False
    return bool(len(samples.pos)) and bool(len(samples.neg))


def _by_threshold(ev: Evaluation, lang: Language) -> Iterator[Chart]:
    """The two charts on which the explorer marks the threshold."""
    if not _scored(ev):
        return
    columns = {"roc": ("threshold", "fpr", "tpr"), "pr": ("threshold", "recall", "precision")}
    for kind, shown in columns.items():
        drawn = chart(ev, kind, lang, shown, curve=ev.curve(kind))
        if drawn is not None:
            yield drawn


def _explorer(ev: Evaluation, lang: Language) -> Any:
    other = next((v for v in ev.labels if v != ev.positive), lang.say("page.rest"))
    return explorer(ev, lang, (short(ev.positive, 18), short(other, 18)))


def _charts(ev: Evaluation, lang: Language) -> Iterator[Chart]:
    """The other charts that fit what was measured."""
    if ev.views is None:
        return
    task = ev.task
    if task in ("multiclass", "multilabel"):
        if len(ev.labels) > DRAWN:
            return
        yield from _of_classes(ev, lang)
        return
    if task == "binary" and not _scored(ev):
        return
    if task == "regression" and ev.labels:  # several outputs a row: each has a row in the table
        return
    for kind, of, columns in CURVES.get(task, ()):
        try:
            drawn = chart(ev, kind, lang, columns, curve=ev.curve(of))
        except InputError:
            continue
        if drawn is not None:
            yield drawn
    if task == "ranking":
        drawn = chart(ev, "intervals", lang, metrics=[n for n in ev if not math.isnan(ev[n])][:CARDS * 3])
        if drawn is not None:
            yield drawn


def _of_classes(ev: Evaluation, lang: Language) -> Iterator[Chart]:
    for kind, area in (("roc", "roc_auc"), ("pr", "average_precision")):
        drawn = chart(ev, kind, lang)
        if drawn is not None:
            shown = ev.labels[: layout.LISTED]
            texts = [layout.whole(ev.classes[v][area], lang) for v in shown]
            columns = {lang.say("report.class"): [short(v) for v in shown], lang.name(area): texts}
            yield Chart(drawn.key, drawn.name, drawn.svg, numbers(drawn.name, columns, lang))


def _errors(matrix: Any, lang: Language, notes: Footnotes) -> Heat:
    """The confusion matrix as a table, coloured while there are few classes."""
    return heat(matrix, lang, None if len(matrix.labels) <= 2 else grid(layout.pairs(matrix, lang), notes))


def _defined(ev: Evaluation, lang: Language) -> Iterator[str]:
    """Which of several definitions the numbers follow."""
    listed = {m.metric.name: m for m in ev.listed}
    if ev.threshold is not None:
        yield lang.say("page.defined.threshold")
    for name in ("roc_auc", "average_precision"):
        if name in listed:
            yield lang.say(f"page.defined.{name}")
    if any(m.average == "macro" for m in ev.listed):
        yield lang.say("page.defined.macro")
