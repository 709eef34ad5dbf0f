"""Metrics with several definitions: the value under each, and who uses which, so that two tools can be reconciled."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from calipers.errors import CalipersError
from calipers.metrics.base import Measure
from calipers.metrics.names import render
from calipers.metrics.views import Unavailable

if TYPE_CHECKING:
    from calipers.evaluation.evaluation import Evaluation

MACRO, WEIGHTED, MICRO = (f'scikit-learn average="{a}"' for a in ("macro", "weighted", "micro"))
USERS = {
    "macro": (MACRO, 'torchmetrics average="macro"'),
    "weighted": (WEIGHTED,),
    "micro": (MICRO,),
    "means": ("Sokolova and Lapalme 2009",),
    "at_least": ("scikit-learn roc_curve", "precision_recall_curve"),
    "above": ("scikit-learn predict", "torchmetrics", "Keras"),
    "auc_half": ("scikit-learn roc_auc_score", "torchmetrics", "pROC"),
    "ovo": ('scikit-learn multi_class="ovo"',),
    "step": ("scikit-learn average_precision_score", "torchmetrics"),
    "trapezoid": ("scikit-learn auc(recall, precision)",),
    "eleven": ("PASCAL VOC 2007",),
    "all_point": ("PASCAL VOC 2010",),
    "brier_one": ("scikit-learn brier_score_loss",),
    "nats": ("scikit-learn log_loss",),
    "plain": ("scikit-learn",),
    "adjusted": ("scikit-learn adjusted=True",),
    "rescaled": ("scikit-learn max_fpr=",),
    "raw": ("pROC partial.auc=",),
}


@dataclass(frozen=True)
class Definition:
    """A definition: the key of its text, what is put into it, the value that it gives, and who uses it.

    `also` are the keys of further texts, where a definition is a choice in several respects.
    """

    key: str
    value: float
    users: tuple[str, ...] = ()
    placeholders: dict[str, Any] = field(default_factory=dict)
    also: tuple[str, ...] = ()


def definitions(ev: Evaluation, measure: Measure) -> list[Definition]:
    """Every definition of a metric that these rows have a value for; none where there is only one."""
    if not ev.is_live:
        return []
    every = [d for give in (OWN.get(measure.metric.name), _over_classes, _by_threshold) if give
             for d in give(ev, measure) if not math.isnan(d.value)]  # fmt: skip
    return every if len(every) > 1 else []


def _of(ev: Evaluation, key: str, name: str, users: tuple[str, ...] = (), **placeholders: Any) -> Definition:
    try:
        value = float(ev[name])
    except CalipersError:
        value = math.nan
    return Definition(key, value, users or USERS.get(key, ()), placeholders)


def _over_classes(ev: Evaluation, measure: Measure) -> Iterator[Definition]:
    """The positive class, the other one, and the averages: the commonest reason why two tools disagree."""
    metric = measure.metric
    of_labels, ranked = metric.view.of_counts, metric.influence is not None  # losses have no such averages
    if not of_labels and (not ranked or ev.positive is not None):
        return
    if ev.positive is not None:
        for label in sorted(ev.labels, key=lambda v: v != ev.positive):
            value = float(ev.classes[label][render(metric.name, dict(measure.parameters))])
            yield Definition("one_class", value, (f"scikit-learn pos_label={label!r}",), {"label": str(label)})
    for average in ("macro", "weighted", "micro", *(["means"] if metric.of_means else [])):
        yield _of(ev, average, render(metric.name, {**measure.parameters, "average": average}))
    if metric.name == "roc_auc":
        yield _of(ev, "ovo", "roc_auc_ovo")


def _by_threshold(ev: Evaluation, measure: Measure) -> Iterator[Definition]:
    """A score equal to the threshold is positive here, and negative in other tools."""
    views = ev.views
    if not measure.metric.view.from_labels:
        return
    if ev.positive is None or not views.scored or views.counted:
        return
    try:
        threshold = views.decision_threshold
    except Unavailable:  # these scores have no threshold
        return
    beyond = float(np.nextafter(views.samples.pos.dtype.type(threshold), np.inf))
    for key, boundary in (("at_least", threshold), ("above", beyond)):
        yield _of(ev.at(threshold=boundary), key, measure.name, threshold=threshold)


def _areas(ev: Evaluation, measure: Measure) -> Iterator[Definition]:
    if ev.positive is None or measure.average is not None:
        return
    yield _of(ev, "auc_half", "roc_auc")
    s = ev.views.samples
    _, tp, fp = s.sweep(False)
    tied = float(np.diff(tp) @ np.diff(fp)) / (s.positives * s.negatives) / 2 if s.positives * s.negatives else math.nan
    yield Definition("auc_lost", float(ev["roc_auc"]) - tied)
    yield Definition("auc_won", float(ev["roc_auc"]) + tied)
    yield _of(ev, "auc_labels", "balanced_accuracy")


def _precisions(ev: Evaluation, measure: Measure) -> Iterator[Definition]:
    average = {} if measure.average is None else {"average": measure.average}
    keys = {"step": "step", "trapezoid": "trapezoid", "11-point": "eleven", "all-point": "all_point"}
    for rule, key in keys.items():
        yield _of(ev, key, render("average_precision", {"interpolation": rule, **average}))
    yield _of(ev, "over_thresholds", render("mean_precision_over_thresholds", average))


def _calibration(ev: Evaluation, measure: Measure) -> Iterator[Definition]:
    users = {(15, "width"): ("torchmetrics n_bins=15",), (10, "width"): ("netcal ECE(10)",)}
    for rule in ("width", "mass"):
        for bins in (5, 10, 15, 20):
            name = render(measure.metric.name, {"bins": bins, "rule": rule})
            yield _of(ev, f"bins_{rule}", name, users.get((bins, rule), ()), bins=bins)


def _brier(ev: Evaluation, measure: Measure) -> Iterator[Definition]:
    value, two = float(ev["brier"]), len(ev.labels) == 2
    if two:
        yield Definition("brier_one", value, USERS["brier_one"])
    yield Definition("brier_sum", 2 * value if two else value, () if two else USERS["brier_one"])
    if not two:
        yield Definition("brier_mean", value / len(ev.labels))


def _logarithms(ev: Evaluation, measure: Measure) -> Iterator[Definition]:
    yield _of(ev, "nats", "log_loss")
    yield Definition("bits", float(ev["log_loss"]) / math.log(2))


def _chance(ev: Evaluation, measure: Measure) -> Iterator[Definition]:
    value, chance = float(ev["balanced_accuracy"]), 1 / len(ev.labels)
    yield Definition("plain", value, USERS["plain"])
    if chance < 1:
        yield Definition("adjusted", (value - chance) / (1 - chance), USERS["adjusted"])


def _partial(ev: Evaluation, measure: Measure) -> Iterator[Definition]:
    value, most = float(ev[measure.name]), float(measure.parameters.get("max_fpr", 0.1))
    least = most**2 / 2
    yield Definition("rescaled", value, USERS["rescaled"])
    yield Definition("raw", least + (2 * value - 1) * (most - least), USERS["raw"])


OWN: dict[str, Callable[[Evaluation, Measure], Iterator[Definition]]] = {
    "roc_auc": _areas, "average_precision": _precisions, "ece": _calibration, "mce": _calibration, "brier": _brier,
    "log_loss": _logarithms, "balanced_accuracy": _chance, "partial_auc": _partial,
}  # fmt: skip
