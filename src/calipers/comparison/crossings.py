"""Whether one curve is above another, or where they cross. This describes only these rows."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.cached import lazy
from calipers.choices import Lang
from calipers.errors import InputError
from calipers.evaluation.curve import Curve

Array = npt.NDArray[Any]
AXES = {"roc": "fpr", "pr": "recall"}
LEVEL = 1e-12  # curves closer than this are taken as equal


@dataclass(frozen=True)
class Crossing:
    """Which of two curves is above on which part of the axis; None where the curves coincide."""

    kind: str
    first: str
    second: str
    stretches: tuple[tuple[float, float, str | None], ...]

    @property
    def axis(self) -> str:
        """The name of the axis."""
        return AXES[self.kind]

    @lazy
    def dominates(self) -> str | None:
        """The model whose curve is nowhere below the other and somewhere above it."""
        led = {name for *_, name in self.stretches if name is not None}
        return led.pop() if len(led) == 1 else None

    @property
    def crossings(self) -> tuple[float, ...]:
        """Where the curves cross."""
        led = [(low, name) for low, _, name in self.stretches if name is not None]
        return tuple(low for (_, before), (low, name) in pairwise(led) if name != before)

    @lazy
    def count(self) -> int:
        """How often the curves cross."""
        return len(self.crossings)

    @lazy
    def shares(self) -> dict[str, float]:
        """The proportion of the axis on which each model is above."""
        models = (self.first, self.second)
        return {name: float(sum(high - low for low, high, who in self.stretches if who == name)) for name in models}

    def share(self, name: str) -> float:
        """The proportion of the axis on which a model is above."""
        return self.shares.get(name, 0.0)

    def say(self, lang: Lang | None = None) -> str:
        """Which curve is above, in a sentence; lang: "en", "vi" or "zh"."""
        from calipers.report.comparison import crossing_text

        return crossing_text(self, lang)

    def __repr__(self) -> str:
        return self.say()


def crossing(kind: str, first: str, a: Curve, second: str, b: Curve) -> Crossing:
    """Compare two ROC curves over the false positive rate, or two PR curves over recall."""
    if kind not in AXES:
        raise InputError("comparison.curves_not_compared", kind=kind)
    ends = _polyline if kind == "roc" else _steps
    x = np.concatenate(([0.0], a.x, b.x, [1.0]))
    x.sort(kind="stable")  # a stable sort merges columns that are already sorted
    x = x[_first_of_each(x)]
    x = x[np.isfinite(x)]
    # At the two ends of each stretch between points.
    left, right = (of_a - of_b for of_a, of_b in zip(ends(a, x), ends(b, x), strict=True))
    if np.isnan(left).any() or np.isnan(right).any():
        raise InputError("comparison.no_curves")
    left, right = (np.where(np.abs(gap) < LEVEL, 0.0, gap) for gap in (left, right))
    turn = left * right < 0  # the lead changes inside the stretch, where the straight lines meet
    inside = x[:-1][turn] + np.diff(x)[turn] * left[turn] / (left[turn] - right[turn])
    begins = np.concatenate((x[:-1], inside))
    leads = np.concatenate((np.sign(np.where(turn, left, left + right)), np.sign(right[turn])))
    order = np.argsort(begins, kind="stable")
    begins, leads = begins[order], leads[order]
    changes = np.flatnonzero(np.diff(leads, prepend=np.nan) != 0)
    starts, who = begins[changes].tolist(), [{1: first, -1: second}.get(int(lead)) for lead in leads[changes]]
    return Crossing(kind, first, second, tuple(zip(starts, [*starts[1:], 1.0], who, strict=True)))


def _polyline(curve: Curve, x: Array) -> tuple[Array, Array]:
    """The curve just right of each point and just left of the next: it may rise straight up at a point."""
    first = _first_of_each(curve.x)
    last = np.append(first[1:], len(curve.x)) - 1
    where, lowest, highest = curve.x[first], curve.y[first], curve.y[last]
    at = np.searchsorted(where, x, "right") - 1  # the corner at or left of each point

    def between(point: Array, left: Array) -> Array:
        right = np.minimum(left + 1, len(where) - 1)
        width = np.where(right > left, where[right] - where[left], 1.0)
        return np.asarray(highest[left] + (lowest[right] - highest[left]) * (point - where[left]) / width)

    return between(x[:-1], at[:-1]), between(x[1:], at[:-1])


def _steps(curve: Curve, x: Array) -> tuple[Array, Array]:
    """The precision with which each recall is reached: constant between points."""
    backwards = len(curve.x) > 0 and curve.x[0] > curve.x[-1]
    recall, precision = (column[::-1] if backwards else column for column in (curve.x, curve.y))
    first = _first_of_each(recall)
    recall, precision = recall[first], np.fmax.reduceat(precision, first)
    at = np.minimum(np.searchsorted(recall, x[1:], "left"), len(recall) - 1)
    reached = precision[at]
    return reached, reached


def _first_of_each(column: Array) -> Array:
    """Where each value of a column in order begins."""
    return np.flatnonzero(np.append(True, column[1:] != column[:-1]))
