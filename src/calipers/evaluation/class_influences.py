"""What the rows of a large file add to averages over classes: their influences in all score columns, summed by row."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.evaluation.bucket_walk import Totals
from calipers.evaluation.placed_rows import Placed
from calipers.statistics.class_sketches import AVERAGES
from calipers.statistics.classes import class_shares
from calipers.statistics.sketch import ScoreSketch

Array = npt.NDArray[Any]


class InfluenceSums:
    """Sums over the rows of each slice, for the macro and the weighted average of ROC AUC and of average precision.

    sketches, totals: those of each class, by slice; or those of all classes in one column, for the micro average.
    """

    def __init__(self, sketches: list[list[ScoreSketch]], totals: list[list[Totals]]) -> None:
        numbers = [[each.walked.numbers for each in of if each.walked is not None] for of in sketches]
        pos, neg = np.array([[each.sums for each in of] for of in totals]).transpose(2, 0, 1)
        defined = (pos > 0) & (neg > 0)
        self._area = np.array([[each.pairs2 for each in of] for of in numbers]) / np.where(defined, 2 * pos * neg, 1.0)
        self._precision = np.array([[each.ap for each in of] for of in numbers])
        self._of_pos, self._of_neg = (defined / np.where(defined, rows, 1.0) for rows in (pos, neg))
        both = list(zip(defined.T, pos.T, strict=True))
        own = AVERAGES[:2] if len(sketches) > 1 else AVERAGES[2:]  # one column: all classes in one
        self._shares = np.array([np.transpose([class_shares(average, *of) for of in both]) for average in own])

    def of(self, ranges: Iterable[list[Placed]], per_row: int = 1) -> list[dict[str, Array]]:
        """By slice and measure, for each average: the sums of the second and of the fourth powers.

        per_row: how many entries of a column each row has, one after the other.
        """
        averages, classes, count = self._shares.shape
        sums = {measure: np.zeros((count, averages, 2)) for measure in ("auc", "ap")}
        for columns in ranges:
            every, all_weights = columns[0].codes, columns[0].weights
            codes, weights = every[::per_row], None if all_weights is None else all_weights[::per_row]
            for measure, to in sums.items():
                added = np.zeros((averages, len(every)))
                for k in range(classes):
                    added += self._shares[:, k, every] * self._each(measure, k, columns[k])
                added = added.reshape(averages, -1, per_row).sum(2)
                squares = added**2 if weights is None else (weights * added) ** 2
                for at, square in enumerate(squares):
                    to[:, at] += np.stack([np.bincount(codes, each, count) for each in (square, square**2)], 1)
        return [{measure: each[code] for measure, each in sums.items()} for code in range(count)]

    def _each(self, measure: str, k: int, rows: Placed) -> Array:
        """What each row adds to the measure of class k."""
        codes, of = rows.codes, rows.influences
        own = self._of_pos[k][codes]
        if measure == "ap":
            return np.asarray((of.precision - self._precision[k][codes] * rows.positive) * own)
        return np.asarray((of.area - self._area[k][codes]) * np.where(rows.positive, own, self._of_neg[k][codes]))
