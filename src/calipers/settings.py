"""The options of a call: one frozen value, shared by all functions and printed as the definitions used."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, get_args

from calipers.choices import IntervalMethod, Missing, MissingQueries, NoRelevant, TaskName, Ties, Unjudged
from calipers.errors import InputError
from calipers.remarks import Remark
from calipers.tasks import Task, task_of

Label = bool | int | str
Thresholds = tuple[tuple[Label, float], ...]  # one for each label

TASK_NAMES: tuple[TaskName, ...] = get_args(TaskName)
MISSING: tuple[Missing, ...] = get_args(Missing)
TIES: dict[Ties, str] = {
    "id": Remark("settings.ties_id"), "mean": Remark("settings.ties_mean"), "order": Remark("settings.ties_order"),
}  # fmt: skip
TIES_OF_ITEMS: dict[Ties, str] = {
    "id": Remark("recommendation.ties_id"), "mean": Remark("recommendation.ties_mean"),
    "order": Remark("recommendation.ties_order"),
}  # fmt: skip
UNJUDGED: dict[Unjudged, str] = {
    "zero": Remark("settings.not_relevant"), "drop": Remark("settings.left_out_of_ranking"),
}  # fmt: skip
AS_0, SKIPPED = Remark("settings.measured_as", value=0), Remark("settings.left_out_of_means")
ABSENT: dict[MissingQueries, str] = {"zero": AS_0, "skip": SKIPPED}
NO_RELEVANT: dict[NoRelevant, str] = {"zero": AS_0, "one": Remark("settings.measured_as", value=1), "skip": SKIPPED}


@dataclass(frozen=True)
class Rules:
    """How a ranking is read. `ties` is None until it is known whether documents have ids."""

    ties: Ties | None = None
    unjudged: Unjudged = "zero"
    missing_queries: MissingQueries = "zero"
    no_relevant: NoRelevant = "zero"

    def __post_init__(self) -> None:
        chosen: tuple[tuple[Any, Iterable[Any], str], ...] = (
            (self.ties, [*TIES, None], "settings.unknown_ties"),
            (self.unjudged, UNJUDGED, "settings.unknown_unjudged"),
            (self.missing_queries, ABSENT, "settings.unknown_missing_queries"),
            (self.no_relevant, NO_RELEVANT, "settings.unknown_no_relevant"),
        )
        for value, known, code in chosen:
            if value not in [*known]:
                raise InputError(code, value=value)


@dataclass(frozen=True)
class Settings:
    """The definitions that turn rows into numbers. `interval`: a method for all metrics that can have it, or one each;
    `seed` and `replicates` are those of bootstrap intervals; `ranking` is there where documents are ranked.

    >>> Settings(level=0.9).level
    0.9
    >>> Settings(level=95)
    Traceback (most recent call last):
    ...
    calipers.errors.InputError: level=95 is not a confidence level: pass a number between 0 and 1, such as 0.95
    """

    positive: Label | None = None
    labels: tuple[Label, ...] | None = None
    threshold: float | Thresholds | None = None
    level: float = 0.95
    metrics: tuple[str, ...] | None = None
    missing: Missing = "error"
    task: TaskName | None = None
    interval: IntervalMethod | Mapping[str, IntervalMethod] | None = None
    seed: int = 0
    replicates: int = 1000
    ranking: Rules | None = None

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "positive", _label(self.positive, "positive"))
        put(self, "labels", labels_of(self.labels))
        if self.threshold is not None:
            put(self, "threshold", threshold_of(self.threshold))
        put(self, "level", level_of(self.level))
        put(self, "metrics", metric_names(self.metrics))
        if isinstance(self.ranking, Mapping):  # from a document
            put(self, "ranking", Rules(**self.ranking))
        if self.interval is not None and not isinstance(self.interval, str):
            if not isinstance(self.interval, Mapping):
                raise InputError("settings.unknown_interval", value=self.interval)
            put(self, "interval", {str(name): method for name, method in self.interval.items()})
        for name, least in (("seed", 0), ("replicates", 10)):
            value = _plain(getattr(self, name))
            if isinstance(value, bool) or not isinstance(value, int) or not least <= value < 2**63:
                raise InputError("settings.not_a_whole_number", name=name, value=value, least=least)
            put(self, name, value)
        if self.missing not in MISSING:
            raise InputError("settings.unknown_missing", value=self.missing)
        if self.task is not None and self.task not in TASK_NAMES:
            raise InputError("settings.unknown_task", value=self.task, known=TASK_NAMES)

    @property
    def facts(self) -> Task:
        """The facts of the task that was asked for; none holds where the rows decide."""
        return task_of(self.task)

    def definitions(self) -> dict[str, Any]:
        """The fields as plain values, for the document."""
        return {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(self).items()}


def number(name: str, value: Any) -> float:
    """An argument as a number; anything else is an error that names it.

    >>> number("threshold", [0.1, 0.2])
    Traceback (most recent call last):
    ...
    calipers.errors.InputError: threshold=[0.1, 0.2] is not a number: pass one, such as 0.5
    """
    value = _plain(value)
    if type(value) is float or (isinstance(value, (int, float)) and not isinstance(value, bool)):
        result = float(value) if abs(value) < 1e308 or value != value else math.copysign(math.inf, value)
        if result == result:
            return result
    raise InputError("settings.not_a_number", name=name, value=value)


def threshold_of(value: Any) -> float | Thresholds:
    """A threshold, or one for each label as pairs; a document has pairs too.

    >>> threshold_of({"news": 0.3, "sport": 0.6})
    (('news', 0.3), ('sport', 0.6))
    """
    pairs = list(value.items()) if isinstance(value, Mapping) else value
    if isinstance(pairs, (list, tuple)) and pairs and all(isinstance(p, (list, tuple)) and len(p) == 2 for p in pairs):
        return tuple((_label(label, "threshold"), number("threshold", each)) for label, each in pairs)
    return number("threshold", value)


def level_of(value: Any) -> float:
    """A confidence level. A widened one stays so: its Student quantiles are not those of the plain number."""
    if isinstance(value := _plain(value), float) and 0 < value < 1:
        return value
    raise InputError("settings.not_a_level", value=value)


def labels_of(value: Any) -> tuple[Label, ...] | None:
    """The labels given as a tuple; None where none were given."""
    if value is None:
        return None
    listed = isinstance(value, Iterable) and getattr(value, "ndim", 1) == 1
    if isinstance(value, (str, bytes, Mapping)) or not listed:
        raise InputError("settings.labels_not_a_list", value=value)
    labels = tuple(_label(v, "labels") for v in value)
    if len(set(labels)) != len(labels):
        raise InputError("settings.label_twice", labels=list(labels))
    return labels


def _label(value: Any, name: str) -> Any:
    value = _plain(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)  # as in a column of labels
    if value is not None and not isinstance(value, (bool, int, str)):
        raise InputError("settings.not_a_label", name=name, value=value)
    if value is None and name == "labels":
        raise InputError("settings.label_none")
    return value


def metric_names(value: Any) -> tuple[str, ...] | None:
    """The names of metrics, or of metrics themselves, which print as their names; None where none were given."""
    if value is None:
        return None
    if isinstance(value, str) or (hasattr(value, "metric") and callable(value)):
        return (str(value),)
    if not isinstance(value, Iterable) or isinstance(value, (bytes, Mapping)):
        raise InputError("settings.metrics_not_names", value=value)
    try:
        names = tuple(map(str, value))
    except TypeError:  # an array without a length
        raise InputError("settings.metrics_not_a_list", value=value) from None
    if not names:
        raise InputError("settings.metrics_empty")
    return names


def _plain(value: Any) -> Any:
    """A value as Python's own type, where NumPy's was given."""
    if not (hasattr(value, "item") and hasattr(value, "dtype")):
        return value
    try:
        return value.item()
    except (TypeError, ValueError, RuntimeError):  # an array of several values: refused later
        return value


DEFAULT = Settings()
OF_NUMBERS = Settings(task="regression")
OF_CLUSTERS = Settings(task="clustering")
