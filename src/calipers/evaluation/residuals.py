"""Curves of predicted numbers: errors over predictions, predictions over truth, and Bland and Altman's plot.

All of them are binned, so that their size does not depend on the number of rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.errors import InputError, UnknownName, nearest
from calipers.evaluation.curve import Curve
from calipers.inference.quantiles import t
from calipers.remarks import Remark
from calipers.statistics.rows import Rows

Array = npt.NDArray[Any]
MOST = 200  # bins of one axis
TAILS = (0.005, 0.995)  # beyond these quantiles an error is counted in the outermost bins


def residuals(r: Rows, bins: int = 20) -> Curve:
    """The mean error of the rows of like prediction, and its spread, in bins that hold equally many rows."""
    return _over("residuals", "predicted", "error", r.predictions.astype(np.float64), r, bins)


def bland_altman(r: Rows, bins: int = 20) -> Curve:
    """The mean difference of the rows of like mean of truth and prediction, and its spread."""
    return _over("bland_altman", "mean", "difference", (r.predictions + r.truth.astype(np.float64)) / 2, r, bins)


def predictions(r: Rows, bins: int = 20) -> Curve:
    """How many rows have about this truth and about this prediction: the cells of a grid that hold any."""
    edges = [np.linspace(x.min(), x.max(), bins + 1) if np.ptp(x) else x.min() + np.array([-0.5, 0.5])
             for x in (r.truth.astype(np.float64), r.predictions.astype(np.float64))]  # fmt: skip
    w = np.ones(r.n) if r.weights is None else r.weights
    at = [_places(x.astype(np.float64), e) for x, e in zip((r.truth, r.predictions), edges, strict=True)]
    wide = len(edges[1]) - 1
    cells = np.bincount(at[0] * wide + at[1], w, (len(edges[0]) - 1) * wide)
    occupied = np.flatnonzero(cells)
    truth, predicted = occupied // wide, occupied % wide
    columns = {
        "truth": (edges[0][truth] + edges[0][truth + 1]) / 2,
        "predicted": (edges[1][predicted] + edges[1][predicted + 1]) / 2,
        "truth_begin": edges[0][truth],
        "truth_end": edges[0][truth + 1],
        "begin": edges[1][predicted],
        "end": edges[1][predicted + 1],
        "rows": cells[occupied],
    }
    return Curve("predictions", columns, "truth", "predicted")


def errors(r: Rows, bins: int = 20) -> Curve:
    """How many rows have about this error. The outermost bins also hold what is beyond the 0.5% and 99.5% quantiles."""
    error, w = r.predictions - r.truth.astype(np.float64), np.ones(r.n) if r.weights is None else r.weights
    low, high = np.quantile(error, TAILS)
    edges = np.linspace(low, high, bins + 1) if high > low else low + np.array([-0.5, 0.5])
    rows = np.bincount(_places(error, edges), w, len(edges) - 1)
    columns = {"error": (edges[:-1] + edges[1:]) / 2, "rows": rows, "begin": edges[:-1], "end": edges[1:]}
    return Curve("errors", columns, "error", "rows")


KINDS: dict[str, Callable[..., Curve]] = {f.__name__: f for f in (residuals, bland_altman, predictions, errors)}


def curve(kind: str, r: Rows, band: str | None = None, level: float = 0.95, bins: int = 20, **how: Any) -> Curve:
    """A curve by name, with a band around the mean errors if one is requested."""
    if kind not in KINDS:
        raise UnknownName("evaluation.unknown_curve_of_numbers", kind=kind, near=nearest(kind, KINDS))
    if how:
        raise InputError("evaluation.option_of_curve", name=next(iter(how)))
    if isinstance(bins, bool) or not isinstance(bins, (int, np.integer)) or not 1 <= bins <= MOST:
        raise InputError("evaluation.unknown_bins", bins=bins, most=MOST)
    result = KINDS[kind](r, int(bins))
    if band is None:
        return result
    if band != "pointwise" or kind in ("predictions", "errors"):
        raise InputError("evaluation.unknown_band_of_numbers", band=band, kind=kind)
    spread = zip(result.effective, result.sd, strict=True)
    reach = [t(level, n - 1) * s / np.sqrt(n) if n > 1 else np.nan for n, s in spread]
    columns = {**result, "low": result.y - reach, "high": result.y + reach}
    note = Remark("evaluation.band", percent=100 * level, method=Remark("evaluation.band_of_mean_errors"))
    return Curve(kind, columns, *result.axes, note)


def _over(kind: str, x_name: str, y_name: str, x: Array, r: Rows, bins: int) -> Curve:
    """Errors over x, in bins of equal weight; rows of the same x stay together."""
    error, w = r.predictions - r.truth.astype(np.float64), np.ones(r.n) if r.weights is None else r.weights
    order = np.argsort(x, kind="stable")
    below = np.cumsum(w[order])
    cuts = np.searchsorted(below, np.arange(1, bins) / bins * below[-1])
    edges = np.unique(np.concatenate(([x[order[0]]], x[order[cuts]], [x[order[-1]]])))
    edges = edges if len(edges) > 1 else np.array([edges[0], edges[0]])
    at = np.minimum(np.searchsorted(edges, x, "left"), len(edges) - 1) - 1  # a bin holds its upper edge
    at = np.maximum(at, 0)
    k = len(edges) - 1
    weight, square = np.bincount(at, w, k), np.bincount(at, w * w, k)
    with np.errstate(all="ignore"):  # squares of large errors are infinite
        mean, height = np.bincount(at, w * x, k) / weight, np.bincount(at, w * error, k) / weight
        far = error - height[at]
        effective = weight**2 / square
        sd = np.sqrt(np.bincount(at, w * far * far, k) / weight * effective / (effective - 1))
    occupied = weight > 0
    columns = {
        "begin": edges[:-1], "end": edges[1:], x_name: mean, y_name: height, "sd": sd, "rows": weight,
        "effective": effective,
    }  # fmt: skip
    return Curve(kind, {name: column[occupied] for name, column in columns.items()}, x_name, y_name)


def _places(x: Array, edges: Array) -> Array:
    places = np.searchsorted(edges, x, "right") - 1
    return np.clip(places, 0, len(edges) - 2)
