"""Paired resamples of a measure: both models on the same rows each time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.cached import lazy
from calipers.data.batch import Batch
from calipers.evaluation.evaluation import Evaluation
from calipers.inference.contrast import Contrast
from calipers.inference.method import DEGENERATE
from calipers.inference.resampled import LOST
from calipers.metrics import plan
from calipers.metrics.base import Measure
from calipers.metrics.resolve import resolve
from calipers.metrics.views import Views
from calipers.progress import with_progress
from calipers.remarks import Remark
from calipers.resampling.tables import MAX_CELLS, Tables, codes_of, over_tables
from calipers.statistics.combine import Evidence
from calipers.statistics.confusion import ConfusionCounts
from calipers.statistics.scores import ScoreSamples

Array = npt.NDArray[Any]
ROUNDING = 1e-12  # a spread below this share of the difference is rounding
# The spread of 200 resamples is known to 5 %, that of 2000 to 1.6 %.
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
class Replicates:
    """What is resampled, and from which seed; the same seed draws the same rows for every measure and pair.

    company: all models that are compared, so that every pair of them has the same draws.
    """

    measure: Measure
    models: tuple[Model, Model]
    company: tuple[Model, ...]
    weights: Array | None
    groups: Array | None
    seed: int

    @property
    def df(self) -> float:
        """Degrees of freedom of the spread: the fewest of rows of a class, rows that tell the models apart, groups.

        With normal quantiles tests of F1, MCC and balanced accuracy reject 6 to 7 % of true nulls when a class has few
        rows, and far more when the models agree on all but a few (`make coverage AREA=compare`).
        """
        batch = self.models[0].batch
        apart = np.ones(len(batch), bool)
        if self.measure.metric.from_labels and all(m.codes is not None for m in self.models):
            apart = np.asarray(self.models[0].codes != self.models[1].codes)
        elif batch.score is not None:
            different = batch.score != self.models[1].batch.score
            apart = different.any(1) if different.ndim == 2 else different
        least = float(apart.sum())
        if batch.task == "binary":
            least = min(least, float(np.bincount(batch.truth, minlength=2).min()))
        if self.groups is not None:
            least = min(least, float(len(np.unique(self.groups[apart]))))
        return max(1.0, least - 1)

    def contrast(self, gap: float) -> Contrast:
        """The difference of the two models, with the error that the resamples show."""
        differences = self.differences()
        known = differences[np.isfinite(differences)]
        if len(known) < (1 - LOST) * len(differences):
            return Contrast(gap, np.nan, np.nan, "", Remark("inference.undefined_resamples"))
        left = len(differences) - len(known)
        note: str = Remark("comparison.resamples_left_out", count=left) if left else ""
        method = Remark("comparison.bootstrap", count=len(differences))
        method = method if self.groups is None else Remark("inference.grouped", method=method)
        error = float(known.std(ddof=1))
        if gap and not error > ROUNDING * abs(gap):  # the same in every resample: as certain as that many rows can be
            error, note = abs(gap) / np.sqrt(self.df + 1), DEGENERATE
        return Contrast(gap, error, self.df, method, note, rows=np.where(np.isfinite(differences), differences, gap))

    def differences(self) -> Array:
        """The difference in each resample; NaN where the measure is undefined there."""
        if self.measure.metric.from_labels and all(m.codes is not None for m in self.models):
            parts = []
            for block in _blocks(self._tables(), MAX_CELLS // len(self.models[0].batch.labels) ** 2):
                first, second = (np.array(cells) for cells in zip(*block, strict=True))
                a, b = (m.views for m in self.models)
                parts.append(over_tables(self.measure, a, Tables(first)) - over_tables(self.measure, b, Tables(second)))
            return np.concatenate(parts)
        pairs = self._samples() if self.models[0].batch.task == "binary" else self._batches()
        return np.array([resolve(self.measure, a).point - resolve(self.measure, b).point for a, b in pairs])

    def _count(self, numbers: int) -> int:
        return int(np.clip(NUMBERS // max(numbers, 1), FEWEST, MOST))

    def _resample_weights(self, count: int) -> Iterator[Array]:
        """Weights of the rows in each resample: how often a row, or its group, was drawn, times its own weight."""
        rng = np.random.default_rng(self.seed)
        rows = len(self.models[0].batch)
        units = rows if self.groups is None else int(self.groups.max()) + 1
        for _ in with_progress(range(count), count):
            times = np.bincount(rng.integers(0, units, units), minlength=units)
            times = times if self.groups is None else times[self.groups]
            yield times if self.weights is None else times * self.weights

    def _tables(self) -> Iterator[list[Array]]:
        """Confusion matrices of both models from draws over the cells (truth, prediction of every model)."""
        truth, k = self.models[0].batch.truth.astype(np.int64), len(self.models[0].batch.labels)
        at, where = np.arange(len(truth)), truth
        for codes in (model.codes for model in self.company):
            assert codes is not None
            _, at, where = np.unique(where * k + codes, return_index=True, return_inverse=True)
        ends = [truth[at] * k + codes[at] for model in self.models if (codes := model.codes) is not None]
        for table in self._joint(where, len(at), k * k):
            yield [np.bincount(end, table, k * k).reshape(k, k) for end in ends]

    def _joint(self, where: Array, cells: int, size: int) -> Iterator[Array]:
        """Counts of the joint cells: multinomial where rows are independent and count alike, else by rows."""
        if self.weights is not None or self.groups is not None:
            count = self._count(max(len(where), size))
            yield from (np.bincount(where, w, cells) for w in self._resample_weights(count))
            return
        rng, shares = np.random.default_rng(self.seed), np.bincount(where) / len(where)
        yield from (rng.multinomial(len(where), shares) for _ in range(self._count(size)))

    def _samples(self) -> Iterator[tuple[Views, Views]]:
        """Sorted once; each resample is weights over that order."""
        rows = len(self.models[0].batch)
        orders = []
        for model in self.models:
            score, pos = model.batch.score, model.is_positive()
            assert score is not None
            each = [np.flatnonzero(part)[np.argsort(score[part], kind="stable")] for part in (pos, ~pos)]
            orders.append([(rows_, score[rows_]) for rows_ in each])
        for weights in self._resample_weights(self._count(rows)):
            weights = weights.astype(np.float64)
            both = []
            for model, parts in zip(self.models, orders, strict=True):
                (pos, wp), (neg, wn) = (_present(scores, weights[at]) for at, scores in parts)
                both.append(_views_of(model, ScoreSamples(pos, neg, wp, wn)))
            yield both[0], both[1]

    def _batches(self) -> Iterator[tuple[Views, Views]]:
        """The batches themselves with other weights, for rows of several scores or labels."""
        batch = self.models[0].batch
        numbers = batch.score.size if batch.score is not None else batch.truth.size
        recipes = [plan.recipes((self.measure,), model.batch) for model in self.models]
        for weights in self._resample_weights(self._count(numbers)):
            rows = np.flatnonzero(weights)
            both = []
            for model, recipe in zip(self.models, recipes, strict=True):
                part = replace(model.batch.take(rows), weights=weights[rows].astype(np.float64))
                both.append(replace(model.views, evidence=Evidence.of(part, recipe)))
            yield both[0], both[1]


def _blocks(tables: Iterator[list[Array]], size: int) -> Iterator[list[list[Array]]]:
    while block := list(islice(tables, max(1, size))):
        yield block


def _views_of(model: Model, part: ConfusionCounts | ScoreSamples) -> Views:
    return replace(model.views, evidence=Evidence({type(part).__name__: part}))


def _present(scores: Array, weights: Array) -> tuple[Array, Array]:
    present = weights > 0
    return scores[present], weights[present]
