"""The document of a comparison: every difference with its test, and each model's own estimates of what was compared."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, get_args

from calipers.cached import given
from calipers.choices import FamilyAdjustment
from calipers.comparison.compare import Comparison
from calipers.comparison.crossings import AXES, Crossing
from calipers.comparison.differences import OUTCOMES, Difference, Differences
from calipers.comparison.judging import Judging
from calipers.data.schema import Schema
from calipers.metrics.base import CATALOGUE
from calipers.remarks import Remark, plain, with_codes
from calipers.report.comparison import crossings
from calipers.report.documents.absent import Absent
from calipers.report.documents.evaluation import (
    measured,
    metrics_alone,
    read_positive,
    read_settings,
    settings_values,
)
from calipers.report.documents.values import SHARE, Fields, demand, outcome_values, tagged
from calipers.settings import Label
from calipers.tasks import TASKS, task_of

JUDGING = ("margin", "adjust", "primary")
STRETCHES = 200  # of the axis that are written; of curves that cross more often, how often and on which share


def contents(comparison: Comparison) -> dict[str, Any]:
    """The settings, every difference, the models and which curve is above."""
    first = next(iter(comparison.models.values()))
    judging = {name: getattr(comparison.judging, name) for name in JUDGING}
    return {
        "settings": settings_values(comparison.settings) | judging,
        "baseline": comparison.baseline,
        "paired": comparison.paired,
        "task": first.task,
        "rows": comparison.rows,
        "labels": tagged(first.labels),
        "positive": None if first.positive is None else tagged((first.positive,)),
        **with_codes({"notes": comparison.notes}),
        "metrics": {
            name: {
                "values": {model: plain(float(ev[name])) for model, ev in comparison.models.items()},
                "pairs": [d.to_dict() for d in comparison[name].values()],
                "overall": None if (o := comparison[name].overall) is None else outcome_values(o),
            }
            for name in comparison
        },
        "evaluations": {
            name: {
                **({} if comparison.paired else {"rows": ev.rows}),
                **with_codes({"predictions": ev.predictions, "notes": ev.notes}),
                "metrics": {metric: ev[metric].to_dict() for metric in comparison},
            }
            for name, ev in comparison.models.items()
        },
        "curves": [_crossing_values(crossing) for crossing in crossings(comparison)],
        **({"by": {name: {"slices": _slices(each)} for name, each in comparison.by.items()}} if comparison.by else {}),
    }


def _slices(parts: Mapping[Label, Comparison]) -> list[dict[str, Any]]:
    return [{"value": tagged((value,)), **contents(part)} for value, part in parts.items()]


def _crossing_values(crossing: Crossing) -> dict[str, Any]:
    short = len(crossing.stretches) <= STRETCHES
    return {
        "kind": crossing.kind,
        "crossings": crossing.count,
        "shares": crossing.shares,
        "stretches": [list(stretch) for stretch in crossing.stretches] if short else None,
    }


def restored(fields: Fields) -> Comparison:
    """The comparison that a document describes, without the rows of its models."""
    task, rows, labels = fields.choice("task", TASKS), fields.count("rows"), fields.labels("labels")
    paired, asked = "paired" not in fields or fields.flag("paired"), fields.part("settings")
    judging = _judging(asked)
    plain_settings = {name: value for name, value in asked.values.items() if name not in JUDGING}
    settings = read_settings(Fields(plain_settings, "settings"), task)
    schema = Schema(task, labels, read_positive(fields, labels), threshold=settings.threshold)
    models = {
        name: metrics_alone(
            {metric: measured(e, CATALOGUE[metric]) for metric, e in part.named("metrics")},
            settings,
            predictions=part.text("predictions"),
            notes=part.texts("notes"),
            schema=schema,
            rows=rows if paired else part.count("rows"),
        )
        for name, part in fields.named("evaluations")
    }
    names = list(models)
    demand(len(names) > 1, "evaluations", names, Remark("report.two_models"))
    demand(fields.value("baseline") == names[0], "baseline", fields.value("baseline"), Remark("report.first_model"))
    unit = task_of(task).unit
    differences = {metric: _differences(part, metric, names, judging, unit) for metric, part in fields.named("metrics")}
    for metric in differences:
        lacking = next((name for name, ev in models.items() if metric not in ev.known), None)
        demand(lacking is None, f"evaluations.{lacking}", metric, Remark("report.every_metric"))
    listed = tuple(CATALOGUE[metric] for metric in differences)
    known = {measure.name: each for measure, each in zip(listed, differences.values(), strict=True)}
    pairing: Any = Absent()
    comparison = Comparison(pairing, settings, listed, judging, known)
    first, second = names[:2]
    curves = {(part.value("kind"), first, second): _crossing(part, names) for part in fields.parts("curves")}
    comparison.crossings.update(curves)
    slices = {
        name: {part.labels("value")[0]: restored(part) for part in column.parts("slices")}
        for name, column in (fields.named("by") if "by" in fields else ())
    }
    return given(replace(comparison, by=slices), models=models, rows=rows, paired=paired)


def _judging(asked: Fields) -> Judging:
    margin = None if asked.value("margin") is None else asked.number("margin", (0.0, sys.float_info.max))
    primary = None if asked.value("primary") is None else CATALOGUE[asked.text("primary")].name
    return Judging(margin, asked.choice("adjust", get_args(FamilyAdjustment)), primary)


def _differences(fields: Fields, metric: str, names: Sequence[str], judging: Judging, unit: str) -> Differences:
    each = [replace(read_difference(part, metric, names, judging), unit=unit) for part in fields.parts("pairs")]
    pairs = {(d.candidate, d.baseline): d for d in each}
    count = len(names) * (len(names) - 1) // 2
    demand(len(pairs) == count, fields.place("pairs"), list(pairs), Remark("report.so_many", count=count))
    overall = None if fields.value("overall") is None else fields.part("overall").outcome()
    return Differences(pairs, overall)


def read_difference(fields: Fields, metric: str, names: Sequence[str], judging: Judging) -> Difference:
    """A difference between two of these names."""
    demand(fields.value("metric") == metric, fields.place("metric"), fields.value("metric"), metric)
    candidate, baseline = fields.choice("candidate", names), fields.choice("baseline", names)
    demand(candidate != baseline, fields.place("candidate"), candidate, Remark("report.two_models"))
    values = fields.numbers("measured")
    demand(len(values) == 2, fields.place("measured"), values, Remark("report.so_many", count=2))
    low, high = fields.number("low", null=True), fields.number("high", null=True)
    demand(not low > high, fields.where, [low, high], Remark("report.bounds_in_order"))

    def against_margin(name: str) -> float | None:
        return None if judging.margin is None else fields.number(name, SHARE, null=True)

    return Difference(
        metric,
        candidate,
        baseline,
        measured=(values[0], values[1]),
        difference=fields.number("difference", null=True),
        low=low,
        high=high,
        level=fields.level(),
        pvalue=fields.number("pvalue", SHARE, null=True),
        adjusted=fields.number("adjusted", SHARE, null=True),
        outcome=fields.choice("outcome", OUTCOMES),
        winner=fields.choice("winner", (None, candidate, baseline)),
        method=fields.text("method"),
        statistic=fields.number("statistic", null=True),
        df=fields.number("df", null=True),
        stderr=fields.number("stderr", null=True),
        adjustment=fields.text("adjustment"),
        interval_adjusted=fields.flag("interval_adjusted"),
        more_rows=None if fields.value("more_rows") is None else fields.count("more_rows"),
        equivalence=against_margin("equivalence"),
        noninferiority=against_margin("noninferiority"),
        note=fields.text("note"),
        noninferiority_of_baseline=against_margin("noninferiority_of_baseline"),
    )


def _crossing(fields: Fields, names: Sequence[str]) -> Crossing:
    kind, count = fields.choice("kind", tuple(AXES)), fields.count("crossings")
    shares = fields.part("shares")
    stretches: Any = Absent()
    if fields.value("stretches") is not None:
        stretches = tuple(_stretch(fields, each, names) for each in fields.items("stretches"))
    crossing = Crossing(kind, names[0], names[1], stretches)
    known = {name: shares.number(name, SHARE) for name in names[:2]}
    dominates = next((name for name in names[:2] if not count and known[name] > 0), None)
    demand(count != 1 or len(stretches) > 1, fields.place("stretches"), None, Remark("report.a_list"))
    return given(crossing, count=count, shares=known, dominates=dominates)


def _stretch(fields: Fields, values: Any, names: Sequence[str]) -> tuple[float, float, str | None]:
    where = fields.place("stretches")
    demand(isinstance(values, list) and len(values) == 3, where, values, Remark("report.so_many", count=3))
    part = Fields(dict(zip(("low", "high", "above"), values, strict=True)), where)
    return part.number("low", SHARE), part.number("high", SHARE), part.choice("above", (None, *names[:2]))
