"""What the page of an evaluation holds. Everything is bounded: no number of rows, classes or slices makes it long."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from calipers.answers import answer as answered
from calipers.choices import CurveKind
from calipers.errors import InputError
from calipers.metrics.views import Unavailable
from calipers.report import evaluation as description
from calipers.report import layout
from calipers.report.layout import Footnotes
from calipers.report.page import first_screen, parts
from calipers.report.page.elements import (
    LABEL,
    SENTENCE,
    TAGS,
    Chart,
    PageBudget,
    chart,
    grid,
    numbers,
    unbroken,
)
from calipers.report.page.heat import heat
from calipers.report.page.queries import queries
from calipers.report.page.workbench import Workbench, workbench
from calipers.report.plots.canvas import POINTS
from calipers.report.terminal import distinct_labels, fitted

if TYPE_CHECKING:
    from calipers.evaluation.confusion import Confusion
    from calipers.evaluation.evaluation import Evaluation
    from calipers.findings import Finding
    from calipers.report.language import Language

CHARTED, CURVED_CLASSES = 12, 60  # metrics of a chart of intervals, classes whose curves are drawn
# The curve behind a chart, and the columns of it that the table shows.
CURVES: dict[str, tuple[CurveKind, tuple[str, ...]]] = {
    "calibration": ("calibration", ("begin", "end", "rows", "score", "outcome", "low", "high")),
    "errors": ("errors", ("begin", "end", "rows")),
    "predicted": ("predictions", ("truth_begin", "truth_end", "begin", "end", "rows")),
    "residuals": ("residuals", ("predicted", "error", "low", "high", "sd")),
    "exposure": ("exposure", ("items_share", "exposure")),
}
LINKED: dict[CurveKind, tuple[str, ...]] = {
    "roc": ("threshold", "fpr", "tpr"),
    "pr": ("threshold", "recall", "precision"),
    "thresholds": ("threshold", "precision", "recall", "f1"),
}
AREAS = {"roc": "roc_auc", "pr": "average_precision", "calibration": "ece"}  # what is beside the curve of each class
CURVE_OPTIONS: dict[str, dict[str, Any]] = {"calibration": {"band": "pointwise"}}
# Where a reader sees what a finding says: the first of these that is on the page.
EVIDENCE = {
    "scores_too_high": ("calibration", "number-ece"),
    "scores_too_low": ("calibration", "number-ece"),
    "overconfident": ("calibration", "number-ece"),
    "underconfident": ("calibration", "number-ece"),
    "only_one_class": ("confusion", "workbench"),
    "accuracy_worse_than_majority": ("number-accuracy", "confusion", "workbench"),
    "accuracy_no_better_than_majority": ("number-accuracy", "confusion", "workbench"),
    "imbalance": ("confusion", "workbench"),
    "too_few_rows_of_a_class": ("classes", "confusion", "workbench"),
    "class_never_predicted": ("confusion", "workbench", "classes"),
    "most_confused_pair": ("confusion",),
    "predictions_too_high": ("residuals",),
    "predictions_too_low": ("residuals",),
    "worse_than_the_mean": ("number-r2", "predicted"),
    "errors_depend_on_the_prediction": ("residuals",),
    "one_error_carries_the_mse": ("predicted", "number-rmse"),
    "constant_scores": ("workbench", "roc"),
    "two_valued_scores": ("workbench", "roc"),
    "scores_inverted": ("roc",),
    "perfect_ranking": ("roc", "workbench"),
    "ties_carry_the_roc_area": ("roc",),
    "threshold_far_from_best": ("workbench",),
    "rows_look_copied": ("workbench",),
    "weak_slice": ("slices",),
    "prevalence_differs_between_slices": ("slices",),
    "overfitting": ("numbers",),
    "topics_share_words": ("number-topic_overlap", "classes"),
    "topics_without_support": ("classes", "numbers"),
    "words_not_in_texts": ("classes", "numbers"),
    "one_giant_cluster": ("clusters", "contingency"),
    "single_row_clusters": ("clusters",),
    "much_noise": ("clusters",),
    "rows_nearer_to_another_cluster": ("silhouette",),
    "sampled_candidates": ("numbers",),
    "same_items_for_everyone": ("number-personalisation", "numbers"),
    "users_without_recommendations": ("number-user_coverage", "numbers"),
    "seen_items_recommended": ("numbers",),
    "popular_items_preferred": ("number-popularity_lift", "exposure"),
}


class PageFinding(NamedTuple):
    """A finding as it stands on the page."""

    severity: str
    kind: str
    sentence: str
    advice: str
    link: str
    code: str
    address: str | None


class Pictures(NamedTuple):
    """What takes time to draw and is the same in any room."""

    charts: list[Chart]
    roc_pr: list[Chart]
    bench: Workbench | None


def pictures(ev: Evaluation, lang: Language) -> Pictures:
    """The charts and the workbench."""
    roc_pr = list(_linked(ev, lang)) if ev.is_live else []
    return Pictures(list(_charts(ev, lang)), roc_pr, workbench(ev, lang))


def contents(ev: Evaluation, lang: Language, budget: PageBudget, pictures: Pictures) -> dict[str, Any]:
    """Everything that the template shows of an evaluation."""
    notes = Footnotes(lang)
    answer = first_screen.shown(answered(ev), lang)
    groups = first_screen.groups(ev, answer, lang, budget)
    roc_pr = pictures.roc_pr[: budget.charts]
    charts = pictures.charts[: budget.charts - len(roc_pr)]
    bench = pictures.bench.limited(budget.entries) if pictures.bench is not None and budget.entries else None
    matrix = None if bench is not None and ev.positive is not None else description.matrix(ev)  # the workbench has it
    slices = list(parts.slices(ev, notes, budget))
    of_errors = None if matrix is None else heat(_positive_first(matrix, ev), lang, budget)
    of_classes = parts.classes(ev, notes, budget)
    of_queries = queries(ev, lang)
    table = description.clusters(ev, lang, budget.classes) if ev.has_clusters else None
    of_clusters = None if table is None else grid(table, notes, "clusters")
    anchors = {f"number-{n.key}" for group in groups for n in group.numbers} | {c.key for c in (*charts, *roc_pr)}
    sections = {"workbench": bench, "charts": charts, "clusters": of_clusters, "confusion": of_errors,
                "classes": of_classes, "slices": slices, "queries": of_queries}  # fmt: skip
    anchors |= {key for key, content in sections.items() if content}
    findings = findings_of(description.findings(ev), lang, anchors, budget)
    nav = ["findings"] * bool(findings) + ["numbers"] + [key for key, content in sections.items() if content]
    return {
        "kind": "evaluation",
        "formulas": [lang.say("explain.formula"), lang.say("explain.here")],
        "name": lang.say(f"page.title.{ev.task}"),
        "about": lang.say("answers.between").join(description.facts(ev, lang)),
        "labels": distinct_labels(ev.labels[:TAGS], 24) if ev.positive is None else (),
        "left": max(0, len(ev.labels) - TAGS),
        "level": lang.local(layout.percent(ev.level)),
        "nav": [*nav, "definitions", "reproduction"],
        "sections": {"classes": description.PLURALS[ev.schema.facts.label], "queries": ev.schema.facts.unit},
        "findings": findings,
        "answer": answer,
        "gauges": first_screen.gauges(answer),
        "groups": groups,
        "marked": _marked(ev, groups),
        "left_numbers": max(0, len(ev.listed) - budget.numbers),
        "bench": bench,
        "roc_pr": roc_pr,
        "charts": charts,
        "left_charts": len(pictures.charts) + len(pictures.roc_pr) - len(charts) - len(roc_pr),
        "every_chart": [*charts, *roc_pr],
        "errors": of_errors,
        "classes": of_classes,
        "queries": of_queries,
        "clusters": of_clusters,
        "slices": slices,
        "left_slicings": max(0, len(ev.by) - budget.slicings),
        "definitions": [fitted(line, SENTENCE) for line in description.assumed(ev, lang)][: budget.lines]
        + list(_defined(ev, lang)),
        "notes": [(letter, fitted(text, SENTENCE)) for letter, text in islice(notes, budget.lines)],
    }


def findings_of(every: Sequence[Finding], lang: Language, anchors: set[str], budget: PageBudget) -> list[PageFinding]:
    """Findings as they stand on the page, each with a link to what shows it."""
    entries = []
    for f in every[: budget.lines]:
        link = next((place for place in EVIDENCE.get(f.code, ()) if place in anchors), "")
        sentence, advice = (unbroken(fitted(text, SENTENCE)) for text in (lang.finding(f), lang.advice(f)))
        kind = lang.say(f"report.{f.severity}")
        entries.append(PageFinding(f.severity, kind, sentence, advice, link, f.code, f.link))
    return entries


def _scored(ev: Evaluation) -> bool:
    """Whether there are scores of one positive class that can be cut anywhere."""
    if not ev.is_live or ev.positive is None or not ev.schema.facts.one_score:
        return False
    try:
        samples = ev.views.samples
    except Unavailable:
        return False
    return bool(len(samples.pos)) and bool(len(samples.neg))


def _linked(ev: Evaluation, lang: Language) -> Iterator[Chart]:
    """The charts on which the workbench marks the threshold."""
    one, page_charts = ev.schema.facts.one_score, ev.schema.facts.page_charts
    for kind, names in LINKED.items():
        if one:
            picture = chart(ev, kind, lang, names, curve=ev.curve(kind, points=POINTS)) if _scored(ev) else None
        else:
            picture = _of_classes(ev, kind, lang) if kind in page_charts else None
        if picture is not None:
            yield picture


def _charts(ev: Evaluation, lang: Language) -> Iterator[Chart]:
    """The other charts that fit what was measured."""
    task = ev.schema.facts
    several_outputs = task.of_numbers and bool(ev.labels)  # each has a row in the table
    if not ev.is_live or several_outputs or (task.one_score and not _scored(ev)):
        return
    for kind in task.page_charts:
        if kind in LINKED:  # the workbench has those
            continue
        picture = _of_classes(ev, kind, lang) if task.label_sets else _of_all(ev, kind, lang)
        if picture is not None:
            yield picture


def _of_all(ev: Evaluation, kind: str, lang: Language) -> Chart | None:
    if kind in ("contingency", "silhouette"):
        return chart(ev, kind, lang)
    if kind not in CURVES:
        return chart(ev, kind, lang, metrics=[n for n in ev if not math.isnan(ev[n])][:CHARTED])
    of, columns = CURVES[kind]
    try:
        return chart(ev, kind, lang, columns, curve=ev.curve(of, **CURVE_OPTIONS.get(of, {})))
    except InputError:
        return None


def _of_classes(ev: Evaluation, kind: str, lang: Language) -> Chart | None:
    """A chart with a curve of each class, and a table of the areas."""
    picture = chart(ev, kind, lang) if len(ev.labels) <= CURVED_CLASSES else None
    if picture is None:
        return None
    labels, area = ev.labels[: description.LISTED], AREAS[kind]
    texts = [layout.whole(ev.classes[v][area], lang) for v in labels]
    columns = {lang.say(f"report.{ev.schema.facts.label}"): distinct_labels(labels, LABEL), lang.heading(area): texts}
    return replace(picture, table=numbers(picture.name, columns, lang))


def _positive_first(matrix: Confusion, ev: Evaluation) -> Confusion:
    """The matrix in the order of the workbench: the positive class first."""
    if ev.positive is None:
        return matrix
    order = sorted(range(len(matrix.labels)), key=lambda i: matrix.labels[i] != ev.positive)
    return replace(matrix, labels=tuple(matrix.labels[i] for i in order), counts=matrix.counts[np.ix_(order, order)])


def _marked(ev: Evaluation, groups: Sequence[Any]) -> str:
    """The key of the text that explains the dashed marks beside numbers; empty without marks."""
    if all(n.gauge is None or n.gauge.mark is None for group in groups for n in group.numbers):
        return ""
    return "answers.legend_without_bias" if ev.schema.facts.of_numbers else "answers.legend_mark"


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
