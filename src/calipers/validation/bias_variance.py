"""`bias_variance`: the loss of a model, decomposed into bias and variance."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, get_args

import numpy as np

from calipers.arguments import named_arguments
from calipers.cached import lazy
from calipers.choices import Loss, PartsChart
from calipers.data import labels
from calipers.errors import InputError, UnknownName
from calipers.findings import Finding, look_at_validation
from calipers.inference.estimate import Estimate, Interval
from calipers.inference.mean import hall, student
from calipers.inference.proportion import wilson
from calipers.inference.quantiles import t
from calipers.remarks import Remark
from calipers.result import Result
from calipers.settings import Label, Settings
from calipers.tasks import task_of
from calipers.validation.decomposition import Parts, squared, zero_one
from calipers.validation.models import Array, checked, kind_of, name_of, taken
from calipers.validation.problems import Problem
from calipers.validation.runner import Data, Done, Failed, Job, data_of, run, seed_of, seeding, some
from calipers.validation.splits import splits

FEWEST = 2
LOSSES: tuple[Loss, ...] = get_args(Loss)
PARTS = {"zero-one": ("loss", "bias", "variance", "unbiased", "biased"), "squared": ("loss", "bias", "variance")}
NO_SPREAD = Remark("validation.same_everywhere")
HALL, STUDENT = Remark("validation.hall_over_rows"), Remark("validation.t_over_rows")
WILSON = Remark("validation.wilson_over_rows")
UNBOUNDED, ANY = (-math.inf, math.inf), (0.0, math.inf)
BOUNDS = {"loss": (0.0, 1.0), "unbiased": (0.0, 1.0), "biased": (0.0, 1.0)}  # of zero-one loss


@dataclass(frozen=True, eq=False, repr=False)
class BiasVariance(Result[PartsChart], Mapping[str, Estimate]):
    """The result of `calipers.bias_variance`: "loss" = "bias" + "variance", each with an interval over test rows.

    For zero-one loss "variance" is "unbiased" - "biased": the loss that variance adds where the main prediction is
    right, minus the loss that it removes where the main prediction is wrong. Intervals show the variation over test
    data, with the same training data.
    """

    kind: ClassVar[str] = "bias_variance"

    loss: str
    parts: Parts
    truth: Array
    classes: tuple[Label, ...]
    losses: Array  # of each model, on all test rows
    failures: tuple[Failed, ...]
    training: int
    seed: int
    level: float
    model: str
    notes: tuple[str, ...] = ()
    known: dict[str, Estimate] = field(default_factory=dict)

    def __getitem__(self, name: str) -> Estimate:
        if name not in PARTS[self.loss]:
            raise UnknownName("validation.unknown_part", name=name, loss=self.loss, parts=PARTS[self.loss])
        if name not in self.known:
            self.known[name] = self._mean(getattr(self.parts, name), name)
        return self.known[name]

    def __iter__(self) -> Iterator[str]:
        return iter(PARTS[self.loss])

    def __len__(self) -> int:
        return len(PARTS[self.loss])

    @property
    def rows(self) -> int:
        """The number of test rows."""
        return len(self.truth)

    @property
    def replicates(self) -> int:
        """The number of models."""
        return len(self.losses)

    @lazy
    def error(self) -> float:
        """The standard error of the loss that is due to the number of models; more replicates reduce it."""
        return float(self.losses.std(ddof=1) / math.sqrt(self.replicates))

    @property
    def excess(self) -> Estimate:
        """The difference variance minus bias, from the differences per row."""
        return self._mean(self.parts.variance - self.parts.bias, "excess")

    @property
    def by_row(self) -> dict[str, Array]:
        """For each test row: its truth, the main prediction, and the parts of its loss."""
        columns = {name: np.asarray(getattr(self.parts, name)) for name in PARTS[self.loss]}
        main: Array = self.parts.main
        if self.classes:
            main = np.array(self.classes, object)[main]
        return {"truth": self.truth, "main": main, **columns}

    @lazy
    def findings(self) -> tuple[Finding, ...]:
        """Which part is larger, if that is certain."""
        return look_at_validation(self, "bias_variance")

    def _mean(self, values: Array, name: str) -> Estimate:
        return Estimate(float(values.mean()), n=len(values), level=self.level,
                        interval=lambda: _interval(values, name, self.loss, self.level))  # fmt: skip


@named_arguments
def bias_variance(
    model: Any,
    X: Any,  # noqa: N803 - what everybody calls it
    y: Any,
    *,
    loss: Loss | None = None,
    replicates: int = 200,
    test: float = 0.3,
    X_test: Any = None,  # noqa: N803
    y_test: Any = None,
    n_jobs: int | None = None,
    seed: int | None = None,
    level: float = 0.95,
    fit_params: Mapping[str, Any] | None = None,
) -> BiasVariance:
    """Decompose the loss of a model into bias and variance.

    Models are fitted on bootstrap samples of the training data and evaluated on the same test data.

    Noise is part of the bias: with one label per row they cannot be separated.

    - loss: "zero-one" for classes (Domingos 2000) or "squared" for numbers; by default it depends on the model.
    - replicates: the number of models.
    - test: the fraction of the rows to use as test data, if X_test and y_test are not given.
    - n_jobs, seed, level, fit_params: as in `calipers.cross_validate`.

    >>> import numpy as np
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 2))
    >>> y = (X[:, 0] + rng.normal(size=300) > 0).astype(int)
    >>> result = bias_variance(DecisionTreeClassifier(), X, y, replicates=50, seed=0)
    >>> result["loss"], result["bias"], result["variance"]
    (0.262 [0.201, 0.323], 0.200 [0.130, 0.294], 0.062 [0.014, 0.110])
    """
    loss, level = _checked_loss(checked(model), y, loss, replicates), Settings(level=level).level
    if (X_test is None) != (y_test is None):
        raise InputError("validation.X_test_and_y_test")
    data, seed = data_of(X, y, None, fit_params), seed_of(seed)
    if X_test is None:
        train, rows = _parts(data.rows, y, test, loss, seed)
    else:
        train, data = np.arange(data.rows), below(data, data_of(X_test, y_test))
        rows = np.arange(len(train), data.rows)
    of = Problem("classification" if loss == "zero-one" else "regression")
    draws = (Job(model, np.random.default_rng((seed, at)).choice(train, len(train)), rows, predict_train=False)
             for at in range(replicates))  # fmt: skip
    results = run(draws, replicates, data, of, _predicted(loss), seed=seed, n_jobs=n_jobs, what="replicates")
    done, failed = some(results, "validation.no_replicates_done")
    if len(done) < FEWEST:
        error = failed[0].error
        raise InputError("validation.few_replicates_done", done=len(done), replicates=replicates, error=error)
    parts, truth, classes, losses = _taken_apart(loss, done, taken(data.y, rows))
    stopped = sum(f.stopped for f in failed)
    notes = (*seeding(model), *((Remark("validation.fits_interrupted", count=stopped),) if stopped else ()))
    return BiasVariance(loss, parts, truth, classes, losses, failed, len(train), seed, level, name_of(model), notes)


def below(first: Data, second: Data) -> Data:
    """The rows of both; what else `fit` is given stays in line with them, though no model is fitted on the second."""
    lines = np.concatenate((np.arange(first.rows), np.zeros(second.rows, int)))
    return Data(joined(first.X, second.X), joined(first.y, second.y), None, first.fit_arguments(lines))


def joined(first: Any, second: Any) -> Any:
    """Rows below rows, of two frames, arrays, sparse matrices or lists."""
    if hasattr(first, "toarray") or hasattr(second, "toarray"):
        from scipy.sparse import vstack

        return vstack([first, second], format="csr")
    if type(first).__module__.partition(".")[0] in ("pandas", "polars") and type(first) is type(second):
        from importlib import import_module

        return import_module(type(first).__module__.partition(".")[0]).concat([first, second])
    return np.concatenate([np.asarray(first), np.asarray(second)])


def _checked_loss(model: Any, y: Any, loss: Loss | None, replicates: int) -> Loss:
    if loss is not None and loss not in LOSSES:
        raise InputError("validation.unknown_loss", loss=loss, known=list(LOSSES))
    if not hasattr(model, "predict"):
        raise InputError("validation.no_predict", model=type(model).__name__)
    if isinstance(replicates, bool) or not isinstance(replicates, int) or replicates < FEWEST:
        raise InputError("validation.not_replicates", replicates=replicates, least=FEWEST)
    return loss or ("squared" if task_of(kind_of(model, y)).of_numbers else "zero-one")


def _parts(rows: int, y: Any, share: float, loss: str, seed: int) -> tuple[Array, Array]:
    """Training rows and test rows."""
    if not isinstance(share, float):
        raise InputError("validation.not_a_test_share", test=share)
    return splits(share, rows, y, stratified=loss == "zero-one", seed=seed).pairs[0]


def _predicted(loss: str) -> Any:
    """What is kept of a model: what it predicts of each test row."""

    def encoded(done: Done) -> Any:
        predicted = done.answer.predicted
        if loss == "squared":
            return np.asarray(predicted, np.float64)
        encoding = labels.encode(predicted, "predictions")
        if encoding.missing:
            raise InputError("validation.rows_given_no_label", count=encoding.missing, first=encoding.first_missing)
        return encoding

    return encoded


def _taken_apart(loss: str, done: list[Any], y: Any) -> tuple[Parts, Array, tuple[Label, ...], Array]:
    """The parts, the truth, the classes, and the loss of each model."""
    if loss == "squared":
        predicted, truth = np.stack(done), np.asarray(y, np.float64)
        if truth.ndim != 1:
            raise InputError("validation.not_one_number", shape=truth.shape)
        return squared(predicted, truth), truth, (), ((predicted - truth) ** 2).mean(1)
    encoding = labels.encode(y, "y")
    if encoding.missing:
        raise InputError("validation.rows_without_label", count=encoding.missing, first=encoding.first_missing)
    classes = labels.union(encoding.values, *(one.values for one in done))
    predicted, codes = np.stack([labels.recode(one, classes) for one in done]), labels.recode(encoding, classes)
    return zero_one(predicted, codes, len(classes)), np.asarray(y), classes, (predicted != codes).mean(1)


def _interval(values: Array, name: str, loss: str, level: float) -> Interval:
    """Over test rows: Wilson's where it is a share of rows, Hall's of squares, else Student's."""
    n, mean = len(values), float(values.mean())
    if name == "bias" and loss == "zero-one":
        return Interval(*wilson(float(values.sum()), n, level), WILSON)
    d = values - mean
    m2 = float(d @ d)
    if m2 <= 1e-24 * n * max(mean * mean, 1e-300):
        return Interval(math.nan, math.nan, NO_SPREAD)
    if loss == "squared" and name != "excess":
        # The bias can be below 0, because a part of the variance is subtracted.
        bounds = UNBOUNDED if name == "bias" else ANY
        return Interval(*hall(n, mean, m2, float((d * d) @ d), level, bounds), HALL)
    return Interval(*student(n, mean, m2, t(level, n - 1), BOUNDS.get(name, UNBOUNDED)), STUDENT)
