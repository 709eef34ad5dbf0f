"""What predicted numbers give away; everything is read off the joint moments of truth and error."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from calipers.findings.base import Number, at_level, rule
from calipers.inference.outcome import chi2_p, t_p
from calipers.inference.selected import beyond_the_tail
from calipers.metrics.views import Unavailable
from calipers.statistics.errors import Errors

if TYPE_CHECKING:
    from calipers.evaluation.evaluation import Evaluation

Findings = Iterator[Mapping[str, Number]]
ALPHA, HARM, SOME = 0.005, 0.1, 30
CARRIED, FAR = 0.2, 0.01


def _errors(ev: Evaluation) -> Errors:
    if len(ev.labels) > 1:
        raise Unavailable("several numbers a row")
    errors = ev.views.errors(0)
    if errors.n < SOME or not errors.joint.central(0, 2) > 0:
        raise Unavailable("too few errors, or none at all")
    return errors


def _mean_error(ev: Evaluation, sign: int) -> Findings:
    """A mean error of this sign that is certain, and not small beside the errors themselves."""
    j = _errors(ev).joint
    bias, spread = float(j.sums[1]), math.sqrt(j.central(0, 2))
    p = t_p(bias / spread * math.sqrt(j.effective - 1), j.effective - 1)
    if sign * bias > HARM * spread and p < ALPHA:
        yield {"bias": abs(bias), "rmse": math.hypot(bias, spread), "p": p}


@rule("warning", "regression")
def predictions_too_high(ev: Evaluation) -> Findings:
    """Predictions are {bias} too high on average ({p:p}); RMSE is {rmse}.

    Estimate the average error on separate data and subtract it. Also look for the cause: a different period, a
    different population, or a loss that does not target the mean.
    """
    yield from _mean_error(ev, 1)


@rule("warning", "regression")
def predictions_too_low(ev: Evaluation) -> Findings:
    """Predictions are {bias} too low on average ({p:p}); RMSE is {rmse}.

    Estimate the average error on separate data and add it. Also look for the cause: a different period, a different
    population, or a loss that does not target the mean, for example one that targets the median of skewed values.
    """
    yield from _mean_error(ev, -1)


@rule("warning", "regression")
def worse_than_the_mean(ev: Evaluation) -> Findings:
    """R² is {r2}, below 0 with 99% confidence: always predicting the mean of this data would be better.

    Before you look at the model, check that true and predicted values belong to the same rows and have the same unit.
    """
    r2 = at_level(ev, "r2", 0.99)
    if _errors(ev) and r2.high < 0:
        yield {"r2": float(r2)}


def error_trend(ev: Evaluation) -> tuple[float, float]:
    """The correlation of squared errors with the predictions, and its p-value.

    The prediction is truth plus error. Koenker 1981: n times the squared correlation is chi-square with 1 degree.
    """
    j = _errors(ev).joint
    both = j.central(1, 2) + j.central(0, 3)
    spread = (j.central(2, 0) + 2 * j.central(1, 1) + j.central(0, 2)) * (j.central(0, 4) - j.central(0, 2) ** 2)
    correlation = both / math.sqrt(spread) if spread > 0 else 0.0
    return correlation, chi2_p(j.effective * correlation**2, 1)


@rule("note", "regression")
def errors_depend_on_the_prediction(ev: Evaluation) -> Findings:
    """The size of the errors depends on the predicted value: squared errors and predictions have a correlation of
    {correlation:.2f} ({p:p}).

    A single RMSE hides this: report it by range of the prediction, model the logarithm, or predict an interval for each
    row.
    """
    correlation, p = error_trend(ev)
    if p < ALPHA and abs(correlation) > HARM:
        yield {"correlation": correlation, "p": p}


@rule("warning", "regression", about=("mse", "rmse", "r2"))
def one_error_carries_the_mse(ev: Evaluation) -> Findings:
    """One row (error {largest}) accounts for {share:percent} of the squared error of {rows} rows, more than the tail of
    the other errors explains ({p:p}).

    Check it: wrong unit, wrong join, or a real case the model must handle? Report MAE or the median error together with
    RMSE.
    """
    e = _errors(ev)
    rows = ev.views.kept_rows(0)
    squared = e.joint.central(0, 2) + float(e.joint.sums[1]) ** 2
    share = e.largest**2 / (squared * e.joint.weight)
    if share > CARRIED and rows is not None:
        p = beyond_the_tail(np.abs(rows.predictions - rows.truth))
        if p < FAR:
            yield {"largest": e.largest, "share": share, "rows": e.n, "p": p}
