"""How models differ on the same rows of a large file: what is counted as rows come, and influences joined by row."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.comparison.difference_sums import DifferenceSums, Differing, JointTable, LossDifferences, Pair
from calipers.comparison.large_gaps import GapSums
from calipers.data.batch import Batch
from calipers.evaluation.bucket_walk import Totals
from calipers.evaluation.placed_rows import PlacedRows, together
from calipers.metrics import plan
from calipers.metrics.base import CATALOGUE, Measure
from calipers.statistics.sketch import ScoreSketch

Array = npt.NDArray[Any]
USUAL = 0.5  # the threshold of probabilities
Sums = dict[Pair, DifferenceSums]


class Tally:
    """What is counted of models on the same rows: their joint table, differences of losses, and which are equal.

    binned: calibration errors that are compared.
    """

    def __init__(self, models: int, binned: Sequence[Measure]) -> None:
        self.joint = JointTable(models)
        self.losses: dict[str, LossDifferences] | None = {}
        self.gaps = {measure.name: GapSums(measure) for measure in binned}
        self.equal = set(combinations(range(models), 2))

    def add(self, batches: list[Batch]) -> None:
        """Add rows; batches: those of each model."""
        first = batches[0]
        cell = (first.truth == first.positive).astype(np.int64)
        for at, batch in enumerate(batches):
            score, own = scores_of(batch), batch.schema.threshold
            cut = score >= score.dtype.type(own if isinstance(own, float) else USUAL)
            cell = cell + (cut.astype(np.int64) << (1 + at))
        self.joint.add(cell, first.weights)
        for a, b in list(self.equal):
            if not np.array_equal(scores_of(batches[a]), scores_of(batches[b])):
                self.equal.discard((a, b))
        self._add_losses(batches)

    def _add_losses(self, batches: list[Batch]) -> None:
        """Losses of rows, and what they add to bins, while all scores are probabilities."""
        if self.losses is None or any(s.min() < 0 or s.max() > 1 for s in map(scores_of, batches)):
            self.losses, self.gaps = None, {}
            return
        for measure in _of_losses(batches[0]):
            each = [measure.metric.view.losses(measure, batch) for batch in batches]
            known = [losses for losses in each if losses is not None]
            if len(known) == len(batches):
                self.losses.setdefault(measure.name, LossDifferences()).add(known, batches[0].weights)
        for gaps in self.gaps.values():
            gaps.add(batches)


def influence_differences(
    found: list[list[ScoreSketch]], placed: list[PlacedRows], totals: list[Totals], count: Callable[[int], None]
) -> list[tuple[Sums, Sums]]:
    """By slice, how the influences of rows on ROC AUC and on average precision differ, by pair of models.

    With weights, what each row adds to the difference of the two areas, or of the two average precisions. found: by
    model and slice.
    """
    pairs = list(combinations(range(len(found)), 2))
    differing = [{pair: (Differing(), Differing()) for pair in pairs} for _ in totals]
    shifts = [[_shifts(sketch, of.sums) for sketch, of in zip(own, totals, strict=True)] for own in found]
    for met in (Differing.look, Differing.add):
        for models in together(placed, count):
            for code, rows in _by_code(models[0].codes, len(totals)):
                of_rows = [model.influences for model in models]
                positive, weights = models[0].positive[rows], models[0].weights
                sums = [of_class or 1.0 for of_class in totals[code].sums]
                share: Any = 1.0 if weights is None else weights[rows] / np.where(positive, *sums)
                of_positives: Any = 1.0 if weights is None else weights[rows] / sums[0]
                for (a, b), (of_area, of_precision) in differing[code].items():
                    area, precision = (x - y for x, y in zip(shifts[a][code], shifts[b][code], strict=True))
                    apart = of_rows[a].area[rows] - of_rows[b].area[rows]
                    met(of_area, share * (apart - area), positive)
                    apart = of_rows[a].precision[rows] - of_rows[b].precision[rows]
                    met(of_precision, of_positives * (apart - precision * positive), positive)
    return [
        ({pair: areas.sums() for pair, (areas, _) in own.items()}, {pair: ap.sums() for pair, (_, ap) in own.items()})
        for own in differing
    ]


def _by_code(codes: Array, count: int) -> Iterator[tuple[int, Any]]:
    """The slices that occur among some rows, and which rows they are."""
    if count == 1:
        yield 0, slice(None)
        return
    order = np.argsort(codes, kind="stable")
    ends = np.searchsorted(codes[order], np.arange(count + 1))
    yield from ((code, order[ends[code] : ends[code + 1]]) for code in np.unique(codes).tolist())


def scores_of(batch: Batch) -> Array:
    """The scores of a batch, which has some."""
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
