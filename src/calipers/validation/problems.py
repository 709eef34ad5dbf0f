"""What is predicted, and how the predictions of a model are evaluated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, get_args

import numpy as np

from calipers.choices import ModelTask
from calipers.data import label_sets, labels
from calipers.data.classes import obvious
from calipers.data.reading_rankings import of_rows
from calipers.errors import InputError
from calipers.evaluation.evaluate import evaluate
from calipers.evaluation.evaluate_ranking import of_rankings, ranking_settings
from calipers.evaluation.evaluation import Evaluation
from calipers.metrics.base import CATALOGUE
from calipers.settings import Label, Rules
from calipers.tasks import BINARY, MULTICLASS, MULTILABEL, TASKS, Task
from calipers.validation.models import Answer, Array, kind_of, of_each_label, over_classes, own_classes, taken

MODEL_TASKS: tuple[ModelTask, ...] = get_args(ModelTask)
DRY_RUN_ROWS = 2000  # rows that show whether a metric can be had
SCORES = ("predict_proba", "decision_function")


@dataclass(frozen=True)
class Problem:
    """A task, its classes, what a model is asked for, and what of its answer is measured.

    several: whether a row may carry several labels; methods: of the model, those that are called; options: arguments of
    `calipers.evaluate` (of `calipers.evaluate_ranking` for rankings).
    """

    task: str
    classes: tuple[Label, ...] = ()
    positive: Label | None = None
    several: bool = False
    methods: tuple[str, ...] = ("predict",)
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def facts(self) -> Task:
        """The facts of the task that the answers are evaluated as."""
        if self.task in TASKS:
            return TASKS[self.task]
        return MULTILABEL if self.several else MULTICLASS if self.positive is None else BINARY

    @property
    def stratified(self) -> bool:
        """Whether folds can hold each class in its share."""
        return bool(self.classes)

    def answer(self, model: Any, rows: Any, y_train: Any) -> Answer:
        """The predictions of a fitted model, in the form in which they are evaluated."""
        outputs = {name: getattr(model, name)(rows) for name in self.methods}
        score = next((outputs[name] for name in SCORES if name in outputs), None)
        predicted = None if "predict" not in outputs else _column(outputs["predict"])
        if self.facts.ranked:
            return Answer(score=predicted if score is None else _grade(score, model))
        if score is None or self.facts.of_numbers:
            return Answer(predicted)
        if self.several:
            return Answer(predicted, of_each_label(score, model))
        own, lowest = own_classes(model, y_train), 0.0 if "predict_proba" in outputs else -np.inf
        spread = over_classes(score, own, self.classes, lowest)
        column = spread if self.positive is None else spread[:, self.classes.index(self.positive)]
        return Answer(predicted, column, tuple(v for v in self.classes if v not in own))

    def dry_run(self, y: Any, groups: Any = None) -> Problem:
        """The same, refused where what is asked could not be measured of the best answer: before anything is fitted."""
        if self.classes:  # a few rows do, with one of each class among them
            codes = labels.encode(y, "y").codes
            some = np.union1d(np.unique(codes, return_index=True)[1], np.arange(min(len(codes), DRY_RUN_ROWS)))
            y, groups = taken(y, some), taken(groups, some)
        self.measured(y, self._best(y), groups)
        return self

    def _best(self, y: Any) -> Answer:
        """The predictions of a model that is always right and certain."""
        predicted = y if "predict" in self.methods else None
        if self.facts.ranked:
            return Answer(score=np.asarray(y, np.float64))
        if not any(name in SCORES for name in self.methods):
            return Answer(predicted)
        if self.several:
            return Answer(predicted, np.asarray(y, np.float64))
        top = 1.0 if "predict_proba" in self.methods else 2.0  # margins are not probabilities
        codes = labels.recode(labels.encode(y, "y"), self.classes)
        score = top * (np.arange(len(self.classes)) == codes[:, None])
        return Answer(predicted, score if self.positive is None else score[:, self.classes.index(self.positive)])

    def measured(
        self, y: Any, answer: Answer, groups: Any = None, weights: Any = None, by: Mapping[str, Any] | None = None
    ) -> Evaluation:
        """The evaluation of an answer; groups are the queries of a ranking, else rows that are not independent."""
        if self.facts.ranked:
            rules = Rules()
            ranked = of_rows(rules, groups, None, answer.score, y)
            return of_rankings(ranking_settings(self.options["metrics"], rules, level=self.options["level"]), ranked)
        if groups is not None and len(np.unique(np.asarray(groups))) < 2:
            groups = None  # a test set that is one group says nothing about how groups vary
        if self.facts.of_numbers:
            side: dict[str, Any] = {"groups": groups, "weights": weights, "by": by, **self.options}
            ev = evaluate(y, answer.predicted, task="regression", **side)
            return replace(ev, kept=None)  # positions within a fold mean nothing to the caller
        options: dict[str, Any] = {"labels": self.classes, "positive": self.positive} if self.classes else {}
        options |= {"groups": groups, "weights": weights, "by": by, **self.options}
        return replace(evaluate(y, answer.predicted, score=answer.score, **options), kept=None)


def problem(
    model: Any,
    y: Any,
    *,
    groups: Any = None,
    task: ModelTask | None = None,
    positive: Label | None = None,
    metrics: Sequence[str] | str | None = None,
    threshold: float | None = None,
    level: float = 0.95,
    known: Sequence[Label] = (),
) -> Problem:
    """What a model predicts for y; `task` where the guess must be overruled, and for rankings.

    known: classes that the model knows, also where y lacks them.
    """
    if task is not None and task not in MODEL_TASKS:
        raise InputError("validation.unknown_task", task=task, known=MODEL_TASKS)
    measures = [CATALOGUE[name] for name in ([metrics] if isinstance(metrics, str) else metrics or ())]
    kinds = {"regression" if m.metric.of_numbers else "classification" for m in measures}
    kind = task or kind_of(model, y, kinds.pop() if len(kinds) == 1 else None)
    facts = Problem(kind).facts
    for measure in measures:
        if not facts.ranked and measure.metric.of_numbers != facts.of_numbers:
            raise InputError("validation.metric_of_other_task", metric=str(measure), task=kind)
    options = {"metrics": [metrics] if isinstance(metrics, str) else metrics, "level": level}
    has = [name for name in SCORES if hasattr(model, name)][:1]
    if facts.ranked:
        if groups is None:
            raise InputError("validation.which_query")
        return Problem(kind, methods=tuple(has) or ("predict",), options=options)
    if facts.of_numbers:
        return Problem(kind, options=options)
    options["threshold"] = threshold
    several = label_sets.are(y)
    classes: tuple[Label, ...] = ()
    if not several:
        classes = labels.union(labels.encode(y, "y").values, known)
        positive = _positive(classes, positive)
    return Problem(kind, classes, positive, several, _methods(model, has, metrics, threshold), options)


def _positive(classes: tuple[Label, ...], positive: Label | None) -> Label | None:
    """The positive one of two classes, asked for where it is not obvious."""
    if positive is not None and positive not in classes:
        raise InputError("validation.positive_not_among", positive=positive, classes=classes[:6])
    if len(classes) > 2 and positive is not None:
        raise InputError("validation.positive_of_several", count=len(classes))
    if len(classes) != 2 or positive is not None:
        return positive
    if (pair := obvious(classes)) is None:
        raise InputError("validation.which_is_positive", first=classes[0], second=classes[1])
    return pair[1]


def _methods(model: Any, has: list[str], metrics: Any, threshold: float | None) -> tuple[str, ...]:
    """What a classifier is asked for: labels, scores, or both, by what the metrics need."""
    named = [CATALOGUE[name].metric for name in ([metrics] if isinstance(metrics, str) else metrics or ())]
    by_threshold = threshold is not None and bool(has)  # labels come from the scores then
    label_methods = [] if by_threshold or (named and not any(m.from_labels for m in named)) else ["predict"]
    scored = by_threshold or not named or not all(m.from_labels for m in named)
    methods = [name for name in label_methods if hasattr(model, name)] + (has if scored else [])
    return tuple(methods or has or ["predict"])


def _column(predicted: Any) -> Array:
    """Predictions as an array; a table with one column is that column."""
    values = np.asarray(predicted)
    return values.ravel() if values.ndim == 2 and values.shape[1] == 1 else values


def _grade(score: Any, model: Any) -> Array:
    """What a classifier of relevance expects of each document: the mean of the grades it knows, or its score."""
    values = np.asarray(score, np.float64)
    return values if values.ndim == 1 else values @ np.asarray(model.classes_, np.float64)


def pooled(answers: Sequence[Answer]) -> Answer:
    """The answers of several models about different rows, one after the other."""
    parts = ([a.predicted for a in answers], [a.score for a in answers])
    predicted, score = (None if part[0] is None else np.concatenate(part) for part in parts)
    return Answer(predicted, score)


def truth(y: Any, parts: Sequence[Array]) -> Any:
    """The truth of several parts of the rows, one after the other."""
    return taken(y, np.concatenate(parts))


def answer_columns(answer: Answer, problem: Problem) -> dict[str, Array]:
    """Predictions as columns: predicted and score, one for each class or label if there are several."""
    columns: dict[str, Array] = {}
    for name, values in (("predicted", answer.predicted), ("score", answer.score)):
        if values is not None and values.ndim == 1:
            columns[name] = values
        elif values is not None:
            each = problem.classes or range(values.shape[1])
            columns |= {f"{name}_{v}": values[:, at] for at, v in enumerate(each)}
    return columns
