"""Formulas over predicted numbers; an error is the prediction less the truth."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from calipers import _native
from calipers.metrics import joint
from calipers.metrics.base import UNBOUNDED, metric
from calipers.metrics.joint import Joint, Sizes
from calipers.metrics.values import Linearised, Mean, Quantile, Without
from calipers.statistics.errors import Errors, Loss
from calipers.statistics.moments import JointMoments
from calipers.statistics.rows import Rows, quantile

SHOWN = {"regression": (None,)}
POSITIVE = (0.0, float("inf"))
SKILL = (-float("inf"), 1.0)
NO_ROWS = "there are no rows"
NO_SPREAD = "every true value is the same, or there is one row"
ALL_ZERO = "every true value is 0"
FEW = 20_000  # rows up to which a jackknife leaves each of them out


@metric(title="mean absolute error",
        over=Errors, better="lower", bounds=POSITIVE, formula="mean(abs({error}))", undefined=NO_ROWS,
        aliases=("mean_absolute_error",), headline=SHOWN, loss=lambda: Loss("absolute"))
def mae(e: Errors) -> Mean:
    """The mean size of the errors, in the unit of the truth.

    Misleads when large errors cost more than in proportion: ten errors of 1 count as much as one of 10.
    """
    return Mean(e.loss("absolute"))


@metric(title="mean squared error",
        over=Errors, better="lower", bounds=POSITIVE, formula="mean({error}**2)", undefined=NO_ROWS,
        aliases=("mean_squared_error",), loss=lambda: Loss("squared"))
def mse(e: Errors) -> Mean:
    """The mean of the squared errors.

    Misleads when a few rows are far off: they decide it; and its unit is the square of the truth's.
    """
    return Mean(e.loss("squared"))


@metric(title="root mean squared error",
        over=Errors, better="lower", bounds=POSITIVE, formula="sqrt(mean({error}**2))", undefined=NO_ROWS,
        aliases=("root_mean_squared_error",), headline=SHOWN, loss=lambda: Loss("squared"))
def rmse(e: Errors) -> Mean:
    """The root of the mean squared error, in the unit of the truth; large errors weigh more than in MAE.

    Misleads when a few rows are far off: they decide it, whatever the others do.
    """
    return Mean(e.loss("squared"), through=np.sqrt)


@metric(title="median absolute error",
        over=Rows, better="lower", bounds=POSITIVE, formula="median(abs({error}))", undefined=NO_ROWS,
        aliases=("median_absolute_error", "medae"), headline=SHOWN)
def median_ae(r: Rows) -> Quantile:
    """The size that half of the errors do not exceed; a few large errors do not move it.

    Misleads when the bad half matters: the largest half of the errors may be of any size.
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


@metric(title="largest error",
        over=Errors, better="lower", bounds=POSITIVE, formula="max(abs({error}))", undefined=NO_ROWS, headline=SHOWN)
def max_error(e: Errors) -> Without:
    """The size of the largest error.

    Misleads when it is compared between data sets: it grows with the number of rows.
    """
    return Without(e.largest if e.n else np.nan, "rows that were not seen may err by any amount", resampled=False)


@metric(over=Errors, better="", bounds=UNBOUNDED, formula="mean({error})", undefined=NO_ROWS,
        aliases=("mean_error",), headline=SHOWN)
def bias(e: Errors) -> Mean:
    """The mean error: above 0 when predictions are too high on the whole.

    Misleads when it is near 0: errors in both directions cancel.
    """
    return Mean(e.joint.of_second())


@metric(title="mean absolute percentage error",
        over=Errors, better="lower", bounds=POSITIVE, formula="mean(abs({error} / {truth}))", undefined=ALL_ZERO,
        aliases=("mean_absolute_percentage_error",), headline=SHOWN, loss=lambda: Loss("percentage"),
        reference="a row whose true value is 0 has no relative error: it is left out, and a flag says how many were")
def mape(e: Errors) -> Mean:
    """The mean size of the errors as shares of the true values: 0.1 is 10 %.

    Misleads when true values are near 0, whose rows decide it, and in favour of predictions that are too low.
    """
    return Mean(e.loss("percentage"))


