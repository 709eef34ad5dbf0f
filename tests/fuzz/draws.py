"""Random inputs for the fuzzer: ordinary problems, the containers they come in, and what no caller should pass."""

from __future__ import annotations

import math
import random
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

SIZES = (1, 2, 3, 5, 8, 12, 40)
PAIRS = ((0, 1), (False, True), (-1, 1), ("no", "yes"), ("BAD", "GOOD"), ("0", "1"))
NAMES = ((0, 1, 2, 3, 4), ("ab", "b", "c", "é", "京"), (-7, 0, 3, 10**12, 2**40), ("1", "2", "10", "x y", "NA"))


class Draw:
    """A source of random choices: the same seed, target and case always give the same input."""

    def __init__(self, seed: int, target: str, case: int) -> None:
        self.random = random.Random(f"{seed}/{target}/{case}")
        self.chance = lambda share: self.random.random() < share
        self.integer = self.random.randint
        self.number = self.random.random
        self.normal = lambda: self.random.gauss(0.0, 1.0)

    def pick(self, values: Sequence[Any]) -> Any:
        """One of the values."""
        return values[int(self.random.random() * len(values))]


@dataclass(frozen=True)
class Problem:
    """One call of `evaluate`, with plain lists as arguments; `ordinary` until something hostile is put in."""

    kind: str
    truth: Any
    pred: Any = None
    score: Any = None
    weights: Any = None
    labels: tuple[Any, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)
    ordinary: bool = True


