"""Formulas over the rows with the highest scores: what is found if only a part of the rows can be checked.

Tied scores at the cut count in proportion, as if ties were broken at random, and so does a fraction of a row.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from calipers.errors import InputError
from calipers.metrics.base import metric
from calipers.metrics.values import Proportion
from calipers.remarks import Remark
from calipers.statistics.scores import ScoreSamples

UNIT, POSITIVE = (0.0, 1.0), (0.0, float("inf"))
NEAR, ROUNDING = 5, 1e-12  # rows on either side of the cut, at least; a variance below is rounding
NO_ROWS, NO_POSITIVES = Remark("metrics.no_rows"), Remark("metrics.none_true")


class Top(NamedTuple):
    """The rows above the cut: positives found, rows, all positives, all rows (weights), and effective rows.

    rate: the share of positives near the cut, which decides how much the choice of the cut adds to the variance.
    """

    found: float
    rows: float
    positives: float
    total: float
    effective: float
    rate: float


def _top(s: ScoreSamples, fraction: float) -> Top:
    if not 0 < fraction <= 1:
        raise InputError("metrics.not_a_fraction", fraction=f"{fraction:g}")
    total = s.positives + s.negatives
    if not total:
        return Top(np.nan, np.nan, 0.0, 0.0, 0.0, np.nan)
    _, tp, fp = s.sweep(False)
    flagged, rows = (tp + fp).astype(np.float64), fraction * total
    near = max(min(rows, total - rows) / 2, min(NEAR * total / sum(s.effective), rows))
    ends = max(0.0, rows - near), min(total, rows + near)
    found, below, above = np.interp((rows, *ends), flagged, tp)
    rate = (above - below) / (ends[1] - ends[0])
    return Top(float(found), rows, s.positives, total, sum(s.effective), float(rate))


def _effective(share: float, variance: float, otherwise: float) -> float:
    """How many rows would vary as much; where the share is 0 or 1, the rows that it is a share of."""
    return share * (1 - share) / variance if 0 < share < 1 and variance > ROUNDING else otherwise


@metric(title="precision among the top rows",
        over=ScoreSamples, better="higher", bounds=UNIT, undefined=NO_ROWS,
        formula="interp({fraction}, {flagged}, {tpr}) * {base} / {fraction}")
def top_precision(s: ScoreSamples, *, fraction: float = 0.05) -> Proportion:
    """Fraction of positives among the given fraction of rows with the highest scores.

    Caution: Do not compare values for different fractions, or across data sets with different prevalence.
    """
    t = _top(s, fraction)
    p = t.found / t.rows if t.total else np.nan
    # The influence of a row above the cut is y - rate: a row that enters displaces a row near the cut.
    spread = p * (1 - t.rate) ** 2 + (1 - p) * t.rate**2 - fraction * (p - t.rate) ** 2
    rows = fraction * t.effective
    return Proportion(t.found, t.rows, effective=_effective(p, spread / rows if rows else 0.0, rows))


def _found(s: ScoreSamples, fraction: float) -> tuple[Top, float]:
    """What is found, and as how many rows the share of positives among them varies."""
    t = _top(s, fraction)
    if not t.positives:
        return t, 0.0
    r, base, p, lost = t.found / t.positives, t.positives / t.total, t.found / t.rows, t.rate * fraction
    cells = (
        (fraction * p, 1 - t.rate + lost - r),
        (fraction * (1 - p), lost - t.rate),
        (base - fraction * p, lost - r),
        (1 - base - fraction * (1 - p), lost),
    )
    variance = sum(max(share, 0.0) * influence**2 for share, influence in cells) / (t.effective * base**2)
    return t, _effective(r, variance, t.effective * base)


@metric(title="recall among the top rows",
        over=ScoreSamples, better="higher", bounds=UNIT, undefined=NO_POSITIVES,
        aliases=("top_gain",), formula="interp({fraction}, {flagged}, {tpr})")
def top_recall(s: ScoreSamples, *, fraction: float = 0.05) -> Proportion:
    """Fraction of all positives that is found among the given fraction of rows with the highest scores.

    Caution: If positives are more frequent than the fraction, it cannot reach 1.
    """
    t, rows = _found(s, fraction)
    return Proportion(t.found, t.positives or np.nan, effective=rows)


@metric(title="lift among the top rows",
        over=ScoreSamples, better="higher", bounds=POSITIVE, undefined=NO_POSITIVES,
        formula="interp({fraction}, {flagged}, {tpr}) / {fraction}")
def top_lift(s: ScoreSamples, *, fraction: float = 0.05) -> Proportion:
    """How many times more positives are among the given fraction of rows with the highest scores than among as many
    rows chosen at random.

    Caution: It cannot exceed 1 divided by the prevalence, so do not compare it across data sets.
    """
    t, rows = _found(s, fraction)
    return Proportion(t.found, t.positives or np.nan, lambda r: r / fraction, rows)