@metric(title="symmetric percentage error",
        over=Errors, better="lower", bounds=(0.0, 2.0),
        formula="mean(2 * abs({error}) / (abs({truth}) + abs({predicted})))", undefined=NO_ROWS,
        loss=lambda: Loss("symmetric"),
        reference="Armstrong 1985 with the factor 2 of Makridakis 1993; a row with 0 predicted for 0 counts as 0")
def smape(e: Errors) -> Mean:
    """The mean size of the errors as shares of the mean size of truth and prediction, from 0 to 2.

    Misleads when it is taken for symmetric: too low costs more than too high by as much.
    """
    return Mean(e.loss("symmetric"), most=2.0)


@metric(title="weighted absolute percentage error",
        over=Sizes, better="lower", bounds=POSITIVE, formula="sum(abs({error})) / sum(abs({truth}))",
        undefined=ALL_ZERO, aliases=("wmape",), reference="Kolassa and Schütz 2007, Foresight 6:40-43 (MAD/mean ratio)")
def wape(m: Sizes) -> Any:
    """The sum of the sizes of the errors as a share of the sum of the sizes of the true values.

    Misleads when small true values matter: the large ones decide it.
    """
    return _over(m.error, m.truth)


NEGATIVE = "a true or predicted value is negative"


@metric(title="mean squared log error",
        over=Errors, better="lower", bounds=POSITIVE, formula="mean((log1p({predicted}) - log1p({truth}))**2)",
        undefined=NEGATIVE, aliases=("mean_squared_log_error",), loss=lambda: Loss("squared_log"))
def msle(e: Errors) -> Mean | Without:
    """The mean squared difference of log(1 + x), for numbers of 0 and more.

    Misleads when the truth is small: it looks at ratios of 1 + x, and punishes too low more than too high.
    """
    return Mean(e.loss("squared_log")) if _at_least(e, 0) else _undefined(e, 0, 0)


@metric(title="root mean squared log error",
        over=Errors, better="lower", bounds=POSITIVE, formula="sqrt(mean((log1p({predicted}) - log1p({truth}))**2))",
        undefined=NEGATIVE, aliases=("root_mean_squared_log_error",), loss=lambda: Loss("squared_log"))
def rmsle(e: Errors) -> Mean | Without:
    """The root of the mean squared difference of log(1 + x).

    Misleads when the truth is small: it looks at ratios of 1 + x, and punishes too low more than too high.
    """
    return Mean(e.loss("squared_log"), through=np.sqrt) if _at_least(e, 0) else _undefined(e, 0, 0)


@metric(title="pinball loss",
        over=Errors, better="lower", bounds=POSITIVE,
        formula="mean(maximum(-{alpha} * {error}, (1 - {alpha}) * {error}))",
        undefined="alpha lies outside [0, 1], or there are no rows",
        aliases=("pinball_loss", "quantile_loss", "mean_pinball_loss"), loss=lambda alpha: Loss("pinball", alpha),
        reference="Koenker and Bassett 1978, Econometrica 46:33-50")
def pinball(e: Errors, *, alpha: float = 0.5) -> Mean | float:
    """The loss that the alpha-quantile minimises: too low costs alpha, too high 1 - alpha.

    Misleads when predictions are no quantiles: it is least at the alpha-quantile, not at the mean.
    """
    return Mean(e.loss("pinball", alpha)) if 0 <= alpha <= 1 else np.nan


@metric(title="Huber loss",
        over=Errors, better="lower", bounds=POSITIVE, undefined="delta is not above 0, or there are no rows",
        formula="mean(where(abs({error}) <= {delta}, {error}**2 / 2, {delta} * (abs({error}) - {delta} / 2)))",
        aliases=("huber_loss",), loss=lambda delta: Loss("huber", delta),
        reference="Huber 1964, Ann. Math. Statist. 35:73-101")
def huber(e: Errors, *, delta: float = 1.0) -> Mean | float:
    """Half the squared error up to delta, and growing straight from there on.

    Misleads when delta does not fit the unit of the truth: it is then half the MSE, or delta times the MAE.
    """
    return Mean(e.loss("huber", delta)) if delta > 0 else np.nan


