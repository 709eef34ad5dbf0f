"""`select`: choose a model by cross-validation, and evaluate the choice on other rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, get_args

import numpy as np

from calipers.arguments import named_arguments
from calipers.choices import ModelTask, SelectionRule
from calipers.errors import InputError, UnknownName, nearest
from calipers.evaluation.evaluation import Evaluation
from calipers.metrics.base import CATALOGUE, Measure
from calipers.settings import Label
from calipers.validation.averages import Average, mean_of
from calipers.validation.models import Answer, Array, checked, taken
from calipers.validation.pooling import OutOfFold
from calipers.validation.problems import SCORES, Problem, problem
from calipers.validation.runner import Data, Done, Failed, Job, data_of, run, seed_of, seeding
from calipers.validation.selection import Candidate, Selection, one_standard_error
from calipers.validation.splits import Splits, splits

RULES: tuple[SelectionRule, ...] = get_args(SelectionRule)


@named_arguments
def select(
    models: Mapping[str, Any],
    X: Any,  # noqa: N803 - what everybody calls it
    y: Any,
    *,
    metric: str | None = None,
    cv: Any = 5,
    inner: Any = None,
    rule: SelectionRule = "one standard error",
    groups: Any = None,
    n_jobs: int | None = None,
    seed: int | None = None,
    positive: Label | None = None,
    task: ModelTask | None = None,
    level: float = 0.95,
    fit_params: Mapping[str, Any] | None = None,
) -> Selection:
    """Choose one of several models by cross-validation, and evaluate the choice by nested cross-validation.

    For each fold the choice is repeated on its training data alone, and the chosen model is evaluated on its test data;
    the mean of these values is the value of the choice.

    - models: models by name, simpler ones first. All are evaluated on the same folds.
    - rule: "one standard error" takes the first model within one (corrected) standard error of the best, "best" takes
      the best.
    - inner: the folds of the repeated choices; by default as many as cv if it is a number, else 5.
    - Other parameters: as in `calipers.cross_validate`.

    >>> import numpy as np
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.neighbors import KNeighborsRegressor
    >>> X = np.linspace(0, 1, 60)[:, None]
    >>> models = {"line": Ridge(0.01), "neighbour": KNeighborsRegressor(1)}
    >>> selection = select(models, X, 2 * X[:, 0] + np.sin(1e5 * X[:, 0]), metric="mae", seed=0)
    >>> selection.choice, selection.times
    ('line', {'line': 5, 'neighbour': 0})
    """
    if not isinstance(models, Mapping):
        raise InputError("validation.models_without_names", models=models)
    if len(models) < 2:
        raise InputError("validation.few_models", count=len(models))
    if rule not in RULES:
        raise UnknownName("validation.unknown_rule", name=rule, near=nearest(rule, RULES))
    data, seed = data_of(X, y, groups, fit_params), seed_of(seed)
    y = data.y
    first = next(iter(models.values()))
    guess = problem(checked(first), y, groups=groups, task=task, positive=positive, level=level)
    measure = CATALOGUE[metric or _usual(guess, models)]
    if not measure.metric.better:
        raise InputError("validation.cannot_choose", metric=str(measure))
    parts = splits(cv, data.rows, y, groups=groups, stratified=guess.stratified, seed=seed)
    if parts.alone or len(parts) < 2:
        raise InputError("validation.few_test_sets")
    within = [_within(pair[0], inner or (cv if type(cv) is int else 5), data, guess, seed) for pair in parts.pairs]
    options: dict[str, Any] = {"task": guess.task, "positive": positive, "metrics": [measure.name], "level": level}
    ready = {
        str(name): problem(checked(model), y, groups=groups, **options).dry_run(y, groups)
        for name, model in models.items()
    }
    scores = {
        name: _tried(models[name], data, of, measure, parts, within, seed=seed, n_jobs=n_jobs, name=name)
        for name, of in ready.items()
    }
    return _chosen(models, ready, scores, measure, parts, within, rule=rule, data=data, seed=seed, level=level)


def _usual(of: Problem, models: Mapping[str, Any]) -> str:
    """The metric that decides where none is named: one of labels where a model has no scores."""
    scored = all(any(hasattr(model, name) for name in SCORES) for model in models.values())
    return of.facts.usual_metric(scored=scored)


def _within(train: Array, inner: Any, data: Data, of: Problem, seed: int) -> Splits:
    """The inner splits of one training set, by rows of all data."""
    parts = splits(inner, len(train), taken(data.y, train), groups=taken(data.groups, train),
                   stratified=of.stratified, seed=seed)  # fmt: skip
    return Splits(tuple((train[a], train[b]) for a, b in parts.pairs), parts.done, parts.repeats)


@dataclass(frozen=True)
class _Scores:
    """A model's values: on each outer test set, on its training rows, and on the inner ones of each outer set.

    answers: its predictions for each outer test set.
    """

    outer: Array
    train: Array
    inner: tuple[Array, ...]
    answers: tuple[Answer | None, ...]
    failures: tuple[Failed, ...]


def _tried(
    model: Any, data: Data, of: Problem, measure: Measure, parts: Splits, within: list[Splits], *, seed: int,
    n_jobs: int | None, name: str,
) -> _Scores:  # fmt: skip
    """One model on all outer and inner splits, as one list of jobs."""
    pairs = [*parts.pairs, *(pair for each in within for pair in each.pairs)]

    def measured(done: Done) -> tuple[float, float, Answer | None]:
        def at(rows: Array, answer: Any) -> Evaluation:
            return of.measured(taken(data.y, rows), answer, taken(data.groups, rows))

        train = np.nan if done.train_answer is None else float(at(done.job.train, done.train_answer)[measure.name])
        test_answer = done.answer if done.number < len(parts) else None
        return float(at(done.job.test, done.answer)[measure.name]), train, test_answer

    jobs = (Job(model, *pair, predict_train=number < len(parts)) for number, pair in enumerate(pairs))
    results = run(jobs, len(pairs), data, of, measured, seed=seed, n_jobs=n_jobs, what=f"fits of {name}")
    values = np.array([(np.nan, np.nan) if isinstance(r, Failed) else r[:2] for r in results])
    answers = tuple(None if isinstance(r, Failed) else r[2] for r in results[: len(parts)])
    ends = np.cumsum([len(parts), *map(len, within)])
    by_split = np.split(values[:, 0], ends[:-1])
    failures = tuple(r for r in results if isinstance(r, Failed))
    return _Scores(by_split[0], values[: len(parts), 1], tuple(by_split[1:]), answers, failures)


def _chosen(
    models: Mapping[str, Any], ready: Mapping[str, Problem], by_model: Mapping[str, _Scores], measure: Measure,
    parts: Splits, within: list[Splits], *, rule: str, data: Data, seed: int, level: float,
) -> Selection:  # fmt: skip
    """The choice from all folds, and those from the training rows of each."""
    whole = [name for name, scores in by_model.items() if not scores.failures]
    if not whole:
        name, scores = next(iter(by_model.items()))
        raise InputError("validation.no_model_fitted", name=name, error=scores.failures[0].error)

    def average(values: Array, ratio: float) -> Average:
        return Average(measure, values, data.rows, ratio, level)

    def of_rows(picks: Sequence[str]) -> Average:
        """The model named for each fold, with its predictions; margins and probabilities are not put together."""
        values = np.array([by_model[name].outer[fold] for fold, name in enumerate(picks)])
        one = average(values, parts.ratio)
        if len({ready[name].methods for name in picks}) > 1:
            return one
        answers = [by_model[name].answers[fold] for fold, name in enumerate(picks)]
        tested = tuple((test, answer) for (_, test), answer in zip(parts.pairs, answers, strict=True) if answer)
        return replace(one, tested=OutOfFold(ready[picks[0]], data, tested, parts.ratio, level))

    def choice(each: Mapping[str, Average]) -> str:
        close, best = one_standard_error(each)
        return close[0] if rule == RULES[0] else best

    picked = [
        choice({name: average(by_model[name].inner[fold], within[fold].ratio) for name in whole})
        for fold in range(len(parts))
    ]
    candidates = {
        name: Candidate(
            models[name], replace(of_rows([name] * len(parts)), train=mean_of(by_model[name].train)),
            average(by_model[name].train, parts.ratio), picked.count(name), seeding(models[name]),
        )
        for name in whole
    }  # fmt: skip
    failures = {name: scores.failures for name, scores in by_model.items() if scores.failures}
    each = {name: c.average for name, c in candidates.items()}
    return Selection(candidates, choice(each), *one_standard_error(each), of_rows(picked), failures, parts,
                     within[0].description, rule, seed, level)  # fmt: skip
