"""What periods give away: metrics that became worse, changed, or vary by more than chance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from calipers.findings.base import Number, rule
from calipers.inference.multiple import adjusted

TREND = "trend"
FOUND = ("better", "higher")  # outcomes of a difference that was found


@rule("warning", TREND)
def period_worse(trend: Any) -> Iterator[Mapping[str, Number]]:
    """In period {period}, {metric}{where} was {lower:lower|higher} than in {baseline}: {value} [{low}, {high}] against
    {other} [{other_low}, {other_high}] ({p:p}, adjusted). {count} of {total} periods {count:differs|differ} from
    {baseline} in this direction.

    Look for what changed: the data, the labels, the users or the model. The p-value is adjusted for all periods,
    metrics and slices that were tested.
    """
    yield from (numbers for numbers, worse in _differing(trend) if worse)


@rule("note", TREND)
def period_changed(trend: Any) -> Iterator[Mapping[str, Number]]:
    """In period {period}, {metric}{where} was {lower:lower|higher} than in {baseline}: {value} [{low}, {high}] against
    {other} [{other_low}, {other_high}] ({p:p}, adjusted). {count} of {total} periods {count:differs|differ} from
    {baseline} in this direction.

    Check that the periods are comparable: an easier mix of rows also improves a metric.
    """
    yield from (numbers for numbers, worse in _differing(trend) if not worse)


@rule("warning", TREND)
def trend_worse(trend: Any) -> Iterator[Mapping[str, Number]]:
    """From {start} to {end}, {metric}{where} {falling:fell|rose}: the fitted line goes from {first} to {last}, a change
    of {change} [{low}, {high}] ({p:p}, adjusted).

    Find out when it began and why. A straight line does not show when a change happened; the chart does.
    """
    yield from (numbers for numbers, worse in _trends(trend) if worse)


@rule("note", TREND)
def trend_changed(trend: Any) -> Iterator[Mapping[str, Number]]:
    """From {start} to {end}, {metric}{where} {falling:fell|rose}: the fitted line goes from {first} to {last}, a change
    of {change} [{low}, {high}] ({p:p}, adjusted).

    Check that the periods are comparable: an easier mix of rows also improves a metric.
    """
    yield from (numbers for numbers, worse in _trends(trend) if not worse)


@rule("note", TREND)
def periods_vary(trend: Any) -> Iterator[Mapping[str, Number]]:
    """Between periods, {metric}{where} varies by more than sampling error, with a standard deviation of {between}
    ({p:p}, adjusted).

    Something else differs between periods, such as weekdays or sources of data. The test for a trend allows for it; the
    tests of single periods do not, so a single unusual period need not be a lasting change.
    """
    for line, p in zip(trend.every_line, adjusted([line.excess for line in trend.every_line]), strict=True):
        if p < 1 - trend.level:
            yield {"metric": line.metric, "where": _where(line), "between": line.between, "p": p}


def _differing(trend: Any) -> Iterator[tuple[dict[str, Number], bool]]:
    """The last period of each line that differs from the baseline in each direction, and whether it is worse.

    A slice is named only where all rows together do not show the same.
    """
    known = set()
    for line in trend.every_line:
        for worse in (True, False):
            found = [d for d in line.against.values() if d.outcome in FOUND and (d.winner == d.baseline) == worse]
            if not found or (worse and not line.better) or (line.metric, worse) in known:
                continue
            known |= {(line.metric, worse)} if line.column is None else set()
            last = found[-1]
            e, other = line.estimates[last.candidate], line.baseline
            yield {
                "metric": line.metric, "where": _where(line), "lower": int(last.difference < 0),
                "period": last.candidate, "baseline": last.baseline, "value": float(e), "low": e.low, "high": e.high,
                "other": float(other), "other_low": other.low, "other_high": other.high, "p": last.adjusted,
                "count": len(found), "total": len(line.against),
            }, worse  # fmt: skip


def _trends(trend: Any) -> Iterator[tuple[dict[str, Number], bool]]:
    """The lines with a trend, and whether it is to the worse; slices as in `_differing`."""
    known = set()
    for line in trend.every_line:
        if line.direction in ("rising", "falling") and (line.metric, line.direction) not in known:
            known |= {(line.metric, line.direction)} if line.column is None else set()
            names = [name for name, e in line.estimates.items() if e == e]
            yield {
                "metric": line.metric, "where": _where(line), "falling": int(line.change < 0), "start": names[0],
                "end": names[-1], "first": line.fitted[0], "last": line.fitted[1], "change": line.change,
                "low": line.low, "high": line.high, "p": line.adjusted,
            }, bool(line.is_worse)  # fmt: skip


def _where(line: Any) -> str:
    return "" if line.column is None else f"{line.column} = {line.part}"