def problem(draw: Draw) -> Problem:
    """An ordinary problem of any task."""
    kind = draw.pick(("binary labels", "probabilities", "margins", "classes", "matrix", "label sets", "numbers"))
    n = draw.pick(SIZES)
    made = MAKERS[kind](draw, n)
    if draw.chance(0.3):
        made = replace(made, weights=[draw.pick((0.25, 1.0, 2.0, 3.0, draw.number() + 0.01)) for _ in range(n)])
    if draw.chance(0.15):
        made.options["by"] = {"region": [draw.pick(("north", "south")) for _ in range(n)]}
    if n > 1 and draw.chance(0.1):
        made.options["groups"] = [row % 2 if row < 2 else draw.integer(0, max(1, n // 3)) for row in range(n)]
    if draw.chance(0.1):
        made.options["level"] = draw.pick((0.5, 0.8, 0.9, 0.99, 0.999))
    return made


def _scores(draw: Draw, codes: list[int], probabilities: bool) -> list[float]:
    digits, shift = draw.pick((1, 2, 16)), draw.pick((-1.0, 0.0, 1.0, 3.0))
    raw = [draw.normal() + shift * code for code in codes]
    return [round(1 / (1 + math.exp(-x)) if probabilities else x, digits) for x in raw]


def _codes(draw: Draw, n: int, classes: int) -> list[int]:
    rare = draw.chance(0.3)
    return [0 if rare and draw.chance(0.8) else draw.integer(0, classes - 1) for _ in range(n)]


def _binary_labels(draw: Draw, n: int) -> Problem:
    names, codes = draw.pick(PAIRS), _codes(draw, n, 2)
    pred = [c if draw.chance(0.7) else draw.integer(0, 1) for c in codes]
    options = {"labels": names, "positive": names[1]}
    return Problem("binary labels", [names[c] for c in codes], [names[c] for c in pred], None, None, names, options)


def _probabilities(draw: Draw, n: int) -> Problem:
    names, codes = draw.pick(PAIRS), _codes(draw, n, 2)
    score = _scores(draw, codes, probabilities=True)
    options: dict[str, Any] = {"labels": names, "positive": names[1]}
    if draw.chance(0.3):
        options["threshold"] = draw.pick((0.1, 0.3, 0.5, 0.9))
    return Problem("probabilities", [names[c] for c in codes], None, score, None, names, options)


def _margins(draw: Draw, n: int) -> Problem:
    names, codes = draw.pick(PAIRS), _codes(draw, n, 2)
    options = {"labels": names, "positive": names[1], "threshold": draw.pick((-1.0, 0.0, 0.7))}
    score = _scores(draw, codes, probabilities=False)
    return Problem("margins", [names[c] for c in codes], None, score, None, names, options)


def _classes(draw: Draw, n: int) -> Problem:
    k = draw.integer(2, 5)
    names, codes = draw.pick(NAMES)[:k], _codes(draw, n, k)
    pred = [c if draw.chance(0.6) else draw.integer(0, k - 1) for c in codes]
    options = {"task": "multiclass"}
    return Problem("classes", [names[c] for c in codes], [names[c] for c in pred], None, None, names, options)


def _matrix(draw: Draw, n: int) -> Problem:
    k = draw.integer(3, 5)
    names, codes = draw.pick(NAMES)[:k], _codes(draw, n, k)
    rows = []
    for code in codes:
        raw = [math.exp(draw.normal() + (j == code)) for j in range(k)]
        rows.append([x / sum(raw) for x in raw])
    return Problem("matrix", [names[c] for c in codes], None, rows, None, names, {"labels": names})


def _label_sets(draw: Draw, n: int) -> Problem:
    k = draw.integer(2, 4)
    truth = [[int(draw.chance(0.4)) for _ in range(k)] for _ in range(n)]
    pred = [[cell if draw.chance(0.7) else 1 - cell for cell in row] for row in truth]
    return Problem("label sets", truth, pred, None, None, tuple(range(k)), {"task": "multilabel"})


def _numbers(draw: Draw, n: int) -> Problem:
    scale, positive = draw.pick((1e-3, 1.0, 50.0, 1e6)), draw.chance(0.5)
    truth = [scale * (math.exp(draw.normal()) if positive else draw.normal()) for _ in range(n)]
    pred = [x * math.exp(0.3 * draw.normal()) if positive else x + scale * 0.5 * draw.normal() for x in truth]
    return Problem("numbers", truth, pred, None, None, (), {"task": "regression"})


MAKERS: dict[str, Callable[[Draw, int], Problem]] = {
    "binary labels": _binary_labels,
    "probabilities": _probabilities,
    "margins": _margins,
    "classes": _classes,
    "matrix": _matrix,
    "label sets": _label_sets,
    "numbers": _numbers,
}


def contained(draw: Draw, values: Any) -> Any:
    """The same values in another container; lists of rows stay lists or become arrays."""
    if not isinstance(values, list):
        return values
    nested = bool(values) and isinstance(values[0], list)
    make = draw.pick(NESTED if nested else FLAT)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return make(values)
    except (Exception, pl.exceptions.PanicException):  # the container refuses such cells, each in its own words
        return values


def _strided(values: list[Any]) -> Any:
    array = np.array(values)
    return np.repeat(array, 2, axis=0)[::2]


def _frozen(values: list[Any]) -> Any:
    array = np.array(values)
    array.flags.writeable = False
    return array


def _objects(values: list[Any]) -> Any:
    array = np.empty(len(values), object)
    array[:] = values
    return array


def _arrow(values: list[Any]) -> Any:
    cells = [cell for v in values for cell in (v if isinstance(v, list) else [v])]
    if any(isinstance(cell, np.datetime64) for cell in cells):
        raise TypeError("pyarrow ends the process when dates stand beside other values")
    return pa.array(values)


FLAT: tuple[Callable[[list[Any]], Any], ...] = (
    list,
    tuple,
    np.array,
    _strided,
    _frozen,
    _objects,
    pd.Series,
    lambda v: pd.Series(v, dtype="category"),
    pl.Series,
    _arrow,
    lambda v: pa.chunked_array([_arrow(v)]),
    lambda v: np.array(v)[::-1].copy()[::-1],
)
NESTED: tuple[Callable[[list[Any]], Any], ...] = (
    list,
    np.array,
    lambda v: np.asfortranarray(np.array(v)),
    _strided,
    _frozen,
    lambda v: tuple(map(tuple, v)),
    pd.DataFrame,
)
