"""Evaluations in bounded memory: what grows with the rows gives way to summaries of a given size."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from calipers.evaluation.evaluation import Evaluation
from calipers.statistics.base import Statistic
from calipers.statistics.class_sketches import ClassSketches
from calipers.statistics.classes import ClassScores
from calipers.statistics.combine import Evidence
from calipers.statistics.portable import Portable
from calipers.statistics.rows import Rows
from calipers.statistics.scores import ScoreSamples
from calipers.statistics.sketch import FENCES, LEAST, UNLIMITED, ScoreSketch

CELLS_PER_CLASS = 1000  # with fewer, the scores of classes are dropped
Change = Callable[[Statistic], Statistic]


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


def summarised(ev: Evaluation) -> Evaluation:
    """The evaluation with cells in the place of rows, each distinct score with one of its own for now."""
    own = ev.schema.threshold
    thresholds = () if own is None else (own,) if isinstance(own, (int, float)) else [x for _, x in own]
    fences = tuple(dict.fromkeys((*thresholds, *FENCES)))
    return _changed(ev, lambda part: _summary(part, fences))


def _summary(part: Statistic, fences: tuple[float, ...]) -> Statistic:
    if isinstance(part, ScoreSamples):
        return ScoreSketch.of_samples(part, UNLIMITED, fences)
    if isinstance(part, ClassScores):
        return ClassSketches.of_scores(part, UNLIMITED, fences)
    if isinstance(part, Rows):
        sizes = np.abs(part.predictions - part.truth.astype(np.float64))
        if sizes.ndim == 1:
            return _of_sizes(sizes)
        return Evidence({str(k): _of_sizes(column) for k, column in enumerate(sizes.T)})
    return part


def _of_sizes(errors: np.ndarray[Any, Any]) -> ScoreSketch:
    """The sizes of errors, as scores of positives."""
    return ScoreSketch.of_samples(ScoreSamples(np.sort(errors), np.zeros(0), None, None), UNLIMITED, ())


def within(ev: Evaluation, cells: int) -> Evaluation:
    """A summarised evaluation in at most so many cells in all, shared by its slices and classes.

    Every sketch may have the same number of cells, and what small ones leave is for the others. Scores of classes are
    dropped, in all slices, where a class would get fewer than CELLS_PER_CLASS.
    """
    sizes = [len(sketch.low) for sketch in _sketches(ev)]
    columns = max((len(part.labels) for part in _class_sketches(ev)), default=0)
    parts = 1 + sum(1 for _ in slices_of(ev))
    if columns and cells // (columns * parts) < CELLS_PER_CLASS:
        ev = _changed(ev, lambda part: ClassSketches(part.labels, ()) if isinstance(part, ClassSketches) else part)
        sizes = [len(sketch.low) for sketch in _sketches(ev)]
    if sum(sizes) <= cells:
        return ev
    most = max(LEAST, _level(sizes, cells))
    return _changed(ev, lambda part: part.within(most) if isinstance(part, (ScoreSketch, ClassSketches)) else part)


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


def _class_sketches(ev: Evaluation) -> Iterator[ClassSketches]:
    for one in (ev, *slices_of(ev)):
        yield from (part for part in one.views.evidence.parts.values() if isinstance(part, ClassSketches))


def _sketches(ev: Evaluation) -> Iterator[ScoreSketch]:
    for one in (ev, *slices_of(ev)):
        for part in one.views.evidence.parts.values():
            inside = part.parts.values() if isinstance(part, Evidence) else (part,)
            for each in inside:
                if isinstance(each, ClassSketches):
                    yield from each.sketches
                elif isinstance(each, ScoreSketch):
                    yield each


def _changed(ev: Evaluation, change: Change) -> Evaluation:
    """The evaluation with every statistic changed, also within its slices."""
    slices = {name: {v: _changed(part, change) for v, part in parts.items()} for name, parts in ev.slices.items()}
    evidence = Evidence({name: _part(part, change) for name, part in ev.views.evidence.parts.items()})
    return replace(ev, seen=replace(ev.views, evidence=evidence), slices=slices, known={})


def _part(part: Statistic, change: Change) -> Statistic:
    return Evidence({k: change(each) for k, each in part.parts.items()}) if isinstance(part, Evidence) else change(part)
