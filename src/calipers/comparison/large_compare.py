"""Score columns of a file that does not fit into memory, compared on the same rows.

The rows are read once: each model's scores go to buckets of their own, with the number of the row, and what can be
counted is counted. Then each model is walked, and the influences of the rows meet again (`placed_rows`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from calipers.comparison.difference_sums import RowDifferences
from calipers.comparison.large_gaps import can_be_summed
from calipers.comparison.large_tallies import Tally, influence_differences, scores_of
from calipers.comparison.same_rows import on_common_rows
from calipers.data.batch import Batch
from calipers.data.schema import Schema
from calipers.errors import InputError
from calipers.evaluation.bucket_walk import BucketWalk, Totals
from calipers.evaluation.file_chunks import FileChunks, NotThisWay
from calipers.evaluation.large_pass import CELLS, MOST_SLICES, PER_CELL, SCORES, of_positive
from calipers.evaluation.large_slices import Slices
from calipers.evaluation.of_batch import listed_in
from calipers.evaluation.placed_rows import PlacedRows
from calipers.evaluation.score_buckets import ScoreBuckets
from calipers.evaluation.score_column import ScoreColumn
from calipers.files.table import Columns
from calipers.metrics.base import CATALOGUE
from calipers.remarks import Remark
from calipers.statistics.combine import Evidence

MOST_MODELS = 10  # each doubles the joint table


@dataclass
class ComparePass(FileChunks):
    """The rows of a file on their way into sums of how models differ; schemas: by score column, the baseline first.

    primary: the name of the metric that decides.
    """

    schemas: Mapping[str, Schema]
    primary: str | None = None

    def run(self) -> None:
        """Read all rows."""
        super().run()
        if not self.kept:
            raise InputError("comparison.nothing_left" if self.dropped else "data.all_weights_zero")
        if any(self.only_labels):
            raise NotThisWay(Remark("comparison.large_labels"))

    def begin(self) -> None:
        """Forget what was taken."""
        self.close()
        self.columns: list[ScoreColumn] = []
        self.kept = 0
        self.slices = {name: Slices() for name in self.rows.slices}
        self.tallies = [[self._tally()], *([] for _ in self.slices)]  # of all rows, then of slices by column
        self.only_labels = [True] * len(self.schemas)

    def _tally(self) -> Tally:
        schema = next(iter(self.schemas.values()))
        own = [] if self.primary is None else [CATALOGUE[self.primary]]
        compared = dict.fromkeys([*own, *listed_in(self.settings, schema)])
        return Tally(len(self.schemas), [measure for measure in compared if can_be_summed(measure)])

    def close(self) -> None:
        """Remove what is on disk."""
        for column in getattr(self, "columns", ()):
            column.buckets.close()

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
        first, models = batches[0], len(batches)
        if not self.columns:
            self._open(first)
        codes = [of.add(first, name, {}, MOST_SLICES // models) for name, of in self.slices.items()]
        for at, (batch, column) in enumerate(zip(batches, self.columns, strict=True)):
            column.add(batch, codes, self.kept)
            known = {0.0, 1.0, *(float(v) for v in first.labels if not isinstance(v, str))}
            self.only_labels[at] = self.only_labels[at] and bool(np.isin(scores_of(batch), list(known)).all())
        self.tallies[0][0].add(batches)
        for tallies, (name, of) in zip(self.tallies[1:], self.slices.items(), strict=True):
            tallies += [self._tally() for _ in range(len(of.codes) - len(tallies))]
            for parts in zip(*(batch.parts(name) for batch in batches), strict=True):
                tallies[of.codes[parts[0][0]]].add([part for _, part in parts])
        self.kept += len(first)

    def _open(self, first: Batch) -> None:
        self.positive = first.positive
        memory, rows = self.memory // len(self.schemas), max(self.table.expected(), len(first))
        kinds = {"numbered": True, "weighted": first.weights is not None}
        for _ in self.schemas:
            buckets = ScoreBuckets(self.folder, memory, rows, len(self.slices), **kinds)
            self.columns.append(ScoreColumn(of_positive, buckets, len(self.slices), numbered=True))

    def walked(self) -> list[list[Compared]]:
        """What was found of all rows, then of the slices of each column."""
        models = len(self.columns)
        count = self.counter("sorted rows", models * self.kept)
        with ExitStack() as stack:
            placed = [column.places(self.folder, self.memory, self.kept, models, stack) for column in self.columns]
            for column, own, schema in zip(self.columns, placed, self.schemas.values(), strict=True):
                for rows in column.walked(partial(self._walk_of, schema.threshold), own):
                    count(rows)
            count = self.counter("joined rows", 2 * self.kept * len(self.tallies))
            return [self._compared(at, [own[at] for own in placed], count) for at in range(len(self.tallies))]

    def _walk_of(
        self, threshold: Any, totals: Totals, dtype: np.dtype[Any], slices: Sequence[BucketWalk]
    ) -> BucketWalk:
        least, most = CELLS
        count = len(self.columns) * sum(map(len, self.tallies))
        budget = min(max(self.memory // PER_CELL // count, least), most)
        return BucketWalk(totals, dtype, (threshold,) if isinstance(threshold, float) else (), budget, slices)

    def _compared(self, at: int, placed: list[PlacedRows], count: Callable[[int], None]) -> list[Compared]:
        """What was found of all rows, or of each slice of a column."""
        sketches, totals = [column.sketches[at] for column in self.columns], self.columns[0].totals[at]
        differences = influence_differences(sketches, placed, totals, count)
        bits = np.arange(2 ** (1 + len(sketches)))
        assert self.positive is not None
        codes = np.array([1 - self.positive, self.positive], np.uint8)
        truth, *predicted = (codes[bits >> bit & 1] for bit in range(1 + len(sketches)))
        found = []
        for code, tally in enumerate(self.tallies[at]):
            areas, precisions = differences[code]
            of_rows = RowDifferences(
                totals[code].rows, truth, predicted, tally.joint, areas, precisions, tally.losses or {},
                tally.gaps, tally.equal,
            )
            found.append(Compared([Evidence({SCORES: of_model[code]}) for of_model in sketches], of_rows))
        return found


class Compared(NamedTuple):
    """The statistics of each model on the same rows, and how the models differ there."""

    evidence: list[Evidence]
    differences: RowDifferences


def _common(batches: dict[str, Batch]) -> dict[str, Batch]:
    """The rows of a chunk that no model left out; there may be none."""
    try:
        return on_common_rows(batches)
    except InputError as error:
        if error.code != "comparison.nothing_left":
            raise
        return {}
