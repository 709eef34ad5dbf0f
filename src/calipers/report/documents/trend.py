"""The document of a trend: the periods, and every line with its estimates and tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, get_args

from calipers.choices import Adjustment
from calipers.comparison.dates import DAYS, NUMBERS
from calipers.comparison.judging import Judging
from calipers.comparison.trend import Period, Trend
from calipers.comparison.trend_line import DIRECTIONS, TrendLine
from calipers.metrics.base import CATALOGUE
from calipers.remarks import Remark, plain, with_codes
from calipers.report.documents.comparison import read_difference
from calipers.report.documents.evaluation import measured
from calipers.report.documents.values import SHARE, Fields, demand, tagged
from calipers.tasks import TASKS

NUMBERS_OF_A_TEST = ("change", "low", "high", "statistic", "df", "stderr", "between")
PVALUES = ("pvalue", "adjusted", "excess")


def contents(trend: Trend) -> dict[str, Any]:
    """The settings, the periods, the lines of all rows and those of slices."""
    return {
        "settings": {"level": trend.level, "adjust": trend.adjust},
        "task": trend.task,
        "unit": trend.unit,
        "baseline": trend.baseline,
        "tests": trend.tests,
        "periods": [{"label": p.label, "time": p.time, "rows": p.rows} for p in trend.periods],
        "metrics": {name: _line_values(line) for name, line in trend.lines.items()},
        "by": {
            column: {
                "values": tagged(tuple(parts)),
                "slices": [{name: _line_values(line) for name, line in of.items()} for of in parts.values()],
            }
            for column, parts in trend.by.items()
        },
        "findings": [finding.to_dict() for finding in trend.findings],
    }


def _line_values(line: TrendLine) -> dict[str, Any]:
    return {
        "estimates": [e.to_dict() for e in line.estimates.values()],
        "baseline": line.baseline.to_dict(),
        "direction": line.direction,
        **{name: plain(getattr(line, name)) for name in (*NUMBERS_OF_A_TEST, *PVALUES)},
        "fitted": plain(line.fitted),
        **with_codes({"note": line.note}),
        "against": [d.to_dict() for d in line.against.values()],
    }


def restored(fields: Fields) -> Trend:
    """The trend that a document describes; its findings follow from its lines."""
    settings = fields.part("settings")
    periods = tuple(Period(p.text("label"), p.number("time"), p.count("rows")) for p in fields.parts("periods"))
    labels = [period.label for period in periods]
    demand(len(set(labels)) == len(labels) > 1, "periods", labels, Remark("report.labels_that_differ"))
    times = [period.time for period in periods]
    demand(times == sorted(times), "periods", times, Remark("report.in_order_of_time"))
    baseline = fields.text("baseline")
    slices = {}
    for column, part in fields.named("by"):
        values = part.labels("values")
        each = zip(values, part.parts("slices", len(values)), strict=True)
        slices[column] = {v: _lines(of, labels, baseline, column, v) for v, of in each}
    return Trend(
        periods,
        _lines(fields.part("metrics"), labels, baseline),
        fields.choice("task", TASKS),
        baseline,
        baseline in labels,
        settings.level(),
        settings.choice("adjust", get_args(Adjustment)),
        fields.choice("unit", (DAYS, NUMBERS)),
        fields.count("tests"),
        slices,
    )


def _lines(
    fields: Fields, labels: Sequence[str], baseline: str, column: str | None = None, part: Any = None
) -> dict[str, TrendLine]:
    each = ((name, fields.part(name)) for name in fields.values)
    return {CATALOGUE[name].name: _line(of, name, labels, baseline, column, part) for name, of in each}


def _line(
    fields: Fields, metric: str, labels: Sequence[str], baseline: str, column: str | None, part: Any
) -> TrendLine:
    measure = CATALOGUE[metric]
    estimates = [measured(e, measure) for e in fields.parts("estimates", len(labels))]
    others = [label for label in labels if label != baseline]
    tests = fields.parts("against", len(others))
    judging = Judging(None, "none")
    against = [read_difference(d, measure.name, [*labels, baseline], judging) for d in tests]
    demand([d.candidate for d in against] == others, fields.place("against"), others, Remark("report.every_period"))
    first, last = fields.numbers("fitted")
    return TrendLine(
        measure.name,
        dict(zip(labels, estimates, strict=True)),
        measured(fields.part("baseline"), measure),
        {d.candidate: d for d in against},
        **{name: fields.number(name, null=True) for name in NUMBERS_OF_A_TEST},
        **{name: fields.number(name, SHARE, null=True) for name in PVALUES},
        fitted=(first, last),
        direction=fields.choice("direction", DIRECTIONS),
        note=fields.text("note"),
        column=column,
        part=part,
    )
