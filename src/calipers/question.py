"""What a user asks for: one frozen value, shared by every entrance and printed as the definitions used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from calipers.errors import InputError

Label = bool | int | str

TASKS = ("binary", "multiclass", "multilabel", "regression")
MISSING = ("error", "drop")
TIES = {"id": "by document id, descending", "mean": "the mean over all orders", "order": "in the order given"}
UNJUDGED = {"zero": "not relevant", "drop": "left out of the ranking"}
ABSENT = {"zero": "measured as 0", "skip": "left out of the means"}
NO_RELEVANT = {"zero": "measured as 0", "one": "measured as 1", "skip": "left out of the means"}


@dataclass(frozen=True)
class Rules:
    """How a ranking is read. `ties` is None until it is known whether documents have ids."""

    ties: str | None = None
    unjudged: str = "zero"
    missing: str = "zero"
    no_relevant: str = "zero"

    def __post_init__(self) -> None:
        known = {"ties": TIES, "unjudged": UNJUDGED, "missing": ABSENT, "no_relevant": NO_RELEVANT}
        for name, words in known.items():
            given = getattr(self, name)
            if given not in words and not (name == "ties" and given is None):
                listed = " or ".join(f'"{word}" ({meaning})' for word, meaning in words.items())
                raise InputError(f"{name}={given!r} is not known: pass {listed}")


@dataclass(frozen=True)
class Question:
    """The definitions that turn rows into numbers. `interval`: a method for all metrics that can have it, or one each;
    `seed` and `replicates` are those of bootstrap intervals; `ranking` is there where documents are ranked.

    >>> Question(level=0.9).level
    0.9
    >>> Question(level=95)
    Traceback (most recent call last):
    ...
    calipers.errors.InputError: level=95 is not a confidence level: pass a number between 0 and 1, such as 0.95
    """

    positive: Label | None = None
    labels: tuple[Label, ...] | None = None
    threshold: float | None = None
    level: float = 0.95
    metrics: tuple[str, ...] | None = None
    missing: str = "error"
    task: str | None = None
    interval: str | Mapping[str, str] | None = None
    seed: int = 0
    replicates: int = 1000
    ranking: Rules | None = None

    def __post_init__(self) -> None:
        if self.labels is not None:
            object.__setattr__(self, "labels", tuple(map(_plain, self.labels)))
        object.__setattr__(self, "positive", _plain(self.positive))
        if self.threshold is not None:
            object.__setattr__(self, "threshold", float(self.threshold))
        if self.metrics is not None:
            names = (self.metrics,) if isinstance(self.metrics, str) else tuple(map(str, self.metrics))
            object.__setattr__(self, "metrics", names)
        if isinstance(self.ranking, Mapping):  # from a document
            object.__setattr__(self, "ranking", Rules(**self.ranking))
        if not 0 < self.level < 1:
            raise InputError(
                f"level={self.level!r} is not a confidence level: pass a number between 0 and 1, such as 0.95"
            )
        if self.interval is not None and not isinstance(self.interval, str):
            object.__setattr__(self, "interval", {str(name): method for name, method in self.interval.items()})
        for name, least in (("seed", 0), ("replicates", 10)):
            given = _plain(getattr(self, name))
            if isinstance(given, bool) or not isinstance(given, int) or not least <= given < 2**63:
                raise InputError(f"{name}={given!r} is not known: pass a whole number, {least} or more")
            object.__setattr__(self, name, given)
        if self.missing not in MISSING:
            raise InputError(f'missing={self.missing!r} is not known: pass "error" or "drop"')
        if self.task is not None and self.task not in TASKS:
            raise InputError(f"task={self.task!r} is not known: pass one of {', '.join(TASKS)}")
        if self.threshold is not None and self.threshold != self.threshold:
            raise InputError("threshold is NaN: pass a number")
        if self.labels is not None and len(set(self.labels)) != len(self.labels):
            raise InputError(f"labels={list(self.labels)!r} names a label twice")

    def definitions(self) -> dict[str, Any]:
        """The fields as plain values, for the document."""
        return {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(self).items()}


def _plain(label: Any) -> Any:
    """A label as Python's own type, where NumPy's was given."""
    return label.item() if hasattr(label, "item") and hasattr(label, "dtype") else label


DEFAULT = Question()
