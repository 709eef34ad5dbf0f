"""The document of a list of metrics."""

from __future__ import annotations

import math
from typing import Any

from calipers.metrics import catalogue
from calipers.metrics.base import Measure
from calipers.metrics.names import render
from calipers.remarks import Remark
from calipers.report.documents.values import Fields, demand
from calipers.report.language import Language
from calipers.report.metric_list import MetricList, taken


def contents(metrics: MetricList) -> dict[str, Any]:
    """Each metric with its range, where it has one, and what it is computed from."""
    return {"settings": {}, "metrics": [facts(measure) for measure in metrics.measures]}


def facts(measure: Measure) -> dict[str, Any]:
    """What is to be said of a metric, as plain values; a bound that is infinite is None."""
    metric = measure.metric
    low, high = (bound if math.isfinite(bound) else None for bound in metric.bounds)
    spoken = Language("en")
    return {
        "name": metric.name,
        "taken": taken(metric, spoken),
        "low": low,
        "high": high,
        "better": metric.better or None,
        "meaning": spoken.meaning(measure),
        "aliases": list(metric.aliases),
        "parameters": [render("", {key: value})[1:-1] for key, value in metric.parameters.items()],
        "formula": metric.formula.replace("{", "").replace("}", ""),
    }


def restored(fields: Fields) -> MetricList:
    """The list that a document describes; what is said of its metrics is what this version says."""
    known = {metric.name for metric in catalogue()}
    names = tuple(part.choice("name", sorted(known)) for part in fields.parts("metrics"))
    demand(bool(names), fields.place("metrics"), [], Remark("report.not_empty"))
    return MetricList(names)
