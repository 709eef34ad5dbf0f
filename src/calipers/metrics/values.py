"""What a formula returns. The type names the inference: a proportion gets Wilson, a mean gets Hall, and so on.

A formula may also return a plain number or array: then it is a smooth function of counts, and its variance follows
from the derivatives of the formula itself (metrics/gradient.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from calipers.metrics.agreement import Agreement, Subsample
from calipers.metrics.between_groups import Between, GroupedShare
from calipers.metrics.blocked import Blocked
from calipers.metrics.calibration_errors import Calibration as Calibration
from calipers.metrics.calibration_errors import CalibrationMean as CalibrationMean
from calipers.metrics.calibration_errors import Smoothed as Smoothed
from calipers.metrics.left_out import LeftOut
from calipers.metrics.spread import Spread
from calipers.remarks import Remark
from calipers.statistics.moments import Losses, Moments

Array = npt.NDArray[Any]
DECIDED_BY_FEW = 5  # with fewer rows behind a spread, rows that were not drawn may change all of it
Number = Any  # float, NumPy scalar, or array over leading axes; complex while a gradient is taken


class Proportion(NamedTuple):
    """hits / trials, or a monotone map of it; `effective` trials differ from trials when rows carry weights.

    `equal_weights`: these are the same for all rows, so that the effective trials are rows. `rarer`: of rows with
    weights, as how many equal ones the fewer of hits and misses count.
    """

    hits: Number
    trials: Number
    through: Callable[[Number], Number] | None = None
    effective: Number = None
    equal_weights: bool = False
    rarer: Number = None

    @property
    def value(self) -> Number:
        """The share, mapped."""
        share = self.hits / self.trials
        return share if self.through is None else self.through(share)


class Largest(NamedTuple):
    """The largest of the shares that these counts have; `effective` rows differ from rows when they carry weights."""

    counts: Array
    effective: Number = None
    equal_weights: bool = False

    @property
    def value(self) -> Number:
        """The share of the largest count."""
        return self.counts.max(-1) / self.counts.sum(-1)


class Combination(NamedTuple):
    """offset + sum of coefficient x independent proportion / over; of a mean, over k: k times 1/k is not always 1."""

    terms: Sequence[tuple[Number, Proportion]]
    offset: float = 0.0
    over: Number = 1

    @property
    def parts(self) -> list[tuple[Number, Proportion]]:
        """The proportions, each with its factor in the sum."""
        return [(c / self.over, p) for c, p in self.terms]

    @property
    def value(self) -> Number:
        """The sum."""
        return self.offset + sum(c * p.value for c, p in self.terms) / self.over


class Unseen(NamedTuple):
    """What is known about losses that were not drawn: the (effective) wrong predictions, and what one would cost."""

    errors: float
    cost: float


class Mean(NamedTuple):
    """The mean of a row-wise measure, or a rising map of it; `most` is the greatest value a row can have, if known.

    `default`: the interval that fits. "t" is for numbers on both sides of 0, whose tails may be heavy without being
    skewed, "long-tailed" for losses without a bound.
    """

    moments: Moments
    most: float = np.inf
    through: Callable[[Number], Number] | None = None
    unseen: Unseen | None = None
    default: str = "hall"

    @property
    def value(self) -> float:
        """The mean, mapped; NaN of no rows."""
        mean = self.moments.mean if self.moments.weight else np.nan
        return mean if self.through is None else float(self.through(mean))


def mean_loss(losses: Losses, most: float = np.inf) -> Mean:
    """The mean of the losses of probabilities."""
    m = losses.moments
    errors = losses.wrong * m.effective / m.weight if m.weight else 0.0
    return Mean(m, most, unseen=Unseen(errors, losses.other))


def few_decide(rows: float, of: float, most: float = DECIDED_BY_FEW) -> tuple[str, ...]:
    """A remark where so few of the rows decide a spread that others, not drawn, might; with few rows in all they do."""
    return (Remark("metrics.few_decide", count=rows),) if rows < most and of >= 2 * DECIDED_BY_FEW else ()


class QueryMean(NamedTuple):
    """The mean over queries of a measure; `inside` of them lie off the bound (0 or 1) that is nearest to the mean.

    `unit`: what the queries are, for remarks: "queries" or "users".
    """

    moments: Moments
    inside: int
    unit: str = "queries"

    @classmethod
    def of(cls, values: Array) -> QueryMean:
        """The mean of these values, one a query."""
        moments = Moments.of_values(values)
        return cls(moments, int(np.count_nonzero(values != (0.0 if moments.mean < 0.5 else 1.0))))

    @property
    def value(self) -> float:
        """The mean; NaN of no queries."""
        return self.moments.mean if self.moments.n else np.nan


class Area(NamedTuple):
    """An area under the ROC curve with DeLong's two sums of squared placements, or a linear map of it."""

    auc: float
    v10: float
    v01: float
    positives: float
    negatives: float
    slope: float = 1.0
    offset: float = 0.0
    weighted: bool = False

    @property
    def value(self) -> float:
        """The area, mapped."""
        return self.offset + self.slope * self.auc


