"""What rows mean, without the rows: found once, and then the same for every part of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple

from calipers.cached import lazy
from calipers.choices import Missing, TaskName
from calipers.errors import InputError
from calipers.remarks import Remark
from calipers.settings import Label, Rules, Settings, Thresholds, labels_of
from calipers.tasks import Task, task_of

if TYPE_CHECKING:
    from calipers.data.batch import Batch

GIVEN = Remark("data.labels_given")


class Names(NamedTuple):
    """What the caller calls the columns, for messages."""

    truth: str = "y_true"
    pred: str = "y_pred"
    score: str = "score"

    @property
    def both(self) -> list[str]:
        """True and predicted labels."""
        return [self.truth, self.pred]


NAMES = Names()


class Columns(NamedTuple):
    """The columns of a frame by what they hold: a name, or several."""

    truth: Any
    pred: Any = None
    score: Any = None
    weights: Any = None
    groups: Any = None


@dataclass(frozen=True)
class Schema:
    """What rows mean: `Schema.of(...)` infers it, and `evaluate(part, schema=schema)` reads every part of the data in
    the same way.

    task: "binary", "multiclass", "multilabel", "regression" or "ranking". labels: the classes in the order of their
    codes; for several predicted numbers per row, their names. positive: the class that the score is for. predicted:
    where the predicted labels come from, empty if there are none. scored: whether there are scores (for regression,
    predictions). why_not_probabilities: for a score matrix, empty if it contains probabilities. order: the labels in
    the order of labels=. by: the names of the slicing columns. weighted, grouped: whether there are weights and groups.
    ranking: the rules of a ranking. columns: the columns of a frame. names: the names of the columns in messages.
    """

    task: str
    labels: tuple[Label, ...] = ()
    positive: Label | None = None
    predicted: str = ""
    scored: bool = False
    threshold: float | Thresholds | None = None
    why_not_probabilities: str = field(default="", compare=False)
    order: tuple[Label, ...] | None = None
    by: tuple[str, ...] = ()
    weighted: bool = False
    grouped: bool = False
    ranking: Rules | None = None
    columns: Columns | None = field(default=None, compare=False)
    names: Names = field(default=NAMES, compare=False)

    @classmethod
    def of(
        cls,
        y_true: Any,
        y_pred: Any = None,
        *,
        score: Any = None,
        truth: Any = None,
        pred: Any = None,
        positive: Label | None = None,
        labels: Any = None,
        weights: Any = None,
        by: Any = None,
        groups: Any = None,
        threshold: float | Mapping[Label, float] | None = None,
        missing: Missing = "error",
        task: TaskName | None = None,
    ) -> Schema:
        """Infer what rows mean; the arguments are those of `evaluate`.

        >>> schema = Schema.of(["no", "yes", "no"], [0.2, 0.9, 0.4])
        >>> schema.task, schema.labels, schema.positive
        ('binary', ('no', 'yes'), 'yes')
        """
        from calipers.data import frames
        from calipers.data.columns import Inputs
        from calipers.data.reading import read

        options: dict[str, Any] = {
            "positive": positive, "labels": labels_of(labels), "threshold": threshold, "missing": missing, "task": task,
        }  # fmt: skip
        if isinstance(y_true, (str, PathLike)):
            from calipers.evaluation.evaluate_file import schema_of_file

            if y_pred is not None:
                raise InputError("evaluation.file_without_names")
            named = {"truth": truth, "pred": pred, "score": score, "by": by, "weights": weights, "groups": groups}
            return schema_of_file(y_true, named, options | {"metrics": None})
        if frames.package_of_engine(y_true) is not None:
            from calipers.partitions.evaluate_frame import schema_of_frame

            if y_pred is not None:
                raise InputError("partitions.without_names")
            named = {"truth": truth, "pred": pred, "score": score, "by": by, "weights": weights, "groups": groups}
            return schema_of_frame(y_true, named, options)
        inputs = Inputs.of(y_true, y_pred, score, Columns(truth, pred, None, weights, groups), by)
        batch = read(Settings(**options), *inputs.values, names=inputs.names)
        return replace(batch.schema, columns=inputs.columns)

    @lazy
    def facts(self) -> Task:
        """The facts of the task."""
        return task_of(self.task)

    def __getstate__(self) -> dict[str, Any]:
        return {f.name: getattr(self, f.name) for f in fields(self)}  # the fields only, not cached values

    @lazy
    def plans(self) -> dict[Any, Any]:
        """Cached plans for rows of this schema."""
        return {}

    @lazy
    def code(self) -> int | None:
        """The code of the positive class."""
        return None if self.positive is None else self.labels.index(self.positive)

    @lazy
    def shown(self) -> tuple[Label, ...]:
        """The labels in the order in which they are shown."""
        return self.order or self.labels

    @property
    def second_is_scores(self) -> bool:
        """Whether a single second column contains scores."""
        return self.scored and self.predicted != GIVEN

    def settings(self, settings: Settings) -> Settings:
        """Settings that read rows according to this schema; settings that contradict it raise an error."""
        for name in ("positive", "labels", "threshold", "task"):
            if getattr(settings, name) is not None:
                raise InputError("data.schema_and_argument", name=name)
        if self.facts.ranked:
            raise InputError("data.schema_of_ranking")
        return replace(
            settings,
            task=self.task,  # type: ignore[arg-type]
            labels=None if self.facts.of_numbers or self.facts.clustered else self.shown,
            positive=self.positive,
            threshold=self.threshold,
        )

    def demand(self, batch: Batch) -> None:
        """Raise an error for rows that lack a column of this schema, or have one that it lacks."""
        found = batch.schema
        for name in ("labels", "scored", "by", "weighted", "grouped"):
            if getattr(found, name) != getattr(self, name) and (len(batch) or name != "labels"):
                raise InputError("data.other_schema", name=name, wanted=getattr(self, name), found=getattr(found, name))
        if (found.predicted == "") != (self.predicted == ""):
            raise InputError("data.other_schema", name="predicted", wanted=self.predicted, found=found.predicted)


class HasSchema:
    """What rows, and statistics of rows, say of their meaning: as their schema has it."""

    schema: Schema

    @property
    def task(self) -> str:
        """The task of the rows."""
        return self.schema.task

    @property
    def facts(self) -> Task:
        """The facts of the task."""
        return self.schema.facts

    @property
    def labels(self) -> tuple[Label, ...]:
        """The classes in the order of their codes."""
        return self.schema.labels

    @property
    def positive(self) -> int | None:
        """The code of the positive class."""
        return self.schema.code

    @property
    def why_not_probabilities(self) -> str:
        """Of a score matrix: what keeps it from being probabilities; empty where nothing does."""
        return self.schema.why_not_probabilities


def found(task: str, labels: tuple[Label, ...], **facts: Any) -> Schema:
    """A schema that may have been met before, with what was found out about it since."""
    return _found(tuple(map(type, labels)), task, labels, **facts)


@lru_cache(256)
def _found(kinds: tuple[type, ...], task: str, labels: tuple[Label, ...], **facts: Any) -> Schema:
    """`kinds`, because True and 1 are equal keys."""
    return Schema(task, labels, **facts)
