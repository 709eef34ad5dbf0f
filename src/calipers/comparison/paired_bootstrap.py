"""Paired resamples of a measure: the same rows of every model each time, so that differences vary as models do."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.cached import lazy
from calipers.data.batch import Batch
from calipers.evaluation.evaluation import Evaluation
from calipers.inference.contrast import Contrast
from calipers.inference.method import DEGENERATE
from calipers.inference.resampled import LOST
from calipers.metrics.base import Measure
from calipers.metrics.resolve import resolve
from calipers.metrics.tables import codes_of
from calipers.metrics.views import Views
from calipers.remarks import Remark
from calipers.resampling.bootstrap import Bootstrap
from calipers.resampling.row_draws import RowDraws

Array = npt.NDArray[Any]
ROUNDING = 1e-12  # a spread below this share of the difference is rounding
# The spread of 200 resamples is known to 5%, that of 2000 to 1.6%.
FEWEST, MOST, NUMBERS = 200, 2000, 40_000_000


@dataclass(frozen=True, eq=False)
class Model:
    """One model's batch and evaluation."""

    batch: Batch
    evaluation: Evaluation

    @lazy
    def views(self) -> Views:
        """What its formulas look at."""
        return self.evaluation.views

    @lazy
    def codes(self) -> Array | None:
        """Predicted classes as codes; a binary score is cut where its label metrics cut it. None for label sets."""
        return codes_of(self.batch, self.views)

    def is_positive(self) -> Array:
        """Which rows are truly of the positive class."""
        return np.asarray(self.batch.truth == self.batch.positive)


@dataclass(frozen=True, eq=False)
class PairedBootstrap:
    """Resamples of models on the same rows. A seed draws the same rows for every model, measure and pair; without one,
    there are no resamples. times: how many rows each row of the models stands for; then only tables are drawn."""

    models: tuple[Model, ...]
    seed: int | None
    times: Array | None = None
    cache: dict[str, list[Array]] = field(default_factory=dict, repr=False)

    def contrast(self, measure: Measure, gap: float, a: Model, b: Model) -> Contrast:
        """The difference of two of the models, with the error that the resamples show."""
        if self.seed is None:
            return Contrast(gap, np.nan, np.nan, "", Remark("comparison.no_order_of_rows"))
        values = self.values(measure)
        first, second = (values[self.models.index(model)] for model in (a, b))
        with np.errstate(invalid="ignore"):  # the difference of two infinite values
            differences, df = first - second, _df(measure, a, b, self.times)
        return of_resamples(gap, differences, df, grouped=a.batch.group_codes is not None)

    def can_draw(self, measure: Measure) -> bool:
        """Whether a measure can be drawn by the cells of a joint table."""
        every = [measure.metric.view.sums(measure, b.views, None, b.cache) for b in self._bootstraps]
        return all(part is not None and part.is_table for part in every)

    def values(self, measure: Measure) -> list[Array]:
        """The measure of each model in each resample; NaN where it is undefined there."""
        if measure.name not in self.cache:
            self.cache[measure.name] = self._values(measure)
        return self.cache[measure.name]

    @lazy
    def _draws(self) -> RowDraws:
        return RowDraws.of(self._seed, self.models[0].batch)

    @property
    def _seed(self) -> int:
        assert self.seed is not None
        return self.seed

    @lazy
    def _bootstraps(self) -> list[Bootstrap]:
        count = _count(_numbers(self.models[0].batch))
        views = (replace(model.views, source=model.batch) for model in self.models)
        return [Bootstrap(each, self._seed, count, by_row=True) for each in views]

    def _values(self, measure: Measure) -> list[Array]:
        every = [measure.metric.view.sums(measure, b.views, None, b.cache) for b in self._bootstraps]
        parts = [part for part in every if part is not None]
        if self.times is not None:
            draws, cells = RowDraws(self._seed, int(self.times.sum())), max(part.columns[0].cells for part in parts)
            return draws.values_of_cells(parts, _count(cells), self.times)
        if len(parts) < len(every):
            return [b.draws(measure, resolve(measure, b.views).value).values for b in self._bootstraps]
        batch = self.models[0].batch
        if not all(part.is_table for part in parts):
            return self._draws.values(parts, _count(_numbers(batch)))
        rows, cells = len(batch), max(part.columns[0].cells for part in parts)
        if batch.weights is None and batch.group_codes is None and _count(rows) < _count(cells):
            return self._draws.values_of_cells(parts, _count(cells))
        return self._draws.values(parts, _count(max(rows, cells)))


def of_resamples(gap: float, differences: Array, df: float, *, grouped: bool = False) -> Contrast:
    """A difference with the error that its values in resamples show; grouped: whether these draw groups of rows."""
    known = differences[np.isfinite(differences)]
    if len(known) < (1 - LOST) * len(differences):
        return Contrast(gap, np.nan, np.nan, "", Remark("inference.undefined_resamples"))
    left = len(differences) - len(known)
    note: str = Remark("comparison.resamples_left_out", count=left) if left else ""
    method = Remark("comparison.bootstrap", count=len(differences))
    method = Remark("inference.grouped", method=method) if grouped else method
    error = float(known.std(ddof=1))
    # The same in every resample: the error that this number of rows allows.
    if gap and not error > ROUNDING * abs(gap):
        error, note = abs(gap) / np.sqrt(df + 1), DEGENERATE
    return Contrast(gap, error, df, method, note, rows=np.where(np.isfinite(differences), differences, gap))


def _numbers(batch: Batch) -> int:
    """How many numbers a resample looks at."""
    if batch.facts.one_score:
        return len(batch)
    return int(batch.truth.size if batch.score is None else batch.score.size)


def _count(numbers: int) -> int:
    return int(np.clip(NUMBERS // max(numbers, 1), FEWEST, MOST))


def _df(measure: Measure, a: Model, b: Model, times: Array | None = None) -> float:
    """Degrees of freedom of the spread: the minimum of rows of a class, rows on which the models differ, groups.

    With normal quantiles tests of F1, MCC and balanced accuracy reject 6 to 7% of true nulls when a class has few
    rows, and far more when the models agree on all but a few (`make coverage AREA=compare`).
    """
    batch = a.batch
    apart = np.ones(len(batch), bool)
    if measure.metric.from_labels and a.codes is not None and b.codes is not None:
        apart = np.asarray(a.codes != b.codes)
    elif batch.score is not None:
        different = batch.score != b.batch.score
        apart = different.any(1) if different.ndim == 2 else different
    least = float(apart.sum() if times is None else times[apart].sum())
    if batch.facts.has_positive:
        least = min(least, float(np.bincount(batch.truth, times, minlength=2).min()))
    if batch.group_codes is not None:
        least = min(least, float(len(np.unique(batch.group_codes[apart]))))
    return max(1.0, least - 1)
