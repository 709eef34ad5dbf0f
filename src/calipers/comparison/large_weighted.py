"""Models on the same weighted rows of a file that does not fit into memory: the tests of `Pairing`, from sums."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.comparison.difference_sums import ClassSums, LossDifferences, Pair
from calipers.comparison.large_pairs import ROUNDING, LargePairs, LossSpread, _third
from calipers.inference.contrast import Contrast, skewness_of
from calipers.inference.outcome import Outcome
from calipers.inference.paired_losses import limited
from calipers.metrics.base import Measure
from calipers.metrics.resolve import resolve
from calipers.remarks import Remark
from calipers.statistics.combine import Evidence

Array = npt.NDArray[Any]
STEP = 1e-5  # relative: derivatives are exact to about ten digits


@dataclass(frozen=True, eq=False)
class WeightedLargePairs(LargePairs):
    """The same where rows have weights: every row adds to a difference what its weight says."""

    def overall(self, measure: Measure) -> Outcome | None:
        """None: tests of all models at once are for rows of equal weight."""
        return None

    @property
    def _positive(self) -> Array:
        """Which cells of the joint table have rows of the positive class."""
        return np.asarray(np.arange(len(self.found.counts)) % 2 == 1)

    def _shares(self, gap: float, hits: tuple[Array, ...], pair: Pair) -> Contrast:
        tried, table = hits[0], self.found.table
        weight, squares, cubes, fourths = table.powers * tried
        total = float(weight.sum())

        def apart(of: Pair) -> Array:
            return hits[1 + of[0]].astype(float) - hits[1 + of[1]]

        def square(of: Pair) -> float:
            mean = float(weight @ apart(of)) / total
            return float(squares @ (apart(of) - mean) ** 2) / total**2

        differ = (apart(pair) != 0) & tried
        count = int(table.counts[differ].sum())
        cube = float(cubes @ (apart(pair) - gap) ** 3) / total**3
        decided = ClassSums(
            self.rows, float(squares[differ].sum()), cube, float(fourths[differ].sum()),
            float(table.largest[differ].max(initial=0.0)), count, count,
        )  # fmt: skip
        third = cube / square(pair) ** 1.5 if square(pair) > 0 else 0.0
        method = Remark("comparison.row_differences")
        return self._summed(gap, square, third, decided, table.effective(tried) - 1, method, pair)

    def _counted(self, measure: Measure, gap: float, pair: Pair) -> Contrast:
        """A measure of counts: what a row adds to the difference is its weight times the derivative in its cell.

        Resamples of rows with weights would need the rows.
        """
        table = self.found.table
        weight, squares, cubes, fourths = table.powers

        def apart(of: Pair) -> Array:
            first, second = (self._slopes(measure, model) for model in of)
            return first - second

        def square(of: Pair) -> float:
            return float(squares @ apart(of) ** 2)

        d = apart(pair)
        differ = (table.counts > 0) & (np.abs(d) > ROUNDING * np.abs(d).max(initial=0.0))
        count, largest = int(table.counts[differ].sum()), float(np.abs(table.largest * d).max(initial=0.0))
        sums = ClassSums(self.rows, square(pair), float(cubes @ d**3), float(fourths @ d**4), largest, count, count)
        df = table.effective(weight > 0) - 1
        return self._summed(gap, square, _third(sums), sums, df, Remark("comparison.influence"), pair)

    def _slopes(self, measure: Measure, model: int) -> Array:
        """By how much a measure of a model rises with the weight of each cell of the joint table that has rows."""
        ev = list(self.models.values())[model]
        views, table = ev.views, ev.views.confusion
        slopes = np.zeros(table.cells.shape)
        for cell in map(tuple, np.argwhere(table.cells > 0)):
            ends = []
            for step in (STEP, -STEP):
                moved = np.array(table.cells)
                moved[cell] *= 1 + step
                evidence = Evidence.holding(replace(table, cells=moved))
                ends.append(resolve(measure, replace(views, evidence=evidence)).point)
            slopes[cell] = (ends[0] - ends[1]) / (2 * STEP * table.cells[cell])
        return np.asarray(slopes[self.found.truth, self.found.codes[model]])

    def _areas(self, gap: float, slope: float, pair: Pair) -> Contrast:
        if min(self.found.rows) < 2:
            return Contrast(gap, np.nan, np.nan, "", Remark("inference.one_of_a_class"))
        sums, sign = self._sums(self.found.areas, pair)

        def square(of: Pair) -> float:
            return float(slope**2 * self._sums(self.found.areas, of)[0].together.square)

        third, table = sign * float(np.sign(slope)) * _third(sums.together), self.found.table
        df = min(table.effective(self._positive), table.effective(~self._positive)) - 1
        return self._summed(gap, square, third, sums.together, df, Remark("inference.delong_t"), pair)

    def _precisions(self, gap: float, pair: Pair) -> Contrast:
        sums, sign = self._sums(self.found.precisions, pair)

        def square(of: Pair) -> float:
            return self._sums(self.found.precisions, of)[0].together.square

        df, third = (self.found.table.effective(self._positive) - 1) / 2, sign * _third(sums.together)
        method = Remark("comparison.influence")
        return self._summed(gap, square, third, sums.together, df, method, pair, centred=False)

    def _summed(
        self,
        gap: float,
        square: Callable[[Pair], float],
        third: float,
        apart: ClassSums,
        df: float,
        method: str,
        pair: Pair,
        *,
        centred: bool = True,
    ) -> Contrast:
        """As `Pairing._summed` of all rows. third: the third moment without its unit. apart: how much models differ."""
        if not df > 0:
            return Contrast(gap, np.nan, np.nan, "", Remark("inference.too_few"))
        lift = self.rows / (self.rows - 1) if centred else 1.0
        error = float(np.sqrt(square(pair) * lift)) if apart.largest > 0 else 0.0
        skew = skewness_of(third, apart.nonzero)
        rows = self._rows(square, pair)
        return Contrast(gap, error, limited(df, apart.effective), method, skew=skew, rows=rows, count=self.rows)

    def _loss_spread(self, found: LossDifferences, key: Pair) -> LossSpread:
        m, n = found.moments[key], self.rows
        effective = self.found.table.effective(np.ones(len(self.found.counts), bool))
        third = found.cubes[key].deviations(m.mean) / m.q2**1.5 if m.q2 > 0 else 0.0
        return LossSpread(effective, m.q2, m.q2 / m.weight**2 * n / (n - 1.0), third)
