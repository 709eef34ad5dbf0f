"""Formulas over the errors of predicted numbers; an error is the prediction less the truth."""

from __future__ import annotations

from typing import Any

import numpy as np

from calipers.metrics.base import UNBOUNDED, metric
from calipers.metrics.brackets import of_median
from calipers.metrics.joint import Sizes, ratio
from calipers.metrics.values import Mean, Quantile, Without
from calipers.remarks import Remark
from calipers.statistics.errors import Errors
from calipers.statistics.losses import Loss
from calipers.statistics.rows import Rows, quantile

SHOWN = {"regression": (None,)}
POSITIVE = (0.0, float("inf"))
NO_ROWS = Remark("metrics.no_rows")
ALL_ZERO = Remark("metrics.all_zero")


@metric(title="MAE",
        over=Errors, better="lower", bounds=POSITIVE, formula="mean(abs({error}))", undefined=NO_ROWS,
        aliases=("mean_absolute_error",), headline=SHOWN, loss=lambda: Loss("absolute"))
def mae(e: Errors) -> Mean:
    """Mean absolute error, in the unit of the true values.

    Caution: Ten errors of 1 count the same as one error of 10: use RMSE if large errors are worse.
    """
    return Mean(e.loss("absolute"))


@metric(title="MSE",
        over=Errors, better="lower", bounds=POSITIVE, formula="mean({error}**2)", undefined=NO_ROWS,
        aliases=("mean_squared_error",), loss=lambda: Loss("squared"))
def mse(e: Errors) -> Mean:
    """Mean of the squared errors.

    Caution: A few large errors dominate it, and its unit is the square of the unit of the true values.
    """
    return Mean(e.loss("squared"))


@metric(title="RMSE",
        over=Errors, better="lower", bounds=POSITIVE, formula="sqrt(mean({error}**2))", undefined=NO_ROWS,
        aliases=("root_mean_squared_error",), headline=SHOWN, loss=lambda: Loss("squared"))
def rmse(e: Errors) -> Mean:
    """Square root of the mean squared error, in the unit of the true values; large errors weigh more than in MAE.

    Caution: A few large errors dominate it.
    """
    return Mean(e.loss("squared"), through=np.sqrt)


@metric(title="median absolute error",
        over=Rows, better="lower", bounds=POSITIVE, formula="median(abs({error}))", undefined=NO_ROWS,
        aliases=("median_absolute_error", "medae"), headline=SHOWN, ends=of_median)
def median_ae(r: Rows) -> Quantile:
    """Median of the absolute errors; a few large errors do not change it.

    Caution: It says nothing about the larger half of the errors.
    """
    def between(low: int, high: int) -> tuple[float, float]:
        if r.weights is None:
            return r.centre.ranked(low), r.centre.ranked(high)
        begin, end = (quantile(r.errors, (rank - 0.5) / r.effective, r.weights) for rank in (low, high))
        return begin, end

    if not r.n:
        return Quantile(np.nan, 0.5, 0.0, between)
    value = r.centre.median if r.weights is None else quantile(r.errors, 0.5, r.weights)
    return Quantile(value, 0.5, r.effective, between)


@metric(title="maximum error",
        over=Errors, better="lower", bounds=POSITIVE, formula="max(abs({error}))", undefined=NO_ROWS, headline=SHOWN)
def max_error(e: Errors) -> Without:
    """Largest absolute error.

    Caution: Do not compare across data sets: it grows with the number of rows.
    """
    return Without(e.largest if e.n else np.nan, Remark("metrics.any_error"), resampled=False)


@metric(over=Errors, better="", bounds=UNBOUNDED, formula="mean({error})", undefined=NO_ROWS,
        aliases=("mean_error",), headline=SHOWN)
def bias(e: Errors) -> Mean:
    """Mean error: greater than 0 if predictions are too high on average.

    Caution: A value near 0 does not mean small errors: errors in both directions cancel.
    """
    return Mean(e.joint.of_second(), default="t")


@metric(title="MAPE", percent=True,
        over=Errors, better="lower", bounds=POSITIVE, formula="mean(abs({error} / {truth}))", undefined=ALL_ZERO,
        aliases=("mean_absolute_percentage_error",), headline=SHOWN, loss=lambda: Loss("percentage"),
        reference=Remark("metrics.reference_mape"))
