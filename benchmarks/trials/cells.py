"""Kinds of trials: a population with a known answer, and the question that users would ask of its samples.

Each kind is a plain description; `ready()` computes what is known, and gives a function that draws one sample and
answers for it. `harness.py` counts the answers.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

import calipers as cal
from calipers.inference.intervals import interval
from calipers.metrics.values import QueryMean, Value
from trials.promises import FEW, TEST, UNJUDGED, Promise, promised

Columns = dict[str, np.ndarray]
MANY = 200_000  # rows of a finite population; samples are drawn from it with replacement, so its values are the truth
PVALUES = {"hosmer_lemeshow_p"}  # metrics that are p-values: counted by how often they are below 0.05
FEWEST_FRESH, TRAINED, TEST_ROWS = 5_000, 300, 2_000


class Answer(NamedTuple):
    """What one sample gave: whether there was an interval, whether it covered the truth, whether it was flagged.

    Of a test: whether there was a p-value, and whether the test rejected.
    """

    known: bool
    covered: bool
    flagged: bool = False


@dataclass(frozen=True)
class Ready:
    """Draws a sample and answers by key (a metric, a point of a curve, a test); what is promised for each key."""

    ask: Callable[[np.random.Generator], Mapping[str, Answer]]
    promises: Mapping[str, Promise]


def answer(estimate: Any, truth: float) -> Answer:
    """The answer of anything with low, high and flags."""
    return Answer(estimate.low == estimate.low, bool(estimate.low <= truth <= estimate.high), bool(estimate.flags))


@dataclass(frozen=True)
class Rows:
    """`evaluate` on samples of a finite population; the truth is the same metric of all its rows.

    `whole` makes the columns: y and p as `evaluate` takes them, and weights or groups if there are any. A sample has
    `n` rows, or all rows of `n` groups drawn at random. A metric whose value is a p-value is counted by rejections.
    `at`: what the evaluation is restated for.
    """

    name: str
    whole: Callable[[np.random.Generator], Columns]
    n: int
    metrics: str
    how: Mapping[str, Any] = field(default_factory=dict)
    level: float = 0.95
    at: Mapping[str, Any] = field(default_factory=dict)

    def ready(self) -> Ready:
        whole, names = self.whole(np.random.default_rng(1)), self.metrics.split()
        truth = self.evaluation(whole | {"groups": None}, metrics=names)
        truths = {name: float(truth[name]) for name in names}
        pick = drawn(whole, self.n)

        def ask(rng: np.random.Generator) -> dict[str, Answer]:
            evaluation = self.evaluation(pick(rng), metrics=names, level=self.level)
            return {name: self.answer(evaluation, name, truths[name]) for name in names}

        tests = dict.fromkeys(PVALUES.intersection(names), TEST)
        return Ready(ask, promised(names, whole, self.n, self.how, truth, restated=bool(self.at)) | tests)

    def evaluation(self, columns: Columns, **options: Any) -> cal.Evaluation:
        side_columns = {name: columns[name] for name in ("weights", "groups") if columns.get(name) is not None}
        evaluation = cal.evaluate(columns["y"], columns["p"], **side_columns, **self.how, **options)
        return evaluation.at(**self.at) if self.at and len(np.unique(columns["y"])) > 1 else evaluation

    def answer(self, evaluation: cal.Evaluation, name: str, truth: float) -> Answer:
        estimate = evaluation[name]
        if name in PVALUES:
            return Answer(estimate == estimate, float(estimate) < 0.05)
        return answer(estimate, truth)


def drawn(whole: Columns, n: int) -> Callable[[np.random.Generator], Columns]:
    """How to draw n rows, or all rows of n groups."""
    if whole.get("groups") is None:
        rows = len(whole["y"])
        return lambda rng: {name: values[at] for at in [rng.integers(0, rows, n)] for name, values in whole.items()}
    starts = np.flatnonzero(np.r_[True, np.diff(whole["groups"]) != 0])
    sizes = np.diff(np.r_[starts, len(whole["groups"])])

    def pick(rng: np.random.Generator) -> Columns:
        chosen = rng.integers(0, len(starts), n)
        own = np.repeat(np.arange(n), sizes[chosen])  # a group that is drawn twice is two groups
        ends = np.cumsum(sizes[chosen])
        at = np.repeat(starts[chosen] - np.r_[0, ends[:-1]], sizes[chosen]) + np.arange(len(own))
        return {name: own if name == "groups" else values[at] for name, values in whole.items()}

    return pick


@dataclass(frozen=True)
class Null:
    """`compare` on models that are equally good: how often a difference is found, by any pair of models.

    `draw` makes the truth, the predictions by model, and further columns that `compare` takes.
    """

    name: str
    draw: Callable[[np.random.Generator], tuple[np.ndarray, dict[str, np.ndarray], Columns]]
    metrics: str
    how: Mapping[str, Any] = field(default_factory=dict)
    level: float = 0.95

    def ready(self) -> Ready:
        names = self.metrics.split()

        def ask(rng: np.random.Generator) -> dict[str, Answer]:
            y, models, side_columns = self.draw(rng)
            comparison = cal.compare(y, models, metrics=names, level=self.level, **side_columns, **self.how)
            adjusted = {name: [d.adjusted for d in comparison[name].values()] for name in names}
            return {name: Answer(p[0] == p[0], min(p) < 1 - self.level) for name, p in adjusted.items()}

        return Ready(ask, dict.fromkeys(names, TEST))


@dataclass(frozen=True)
class Tests:
    """The p-values of several tests of one true null, by name; those named in `judged` have to hold their level."""

    name: str
    pvalues: Callable[[np.random.Generator], Mapping[str, float]]
    judged: tuple[str, ...] = ()
    level: float = 0.95

    def ready(self) -> Ready:
        def ask(rng: np.random.Generator) -> dict[str, Answer]:
            return {name: Answer(p == p, p < 1 - self.level) for name, p in self.pvalues(rng).items()}

        names = self.pvalues(np.random.default_rng(0))
        return Ready(ask, {name: replace(TEST, judged=name in self.judged) for name in names})


@dataclass(frozen=True)
class Fits:
    """`cross_validate`, or `bootstrap_validate` where `how` names replicates, of a learner whose true value is known.

    `draw` makes n rows of X and y. The truth is measured on fresh rows: of models of other samples, as large as the
    training sets of the folds (learning procedure), and of the one model that is fitted on all rows (this model).
    """

    name: str
    draw: Callable[[np.random.Generator, int], tuple[np.ndarray, np.ndarray]]
    n: int
    learner: Callable[[], Any]
    metrics: str
    how: Mapping[str, Any] = field(default_factory=dict)
    level: float = 0.95

    def ready(self) -> Ready:
        names, rng = self.metrics.split(), np.random.default_rng(1)
        fresh = self.draw(rng, max(FEWEST_FRESH, 20 * self.n))
        expected = self.expected(rng)

        def ask(rng: np.random.Generator) -> dict[str, Answer]:
            rows = self.draw(rng, self.n)
            while len(np.unique(rows[1])) < 2:
                rows = self.draw(rng, self.n)
            seed = int(rng.integers(1 << 31))
            this = self.value(self.fitted(rows), fresh)
            return dict(self.answers(rows, seed, expected, this))

        promises = self.promised(rng, fresh)
        both = [(f"{name}, {of}", promises[name] if of == PROCEDURE else UNJUDGED) for name in names for of in OF_FITS]
        pooled = [(f"{name}, pooled, this model", UNJUDGED) for name in names if "replicates" not in self.how]
        return Ready(ask, dict(both + pooled))

    def answers(self, rows: tuple, seed: int, expected: Mapping, this: Mapping) -> Iterator[tuple[str, Answer]]:
        options = {"metrics": [*expected], "level": self.level, "seed": seed}
        if "replicates" in self.how:
            validation = cal.bootstrap_validate(self.learner(), *rows, **options, **self.how)
        else:
            validation = cal.cross_validate(self.learner(), *rows, **options, **self.how)
            pooled = validation.pooled()
            yield from ((f"{name}, pooled, this model", answer(pooled[name], this[name])) for name in expected)
        for name in expected:
            for of, truth in zip(OF_FITS, (expected, this), strict=True):
                yield f"{name}, {of}", answer(validation[name], truth[name])

    def promised(self, rng: np.random.Generator, fresh: tuple) -> dict[str, Promise]:
        """What is promised for rows like those of a sample, with the predictions of one model."""
        p, evaluation = self.evaluated(self.fitted(self.draw(rng, self.n)), fresh)
        return promised(self.metrics.split(), {"y": fresh[1], "p": p}, self.n, {}, evaluation)

    def expected(self, rng: np.random.Generator) -> dict[str, float]:
        """The mean over training sets, each with fresh rows to be measured on."""
        size = round(self.training_share() * self.n)
        each = []
        while len(each) < TRAINED:
            rows = self.draw(rng, size)
            if len(np.unique(rows[1])) > 1:
                each.append(self.value(self.fitted(rows), self.draw(rng, TEST_ROWS)))
        return {name: float(np.mean([values[name] for values in each])) for name in self.metrics.split()}

    def training_share(self) -> float:
        cv = self.how.get("cv", 1.0)
        if isinstance(cv, str):
            return {"loo": 1 - 1 / self.n, "5x2": 0.5}[cv]
        return 1 - 1 / cv if isinstance(cv, int) else 1 - cv if "cv" in self.how else 1.0

    def fitted(self, rows: tuple) -> Any:
        model = self.learner()
        model.fit(*rows)
        return model

    def value(self, model: Any, rows: tuple) -> dict[str, float]:
        _, evaluation = self.evaluated(model, rows)
        return {name: float(evaluation[name]) for name in self.metrics.split()}

    def evaluated(self, model: Any, rows: tuple) -> tuple[np.ndarray, cal.Evaluation]:
        """The predictions of a model for these rows, and what they are worth."""
        X, y = rows
        task = "binary" if y.dtype.kind in "iu" else "regression"
        if hasattr(model, "predict_proba"):  # scores, also where a tree gives only 0 and 1
            p = model.predict_proba(X)[:, 1]
            return p, cal.evaluate(y, score=p, metrics=self.metrics.split(), task=task)
        p = model.predict(X)
        return p, cal.evaluate(y, p, metrics=self.metrics.split(), task=task)


PROCEDURE = "learning procedure"  # the question that the interval answers; the other one is only counted
OF_FITS = (PROCEDURE, "this model")


@dataclass(frozen=True)
class Queries:
    """The mean of a measure over `n` queries whose values are drawn from `whole`; or another value `of` them."""

    name: str
    whole: Callable[[np.random.Generator], np.ndarray]
    n: int
    level: float = 0.95
    of: Callable[[np.ndarray], Value] = QueryMean.of
    key: str = "mean"

    def ready(self) -> Ready:
        values = self.whole(np.random.default_rng(1))
        truth = float(self.of(values).value)

        def ask(rng: np.random.Generator) -> dict[str, Answer]:
            sample = self.of(rng.choice(values, self.n))
            return {self.key: answer(interval(sample, self.level, (0.0, 1.0)), truth)}

        off = np.count_nonzero(values != round(truth)) / len(values)
        return Ready(ask, {self.key: Promise(few=self.n * off < FEW)})


Trial = Rows | Null | Tests | Fits | Queries
