"""One metric over periods: its estimates, the test of a trend, and each period against the baseline."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from calipers.comparison.differences import OPEN, Difference
from calipers.comparison.independent import ranked_of, share_of, value_of
from calipers.evaluation.evaluation import Evaluation
from calipers.inference.estimate import Estimate
from calipers.inference.quantiles import z
from calipers.inference.trend import FEWEST, TrendTest, of_areas, of_rows, of_shares
from calipers.metrics.base import CATALOGUE, Measure
from calipers.metrics.values import Area
from calipers.remarks import Remark

RISING, FALLING, NOT_TESTED = "rising", "falling", "not tested"
DIRECTIONS = (RISING, FALLING, OPEN, NOT_TESTED)


@dataclass(frozen=True)
class TrendLine:
    """One metric over periods, of all rows or of one slice (`column` and `part`).

    `estimates` are by period. `change` is by how much the fitted line changes from the first period to the last, with
    the interval `low` to `high`; `fitted` is the line at both ends. `pvalue` is of the test that there is no trend,
    `adjusted` over metrics and slices. `direction` is "rising", "falling", "no evidence either way" or "not tested"
    (`note` says why). `statistic`, `df` and `stderr` belong to the test. `between` is the standard deviation of the
    periods beyond sampling error, `excess` the p-value of the test that there is none. `against` has the difference of
    each period to the baseline.
    """

    metric: str
    estimates: Mapping[str, Estimate]
    baseline: Estimate
    against: Mapping[str, Difference]
    change: float = math.nan
    low: float = math.nan
    high: float = math.nan
    fitted: tuple[float, float] = (math.nan, math.nan)
    pvalue: float = math.nan
    adjusted: float = math.nan
    direction: str = NOT_TESTED
    statistic: float = math.nan
    df: float = math.nan
    stderr: float = math.nan
    between: float = math.nan
    excess: float = math.nan
    note: str = ""
    column: str | None = None
    part: Any = None

    @property
    def better(self) -> str:
        """Whether "higher" or "lower" values are better; empty if the metric has no better direction."""
        return CATALOGUE[self.metric].metric.better

    @property
    def is_worse(self) -> bool | None:
        """Whether the metric becomes worse; None if there is no trend, or if the metric has no better direction."""
        if self.direction not in (RISING, FALLING) or not self.better:
            return None
        return (self.direction == RISING) == (self.better == "lower")


def fitted_trend(
    measure: Measure, periods: Mapping[str, Evaluation], times: Mapping[str, float], level: float
) -> dict[str, Any]:
    """The fields of a line that the test of a trend gives; the note alone where there is none."""
    known = {name: ev for name, ev in periods.items() if math.isfinite(ev[measure.name])}
    if len(known) < FEWEST:
        return {"note": Remark("trend.few_periods", count=len(known), least=FEWEST)}
    variances = _variances(measure, list(known.values()), level)
    if variances is None:
        without = next((ev[measure.name].reason for ev in known.values() if ev[measure.name].reason), "")
        return {"note": without or Remark("trend.no_spread")}
    test = TrendTest.of([times[name] for name in known], [float(ev[measure.name]) for ev in known.values()], variances)
    span = times[next(reversed(known))] - times[next(iter(known))]
    low, high = test.interval(level)
    most = measure.metric.bounds[1] - measure.metric.bounds[0]  # the largest possible change
    statistic, df = test.statistic()
    left_out = len(periods) - len(known)
    return {
        "change": test.slope * span, "low": max(low * span, -most), "high": min(high * span, most),
        "fitted": test.fitted, "pvalue": test.pvalue(), "statistic": statistic, "df": df,
        "stderr": max(test.scatter, test.sampling) * span, "between": test.between, "excess": test.excess,
        "note": Remark("trend.left_out", count=left_out) if left_out else "",
    }  # fmt: skip


def _variances(measure: Measure, evaluations: Sequence[Evaluation], level: float) -> list[float] | None:
    """The sampling variance of the metric in each period, as if it were the same in all; None where it is not known."""
    estimates = [ev[measure.name] for ev in evaluations]
    values = [value_of(measure, ev.views) if ev.is_live else None for ev in evaluations]
    shares = [share_of(v, e) for v, e in zip(values, estimates, strict=True)]
    areas = [ranked_of(v) for v in values]
    if None not in shares:
        found = of_shares([s for s in shares if s is not None])
    elif None not in areas:
        slope = next(v.slope for v in values if isinstance(v, Area))
        found = of_areas([a for a in areas if a is not None], slope)
    else:
        errors = [_error(e, level) for e in estimates]
        found = of_rows(errors, [max(1, ev.rows) for ev in evaluations])
    return found if all(0 < v < math.inf for v in found) else None


def _error(e: Estimate, level: float) -> float:
    """The standard error; of a document, and where no spread was seen, the one that the bounds imply."""
    return e.stderr if e.stderr > 0 else (e.high - e.low) / (2 * z(level))