@metric(title="Poisson deviance",
        over=Errors, better="lower", bounds=POSITIVE,
        formula="2 * mean({truth} * log({truth} / {predicted}) + {error})",
        undefined="a true value is negative, or a predicted one is not above 0",
        aliases=("mean_poisson_deviance",), loss=lambda: Loss("tweedie", 1.0))
def poisson_deviance(e: Errors) -> Mean | Without:
    """The mean deviance of counts: the loss of Poisson regression.

    Misleads when counts vary more than Poisson counts do: its size then says little about the fit.
    """
    return _deviance(e, 1.0)


@metric(over=Errors, better="lower", bounds=POSITIVE,
        formula="2 * mean(log({predicted} / {truth}) - {error} / {predicted})",
        undefined="a true or predicted value is not above 0", aliases=("mean_gamma_deviance",),
        loss=lambda: Loss("tweedie", 2.0))
def gamma_deviance(e: Errors) -> Mean | Without:
    """The mean deviance of gamma regression: it looks at ratios, not at differences.

    Misleads when true values are near 0: small differences are large ratios there.
    """
    return _deviance(e, 2.0)


@metric(title="Tweedie deviance",
        over=Errors, better="lower", bounds=POSITIVE,
        formula="2 * mean({truth}**(2 - {power}) / ((1 - {power}) * (2 - {power})) "
                "- {truth} * {predicted}**(1 - {power}) / (1 - {power}) + {predicted}**(2 - {power}) / (2 - {power}))",
        undefined="a value lies outside of the range of this power, or the power is between 0 and 1",
        aliases=("mean_tweedie_deviance",), loss=lambda power: Loss("tweedie", power),
        reference="Jørgensen 1987, J. R. Statist. Soc. B 49:127-162; power 0 is MSE, 1 Poisson, 2 gamma")
def tweedie_deviance(e: Errors, *, power: float = 1.5) -> Mean | Without:
    """The mean deviance of Tweedie regression, whose variance grows with that power of the mean.

    Misleads when values for different powers are compared: each has its own unit.
    """
    return _deviance(e, power)


def _deviance(e: Errors, power: float) -> Mean | Without:
    least_truth, least_said = domain(power)
    if 0 < power < 1:
        return Without(np.nan, f"no distribution has power {power:g}: it is 0, or 1 and more, or negative")
    held = _beyond(e.least_truth, least_truth) and _beyond(e.least_said, least_said)
    return Mean(e.loss("tweedie", power)) if held else _undefined(e, least_truth, least_said)


def domain(power: float) -> tuple[float, float]:
    """What true and predicted values must be, at least; tiny means above 0."""
    tiny, any_number = np.nextafter(0, 1), -np.inf
    said = any_number if power == 0 else tiny
    return (any_number if power <= 0 else 0.0 if power < 2 else tiny), said


def _beyond(least: float, allowed: float) -> bool:
    return bool(least >= allowed)


def _at_least(e: Errors, least: float) -> bool:
    return min(e.least_truth, e.least_said) >= least


def _undefined(e: Errors, least_truth: float, least_said: float) -> Without:
    """Undefined, with the value that lies outside of the range."""
    wrong = e.least_truth < least_truth
    name, value, least = ("true", e.least_truth, least_truth) if wrong else ("predicted", e.least_said, least_said)
    needed = "above 0" if least else "of 0 or more"
    return Without(np.nan, f"the least {name} value is {value:.6g}: it needs values {needed}")


def _over(part: Any, whole: Any) -> Any:
    """A ratio; NaN where there is nothing to divide by."""
    return np.where(np.real(whole) > 0, part / np.where(np.real(whole) > 0, whole, 1.0), np.nan)


@metric(title="R²",
        over=Joint, better="higher", bounds=SKILL, undefined=NO_SPREAD, headline=SHOWN,
        formula="1 - sum({error}**2) / sum(({truth} - mean({truth}))**2)",
        aliases=("r2_score", "r_squared", "coefficient_of_determination", "d2_squared"))
def r2(m: Joint) -> Any:
    """The share of the spread of the truth that the predictions explain; 0 is as good as its mean, 1 is perfect.

    Misleads when data sets are compared: the same errors give a higher R² where the truth is more spread out.
    """
    return 1 - _over(m.error2 + m.error**2, m.truth2)


