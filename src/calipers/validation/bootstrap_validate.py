"""`bootstrap_validate`: a model is fitted on resamples and evaluated on their out-of-bag rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from calipers.arguments import named_arguments
from calipers.choices import BootstrapName, ModelTask
from calipers.errors import InputError
from calipers.settings import Label
from calipers.validation.bootstrap_validation import BootstrapValidation, Replicate, method_named
from calipers.validation.models import Answer, Array, checked, name_of, taken
from calipers.validation.problems import Problem, problem
from calipers.validation.runner import Data, Done, Failed, Job, data_of, run, seed_of, seeding, some


@named_arguments
def bootstrap_validate(
    model: Any,
    X: Any,  # noqa: N803 - what everybody calls it
    y: Any,
    *,
    replicates: int | Sequence[Any] = 200,
    method: BootstrapName = ".632+",
    groups: Any = None,
    n_jobs: int | None = None,
    seed: int | None = None,
    metrics: Sequence[str] | str | None = None,
    positive: Label | None = None,
    threshold: float | None = None,
    task: ModelTask | None = None,
    level: float = 0.95,
    fit_params: Mapping[str, Any] | None = None,
) -> BootstrapValidation:
    """Evaluate a model with the bootstrap: fit it on rows drawn with replacement, and evaluate it on the other rows.

    - replicates: the number of resamples, or the rows of each resample.
    - method: the estimate in the result; all of them are computed and shown. ".632+" (Efron and Tibshirani 1997),
      ".632" (Efron 1983), "out-of-bag" (each row by the models that were not fitted on it), "optimism" (Harrell's
      correction), "resubstitution" (the model of all rows on those rows) or "resample" (evaluated on the resample
      itself, as in some textbooks: too optimistic, and flagged).
    - groups: whole groups are drawn.
    - Other parameters: as in `calipers.cross_validate`.

    >>> import numpy as np
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(60, 2)), rng.integers(0, 2, 60)  # nothing to learn
    >>> result = bootstrap_validate(KNeighborsClassifier(1), X, y, replicates=50, seed=0, metrics="error_rate")
    >>> {name: round(value, 2) for name, value in result.estimates("error_rate").items() if "re" not in name}
    {'out-of-bag': 0.61, '.632': 0.38, '.632+': 0.57, 'optimism': 0.22}
    """
    method = method_named(method)
    data, seed = data_of(X, y, groups, fit_params), seed_of(seed)
    y = data.y
    options: dict[str, Any] = {"positive": positive, "metrics": metrics, "threshold": threshold, "level": level}
    of = problem(checked(model), y, groups=groups, task=task, **options).dry_run(y, groups)
    if of.facts.ranked:
        raise InputError("validation.documents_not_drawn")
    whole, *rest = _fitted(model, data, of, _resamples(replicates, data, seed), seed, n_jobs)
    if isinstance(whole, Failed):
        raise InputError("validation.not_fitted_on_all", error=whole.error)
    done, failed = some(rest, "validation.no_replicates_done")
    return BootstrapValidation(
        of, data, whole, tuple(done), failed, seed, level, name_of(model), method, seeding(model)
    )


def _fitted(
    model: Any, data: Data, of: Problem, resamples: Sequence[Array], seed: int, n_jobs: int | None
) -> list[Replicate | Failed]:
    """The model of all rows, then those of the resamples: each predicts every row once, for all methods."""
    every = np.arange(data.rows)

    def measured(done: Done) -> Replicate:
        own = done.job.train
        out = np.setdiff1d(every, own) if done.number else every

        def at(rows: Array) -> Any:
            return of.measured(taken(data.y, rows), part(done.answer, rows), taken(data.groups, rows))

        if not done.number:
            whole = at(every)
            return Replicate(0, every, every, done.answer, whole, whole, whole)
        return Replicate(done.number, own, out, part(done.answer, out), at(out), at(own), at(every))

    jobs = (Job(model, rows, every, predict_train=False) for rows in (every, *resamples))
    return run(jobs, len(resamples) + 1, data, of, measured, seed=seed, n_jobs=n_jobs, what="replicates")


def _resamples(replicates: Any, data: Data, seed: int) -> list[Array]:
    """The resamples, drawn here or passed."""
    if isinstance(replicates, Sequence) and not isinstance(replicates, str):
        resamples = [np.asarray(rows) for rows in replicates]
        if not all(r.ndim == 1 and r.dtype.kind in "iu" and len(r) for r in resamples) or not all(
            r.min() >= 0 and r.max() < data.rows for r in resamples
        ):
            raise InputError("validation.not_resamples", last=data.rows - 1)
        return resamples
    if isinstance(replicates, bool) or not isinstance(replicates, int) or replicates < 2:
        raise InputError("validation.not_replicates", replicates=replicates, least=2)
    return list(draws(data, replicates, seed))


def draws(data: Data, replicates: int, seed: int) -> Iterator[Array]:
    """The rows of each resample: as many as there are, or the rows of as many groups."""
    codes = np.arange(data.rows) if data.groups is None else np.unique(np.asarray(data.groups), return_inverse=True)[1]
    order, count = np.argsort(codes, kind="stable"), int(codes.max()) + 1
    rows_of_groups = np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)
    for state in np.random.SeedSequence((seed, 1)).spawn(replicates):
        picked = np.random.default_rng(state).integers(0, count, count)
        yield np.sort(picked) if data.groups is None else np.concatenate([rows_of_groups[g] for g in picked])


def part(answer: Answer, rows: Array) -> Answer:
    """An answer about some of the rows."""
    predicted, score = (None if x is None else x[rows] for x in (answer.predicted, answer.score))
    return Answer(predicted, score, answer.unmet)
