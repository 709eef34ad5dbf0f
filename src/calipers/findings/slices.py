"""What slices give away, with the share of false finds held over all of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from calipers.findings.base import Number, rule
from calipers.inference.area import delong, exponential_variance
from calipers.inference.multiple import benjamini_hochberg
from calipers.inference.outcome import chi2_p, normal_p
from calipers.inference.selected import more_within_strata
from calipers.metrics.base import CATALOGUE
from calipers.metrics.resolve import resolve
from calipers.metrics.values import Area
from calipers.metrics.views import Unavailable

if TYPE_CHECKING:
    from calipers.evaluation.evaluation import Evaluation
    from calipers.metrics.views import Views
    from calipers.settings import Label
    from calipers.statistics.confusion import ConfusionCounts

Array = npt.NDArray[Any]

Findings = Iterator[Mapping[str, Number]]
ALPHA, GAP, SOME, EXPECTED, BANDS = 0.01, 0.03, 10, 5.0, 20


class Weaker(NamedTuple):
    """A slice, its value and that of the other slices, and the one-sided p-value that it is worse."""

    column: str
    slice: Label
    metric: str
    value: float
    rest: float
    pvalue: float


@rule("warning", "binary", "multiclass")
def weak_slice(ev: Evaluation) -> Findings:
    """Weaker for {column} = {slice}: {metric} is {value}, but {rest} would be expected from the other rows ({p:p},
    adjusted for {tests} {tests:test|tests} of slices).

    Look at these rows on their own: do their features or labels differ? Add training data for this group, or document
    the weakness.
    """
    listed = {measure.metric.name for measure in ev.listed}
    looks = [look for look, about in LOOKS if not listed.isdisjoint(about)]
    tried = [weaker for name in ev.by for look in looks for weaker in look(ev, name)]
    for weaker, p in zip(tried, benjamini_hochberg([w.pvalue for w in tried]), strict=True):
        if p < ALPHA and weaker.rest - weaker.value > GAP:
            yield {
                "column": weaker.column, "slice": str(weaker.slice), "metric": weaker.metric, "value": weaker.value,
                "rest": weaker.rest, "p": p, "tests": len(tried),
            }  # fmt: skip


def _views(ev: Evaluation, column: str) -> Iterator[tuple[Label, Views]]:
    for value, part in ev.by[column].items():
        if part.is_live:
            yield value, part.views


def _by_accuracy(ev: Evaluation, column: str) -> Iterator[Weaker]:
    """Wrong rows of each slice against those of all others, weights taken as effective rows.

    A slice in which a class is more common, or rows are harder to tell apart, has another accuracy without the model
    being weaker there. So it has to have more wrong rows than the others both class by class and, where scores were
    cut into predictions, among rows of about the same score. The value shown for the others is that of the slice's
    shares of the classes.
    """
    try:
        tables = {value: views.confusion for value, views in _views(ev, column)}
    except Unavailable:
        return
    scale = {v: float(t.cells.sum() / t.second.sum()) if t.cells.any() else 0.0 for v, t in tables.items()}
    rows = {v: t.cells.sum(1) * scale[v] for v, t in tables.items()}
    wrong = {v: (t.cells.sum(1) - t.cells.diagonal()) * scale[v] for v, t in tables.items()}
    all_rows, all_wrong = np.sum(list(rows.values()), 0), np.sum(list(wrong.values()), 0)
    bands = {value: np.array(band) * scale[value] for value, band in _bands(ev, column, tables).items()}
    every = np.sum(list(bands.values()), 0)
    for value in tables:
        mine, rest = rows[value], all_rows - rows[value]
        both = (mine > 0) & (rest > 0)
        if mine[both].sum() >= SOME and rest[both].sum() >= SOME:
            p = more_within_strata(wrong[value], mine, all_wrong - wrong[value], rest)
            if bands:
                (bad, of), (all_bad, all_of) = bands[value], every
                p = max(p, more_within_strata(bad, of, all_bad - bad, all_of - of))
            share = mine[both] / mine[both].sum()
            expected = 1 - float(share @ ((all_wrong - wrong[value])[both] / rest[both]))
            yield Weaker(column, value, "accuracy", 1 - float(share @ (wrong[value][both] / mine[both])), expected, p)


def _bands(ev: Evaluation, column: str, tables: Mapping[Label, ConfusionCounts]) -> dict[Label, tuple[Array, Array]]:
    """Wrong rows and all rows of each slice by bands of the score; nothing where predictions are not cut from it."""
    one_score = ev.views.facts.one_score
    try:
        parts = {value: views.samples if one_score else views.top for value, views in _views(ev, column)}
        threshold = ev.views.decision_threshold if one_score else np.inf
    except Unavailable:
        return {}
    scores = np.concatenate([x for s in parts.values() for x in (s.pos, s.neg)])
    edges = np.unique(np.append(np.quantile(scores, np.arange(1, BANDS) / BANDS), threshold))
    above = np.arange(len(edges) + 1) > np.searchsorted(edges, threshold)  # bands that are predicted positive
    bands = {}
    for value, s in parts.items():
        pos, neg = (_weights(*part, edges) for part in ((s.pos, s.pos_weights), (s.neg, s.neg_weights)))
        bands[value] = np.where(above, neg, pos) if one_score else neg, pos + neg
        missed = tables[value].cells.sum() - np.trace(tables[value].cells)
        if not np.isclose(bands[value][0].sum(), missed):
            return {}  # labels were given beside the scores
    return bands


def _weights(scores: Array, weights: Array | None, edges: Array) -> Array:
    return np.bincount(np.searchsorted(edges, scores, "right"), weights, len(edges) + 1)


def _by_area(ev: Evaluation, column: str) -> Iterator[Weaker]:
    """The ROC area of each slice against the mean of the others' areas, weighted by how well they are known."""
    areas: dict[Label, tuple[float, float]] = {}
    for value, views in _views(ev, column):
        answer = resolve(CATALOGUE["roc_auc"], views).value if ev.views.facts.one_score else None
        if isinstance(answer, Area) and min(answer.positives, answer.negatives) >= SOME:
            by_model = exponential_variance(answer.auc, answer.positives, answer.negatives)
            by_delong, _ = delong(answer.v10, answer.v01, answer.positives, answer.negatives)
            areas[value] = answer.auc, max(by_delong, by_model)
    for value, (auc, variance) in areas.items():
        others = [pair for other, pair in areas.items() if other != value]
        known = sum(1 / v for _, v in others if v)
        if known and variance:
            rest = sum(a / v for a, v in others if v) / known
            p = normal_p((auc - rest) / math.sqrt(variance + 1 / known), "less")
            yield Weaker(column, value, "roc_auc", auc, rest, p)


