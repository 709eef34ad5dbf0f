"""Curves over thresholds, and the sweep behind them as a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from calipers.errors import InputError, UnknownName, nearest
from calipers.evaluation.curve import Curve
from calipers.evaluation.net_benefit import decision, decision_band
from calipers.inference import bands
from calipers.metrics.base import CATALOGUE
from calipers.metrics.bins import binned
from calipers.metrics.values import number
from calipers.remarks import Remark
from calipers.statistics.class_sketches import ClassSketches
from calipers.statistics.classes import ClassScores
from calipers.statistics.confusion import OneVsRest
from calipers.statistics.ranks import RankCounts
from calipers.statistics.scores import ScoreSamples

Array = npt.NDArray[Any]


def _shares(s: ScoreSamples, corners: bool) -> tuple[Array, Array, Array]:
    return s.roc(corners)  # shares of the last point, not of the sum of weights, which differs in its last bits


def roc(s: ScoreSamples) -> Curve:
    """FPR and TPR at each corner, from (0, 0) at +inf to (1, 1)."""
    thresholds, tpr, fpr = _shares(s, True)
    return Curve("roc", {"threshold": thresholds, "fpr": fpr, "tpr": tpr}, "fpr", "tpr")


def roc_band(s: ScoreSamples, c: Curve, band: str, level: float, fixed: bool) -> bands.Band:
    """The limits of the TPR at each FPR."""
    find = bands.roc_simultaneous if band == "simultaneous" else bands.roc_pointwise
    return find(c.fpr, c.tpr, *s.effective, level)


def pr(s: ScoreSamples) -> Curve:
    """Recall and precision at each distinct score, highest first; precision is a step function of recall."""
    thresholds, recall, precision = s.precision_recall()
    return Curve("pr", {"threshold": thresholds, "recall": recall, "precision": precision}, "recall", "precision")


def pr_band(s: ScoreSamples, c: Curve, band: str, level: float, fixed: bool) -> bands.Band:
    """The limits of the precision at each recall; the prevalence varies too, unless it was set from outside."""
    share = s.positives / (s.positives + s.negatives)
    places = np.searchsorted(s.neg, c.threshold.astype(s.neg.dtype))
    mass = np.arange(len(s.neg) + 1) if s.neg_weights is None else np.concatenate(([0.0], np.cumsum(s.neg_weights)))
    fpr = (mass[-1] - mass[places]) / mass[-1]
    return bands.pr_pointwise(
        c.recall, c.precision, fpr, *s.effective, (share, np.inf if fixed else sum(s.effective)), level
    )


def det(s: ScoreSamples) -> Curve:
    """FPR and FNR: the two error rates against each other."""
    thresholds, tpr, fpr = _shares(s, True)
    return Curve("det", {"threshold": thresholds, "fpr": fpr, "fnr": 1 - tpr}, "fpr", "fnr")


def gain(s: ScoreSamples) -> Curve:
    """The share of positives found among the share of rows scored highest, and the lift over picking at random."""
    thresholds, tp, fp = s.sweep(False)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = (tp + fp) / (tp[-1] + fp[-1])
        columns = {"threshold": thresholds, "share": share, "gain": tp / tp[-1], "lift": tp / tp[-1] / share}
    return Curve("gain", columns, "share", "gain")


def lift(s: ScoreSamples) -> Curve:
    """The gain curve with lift as its height; it starts at the first row, as the lift of no rows is undefined."""
    columns = {name: column[1:] for name, column in gain(s).items()}
    return Curve("lift", columns, "share", "lift")


def sweep(s: ScoreSamples) -> Curve:
    """Everything at every distinct threshold: counts, precision, recall and FPR."""
    c = counts(s)
    with np.errstate(invalid="ignore", divide="ignore"):
        columns = {
            "threshold": s.sweep(False)[0],
            **dict(zip(("tp", "fp", "fn", "tn"), c.counts, strict=True)),
            "precision": c.tp / (c.tp + c.fp),
            "recall": c.tp / (c.tp + c.fn),
            "fpr": c.fp / (c.fp + c.tn),
        }
    return Curve("sweep", columns, "threshold", "precision")


def counts(s: ScoreSamples) -> OneVsRest:
    """The four counts at every distinct threshold along the last axis, +inf first."""
    _, tp, fp = s.sweep(False)
    return OneVsRest(tp, fp, tp[-1] - tp, fp[-1] - fp)


def thresholds(
    s: ScoreSamples, *, metrics: Sequence[str] = ("precision", "recall", "f1"), cost: Mapping[str, float] | None = None
) -> Curve:
    """Metrics of one class at every distinct score, and the mean cost of a row where prices are given."""
    c, columns = counts(s), {"threshold": s.sweep(False)[0]}
    with np.errstate(invalid="ignore", divide="ignore"):
        for measure in map(CATALOGUE.__getitem__, [metrics] if isinstance(metrics, str) else metrics):
            if not measure.metric.view.of_counts:
                raise InputError("evaluation.no_threshold", metric=str(measure))
            columns[measure.name] = np.asarray(number(measure.formula(c)), np.float64)
        if cost is not None:
            columns["cost"] = mean_cost(c, cost)
    if len(columns) == 1:
        raise InputError("evaluation.nothing_at_thresholds")
    finite = {name: column[1:] for name, column in columns.items()}  # at +inf no row is positive
    return Curve("thresholds", finite, "threshold", list(finite)[1])


def mean_cost(c: OneVsRest, cost: Mapping[str, float]) -> Array:
    """The mean cost per row, from the costs of the four counts; counts without a cost are free."""
    known_prices(cost)
    return np.asarray(sum(price * getattr(c, name) for name, price in cost.items()) / sum(x for x in c.counts))


def known_prices(cost: Mapping[str, Any]) -> None:
    """Refuse what is not a mapping from counts to finite prices."""
    if not isinstance(cost, Mapping) or not cost or not all(np.isfinite(price).all() for price in cost.values()):
        raise InputError("evaluation.not_prices", cost=cost)
    unknown = set(cost) - {"tp", "fp", "fn", "tn"}
    if unknown:
        raise InputError("evaluation.unknown_prices", keys=sorted(unknown))


def scores(s: ScoreSamples, *, bins: int = 40) -> Curve:
    """How the scores of the positives and of the negatives are spread: rows of each in bins of equal width.

    Over [0, 1] for probabilities, else from the least to the greatest finite score; infinite ones are in the end bins.
    """
    if bins != int(bins) or not 1 <= bins <= 1000:
        raise InputError("evaluation.not_a_number_of_bins", bins=str(bins))
    finite = [part[np.isfinite(part)] for part in (s.pos, s.neg)]
    ends = [float(part[i]) for part in finite if len(part) for i in (0, -1)]
    low, high = (0.0, 1.0) if s.probabilities or not ends else (min(ends), max(ends))
    if low == high:
        low, high = low - 0.5, high + 0.5
    edges = low + (high - low) * (np.arange(bins + 1) / bins)  # for probabilities, the doubles nearest to i/bins
    edges[-1] = high
    pos, neg = (_binned(*part, edges) for part in ((s.pos, s.pos_weights), (s.neg, s.neg_weights)))
    columns = {"begin": edges[:-1], "end": edges[1:], "positives": pos, "negatives": neg}
    with np.errstate(invalid="ignore"):
        columns |= {"positive_share": pos / pos.sum(), "negative_share": neg / neg.sum()}
    return Curve("scores", columns, "begin", "positives")


def _binned(values: Array, weights: Array | None, edges: Array) -> Array:
    """The weight of sorted values in bins [a, b); the last holds its end."""
    cuts = np.concatenate(([0], np.searchsorted(values, edges[1:-1].astype(values.dtype)), [len(values)]))
    mass = np.arange(len(values) + 1) if weights is None else np.concatenate(([0.0], np.cumsum(weights)))
    return np.diff(mass[cuts]).astype(np.float64)


def calibration(s: ScoreSamples, *, bins: int = 10, rule: str = "width", closed: str = "left") -> Curve:
    """Mean score and observed frequency of the bins that hold rows."""
    b = binned(s, bins, rule, closed)
    occupied = b.weight > 0
    columns = {
        "begin": b.edges[:-1][occupied],
        "end": b.edges[1:][occupied],
        "score": b.score[occupied],
        "outcome": b.outcome[occupied],
        "rows": b.weight[occupied],
    }
    return Curve("calibration", columns, "score", "outcome")


def calibration_band(s: ScoreSamples, c: Curve, band: str, level: float, fixed: bool) -> bands.Band:
    """The limits of the frequency in each bin."""
    return bands.calibration_pointwise(c.outcome, c.rows * (sum(s.effective) / (s.positives + s.negatives)), level)


def top_k(ranks: RankCounts) -> Curve:
    """Accuracy and error of the k best scored classes, for every k."""
    accuracy = np.cumsum(ranks.cells) / ranks.cells.sum()
    columns = {"k": np.arange(1, len(accuracy) + 1), "accuracy": accuracy, "error": 1 - accuracy}
    return Curve("top_k", columns, "k", "accuracy")


KINDS: dict[str, Callable[..., Curve]] = {
    f.__name__: f for f in (roc, pr, det, gain, lift, sweep, thresholds, scores, calibration, decision)
}


OVER_THRESHOLDS = (roc, pr, det, gain, lift, sweep, thresholds)  # curves over thresholds, which may be fewer
MANY, GRID, TOP = 200_000, 8192, 2048  # rows of which fewer will do; thresholds by rank in each class, and at the top


def coarse(s: ScoreSamples) -> ScoreSamples:
    """The samples with the rows between two thresholds in one place, so that counts at these thresholds are the same.

    Thresholds are every n-th score of each class and all of the highest, where precision moves from row to row: no rate
    is farther than 1/8192 from its curve, and ten million rows are drawn as quickly as a thousand.
    """
    parts = [part for part in (s.pos, s.neg) if len(part)]
    chosen = [x for part in parts for x in (part[:: max(1, len(part) // GRID)], part[-TOP:])]
    at = np.unique(np.concatenate(chosen))
    pos, neg = (_gathered(*part, at) for part in ((s.pos, s.pos_weights), (s.neg, s.neg_weights)))
    return ScoreSamples(pos[0], neg[0], pos[1], neg[1])


def _gathered(values: Array, weights: Array | None, at: Array) -> tuple[Array, Array]:
    """The thresholds that rows of a sorted sample are moved down to, and the weight there."""
    edges = np.append(np.searchsorted(values, at), len(values))
    mass = edges if weights is None else np.concatenate(([0.0], np.cumsum(weights)))[edges]
    weight = np.diff(mass).astype(np.float64)
    return at[weight > 0], weight[weight > 0]


BANDS: dict[str, tuple[Callable[..., bands.Band], tuple[str, ...]]] = {
    "roc": (roc_band, ("pointwise", "simultaneous")),
    "pr": (pr_band, ("pointwise",)),
    "calibration": (calibration_band, ("pointwise",)),
    "decision": (decision_band, ("pointwise",)),
}


def curve(
    kind: str,
    s: ScoreSamples,
    band: str | None = None,
    level: float = 0.95,
    fixed: bool = False,
    points: int | None = None,
    **how: Any,
) -> Curve:
    """A curve by name, with a band if one is requested. fixed: whether the prevalence was set by the caller.

    points: at most so many, as `thinned` chooses them.
    """
    if kind not in KINDS:
        raise UnknownName("evaluation.unknown_curve", kind=kind, near=nearest(kind, KINDS))
    if points is not None and (points != int(points) or points < 3):
        raise InputError("evaluation.not_a_number_of_points", points=str(points))
    reduced = points is not None and s.rows > MANY and KINDS[kind] in OVER_THRESHOLDS
    result = KINDS[kind](coarse(s) if reduced else s, **how)
    if points is not None:
        result = result.thinned(int(points))
    if band is None:
        return result
    find, known = BANDS.get(kind, (None, ()))
    if find is None or band not in known:
        offers = "; ".join(f"{k}: {', '.join(names)}" for k, (_, names) in BANDS.items())
        raise InputError("evaluation.unknown_band", band=band, kind=kind, offers=offers)
    if not s.positives or (not s.negatives and kind != "calibration"):
        low = high = np.full(len(result.x), np.nan)
        method: str = Remark("evaluation.no_band_of_one_class")
    else:
        low, high, method = find(s, result, band, level, fixed)
    note = Remark("evaluation.band", percent=100 * level, method=method)
    return Curve(kind, {**result, "low": low, "high": high}, *result.axes, note)


def macro(kind: str, scores: ClassScores | ClassSketches) -> Curve:
    """The mean over classes of the height of a ROC or PR curve, at every abscissa where one of them turns.

    ROC curves are joined by straight lines (ties can be broken either way), PR curves are steps.
    """
    each = [KINDS[kind](s) for s in scores.columns if len(s.pos) and len(s.neg)]
    if not each:
        raise InputError("evaluation.no_class_to_average")
    x, note = np.unique(np.concatenate([c.x for c in each])), Remark("evaluation.mean_over_classes")
    if kind == "pr":
        y = np.mean([c.precision[np.searchsorted(c.recall, x)] for c in each], 0)
        return Curve(kind, {"recall": x, "precision": y}, "recall", "precision", note)
    feet, tops = (np.mean([_height(c, x, side) for c in each], 0) for side in ("left", "right"))
    x, y = np.repeat(x, 2), np.stack((feet, tops), 1).ravel()  # a vertical rise has a foot and a top
    mask = np.append(True, (np.diff(x) > 0) | (np.diff(y) > 0))
    return Curve(kind, {"fpr": x[mask], "tpr": y[mask]}, "fpr", "tpr", note)


def _height(c: Curve, x: Array, side: Literal["left", "right"]) -> Array:
    """The height of a ROC polyline at x: the foot of a vertical rise there, or its top."""
    at = np.searchsorted(c.fpr, x, side) - (side == "right")
    met = c.fpr[at] == x
    return np.where(met, c.tpr[at], np.interp(x, c.fpr, c.tpr))
