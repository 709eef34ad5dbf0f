"""Score columns of a file that does not fit into memory, compared on the same rows.

The rows are read once: each model's scores go to buckets of their own, with the number of the row, and what can be
counted is counted. Then each model is walked, and the influences of the rows meet again (`placed_rows`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.comparison.difference_sums import (
    DifferenceSums,
    Differing,
    JointTable,
    LossDifferences,
    Pair,
    RowDifferences,
)
from calipers.comparison.same_rows import on_common_rows
from calipers.data.batch import Batch
from calipers.data.schema import Schema
from calipers.errors import InputError
from calipers.evaluation.bucket_walk import BucketWalk, Totals
from calipers.evaluation.file_chunks import FileChunks, NotThisWay
from calipers.evaluation.large_pass import CELLS, PER_CELL, SCORES
from calipers.evaluation.placed_rows import PlacedRows, together
from calipers.evaluation.score_buckets import ScoreBuckets
from calipers.evaluation.score_column import SliceTotals
from calipers.files.table import Columns
from calipers.metrics import plan
from calipers.metrics.base import CATALOGUE, Measure
from calipers.remarks import Remark
from calipers.statistics.combine import Evidence
from calipers.statistics.sketch import ScoreSketch

Array = npt.NDArray[Any]
USUAL = 0.5  # the threshold of probabilities
MOST_MODELS = 10  # each doubles the joint table


@dataclass
class ComparePass(FileChunks):
    """The rows of a file on their way into sums of how models differ; schemas: by score column, the baseline first."""

    schemas: Mapping[str, Schema]

    def run(self) -> None:
        """Read all rows."""
        super().run()
        if not self.kept:
            raise InputError("comparison.nothing_left" if self.dropped else "data.all_rows_missing")
        if any(self.only_labels):
            raise NotThisWay(Remark("comparison.large_labels"))

    def begin(self) -> None:
        """Forget what was taken."""
        self.close()
        self.buckets: list[ScoreBuckets] = []
        self.kept = 0
        self.joint = JointTable(len(self.schemas))
        self.totals = SliceTotals()
        self.losses: dict[str, LossDifferences] | None = {}
        self.equal = set(combinations(range(len(self.schemas)), 2))
        self.only_labels = [True] * len(self.schemas)

    def close(self) -> None:
        """Remove what is on disk."""
        for each in getattr(self, "buckets", ()):
            each.close()

    def take(self, cells: Columns) -> None:
        """Add the rows of a chunk."""
        chosen, batches = self.rows.chosen, {}
        dropped, each = self.dropped, []
        for column, schema in self.schemas.items():
            rows = replace(self.rows, chosen=replace(chosen, scores=(column,)), cells=cells)
            self.dropped = 0
            batches[column] = self.batch(rows, schema)
            each.append(self.dropped)
        known = {name: batch for name, batch in batches.items() if batch is not None}
        common = _common(known) if len(known) == len(batches) else {}
        first = next(iter(common.values()), None)
        self.dropped = dropped + (max(each) if first is None else first.dropped)
        if first is not None and len(first) and self.trouble is None:
            self._measure(list(common.values()))

    def _measure(self, batches: list[Batch]) -> None:
        first = batches[0]
        rows, models = max(self.table.expected(), len(first)), len(batches)
        if not self.buckets:
            self.dtypes = [_scores(batch).dtype for batch in batches]
            self.positive = first.positive
            kinds = {"numbered": True, "weighted": first.weights is not None}
            self.buckets = [ScoreBuckets(self.folder, self.memory // models, rows, **kinds) for _ in batches]
        numbers = np.arange(self.kept, self.kept + len(first), dtype=np.float64)
        assert first.positive is not None
        is_positive = (first.truth == first.positive).astype(np.int64)
        self.totals.add((1 - is_positive).astype(np.uint32), 1, first.weights)
        weights = [] if first.weights is None else [first.weights]
        cell = is_positive
        for at, (batch, buckets) in enumerate(zip(batches, self.buckets, strict=True)):
            score, own = _scores(batch), batch.schema.threshold
            buckets.add(score, batch.truth, first.positive, [*weights, numbers])
            cut = score >= score.dtype.type(own if isinstance(own, float) else USUAL)
            cell = cell + (cut.astype(np.int64) << (1 + at))
            known = {0.0, 1.0, *(float(v) for v in first.labels if not isinstance(v, str))}
            self.only_labels[at] = self.only_labels[at] and bool(np.isin(score, list(known)).all())
        self.joint.add(cell, first.weights)
        for a, b in list(self.equal):
            if not np.array_equal(_scores(batches[a]), _scores(batches[b])):
                self.equal.discard((a, b))
        self._add_losses(batches)
        self.kept += len(first)

    def _add_losses(self, batches: list[Batch]) -> None:
        """Losses of rows, while all scores are probabilities."""
        if self.losses is None or any(s.min() < 0 or s.max() > 1 for s in map(_scores, batches)):
            self.losses = None
            return
        for measure in _of_losses(batches[0]):
            each = [measure.metric.view.losses(measure, batch) for batch in batches]
            known = [losses for losses in each if losses is not None]
            if len(known) == len(batches):
                self.losses.setdefault(measure.name, LossDifferences()).add(known, batches[0].weights)

    def walked(self) -> tuple[list[Evidence], RowDifferences]:
        """The statistics of each model, and how they differ."""
        models, totals = len(self.buckets), self.totals.of_slices()
        found, count = [], self.counter("sorted rows", models * self.kept)
        with ExitStack() as stack:
            placed = []
            for buckets, dtype, schema in zip(self.buckets, self.dtypes, self.schemas.values(), strict=True):
                rows = PlacedRows(self.folder, self.memory, self.kept, models, totals)
                stack.callback(rows.close)
                placed.append(rows)
                own = schema.threshold
                walk = BucketWalk(totals[0], dtype, (own,) if isinstance(own, float) else (), self._budget(models))
                for bucket in buckets:
                    for _, part in rows.place(bucket):
                        walk.add(part)
                    count(bucket.rows)
                buckets.close()
                found.append(walk.sketch())
            return [Evidence({SCORES: sketch}) for sketch in found], self._differences(found, placed)

    def _budget(self, models: int) -> int:
        least, most = CELLS
        return min(max(self.memory // PER_CELL // models, least), most)

    def _differences(self, found: list[ScoreSketch], placed: list[PlacedRows]) -> RowDifferences:
        (totals,) = self.totals.of_slices()
        areas, precisions = _compared(found, placed, totals, self.counter("joined rows", 2 * self.kept))
        bits = np.arange(len(self.joint.counts))
        assert self.positive is not None
        codes = np.array([1 - self.positive, self.positive], np.uint8)
        truth, *predicted = (codes[bits >> at & 1] for at in range(1 + len(found)))
        return RowDifferences(
            totals.rows, truth, predicted, self.joint, areas, precisions, self.losses or {}, self.equal
        )


def _compared(
    found: list[ScoreSketch], placed: list[PlacedRows], totals: Totals, count: Callable[[int], None]
) -> tuple[dict[Pair, DifferenceSums], dict[Pair, DifferenceSums]]:
    """How the influences of rows on ROC AUC and on average precision differ, by pair of models.

    With weights, what each row adds to the difference of the two areas, or of the two average precisions.
    """
    pairs = list(combinations(range(len(found)), 2))
    differing = {pair: (Differing(), Differing()) for pair in pairs}
    shifts = [_shifts(sketch, totals.sums) for sketch in found]
    for met in (Differing.look, Differing.add):
        for models in together(placed, count):
            influences, (_, positive, weights, _) = [model.influences for model in models], models[0]
            share: Any = 1.0 if weights is None else weights / np.where(positive, *totals.sums)
            of_positives: Any = 1.0 if weights is None else weights / totals.sums[0]
            for (a, b), (of_area, of_precision) in differing.items():
                area, precision = (x - y for x, y in zip(shifts[a], shifts[b], strict=True))
                met(of_area, share * (influences[a].area - influences[b].area - area), positive)
                apart = influences[a].precision - influences[b].precision
                met(of_precision, of_positives * (apart - precision * positive), positive)
    sums = {pair: (areas.sums(), precisions.sums()) for pair, (areas, precisions) in differing.items()}
    return {pair: each[0] for pair, each in sums.items()}, {pair: each[1] for pair, each in sums.items()}


def _common(batches: dict[str, Batch]) -> dict[str, Batch]:
    """The rows of a chunk that no model left out; there may be none."""
    try:
        return on_common_rows(batches)
    except InputError as error:
        if error.code != "comparison.nothing_left":
            raise
        return {}


def _scores(batch: Batch) -> Array:
    assert batch.score is not None
    return batch.score


def _of_losses(batch: Batch) -> list[Measure]:
    """The metrics that are means of row losses of such rows."""
    if batch.why_not_probabilities:
        return []
    every = plan._everything(batch.facts, CATALOGUE.edition)
    return [m for m in every if m.metric.rows is not None and m.metric.probabilities]


def _shifts(sketch: ScoreSketch, rows: tuple[float, float]) -> tuple[float, float]:
    """What influences lack: the area, and of positives the average precision."""
    assert sketch.walked is not None
    numbers, pairs = sketch.walked.numbers, rows[0] * rows[1]
    return (numbers.pairs2 / (2 * pairs), numbers.ap) if pairs else (0.0, 0.0)
