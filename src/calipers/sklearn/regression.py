"""Losses and shares of explained loss of predicted numbers, under scikit-learn's names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from calipers import _native
from calipers.errors import InputError
from calipers.metrics.regression import domain
from calipers.sklearn.inputs import InvalidParameter, flag, is_real, warn
from calipers.sklearn.outputs import Numbers, Outputs, averaged, read
from calipers.statistics.losses import Loss
from calipers.statistics.rows import quantile

EPSILON = float(np.finfo(np.float64).eps)


def mean_absolute_error(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, multioutput: Any = "uniform_average"
) -> Any:
    """Mean absolute error (MAE)."""
    data = read(y_true, y_pred, sample_weight, multioutput)
    return averaged(data.means("absolute"), data.multioutput)


def mean_pinball_loss(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, alpha: float = 0.5, multioutput: Any = "uniform_average"
) -> Any:
    """Mean pinball loss, which the alpha-quantile minimises."""
    _share("alpha", alpha)
    data = read(y_true, y_pred, sample_weight, multioutput)
    return averaged(data.means("pinball", float(alpha)), data.multioutput)


def mean_absolute_percentage_error(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, multioutput: Any = "uniform_average"
) -> Any:
    """Mean absolute percentage error; true values count as at least 2.2e-16."""
    data = read(y_true, y_pred, sample_weight, multioutput)
    return averaged(data.means("percentage", EPSILON), data.multioutput)


def mean_squared_error(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, multioutput: Any = "uniform_average"
) -> Any:
    """Mean squared error (MSE)."""
    data = read(y_true, y_pred, sample_weight, multioutput)
    return averaged(data.means("squared"), data.multioutput)


def root_mean_squared_error(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, multioutput: Any = "uniform_average"
) -> Any:
    """Root mean squared error of each output, then averaged."""
    data = read(y_true, y_pred, sample_weight, multioutput, alone=True)
    return averaged(np.sqrt(data.means("squared")), data.multioutput)


def mean_squared_log_error(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, multioutput: Any = "uniform_average"
) -> Any:
    """Mean squared difference of log(1 + x)."""
    data = read(y_true, y_pred, sample_weight, multioutput)
    return averaged(_of_logs(data), data.multioutput)


def root_mean_squared_log_error(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, multioutput: Any = "uniform_average"
) -> Any:
    """Root mean squared difference of log(1 + x) of each output, then averaged."""
    data = read(y_true, y_pred, sample_weight, multioutput)
    return averaged(np.sqrt(_of_logs(data)), data.multioutput)


def _of_logs(data: Numbers) -> list[float]:
    if min(float(min(y.min(), p.min())) for y, p in data) <= -1:
        raise InputError("sklearn.log_of_too_small")
    return data.means("squared_log")


def median_absolute_error(
    y_true: Any, y_pred: Any, *, multioutput: Any = "uniform_average", sample_weight: Any = None
) -> Any:
    """Median absolute error."""
    data = read(y_true, y_pred, sample_weight, multioutput)
    return averaged([quantile(r.errors, 0.5, r.weights) for r in data.rows_by_output()], data.multioutput)


def _explained(left: Sequence[float], whole: Sequence[float], multioutput: Outputs, force_finite: bool = True) -> Any:
    """1 - left / whole; where nothing is to explain, 1 for no error and 0 for any, unless it may be NaN or -inf."""
    over, under = np.array(left), np.array(whole)
    with np.errstate(all="ignore"):
        scores = 1 - over / under
    if force_finite:
        scores = np.where(over == 0, 1.0, np.where(under == 0, 0.0, scores))
    if isinstance(multioutput, str) and multioutput == "variance_weighted":
        multioutput = under if under.any() else None
    return averaged(scores, multioutput)


def _too_few(data: Numbers, what: str) -> bool:
    if data.rows >= 2:
        return False
    warn("sklearn.two_rows", what=what)
    return True


def explained_variance_score(
    y_true: Any,
    y_pred: Any,
    *,
    sample_weight: Any = None,
    multioutput: Any = "uniform_average",
    force_finite: bool = True,
) -> Any:
    """Explained variance: R² after the mean error is removed."""
    flag("force_finite", force_finite)
    data = read(y_true, y_pred, sample_weight, multioutput, ("variance_weighted",))
    moments = data.joint()
    left, whole = [j.central(0, 2) for j in moments], [j.central(2, 0) for j in moments]
    return _explained(left, whole, data.multioutput, force_finite)


def r2_score(
    y_true: Any,
    y_pred: Any,
    *,
    sample_weight: Any = None,
    multioutput: Any = "uniform_average",
    force_finite: bool = True,
) -> Any:
    """R²: the fraction of the variance of the truth that the predictions explain."""
    flag("force_finite", force_finite)
    data = read(y_true, y_pred, sample_weight, multioutput, ("variance_weighted", None))
    if _too_few(data, "R²"):
        return float("nan")
    moments = data.joint()
    left = [j.weight * (j.central(0, 2) + float(j.sums[1]) ** 2) for j in moments]
    return _explained(left, [float(j.sums[2]) for j in moments], data.multioutput, force_finite)


def max_error(y_true: Any, y_pred: Any) -> float:
    """The largest absolute error."""
    data = _one_output(read(y_true, y_pred, None, "uniform_average"), "max_error")
    return float(_native.regression(data.truth[0], data.predicted[0], None, [], False)[3][2])


def mean_tweedie_deviance(y_true: Any, y_pred: Any, *, sample_weight: Any = None, power: float = 0) -> float:
    """The mean deviance of Tweedie regression with this power: 0 is MSE, 1 Poisson, 2 gamma."""
    if not is_real(power) or 0 < power < 1:
        raise InvalidParameter("sklearn.not_a_power", power=power)
    data = _one_output(read(y_true, y_pred, sample_weight, "uniform_average"), "mean_tweedie_deviance")
    _in_domain(data, power)
    return float(data.means("tweedie", float(power))[0])


def mean_poisson_deviance(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """The mean deviance of Poisson regression."""
    return mean_tweedie_deviance(y_true, y_pred, sample_weight=sample_weight, power=1)


def mean_gamma_deviance(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """The mean deviance of gamma regression."""
    return mean_tweedie_deviance(y_true, y_pred, sample_weight=sample_weight, power=2)


def _one_output(data: Numbers, name: str) -> Numbers:
    if len(data.truth) > 1:
        raise InputError("sklearn.one_output", name=name, columns=len(data.truth))
    return data


def _in_domain(data: Numbers, power: float) -> None:
    columns = data.truth[0], data.predicted[0]
    for column, least, name in zip(columns, domain(power), ("y_true", "y_pred"), strict=True):
        if not column.min() >= least:
            code = "sklearn.power_above_0" if least else "sklearn.power_of_0_or_more"
            raise InputError(code, power=power, name=name, least=column.min())


def _share(name: str, value: Any) -> None:
    if not is_real(value) or not 0 <= value <= 1:
        raise InvalidParameter("sklearn.not_a_share", name=name, value=value)


def d2_tweedie_score(y_true: Any, y_pred: Any, *, sample_weight: Any = None, power: float = 0) -> float:
    """D² of the Tweedie deviance: the fraction avoided, relative to always predicting the mean."""
    if not is_real(power) or 0 < power < 1:
        raise InvalidParameter("sklearn.not_a_power", power=power)
    data = _one_output(read(y_true, y_pred, sample_weight, "uniform_average"), "d2_tweedie_score")
    if _too_few(data, "D²"):
        return float("nan")
    _in_domain(data, power)
    (left,), (whole,) = _against_best(data, Loss("tweedie", float(power)))
    with np.errstate(all="ignore"):
        return float(1 - np.float64(left) / whole)


def d2_pinball_score(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, alpha: float = 0.5, multioutput: Any = "uniform_average"
) -> Any:
    """D² of the pinball loss: the fraction avoided, relative to always predicting the alpha-quantile."""
    _share("alpha", alpha)
    data = read(y_true, y_pred, sample_weight, multioutput)
    if _too_few(data, "D²"):
        return float("nan")
    return _explained(*_against_best(data, Loss("pinball", float(alpha))), data.multioutput)


def d2_absolute_error_score(
    y_true: Any, y_pred: Any, *, sample_weight: Any = None, multioutput: Any = "uniform_average"
) -> Any:
    """D² of the absolute error: the fraction avoided, relative to always predicting the median."""
    return d2_pinball_score(y_true, y_pred, sample_weight=sample_weight, multioutput=multioutput)


def _against_best(data: Numbers, loss: Loss) -> tuple[list[float], list[float]]:
    """The mean loss of each output, and that of its best constant prediction."""
    answers = [np.broadcast_to(np.float64(r.best(loss)), data.rows) for r in data.rows_by_output()]
    whole = replace(data, predicted=answers).means(loss.kind, loss.parameter)
    return data.means(loss.kind, loss.parameter), whole
