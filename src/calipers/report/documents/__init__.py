"""Documents: conversion of every result to plain values in one format, and back.

`{"format": 2, "kind": "evaluation", "settings": {...}, ...}`: `kind` is `Result.kind`. A document is bounded: it holds
what reports, tables and comparisons with it need, and no row of the data. A loaded result is of the type that was
saved, with what it had computed; what needs the rows is refused.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

from calipers.errors import CalipersError, InputError, OtherVersion
from calipers.report.documents.values import NAME, Fields
from calipers.statistics.portable import MAGIC

if TYPE_CHECKING:
    from calipers.evaluation.worst_rows import WorstRows
    from calipers.result import AnyResult

FORMAT = 2
# The module that writes and reads each kind, and what its two functions are called after.
KINDS = {
    "evaluation": "evaluation",
    "comparison": "comparison",
    "fold_comparison": "folds_and_datasets:folds",
    "dataset_comparison": "folds_and_datasets:datasets",
    "gate": "gate",
    "power": "advice:power",
    "advice": "advice:advice",
    "explanation": "explanation",
    "metric_list": "metric_list",
    "validation": "validation",
    "bootstrap_validation": "resampled",
    "learning_curve": "sweeps",
    "validation_curve": "sweeps",
    "bias_variance": "bias_variance",
    "selection": "selection",
    "cluster_selection": "cluster_selection",
    "worst_rows": "worst_rows",
    "calibration": "decisions:calibration",
    "decision_curve": "decisions:decision_curve",
    "trend": "trend",
}
DAMAGE = (TypeError, ValueError, AttributeError, LookupError, OverflowError, RecursionError)


class Form(NamedTuple):
    """How a kind of result is written and read."""

    contents: Callable[[Any], dict[str, Any]]
    restored: Callable[[Fields], AnyResult]


def form(kind: str) -> Form:
    """How results of a kind are written and read; its module is imported when it is needed."""
    module, _, name = KINDS[kind].partition(":")
    home, end = import_module(f"calipers.report.documents.{module}"), f"_of_{name}" if name else ""
    return Form(getattr(home, f"contents{end}"), getattr(home, f"restored{end}"))


def to_dict(result: AnyResult, rows: WorstRows | None = None) -> dict[str, Any]:
    """The document of a result; rows: the worst ones, if requested."""
    document = {"format": FORMAT, "kind": result.kind, **form(result.kind).contents(result)}
    return document if rows is None else document | {rows.kind: form(rows.kind).contents(rows)}


def load(path: str | os.PathLike[str]) -> AnyResult:
    """Load the result that `result.save(path)` wrote to a .json or .calipers file, with its original type.

    A result from .json can be printed, converted and compared; methods that need the rows (another threshold, a curve)
    raise an error. With .calipers everything works.
    """
    try:
        with open(path, "rb") as file:
            text = file.read()
    except TypeError:
        raise InputError("report.not_a_path", path=path, kind=type(path).__name__) from None
    except FileNotFoundError:
        raise InputError("files.does_not_exist", file=os.fsdecode(path)) from None
    except OSError as error:
        raise InputError("report.unreadable", path=os.fsdecode(path), error=error.strerror or str(error)) from None
    try:
        return loads(text)
    except CalipersError as error:
        raise type(error)("report.in_file", path=os.fsdecode(path), why=error) from None


def loads(text: str | bytes) -> AnyResult:
    """Load a result from the text or bytes of `to_json`, or an evaluation from the bytes of `to_bytes`.

    >>> import calipers as cal
    >>> ev = cal.evaluate_counts(tp=90, fp=20, fn=10, tn=380)
    >>> cal.loads(ev.to_json())["recall"] == ev["recall"]
    True
    """
    if isinstance(text, (bytes, bytearray, memoryview)) and bytes(text[: len(MAGIC)]) == MAGIC:
        from calipers.evaluation.saved import from_bytes

        return from_bytes(bytes(text))
    try:
        document = json.loads(text)
        json.dumps(document, ensure_ascii=False).encode()  # half of a surrogate pair cannot be encoded
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError("report.not_json", error=str(error)[:300]) from None
    return of_dict(document)


def of_dict(document: Any) -> AnyResult:
    """The result that a document describes. What no result could have written is refused, and named."""
    if not isinstance(document, Mapping):
        raise InputError("report.not_an_object", kind=type(document).__name__)
    try:
        kind, fields = _opened(document)
        return form(kind).restored(fields)
    except CalipersError:
        raise
    except DAMAGE as error:
        raise InputError("report.damaged_somewhere", error=str(error)[:300]) from error


def _opened(document: Mapping[str, Any]) -> tuple[str, Fields]:
    """The kind of a document and its contents, in today's form."""
    if "calipers" in document and "format" not in document:
        return "evaluation", Fields(_of_version_0_1(document))
    if "format" not in document:
        raise InputError("report.not_a_result")
    number = document["format"]
    if isinstance(number, int) and not isinstance(number, bool) and number > FORMAT:
        raise OtherVersion("report.newer_document", format=number, known=FORMAT)
    if isinstance(number, bool) or number != FORMAT:
        raise InputError("report.unknown_format", format=number, known=FORMAT)
    fields = Fields(document)
    return fields.choice("kind", tuple(KINDS)), fields


def _of_version_0_1(document: Mapping[str, Any]) -> dict[str, Any]:
    """Version 0.1 numbered its documents under "calipers", and read back those of evaluations."""
    from calipers.report.documents.evaluation import of_version_0_1

    number = document["calipers"]
    if isinstance(number, int) and not isinstance(number, bool) and number > 1:
        raise OtherVersion("report.newer_document", format=number, known=FORMAT)
    if isinstance(number, bool) or number != 1:
        raise InputError("report.unknown_format", format=number, known=FORMAT)
    kind = document.get("kind", next((name for name in ("comparison", "gate") if name in document), None))
    if kind is not None:
        raise InputError("report.other_kind_of_0_1", kind=str(kind)[:NAME])
    return of_version_0_1(document)
