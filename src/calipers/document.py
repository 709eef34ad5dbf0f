"""The document of an evaluation: bounded, versioned, label types tagged, NaN as null with its reason beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from calipers.confusion import Confusion
from calipers.errors import InputError, UnknownName
from calipers.evaluation import Estimates, Evaluation
from calipers.findings import Finding
from calipers.inference.estimate import Estimate
from calipers.metrics.base import CATALOGUE
from calipers.question import Label, Question

SCHEMA = 1


def to_dict(ev: Evaluation) -> dict[str, Any]:
    """Plain values that JSON can hold; findings are of the whole, the rules for slices among them."""
    return {**_measured(ev), "findings": [finding.to_dict() for finding in ev.findings]}


def _measured(ev: Evaluation) -> dict[str, Any]:
    try:
        table: Any = ev.confusion.counts.tolist()
    except (InputError, UnknownName):
        table = None
    return {
        "calipers": SCHEMA,
        "task": ev.task,
        "rows": ev.rows,
        "labels": _tagged(ev.labels),
        "positive": None if ev.positive is None else _tagged((ev.positive,)),
        "definitions": {k: _plain(v) for k, v in ev.question.definitions().items()},
        "predictions": ev.predictions,
        "notes": list(ev.notes),
        "metrics": {name: ev[name].to_dict() for name in ev},
        "confusion": table,
        "classes": [{name: e.to_dict() for name, e in ev.classes[v].items()} for v in ev.labels],
        "by": {
            name: {"values": _tagged(tuple(parts)), "evaluations": [_measured(e) for e in parts.values()]}
            for name, parts in ev.by.items()
        },
    }


def from_dict(told: Mapping[str, Any]) -> Evaluation:
    """The evaluation that a document describes."""
    if not isinstance(told, Mapping) or told.get("calipers") != SCHEMA:
        found = told.get("calipers") if isinstance(told, Mapping) else type(told).__name__
        raise InputError(f"this document has schema {found!r}; this Calipers reads {SCHEMA}")
    try:
        return _restored(told)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"this document is damaged: {type(error).__name__} {error}") from error


def _restored(told: Mapping[str, Any]) -> Evaluation:
    labels = _untagged(told["labels"])
    asked: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in told["definitions"].items()}
    asked["threshold"] = None if asked["threshold"] is None else float(asked["threshold"])
    question, table = Question(**asked), told["confusion"]

    def estimates(each: Mapping[str, Any]) -> dict[str, Any]:
        known = {name: Estimate.of_dict(e) for name, e in each.items()}
        return {"views": None, "question": question, "listed": tuple(CATALOGUE[name] for name in known), "known": known}

    return Evaluation(
        **estimates(told["metrics"]),
        task=told["task"],
        labels=labels,
        positive=None if told["positive"] is None else _untagged(told["positive"])[0],
        predictions=told["predictions"],
        notes=tuple(told["notes"]),
        rows=told["rows"],
        table=None if table is None else Confusion(labels, np.array(table)),
        slices={
            name: dict(zip(_untagged(part["values"]), map(from_dict, part["evaluations"]), strict=True))
            for name, part in told["by"].items()
        },
        per_class={v: Estimates(**estimates(c)) for v, c in zip(labels, told["classes"], strict=True)},
        found=tuple(map(Finding.of_dict, told["findings"])) if "findings" in told else None,
    )


def _tagged(values: Sequence[Label]) -> dict[str, Any]:
    """Labels with their types, which JSON would lose between true and 1."""
    return {"types": [type(v).__name__ for v in values], "values": list(values)}


def _untagged(told: Mapping[str, Any]) -> tuple[Label, ...]:
    kinds: dict[str, type] = {"bool": bool, "int": int, "str": str}
    return tuple(kinds[kind](v) for kind, v in zip(told["types"], told["values"], strict=True))


def _plain(value: Any) -> Any:
    """JSON has no infinity: a threshold of inf is the text "inf"."""
    return str(value) if isinstance(value, float) and np.isinf(value) else value
