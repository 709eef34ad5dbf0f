"""The slices of a large file: what is counted of each, and the rows of those that have few."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

import numpy as np

from calipers import _native
from calipers.data.batch import Array, Batch
from calipers.data.side_columns import slice_values
from calipers.evaluation.file_chunks import NotThisWay
from calipers.evaluation.score_column import SliceCodes
from calipers.metrics.joint import FEW
from calipers.remarks import Remark
from calipers.settings import Label
from calipers.statistics.base import Statistic
from calipers.statistics.combine import Evidence, Recipe
from calipers.statistics.rows import Rows

LEAST_CELLS = 1 << 12  # of a sketch
COLUMNS = ("truth", "predictions")  # of rows
Parts = list[dict[str, Statistic]]  # by slice


class Slices:
    """The slices of a column: their codes in the order in which they came, and what is counted of each.

    room: bytes for the rows of slices with few rows, whose intervals leave out each of them in turn.
    """

    def __init__(self, room: int = 0) -> None:
        self.codes: dict[Label, int] = {}
        self.counted: list[Evidence] = []
        self._few = FewRows(room)

    def add(self, batch: Batch, name: str, recipes: Mapping[str, Recipe], most: int) -> SliceCodes:
        """Count the rows of a chunk; the codes of its rows."""
        own, values = batch.slices[name]
        table: Array = np.array([self.codes.setdefault(value, len(self.codes)) for value in values], np.uint16)
        if len(self.codes) > most:
            raise NotThisWay(Remark("evaluation.large_slices", name=name, most=most))
        self.counted += [Evidence.empty()] * (len(self.codes) - len(self.counted))
        for value, rows in batch.parts(name) if recipes else ():
            at = self.codes[value]
            self.counted[at] = merged(self.counted[at], rows, recipes)
            if rows.facts.of_numbers:
                self._few.add(at, rows)
        return SliceCodes(_native.recode(own, table), len(self.codes))

    @property
    def ordered(self) -> list[tuple[Label, int]]:
        """The values in order, with their codes."""
        return [(value, self.codes[value]) for value in slice_values(self.codes)]

    def evidence(self, parts: Parts) -> dict[Label, Evidence]:
        """The statistics of each slice, values in order; parts: those that walks made."""
        return {
            value: Evidence({**self.counted[at].parts, **parts[at], **self._few.of(at)}) for value, at in self.ordered
        }


class FewRows:
    """The rows of the smallest slices, as many as fit into `room` bytes."""

    def __init__(self, room: int) -> None:
        self._room, self._bytes = room, 0
        self._counts: Counter[int] = Counter()  # rows by slice
        self._kept: dict[int, list[Rows]] = {}  # rows by slice, chunk by chunk

    def add(self, code: int, batch: Batch) -> None:
        """Keep the rows of a slice in a chunk, unless they are too many, or were too many before."""
        if code not in self._counts:
            self._kept[code] = []
        self._counts[code] += len(batch)
        if code not in self._kept:
            return
        if self._counts[code] > FEW:
            self._drop(code)
            return
        self._kept[code].append(Rows.of(batch))
        self._bytes += _bytes(self._kept[code][-1])
        while self._bytes > self._room:
            self._drop(max(self._kept, key=self._counts.__getitem__))

    def of(self, code: int) -> dict[str, Statistic]:
        """The rows of a slice, where they were kept."""
        if code not in self._kept:
            return {}
        parts = self._kept[code]
        truth, predictions = (np.concatenate([getattr(part, name) for part in parts]) for name in COLUMNS)
        weights = [part.weights for part in parts if part.weights is not None]
        rows = Rows(truth, predictions, np.concatenate(weights) if weights else None)
        return {type(rows).__name__: rows}

    def _drop(self, code: int) -> None:
        self._bytes -= sum(map(_bytes, self._kept.pop(code)))


def _bytes(rows: Rows) -> int:
    return rows.truth.nbytes + rows.predictions.nbytes + (0 if rows.weights is None else rows.weights.nbytes)


def merged(before: Evidence, batch: Batch, recipes: Mapping[str, Recipe]) -> Evidence:
    """What was counted, with the rows of a chunk; sizes of errors as cells, for medians."""
    return before.merge(Evidence.of(batch, recipes).summary((), LEAST_CELLS))
