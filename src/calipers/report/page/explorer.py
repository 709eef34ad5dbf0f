"""The threshold explorer: counts and bounds at about 256 thresholds, found here so that a script only shows them."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from calipers.inference.estimate import Estimate
from calipers.inference.intervals import interval
from calipers.metrics.values import Proportion
from calipers.report import layout
from calipers.report.page.elements import Grid, GridCell

if TYPE_CHECKING:
    from calipers.evaluation.evaluation import Evaluation
    from calipers.report.language import Language

POINTS, FEW, LISTED = 256, 24, 13  # thresholds; where rows come in groups, each of which is slow; of the table
METRICS = ("precision", "recall", "f1", "f2", "fpr")
SHARE = "share"  # of rows predicted positive, which the catalogue has no name for


@dataclass(frozen=True)
class Explorer:
    """What the script is given, what it shows, and the same without a script."""

    data: dict[str, Any]
    names: tuple[tuple[str, str], ...]  # key and name of each number
    table: Grid
    labels: tuple[str, str]
    prevalence: float
    start: int


def explorer(ev: Evaluation, lang: Language, labels: tuple[str, str]) -> Explorer:
    """Everything at thresholds that are spread along the curves, with the one in use among them."""
    thresholds = chosen(ev)
    each = [at(ev, t) for t in thresholds]
    texts = {key: [layout.whole(estimates[key], lang) for estimates, _ in each] for key in (*METRICS, SHARE)}
    names = tuple((key, lang.say("page.share") if key == SHARE else lang.heading(key)) for key in (*METRICS, SHARE))
    written = [written_threshold(t, lang) for t in thresholds]
    data = {
        "lang": lang.code,
        "start": (start := _nearest(ev, thresholds, each)),
        "thresholds": written,
        "values": [None if math.isinf(t) else float(f"{t:.9g}") for t in thresholds],
        "counts": [[_count(x) for x in counts] for _, counts in each],
        "told": texts,
        "rates": {key: [_rate(estimates[key]) for estimates, _ in each] for key in ("recall", "fpr")},
        "places": {"roc": ("fpr", "recall"), "pr": ("recall", "precision")},
        "precision": [_rounded(estimates["precision"]) for estimates, _ in each],
    }
    rows = np.unique(np.linspace(0, len(each) - 1, LISTED).round().astype(int)).tolist()
    table = Grid(
        lang.say("page.thresholds_table"),
        (lang.term("threshold"), "TP", "FP", "FN", "TN", *(name for _, name in names)),
        tuple(
            tuple(map(GridCell, (written[i], *map(_count, each[i][1]), *(texts[key][i] for key, _ in names))))
            for i in rows
        ),
    )
    return Explorer(data, names, table, labels, float(ev["prevalence"]), start)


def written_threshold(threshold: float, lang: Language) -> str:
    """A threshold with the digits that tell it from its neighbours; infinity, where no row is positive, in words."""
    return lang.say("page.none") if math.isinf(threshold) else lang.local(f"{threshold:.5g}")


def _nearest(ev: Evaluation, thresholds: list[float], each: list[Any]) -> int:
    """The threshold in use; where labels were given, the one whose errors are most like theirs."""
    if ev.threshold is not None:
        return int(np.argmin(np.abs(np.array(thresholds) - ev.threshold)))
    distances = [abs(estimates["recall"] - ev["recall"]) + abs(estimates["fpr"] - ev["fpr"]) for estimates, _ in each]
    return int(np.argmin(distances))


def chosen(ev: Evaluation) -> list[float]:
    """Thresholds that are evenly spread along the sweep, lowest first, with the one in use and, last, one above all
    scores: to predict none can cost least."""
    thresholds = ev.curve("sweep", points=FEW if _grouped(ev) else POINTS - 2).threshold
    used = [] if ev.threshold is None or not math.isfinite(ev.threshold) else [ev.threshold]
    none = [] if math.isinf(ev.views.samples.range[1]) else [math.inf]  # an infinite score is positive at any threshold
    return [float(t) for t in np.unique(np.concatenate((thresholds[np.isfinite(thresholds)], used, none)))]


def _grouped(ev: Evaluation) -> bool:
    return ev.is_live and ev.views.source is not None and ev.views.source.groups is not None


def at(ev: Evaluation, threshold: float) -> tuple[dict[str, Estimate], list[float]]:
    """The metrics of the explorer at one threshold, by their default methods, and TP, FP, FN, TN."""
    thresholded = ev.at(threshold=threshold)
    # Default intervals: a bootstrap at each threshold would take minutes.
    thresholded = replace(thresholded, settings=replace(thresholded.settings, interval=None))
    views = thresholded.views
    assert views.positive is not None
    counts = [float(x) for x in views.one_vs_rest.at(views.positive).counts]
    return {**{key: thresholded[key] for key in METRICS}, SHARE: _share(thresholded, counts)}, counts


def _share(ev: Evaluation, counts: list[float]) -> Estimate:
    """The share of rows predicted positive: a proportion, or with groups a mean of rows that are 0 or 1."""
    if _grouped(ev):
        costs = [float(label == ev.positive) for label in ev.labels]
        return ev.expected_cost([costs for _ in ev.labels])
    tp, fp, *_ = counts
    share = Proportion(tp + fp, sum(counts), effective=sum(ev.views.samples.effective))
    find = partial(interval, share, ev.level, (0.0, 1.0))
    return Estimate(float(share.value), n=ev.rows, level=ev.level, interval=find)


def _rate(e: Estimate) -> list[float | None]:
    return [_rounded(x) for x in (e, e.low, e.high)]


def _rounded(x: float) -> float | None:
    return None if math.isnan(x) else round(float(x), 5)


def _count(x: float) -> str:
    return str(layout.Count(x))
