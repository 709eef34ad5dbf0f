"""A metric over folds: its mean, its two variances, and why the plain interval is too narrow."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from calipers import numerals
from calipers.cached import lazy
from calipers.inference.estimate import Estimate, Interval
from calipers.inference.folds import Shift, shift
from calipers.inference.quantiles import t, z
from calipers.metrics.base import Measure
from calipers.remarks import Remark, plain, with_codes
from calipers.validation.models import Array
from calipers.validation.overfitting import unseen_share
from calipers.validation.pooling import NOT_POOLED, OutOfFold

PLAIN, CORRECTED = Remark("validation.plain_t"), Remark("inference.corrected_t")
NO_SPREAD = Remark("validation.no_spread")
ONE_FOLD = Remark("validation.one_fold")
SHARED = Remark("validation.shared")
INFINITE = Remark("comparison.infinite")
UNBOUNDED = (-math.inf, math.inf)
DIFFER = Remark("validation.folds_differ")
BEYOND = 0.05  # the p-value below which folds vary more than their rows explain
FEWEST = 30  # rows of a fold that are enough for its value to show the effect of its training set
LEAST = 5  # the fewest degrees of freedom with several repetitions, as in Dietterich's 5 x 2 folds


@dataclass(frozen=True)
class Average:
    """The values of one metric in each fold, NaN if it is undefined, and the interval of their mean.

    ratio: test rows for each training row; bounds: the range of the metric, which no interval leaves; tested: the rows
    of the folds with their predictions, which give the interval where they are known; train: the mean on training rows.

    >>> import calipers as cal
    >>> a = Average(cal.metric("accuracy"), np.array([0.8, 0.9, 0.7, 0.8]), 100, 1 / 3)
    >>> a.mean, round(a.variance_k, 6), round(a.variance, 6)
    (0.8, 0.005, 0.006667)
    >>> a.corrected
    Interval(low=0.6015..., high=0.9984..., method='corrected resampled t', flags=(), notes=())
    >>> a
    accuracy over 4 folds: mean 0.800, variance 0.005 (1/k) or 0.00667 (1/(k-1))
      t over folds [0.670, 0.930], corrected resampled t [0.602, 0.998]
    """

    measure: Measure
    values: Array
    rows: int
    ratio: float
    level: float = 0.95
    why: str = ""
    bounds: tuple[float, float] | None = None
    tested: OutOfFold | None = None
    train: float = math.nan

    def __repr__(self) -> str:
        text = f"{self.metric} over {len(self.known)} folds: mean {numerals.number(self.mean)}"
        text += f", variance {self.variance_k:.3g} (1/k) or {self.variance:.3g} (1/(k-1))"
        both = [e for e in (self.plain, self.corrected) if e.low == e.low]
        ends = ", ".join(f"{e.method} [{numerals.number(e.low)}, {numerals.number(e.high)}]" for e in both)
        return f"{text}\n  {ends or self.corrected.method}"

    @property
    def metric(self) -> str:
        """The name of the metric."""
        return self.measure.name

    @lazy
    def known(self) -> Array:
        """The values that are defined."""
        return self.values[~np.isnan(self.values)]

    @property
    def mean(self) -> float:
        """The mean over folds."""
        return mean_of(self.values)

    @lazy
    def finite(self) -> bool:
        """Whether no value is infinite, as likelihood ratios may be."""
        return bool(np.isfinite(self.known).all())

    @property
    def variance_k(self) -> float:
        """The variance with the divisor k: the variance of these folds."""
        with np.errstate(over="ignore"):  # squares of large values are infinite
            return float(self.known.var()) if len(self.known) and self.finite else math.nan

    @property
    def variance(self) -> float:
        """The variance with the divisor k - 1: an estimate for other folds."""
        with np.errstate(over="ignore"):  # squares of large values are infinite
            return float(self.known.var(ddof=1)) if len(self.known) > 1 and self.finite else math.nan

    @property
    def plain(self) -> Interval:
        """Student's interval of k independent values, which those of folds are not: too narrow."""
        return self._interval(PLAIN, 0.0)

    @property
    def corrected(self) -> Interval:
        """Nadeau and Bengio's interval, with the degrees of freedom of one repetition."""
        return self._interval(CORRECTED, self.ratio)

    @lazy
    def by_rows(self) -> Interval:
        """The interval of the rows of all folds, widened because folds share training rows."""
        if self.tested is None:
            return Interval(math.nan, math.nan, NOT_POOLED)
        return self.tested.interval(self.measure, self.mean, unseen=self.unseen, both=True)

    @property
    def unseen(self) -> float:
        """The share of the loss that training rows do not show; 1 where they were not measured."""
        return unseen_share(self.train, self.mean, self.measure.metric)

    @lazy
    def interval(self) -> Interval:
        """The default interval: that of the rows; where they give none, the corrected one over folds.

        Where the folds differ more than their rows explain, training sets differ (small ones, say). Then the variance
        is the one over folds with its degrees of freedom, on the scale of the metric.
        """
        if math.isnan(self.by_rows.low) or self.tested is None:
            return self.corrected
        if not self.beyond_rows:
            return self.by_rows
        times = (t(self.level, self._df) * self.error / (z(self.level) * self._error_of_rows)) ** 2
        interval = self.tested.interval(self.measure, self.mean, times=max(1.0, times), both=True)
        return interval._replace(flags=(DIFFER, *interval.flags))

    @property
    def beyond_rows(self) -> bool:
        """Whether the values of the folds vary more than their rows explain (chi-squared, p < 0.05).

        Folds of fewer than 30 rows are not tested: the values of a ratio such as R² have long tails there, and the rows
        of a fold hide what its training set does.
        """
        from scipy.special import chdtrc

        small = self.tested is None or self.tested.smallest < FEWEST
        if small or not (self._error_of_rows > 0 and len(self.known) > 1 and self.finite):
            return False
        return bool(chdtrc(self._df, self._df * (self.error / self._error_of_rows) ** 2) < BEYOND)

    @lazy
    def _error_of_rows(self) -> float:
        """By Nadeau and Bengio's factor, which the corrected error over folds has too."""
        if self.tested is None:
            return math.nan
        interval = self.tested.interval(self.measure, self.mean)
        return (interval.high - interval.low) / (2 * z(self.level))

    @property
    def _df(self) -> float:
        return degrees(len(self.known), self.ratio)

    @property
    def reason(self) -> str:
        """Why the corrected interval is wider."""
        wider = math.sqrt(1 + len(self.known) * self.ratio)
        return Remark("validation.wider", ratio=self.ratio, times=wider)

    @property
    def error(self) -> float:
        """The corrected standard error of the mean."""
        return self._shift(self.ratio).error if len(self.known) > 1 and self.finite else math.nan

    @lazy
    def estimate(self) -> Estimate:
        """The mean with its interval."""
        return self._estimate(lambda: self.interval)

    def without_interval(self, why: str) -> Estimate:
        """The mean alone."""
        return self._estimate(lambda: Interval(math.nan, math.nan, why))

    def to_dict(self) -> dict[str, Any]:
        """Plain values; undefined ones are None, infinite ones texts."""
        numbers = {"mean": self.mean, "variance_k": self.variance_k, "variance": self.variance}
        ends = {name: getattr(self, name) for name in ("plain", "corrected", "by_rows")}
        return {
            "values": plain(self.values.tolist()),
            **{name: plain(v) for name, v in numbers.items()},
            **{name: with_codes({"low": e.low, "high": e.high, "method": e.method}) for name, e in ends.items()},
            **with_codes({"reason": self.reason}),
        }

    def _estimate(self, interval: Any) -> Estimate:
        lacking = len(self.values) - len(self.known)
        flags: tuple[str, ...] = ()
        if lacking and len(self.known):
            flags = (Remark("validation.undefined_folds", count=lacking, total=len(self.values)),)
        why = "" if len(self.known) else self.why
        return Estimate(self.mean, n=self.rows, level=self.level, interval=interval, reason=why, flags=flags)

    def _shift(self, ratio: float) -> Shift:
        result = shift(self.known, ratio)
        return result._replace(df=degrees(len(self.known), ratio)) if ratio else result

    def _interval(self, method: str, ratio: float) -> Interval:
        if len(self.known) < 2:
            return Interval(math.nan, math.nan, ONE_FOLD)
        if not self.finite:
            return Interval(math.nan, math.nan, INFINITE)
        result = self._shift(ratio)
        if not result.error:
            return Interval(math.nan, math.nan, NO_SPREAD)
        low, high = result.interval(self.level)
        least, most = self.measure.metric.bounds if self.bounds is None else self.bounds
        return Interval(max(low, least), min(high, most), method)


