"""Models on the same rows: the variance of the difference of a metric, which depends on the kind of metric.

A share of rows that the truth alone picks out gives McNemar's counts; an area gives DeLong's placements; a mean of
row-wise losses gives row differences; everything else is resampled, both models on the same rows each time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.cached import lazy
from calipers.comparison.named_tests import NamedTests
from calipers.comparison.paired_bootstrap import Model, PairedBootstrap
from calipers.comparison.row_hits import hits_of
from calipers.comparison.together import over_queries, together
from calipers.evaluation.evaluation import Evaluation
from calipers.inference import area, paired
from calipers.inference.contrast import Contrast, Discordant, skewness
from calipers.inference.delong import covariance, delong_many
from calipers.inference.groups import between
from calipers.inference.inner import inner
from calipers.inference.outcome import Outcome
from calipers.inference.paired_losses import dearer, effective, left_out_t, limited_df, paired_t
from calipers.metrics.base import Measure
from calipers.metrics.influence import influence_of_rows
from calipers.metrics.over.numbers import rows_of, view_of
from calipers.metrics.resolve import resolve
from calipers.metrics.scores import influence_on_area, influence_on_precision
from calipers.metrics.values import Answer, Area, Linearised, Mean, PrecisionArea, Proportion, Unseen
from calipers.remarks import Remark

Array = npt.NDArray[Any]


@dataclass(frozen=True, eq=False)
class Pairing(NamedTests):
    """Models read on the same rows, with the groups that these come in."""

    models: Mapping[str, Model]
    groups: Array | None
    seed: int | None  # of resamples; None where the order of the rows is not fixed, so that there are none
    methods: Mapping[str, str] = field(default_factory=dict)  # published tests by metric, or of all that can have it

    @property
    def rows(self) -> int:
        """How many rows all models were measured on."""
        return len(next(iter(self.models.values())).batch)

    @property
    def evaluations(self) -> Mapping[str, Evaluation]:
        """The evaluation of each model."""
        return {name: model.evaluation for name, model in self.models.items()}

    def value(self, measure: Measure, model: str) -> float:
        """The measure of one model."""
        return float(self.models[model].evaluation[measure.name])

    @lazy
    def weights(self) -> Array | None:
        """How much each row counts."""
        return next(iter(self.models.values())).batch.weights

    @property
    def plain(self) -> bool:
        """Whether rows are independent and have equal weights."""
        return self.weights is None and self.groups is None

    def _default(self, measure: Measure, first: str, second: str) -> Contrast:
        a, b = self.models[first], self.models[second]
        values = [resolve(measure, model.views) for model in (a, b)]
        if any(v.point != v.point for v in values):
            why = next(v.reason for v in values if v.point != v.point)
            return Contrast(np.nan, np.nan, np.nan, "", why or measure.metric.undefined)
        if not all(np.isfinite(v.point) for v in values):
            return Contrast(np.nan, np.nan, np.nan, "", Remark("comparison.infinite"))
        gap = values[0].point - values[1].point
        kind = type(values[0].value)
        if measure.metric.view.of_queries:
            return self._queries(measure, *(measure.metric.view.of_each_query(measure, m.views) for m in (a, b)))
        if (whole := together(measure, gap, values, (a, b))) is not None:
            return whole
        hits = self._hits(measure, a, b) if kind is Proportion else None
        if hits is not None:
            return self._shares(gap, *hits)
        if kind is Area:
            return self._areas(gap, values[0].value.slope, a, b)  # type: ignore[union-attr]
        if kind is PrecisionArea:
            return self._precisions(gap, a, b)
        losses = [measure.metric.view.losses(measure, model.batch) for model in (a, b)] if kind is Mean else [None]
        if losses[0] is not None and losses[-1] is not None:
            bounded = not measure.metric.of_numbers
            return self._means(values, losses[0], losses[-1], self._smaller_class, bounded=bounded)
        if measure.metric.of_numbers and a.batch.truth.ndim == 1 and kind in (Mean, Linearised):
            return self._numbers(measure, values, a, b)
        influences = None if self.groups is None else self._influences(measure, values, a, b)
        if influences is not None:
            return self._summed(gap, influences, influences, np.inf, Remark("comparison.influence"))
        return self._bootstrap.contrast(measure, gap, a, b)

    @lazy
    def _bootstrap(self) -> PairedBootstrap:
        return PairedBootstrap(tuple(self.models.values()), self.seed)

    @lazy
    def _smaller_class(self) -> float:
        """How many rows the smaller of two classes has: they decide a mean loss. Infinite without two classes."""
        model = next(iter(self.models.values()))
        two = model.views.facts.has_positive
        return float(np.bincount(model.batch.truth, minlength=2).min()) if two else np.inf

    def overall(self, measure: Measure) -> Outcome | None:
        """Whether all models are equal: Cochran's Q for shares of the same rows, DeLong's test for areas."""
        models = list(self.models.values())
        if not self.plain or len(models) < 3:
            return None
        values = [resolve(measure, model.views) for model in models]
        if measure.metric.view.of_queries or any(v.point != v.point for v in values):
            return None
        if isinstance(values[0].value, Proportion):
            hits = self._hits(measure, *models)
            return None if hits is None else paired.cochran_q(np.stack(hits[1:], 1)[hits[0]])
        if isinstance(values[0].value, Area):
            placed = np.stack([self._placements(model) for model in models])
            pos = models[0].is_positive()
            spread = covariance(placed[:, pos], placed[:, ~pos]) * values[0].value.slope ** 2
            return None if np.isnan(spread).any() else delong_many(np.array([v.point for v in values]), spread)
        return None

    @staticmethod
    def _hits(measure: Measure, *models: Model) -> tuple[Array, ...] | None:
        return hits_of(measure, models[0].views, models[0].batch.truth, [model.codes for model in models])

    def _shares(self, gap: float, tried: Array, first: Array, second: Array) -> Contrast:
        if self.plain:
            both, alone, other = (int((tried & x).sum()) for x in (first & second, first & ~second, ~first & second))
            apart = tried * (first.astype(float) - second - gap)
            return Discordant.of(both, alone, other, int(tried.sum()) - both - alone - other, rows=apart)
        w = tried * (1.0 if self.weights is None else self.weights)
        apart = first.astype(float) - second
        method = Remark("comparison.row_differences")
        return self._summed(gap, w * (apart - gap) / w.sum(), w * apart, effective(w) - 1, method)

    def _placements(self, model: Model) -> Array:
        """Each row's placement as a deviation from the area."""
        pos = model.is_positive()
        assert model.batch.score is not None
        influences = influence_on_area(model.views.samples, model.batch.score, pos)
        s = model.views.samples
        share = np.where(pos, s.positives, s.negatives) / (s.positives + s.negatives)
        return np.asarray(influences * share)

    def _areas(self, gap: float, slope: float, a: Model, b: Model) -> Contrast:
        pos = a.is_positive()
        positives = int(np.count_nonzero(pos))
        negatives = len(pos) - positives
        fewer = min(positives, negatives)
        if fewer < 2:
            return Contrast(gap, np.nan, np.nan, "", Remark("inference.one_of_a_class"))
        influences = slope * (self._placements(a) - self._placements(b))
        if self.plain:
            of_pos, of_neg = influences[pos], influences[~pos]
            sums = inner(of_pos, of_pos), inner(of_neg, of_neg)
            variance, df = area.delong(*sums, float(positives), float(negatives))
            if np.abs(influences).max() > 1e-12:
                # If a few rows account for most of the variance, there are few degrees of freedom.
                df = limited_df(df, of_pos if sums[0] / positives**2 > sums[1] / negatives**2 else of_neg)
                each = influences / np.where(pos, float(positives), float(negatives))
                skew = skewness(each, int(np.count_nonzero(influences)))
                return Contrast(gap, float(np.sqrt(variance)), df, Remark("inference.delong_t"), skew=skew, rows=each)
            if np.array_equal(a.batch.score, b.batch.score):  # type: ignore[arg-type]
                return Contrast(gap, 0.0, fewer - 1.0, Remark("inference.delong_t"), rows=influences)
            # The models differ in no row (for example, both separate the classes): a width as of `fewer` equal pairs.
            alone = fewer * abs(gap / slope)
            first, second = (alone, 0.0) if gap > 0 else (0.0, alone)
            return Discordant.of(fewer - alone, first, second, 0.0, Remark("comparison.newcombe"))
        w = np.ones(len(pos)) if self.weights is None else self.weights
        share = np.where(pos, w[pos].sum(), w[~pos].sum())
        df = min(effective(w[pos]), effective(w[~pos])) - 1
        return self._summed(gap, w * influences / share, w * influences / share, df, Remark("inference.delong_t"))

    def _precisions(self, gap: float, a: Model, b: Model) -> Contrast:
        pos = a.is_positive()
        influences = [influence_on_precision(m.views.samples, m.batch.score, pos) for m in (a, b)]  # type: ignore[arg-type]
        w = np.ones(len(pos)) if self.weights is None else self.weights
        # The degrees of freedom of one average precision: precisions overlap (inference/area.py).
        df = (effective(w[pos]) - 1) / 2
        each = w * (influences[0] - influences[1]) / w.sum()
        return self._summed(gap, each, each, df, Remark("comparison.influence"), centred=False)

    def _means(self, values: Sequence[Answer], first: Array, second: Array, fewer: float, *, bounded: bool) -> Contrast:
        """Means of row losses, or rising maps of them: the test is that of the losses."""
        w = np.ones(len(first)) if self.weights is None else self.weights
        apart = first - second
        through = [getattr(v.value, "through", None) for v in values]
        if through[0] is None:
            unseen = dearer(*(getattr(v.value, "unseen", None) for v in values))
            return self._of_losses(apart, None, w, fewer, unseen, bounded=bounded)
        # sqrt(a) - sqrt(b) is (a - b)/(sqrt(a) + sqrt(b)); each row moves a root by half of its loss over the root.
        roots = [v.point for v in values]
        scale = sum((each / root + root) / 2 for each, root in zip((first, second), roots, strict=True) if root > 0)
        return self._of_losses(apart, scale, w, fewer, bounded=bounded)

    def _numbers(self, measure: Measure, values: Sequence[Answer], a: Model, b: Model) -> Contrast:
        """Measures of predicted numbers that are not means of losses."""
        gap = values[0].point - values[1].point
        rows, view = [rows_of(model.batch) for model in (a, b)], view_of(measure)
        parts = [view.loss_and_scale(measure, each) for each in rows]
        w = np.ones(len(a.batch)) if self.weights is None else self.weights
        if parts[0] is not None and parts[1] is not None:
            (first, scale), (second, _), best = parts[0], parts[1], measure.metric.best_value
            # The value is the best one plus a multiple of the mean loss over the scale, of either model.
            both = zip((v.point - best for v in values), (first, second), strict=True)
            gone, losses = max(both, key=lambda pair: abs(pair[0]))
            factor = gone / float(w @ losses / (w @ scale)) if gone else 1.0
            return self._of_losses(factor * (first - second), scale, w, bounded=False)
        left_out = [getattr(v.value, "left_out", None) for v in values]
        if self.plain and left_out[0] is not None and left_out[1] is not None:
            return left_out_t(gap, left_out[0]() - left_out[1]())
        each = [view.row_influence(measure, r) for r in rows]
        influences = each[0] - each[1]  # type: ignore[operator]
        return self._summed(gap, influences, influences, effective(w) - 1, Remark("comparison.influence"))

    def _queries(self, measure: Measure, first: Array, second: Array) -> Contrast:
        """Differences of each query that both measure; found or not found, McNemar's counts."""
        both = ~np.isnan(first) & ~np.isnan(second)
        if not both.any():
            return Contrast(np.nan, np.nan, np.nan, "", Remark("comparison.no_common_query"))
        first, second = first[both], second[both]
        if (whole := over_queries(measure, first, second)) is not None:
            return whole
        gap = float((first - second).mean())
        if np.isin(np.concatenate((first, second)), (0.0, 1.0)).all():
            return self._shares(gap, np.ones(len(first), bool), first > 0, second > 0)
        return self._of_losses(first - second, None, np.ones(len(first)))

    def _of_losses(
        self,
        apart: Array,
        scale: Any,
        w: Array,
        fewer: float = np.inf,
        unseen: Unseen | None = None,
        *,
        bounded: bool = True,
    ) -> Contrast:
        classes = None if self.groups is None else self._classes
        return paired_t(apart, scale, w, self.groups, fewer, classes, unseen, bounded=bounded)

    def _summed(self, gap: float, each: Array, apart: Array, df: float, method: str, centred: bool = True) -> Contrast:
        """The contrast whose error is that of a sum of these parts, taken together within groups.

        `apart` says by how much the models differ in each row. Influences are not deviations from a mean of theirs
        (`centred`), so nothing was estimated that would cost a degree of freedom.
        """
        if self.groups is not None:
            between_groups, apart = between(each, self._classes, self.groups), np.bincount(self.groups, apart)
            error = float(np.sqrt(between_groups.variance)) if np.abs(apart).max() > 0 else 0.0
            df = min(df, between_groups.df) if error else len(apart) - 1.0
            together = np.bincount(self.groups, each)
            skew = skewness(together, int(np.count_nonzero(apart)))
            method = Remark("inference.grouped", method=method)
            return Contrast(gap, error, limited_df(df, apart), method, skew=skew, rows=together)
        if not df > 0:
            return Contrast(gap, np.nan, np.nan, "", Remark("inference.too_few"))
        square = inner(each, each) * (len(each) / (len(each) - 1) if centred else 1.0)
        error = float(np.sqrt(square)) if np.abs(apart).max() > 0 else 0.0
        skew = skewness(each, int(np.count_nonzero(apart)))
        return Contrast(gap, error, limited_df(df, apart), method, skew=skew, rows=each)

    @property
    def _classes(self) -> Array | None:
        """The class of each row, within which groups are compared; None where rows have no single class."""
        model = next(iter(self.models.values()))
        return model.batch.truth if model.views.facts.one_class else None

    def _influences(self, measure: Measure, values: Sequence[Answer], a: Model, b: Model) -> Array | None:
        """What each row adds to the error of the difference; None if only a bootstrap can estimate it."""
        each = [
            influence_of_rows(measure, replace(model.views, source=model.batch), None, answer.value)
            for model, answer in zip((a, b), values, strict=True)
        ]
        return None if each[0] is None or each[1] is None else each[0]() - each[1]()
