"""`--plot KIND=FILE`: charts of a result, written beside what is printed."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import click

from calipers.choices import (
    CalibrationChart,
    ComparisonChart,
    EvaluationChart,
    GateChart,
    Lang,
    Theme,
    TrendChart,
    ValidationChart,
)
from calipers.cli.usage import WrongValue
from calipers.remarks import Remark

NAMED = re.compile(r"\s*(?P<kind>\w+)\s*(?:\((?P<options>[^()]*)\))?\s*=\s*(?P<path>.+)")
WORDS = {"none": None, "yes": True, "no": False}
LISTED = ("intervals", "difference")  # charts of the metrics that were asked for
PRICES = ("tp", "fp", "fn", "tn")
VALUES = (*PRICES, "bins", "band", "margins")  # everything else is text, labels such as 001 too


# The charts of each command, which its help lists; a test compares them with those of the results.
OF_COMMANDS: Mapping[str, tuple[str, ...]] = {
    "evaluate": get_args(EvaluationChart),
    "merge": get_args(EvaluationChart),
    "demo": get_args(EvaluationChart),
    "counts": ("confusion", "intervals"),
    "compare": get_args(ComparisonChart),
    "trend": get_args(TrendChart),
    "calibrate": get_args(CalibrationChart),
    "gate": get_args(GateChart),
    "rank": ("intervals", "difference"),
    "clusters": ("intervals", "contingency", "silhouette"),
    "recommendations": ("exposure", "intervals", "difference"),
    "topics": ("topics", "intervals"),
    "validate": get_args(ValidationChart),
}
NO_CHARTS = ("explain", "metrics", "power")


@dataclass(frozen=True)
class Chart:
    """What to draw, how, and where to."""

    kind: str
    how: Mapping[str, Any]
    path: str


def plots_of(command: str) -> Callable[[Any], Any]:
    """The option --plot of a command, whose help names its charts."""
    kinds = ", ".join(OF_COMMANDS.get(command, ("any kind that the result has",)))
    text = f"Write a chart (.png, .svg or .pdf). KIND: {kinds}."
    if command in NO_CHARTS:
        text = "Not available: results of this command have no charts."
    return click.option("--plot", "charts", metavar="KIND=FILE", multiple=True, callback=charts_of, help=text)


def charts_of(ctx: click.Context, param: click.Parameter, texts: Sequence[str]) -> list[Chart]:
    """The charts asked for.

    >>> charts_of(None, None, ["roc=a.png"])
    [Chart(kind='roc', how={}, path='a.png')]
    >>> charts_of(None, None, ["thresholds(label=x y, fp=1, fn=10)=b.svg"])
    [Chart(kind='thresholds', how={'label': 'x y', 'cost': {'fp': 1, 'fn': 10}}, path='b.svg')]
    """
    charts = []
    for text in texts:
        match = NAMED.fullmatch(text)
        if match is None:
            raise WrongValue("cli.not_a_chart", text=text)
        how: dict[str, Any] = {}
        for pair in filter(None, map(str.strip, (match["options"] or "").split(","))):
            key, mark, value = map(str.strip, pair.partition("="))
            if not mark or not key or not value or key in how:
                raise WrongValue("cli.not_chart_options", text=text, pair=pair)
            how[key] = _value(value) if key in VALUES else value
        cost = {key: how.pop(key) for key in PRICES if key in how}
        charts.append(Chart(match["kind"], how | ({"cost": cost} if cost else {}), match["path"].strip()))
    paths = [chart.path for chart in charts]
    for path in paths:
        if paths.count(path) > 1:
            raise WrongValue("cli.two_charts", path=path)
    return charts


def _value(text: str) -> Any:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return WORDS.get(text, text)


def check(charts: Sequence[Chart], of: type) -> None:
    """Refuse what can be refused before anything is read: kinds, options, formats, folders, a missing matplotlib."""
    if charts:
        from calipers.report.atomic_write import refuse
        from calipers.report.plots import function
        from calipers.report.plots.files import format_of

        for chart in charts:
            function(of, chart.kind, chart.how)
            format_of(chart.path)
            refuse(chart.path)


def draw(
    charts: Sequence[Chart], result: Any, theme: Theme, lang: Lang | None, whole: Callable[[], Any]
) -> dict[str, bytes]:
    """The files of the charts, by path. `whole` gives the result of all metrics, for charts of what none asked for."""
    if not charts:
        return {}
    from calipers.report.language import language
    from calipers.report.plots.files import format_of, rendered

    outputs, everything = {}, None
    with warnings.catch_warnings(record=True) as records:
        warnings.simplefilter("always")
        for chart in charts:
            how = dict(chart.how)
            if "label" in how:  # labels are as in the file, where they may be numbers
                how["label"] = next((v for v in result.labels if str(v) == how["label"]), how["label"])
            subject = result
            if chart.kind not in LISTED:
                subject = everything = whole() if everything is None else everything
            outputs[chart.path] = rendered(subject, chart.kind, format_of(chart.path), theme=theme, lang=lang, **how)
    for text in dict.fromkeys(str(each.message) for each in records):
        if not text.startswith("Glyph "):  # matplotlib's own, one for each character
            click.echo(language(lang).remark(Remark("cli.warning", text=text)), err=True)
    return outputs
