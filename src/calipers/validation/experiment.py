"""The fits of a sweep: what is the same at every place, and each fit measured."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

from calipers.errors import InputError
from calipers.validation.models import checked, taken
from calipers.validation.problems import SCORES, Problem, problem
from calipers.validation.runner import Data, Done, Failed, Job, data_of, run, seed_of, some
from calipers.validation.splits import Splits, splits
from calipers.validation.sweep import Cell


class Setting(NamedTuple):
    """The rows, what is predicted, the folds, and the seed of everything that draws."""

    data: Data
    problem: Problem
    splits: Splits
    seed: int


def setting(
    model: Any, X: Any, y: Any, *, cv: Any, repeats: int, groups: Any, seed: int | None, fit_params: Any,  # noqa: N803
    metrics: Sequence[str] | str | None, **options: Any,
) -> Setting:  # fmt: skip
    """What is the same at every place; one metric is chosen where none is named."""
    data, seed = data_of(X, y, groups, fit_params), seed_of(seed)
    of = problem(checked(model), y, groups=groups, metrics=metrics, **options)
    if metrics is None:
        of = problem(model, y, groups=groups, metrics=usual(of), **options)
    of = of.dry_run(y, groups)
    parts = splits(cv, data.rows, y, groups=groups, stratified=of.stratified, repeats=repeats, seed=seed)
    if parts.alone:
        raise InputError("validation.one_row_left_out")
    return Setting(data, of, parts, seed)


def usual(of: Problem) -> str:
    """The metric that is measured where none is named."""
    return of.facts.usual_metric(scored=any(name in SCORES for name in of.methods))


def run_sweep(plan: Sequence[Job | str], of: Setting, n_jobs: int | None) -> list[Cell | Failed]:
    """Every fit of a plan, measured; where the plan holds a text, that is why it cannot be tried."""

    def measured(done: Done) -> Cell:
        values: list[dict[str, float]] = []
        why: dict[str, str] = {}
        for rows, answer in ((done.job.test, done.answer), (done.job.train, done.train_answer)):
            assert answer is not None
            table = of.problem.measured(taken(of.data.y, rows), answer, taken(of.data.groups, rows))
            estimates = {measure.name: table[measure.name] for measure in table.listed}
            values.append({name: float(e) for name, e in estimates.items()})
            why |= {name: e.reason for name, e in estimates.items() if math.isnan(e)}
        return Cell(values[0], values[1], why, done.seconds, done.answer)

    jobs = [one for one in plan if isinstance(one, Job)]
    results = iter(run(jobs, len(jobs), of.data, of.problem, measured, seed=of.seed, n_jobs=n_jobs, what="fits"))
    every = [Failed(at, one) if isinstance(one, str) else next(results) for at, one in enumerate(plan)]
    some(every, "validation.no_fits_done")
    return every
