"""`learning_curve` and `validation_curve`: the effect of more training data, and of the value of a parameter."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, get_args

import numpy as np

from calipers.arguments import named_arguments
from calipers.choices import ModelTask, SimplerEnd
from calipers.errors import InputError, UnknownName, nearest
from calipers.inference.estimate import Estimate
from calipers.metrics.base import CATALOGUE
from calipers.remarks import Remark
from calipers.settings import Label
from calipers.validation.experiment import Setting, run_sweep, setting
from calipers.validation.growing_sets import growing_sets, sizes_of
from calipers.validation.models import checked, name_of
from calipers.validation.runner import Failed, Job, seeding
from calipers.validation.selection import one_standard_error
from calipers.validation.sweep import Cell, FailedFit, Sweep

ROWS = "training_rows"
ENDS: tuple[SimplerEnd, ...] = get_args(SimplerEnd)


class LearningCurve(Sweep):
    """The result of `calipers.learning_curve`: each metric as a `Line` over the sizes of the training set."""

    kind: ClassVar[str] = "learning_curve"
    chart: ClassVar[str] = "learning"

    @property
    def sizes(self) -> tuple[int, ...]:
        """The numbers of training rows."""
        return self.places

    def slope(self, metric: str | None = None, *, last: int = 3, gap: bool = False) -> Estimate:
        """The gain from doubling the training data, by least squares over the last sizes in each fold.

        Positive is better. gap: the slope of the gap between training and test data instead.
        """
        line = self[metric or self.main_metric]
        if not line.measure.metric.better or len(line.known) < 2:
            raise InputError("validation.no_slope", metric=str(line.measure))
        at = line.known[-last:] if last > 1 else line.known[-2:]
        x = np.log2([self.places[i] for i in at])
        x -= x.mean()
        return line.weighed(dict(zip(at, (x / (x @ x)).tolist(), strict=True)), gaps=gap)


@dataclass(frozen=True, eq=False, repr=False)
class ValidationCurve(Sweep):
    """The result of `calipers.validation_curve`: each metric as a `Line` over the values of a parameter.

    simpler: "first" or "last", the end of the values that is simpler, if there is one.
    """

    kind: ClassVar[str] = "validation_curve"
    chart: ClassVar[str] = "validation"
    simpler: str | None = None

    def best(self, metric: str | None = None) -> Any:
        """The value with the best mean; its metric is optimistic, because it was chosen on the same folds."""
        return self.places[self[metric or self.main_metric].best]

    def simplest(self, metric: str | None = None) -> Any:
        """The value nearest to the simpler end whose mean is within one standard error of the best (Breiman 1984).

        The standard error is the corrected one of the best value.
        """
        return self.places[self.within(metric or self.main_metric)]

    def within(self, metric: str) -> int:
        """The index of the value that the one-standard-error rule chooses."""
        if self.simpler is None:
            raise InputError("validation.which_end_is_simpler")
        line = self[metric]
        if math.isnan(line.tested[line.best].error):
            return line.best  # one fold shows no spread
        near = [int(at) for at in one_standard_error({str(at): line.tested[at] for at in line.known})[0]]
        return near[0] if self.simpler == "first" else near[-1]


@named_arguments
def learning_curve(
    model: Any,
    X: Any,  # noqa: N803 - what everybody calls it
    y: Any,
    *,
    sizes: Sequence[float] | None = None,
    cv: Any = 5,
    repeats: int = 1,
    groups: Any = None,
    n_jobs: int | None = None,
    seed: int | None = None,
    metrics: Sequence[str] | str | None = None,
    positive: Label | None = None,
    threshold: float | None = None,
    task: ModelTask | None = None,
    level: float = 0.95,
    fit_params: Mapping[str, Any] | None = None,
) -> LearningCurve:
    """Evaluate a model that is fitted on training sets of increasing size, on the same test data.

    - sizes: numbers of training rows, or fractions of the smallest training set, such as 0.5; by default it is halved
      up to five times. In each fold, a training set contains the smaller ones, with the same class proportions and with
      whole groups.
    - metrics: by default one: `roc_auc`, `balanced_accuracy`, `rmse` or another that fits the task.
    - Other parameters: as in `calipers.cross_validate`.

    >>> import numpy as np
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> X = np.random.default_rng(0).normal(size=(400, 2))
    >>> y = (X[:, 0] > X[:, 1] ** 2).astype(int)
    >>> curve = learning_curve(KNeighborsClassifier(3), X, y, sizes=[40, 320], seed=0)
    >>> curve["roc_auc"].test
    (0.977 [0.930, 0.995], 0.992 [0.944, 1.000])
    >>> curve["roc_auc"].gain(0, 1)
    0.015 [-0.001, 0.030]
    """
    options: dict[str, Any] = {"positive": positive, "threshold": threshold, "task": task, "level": level}
    of = setting(model, X, y, cv=cv, repeats=repeats, groups=groups, seed=seed, fit_params=fit_params,
                 metrics=metrics, **options)  # fmt: skip
    each = growing_sets(of)
    counts = sizes_of(sizes, min(len(one.rows) for one in each), each[0].rarest)
    plan: list[Job | str] = []
    for one, (_, test) in zip(each, of.splits.pairs, strict=True):
        for size in counts:
            rows = one.first(size)
            plan.append(rows if isinstance(rows, str) else Job(model, rows, test))
    cells, misses = _by_place(run_sweep(plan, of, n_jobs), counts)
    return LearningCurve(ROWS, counts, cells, misses, **_facts(of, model, level, misses))


@named_arguments
def validation_curve(
    model: Any,
    X: Any,  # noqa: N803 - what everybody calls it
    y: Any,
    param: str,
    values: Sequence[Any],
    *,
    simpler: SimplerEnd | None = None,
    cv: Any = 5,
    repeats: int = 1,
    groups: Any = None,
    n_jobs: int | None = None,
    seed: int | None = None,
    metrics: Sequence[str] | str | None = None,
    positive: Label | None = None,
    threshold: float | None = None,
    task: ModelTask | None = None,
    level: float = 0.95,
    fit_params: Mapping[str, Any] | None = None,
) -> ValidationCurve:
    """Evaluate a model with several values of one parameter, on the same folds.

    - param: the name of the parameter as in `set_params`, such as "C", or "svc__C" in a pipeline.
    - simpler: "first" or "last", the end of the values that is simpler, for the one-standard-error rule.
    - metrics: by default one.
    - Other parameters: as in `calipers.cross_validate`.

    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> rng = np.random.default_rng(1)
    >>> X = rng.normal(size=(400, 2))
    >>> y = (X[:, 0] + rng.normal(size=400) > 0).astype(int)
    >>> tree = DecisionTreeClassifier(random_state=0)
    >>> curve = validation_curve(tree, X, y, "max_depth", [1, 2, 4, 8, 16], simpler="first", seed=0)
    >>> curve.best(), curve.simplest(), curve["roc_auc"].train[-1]
    (2, 2, 1.000)
    """
    tried = _checked_values(model, param, values, simpler)
    options: dict[str, Any] = {"positive": positive, "threshold": threshold, "task": task, "level": level}
    of = setting(model, X, y, cv=cv, repeats=repeats, groups=groups, seed=seed, fit_params=fit_params,
                 metrics=metrics, **options)  # fmt: skip
    plan = [Job(model, *pair, parameters={param: value}) for pair in of.splits.pairs for value in tried]
    cells, misses = _by_place(run_sweep(plan, of, n_jobs), tried)
    return ValidationCurve(param, tried, cells, misses, simpler=simpler, **_facts(of, model, level, misses))


def _checked_values(model: Any, param: str, values: Sequence[Any], simpler: str | None) -> tuple[Any, ...]:
    """The values, refused where the model cannot be given them."""
    if not hasattr(checked(model), "set_params"):
        raise InputError("validation.no_set_params", model=type(model).__name__, param=param)
    known = model.get_params(deep=True) if hasattr(model, "get_params") else None
    if known is not None and param not in known:
        near = nearest(param, known)
        raise UnknownName("validation.unknown_parameter", model=type(model).__name__, param=param, near=near)
    if simpler is not None and simpler not in ENDS:
        raise InputError("validation.unknown_end", simpler=simpler)
    tried = tuple(v.item() if isinstance(v, np.generic) else v for v in values)
    if not tried:
        raise InputError("validation.no_value_to_try", param=param)
    return tried


def _by_place(
    results: Sequence[Cell | Failed], places: Sequence[Any]
) -> tuple[tuple[tuple[Cell | None, ...], ...], tuple[FailedFit, ...]]:
    """The fits by place and fold, and those that failed."""
    width = len(places)
    cells = tuple(tuple(None if isinstance(one, Failed) else one for one in results[at::width]) for at in range(width))
    misses = tuple(
        FailedFit(number % width, places[number % width], number // width, one.error)
        for number, one in enumerate(results) if isinstance(one, Failed)
    )  # fmt: skip
    return cells, misses


def _facts(of: Setting, model: Any, level: float, misses: Sequence[FailedFit]) -> dict[str, Any]:
    """How a result was computed."""
    notes = (*of.splits.notes, *seeding(model))
    if stopped := sum(miss.stopped for miss in misses):
        notes += (Remark("validation.fits_interrupted", count=stopped),)
    return {
        "measures": tuple(CATALOGUE[name] for name in of.problem.options["metrics"]),
        "problem": of.problem,
        "data": of.data,
        "splits": of.splits,
        "seed": of.seed,
        "level": level,
        "model": name_of(model),
        "notes": notes,
    }
