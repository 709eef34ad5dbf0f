"""Each class against the rest as an evaluation of two classes, which can be cut at any threshold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from calipers.data.batch import Batch
from calipers.data.schema import Schema
from calipers.metrics.views import Unavailable, Views
from calipers.settings import Label
from calipers.statistics.base import Statistic
from calipers.statistics.combine import Evidence
from calipers.statistics.confusion import ConfusionCounts
from calipers.statistics.scores import ScoreSamples
from calipers.tasks import BINARY

if TYPE_CHECKING:
    from calipers.evaluation.evaluation import Evaluation

REST, CLASS = 0, 1  # labels of the rows of other classes, and of the class


class Slice(NamedTuple):
    """A part of the rows: where `column` has `value`."""

    column: str
    value: Label
    ev: Evaluation


@dataclass(frozen=True)
class OneClass:
    """One class of all rows, or of those of a slice; `ev` has two classes, and can be cut."""

    label: Label
    slice: Slice | None
    ev: Evaluation


def classes(ev: Evaluation, most: int) -> list[Label]:
    """The classes that have scores which can be cut: at most so many, those with the most rows, in their order."""
    if not ev.is_live:
        return []
    named = [ev.positive] if ev.schema.facts.one_score and ev.positive is not None else list(ev.labels)
    scored = [label for label in named if _samples(ev, label) is not None]
    largest = sorted(scored, key=lambda label: -_positives(ev, label))[:most]
    return [label for label in scored if label in largest]


def slices(ev: Evaluation) -> list[Slice]:
    """The slices, the largest first."""
    every = [Slice(column, value, part) for column, parts in ev.by.items() for value, part in parts.items()]
    return sorted(every, key=lambda part: -part.ev.rows)


def one_class(ev: Evaluation, label: Label, part: Slice | None = None) -> OneClass | None:
    """A class against the rest; None where one of the two has no rows."""
    whole = ev if part is None else part.ev
    if not whole.is_live or _samples(whole, label) is None:
        return None
    two = whole if whole.schema.facts.one_score else against_rest(whole, label)
    return OneClass(label, part, replace(two, settings=replace(two.settings, interval=None)))


def against_rest(ev: Evaluation, label: Label) -> Evaluation:
    """The rows with two classes: this one, and all others; predicted as before, until a threshold is set."""
    samples, index = _samples(ev, label), ev.views.labels.index(label)
    assert samples is not None
    sketches = ev.views.class_sketches
    scores: Statistic = samples if sketches is None else sketches.sketches[sketches.labels.index(label)]
    evidence = Evidence.empty().with_part(ScoreSamples.__name__, scores)
    schema = Schema(BINARY.name, (REST, CLASS), CLASS, scored=True, predicted=ev.schema.predicted)
    try:
        counts = ev.views.one_vs_rest.at(index).against_rest(ev.rows)
        squares = None if counts.squares is None else counts.squares[::-1, ::-1]
        table = ConfusionCounts(schema.labels, counts.cells[::-1, ::-1], squares, counts.rows)
        evidence = evidence.with_part(ConfusionCounts.__name__, table)
    except Unavailable:  # the scores were not cut
        schema = replace(schema, predicted="")
    views = Views(evidence, schema, source=_rows(ev.views.source, index, schema))
    return replace(ev, seen=views, schema=schema, known={}, slices={}, listed=(), record=None)


def _rows(source: Batch | None, index: int, schema: Schema) -> Batch | None:
    """The rows behind it, where they are kept because they come in groups."""
    if source is None or source.score is None:
        return None
    of_sets = source.truth.ndim == 2
    truth, pred = (
        None if codes is None else (codes[:, index] if of_sets else codes == index).astype(np.uint8)
        for codes in (source.truth, source.pred)
    )
    assert truth is not None
    return Batch(schema, truth, pred, source.score[:, index], source.weights, groups=source.groups)


def _samples(ev: Evaluation, label: Label) -> ScoreSamples | None:
    """The scores of a class; None where there are none, or no rows on one side."""
    views = ev.views
    try:
        if views.facts.one_score:
            samples = views.samples
        else:
            samples = views.class_scores.columns[views.class_scores.labels.index(label)]
    except Unavailable:
        return None
    return samples if len(samples.pos) and len(samples.neg) else None


def _positives(ev: Evaluation, label: Label) -> float:
    samples = _samples(ev, label)
    return 0.0 if samples is None else samples.positives


def every(ev: Evaluation, most: int, *, sliced: bool = True) -> Iterator[list[OneClass | None]]:
    """Each class of all rows, then of slice after slice, while there are at most so many in all."""
    labels = classes(ev, most)
    if not labels:
        return
    yield [one_class(ev, label) for label in labels]
    for part in slices(ev)[: most // len(labels) - 1] if sliced else ():
        ones = [one_class(ev, label, part) for label in labels]
        if any(ones):
            yield ones
