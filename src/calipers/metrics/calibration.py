"""Calibration of probabilities without bins: a logistic model of the outcome on the log odds, and a smooth curve."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import log
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from calipers.metrics.base import UNBOUNDED, metric
from calipers.metrics.smoothing import smooth_gaps
from calipers.metrics.values import Linearised, Smoothed, Without
from calipers.remarks import Remark
from calipers.statistics.scores import ScoreSamples

Array = npt.NDArray[Any]
CLIP = 1e-8  # probabilities of 0 and 1 have infinite log odds; as in the R package CalibrationCurves
STEPS, NEAR = 100, 1e-12
ONE_CLASS, SEPARATED = Remark("metrics.one_class"), Remark("metrics.separated_log_odds")
VAN_CALSTER = "Cox 1958, Biometrika 45:562-565; Van Calster et al. 2019, BMC Med. 17:230"


class Columns(NamedTuple):
    """Rows as columns: log odds, outcomes and weights.

    errors: by what the error of a row is multiplied: its weight, or where that is a number of rows, its square root.
    rows: how many there are.
    """

    log_odds: Array
    outcome: Array
    weights: Array
    errors: Array
    rows: int

    @classmethod
    def of(cls, s: ScoreSamples) -> Columns:
        """The rows behind two samples, positives first."""
        p = np.concatenate((s.pos, s.neg)).astype(np.float64)
        outcome = np.repeat([1.0, 0.0], [len(s.pos), len(s.neg)])
        plain = s.pos_weights is None or s.neg_weights is None
        weights = np.ones(len(p)) if plain else np.concatenate((s.pos_weights, s.neg_weights))  # type: ignore[arg-type]
        return cls(log_odds(p), outcome, weights, np.sqrt(weights) if s.repeated else weights, s.rows)


def log_odds(p: Array) -> Array:
    """The log odds of probabilities, clipped where they are infinite."""
    p = np.clip(np.asarray(p, np.float64), CLIP, 1 - CLIP)
    return np.asarray(np.log(p) - np.log1p(-p))


def probability(x: Array) -> Array:
    """The inverse of the log odds."""
    from scipy.special import expit

    return np.asarray(expit(x))


def fitted(design: Array, outcome: Array, weights: Array) -> Array | None:
    """The maximum-likelihood coefficients of a logistic model, by Newton's method with halved steps; None without.

    outcome: between 0 and 1, as Platt's smoothed targets are.
    """
    from scipy.special import log_expit

    def loss(b: Array) -> float:
        x = design @ b
        return -float(weights @ (outcome * log_expit(x) + (1 - outcome) * log_expit(-x)))

    weights = weights / weights.max()  # the coefficients do not depend on their unit; rounding would
    b = np.zeros(design.shape[1])
    least = loss(b)
    for _ in range(STEPS):
        x = design @ b
        q, rest = probability(x), probability(-x)  # not 1 - q, which is 0 where q is nearly 1
        residuals = weights * (outcome * rest - (1 - outcome) * q)
        gradient, hessian = design.T @ residuals, (design.T * (weights * q * rest)) @ design
        try:
            step = np.linalg.solve(hessian, gradient)
        except np.linalg.LinAlgError:
            return None
        while (tried := loss(b + step)) > least + NEAR * abs(least):
            step = step / 2
        b, moved, least = b + step, float(np.abs(step).max()), min(tried, least)
        if not np.isfinite(b).all():
            return None
        if moved <= NEAR * (1 + float(np.abs(b).max())):
            return b
    return None


def shift(log_odds: Array, is_positive: Array, weights: Array) -> float:
    """By how much all log odds move so that the mean probability is the observed frequency; both classes occur.

    Newton's method between limits, on the logarithm of a ratio: what probabilities above 1/2 lack to 1, over what those
    below have, each with its part of the difference between the positives below and the negatives above. No small
    number is lost in a large one, also where nearly all probabilities are 0 or 1.
    """
    ratio = log(weights[is_positive].sum() / weights[~is_positive].sum())
    most = float(np.abs(log_odds).max()) + 1
    low, high, b = -most - max(0.0, -ratio), most + max(0.0, ratio), 0.0
    for _ in range(STEPS):
        x = log_odds + b
        above, rest = x > 0, probability(-np.abs(x))
        wrong = float(weights @ (is_positive & ~above) - weights @ (above & ~is_positive))
        each = weights * rest
        lacking, had = float(each @ above), float(each @ ~above)
        each *= 1 - rest
        slopes = float(each @ above), float(each @ ~above)
        up, down = lacking + max(wrong, 0.0), had + max(-wrong, 0.0)
        low, high = (b, high) if up > down else (low, b)
        after = b + log(up / down) / (slopes[0] / up + slopes[1] / down) if up > 0 and down > 0 else np.inf
        after = after if low <= after <= high else (low + high) / 2
        b, moved = after, abs(after - b)
        if moved <= NEAR * (1 + abs(b)):
            break
    return b


def sandwich(design: Array, rows: Columns, x: Array) -> Array:
    """The variance of the coefficients that holds also where the model does not, with a correction for few rows."""
    q = probability(x)
    bread = np.linalg.inv((design.T * (rows.weights * q * (1 - q))) @ design)
    each = design * (rows.errors * (rows.outcome - q))[:, None]
    return np.asarray(bread @ (each.T @ each) @ bread * (rows.rows / max(rows.rows - design.shape[1], 1)))


def _can_be_fitted(s: ScoreSamples) -> str:
    """Why the log odds have no slope; empty where they have."""
    if not len(s.pos) or not len(s.neg):
        return ONE_CLASS
    apart = s.pos[0] >= s.neg[-1] or s.pos[-1] <= s.neg[0]
    return SEPARATED if apart else ""


def _recalibrated(s: ScoreSamples, at: int) -> Linearised | Without:
    """A coefficient of logit(outcome) = intercept + slope * log odds."""
    if why := _can_be_fitted(s):
        return Without(np.nan, why)
    rows = Columns.of(s)
    design = np.stack((np.ones(len(rows.log_odds)), rows.log_odds), 1)
    b = fitted(design, rows.outcome, rows.weights)
    if b is None:
        return Without(np.nan, SEPARATED)
    return Linearised(float(b[at]), lambda: float(sandwich(design, rows, design @ b)[at, at]), sum(s.effective))


@metric(over=ScoreSamples, better="", bounds=UNBOUNDED, formula="logistic_model({outcome}, {p})[1]",
        undefined=SEPARATED, probabilities=True, reference=VAN_CALSTER)
def calibration_slope(s: ScoreSamples) -> Linearised | Without:
    """Slope of a logistic model of the outcome on the log odds of the predicted probability: 1 is ideal, below 1 the
    predictions are too extreme, above 1 not extreme enough.

    Caution: Even with a slope of 1, all probabilities can be too high or too low: see the calibration in the large.
    Probabilities of 0 and 1 have infinite log odds, so they are moved inwards by 1e-8.
    """
    return _recalibrated(s, 1)


@metric(over=ScoreSamples, better="", bounds=UNBOUNDED, formula="logistic_model({outcome}, {p})[0]",
        undefined=SEPARATED, probabilities=True, reference=VAN_CALSTER)
def calibration_intercept(s: ScoreSamples) -> Linearised | Without:
    """Intercept of the logistic model of the outcome on the log odds whose slope is the calibration slope; 0 is ideal.

    Caution: It depends on the slope. If the question is whether probabilities are too high on average, use the
    calibration in the large, which some texts call intercept.
    """
    return _recalibrated(s, 0)


@metric(title="calibration in the large",
        over=ScoreSamples, better="", bounds=UNBOUNDED, formula="logistic_shift({outcome}, {p})", undefined=ONE_CLASS,
        aliases=("citl",), probabilities=True, reference=VAN_CALSTER)
def calibration_in_the_large(s: ScoreSamples) -> Linearised | Without:
    """Shift of the log odds that makes the mean predicted probability equal to the observed frequency: 0 is ideal,
    below 0 the probabilities are too high.

    Caution: Only the mean probability counts: single probabilities can still be wrong.
    """
    if not len(s.pos) or not len(s.neg):
        return Without(np.nan, ONE_CLASS)
    rows = Columns.of(s)
    b, design = shift(rows.log_odds, rows.outcome > 0, rows.weights), np.ones((len(rows.outcome), 1))
    return Linearised(b, lambda: float(sandwich(design, rows, rows.log_odds + b)[0, 0]), sum(s.effective))


@metric(title="integrated calibration index",
        over=ScoreSamples, better="lower", bounds=(0.0, 1.0), formula="mean(abs(smooth_outcome({outcome}, {p}) - {p}))",
        undefined=Remark("metrics.no_rows"), aliases=("ici",), probabilities=True,
        reference=Remark("metrics.reference_ici"))
def integrated_calibration_index(s: ScoreSamples) -> Smoothed | Without:
    """Average gap between predicted probability and observed frequency along a smooth curve (lowess), without bins.

    Caution: Noise makes it positive even for a perfectly calibrated model. Other tools smooth differently (loess,
    splines) and give different values.
    """
    if not s.rows:
        return Without(np.nan, Remark("metrics.no_rows"))
    return smooth_gaps(s)


def _slopes(loss: float, least: float, base: float) -> tuple[float, float]:
    """How Nagelkerke's R² moves with the mean loss, and with the share of positives."""
    ratio, room = np.exp(2 * (loss - least)), 1 - np.exp(-2 * least)
    by_least = (2 * ratio * room - (1 - ratio) * 2 * np.exp(-2 * least)) / room**2
    return float(-2 * ratio / room), float(by_least * np.log((1 - base) / base))


