"""The document of an evaluation: bounded, versioned, label types tagged, NaN as null with its reason beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from calipers.errors import CalipersError, InputError, OtherVersion, UnknownName
from calipers.evaluation.confusion import Confusion
from calipers.evaluation.evaluation import Estimates, Evaluation
from calipers.findings import Finding
from calipers.metrics.base import CATALOGUE
from calipers.remarks import coded, decoded
from calipers.report.document_values import demand, is_count, number, read_estimate, texts
from calipers.settings import TASKS, Label, Settings

SCHEMA = 1
OTHERS = {"comparison": "a comparison", "gate": "a gate", "kind": "a validation, a sweep or a selection"}  # by key


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
        "definitions": {k: _plain(v) for k, v in ev.settings.definitions().items()},
        "predictions": ev.predictions,
        "notes": list(ev.notes),
        **({"codes": codes} if (codes := coded({"predictions": ev.predictions, "notes": ev.notes})) else {}),
        "metrics": {name: ev[name].to_dict() for name in ev},
        "confusion": table,
        "classes": [{name: e.to_dict() for name, e in ev.classes[v].items()} for v in ev.labels],
        "by": {
            name: {"values": _tagged(tuple(parts)), "evaluations": [_measured(e) for e in parts.values()]}
            for name, parts in ev.by.items()
        },
    }


def from_dict(document: Mapping[str, Any]) -> Evaluation:
    """The evaluation that a document describes. What no evaluation could have written is refused, and named."""
    if not isinstance(document, Mapping):
        raise InputError(f"a document is a JSON object, and this is {type(document).__name__}: pass what to_dict gave")
    schema = document.get("calipers")
    if isinstance(schema, int) and schema > SCHEMA:
        raise OtherVersion(f"this document has schema {schema}, of a newer Calipers; this one reads {SCHEMA}")
    if schema != SCHEMA or isinstance(schema, bool):
        raise InputError(f"this document has schema {str(schema)[:20]!r}; this Calipers reads {SCHEMA}")
    other = next((what for key, what in OTHERS.items() if key in document), None)
    if other is not None:
        raise InputError(f"this is the document of {other}, and Evaluation.from_json reads that of an evaluation")
    try:
        return _restored(document)
    except CalipersError:
        raise
    except KeyError as error:
        raise InputError(f"this document is damaged: {error} is missing") from error
    except (TypeError, ValueError, AttributeError, IndexError, OverflowError, RecursionError) as error:
        raise InputError(f"this document is damaged: {str(error)[:300]}") from error


def _restored(document: Mapping[str, Any]) -> Evaluation:
    labels = _untagged(document["labels"], "labels")
    tasks = (*TASKS, "ranking")
    demand(document["task"] in tasks, "task", document["task"], f"one of {', '.join(tasks)}")
    demand(is_count(document["rows"]), "rows", document["rows"], "a whole number, 0 or more")
    settings, positive = _settings(document["definitions"], document["task"]), document["positive"]
    if positive is not None:
        (positive,) = _untagged(positive, "positive")
        demand(positive in labels, "positive", positive, "one of the labels")
    demand(isinstance(document["predictions"], str), "predictions", document["predictions"], "a text")
    texts(document["notes"], "notes")
    codes = document.get("codes", {})
    demand(isinstance(codes, Mapping), "codes", codes, "codes of remarks by their names")
    noted = codes.get("notes") or [None] * len(document["notes"])

    def estimates(each: Mapping[str, Any], where: str) -> dict[str, Any]:
        listed = {name: CATALOGUE[name] for name in each}
        known = {name: read_estimate(e, listed[name].metric.bounds, f"{where}.{name}") for name, e in each.items()}
        return {"views": None, "settings": settings, "listed": tuple(listed.values()), "known": known}

    return Evaluation(
        **estimates(document["metrics"], "metrics"),
        task=document["task"],
        labels=labels,
        positive=positive,
        predictions=decoded(document["predictions"], codes.get("predictions")),
        notes=tuple(decoded(*note) for note in zip(document["notes"], noted, strict=True)),
        rows=document["rows"],
        table=_confusion(document["confusion"], labels),
        slices={name: _slices(part, f"by.{name}") for name, part in document["by"].items()},
        per_class={
            v: Estimates(**estimates(c, f"classes.{v}")) for v, c in zip(labels, document["classes"], strict=True)
        },
        stored_findings=tuple(map(Finding.of_dict, document["findings"])) if "findings" in document else None,
    )


def _settings(definitions: Mapping[str, Any], task: str) -> Settings:
    options: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in definitions.items()}
    if options["threshold"] is not None:
        options["threshold"] = number(options["threshold"], "definitions.threshold")
    rules = options.get("ranking")
    demand(rules is None or isinstance(rules, Mapping), "definitions.ranking", rules, "the rules of a ranking, or null")
    settings = Settings(**options)
    demand((settings.ranking is not None) == (task == "ranking"), "definitions.ranking", rules, f"that of {task}")
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
    demand(right, "confusion", table, f"{k} x {k} counts, 0 or more")
    return Confusion(tuple(labels), counts)


def _slices(part: Mapping[str, Any], where: str) -> dict[Label, Evaluation]:
    values = _untagged(part["values"], f"{where}.values")
    return dict(zip(values, map(from_dict, part["evaluations"]), strict=True))


def _tagged(values: Sequence[Label]) -> dict[str, Any]:
    """Labels with their types, which JSON would lose between true and 1."""
    return {"types": [type(v).__name__ for v in values], "values": list(values)}


def _untagged(tagged: Mapping[str, Any], where: str) -> tuple[Label, ...]:
    kinds: dict[str, type] = {"bool": bool, "int": int, "str": str}
    for kind, value in zip(tagged["types"], tagged["values"], strict=True):
        demand(kind in kinds and type(value) is kinds[kind], where, value, f"a label of the type {kind}")
    demand(len(set(tagged["values"])) == len(tagged["values"]), where, tagged["values"], "labels that differ")
    return tuple(tagged["values"])


def _plain(value: Any) -> Any:
    """JSON has no infinity: a threshold of inf is the text "inf"."""
    return str(value) if isinstance(value, float) and np.isinf(value) else value
