"""`calipers metrics`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import Iterator

    from calipers.metrics.base import Metric

NAME, RANGE, BETTER = 21, 11, 8
OVER = {
    "Margins": "Of all rows, from labels",
    "ConfusionCounts": "Of all rows, from labels",
    "OneVsRest": "Of one class against the rest, from labels",
    "ScoreSamples": "Of one class, from scores",
    "ClassScores": "Of several classes, from scores",
    "RankCounts": "Of several classes, from scores",
    "RowMean": "Of rows that carry any number of labels",
    "QueryGains": "Of ranked documents, a mean over queries",
    **dict.fromkeys(("Errors", "Rows", "Joint", "Sizes"), "Of predicted numbers"),
}


@click.command()
@click.argument("name", required=False)
def metrics(name: str | None) -> None:
    """List the metrics, or explain one of them.

    \b
    Examples:
      calipers metrics
      calipers metrics f1
      calipers metrics "fbeta(beta=2)"
    """
    from calipers.metrics import catalogue, named

    lines = _list(catalogue()) if name is None else _facts(named(name).metric)
    click.echo("\n".join(lines))


def _over(metric: Metric) -> str:
    name: str = metric.over.__name__
    return OVER.get(name, name)


def _list(entries: Iterator[Metric]) -> Iterator[str]:
    from calipers.report.terminal import wrapped

    groups: dict[str, list[Metric]] = {}
    for metric in entries:
        groups.setdefault(_over(metric), []).append(metric)
    yield f"{'metric':{NAME}}{'range':{RANGE}}{'better':{BETTER}}what it is"
    for title, members in groups.items():
        yield ""
        yield title
        for metric in members:
            name = f"{metric.name:{NAME}}"
            if len(metric.name) >= NAME:
                yield name
                name = " " * NAME
            start = f"{name}{_range(metric):{RANGE}}{metric.better or '-':{BETTER}}"
            yield from wrapped(metric.summary, 80, " " * len(start), start)


def _facts(metric: Metric) -> Iterator[str]:
    from calipers.report.terminal import wrapped

    averages = "over classes: average=macro, weighted or micro" if metric.averaged else ""
    averages = "over several numbers a row: uniform, or average=variance" if metric.of_numbers else averages
    formula = metric.formula.replace("{", "").replace("}", "")
    facts = {
        "formula": formula,
        "range": _range(metric),
        "better": metric.better or "neither",
        "also called": ", ".join((*metric.aliases, *(f"{k} = {v}" for k, v in metric.shorthands.items()))),
        "parameters": ", ".join(f"{key}={default}" for key, default in metric.parameters.items()),
        "averages": averages,
        "taken": _over(metric).lower(),
        "undefined": f"when {metric.undefined}",
        "reference": metric.reference,
    }
    yield metric.name
    yield from wrapped(metric.summary, 80, "")
    yield ""
    for fact, text in facts.items():
        if text:
            yield from wrapped(text, 80, " " * 13, f"{fact:13}")


def _range(metric: Metric) -> str:
    low, high = metric.bounds
    return f"{'(' if low == -float('inf') else '['}{low:g}, {high:g}{')' if high == float('inf') else ']'}"
