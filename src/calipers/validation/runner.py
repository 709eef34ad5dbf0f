"""Runs all fits: models are fitted on some rows and predict others, in order, on any number of processes."""

from __future__ import annotations

import secrets
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np

from calipers.data import side_columns
from calipers.errors import CalipersError, InputError
from calipers.progress import with_progress
from calipers.remarks import Remark
from calipers.validation.models import Answer, Array, checked, fresh, required, taken, unseeded
from calipers.validation.problems import Problem
from calipers.validation.queries import ranking_arguments

T = TypeVar("T")
STOPPED = Remark("validation.interrupted")


@dataclass(frozen=True)
class Data:
    """The rows of all jobs, and what else `fit` is given: columns of so many rows are cut to the training rows.

    weights: how much each row counts in an evaluation; by: its slices.
    """

    X: Any
    y: Any
    groups: Any = None
    fit_params: Mapping[str, Any] = field(default_factory=dict)
    weights: Any = None
    by: Mapping[str, Any] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """How many there are."""
        return int(self.X.shape[0]) if hasattr(self.X, "shape") else len(self.X)

    def fit_arguments(self, train: Array) -> dict[str, Any]:
        """The further arguments of `fit` for these training rows."""
        return {
            name: taken(value, train) if _length(value) == self.rows else value
            for name, value in self.fit_params.items()
        }


@dataclass(frozen=True)
class Job:
    """A model to fit on some rows and to evaluate on others, optionally with other parameters.

    predict_train: whether it predicts its training rows too; keep: whether the fitted model is kept.
    """

    model: Any
    train: Array
    test: Array
    parameters: Mapping[str, Any] = field(default_factory=dict)
    predict_train: bool = True
    keep: bool = False


@dataclass(frozen=True)
class Done:
    """What a fitted model predicts for its test rows, and for its training rows if they were asked for."""

    number: int
    job: Job
    answer: Answer
    train_answer: Answer | None
    model: Any
    seconds: float


@dataclass(frozen=True)
class Failed:
    """A job that raised: its number, the error in one line, and where it happened."""

    number: int
    error: str
    trace: str = field(default="", repr=False)

    @property
    def stopped(self) -> bool:
        """Whether it is Ctrl-C that kept it from being done."""
        return self.error == STOPPED


def data_of(X: Any, y: Any, groups: Any = None, fit_params: Mapping[str, Any] | None = None) -> Data:  # noqa: N803
    """The rows, refused where their numbers differ."""
    required()
    from sklearn.utils import check_consistent_length

    try:
        check_consistent_length(X, y, groups)
    except (TypeError, ValueError) as error:
        raise InputError("validation.different_lengths", error=str(error)) from None
    side_columns.same_index((X, y, groups), ("X", "y", "groups"), {})
    if hasattr(y, "shape") and len(y.shape) == 2 and y.shape[1] == 1:
        y = np.asarray(y).ravel()  # a column that was passed as a table
    return Data(X, y, groups, dict(fit_params or {}))


def seed_of(seed: int | None) -> int:
    """The given seed, or a new one, which the result reports for reproducibility."""
    if seed is None:
        return secrets.randbelow(2**32)
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise InputError("validation.not_a_seed", seed=seed)
    return int(seed)


def seeding(model: Any) -> tuple[str, ...]:
    """A note on what in a model draws at random and is given seeds here."""
    unset = unseeded(model)
    return (Remark("validation.seeded", names=list(unset)),) if unset else ()


def run(
    jobs: Iterable[Job],
    total: int,
    data: Data,
    problem: Problem,
    then: Callable[[Done], T],
    *,
    seed: int,
    n_jobs: int | None = None,
    what: str = "folds",
) -> list[T | Failed]:
    """What `then` makes of each job that is done, in order; what raises is a `Failed`, and so is the rest on Ctrl-C.

    Each job has a separate seed, from `seed` and its number, so that no result depends on the process that computed it.
    """
    results: list[T | Failed] = []
    try:
        for done in with_progress(_outcomes(jobs, data, problem, seed, n_jobs), total, what, patience=0.0):
            results.append(done if isinstance(done, Failed) else _guarded(done.number, then, done))
    except KeyboardInterrupt:
        if not results:
            raise
    return results + [Failed(number, STOPPED) for number in range(len(results), total)]


def some(results: list[T | Failed], code: str) -> tuple[list[T], tuple[Failed, ...]]:
    """What succeeded and what failed; where nothing succeeded, an error of this code."""
    failed = tuple(r for r in results if isinstance(r, Failed))
    if len(failed) == len(results):
        raise InputError(code, count=len(results), error=failed[0].error)
    return [r for r in results if not isinstance(r, Failed)], failed


def _outcomes(
    jobs: Iterable[Job], data: Data, problem: Problem, seed: int, n_jobs: int | None
) -> Iterator[Done | Failed]:
    from sklearn.utils.parallel import Parallel, delayed

    calls = (delayed(_attempt)(number, job, data, problem, seed) for number, job in enumerate(jobs))
    done: Any = Parallel(n_jobs=n_jobs, return_as="generator")(calls)  # joblib's types lack the generator
    return iter(done)


def _attempt(number: int, job: Job, data: Data, problem: Problem, seed: int) -> Done | Failed:
    return _guarded(number, _fitted, number, job, data, problem, seed)


def _guarded(number: int, function: Callable[..., T], *args: Any) -> T | Failed:
    """A model may raise anything: its error is part of the result."""
    try:
        return function(*args)
    except Exception as error:
        # In English, so that results do not depend on the language.
        text = error.text("en") if isinstance(error, CalipersError) else error
        message = " ".join(f"{type(error).__name__}: {text}".split())
        return Failed(number, message, traceback.format_exc())


def _fitted(number: int, job: Job, data: Data, problem: Problem, seed: int) -> Done:
    start = time.perf_counter()
    own_seed = int(np.random.SeedSequence((seed, number)).generate_state(1)[0])
    model = fresh(checked(job.model), job.parameters, own_seed)
    queries: dict[str, Any] = {}
    if problem.facts.ranked:
        order, queries = ranking_arguments(model.fit, np.asarray(data.groups)[job.train], data.fit_params)
        job = replace(job, train=job.train[order])
    rows, y = taken(data.X, job.train), taken(data.y, job.train)
    model.fit(rows, y, **data.fit_arguments(job.train), **queries)
    seconds = time.perf_counter() - start
    answer = problem.answer(model, taken(data.X, job.test), y)
    train_answer = problem.answer(model, rows, y) if job.predict_train else None
    return Done(number, job, answer, train_answer, model if job.keep else None, seconds)


def _length(value: Any) -> int:
    try:
        return int(value.shape[0]) if hasattr(value, "shape") else -1 if isinstance(value, str) else len(value)
    except (TypeError, IndexError):
        return -1
