"""The value of a metric if truth and predictions were independent."""

from __future__ import annotations

from typing import Any

import numpy as np

from calipers.data.labels import encode, recode
from calipers.evaluation.evaluation import Evaluation
from calipers.validation.models import Answer, taken
from calipers.validation.problems import Problem

PAIRS = 4_000_000  # of a truth and a prediction; with more of them, so many are taken


def no_information(problem: Problem, y: Any, answer: Answer, seed: int = 0) -> Evaluation:
    """The evaluation of every truth with every prediction, all n² pairs.

    With classes that is each prediction beside each class, weighted by its share. Numbers, and sets of labels, are
    turned against each other by every number of places, or by as many as make four million pairs.
    """
    if problem.classes:
        codes = recode(encode(y, "y"), problem.classes)
        shares = np.bincount(codes, minlength=len(problem.classes)) / len(codes)
        truth = np.repeat(np.array(problem.classes), len(codes))
        return problem.measured(truth, _tiled(answer, len(shares)), None, np.repeat(shares, len(codes)))
    rows = len(y) if hasattr(y, "__len__") else y.shape[0]
    turns = np.arange(rows)
    if rows * rows > PAIRS:
        turns = np.random.default_rng(seed).permutation(rows)[: max(1, PAIRS // rows)]
    return problem.measured(taken(y, _turned(rows, turns)), _tiled(answer, len(turns)))


def _turned(rows: int, turns: Any) -> Any:
    return (np.arange(rows) + turns[:, None]).ravel() % rows


def _tiled(answer: Answer, times: int) -> Answer:
    predicted, score = (
        None if x is None else np.tile(x, (times, *([1] * (x.ndim - 1)))) for x in (answer.predicted, answer.score)
    )
    return Answer(predicted, score)