LOOKS = ((_by_accuracy, ("accuracy", "error_rate")), (_by_area, ("roc_auc", "gini")))


@rule("note", "binary", "multiclass")
def prevalence_differs_between_slices(ev: Evaluation) -> Findings:
    """{label:Class} makes up {high:percent} of the rows where {column} is {most}, but {low:percent} where it is
    {least} ({p:p}).

    Accuracy, precision, F1 and average precision are not comparable between these slices: compare recall, specificity
    and ROC AUC instead, or, with two classes, restate them with ev.at(prevalence=...). If the slices are dates, this is
    drift.
    """
    tried = [drift for name in ev.by if (drift := _drift(ev, name)) is not None]
    adjusted = benjamini_hochberg([float(drift["p"]) for drift in tried])
    for drift, p in zip(tried, adjusted, strict=True):
        if p < ALPHA / 10:
            yield {**drift, "p": p}


def _drift(ev: Evaluation, column: str) -> dict[str, Number] | None:
    """The chi-square test that all slices have the same shares of the classes, over slices with rows enough for it."""
    truths, values, effective = [], [], []
    for value, views in _views(ev, column):
        table = views.confusion
        if table.cells.any():
            truths.append(table.margins.truth)
            values.append(value)
            effective.append(float(table.cells.sum() / table.second.sum()))
    counts = np.array(truths) * np.array(effective)[:, None]
    if len(counts) < 2:
        return None
    shares = counts.sum(0) / counts.sum()
    has_enough = counts.sum(1) * shares[shares > 0].min() >= EXPECTED
    observed = counts[has_enough]
    observed = observed[:, observed.sum(0) > 0]
    if len(observed) < 2 or observed.shape[1] < 2:
        return None
    expected = np.outer(observed.sum(1), observed.sum(0)) / observed.sum()
    statistic = float(((observed - expected) ** 2 / expected).sum())
    each = counts[has_enough] / counts[has_enough].sum(1, keepdims=True)
    k = ev.views.positive if ev.views.positive is not None else int(np.ptp(each, 0).argmax())
    high, low = int(each[:, k].argmax()), int(each[:, k].argmin())
    names = [value for value, enough in zip(values, has_enough, strict=True) if enough]
    return {
        "label": str(ev.views.labels[k]), "column": column, "most": str(names[high]), "high": float(each[high, k]),
        "least": str(names[low]), "low": float(each[low, k]),
        "p": chi2_p(statistic, (len(observed) - 1) * (observed.shape[1] - 1)),
    }  # fmt: skip
