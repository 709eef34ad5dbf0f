"""Evaluations in bounded memory: statistics that grow with the rows are replaced by summaries of a given size."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from calipers.evaluation.evaluation import Evaluation
from calipers.evaluation.merging import merged, whole
from calipers.statistics.classes import ClassScores
from calipers.statistics.combine import Evidence
from calipers.statistics.portable import Portable
from calipers.statistics.sketch import FENCES, LEAST, ScoreSketch

PER_CELL = 1024  # bytes that a cell takes while sketches are merged, and brackets computed
FINER = 2  # as many cells have rows that become a part of a summary: with as many as in the summary, brackets are wider
CELLS_PER_CLASS = 1000  # with fewer, the scores of classes are dropped


def size(value: Any) -> int:
    """The bytes of the arrays and texts in a value, with something for each object around them."""
    if isinstance(value, np.ndarray):
        return int(value.nbytes)
    if isinstance(value, Portable):
        return 100 + sum(map(size, value.state().values()))
    if isinstance(value, dict):
        return sum(size(key) + size(each) for key, each in value.items())
    if isinstance(value, (tuple, list)):
        return sum(map(size, value))
    return 60 + 2 * len(value) if isinstance(value, str) else 30


def size_of(ev: Evaluation) -> int:
    """The bytes of the statistics of an evaluation and of its slices, and of its rankings."""
    ranked = ev.views.rankings
    kept = 0 if ranked is None else size((ranked.queries, ranked.gains, ranked.pool, ranked.starts, ranked.pool_starts))
    return kept + size(ev.views.evidence) + sum(size_of(part) for part in slices_of(ev))


def slices_of(ev: Evaluation) -> Iterator[Evaluation]:
    """The evaluations of all slices."""
    return (part for values in ev.slices.values() for part in values.values())


def size_of_rows(ev: Evaluation) -> int:
    """The bytes of what grows with the rows of an evaluation and of its slices; these add up in merged evaluations."""
    return sum(array.nbytes for one in (ev, *slices_of(ev)) for array in one.views.evidence.row_arrays())


def summarised(parts: Sequence[Evaluation], cells: int) -> Evaluation:
    """All parts as one, with cells instead of rows, which `within` joins to at most this number."""
    own = parts[0].schema.threshold
    thresholds = () if own is None else (own,) if isinstance(own, (int, float)) else [x for _, x in own]
    fences = tuple(dict.fromkeys((*thresholds, *FENCES)))

    def join(first: Evidence, others: Sequence[Evidence] = ()) -> Evidence:
        return first.summary(fences, FINER * cells, others)

    # Once more for the slices that one part alone has.
    return _changed(whole(parts, partial(merged, join=join)), join)


def within(ev: Evaluation, cells: int) -> Evaluation:
    """A summarised evaluation with at most this number of cells in all, shared by its slices and classes.

    Every sketch may have the same number of cells, and what small ones leave is for the others. Scores of classes are
    dropped, in all slices, where a class would get fewer than CELLS_PER_CLASS.
    """
    of_classes = ev.views.class_sketches
    if of_classes is not None:
        columns = len(of_classes.labels) * (1 + sum(1 for _ in slices_of(ev)))
        if cells // columns < CELLS_PER_CLASS:
            none = replace(of_classes, sketches=())
            ev = _changed(ev, lambda evidence: evidence.replacing(ClassScores, none))
    sizes = [len(sketch.low) for sketch in _sketches(ev)]
    if sum(sizes) <= cells:
        return ev
    most = max(LEAST, _level(sizes, cells))
    return _changed(ev, lambda part: part.within(most))


def sketch_count(ev: Evaluation) -> int:
    """How many sketches an evaluation and its slices have."""
    return sum(1 for _ in _sketches(ev))


def _level(sizes: list[int], total: int) -> int:
    """The largest size to which all can be cut so that they fit the total.

    >>> _level([10, 500, 900], 700)
    345
    """
    left, parts = total, sorted(sizes)
    for at, each in enumerate(parts):
        share = left // (len(parts) - at)
        if each > share:
            return share
        left -= each
    return parts[-1]


def _sketches(ev: Evaluation) -> Iterator[ScoreSketch]:
    for one in (ev, *slices_of(ev)):
        yield from one.views.evidence.all_sketches()


def _changed(ev: Evaluation, change: Callable[[Evidence], Evidence]) -> Evaluation:
    """The evaluation with other statistics, also within its slices."""
    slices = {name: {v: _changed(part, change) for v, part in parts.items()} for name, parts in ev.slices.items()}
    return replace(ev, seen=replace(ev.views, evidence=change(ev.views.evidence)), slices=slices, known={})