@metric(title="Nagelkerke R²",
        over=ScoreSamples, better="higher", bounds=(-float("inf"), 1.0), undefined=ONE_CLASS, probabilities=True,
        formula="(1 - exp(2 * mean(-log({p_true})) + 2 * ({base} * log({base}) + (1 - {base}) * log(1 - {base})))) / "
                "(1 - exp(2 * ({base} * log({base}) + (1 - {base}) * log(1 - {base}))))",
        aliases=("r2_nagelkerke",), reference="Nagelkerke 1991, Biometrika 78:691-692")
def nagelkerke_r2(s: ScoreSamples) -> Linearised | Without:
    """Gain in log likelihood over always predicting the prevalence, scaled so that a perfect model has 1; below 0 the
    probabilities are worse than the prevalence.

    Caution: It evaluates the probabilities as they are; software that prints it for a fitted model refits them first.
    """
    total = s.positives + s.negatives
    if not len(s.pos) or not len(s.neg):
        return Without(np.nan, ONE_CLASS)
    base, loss = s.positives / total, s.losses[0].moments.mean
    least = -(base * np.log(base) + (1 - base) * np.log1p(-base))
    with np.errstate(over="ignore"):
        value = float((1 - np.exp(2 * (loss - least))) / (1 - np.exp(-2 * least)))
    variance: Callable[[], float] = partial(_variance, s, loss, least, base)
    return Linearised(value, variance, sum(s.effective))


def _variance(s: ScoreSamples, loss: float, least: float, base: float) -> float:
    by_loss, by_base = _slopes(loss, least, base)
    clip, square, total = float(np.finfo(s.pos.dtype).eps), 0.0, s.positives + s.negatives
    for values, weights, outcome in ((s.pos, s.pos_weights, 1.0), (s.neg, s.neg_weights, 0.0)):
        p = np.clip(values.astype(np.float64), clip, 1 - clip)
        each = by_loss * (-np.log(p if outcome else 1 - p) - loss) + by_base * (outcome - base)
        squares = 1.0 if weights is None else weights if s.repeated else weights**2
        square += float((squares * each**2).sum())
    return square / total**2
