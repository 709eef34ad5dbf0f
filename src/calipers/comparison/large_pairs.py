"""Models on the same rows of a file that does not fit into memory: the tests of `Pairing`, from sums over rows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from calipers.cached import lazy
from calipers.comparison.difference_sums import ClassSums, DifferenceSums, LossDifferences, Pair, RowDifferences
from calipers.comparison.named_tests import NamedTests
from calipers.comparison.paired_bootstrap import Model, PairedBootstrap, of_resamples
from calipers.comparison.row_hits import hits_of
from calipers.data.batch import Batch
from calipers.evaluation.evaluation import Evaluation
from calipers.evaluation.of_batch import of_evidence
from calipers.inference import area, paired
from calipers.inference.contrast import Contrast, Discordant, deciding_of, skewness_of
from calipers.inference.delong import delong_many
from calipers.inference.method import TOO_FEW
from calipers.inference.outcome import Outcome
from calipers.inference.paired_losses import MANY, dearer, limited, with_unseen
from calipers.metrics.base import Measure
from calipers.metrics.resolve import resolve
from calipers.metrics.values import Answer, Area, Mean, PrecisionArea, Proportion, few_decide
from calipers.remarks import Remark
from calipers.statistics.combine import Evidence

Array = npt.NDArray[Any]


class LossSpread(NamedTuple):
    """How the differences of two models in a loss vary.

    effective: the effective number of rows. square: the sum of squares. variance: that of the mean. third: the third
    moment without its unit.
    """

    effective: float
    square: float
    variance: float
    third: float


@dataclass(frozen=True, eq=False)
class LargePairs(NamedTests):
    """Models on the same rows, known by their evaluations and by sums of how they differ in each row."""

    models: Mapping[str, Evaluation]
    found: RowDifferences
    seed: int
    methods: Mapping[str, str] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """How many rows all models were measured on."""
        return sum(self.found.rows)

    @property
    def evaluations(self) -> Mapping[str, Evaluation]:
        """The evaluation of each model."""
        return self.models

    def value(self, measure: Measure, model: str) -> float:
        """The measure of one model."""
        return float(self.models[model][measure.name])

    def _default(self, measure: Measure, first: str, second: str) -> Contrast:
        values = [resolve(measure, self.models[name].views) for name in (first, second)]
        if any(v.point != v.point for v in values):
            why = next(v.reason for v in values if v.point != v.point)
            return Contrast(np.nan, np.nan, np.nan, "", why or measure.metric.undefined)
        if not all(np.isfinite(v.point) for v in values):
            return Contrast(np.nan, np.nan, np.nan, "", Remark("comparison.infinite"))
        gap, kind = values[0].point - values[1].point, type(values[0].value)
        names = list(self.models)
        pair = names.index(first), names.index(second)
        hits = self._hits(measure) if kind is Proportion else None
        if hits is not None:
            return self._shares(gap, hits, pair)
        if isinstance(values[0].value, Area):
            return self._areas(gap, values[0].value.slope, pair)
        if kind is PrecisionArea:
            return self._precisions(gap, pair)
        if kind is Mean and measure.name in self.found.losses and getattr(values[0].value, "through", None) is None:
            return self._means(measure, values, pair)
        if measure.name in self.found.gaps and self.rows >= NORMAL:
            return self._calibration(measure, gap, pair)
        if measure.metric.from_labels and self._bootstrap.can_draw(measure):
            return self._counted(measure, gap, pair)
        return Contrast(gap, np.nan, np.nan, "", Remark("comparison.rows_not_kept"))

    def overall(self, measure: Measure) -> Outcome | None:
        """Whether all models are equal: Cochran's Q for shares of the same rows, DeLong's test for areas."""
        values = [resolve(measure, ev.views) for ev in self.models.values()]
        if len(values) < 3 or any(v.point != v.point for v in values):
            return None
        if isinstance(values[0].value, Proportion):
            hits = self._hits(measure)
            if hits is None:
                return None
            return paired.cochran_q(np.stack(hits[1:], 1)[hits[0]], self.found.counts[hits[0]])
        if isinstance(values[0].value, Area):
            if min(self.found.rows) < 2:
                return None
            square = values[0].value.slope ** 2

            def variance(pair: Pair) -> float:
                sums = self.found.areas[pair]
                return sum(square * side.square / (side.rows * (side.rows - 1)) for side in (sums.pos, sums.neg))

            return delong_many(np.array([v.point for v in values]), self._gram(variance))
        return None

    def _hits(self, measure: Measure) -> tuple[Array, ...] | None:
        views = next(iter(self.models.values())).views
        return hits_of(measure, views, self.found.truth, self.found.codes)

    def _shares(self, gap: float, hits: tuple[Array, ...], pair: Pair) -> Contrast:
        tried, counts = hits[0], self.found.counts
        first, second = hits[1 + pair[0]], hits[1 + pair[1]]

        def count(rows: Array) -> int:
            return int(counts[tried & rows].sum())

        both, alone, other = count(first & second), count(first & ~second), count(~first & second)
        total = count(tried)

        def square(of: Pair) -> float:
            apart = hits[1 + of[0]].astype(float) - hits[1 + of[1]]
            mean = float((counts * tried) @ apart) / total
            return float((counts * tried) @ (apart - mean) ** 2)

        rows = self._rows(square, pair)
        return replace(Discordant.of(both, alone, other, total - both - alone - other, rows=rows), count=self.rows)

    def _areas(self, gap: float, slope: float, pair: Pair) -> Contrast:
        positives, negatives = self.found.rows
        fewer = min(positives, negatives)
        if fewer < 2:
            return Contrast(gap, np.nan, np.nan, "", Remark("inference.one_of_a_class"))
        sums, sign = self._sums(self.found.areas, pair)
        squares = slope**2 * sums.pos.square, slope**2 * sums.neg.square
        variance, df = area.delong(*squares, float(positives), float(negatives))
        method = Remark("inference.delong_t")

        def square(of: Pair) -> float:
            each, _ = self._sums(self.found.areas, of)
            return each.pos.square / positives**2 + each.neg.square / negatives**2

        rows = self._rows(square, pair)
        if abs(slope) * sums.together.largest > ROUNDING:
            larger = sums.pos if squares[0] / positives**2 > squares[1] / negatives**2 else sums.neg
            third = (sums.pos.cube / positives**3 + sums.neg.cube / negatives**3) / square(pair) ** 1.5
            skew = skewness_of(sign * np.sign(slope) * third, sums.together.nonzero)
            df = limited(df, larger.effective)
            return Contrast(gap, float(np.sqrt(variance)), df, method, skew=skew, rows=rows, count=self.rows)
        if (min(pair), max(pair)) in self.found.equal:
            return Contrast(gap, 0.0, fewer - 1.0, method, rows=rows, count=self.rows)
        # The models differ in no row (for example, both separate the classes): a width as of `fewer` equal pairs.
        alone = fewer * abs(gap / slope)
        first, second = (alone, 0.0) if gap > 0 else (0.0, alone)
        return Discordant.of(fewer - alone, first, second, 0.0, Remark("comparison.newcombe"))

    def _precisions(self, gap: float, pair: Pair) -> Contrast:
        positives = self.found.rows[0]
        sums, sign = self._sums(self.found.precisions, pair)
        df, all_ = (positives - 1) / 2, sums.together
        if not df > 0:
            return Contrast(gap, np.nan, np.nan, "", Remark("inference.too_few"))
        error = float(np.sqrt(all_.square)) / positives if all_.largest > 0 else 0.0
        skew = skewness_of(sign * _third(all_), all_.nonzero)
        rows = self._rows(lambda of: self._sums(self.found.precisions, of)[0].together.square, pair)
        method = Remark("comparison.influence")
        return Contrast(gap, error, limited(df, all_.effective), method, skew=skew, rows=rows, count=self.rows)

    def _counted(self, measure: Measure, gap: float, pair: Pair) -> Contrast:
        """A measure of counts: drawn again from the joint table."""
        a, b = (self._tables[at] for at in pair)
        return self._bootstrap.contrast(measure, gap, a, b)

    def _calibration(self, measure: Measure, gap: float, pair: Pair) -> Contrast:
        """A calibration error: its sums over bins are drawn again."""
        if measure.name not in self._resampled:
            self._resampled[measure.name] = self.found.gaps[measure.name].resampled(self.seed)
        first, second = (self._resampled[measure.name][at] for at in pair)
        key = min(pair), max(pair)
        differences = np.zeros(len(first)) if key in self.found.equal else first - second
        differing = self.found.losses["brier"].differing[key]  # losses differ where scores do
        return of_resamples(gap, differences, max(1.0, float(min(differing, *self.found.rows)) - 1))

    @lazy
    def _resampled(self) -> dict[str, list[Array]]:
        """Calibration errors of each model in resamples, by metric."""
        return {}

    def _means(self, measure: Measure, values: Sequence[Answer], pair: Pair) -> Contrast:
        """Means of row losses, as `paired_t` of all rows."""
        found, key = self.found.losses[measure.name], (min(pair), max(pair))
        sign = 1.0 if pair == key else -1.0
        m, differing, n = found.moments[key], found.differing[key], self.rows
        if n < 2:
            return Contrast(sign * m.mean, np.nan, np.nan, "", TOO_FEW)
        spread = self._loss_spread(found, key)
        fewest = min(
            spread.effective, float(n), float(min(self.found.rows)), float(differing) if differing < MANY else np.inf
        )
        third = sign * spread.third
        note = next(iter(few_decide(deciding_of(third), float(differing))), "")
        error = float(np.sqrt(spread.variance)) if differing else 0.0
        skew = skewness_of(third, differing)
        rows = self._rows(lambda of: self._loss_spread(found, (min(of), max(of))).square, pair)
        unseen = dearer(*(getattr(v.value, "unseen", None) for v in values)) if differing else None
        contrast = Contrast(
            sign * m.mean, error, max(1.0, fewest - 1), Remark("inference.paired_t"), note, skew, rows, count=n
        )
        return with_unseen(contrast, unseen, spread.effective)

    def _loss_spread(self, found: LossDifferences, key: Pair) -> LossSpread:
        m, n = found.moments[key], self.rows
        return LossSpread(float(n), m.m2, m.m2 / (n * (n - 1.0)), m.m3 / m.m2**1.5 if m.m2 > 0 else 0.0)

    def _sums(self, of: Mapping[Pair, DifferenceSums], pair: Pair) -> tuple[DifferenceSums, float]:
        """The sums of a pair, and the sign of its differences in them."""
        return of[min(pair), max(pair)], 1.0 if pair[0] < pair[1] else -1.0

    def _gram(self, square: Callable[[Pair], float]) -> Array:
        """How the differences from the first model vary together, from the squares of all pairs."""
        count = len(self.models)
        squares = np.zeros((count, count))
        for first in range(count):
            for second in range(first + 1, count):
                squares[first, second] = squares[second, first] = square((first, second))
        return (squares[:1] + squares[:1].T - squares) / 2

    def _rows(self, square: Callable[[Pair], float], pair: Pair) -> Array | None:
        """A few numbers in the place of what each row adds: those of two pairs have the same product."""
        if len(self.models) < 3:
            return None
        values, vectors = np.linalg.eigh(self._gram(square))
        root = vectors * np.sqrt(np.maximum(values, 0.0))
        each = (root[pair[0]] - root[pair[1]]) / np.sqrt(2)
        return np.concatenate((each, -each))  # with a mean of 0

    @lazy
    def _tables(self) -> list[Model]:
        """The joint table, as if each of its cells were a row."""
        models = []
        for ev, codes in zip(self.models.values(), self.found.codes, strict=True):
            batch = Batch(ev.schema, self.found.truth, codes)
            evidence = Evidence.holding(ev.views.confusion)
            models.append(Model(batch, of_evidence(ev.settings, ev.schema, ev.listed, evidence, source=batch)))
        return models

    @lazy
    def _bootstrap(self) -> PairedBootstrap:
        return PairedBootstrap(tuple(self._tables), self.seed, self.found.counts)


NORMAL = 200  # rows from which on sums over bins are drawn as normal numbers
ROUNDING = 1e-12  # influences that differ by less are equal


def _third(of: ClassSums) -> float:
    return of.cube / of.square**1.5 if of.square > 0 else 0.0
