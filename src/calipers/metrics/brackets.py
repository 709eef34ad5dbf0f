"""The least and the greatest value that a metric can have when scores are known only by the cells of a sketch.

Whatever the scores within their cells are, positives at the upper ends and negatives at the lower ends (`best`) have at
least as many true and at most as many false positives at every threshold, and the opposite (`worst`) the opposite. So
the value lies between those of `worst` and `best` for every metric that rises with each point of the ROC curve, or with
the counts at each threshold. docs/decisions/streams.md has the proofs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from calipers.metrics.bins import codes_of_width
from calipers.metrics.values import Answer, Quantile, Value, Without, number
from calipers.metrics.views import Unavailable
from calipers.remarks import Remark
from calipers.statistics.scores import ScoreSamples
from calipers.statistics.sketch import ScoreSketch

if TYPE_CHECKING:
    from calipers.metrics.base import Measure

Array = npt.NDArray[Any]
SMALLEST = np.finfo(np.float64).tiny
Ends = tuple[Value, Value]


def of_sketch(measure: Measure, sketch: ScoreSketch) -> Answer:
    """The value of a measure of scores that are known by their cells, with its ends; a reason where it has none."""
    value = measure.formula(sketch.middle)
    if isinstance(value, Without) and value.resampled:  # there are no rows to draw again
        value = value._replace(why=Remark("metrics.rows_not_kept"), resampled=False)
    answer = Answer(value)
    if sketch.exact or is_walked(measure, sketch) or number(answer.value) != number(answer.value):
        return answer
    if measure.metric.ends is None:
        raise Unavailable(Remark("metrics.not_bracketed"))
    low, high = measure.metric.ends(measure, sketch)
    return answer if sketch.ordered or number(low) == number(high) else answer._replace(ends=(low, high))


def is_walked(measure: Measure, sketch: ScoreSketch) -> bool:
    """Whether an exact walk over all scores found the value of a measure."""
    known = measure.parameters.get("interpolation", "step") in ("step", "trapezoid")
    return sketch.walked is not None and bool(measure.metric.walked) and known


def by_ranking(measure: Measure, sketch: ScoreSketch) -> Ends:
    """Of a metric that a better ranking raises, or lowers."""
    return ordered(*(measure.formula(samples) for samples in (sketch.worst, sketch.best)))


def unbracketed(measure: Measure, sketch: ScoreSketch) -> Ends:
    """Of a metric that does not depend on where in its cell a score lies."""
    value = measure.formula(sketch.middle)
    return value, value


def of_precision(measure: Measure, sketch: ScoreSketch) -> Ends:
    """Of average precision; with interpolation, better counts at each threshold raise it, as a better ranking does."""
    interpolation = measure.parameters.get("interpolation", "step")
    if interpolation == "trapezoid":
        raise Unavailable(Remark("metrics.not_bracketed"))
    if interpolation != "step" or not sketch.pos.any() or not sketch.neg.any():
        return by_ranking(measure, sketch)
    low, high = precision_ends(sketch)
    worst, best = (measure.formula(samples) for samples in (sketch.worst, sketch.best))
    return worst._replace(value=low), best._replace(value=high)


def precision_ends(s: ScoreSketch) -> tuple[float, float]:
    """The least and the greatest average precision.

    The positive of rank r (from the highest score down; with weights, r is the weight down to it) lies between the r-th
    highest `low` and the r-th highest `high` of positives. That bounds how many positives (r or more) and negatives
    have its score or a higher one, and so its precision, also where ties are not known: they would raise the precision
    of a rank, and count only in the upper end.
    """
    (pos, neg), least = s.masses, 1.0 if s.weights is None else 0.0  # what a row weighs at least
    mask, total = pos > 0, float(pos.sum())
    highest, lowest = (_Descending(x[mask], pos[mask]) for x in (s.high, s.low))
    last = np.union1d(highest.ranks, lowest.ranks)
    first = np.append(0.0, last[:-1])  # ranks above `first` up to `last` have the same two scores
    at_most, at_least = highest.at_rank(last), lowest.at_rank(last)
    negative = neg > 0
    few, many = (_Descending(x[negative], neg[negative]) for x in (s.low, s.high))
    up, other = highest.reaching(at_least), few.reaching(at_most)
    high = float(((last - first) * up / (up + other)).sum()) / total
    tied, other = lowest.reaching(at_most).clip(first, last), many.reaching(at_least)
    sure = np.maximum(lowest.reaching(at_most), least or SMALLEST)
    # 1/x is convex: Σ r/(r+f) over ranks r from a+1 to b is at least (b - a) - f log((b + 1/2 + f) / (a + 1/2 + f)).
    # Of weights it is the integral of r/(r+f) from a to b.
    before = np.where(other > 0, tied + least / 2 + other, 1.0)
    apart = (last - tied) - other * np.log1p((last - tied) / before)
    low = float(((tied - first) * sure / (sure + other) + apart).sum()) / total
    return max(0.0, low), min(1.0, high)


class _Descending:
    """Scores from the highest down, with how many rows have each."""

    def __init__(self, scores: Array, counts: Array) -> None:
        order = np.argsort(-scores, kind="stable")
        self.scores = scores[order]
        self.ranks = np.cumsum(counts[order]).astype(np.float64)

    def at_rank(self, ranks: Array) -> Array:
        """The score of the row at each rank, from 1."""
        at = np.searchsorted(self.ranks, ranks)
        return np.asarray(self.scores[np.minimum(at, len(self.scores) - 1)])  # sums of weights are rounded

    def reaching(self, scores: Array) -> Array:
        """How many rows have each of these scores or a higher one."""
        return np.append(0.0, self.ranks)[np.searchsorted(-self.scores, -scores, "right")]


def of_largest_gap(measure: Measure, sketch: ScoreSketch) -> Ends:
    """Of the KS statistic: each side of the largest distance has its own best and worst ranking."""
    if not sketch.pos.any() or not sketch.neg.any():
        return unbracketed(measure, sketch)
    (over_low, under_high), (over_high, under_low) = map(_sides, (sketch.worst, sketch.best))
    why = measure.formula(sketch.middle).why
    return Without(max(over_low, under_low), why), Without(max(over_high, under_high), why)


def _sides(s: ScoreSamples) -> tuple[float, float]:
    """How far the curve rises over the diagonal, and how far it falls below it."""
    _, tpr, fpr = s.roc(corners=True)
    return float((tpr - fpr).max()), float((fpr - tpr).max())


def of_gaps(measure: Measure, sketch: ScoreSketch) -> Ends:
    """Of gaps between outcomes and mean scores over bins: each mean score lies between those of both ends of cells."""
    if is_summed(measure, sketch):
        return unbracketed(measure, sketch)
    middle = measure.formula(binnable(measure, sketch).middle)
    pos, neg = sketch.masses
    codes, rows = codes_of_width(sketch.low, bins_of(measure)[0]), pos + neg

    def by_bin(of_cells: Array) -> Array:
        return np.bincount(codes, of_cells, bins_of(measure)[0])

    outcomes = by_bin(pos)
    ends = [outcomes - by_bin(rows * end.astype(np.float64)) for end in (sketch.low, sketch.high)]
    least, most = np.minimum(*map(np.abs, ends)), np.maximum(*map(np.abs, ends))
    least[np.sign(ends[0]) != np.sign(ends[1])] = 0.0
    assert measure.metric.of_gaps is not None
    low, high = (float(measure.metric.of_gaps(by_bin(rows), gap)) for gap in (least, most))
    why = getattr(middle, "why", Remark("metrics.not_bracketed"))
    return Without(low, why), Without(high, why)


def of_bins(measure: Measure, sketch: ScoreSketch) -> Ends:
    """Of outcomes over bins, which are exact where no cell reaches over an edge."""
    return unbracketed(measure, sketch if is_summed(measure, sketch) else binnable(measure, sketch))


def is_summed(measure: Measure, sketch: ScoreSketch) -> bool:
    """Whether the sums over the bins of a measure were taken of all scores."""
    bins, rule = bins_of(measure)
    if sketch.walked is None or rule != "width":
        return False
    return sketch.walked.sums_between((np.arange(1, bins) / bins).astype(sketch.low.dtype)) is not None


def binnable(measure: Measure, sketch: ScoreSketch) -> ScoreSketch:
    """The sketch, if its cells fit into the bins of a measure."""
    bins, rule = bins_of(measure)
    if rule != "width" or (codes_of_width(sketch.low, bins) != codes_of_width(sketch.high, bins)).any():
        raise Unavailable(Remark("metrics.other_bins"))
    return sketch


def bins_of(measure: Measure) -> tuple[int, str]:
    """How many bins a measure has, and by which rule."""
    parameters: dict[str, Any] = {**measure.metric.parameters, **measure.parameters}
    return parameters["bins"], parameters["rule"]


def of_errors(measure: Measure, sketch: ScoreSketch) -> Answer:
    """The value of a measure of rows of which only the sizes of the errors are known, by their cells."""
    if measure.metric.ends is None:
        raise Unavailable(Remark("metrics.rows_not_kept"))
    low, high = measure.metric.ends(measure, sketch)
    middle = median(sketch.middle)
    return Answer(middle) if low.value == high.value else Answer(middle, ends=(low, high))


def of_median(measure: Measure, sketch: ScoreSketch) -> Ends:
    """Of the median: every rank lies between the same ranks of both ends of the cells."""
    return median(sketch.worst), median(sketch.best)


def median(s: ScoreSamples) -> Quantile:
    """The median of counted numbers, all of which are positives of a sketch."""
    assert s.pos_weights is not None
    ranks = np.cumsum(s.pos_weights)

    def ranked(rank: int) -> float:
        return float(s.pos[np.searchsorted(ranks, rank)])

    value = (ranked((s.rows + 1) // 2) + ranked(s.rows // 2 + 1)) / 2 if s.rows else np.nan
    return Quantile(value, 0.5, s.positives, lambda low, high: (ranked(low), ranked(high)))


def ordered(*values: Any) -> Ends:
    """The least and the greatest of some values; a reason where one of them is undefined."""
    if any(number(value) != number(value) for value in values):
        raise Unavailable(Remark("metrics.may_be_undefined"))
    return min(values, key=number), max(values, key=number)