@metric(title="adjusted R²",
        over=Joint, better="higher", bounds=SKILL,
        formula="1 - sum({error}**2) / sum(({truth} - mean({truth}))**2) * ({rows} - 1) / ({rows} - {features} - 1)",
        undefined="the number of features is not given, as in adjusted_r2(features=3), every true value is the same, "
                  "or there are no more rows than features",
        reference="Wherry 1931, Ann. Math. Statist. 2:440-457; for rows that the model was fitted to")
def adjusted_r2(m: Joint, *, features: int = 0) -> Any:
    """R² less what that many features explain by chance.

    Misleads on rows that the model was not fitted to: there is nothing to adjust there.
    """
    spare = m.rows - features - 1
    held = features > 0 and np.all(spare > 0)
    return 1 - _over(m.error2 + m.error**2, m.truth2) * ((m.rows - 1) / spare if held else np.nan)


@metric(over=Joint, better="higher", bounds=SKILL, undefined=NO_SPREAD, aliases=("explained_variance_score",),
        formula="1 - sum(({error} - mean({error}))**2) / sum(({truth} - mean({truth}))**2)")
def explained_variance(m: Joint) -> Any:
    """R² of predictions that are freed of their bias.

    Misleads when predictions are biased: it forgives every constant error.
    """
    return 1 - _over(m.error2, m.truth2)


@metric(title="concordance correlation",
        over=Joint, better="higher", bounds=(-1.0, 1.0), undefined="truth and prediction are one and the same number",
        formula="2 * mean(({truth} - mean({truth})) * ({predicted} - mean({predicted}))) / (mean(({truth} - "
                "mean({truth}))**2) + mean(({predicted} - mean({predicted}))**2) + mean({error})**2)",
        aliases=("concordance_correlation", "ccc", "lins_ccc"), reference="Lin 1989, Biometrics 45:255-268")
def concordance(m: Joint) -> Any:
    """Lin's concordance: a correlation that is 1 only where prediction and truth are equal.

    Misleads when data sets are compared: like R², it grows with the spread of the truth.
    """
    said2 = m.truth2 + 2 * m.both + m.error2
    return _over(2 * (m.truth2 + m.both), m.truth2 + said2 + m.error**2)


@metric(title="lower limit of agreement",
        over=Joint, better="", bounds=UNBOUNDED, undefined="there are fewer than two rows",
        formula="mean({error}) - normal_quantile({share}) * sqrt(sum(({error} - mean({error}))**2) / ({rows} - 1))",
        reference="Bland and Altman 1986, Lancet 327:307-310")
def agreement_low(m: Joint, *, share: float = 0.95) -> Any:
    """The lower limit of agreement: of normal errors, the given share lies between it and the upper one.

    Misleads when errors are skewed or grow with the value: the limits take them as normal and alike.
    """
    return m.error - _reach(m, share)


@metric(title="upper limit of agreement",
        over=Joint, better="", bounds=UNBOUNDED, undefined="there are fewer than two rows",
        formula="mean({error}) + normal_quantile({share}) * sqrt(sum(({error} - mean({error}))**2) / ({rows} - 1))",
        reference="Bland and Altman 1986, Lancet 327:307-310")
def agreement_high(m: Joint, *, share: float = 0.95) -> Any:
    """The upper limit of agreement: of normal errors, the given share lies between the lower one and it.

    Misleads when errors are skewed or grow with the value: the limits take them as normal and alike.
    """
    return m.error + _reach(m, share)


def _reach(m: Joint, share: float) -> Any:
    held = m.rows > 1 and 0 < share < 1
    return normal_quantile(share) * np.sqrt(m.error2 * (m.rows / (m.rows - 1))) if held else np.nan


def normal_quantile(share: float) -> float:
    """How many standard deviations around the mean hold this share of normal numbers.

    >>> round(normal_quantile(0.95), 4)
    1.96
    """
    from statistics import NormalDist  # not before it is needed: it takes long to import

    return NormalDist().inv_cdf((1 + share) / 2)


def _avoided(m: Joint) -> Any:
    """1 less the mean loss as a share of that of the best single answer, which comes first."""
    return 1 - _over(m.error, m.truth)


