"""Formulas over the two sorted samples of a scorer: how well it ranks."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from calipers import _native
from calipers.choices import Interpolation
from calipers.errors import InputError
from calipers.metrics.base import metric
from calipers.metrics.brackets import by_ranking, of_largest_gap, of_precision
from calipers.metrics.values import Area, PrecisionArea, Without
from calipers.remarks import Remark
from calipers.statistics.scores import ScoreSamples

Array = npt.NDArray[Any]
UNIT = (0.0, 1.0)
EVERY_TASK = {"binary": (None,), "multiclass": ("macro",), "multilabel": ("macro",)}
ONE_CLASS = Remark("metrics.one_class")
NO_POSITIVES = Remark("metrics.none_true")
NEEDS_BOOTSTRAP = Remark("metrics.needs_bootstrap")
CHOSEN = Remark("metrics.chosen_threshold")
ROUNDING = 1e-12  # the part of a sum of weights that is left by rounding only


def influence_on_area(s: ScoreSamples, scores: Array, truth: Array) -> Array:
    """Influence of each row on the area under the ROC curve (DeLong's placements, as deviations)."""
    if not len(s.pos) or not len(s.neg):
        return np.zeros(len(scores))
    weights, totals = (s.pos_weights, s.neg_weights), (s.positives, s.negatives)
    return _native.area_influences(s.pos, s.neg, *weights, *_rows(s, scores, truth), _area(s), *totals)


def influence_on_precision(s: ScoreSamples, scores: Array, truth: Array) -> Array:
    """Influence of each row on average precision: its own precision, and what it does to that of rows below it."""
    if not len(s.pos):
        return np.zeros(len(scores))
    thresholds, tp, fp = (a[1:] for a in s.sweep(False, floats=True))
    ap = float(np.diff(tp, prepend=0.0) @ (tp / (tp + fp))) / s.positives
    rows, total = _rows(s, scores, truth), s.positives + s.negatives
    return _native.precision_influences(thresholds.astype(s.pos.dtype), tp, fp, *rows, ap, s.positives, total)


def precision_without_groups(s: ScoreSamples, scores: Array, truth: Array, weights: Array, codes: Array) -> Array:
    """Average precision with each group of rows left out in turn; NaN where it has all positives."""
    thresholds, tp, fp = (a[1:] for a in s.sweep(False, floats=True))
    added = np.diff(tp, prepend=0.0)
    some = added > 0  # precision counts only where positives are added
    first: Array = np.cumsum(some) - some  # the number of the first such threshold, from each threshold on
    at = first[np.searchsorted(-thresholds.astype(s.pos.dtype), -scores.astype(s.pos.dtype, copy=False))]
    added, tp, rows = added[some], tp[some], (tp + fp)[some]
    order, ends, left = np.argsort(codes, kind="stable"), np.cumsum(np.bincount(codes)), []
    for own in np.split(order, ends[:-1]):
        w, place = weights[own], at[own]
        hits, drawn = (np.bincount(place, part, len(tp) + 1)[:-1] for part in (w * truth[own], w))
        remaining = rows - np.cumsum(drawn)
        precision = np.divide(tp - np.cumsum(hits), remaining, where=remaining > ROUNDING * rows, out=np.zeros(len(tp)))
        total = tp[-1] - hits.sum()
        left.append(float((added - hits) @ precision) / total if total > ROUNDING * tp[-1] else np.nan)
    return np.array(left)


def _rows(s: ScoreSamples, scores: Array, truth: Array) -> tuple[Array, Array]:
    return np.ascontiguousarray(scores, s.pos.dtype), np.ascontiguousarray(truth, np.uint8)


def _area(s: ScoreSamples) -> float:
    pairs = s.positives * s.negatives
    if not pairs:
        return np.nan
    area = float(s.areas.pairs2 / (2 * pairs))
    if s.areas.v10 == s.areas.v01 == 0 and abs(2 * area - round(2 * area)) < ROUNDING:
        return round(2 * area) / 2  # of samples that are apart or tied, whatever the rounding of weights
    return area


def _with_spread(s: ScoreSamples, slope: float = 1.0, offset: float = 0.0) -> Area:
    v10, v01 = s.areas.v10, s.areas.v01
    p, n = s.effective
    if s.pos_weights is not None and p and n:  # weighted sums of squares, converted to effective rows
        v10, v01 = v10 * (p / s.positives) ** 2, v01 * (n / s.negatives) ** 2
    weighted = abs(p + n - s.rows) > 1e-8 + 1e-5 * s.rows  # more than rounding; np.isclose takes 25 µs
    return Area(_area(s), v10, v01, p, n, slope, offset, weighted)


@metric(title="ROC AUC",
        over=ScoreSamples, better="higher", bounds=UNIT, formula="{pairs} / ({positives} * {negatives})",
        undefined=ONE_CLASS, aliases=("auc", "auroc", "c_statistic"), headline=EVERY_TASK,
        influence=influence_on_area, walked="auc", ends=by_ranking,
        reference="Hanley and McNeil 1982; DeLong et al. 1988, Biometrics 44:837-845")
def roc_auc(s: ScoreSamples) -> Area:
    """Probability that a random positive scores higher than a random negative; ties count as half.

    Caution: If positives are rare, a high value can still mean many false alarms. It averages over thresholds that
    nobody would use. A useless model has 0.5 at any prevalence.
    """
    return _with_spread(s)


@metric(title="Gini coefficient",
        over=ScoreSamples, better="higher", bounds=(-1.0, 1.0),
        formula="2 * {pairs} / ({positives} * {negatives}) - 1", undefined=ONE_CLASS,
        aliases=("accuracy_ratio", "somers_d"), walked="auc", ends=by_ranking)
def gini(s: ScoreSamples) -> Area:
    """Twice the ROC AUC minus 1: 0 for guessing, 1 for a perfect ranking.

    Caution: It is ROC AUC on another scale, with the same weaknesses; other Gini coefficients are unrelated.
    """
    return _with_spread(s, 2.0, -1.0)


@metric(title="partial AUC",
        over=ScoreSamples, better="higher", bounds=UNIT, formula="standardised_area({fpr}, {tpr}, {max_fpr})",
        undefined=ONE_CLASS, ends=by_ranking, reference="McClish 1989, Med. Decis. Making 9:190-195")
def partial_auc(s: ScoreSamples, *, max_fpr: float = 0.1) -> Without:
    """ROC AUC up to a false positive rate, rescaled so that guessing gives 0.5 and a perfect model 1.

    Caution: Do not compare values for different limits, or raw and rescaled values.
    """
    if not 0 < max_fpr <= 1:
        raise InputError("metrics.not_a_max_fpr", max_fpr=f"{max_fpr:g}")
    _, tp, fp = s.sweep(True)
    if not s.positives or not s.negatives:
        return Without(np.nan, NEEDS_BOOTSTRAP)
    return Without(standardised_area(fp / s.negatives, tp / s.positives, max_fpr), NEEDS_BOOTSTRAP)


def standardised_area(fpr: Array, tpr: Array, max_fpr: float) -> float:
    """McClish's standardised partial area of a ROC polyline."""
    stop = int(np.searchsorted(fpr, max_fpr, "right"))
    x = np.append(fpr[:stop], max_fpr)
    y = np.append(tpr[:stop], np.interp(max_fpr, fpr, tpr))
    least = max_fpr**2 / 2
    return float((1 + (np.trapezoid(y, x) - least) / (max_fpr - least)) / 2)


@metric(over=ScoreSamples, better="higher", bounds=UNIT,
        formula="interpolated_area({recall}, {precision}, {interpolation})", undefined=NO_POSITIVES,
        aliases=("ap", "pr_auc"), headline=EVERY_TASK,
        shorthands=dict.fromkeys(("mAP", "mean_average_precision"), "average_precision(average=macro)"),
        influence=influence_on_precision, walked="ap", ends=of_precision,
        reference=Remark("metrics.reference_ap"))
def average_precision(s: ScoreSamples, *, interpolation: str = "step") -> PrecisionArea | Without:
    """Average of precision over recall: each increase of recall counts with the precision reached there.

    Caution: Do not compare across data sets with different prevalence: guessing scores the prevalence, not 0.5.
    """
    if interpolation not in INTERPOLATIONS:
        raise InputError("metrics.unknown_value", name="interpolation", value=interpolation, known=INTERPOLATIONS)
    if not s.positives or not s.negatives:
        why = Remark("metrics.all_true")
        return Without(np.nan, NO_POSITIVES) if not s.positives else Without(1.0, why, of_rows=True)
    if interpolation in ("step", "trapezoid"):  # they differ by O(1/positives), and so do their influences
        # A mean of precisions: what is beyond 1 is the rounding of sums of weights.
        return _precision_area(s, min(1.0, s.walk.ap if interpolation == "step" else s.walk.ap_trapezoid))
    _, recall, precision = s.precision_recall()
    return Without(interpolated_area(recall, precision, interpolation), NEEDS_BOOTSTRAP)


def _precision_area(s: ScoreSamples, value: float) -> PrecisionArea:
    positives, negatives = s.effective
    rows, total = positives + negatives, s.positives + s.negatives
    two, four = s.walk.ap_if2, s.walk.ap_if4
    kurtosis = rows * four / two**2 if two > 0 else 1.0
    harm = np.sqrt(s.walk.ap_rival) / total * (s.negatives / negatives)  # of one negative with the weight of many
    return PrecisionArea(value, two / total**2, positives, rows, kurtosis, float(harm))


INTERPOLATIONS: tuple[str, ...] = get_args(Interpolation)


def interpolated_area(recall: Array, precision: Array, interpolation: str) -> float:
    """Area under a PR curve given at falling thresholds, by one of the four rules in use."""
    if interpolation == "step":
        return float(np.diff(recall, prepend=0.0) @ precision)
    if interpolation == "trapezoid":
        return float(np.trapezoid(np.append(1.0, precision), np.append(0.0, recall)))
    best = np.maximum.accumulate(precision[::-1])[::-1]  # the best precision at this recall or a higher one
    if interpolation == "all-point":
        return float(np.diff(recall, prepend=0.0) @ best)
    at = np.searchsorted(recall, np.arange(11) / 10 - 1e-12)  # recall is a ratio of counts: 3/10 is not 0.3
    return float(np.append(best, 0.0)[at].mean())


@metric(over=ScoreSamples, better="higher", bounds=UNIT, formula="mean({precision})", undefined=NO_POSITIVES)
def mean_precision_over_thresholds(s: ScoreSamples) -> Without:
    """Mean of precision over the distinct thresholds. This is not average precision, although some texts call it so.

    Caution: It gives every threshold the same weight, so do not confuse it with average precision.
    """
    value = float(s.precision_recall()[2].mean()) if s.positives else np.nan
    return Without(value, NEEDS_BOOTSTRAP)


@metric(title="KS statistic",
        over=ScoreSamples, better="higher", bounds=UNIT, formula="max(abs({tpr} - {fpr}))", undefined=ONE_CLASS,
        aliases=("kolmogorov_smirnov",), walked="ks", ends=of_largest_gap)
def ks(s: ScoreSamples) -> Without:
    """Largest distance between the score distributions of the two classes.

    Caution: Its threshold is chosen on the same data, so it is not the performance on new data.
    """
    return Without(s.walk.ks, CHOSEN)


@metric(title="equal error rate",
        over=ScoreSamples, better="lower", bounds=UNIT, formula="crossing({fpr}, 1 - {tpr})", undefined=ONE_CLASS,
        aliases=("equal_error_rate",), walked="eer", ends=by_ranking)
def eer(s: ScoreSamples) -> Without:
    """Error rate at the threshold where the false positive rate equals the miss rate.

    Caution: In most applications misses and false alarms should not be equally frequent.
    """
    return Without(s.walk.eer, CHOSEN)


def crossing(rising: Array, falling: Array) -> float:
    """Where two polylines over the same points meet, the first rising from below the second."""
    gap = rising - falling
    i = int(np.argmax(gap >= 0))
    if i == 0 or gap[i] == 0:
        return float(rising[i])
    t = gap[i - 1] / (gap[i - 1] - gap[i])
    return float(rising[i - 1] + t * (rising[i] - rising[i - 1]))


@metric(title="break-even point",
        over=ScoreSamples, better="higher", bounds=UNIT, formula="interp(1, {predicted_per_positive}, {recall_from_0})",
        undefined=NO_POSITIVES, aliases=("break_even_point", "r_precision_of_classes"),
        walked="break_even", ends=by_ranking)
def break_even(s: ScoreSamples) -> Without:
    """Value of precision and recall when the number of predicted positives equals the number of positives.

    Caution: Its threshold is chosen on the same data, so it is not the F1 on new data.
    """
    return Without(s.walk.break_even if s.positives else np.nan, CHOSEN)
