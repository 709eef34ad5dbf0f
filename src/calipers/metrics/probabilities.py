"""Formulas over probabilities: how close they are to what came."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from calipers.metrics.base import UNBOUNDED, metric
from calipers.metrics.bins import Bins, binned, largest_gap, mean_gap, mean_squared_gap
from calipers.metrics.brackets import of_bins, of_gaps, unbracketed
from calipers.metrics.values import Calibration, Mean, Without, mean_loss
from calipers.remarks import Remark
from calipers.statistics.moments import Losses, Moments
from calipers.statistics.probability_losses import losses_of
from calipers.statistics.scores import ScoreSamples

if TYPE_CHECKING:
    from calipers.data.batch import Batch

Array = npt.NDArray[Any]
POSITIVE = (0.0, float("inf"))
BOTH = {"binary": (None,), "multiclass": (None,)}
NO_ROWS = Remark("metrics.no_rows")
A_TEST = Remark("metrics.a_test")


def log_loss_of_rows(batch: Batch) -> Array | Moments:
    """Minus the log of the probability given to the true class, clipped as in the binary form."""
    assert batch.score is not None
    if batch.scan is None:
        return losses_of(batch)[0].moments
    return _logs(batch.scan.own, batch)


def _logs(p: Array, batch: Batch) -> Array:
    assert batch.score is not None
    eps = np.finfo(batch.score.dtype).eps
    return np.asarray(-np.log(np.clip(p, eps, 1 - eps)))


def log_losses(batch: Batch) -> Losses:
    """The log loss, with what an error costs: beyond two classes, as if one class had all that the true one has not."""
    if batch.scan is None:
        return losses_of(batch)[0]
    own = batch.scan.own
    return Losses.of_values(_logs(own, batch), _logs(1 - own, batch), batch.scan.top != batch.truth, batch.weights)


def brier_of_rows(batch: Batch) -> Array | Moments:
    """The squared distance between the probabilities and the truth as 0 and 1, summed over the classes."""
    if batch.scan is None:
        return losses_of(batch)[1].moments
    distance: Array = batch.scan.square - 2 * batch.scan.own + 1
    return distance / 2 if len(batch.labels) == 2 else distance  # two classes: the binary form, which has one term


def squared_losses(batch: Batch) -> Losses:
    """The Brier score, with what an error costs, as for the log loss."""
    if batch.scan is None:
        return losses_of(batch)[1]
    each, terms = brier_of_rows(batch), 1 if len(batch.labels) == 2 else 2
    assert isinstance(each, np.ndarray)
    return Losses.of_values(each, terms * batch.scan.own**2, batch.scan.top != batch.truth, batch.weights)


@metric(over=ScoreSamples, better="lower", bounds=POSITIVE, formula="mean(-log({p_true}))", undefined=NO_ROWS,
        aliases=("cross_entropy", "logloss"), headline=BOTH, probabilities=True, rows=log_loss_of_rows,
        losses=log_losses, walked="log_loss", ends=unbracketed)
def log_loss(s: ScoreSamples) -> Mean:
    """Penalty for low probability on what actually happened: -mean log p(actual), with p clipped to [eps, 1-eps].

    Caution: A few rows can dominate it: one confident mistake costs as much as dozens of uncertain ones.
    """
    return mean_loss(s.losses[0], float(-np.log(np.finfo(s.pos.dtype).eps)))


@metric(title="Brier score",
        over=ScoreSamples, better="lower", bounds=(0.0, 2.0), formula="mean((1 - {p_true})**2)", undefined=NO_ROWS,
        aliases=("brier_score", "squared_loss"), headline=BOTH, probabilities=True, rows=brier_of_rows, most_of_two=1.0,
        losses=squared_losses, walked="squared", ends=unbracketed,
        reference=Remark("metrics.reference_brier"))
def brier(s: ScoreSamples) -> Mean:
    """Mean squared difference between predicted probability and actual outcome (summed over the classes if there are
    more than two).

    Caution: If the class is rare, always predicting the prevalence is already close to 0.
    """
    return mean_loss(s.losses[1])


def _gaps(s: ScoreSamples, bins: int, rule: str, closed: str, *, largest: bool) -> Calibration:
    b = binned(s, bins, rule, closed)
    return Calibration(b.weight, b.shrink, b.score, b.outcome, b.variance, largest)


@metric(title="ECE",
        over=ScoreSamples, better="lower", bounds=(0.0, 1.0),
        formula="sum({bin_share} * abs({bin_outcome} - {bin_score}))", undefined=NO_ROWS,
        aliases=("expected_calibration_error",),
        shorthands=dict.fromkeys(("classwise_ece", "static_calibration_error"), "ece(average=macro)"),
        headline=BOTH, probabilities=True, top_class=True,
        of_gaps=mean_gap, ends=of_gaps, reference=Remark("metrics.reference_ece"))
def ece(s: ScoreSamples, *, bins: int = 15, rule: str = "width", closed: str = "left") -> Calibration:
    """Average gap between predicted probability and observed frequency, over bins.

    Caution: Bins with few rows add noise. Do not compare values computed with different bins.
    """
    return _gaps(s, bins, rule, closed, largest=False)


@metric(title="MCE",
        over=ScoreSamples, better="lower", bounds=(0.0, 1.0), formula="max(abs({bin_outcome} - {bin_score}))",
        undefined=NO_ROWS, aliases=("maximum_calibration_error",), probabilities=True, top_class=True,
        of_gaps=largest_gap, ends=of_gaps, reference=Remark("metrics.reference_mce"))
def mce(s: ScoreSamples, *, bins: int = 15, rule: str = "width", closed: str = "left") -> Calibration:
    """Largest gap between predicted probability and observed frequency, over bins.

    Caution: The largest gap is often the noisiest one, in a bin with few rows.
    """
    return _gaps(s, bins, rule, closed, largest=True)


def _mean(b: Bins, x: Array) -> float:
    return float(np.nansum(b.weight * x) / b.weight.sum()) if b.weight.sum() else np.nan


PART = Remark("metrics.brier_part")


@metric(over=ScoreSamples, better="lower", bounds=(0.0, 1.0),
        formula="sum({bin_share} * ({bin_outcome} - {bin_score})**2)", undefined=NO_ROWS, probabilities=True,
        of_gaps=mean_squared_gap, ends=of_gaps, reference="Murphy 1973, J. Appl. Meteorol. 12:595-600")
def reliability(s: ScoreSamples, *, bins: int = 10, rule: str = "width") -> Without:
    """Part of the Brier score that recalibration would remove: mean squared gap over bins.

    Caution: Bins with few rows make it positive by noise alone.
    """
    b = binned(s, bins, rule)
    gap = np.where(b.weight > 0, b.weight * (b.outcome - b.score), 0.0)
    return Without(float(mean_squared_gap(b.weight, gap)), PART)


@metric(over=ScoreSamples, better="higher", bounds=(0.0, 0.25),
        formula="sum({bin_share} * ({bin_outcome} - {base})**2)", undefined=NO_ROWS, probabilities=True, ends=of_bins,
        reference="Murphy 1973, J. Appl. Meteorol. 12:595-600")
def resolution(s: ScoreSamples, *, bins: int = 10, rule: str = "width") -> Without:
    """Part of the Brier score gained by separating rows: spread of the observed frequency over bins.

    Caution: Bins with few rows make it positive by noise alone.
    """
    b = binned(s, bins, rule)
    return Without(_mean(b, (b.outcome - _mean(b, b.outcome)) ** 2), PART)


@metric(over=ScoreSamples, better="", bounds=(0.0, 0.25), formula="{base} * (1 - {base})", undefined=NO_ROWS,
        probabilities=True, ends=unbracketed, reference="Murphy 1973, J. Appl. Meteorol. 12:595-600")
def uncertainty(s: ScoreSamples) -> Without:
    """Brier score of always predicting the prevalence.

    Caution: It describes the data, not the model.
    """
    total = s.positives + s.negatives
    share = s.positives / total if total else np.nan
    return Without(share * (1 - share), PART)


@metric(title="Hosmer-Lemeshow statistic",
        over=ScoreSamples, better="lower", bounds=POSITIVE,
        formula="sum({bin_count} * ({bin_outcome} - {bin_score})**2 / ({bin_score} * (1 - {bin_score})))",
        undefined=Remark("metrics.bin_contradicted"), probabilities=True,
        reference=Remark("metrics.reference_sas"))
def hosmer_lemeshow(s: ScoreSamples, *, bins: int = 10, rule: str = "mass") -> Without:
    """Chi-squared statistic of Hosmer and Lemeshow, over bins with equal numbers of rows.

    Caution: With very many rows it rejects harmless gaps, with few rows it misses large ones, and it depends on the
    bins.
    """
    statistic, _ = _hosmer_lemeshow(binned(s, bins, rule))
    return Without(statistic, A_TEST, resampled=False)


def _hosmer_lemeshow(b: Bins) -> tuple[float, int]:
    """The statistic, and over how many bins: one that predicts 0 or 1, and is right, can show no surprise."""
    with np.errstate(invalid="ignore", divide="ignore"):
        terms = b.weight * (b.outcome - b.score) ** 2 / (b.score * (1 - b.score))
    counted = (b.weight > 0) & ~((b.outcome == b.score) & np.isin(b.score, (0, 1)))
    return float(terms[counted].sum()) if b.weight.sum() else np.nan, int(counted.sum())


@metric(title="Hosmer-Lemeshow p-value",
        over=ScoreSamples, better="", bounds=(0.0, 1.0),
        formula="chi2_tail({hosmer_lemeshow}, {filled_bins} - 2 * {fitted})",
        undefined=Remark("metrics.few_bins"), probabilities=True,
        reference=Remark("metrics.reference_hosmer"))
def hosmer_lemeshow_p(s: ScoreSamples, *, bins: int = 10, rule: str = "mass", fitted: bool = False) -> Without:
    """P-value of the Hosmer-Lemeshow statistic: small if the probabilities are not calibrated.

    Caution: A large p-value is not evidence of calibration: with few rows nothing is rejected.
    """
    statistic, counted = _hosmer_lemeshow(binned(s, bins, rule))
    df = counted - 2 * fitted
    return Without(chi2_tail(statistic, df) if df > 0 else np.nan, Remark("metrics.a_pvalue"), resampled=False)


def chi2_tail(statistic: float, df: float) -> float:
    """The chance that a chi-square variable exceeds the statistic."""
    from scipy.special import chdtrc

    return float(chdtrc(df, statistic))


@metric(title="Spiegelhalter's z",
        over=ScoreSamples, better="", bounds=UNBOUNDED,
        formula="sum(({outcome} - {p}) * (1 - 2*{p})) / sqrt(sum((1 - 2*{p})**2 * {p} * (1 - {p})))",
        undefined=Remark("metrics.all_certain"), probabilities=True,
        reference="Spiegelhalter 1986, Stat. Med. 5:421-433")
def spiegelhalter_z(s: ScoreSamples) -> Without:
    """Brier score minus its expected value under calibration, in standard errors (Spiegelhalter).

    Caution: Gaps in opposite directions can cancel.
    """
    over, under = s.surprise
    return Without(over / np.sqrt(under) if under > 0 else np.nan, A_TEST, resampled=False)


@metric(title="Spiegelhalter p-value",
        over=ScoreSamples, better="", bounds=(0.0, 1.0), formula="two_sided({spiegelhalter_z})",
        undefined=Remark("metrics.all_certain"), probabilities=True)
def spiegelhalter_p(s: ScoreSamples) -> Without:
    """Two-sided p-value of Spiegelhalter's z: small if the probabilities are not calibrated.

    Caution: A large p-value is not evidence of calibration: with few rows nothing is rejected.
    """
    return Without(two_sided(spiegelhalter_z.metric.function(s).value), Remark("metrics.a_pvalue"), resampled=False)


def two_sided(z: float) -> float:
    """The two-sided normal p-value of a z."""
    from math import erfc, sqrt

    return erfc(abs(z) / sqrt(2))


def mean_of(s: ScoreSamples, if_positive: Any, if_negative: Any) -> Moments:
    """Moments over all rows of a loss that is one function of a positive's score and another of a negative's."""
    pos = if_positive(s.pos.astype(np.float64, copy=False))
    neg = if_negative(s.neg.astype(np.float64, copy=False))
    return s.moments(pos, neg)