def _skill(r: Rows, loss: Loss) -> Linearised:
    """The share of the loss of the best single answer that is avoided."""
    j = against_best(r, loss)

    def left_out() -> Any:
        return joint.left_out(_avoided, j, *both_losses(r, loss), r.weights, Sizes)

    spread = partial(joint.variance, _avoided, j, Sizes)
    few = left_out if 2 < r.n <= FEW else None
    return Linearised(float(_avoided(joint.view(j, Sizes))), spread, j.effective, few)


def against_best(r: Rows, loss: Loss) -> JointMoments:
    """Joint moments of the loss of the best single answer, and of that of the predictions."""
    if not r.n:
        return JointMoments.empty()
    base = base_of(r, loss)
    return JointMoments.found(_native.losses_against(r.truth, r.said, r.weights, loss.kind, loss.parameter, base))


def both_losses(r: Rows, loss: Loss) -> tuple[Any, Any]:
    """The same row by row."""
    return loss.of_rows(r.truth, np.full(r.n, base_of(r, loss))), loss.of_rows(r.truth, r.said)


def influence_on_skill(r: Rows, loss: Loss) -> Any:
    """How far each row moves the share that is avoided, were it all rows."""
    return joint.influence(_avoided, against_best(r, loss), *both_losses(r, loss), Sizes)


@metric(title="D² of absolute errors",
        over=Rows, better="higher", bounds=SKILL, undefined=NO_SPREAD, aliases=("d2_absolute_error_score",),
        formula="1 - sum(abs({error})) / sum(abs({truth} - median({truth})))", loss=lambda: Loss("absolute"),
        reference="Koenker and Machado 1999, J. Am. Statist. Assoc. 94:1296-1310")
def d2_absolute(r: Rows) -> Linearised:
    """The share of the absolute error of always answering the median that is avoided.

    Misleads when it is compared with R²: it is a share of another error.
    """
    return _skill(r, Loss("absolute"))


@metric(title="D² of pinball losses",
        over=Rows, better="higher", bounds=SKILL, undefined=NO_SPREAD + ", or alpha lies outside [0, 1]",
        aliases=("d2_pinball_score",), loss=lambda alpha: Loss("pinball", alpha),
        formula="1 - sum(maximum(-{alpha} * {error}, (1 - {alpha}) * {error})) / sum(maximum({alpha} * ({truth} - "
                "{quantile}), ({alpha} - 1) * ({truth} - {quantile})))",
        reference="Koenker and Machado 1999, J. Am. Statist. Assoc. 94:1296-1310")
def d2_pinball(r: Rows, *, alpha: float = 0.5) -> Linearised | float:
    """The share of the pinball loss of always answering the alpha-quantile that is avoided.

    Misleads when predictions are no quantiles: the yardstick is the alpha-quantile of the same rows.
    """
    return _skill(r, Loss("pinball", alpha)) if 0 <= alpha <= 1 else np.nan


@metric(title="D² of Tweedie deviances",
        over=Rows, better="higher", bounds=SKILL, formula="1 - {deviance_of_power} / {deviance_of_mean}",
        undefined=NO_SPREAD + ", or a value lies outside of the range of the power", aliases=("d2_tweedie_score",),
        loss=lambda power: Loss("tweedie", power),
        reference="Hastie, Tibshirani and Wainwright 2015, Statistical Learning with Sparsity, eq. 3.11")
def d2_tweedie(r: Rows, *, power: float = 1.5) -> Linearised | float:
    """The share of the Tweedie deviance of always answering the mean that is avoided; with power 0 it is R².

    Misleads when values for different powers are compared: each is a share of another deviance.
    """
    least = domain(power)
    inside = r.n and _beyond(r.truth.min(), least[0]) and _beyond(r.said.min(), least[1]) and not 0 < power < 1
    return _skill(r, Loss("tweedie", power)) if inside else np.nan


def base_of(r: Rows, loss: Loss) -> float:
    """The one answer that is best for a loss: the mean for deviances, a quantile for pinball and absolute loss."""
    if not r.n:
        return np.nan
    if loss.kind == "tweedie":
        return float(np.average(r.truth, weights=r.weights))
    share = loss.parameter if loss.kind == "pinball" else 0.5
    return r.median if share == 0.5 else quantile(r.truth.astype(np.float64, copy=False), share, r.weights)
