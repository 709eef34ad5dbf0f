"""Evaluations of parts of the rows, put together as if all rows had been there at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, replace
from functools import partial, reduce
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
from calipers.statistics.sketch import ScoreSketch

GROUPED = "evaluation.grouped_rows"
SLICES = Mapping[str, Mapping[Label, Evaluation]]
Join = Callable[[Evidence, Sequence[Evidence]], Evidence]
MANY = 8  # parts that are merged at once
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
        parts = piled([*parts[:-1], *map(without_rows, parts[-1:]), part], merged, attrgetter("rows"))
        del part  # whose rows are not held any longer
    if not parts:
        raise InputError("evaluation.merge_of_what", kind=type(evaluations).__name__)
    return whole(parts, merged)


def without_rows(ev: Evaluation) -> Evaluation:
    """The evaluation without references to the rows of the caller, nor what was computed of them."""
    slices = {name: {v: without_rows(part) for v, part in parts.items()} for name, parts in ev.slices.items()}
    return replace(ev, kept=None, known={}, slices=slices)


def piled(parts: Sequence[T], merge: Callable[..., T], size: Callable[[T], int], many: int = MANY) -> list[T]:
    """The parts, the last of which is new: so many of about the same size are merged at once.

    A merged part is nearly twice as large as its largest, so that a row is merged few times.

    >>> parts = []
    >>> for rows in [5, 4, 1, 1, 1, 1]:
    ...     parts = piled([*parts, rows], int.__add__, int, many=2)
    ...     print(parts)
    [5]
    [9]
    [9, 1]
    [9, 2]
    [9, 2, 1]
    [9, 4]
    """
    parts = list(parts)
    while len(parts) >= many and max(map(size, parts[-many:])) < many * size(parts[-1]):
        parts[-many:] = [merge(*parts[-many:])]
    return parts


def whole(parts: Sequence[T], merge: Callable[..., T]) -> T:
    """All parts in one."""
    return parts[0] if len(parts) == 1 else merge(*parts)


def merged(*parts: Evaluation, join: Join = Evidence.merge_many) -> Evaluation:
    """The evaluation of the rows of all parts; join: what makes one evidence of the first part's and all others."""
    refuse_others(*parts)
    first = parts[0]
    views = _views([part.views for part in parts], join)
    return Evaluation(
        views,
        first.settings,
        first.listed,
        schema=first.schema,
        notes=_notes([note for part in parts for note in part.notes], views.source),
        predictions=next((part for part in parts if part.rows), parts[-1]).predictions,
        rows=sum(part.rows for part in parts),
        slices=_slices([part.slices for part in parts], join),
        model=first.model,
        sources=tuple(source for part in parts for source in part.sources),
    )


def refuse_others(*parts: Evaluation) -> None:
    """An error where evaluations are not of parts of the same rows."""
    first, sources = parts[0], set[str]()
    for ev in parts:
        if not ev.is_live:
            raise InputError("evaluation.merge_of_document")
        if ev.views.geometry is not None:
            raise InputError("evaluation.merge_of_geometry")
        if ev.views.fixed:
            raise InputError("evaluation.merge_of_restated")
    for ev in parts:
        if first.model != ev.model:
            raise InputError("evaluation.merge_of_models", first=first.model, second=ev.model)
        if again := [source for source in ev.sources if source in sources]:
            raise InputError("evaluation.merge_of_source_twice", source=again[0])
        sources.update(ev.sources)
        for kind, one, other in ((Schema, first.schema, ev.schema), (Settings, first.settings, ev.settings)):
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


def _views(parts: Sequence[Views], join: Join) -> Views:
    sources = [views.source for views in parts if views.source is not None and len(views.source)]
    source = None if not sources else Batch.joined(sources) if len(sources) > 1 else sources[0]
    ranked = [views.rankings for views in parts if views.rankings is not None]
    together = reduce(Rankings.joined, ranked) if len(ranked) == len(parts) else None
    evidence = _evidence([views.evidence for views in parts], join)
    return Views(evidence, parts[0].schema, source=source, rankings=together)


def _evidence(parts: Sequence[Evidence], join: Join) -> Evidence:
    """The statistics of all; rows that one part kept for being few are dropped, since together they are many."""
    filled = [evidence for evidence in parts if evidence.parts] or parts[:1]
    if len({evidence.has(Rows) for evidence in filled}) > 1:
        filled = [evidence.without(Rows) for evidence in filled]
    cells = {name: cell for evidence in filled for name, part in evidence.parts.items() for cell in part.all_sketches()}
    first, *others = (_alike(evidence, cells) for evidence in filled)
    return join(first, others)


def _alike(evidence: Evidence, cells: Mapping[str, ScoreSketch]) -> Evidence:
    """Scores as cells, where others have them so because their rows did not fit the memory."""
    for name, part in evidence.parts.items():
        if name in cells and not any(True for _ in part.all_sketches()):
            evidence = evidence.with_part(name, part.summary(cells[name].fences, cells[name].budget))
    return evidence


def _slices(parts: Sequence[SLICES], join: Join) -> dict[str, dict[Label, Evaluation]]:
    """Slice by slice, values in order."""
    every: dict[str, dict[Label, Evaluation]] = {}
    for name in dict.fromkeys(name for slices in parts for name in slices):
        named = [slices[name] for slices in parts if name in slices]
        values = slice_values(dict.fromkeys(value for slices in named for value in slices))
        each = {value: [slices[value] for slices in named if value in slices] for value in values}
        every[name] = {value: whole(some, partial(merged, join=join)) for value, some in each.items()}
    return every


def _notes(every: Sequence[str], source: Batch | None) -> tuple[str, ...]:
    """The notes, once each; those that count are added up."""
    notes: dict[str, str] = {}
    for note in every:
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