def mape(e: Errors) -> Mean:
    """Mean absolute error relative to the true values: 0.1 means 10%.

    Caution: True values near 0 dominate it, and it favours predictions that are too low.
    """
    return Mean(e.loss("percentage"))


@metric(title="sMAPE", percent=True,
        over=Errors, better="lower", bounds=(0.0, 2.0),
        formula="mean(2 * abs({error}) / (abs({truth}) + abs({predicted})))", undefined=NO_ROWS,
        loss=lambda: Loss("symmetric"),
        reference=Remark("metrics.reference_smape"))
def smape(e: Errors) -> Mean:
    """Mean absolute error relative to the average size of true and predicted value, from 0 to 2.

    Caution: It is not symmetric: predictions that are too low cost more than predictions that are too high.
    """
    return Mean(e.loss("symmetric"), most=2.0)


def _sizes(r: Rows) -> tuple[Any, Any]:
    """The size of the error of each row, and that of its truth."""
    return np.abs(r.predictions - r.truth.astype(np.float64)), np.abs(r.truth)


@metric(title="WAPE", percent=True, parts=_sizes,
        over=Sizes, better="lower", bounds=POSITIVE, formula="sum(abs({error})) / sum(abs({truth}))",
        undefined=ALL_ZERO, aliases=("wmape",), reference="Kolassa and Schütz 2007, Foresight 6:40-43 (MAD/mean ratio)")
def wape(m: Sizes) -> Any:
    """Sum of the absolute errors divided by the sum of the absolute true values.

    Caution: Large true values dominate it.
    """
    return ratio(m.error, m.truth)


NEGATIVE = Remark("metrics.negative")


@metric(title="MSLE",
        over=Errors, better="lower", bounds=POSITIVE, formula="mean((log1p({predicted}) - log1p({truth}))**2)",
        undefined=NEGATIVE, aliases=("mean_squared_log_error",), loss=lambda: Loss("squared_log"))
def msle(e: Errors) -> Mean | Without:
    """Mean squared difference of log(1 + x), for values of at least 0.

    Caution: It compares ratios of 1 + x, and penalises low predictions more than high ones.
    """
    return Mean(e.loss("squared_log")) if _at_least(e, 0) else _undefined(e, 0, 0)


@metric(title="RMSLE",
        over=Errors, better="lower", bounds=POSITIVE, formula="sqrt(mean((log1p({predicted}) - log1p({truth}))**2))",
        undefined=NEGATIVE, aliases=("root_mean_squared_log_error",), loss=lambda: Loss("squared_log"))
def rmsle(e: Errors) -> Mean | Without:
    """Square root of the mean squared difference of log(1 + x).

    Caution: It compares ratios of 1 + x, and penalises low predictions more than high ones.
    """
    return Mean(e.loss("squared_log"), through=np.sqrt) if _at_least(e, 0) else _undefined(e, 0, 0)


@metric(title="pinball loss",
        over=Errors, better="lower", bounds=POSITIVE,
        formula="mean(maximum(-{alpha} * {error}, (1 - {alpha}) * {error}))",
        undefined=Remark("metrics.alpha_or_no_rows"),
        aliases=("pinball_loss", "quantile_loss", "mean_pinball_loss"), loss=lambda alpha: Loss("pinball", alpha),
        reference="Koenker and Bassett 1978, Econometrica 46:33-50")
def pinball(e: Errors, *, alpha: float = 0.5) -> Mean | float:
    """Quantile loss: predictions that are too low cost alpha, predictions that are too high cost 1 - alpha.

    Caution: It is for predicted quantiles: its minimum is at the alpha-quantile, not at the mean.
    """
    return Mean(e.loss("pinball", alpha)) if 0 <= alpha <= 1 else np.nan


@metric(title="Huber loss",
        over=Errors, better="lower", bounds=POSITIVE, undefined=Remark("metrics.delta_or_no_rows"),
        formula="mean(where(abs({error}) <= {delta}, {error}**2 / 2, {delta} * (abs({error}) - {delta} / 2)))",
        aliases=("huber_loss",), loss=lambda delta: Loss("huber", delta),
        reference="Huber 1964, Ann. Math. Statist. 35:73-101")
