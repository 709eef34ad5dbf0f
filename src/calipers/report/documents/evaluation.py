"""The document of an evaluation: bounded for any n, label types tagged, NaN as null with its reason beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from calipers.answers import Answer, answer
from calipers.data.schema import Schema
from calipers.errors import InputError, UnknownName
from calipers.evaluation.confusion import Confusion
from calipers.evaluation.estimates import Estimates
from calipers.evaluation.evaluation import Evaluation, Record
from calipers.inference.estimate import Estimate
from calipers.metrics.base import CATALOGUE, Measure
from calipers.remarks import Remark, plain, with_codes
from calipers.report.documents import clusters, worst_rows
from calipers.report.documents.answers import read_answer
from calipers.report.documents.values import Fields, demand, tagged
from calipers.settings import Label, Settings
from calipers.tasks import TASKS, task_of


def contents(ev: Evaluation) -> dict[str, Any]:
    """Plain values that JSON can hold; findings are of the whole, the rules for slices among them."""
    lost = not ev.has_findings  # of a slice of a loaded evaluation
    found = {} if lost else {"findings": [finding.to_dict() for finding in ev.findings]}
    origin = {"model": ev.model, "sources": list(ev.sources)} if ev.model is not None or ev.sources else {}
    return _measured(ev) | origin | {"answer": answer(ev).to_dict()} | found


def _measured(ev: Evaluation) -> dict[str, Any]:
    try:
        table: Any = ev.confusion.counts.tolist()
    except (InputError, UnknownName):
        table = None
    return {
        "settings": settings_values(ev.settings),
        "task": ev.task,
        "rows": ev.rows,
        "labels": tagged(ev.labels),
        "positive": None if ev.positive is None else tagged((ev.positive,)),
        **with_codes({"predictions": ev.predictions, "notes": ev.notes}),
        "metrics": {name: ev[name].to_dict() for name in ev},
        "confusion": table,
        **({"clusters": clusters.contents(ev.per_cluster)} if ev.has_clusters else {}),
        "classes": [{name: e.to_dict() for name, e in ev.classes[v].items()} for v in ev.labels],
        "by": {
            name: {"values": tagged(tuple(parts)), "evaluations": [_measured(e) for e in parts.values()]}
            for name, parts in ev.by.items()
        },
    }


def settings_values(settings: Settings) -> dict[str, Any]:
    """What was asked, as plain values."""
    return {name: plain(value) for name, value in settings.definitions().items()}


def restored(fields: Fields) -> Evaluation:
    """The evaluation that a document describes, without the statistics behind it."""
    labels, task = fields.labels("labels"), fields.choice("task", TASKS)
    settings = read_settings(fields.part("settings"), task)

    def estimates(part: Fields) -> dict[str, Any]:
        known = {name: measured(part.part(name), CATALOGUE[name]) for name in part.values}
        return {"seen": None, "settings": settings, "listed": tuple(CATALOGUE[name] for name in known), "known": known}

    parts = zip(labels, fields.parts("classes", len(labels)), strict=True)
    record = Record(
        _confusion(fields.value("confusion"), labels),
        {v: Estimates(**estimates(part)) for v, part in parts},
        fields.findings() if "findings" in fields else None,
        worst_rows.restored(fields.part("worst_rows")) if "worst_rows" in fields else None,
        read_answer(fields.part("answer")) if "answer" in fields else None,
        clusters.restored(fields.part("clusters")) if "clusters" in fields else None,
    )
    slices = {name: _slices(part) for name, part in fields.named("by")}
    return Evaluation(
        **estimates(fields.part("metrics")),
        schema=Schema(task, labels, read_positive(fields, labels), threshold=settings.threshold, by=tuple(slices)),
        predictions=fields.text("predictions"),
        notes=fields.texts("notes"),
        rows=fields.count("rows"),
        slices=slices,
        record=record,
        model=fields.text("model") if fields.values.get("model") is not None else None,
        sources=fields.texts("sources") if "sources" in fields else (),
    )


def measured(part: Fields, measure: Measure) -> Estimate:
    """The estimate of a metric."""
    return part.estimate(measure.metric.bounds)


def read_positive(fields: Fields, labels: Sequence[Label]) -> Label | None:
    """The positive class, which is one of the labels."""
    if fields.value("positive") is None:
        return None
    positive = fields.labels("positive")
    right = len(positive) == 1 and any(type(v) is type(positive[0]) and v == positive[0] for v in labels)
    demand(right, fields.place("positive"), list(positive), Remark("report.one_of_the_labels"))
    return positive[0]


def read_settings(fields: Fields, task: str) -> Settings:
    """What was asked."""
    options: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in fields.values.items()}
    unknown = options.keys() - Settings.__dataclass_fields__.keys()
    demand(not unknown, fields.where, sorted(unknown), Remark("report.known_settings"))
    if fields.value("threshold") is not None and not isinstance(fields.value("threshold"), list):
        options["threshold"] = fields.number("threshold")
    if options.get("ranking") is not None:
        fields.part("ranking")
    settings = Settings(**options)
    right = (settings.ranking is not None) == task_of(task).ranked
    demand(right, fields.place("ranking"), options.get("ranking"), Remark("report.rules_of_rankings"))
    return settings


def _confusion(table: Any, labels: Sequence[Label]) -> Confusion | None:
    if table is None:
        return None
    k = len(labels)
    try:
        counts = np.array(table)
        right = counts.shape == (k, k) and counts.dtype.kind in "iuf" and bool((counts >= 0).all())
    except (ValueError, OverflowError):  # rows of different lengths
        right = False
    demand(right, "confusion", table, Remark("report.table_of_counts", count=k))
    return Confusion(tuple(labels), counts)


def _slices(part: Fields) -> dict[Label, Evaluation]:
    values = part.labels("values")
    return dict(zip(values, map(restored, part.parts("evaluations", len(values))), strict=True))


def metrics_alone(
    metrics: Mapping[str, Estimate], settings: Settings, *, schema: Schema, rows: int, answer: Answer | None = None,
    **facts: Any,
) -> Evaluation:
    """An evaluation of which a document holds the metrics, and the answer where it is known."""
    listed = tuple(CATALOGUE[name] for name in metrics)
    return Evaluation(None, settings, listed, known=dict(metrics), schema=schema, rows=rows,
                      record=Record(answer=answer), **facts)  # fmt: skip


def of_version_0_1(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document of an evaluation as version 0.1 wrote it, in today's form; its remarks have no codes."""
    fields = Fields(document)
    by = {}
    for name, part in fields.named("by"):
        each = [of_version_0_1(one.values) for one in part.parts("evaluations")]
        by[name] = {"values": part.value("values"), "evaluations": each}
    kept = {name: value for name, value in document.items() if name not in ("calipers", "definitions")}
    return {**kept, "settings": fields.value("definitions"), "by": by}
