"""`calibrate`: a map that recalibrates probabilities, and what it changes on rows that it was not fitted on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from calipers.arguments import named_arguments
from calipers.cached import lazy
from calipers.choices import CalibrationChart, CalibrationMethod, Missing
from calipers.comparison.judging import Judging
from calipers.comparison.paired_bootstrap import Model
from calipers.comparison.paired_tests import Pairing
from calipers.data import containers
from calipers.data.batch import Batch
from calipers.data.matrices import scanned
from calipers.data.reading import read
from calipers.decisions.maps import METHODS, ProbabilityMap
from calipers.errors import InputError, UnknownName, nearest, not_a_number
from calipers.evaluation.curve import Curve
from calipers.evaluation.of_batch import of_batch
from calipers.findings import Finding, look_at_validation
from calipers.metrics.base import CATALOGUE
from calipers.result import Result
from calipers.settings import Label, Settings

Array = npt.NDArray[Any]
FOLDS = 10
BEFORE, AFTER = "as given", "calibrated"
METRICS = ("log_loss", "brier", "ece")


@dataclass(frozen=True)
class Change:
    """A metric of the probabilities before and after, and its paired difference (after minus before)."""

    metric: str
    before: float
    after: float
    difference: float
    low: float
    high: float
    pvalue: float
    method: str


@dataclass(frozen=True, eq=False, repr=False)
class Calibration(Result[CalibrationChart], Mapping[str, Change]):
    """The result of `calibrate`: a map (`apply`, `save`), and its effect on metrics of rows that it was not fitted on.

    map: the map, fitted on all rows. changes: the change of each metric, cross-fitted and paired. curves: the
    calibration curves "before" and "after"; the latter is cross-fitted. positive: the class that the probabilities are
    for; None for several classes.
    """

    kind: ClassVar[str] = "calibration"

    map: ProbabilityMap
    changes: Mapping[str, Change]
    curves: Mapping[str, Curve]
    rows: int
    level: float
    seed: int
    positive: Label | None = None
    notes: tuple[str, ...] = ()

    @property
    def method(self) -> str:
        """The method: "isotonic", "platt", "beta", "temperature" or "shift"."""
        return self.map.method

    def apply(self, p: Any) -> Array:
        """The recalibrated probabilities: one per row, or an array with a column per class.

        >>> import calipers as cal
        >>> cal.calibrate([0, 1] * 20, [0.2, 0.6] * 20, method="shift").apply([0.5]).round(2).tolist()
        [0.62]
        """
        values = containers.numbers(p, "p").astype(np.float64)
        several = self.positive is None
        right = values.ndim == 2 if several else values.ndim == 1 or (values.ndim == 2 and values.shape[1] == 2)
        if not right:
            raise InputError("decisions.shape", shape=values.shape)
        if np.isnan(values).any() or values.min(initial=0.0) < 0 or values.max(initial=1.0) > 1:
            raise InputError("decisions.not_probabilities", low=float(np.min(values)), high=float(np.max(values)))
        if several or values.ndim == 1:
            return self.map.apply(values)
        mapped = self.map.apply(values[:, 1])
        return np.stack((1 - mapped, mapped), 1)

    @lazy
    def findings(self) -> tuple[Finding, ...]:
        """Whether the recalibration is worth it."""
        return look_at_validation(self, self.kind)

    def __getitem__(self, name: str) -> Change:
        measure = CATALOGUE[str(name)].name
        if measure not in self.changes:
            raise UnknownName("decisions.unknown_change", name=name, near=nearest(measure, self.changes))
        return self.changes[measure]

    def __iter__(self) -> Any:
        return iter(self.changes)

    def __len__(self) -> int:
        return len(self.changes)


@named_arguments
def calibrate(
    y_true: Any,
    p: Any,
    *,
    method: CalibrationMethod = "platt",
    positive: Label | None = None,
    labels: Any = None,
    weights: Any = None,
    groups: Any = None,
    level: float = 0.95,
    missing: Missing = "error",
    seed: int = 0,
) -> Calibration:
    """Fit a map that recalibrates probabilities, and measure its effect on rows that it was not fitted on.

    - y_true, p: true labels, and probabilities of the positive class, or a column per class (method="temperature").
    - method: "platt" (a line of the log odds), "isotonic" (a rising step function, for many rows), "beta" (three
      parameters), "temperature" (one factor for the log odds) or "shift" (a shift of the log odds, if only the
      prevalence has changed).
    - groups: the group of each row if rows are not independent; groups stay together when the rows are split.
    - positive, labels, weights, level, missing: as in `evaluate`. seed: the seed of the random split and of resamples.

    Use data that the model was not trained on (guide "Calibration").

    >>> y, p = [0, 1, 1, 0, 1] * 20, [0.05, 0.6, 0.95, 0.4, 0.3] * 20
    >>> calibrate(y, p, method="temperature").map
    Temperature(temperature=...)
    """
    if method not in METHODS:
        raise UnknownName("decisions.unknown_method", method=method, near=nearest(str(method), METHODS))
    settings = Settings(positive=positive, labels=labels, level=level, missing=missing, seed=seed, metrics=METRICS)
    batch = read(settings, y_true, None, p, weights, None, groups)
    _demand_probabilities(batch, method)
    fit, truth = METHODS[method].fit, _outcome(batch)
    score, own = np.asarray(batch.score, np.float64), np.ones(len(batch)) if batch.weights is None else batch.weights
    fitted = fit(truth, score, own)
    after = np.empty_like(score)
    parts = folds(batch, seed)
    for part in np.unique(parts):
        mine, others = parts == part, parts != part
        if len(np.unique(truth[others])) < len(np.unique(truth)):
            raise InputError("decisions.too_few_rows", folds=FOLDS)
        after[mine] = fit(truth[others], score[others], own[others]).apply(score[mine])
    calibrated = replace(batch, score=after)
    if batch.facts.top_class:
        calibrated = scanned(settings, replace(calibrated, scan=None, pred=None))
    models = {BEFORE: _model(settings, batch), AFTER: _model(settings, calibrated)}
    curves = {name: _curve(model) for name, model in zip(("before", "after"), models.values(), strict=True)}
    pairing = Pairing(models, batch.group_codes, seed)
    changes = {name: _change(pairing, name, level) for name in METRICS}
    positive = None if batch.facts.top_class else batch.schema.positive
    return Calibration(fitted, changes, curves, len(batch), settings.level, seed, positive, batch.notes)


def _demand_probabilities(batch: Batch, method: str) -> None:
    if batch.score is None or not (batch.facts.one_score or batch.facts.top_class):
        raise InputError("decisions.needs_classes", task=batch.task)
    if batch.facts.top_class and method != "temperature":
        raise InputError("decisions.several_classes", method=method)
    refuse_missing(batch)
    low, high = float(batch.score.min()), float(batch.score.max())
    if batch.why_not_probabilities or low < 0 or high > 1:
        raise InputError("decisions.not_probabilities", low=low, high=high)
    if len(np.unique(batch.truth)) < 2:
        raise InputError("decisions.one_class")


def refuse_missing(batch: Batch) -> None:
    """Refuse scores that are NaN, which elsewhere the sorting of the scores finds."""
    assert batch.score is not None
    absent = np.isnan(batch.score).reshape(len(batch), -1).any(1)
    if absent.any():
        raise not_a_number(int(absent.sum()), int(absent.argmax()), batch.names.score)


def _outcome(batch: Batch) -> Array:
    return batch.truth if batch.facts.top_class else (batch.truth == batch.positive).astype(np.float64)


def folds(batch: Batch, seed: int) -> Array:
    """The part of each row: whole groups together, else the same share of each class in every part."""
    random, out = np.random.default_rng(seed), np.zeros(len(batch), np.intp)
    if batch.group_codes is not None:
        codes = batch.group_codes
        return (random.permutation(int(codes.max()) + 1) % FOLDS)[codes]
    for code in np.unique(batch.truth):
        mask = batch.truth == code
        out[mask] = random.permutation(int(mask.sum())) % FOLDS
    return out


def _model(settings: Settings, batch: Batch) -> Model:
    return Model(batch, of_batch(settings, batch))


def _curve(model: Model) -> Curve:
    return model.evaluation.curve("calibration", band="pointwise")


def _change(pairing: Pairing, name: str, level: float) -> Change:
    d = Judging(None, "none").differences(CATALOGUE[name], pairing, level)[AFTER, BEFORE]
    return Change(name, d.measured[1], d.measured[0], d.difference, d.low, d.high, d.pvalue, d.method)