def huber(e: Errors, *, delta: float = 1.0) -> Mean | float:
    """Half the squared error up to delta, linear beyond it.

    Caution: Choose delta in the unit of the true values: otherwise it is only half the MSE, or delta times the MAE.
    """
    return Mean(e.loss("huber", delta)) if delta > 0 else np.nan


@metric(title="log-cosh loss",
        over=Errors, better="lower", bounds=POSITIVE, undefined=NO_ROWS,
        formula="mean(abs({error}) + log1p(exp(-2 * abs({error}))) - log(2))",
        aliases=("log_cosh_loss", "LogCoshError"), loss=lambda: Loss("log_cosh"))
def log_cosh(e: Errors) -> Mean:
    """Mean of log(cosh(error)): half the squared error for small errors, the absolute error minus log 2 for large ones.

    Caution: Where it changes from squared to absolute, at about 1, depends on the unit of the true values.
    """
    return Mean(e.loss("log_cosh"))


@metric(title="Poisson deviance",
        over=Errors, better="lower", bounds=POSITIVE,
        formula="2 * mean({truth} * log({truth} / {predicted}) + {error})",
        undefined=Remark("metrics.poisson_range"),
        aliases=("mean_poisson_deviance",), loss=lambda: Loss("tweedie", 1.0))
def poisson_deviance(e: Errors) -> Mean | Without:
    """Mean deviance of counts, the loss of Poisson regression.

    Caution: If the counts vary more than Poisson counts, its size says little about the fit.
    """
    return _deviance(e, 1.0)


@metric(over=Errors, better="lower", bounds=POSITIVE,
        formula="2 * mean(log({predicted} / {truth}) - {error} / {predicted})",
        undefined=Remark("metrics.gamma_range"), aliases=("mean_gamma_deviance",),
        loss=lambda: Loss("tweedie", 2.0))
def gamma_deviance(e: Errors) -> Mean | Without:
    """Mean deviance of gamma regression, which compares ratios instead of differences.

    Caution: Near 0, small differences are large ratios.
    """
    return _deviance(e, 2.0)


@metric(title="Tweedie deviance",
        over=Errors, better="lower", bounds=POSITIVE,
        formula="2 * mean({truth}**(2 - {power}) / ((1 - {power}) * (2 - {power})) "
                "- {truth} * {predicted}**(1 - {power}) / (1 - {power}) + {predicted}**(2 - {power}) / (2 - {power}))",
        undefined=Remark("metrics.tweedie_range"),
        aliases=("mean_tweedie_deviance",), loss=lambda power: Loss("tweedie", power),
        reference=Remark("metrics.reference_tweedie"))
def tweedie_deviance(e: Errors, *, power: float = 1.5) -> Mean | Without:
    """Mean deviance of Tweedie regression, whose variance grows with this power of the mean.

    Caution: Do not compare values for different powers.
    """
    return _deviance(e, power)


def _deviance(e: Errors, power: float) -> Mean | Without:
    least_truth, least_predicted = domain(power)
    if 0 < power < 1:
        return Without(np.nan, Remark("metrics.no_such_power", power=power))
    inside = e.least_truth >= least_truth and e.least_predicted >= least_predicted
    return Mean(e.loss("tweedie", power)) if inside else _undefined(e, least_truth, least_predicted)


def domain(power: float) -> tuple[float, float]:
    """What true and predicted values must be, at least; tiny means above 0."""
    tiny, any_number = np.nextafter(0, 1), -np.inf
    least_predicted = any_number if power == 0 else tiny
    return (any_number if power <= 0 else 0.0 if power < 2 else tiny), least_predicted


def _at_least(e: Errors, least: float) -> bool:
    return min(e.least_truth, e.least_predicted) >= least


def _undefined(e: Errors, least_truth: float, least_predicted: float) -> Without:
    """Undefined, with the value that lies outside of the range."""
    wrong = e.least_truth < least_truth
    if wrong:
        code = "metrics.least_true_above_0" if least_truth else "metrics.least_true_from_0"
        return Without(np.nan, Remark(code, value=e.least_truth))
    code = "metrics.least_predicted_above_0" if least_predicted else "metrics.least_predicted_from_0"
    return Without(np.nan, Remark(code, value=e.least_predicted))
