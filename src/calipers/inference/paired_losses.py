"""Losses of two models on the same rows: the paired t-test of their means, or of means over a scale that both share."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.inference.contrast import Contrast, LossRatio, deciding, skewness, uncertain_skewness
from calipers.inference.groups import between
from calipers.inference.inner import inner
from calipers.inference.jackknife import effective_differences, jackknife
from calipers.inference.mean import unseen_errors
from calipers.inference.method import TOO_FEW
from calipers.inference.quantiles import z
from calipers.metrics.values import Unseen, few_decide
from calipers.remarks import Remark

Array = npt.NDArray[Any]
MANY = 50  # rows in which models differ; from here on their number makes less than 3% of an interval's width
MOSTLY = 2.0  # times the standard error that the rows themselves show
USUAL = 0.95  # the level at which errors that were not drawn are counted


def paired_t(
    apart: Array,
    scale: Array | None,
    weights: Array,
    groups: Array | None = None,
    fewer: float = np.inf,
    classes: Array | None = None,
    unseen: Unseen | None = None,
    *,
    bounded: bool = True,
) -> Contrast:
    """The test of losses that differ by `apart`; with a scale, of the mean difference over the mean of the scale.

    The degrees of freedom are those of the fewest of: effective rows, groups (compared within `classes`), rows of the
    smaller class (`fewer`), and rows in which the models differ at all, where these are few. `unseen`: how many errors
    were seen of the model that an error costs more, and how much more. `bounded`: whether losses are, as those of
    probabilities and queries; a few of others, as of squared errors, may be so large that samples do not show them.

    >>> found = paired_t(np.array([0.1, 0.3, 0.2, 0.4]), None, np.ones(4))
    >>> found.df, round(found.value, 3), round(found.pvalue(), 4)
    (3.0, 0.25, 0.0305)
    """
    total = weights.sum()

    def together(each: Array) -> Array:
        return each if groups is None else np.bincount(groups, each)

    mean, differ = float(inner(weights, apart) / total), together(weights * apart)
    each, method = together(weights * (apart - mean) / total), _test(scale)
    if len(each) < 2:
        return Contrast(mean, np.nan, np.nan, "", TOO_FEW)
    rows = int(np.count_nonzero(differ))
    df = max(1.0, min(effective(weights), fewer, float(len(each)), float(rows) if rows < MANY else np.inf) - 1)
    square, lift = inner(each, each), len(each) / (len(each) - 1)
    if groups is not None and square > 0:
        variation = between(weights * (apart - mean) / total, classes, groups)
        lift, df = variation.variance / square, max(1.0, min(df, variation.df))
    skew, skew_error = (skewness(each, rows), 0.0) if bounded else uncertain_skewness(each)
    note = next(iter(few_decide(deciding(each), float(rows))), "")
    method = method if groups is None else Remark("inference.grouped", method=method)
    if scale is None or not rows:
        error, skew = (float(np.sqrt(square * lift)), skew) if rows else (0.0, 0.0)
        found = Contrast(mean, error, df, method, note, skew, each, skew_error=skew_error if rows else 0.0)
        return with_unseen(found, unseen if rows else None, effective(weights), len(each) / len(apart))
    height = float(inner(weights, scale) / total)
    other = together(weights * (scale - height) / total)
    covariance = square * lift, inner(each, other) * lift, inner(other, other) * lift
    return LossRatio.of((mean, height), covariance, df, method, skew, each, note, skew_error)


def with_unseen(found: Contrast, unseen: Unseen | None, rows: float, independent: float = 1.0) -> Contrast:
    """The contrast with an allowance for errors that were not drawn, of so many effective rows."""
    if unseen is None:
        return found
    more = _unseen(unseen, rows, independent)
    mostly = abs(more) > MOSTLY * found.error
    note = Remark("inference.unseen_either", count=unseen.errors) if mostly else found.note
    return replace(found, note=note, unseen=more)


def _test(scale: Array | None) -> Remark:
    return Remark("inference.paired_t" if scale is None else "inference.paired_t_losses")


def _unseen(unseen: Unseen, rows: float, independent: float) -> float:
    """The allowance for errors that were not drawn (`unseen_errors`), as a standard error with the sign of its side.

    `independent`: of rows in groups, the share that would be as many independent ones.
    """
    return unseen_errors(rows * independent, unseen.errors / independent, unseen.cost, USUAL) / z(USUAL)


def dearer(first: Unseen | None, second: Unseen | None) -> Unseen | None:
    """How much more an error costs the first model than the second, and how many were seen of the one that pays more.

    >>> dearer(Unseen(3.0, 9.0), Unseen(5.0, 2.0))
    Unseen(errors=3.0, cost=7.0)
    """
    if first is None or second is None:
        return None
    cost = first.cost - second.cost
    return Unseen((first if cost > 0 else second).errors, cost)


def limited_df(df: float, apart: Array) -> float:
    """The degrees of freedom where few rows decide a difference; with many, those of the textbook."""
    return limited(df, effective_differences(apart))


def limited(df: float, decide: float) -> float:
    """The same from how many rows decide."""
    return df if decide >= MANY else max(1.0, min(df, decide - 1))


def effective(weights: Array) -> float:
    """Kish's effective number of rows.

    >>> effective(np.array([1.0, 1.0, 2.0])) == 16 / 6
    True
    """
    square = inner(weights, weights)
    return float(weights.sum()) ** 2 / square if square else 0.0


def left_out_t(gap: float, apart: Array) -> Contrast:
    """A difference from what it is without each row, or each user.

    The degrees of freedom are those of a variance from values of kurtosis κ, 2n/(κ-1) (Satterthwaite 1946), minus one:
    several models are judged by far tails, where those of one interval would be too many.
    """
    variance, df = jackknife(apart)
    d = apart - apart.mean()
    skew = skewness(-d, int(np.count_nonzero(apart)))
    df = max(1.0, min(df, _degrees_of_variance(d) - 1))
    return Contrast(gap, float(np.sqrt(variance)), df, Remark("comparison.jackknife"), skew=skew, rows=apart)


def _degrees_of_variance(d: Array) -> float:
    """2n/(κ-1) for deviations of kurtosis κ: n of normal ones."""
    largest = float(np.abs(d).max(initial=0.0))
    if not largest > 0:
        return np.inf
    square = (d / largest) ** 2
    kurtosis = len(d) * inner(square, square) / float(square.sum()) ** 2
    return 2 * len(d) / (kurtosis - 1) if kurtosis > 1 else np.inf