def degrees(folds: int, ratio: float) -> float:
    """The degrees of freedom of a mean over folds: n_train/n_test, those of one repetition, however many there are.

    Repeating adds no rows. Two folds would be left with one, and intervals of 5 x 2 folds covered 100% at 14 times the
    width of the plain ones; so several repetitions have five.

    >>> degrees(10, 1 / 9), degrees(100, 1 / 9), degrees(10, 1), degrees(2, 1)
    (9, 9.0, 5, 1)
    """
    return min(folds - 1, max(1 / ratio, LEAST))


def mean_of(values: Array) -> float:
    """The mean of the values that are defined."""
    known = values[~np.isnan(values)]
    with np.errstate(invalid="ignore"):  # infinities of both signs have none
        return float(known.mean()) if len(known) else math.nan


def differences(better: Average, worse: Average) -> Average:
    """The difference of two averages fold by fold, in the direction that makes a loss on unseen rows positive."""
    sign = -1.0 if better.measure.metric.better == "lower" else 1.0
    with np.errstate(invalid="ignore"):  # infinite on both sides is undefined
        gaps = sign * (better.values - worse.values)
    return Average(better.measure, gaps, better.rows, better.ratio, better.level, better.why or worse.why, UNBOUNDED)


def averages(
    listed: Sequence[Measure],
    tables: Sequence[Any],
    rows: int,
    ratio: float,
    level: float,
    tested: OutOfFold | None = None,
    trains: Sequence[Any] = (),
) -> dict[str, Average]:
    """The averages of measures over evaluations of folds; trains: evaluations of their training rows, if known."""
    by_name = {}
    for measure in listed:
        each = [table[measure.name] for table in tables]
        why = next((e.reason for e in each if e != e), "")
        train = mean_of(np.array([table[measure.name] for table in trains], np.float64))
        by_name[measure.name] = Average(
            measure, np.array(each, np.float64), rows, ratio, level, why, tested=tested, train=train
        )
    return by_name
