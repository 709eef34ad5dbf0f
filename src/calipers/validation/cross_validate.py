"""`cross_validate`: a model is fitted on the training data of each fold and evaluated on its test data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, get_args

from calipers.arguments import named_arguments
from calipers.choices import FoldInterval, ModelTask
from calipers.errors import InputError, UnknownName, nearest
from calipers.settings import Label
from calipers.validation.cross_validation import Validation
from calipers.validation.evaluate_model import side_columns
from calipers.validation.fold import Fold
from calipers.validation.models import checked, name_of, taken
from calipers.validation.nested import REPEATS, nested
from calipers.validation.nested import checked as can_be_nested
from calipers.validation.problems import Problem, problem
from calipers.validation.queries import of_sizes
from calipers.validation.runner import Data, Done, Failed, Job, data_of, run, seed_of, seeding, some
from calipers.validation.splits import Splits, splits

METHODS: tuple[FoldInterval, ...] = get_args(FoldInterval)


@named_arguments
def cross_validate(
    model: Any,
    X: Any,  # noqa: N803 - what everybody calls it
    y: Any,
    *,
    cv: Any = 5,
    repeats: int | None = None,
    shuffle: bool = True,
    groups: Any = None,
    group_sizes: Any = None,
    weights: Any = None,
    by: Any = None,
    n_jobs: int | None = None,
    seed: int | None = None,
    metrics: Sequence[str] | str | None = None,
    positive: Label | None = None,
    threshold: float | None = None,
    task: ModelTask | None = None,
    level: float = 0.95,
    interval: FoldInterval = "rows",
    train: bool = True,
    keep_models: bool = False,
    fit_params: Mapping[str, Any] | None = None,
) -> Validation:
    """Evaluate a model by cross-validation: fit it on training data and evaluate it on test data, fold by fold.

    - model: an object with fit, and predict, predict_proba or decision_function; copies of it are fitted.
    - cv: the number of folds (shuffled, and stratified for classifiers), "loo", "5x2", "holdout" or the fraction of the
      test data, a splitter of scikit-learn, or pairs of training and test indices.
    - shuffle: False keeps the rows of a fold together, in their order (stratified within classes for classifiers).
    - repeats: the number of repetitions, each with different folds.
    - groups: rows of one group stay together; with task="ranking" they are the queries.
    - group_sizes: the numbers of rows of consecutive queries, instead of groups, for rankings. Rankers whose fit takes
      qid, group_id (ids) or group (sizes), as those of XGBoost, CatBoost and LightGBM, get the queries of each fold.
    - weights: how much each row counts in the evaluation; for training pass fit_params={"sample_weight": w}.
    - by: slices, as in `calipers.evaluate`, or names of columns of X: `.by` has the pooled predictions of each slice.
    - n_jobs: the number of processes; the result does not depend on it.
    - seed: the seed of the folds, and of a model whose random_state is None; without it a random seed is used and
      reported.
    - metrics, positive, threshold, level: as in `calipers.evaluate`.
    - task: "classification", "regression" or "ranking", to override the detected task.
    - train: whether to evaluate the training data too.
    - keep_models: whether to keep the fitted models.
    - fit_params: further arguments of fit; arrays as long as X are restricted to the training rows.
    - interval: "rows" uses the variance of the test rows and allows for the training data that folds share; "folds" is
      Nadeau and Bengio's corrected t over the values of the folds (too narrow for imbalanced classes in stratified
      folds); "nested" estimates the variance by nested cross-validation (Bates et al. 2023), for metrics that are means
      over rows, with K(K + 1)/2 fits per repetition and 50 repetitions by default.

    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> X = np.arange(100.0)[:, None]
    >>> y = (X[:, 0] + 30 * np.sin(X[:, 0]) > 50).astype(int)
    >>> validation = cross_validate(LogisticRegression(), X, y, seed=0, metrics=["accuracy", "roc_auc"])
    >>> validation["roc_auc"], validation.cv
    (0.934 [0.853, 0.973], '5 folds, stratified, shuffled')
    """
    sliced, weights, groups = side_columns(X, by, weights, groups)
    if group_sizes is not None:
        if groups is not None:
            raise InputError("validation.groups_and_sizes")
        groups, task = of_sizes(group_sizes, len(y)), task or "ranking"
    data, seed = data_of(X, y, groups, fit_params), seed_of(seed)
    data = replace(data, weights=weights, by=sliced)
    y = data.y
    options: dict[str, Any] = {"positive": positive, "metrics": metrics, "threshold": threshold, "level": level}
    of = problem(checked(model), y, groups=groups, task=task, **options).dry_run(y, groups)
    if interval not in METHODS:
        raise UnknownName("validation.unknown_interval", interval=interval, near=nearest(interval, METHODS))
    if interval == "nested":
        can_be_nested(cv, data)
    repeats = (REPEATS if interval == "nested" else 1) if repeats is None else repeats
    how: dict[str, Any] = {"stratified": of.stratified, "repeats": repeats, "seed": seed, "shuffle": shuffle}
    parts = splits(cv, data.rows, y, groups=groups, **how)
    results = folds_of(model, data, of, parts, seed=seed, n_jobs=n_jobs, train=train, keep=keep_models)
    done, failed = some(results, "validation.no_folds_done")
    inner = None
    if interval == "nested":
        inner = nested(model, data, of, parts, done, level, k=cv, seed=seed, n_jobs=n_jobs)
    facts = of, data, parts, tuple(done), failed, seed, level, name_of(model), seeding(model)
    return Validation(*facts, method=interval, inner=inner)


def folds_of(
    model: Any,
    data: Data,
    of: Problem,
    parts: Splits,
    *,
    seed: int,
    n_jobs: int | None = None,
    train: bool = True,
    keep: bool = False,
) -> list[Fold | Failed]:
    """The model on each of the splits, measured."""

    def measured(done: Done) -> Fold:
        rows = done.job.test
        evaluation = of.measured(taken(data.y, rows), done.answer, taken(data.groups, rows), taken(data.weights, rows))
        train_evaluation = None
        if done.train_answer is not None:
            own = done.job.train
            side = taken(data.groups, own), taken(data.weights, own)
            train_evaluation = of.measured(taken(data.y, own), done.train_answer, *side)
        return Fold(
            done.number, done.job.train, rows, done.answer, evaluation, train_evaluation, done.model, done.seconds
        )

    jobs = (Job(model, *pair, predict_train=train, keep=keep) for pair in parts.pairs)
    return run(jobs, len(parts), data, of, measured, seed=seed, n_jobs=n_jobs)