ENOUGH_POSITIVES = 50  # with fewer of a class, the interval of a mean of average precisions covers too seldom


class PrecisionArea(NamedTuple):
    """An average precision, with the variance that its influence function gives and the kurtosis of the influences.

    One more negative in the place of a positive would take off `harm` (root of the mean square over positives).
    """

    value: float
    variance: float
    positives: float
    rows: float
    kurtosis: float
    harm: float


class FScore(NamedTuple):
    """F-beta from counts that may be weighted: effective counts are the counts times `shrink`."""

    value: Number
    tp: Number
    fp: Number
    fn: Number
    beta: float
    shrink: float = 1.0


class Smooth(NamedTuple):
    """A smooth function of counts or rows: its value and, when asked, its variance.

    `spread(added)` gives value and variance with that much added to every cell of the K x K table behind it
    (`classes` is K; 0 if it comes from rows); alike: as much in each true class, right as often as all rows are.
    `rarest` is the smallest count behind it, `rows` the effective rows, `carrying` those of the classes that
    decide the variance of a mean over classes. `restated`: for a prevalence set from outside, which makes it a
    function of a likelihood ratio. `influence`: what each row adds to the error. `trials`: as how many rows, each
    placed right or wrong, a mean of areas can vary. `named`: methods of intervals that papers have for this metric
    alone.
    """

    value: float
    spread: Callable[..., Spread]
    classes: int
    rarest: float
    rows: float
    method: str = "delta"
    restated: bool = False
    influence: Callable[[], Array] | None = None
    trials: Callable[[], float] | None = None
    named: tuple[str, ...] = ()
    carrying: float = np.inf


class Linearised(NamedTuple):
    """A smooth function of moments or of sums over rows: its variance by linearisation, and the effective rows.

    `left_out`: the value with each row left out, where the rows are at hand and few enough to try them all. `named`:
    methods of intervals that papers have for this metric alone.
    """

    value: float
    variance: Callable[[], float]
    rows: float
    left_out: Callable[[], Array] | None = None
    named: tuple[str, ...] = ()


class Quantile(NamedTuple):
    """A quantile of rows; `ranked` gives the values of two ranks out of `rows`, which are effective ones."""

    value: float
    share: float
    rows: float
    ranked: Callable[[int, int], tuple[float, float]]


class Without(NamedTuple):
    """A value without an interval, why, and whether resampling can give one; `of_rows`: other rows would have one."""

    value: Number
    why: str
    resampled: bool = True
    of_rows: bool = False


class Selected(NamedTuple):
    """The best value among the thresholds of the same rows, and that threshold.

    Only samples that choose their own threshold show how it varies.
    """

    value: float
    threshold: float


class Grouped(NamedTuple):
    """A value whose rows come in groups, with the variance that whole groups show.

    `known` says that there is such a variance: some measures have no influence of rows, and a bootstrap has to tell.
    `shares`: those that the value is made of, where it is a share or a sum of shares. `equal`: how many groups of equal
    size would be as many as the `groups`.
    """

    of: Value
    between: Callable[[], Between]
    groups: int
    equal: float
    known: bool
    shares: Callable[[], list[GroupedShare]] | None = None

    @property
    def value(self) -> Number:
        """The value itself."""
        return self.of.value


Value = (
    Grouped | Proportion | Largest | Combination | Mean | QueryMean | Area | PrecisionArea | FScore | Calibration
    | CalibrationMean | Smoothed | Smooth | Linearised | Quantile | Selected | Agreement | LeftOut | Subsample
    | Blocked | Without
)


def number(result: Any) -> Number:
    """The plain number of the return value of a formula."""
    return getattr(result, "value", result)


class Answer(NamedTuple):
    """A value, the reason when it is NaN, remarks that belong beside it, the value as a plain number, and the least and
    the greatest value that rows known only by a summary can have.
    """

    value: Value
    reason: str = ""
    flags: tuple[str, ...] = ()
    available: bool = True
    point: float = np.nan
    ends: tuple[Value, Value] | None = None
