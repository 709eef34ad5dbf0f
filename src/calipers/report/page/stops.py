"""The thresholds at which the workbench stops: few enough for a page, and every one that answers a usual question."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from calipers.statistics.scores import ScoreSamples

Array = npt.NDArray[Any]

RECALLS = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99)  # the targets "recall at least" that have their own stop
FLAGGED = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)  # likewise "flag at most"
DIGITS = 5  # significant digits of a threshold that is written shorter than its score


@dataclass(frozen=True)
class Stops:
    """Thresholds from the lowest to the highest; infinite where no row is, or all rows are, predicted positive.

    complete: whether every distinct score has a stop. exact: whether the cheapest threshold is among the stops for any
    two costs.
    """

    thresholds: tuple[float, ...]
    complete: bool
    exact: bool


def stops(samples: ScoreSamples, fill: int, most: int, used: float | None = None) -> Stops:
    """About `fill` thresholds, and more, up to `most`, where the convex hull has so many corners."""
    scores, tp, fp = (np.asarray(x, np.float64) for x in samples.sweep(False))
    corners = hull(fp, tp)
    asked = _asked(tp, fp, samples)
    own = [] if used is None else [used]
    complete = len(scores) <= fill
    if complete:
        indices = np.arange(len(scores))
    else:
        room = most - len(asked) - len(own)
        exact = corners if len(corners) <= room else corners[np.linspace(0, len(corners) - 1, room).astype(int)]
        indices = np.union1d(exact, asked)
        more = _spread(scores, tp, fp, max(0, fill - len(indices) - len(own)))
        indices = np.union1d(indices, more)
    if math.isinf(samples.range[1]):  # an infinite score is positive at any threshold
        indices = indices[indices > 0]
    dtype = np.result_type(samples.pos, samples.neg)
    short = {_short(scores, int(i), dtype) for i in indices}
    exact_for_costs = complete or bool(np.isin(corners[corners >= indices.min()], indices).all())
    return Stops(tuple(sorted(short | set(own))), complete, exact_for_costs)


def hull(x: Array, y: Array) -> Array:
    """The indices of the corners of the least concave line above a rising curve: any two costs have their least there.

    Every pass drops the points that lie on or below the chord of their neighbours: no corner is among these.
    """
    indices = np.arange(len(x))
    while len(indices) > 2:
        a, b = x[indices], y[indices]
        above = (b[1:-1] - b[:-2]) * (a[2:] - a[:-2]) > (b[2:] - b[:-2]) * (a[1:-1] - a[:-2])
        if above.all():
            break
        indices = indices[np.concatenate(([True], above, [True]))]
    return indices


def _asked(tp: Array, fp: Array, samples: ScoreSamples) -> Array:
    """The places of the usual targets: best F1, the highest threshold of a recall, the lowest that flags so few."""
    flagged = (tp + fp) / (tp[-1] + fp[-1])
    f1 = 2 * tp / (tp + fp + tp[-1])
    found = [0, len(tp) - 1, int(np.argmax(f1))]
    found += [int(np.searchsorted(tp / tp[-1], share)) for share in RECALLS]
    found += [int(np.searchsorted(flagged, share, "right")) - 1 for share in FLAGGED]
    return np.unique(found)


def _spread(scores: Array, tp: Array, fp: Array, count: int) -> Array:
    """Places evenly spread, half of them over the rows and half over the scores."""
    if count < 2:
        return np.zeros(0, int)
    flagged = (tp + fp) / (tp[-1] + fp[-1])
    by_rows = np.searchsorted(flagged, np.linspace(0, 1, count // 2))
    finite = np.flatnonzero(np.isfinite(scores))
    if not len(finite):
        return by_rows
    falling = np.linspace(scores[finite[0]], scores[finite[-1]], count - count // 2)
    by_score = finite[0] + np.searchsorted(-scores[finite], -falling).clip(0, len(finite) - 1)
    return np.union1d(by_rows.clip(0, len(scores) - 1), by_score)


def _short(scores: Array, index: int, dtype: Any) -> float:
    """The score, or where it has many digits a shorter number below it that cuts the rows in the same place."""
    score = float(scores[index])
    if not math.isfinite(score) or len(f"{score!r}") <= DIGITS + 2:
        return score
    below = float(scores[index + 1]) if index + 1 < len(scores) else -math.inf
    for digits in range(DIGITS, 17):
        short = _floored(score, digits)
        if below < float(dtype.type(short)) <= score:
            return short
    return score


def _floored(x: float, digits: int) -> float:
    """The largest number with this many significant digits that is not above x."""
    short = float(f"{x:.{digits}g}")
    if short <= x:
        return short
    step = 10.0 ** (math.floor(math.log10(abs(x))) + 1 - digits)
    return float(f"{x - step:.{digits}g}")


def nearest(thresholds: Iterable[float], wanted: float) -> int:
    """The place of the threshold that is nearest to the wanted one."""
    return int(np.argmin([abs(t - wanted) if t != wanted else 0.0 for t in thresholds]))
