"""Evaluations of parts of the rows, put together as if all rows had been there at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from functools import reduce
from operator import attrgetter
from typing import Any, TypeVar

from calipers.data.batch import Batch
from calipers.data.rankings import Rankings
from calipers.data.schema import Schema
from calipers.data.side_columns import slice_values
from calipers.errors import InputError
from calipers.evaluation.evaluation import Evaluation
from calipers.metrics.views import Views
from calipers.remarks import Remark, code_of
from calipers.settings import Label, Settings
from calipers.statistics.combine import Evidence
from calipers.statistics.rows import Rows

GROUPED = "evaluation.grouped_rows"
SLICES = Mapping[str, Mapping[Label, Evaluation]]
SMALLER = 2  # two parts are merged unless one is at least this many times smaller
T = TypeVar("T")


def merge(evaluations: Iterable[Evaluation]) -> Evaluation:
    """Merge evaluations of parts of the data; the result is equal to the evaluation of all rows at once.

    The evaluations must have the same model and the same schema (`evaluate(part, schema=schema)`) and no source in
    common.

    >>> import calipers as cal
    >>> schema = cal.Schema.of([0, 1], [0.2, 0.7])
    >>> days = [([0, 1, 1], [0.3, 0.9, 0.4]), ([1, 1], [0.6, 0.8]), ([0], [0.1])]
    >>> merge(cal.evaluate(y, p, schema=schema) for y, p in days)["roc_auc"]
    1.000 [0.410, 1.000]
    """
    several = isinstance(evaluations, Iterable) and not isinstance(evaluations, Evaluation)
    parts = list[Evaluation]()
    for part in evaluations if several else ():
        if not isinstance(part, Evaluation):
            raise InputError("evaluation.merge_of_what", kind=type(part).__name__)
        parts = piled([*parts, part], merged, attrgetter("rows"))
        del part  # so that one that is merged can let go of its rows
    if not parts:
        raise InputError("evaluation.merge_of_what", kind=type(evaluations).__name__)
    return whole(parts, merged)


def piled(parts: Sequence[T], merge: Callable[[T, T], T], size: Callable[[T], int]) -> list[T]:
    """The parts, the last of which is new: those of about the same size are merged, so that a row is merged few times.

    >>> parts = []
    >>> for rows in [5, 4, 1, 1, 1, 1]:
    ...     parts = piled([*parts, rows], int.__add__, int)
    ...     print(parts)
    [5]
    [9]
    [9, 1]
    [9, 2]
    [9, 2, 1]
    [9, 4]
    """
    parts = list(parts)
    while len(parts) > 1 and size(parts[-2]) < SMALLER * size(parts[-1]):
        parts[-2:] = [merge(*parts[-2:])]
    return parts


def whole(parts: Sequence[T], merge: Callable[[T, T], T]) -> T:
    """All parts in one, the smallest first."""
    return reduce(lambda later, part: merge(part, later), reversed(parts))


def merged(first: Evaluation, second: Evaluation) -> Evaluation:
    """The evaluation of the rows of both."""
    refuse_others(first, second)
    views = _views(first.views, second.views)
    return Evaluation(
        views,
        first.settings,
        first.listed,
        schema=first.schema,
        notes=_notes(first.notes, second.notes, views.source),
        predictions=first.predictions if first.rows else second.predictions,
        rows=first.rows + second.rows,
        slices=_slices(first.slices, second.slices),
        model=first.model,
        sources=first.sources + second.sources,
    )


def refuse_others(first: Evaluation, second: Evaluation) -> None:
    """An error where two evaluations are not of parts of the same rows."""
    for ev in (first, second):
        if not ev.is_live:
            raise InputError("evaluation.merge_of_document")
        if ev.views.geometry is not None:
            raise InputError("evaluation.merge_of_geometry")
        if ev.views.fixed:
            raise InputError("evaluation.merge_of_restated")
    if first.model != second.model:
        raise InputError("evaluation.merge_of_models", first=first.model, second=second.model)
    if again := [source for source in second.sources if source in first.sources]:
        raise InputError("evaluation.merge_of_source_twice", source=again[0])
    for kind, one, other in ((Schema, first.schema, second.schema), (Settings, first.settings, second.settings)):
        if (name := difference(kind, one, other)) is not None:
            values = {"first": getattr(one, name), "second": getattr(other, name)}
            if name == "labels":
                raise InputError("evaluation.merge_of_labels", **values)
            raise InputError("evaluation.merge_of_others", name=name, **values)


def difference(kind: type, first: Any, second: Any) -> str | None:
    """The first field in which two schemas or settings differ. What a schema says, settings need not repeat."""
    skipped = {f.name for f in fields(Schema)} if kind is Settings else set()
    names = (f.name for f in fields(kind) if f.compare and f.name not in skipped)
    return next((name for name in names if not _equal(getattr(first, name), getattr(second, name))), None)


def _equal(first: Any, second: Any) -> bool:
    if isinstance(first, tuple) and isinstance(second, tuple):
        return len(first) == len(second) and all(map(_equal, first, second))
    return type(first) is type(second) and bool(first == second)


def _views(first: Views, second: Views) -> Views:
    sources = [views.source for views in (first, second) if views.source is not None and len(views.source)]
    source = None if not sources else Batch.joined(sources) if len(sources) == 2 else sources[0]
    ranked = [views.rankings for views in (first, second)]
    together = Rankings.joined(ranked[0], ranked[1]) if ranked[0] is not None and ranked[1] is not None else None
    return Views(_evidence(first.evidence, second.evidence), first.schema, source=source, rankings=together)


def _evidence(first: Evidence, second: Evidence) -> Evidence:
    """The statistics of both; rows that one part kept for being few are dropped, since together they are many."""
    if first.parts and second.parts and first.has(Rows) != second.has(Rows):
        first, second = first.without(Rows), second.without(Rows)
    return _alike(first, second).merge(_alike(second, first))


def _alike(evidence: Evidence, other: Evidence) -> Evidence:
    """Scores as cells, where the other side has them so because its rows did not fit the memory."""
    for name, part in evidence.parts.items():
        sketches = list(other.parts[name].all_sketches()) if name in other.parts else []
        if sketches and not any(True for _ in part.all_sketches()):
            cells = part.summary(sketches[0].fences, sketches[0].budget)
            evidence = evidence.with_part(name, cells)
    return evidence


def _slices(first: SLICES, second: SLICES) -> dict[str, dict[Label, Evaluation]]:
    """Slice by slice, values in order."""
    every: dict[str, dict[Label, Evaluation]] = {}
    for name in dict.fromkeys((*first, *second)):
        mine, theirs = first.get(name, {}), second.get(name, {})
        values = slice_values(dict.fromkeys((*mine, *theirs)))
        both = {v: [parts[v] for parts in (mine, theirs) if v in parts] for v in values}
        every[name] = {v: merged(*parts) if len(parts) == 2 else parts[0] for v, parts in both.items()}
    return every


def _notes(first: tuple[str, ...], second: tuple[str, ...], source: Batch | None) -> tuple[str, ...]:
    """The notes of both, once each; those that count are added up."""
    notes: dict[str, str] = {}
    for note in (*first, *second):
        code = code_of(note)
        if not isinstance(note, Remark) or not set(note.values) & {"count", "total"}:
            notes[note] = note
        elif code == GROUPED:
            assert source is not None
            assert source.groups is not None
            notes[code] = Remark(code, count=len(set(source.groups.tolist())))
        else:
            before = notes.get(code)
            added = _added(before.values, note.values) if isinstance(before, Remark) else note.values
            notes[code] = Remark(code, **added)
    return tuple(notes.values())


def _added(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    return {k: v + second[k] if k in ("count", "total") else v for k, v in first.items()}
