"""Formulas over truth and error jointly: shares of the spread, or of the loss of one answer for all, and agreement."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from calipers.metrics import joint
from calipers.metrics.base import UNBOUNDED, metric
from calipers.metrics.joint import FEW, Joint, Sizes, ratio
from calipers.metrics.regression import SHOWN, domain
from calipers.metrics.values import Linearised
from calipers.remarks import Remark
from calipers.statistics.losses import Loss
from calipers.statistics.rows import Rows

SKILL = (-float("inf"), 1.0)
NO_SPREAD = Remark("metrics.constant_truth")


def _squares(r: Rows) -> tuple[Any, Any]:
    """The squared error of each row, and the squared distance of its truth from the mean."""
    error = r.predictions - r.truth.astype(np.float64)
    return error**2, (r.truth - np.average(r.truth, weights=r.weights)) ** 2


def _centred_squares(r: Rows) -> tuple[Any, Any]:
    """The same with the mean error taken off.

    A row also moves the mean error, by which leaving it out changes the variance by (n-1)/(n-2) times its deviation.
    """
    error = r.predictions - r.truth.astype(np.float64)
    squares = (error - np.average(error, weights=r.weights)) ** 2
    mean, n = np.average(squares, weights=r.weights), len(squares)
    return mean + (squares - mean) * ((n - 1) / (n - 2) if n > 2 else 1.0), _squares(r)[1]


@metric(title="R²",
        over=Joint, better="higher", bounds=SKILL, undefined=NO_SPREAD, headline=SHOWN, parts=_squares,
        formula="1 - sum({error}**2) / sum(({truth} - mean({truth}))**2)",
        aliases=("r2_score", "r_squared", "coefficient_of_determination", "d2_squared"))
def r2(m: Joint) -> Any:
    """Fraction of the variance of the true values that the predictions explain: 0 for predicting the mean, 1 for a
    perfect model.

    Caution: Do not compare across data sets: the same errors give a higher R² if the true values vary more.
    """
    return 1 - ratio(m.error2 + m.error**2, m.truth2)


@metric(title="adjusted R²",
        over=Joint, better="higher", bounds=SKILL, parts=_squares,
        formula="1 - sum({error}**2) / sum(({truth} - mean({truth}))**2) * ({rows} - 1) / ({rows} - {features} - 1)",
        undefined=Remark("metrics.features"),
        reference=Remark("metrics.reference_adjusted"))
def adjusted_r2(m: Joint, *, features: int = 0) -> Any:
    """R² corrected for the part that this number of features explains by chance.

    Caution: It is for training data: on new data there is nothing to adjust.
    """
    spare = m.rows - features - 1
    defined = features > 0 and np.all(spare > 0)
    return 1 - ratio(m.error2 + m.error**2, m.truth2) * ((m.rows - 1) / spare if defined else np.nan)


@metric(over=Joint, better="higher", bounds=SKILL, undefined=NO_SPREAD, aliases=("explained_variance_score",),
        parts=_centred_squares,
        formula="1 - sum(({error} - mean({error}))**2) / sum(({truth} - mean({truth}))**2)")
def explained_variance(m: Joint) -> Any:
    """R² of the predictions after their bias is removed.

    Caution: It ignores any constant error.
    """
    return 1 - ratio(m.error2, m.truth2)


@metric(title="concordance correlation",
        over=Joint, better="higher", bounds=(-1.0, 1.0), undefined=Remark("metrics.one_number"),
        formula="2 * mean(({truth} - mean({truth})) * ({predicted} - mean({predicted}))) / (mean(({truth} - "
                "mean({truth}))**2) + mean(({predicted} - mean({predicted}))**2) + mean({error})**2)",
        aliases=("concordance_correlation", "ccc", "lins_ccc"), reference="Lin 1989, Biometrics 45:255-268")
def concordance(m: Joint) -> Any:
    """Lin's concordance correlation, which is 1 only if predictions and true values are equal.

    Caution: Do not compare across data sets: like R², it grows with the variance of the true values.
    """
    said2 = m.truth2 + 2 * m.both + m.error2
    return ratio(2 * (m.truth2 + m.both), m.truth2 + said2 + m.error**2)


@metric(title="lower limit of agreement",
        over=Joint, better="", bounds=UNBOUNDED, undefined=Remark("metrics.fewer_than_two"),
        formula="mean({error}) - normal_quantile({share}) * sqrt(sum(({error} - mean({error}))**2) / ({rows} - 1))",
        reference="Bland and Altman 1986, Lancet 327:307-310")
def agreement_low(m: Joint, *, share: float = 0.95) -> Any:
    """Lower limit of agreement: the given share of normally distributed errors lies between the two limits.

    Caution: It assumes normal errors of constant size: do not use it if errors are skewed or grow with the value.
    """
    return m.error - _reach(m, share)


@metric(title="upper limit of agreement",
        over=Joint, better="", bounds=UNBOUNDED, undefined=Remark("metrics.fewer_than_two"),
        formula="mean({error}) + normal_quantile({share}) * sqrt(sum(({error} - mean({error}))**2) / ({rows} - 1))",
        reference="Bland and Altman 1986, Lancet 327:307-310")
def agreement_high(m: Joint, *, share: float = 0.95) -> Any:
    """Upper limit of agreement: the given share of normally distributed errors lies between the two limits.

    Caution: It assumes normal errors of constant size: do not use it if errors are skewed or grow with the value.
    """
    return m.error + _reach(m, share)


def _reach(m: Joint, share: float) -> Any:
    defined = m.rows > 1 and 0 < share < 1
    return normal_quantile(share) * np.sqrt(m.error2 * (m.rows / (m.rows - 1))) if defined else np.nan


def normal_quantile(share: float) -> float:
    """How many standard deviations around the mean hold this share of normal numbers.

    >>> round(normal_quantile(0.95), 4)
    1.96
    """
    from statistics import NormalDist  # not before it is needed: it takes long to import

    return NormalDist().inv_cdf((1 + share) / 2)


def _avoided(m: Joint) -> Any:
    """1 less the mean loss as a share of that of the best single answer, which comes first."""
    return 1 - ratio(m.error, m.truth)


def _skill(r: Rows, loss: Loss) -> Linearised:
    """The share of the loss of the best single answer that is avoided."""
    j = r.against_best(loss)

    def left_out() -> Any:
        return joint.left_out(_avoided, j, *both_losses(r, loss), r.weights, Sizes)

    spread = partial(joint.variance, _avoided, j, Sizes)
    few = left_out if 2 < r.n <= FEW else None
    return Linearised(float(_avoided(joint.view(j, Sizes))), spread, j.effective, few)


def both_losses(r: Rows, loss: Loss) -> tuple[Any, Any]:
    """The loss of the best single answer, and that of the prediction, of each row."""
    return loss.of_rows(r.truth, np.full(r.n, r.best(loss))), loss.of_rows(r.truth, r.predictions)


def influence_on_skill(r: Rows, loss: Loss) -> Any:
    """How far each row moves the share that is avoided, were it all rows."""
    return joint.influence(_avoided, r.against_best(loss), *both_losses(r, loss), Sizes)


@metric(title="D² of absolute errors",
        over=Rows, better="higher", bounds=SKILL, undefined=NO_SPREAD, aliases=("d2_absolute_error_score",),
        formula="1 - sum(abs({error})) / sum(abs({truth} - median({truth})))", loss=lambda: Loss("absolute"),
        reference="Koenker and Machado 1999, J. Am. Statist. Assoc. 94:1296-1310")
def d2_absolute(r: Rows) -> Linearised:
    """Fraction of the absolute error of always predicting the median that the model avoids.

    Caution: Do not compare with R²: it is a fraction of a different error.
    """
    return _skill(r, Loss("absolute"))


def of_quantile(alpha: float) -> Loss:
    """The pinball loss; at the median it is half the absolute one, of which the same share is avoided."""
    return Loss("absolute") if alpha == 0.5 else Loss("pinball", alpha)


@metric(title="D² of pinball losses",
        over=Rows, better="higher", bounds=SKILL, undefined=Remark("metrics.constant_truth_or_alpha"),
        aliases=("d2_pinball_score",), loss=of_quantile,
        formula="1 - sum(maximum(-{alpha} * {error}, (1 - {alpha}) * {error})) / sum(maximum({alpha} * ({truth} - "
                "{quantile}), ({alpha} - 1) * ({truth} - {quantile})))",
        reference="Koenker and Machado 1999, J. Am. Statist. Assoc. 94:1296-1310")
def d2_pinball(r: Rows, *, alpha: float = 0.5) -> Linearised | float:
    """Fraction of the pinball loss of always predicting the alpha-quantile that the model avoids.

    Caution: It is for predicted quantiles, and compares with the alpha-quantile of the same data.
    """
    return _skill(r, of_quantile(alpha)) if 0 <= alpha <= 1 else np.nan


@metric(title="D² of Tweedie deviances",
        over=Rows, better="higher", bounds=SKILL, formula="1 - {deviance_of_power} / {deviance_of_mean}",
        undefined=Remark("metrics.constant_truth_or_power"), aliases=("d2_tweedie_score",),
        loss=lambda power: Loss("tweedie", power),
        reference="Hastie, Tibshirani and Wainwright 2015, Statistical Learning with Sparsity, eq. 3.11")
def d2_tweedie(r: Rows, *, power: float = 1.5) -> Linearised | float:
    """Fraction of the Tweedie deviance of always predicting the mean that the model avoids; with power 0 it is R².

    Caution: Do not compare values for different powers.
    """
    least = domain(power)
    inside = r.n and r.least[0] >= least[0] and r.least[1] >= least[1] and not 0 < power < 1
    return _skill(r, Loss("tweedie", power)) if inside else np.nan
