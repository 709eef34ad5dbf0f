"""What a trial is: a population with a known answer, and the question that users would ask of its samples.

Each kind is a plain description. `harness.py` draws the samples, asks the question and counts the answers.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Columns = dict[str, np.ndarray]
MANY = 200_000  # rows of a finite population; samples are drawn from it with replacement, so its values are the truth


@dataclass(frozen=True)
class Rows:
    """`evaluate` on samples of a finite population; the truth is the same metric of all its rows.

    `whole` makes the columns: y and p as `evaluate` takes them, and weights or clusters if there are any. A sample has
    `n` rows, or all rows of `n` clusters drawn at random. A metric whose value is a p-value is counted by rejections.
    """

    name: str
    whole: Callable[[np.random.Generator], Columns]
    n: int
    metrics: str
    how: Mapping[str, Any] = field(default_factory=dict)
    level: float = 0.95


@dataclass(frozen=True)
class Null:
    """`compare` on models that are equally good: how often a difference is found.

    `draw` makes the truth, the predictions by model, and further columns that `compare` takes.
    """

    name: str
    draw: Callable[[np.random.Generator], tuple[np.ndarray, dict[str, np.ndarray], Columns]]
    metrics: str
    how: Mapping[str, Any] = field(default_factory=dict)
    level: float = 0.95


@dataclass(frozen=True)
class Fits:
    """`cross_validate`, or `bootstrap_validate` where `how` names replicates, of a learner whose true value is known.

    `draw` makes n rows of X and y. The truth is measured on fresh rows: of models of other samples (expected), and of
    the one model that is fitted on all rows of this sample (this model).
    """

    name: str
    draw: Callable[[np.random.Generator, int], tuple[np.ndarray, np.ndarray]]
    n: int
    learner: Callable[[], Any]
    metrics: str
    how: Mapping[str, Any] = field(default_factory=dict)
    level: float = 0.95


@dataclass(frozen=True)
class Queries:
    """The mean of a measure over `n` queries whose values are drawn from `whole`."""

    name: str
    whole: Callable[[np.random.Generator], np.ndarray]
    n: int
    level: float = 0.95


Trial = Rows | Null | Fits | Queries
