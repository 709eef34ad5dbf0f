"""Models on the same weighted rows of a file that does not fit into memory: the tests of `Pairing`, from sums."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from calipers.comparison.difference_sums import ClassSums, LossDifferences, Pair
from calipers.comparison.large_pairs import LargePairs, LossSpread, _third
from calipers.inference.contrast import Contrast, skewness_of
from calipers.inference.outcome import Outcome
from calipers.inference.paired_losses import limited
from calipers.metrics.base import Measure
from calipers.remarks import Remark

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class WeightedLargePairs(LargePairs):
    """The same where rows have weights: every row adds to a difference what its weight says."""

    draws_tables: ClassVar[bool] = False  # resamples of weighted rows need the rows

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
