"""Bands around curves: pointwise at fixed rates, recalls and bins, and simultaneous over a whole ROC curve.

A point is within the rule where five rows are expected on either side of its threshold, in both classes for ROC and PR.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import ndtr

import calipers as cal
from calipers.inference.bands import height
from trials.areas.classification import SHAPES, STRENGTHS, Scored, half_way, mixture, two
from trials.cells import Answer, Ready, drawn
from trials.draws import BINARY, Generator, labels
from trials.promises import FEW, Promise

GRID = np.linspace(-9, 14, 23_001)
RATES = np.array([0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8])
RECALLS = np.array([0.1, 0.2, 0.4, 0.6, 0.8, 0.9])
DENSE = np.linspace(0, 1, 1001)[1:-1]
BINS = 10
CURVES = {
    "weak": ([(1.0, 0.74, 1.0)], [(1.0, 0.0, 1.0)]),
    "strong": ([(1.0, 1.99, 1.0)], [(1.0, 0.0, 1.0)]),
    "wide positives": SHAPES["wide positives"],
    "narrow positives": SHAPES["narrow positives"],
}
SIZES = ((30, 0.5), (100, 0.5), (100, 0.1), (1000, 0.5), (1000, 0.1), (1000, 0.02))


def tails(parts: list) -> np.ndarray:
    """The chance of a score above each point of the grid, rising."""
    return sum(w * ndtr((mean - GRID) / sd) for w, mean, sd in parts)[::-1]


def between(c, at: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Whether the band holds the curve there: from the foot of a vertical piece to its top."""
    return (height(c.fpr, c.low, at, top=False) <= truth + 1e-9) & (truth - 1e-9 <= height(c.fpr, c.high, at, top=True))


@dataclass(frozen=True)
class Curve:
    """ROC and precision-recall bands of scores that are mixtures of normals."""

    shape: str
    n: int
    share: float
    level: float = 0.95

    @property
    def name(self) -> str:
        return f"{self.shape}, {self.n} rows, {self.share:g}"

    def ready(self) -> Ready:
        pos, neg = CURVES[self.shape]
        above, alarms = tails(pos), tails(neg)
        tpr, whole, fpr = (
            np.interp(RATES, alarms, above),
            np.interp(DENSE, alarms, above),
            np.interp(RECALLS, above, alarms),
        )
        precision = self.share * RECALLS / (self.share * RECALLS + (1 - self.share) * fpr)

        def ask(rng: Generator) -> dict[str, Answer]:
            ev = self.evaluation(rng)
            roc, pr = ev.curve("roc", band="pointwise"), ev.curve("pr", band="pointwise")
            at = np.searchsorted(pr.recall, RECALLS - 1e-12)
            covered = np.r_[between(roc, RATES, tpr), (pr.low[at] <= precision) & (precision <= pr.high[at]),
                         between(ev.curve("roc", band="simultaneous"), DENSE, whole).all()]  # fmt: skip
            return {key: Answer(True, bool(inside)) for key, inside in zip(keys, covered, strict=True)}

        few = [*self.few(tpr, RATES), *self.few(RECALLS, fpr)]
        keys = [
            *(f"ROC, pointwise, at {x:g}" for x in RATES),
            *(f"PR, pointwise, at {x:g}" for x in RECALLS),
            "ROC, simultaneous",
        ]
        return Ready(ask, dict(zip(keys, [*map(Promise, few), Promise(wide=True)], strict=True)))

    def evaluation(self, rng: Generator) -> cal.Evaluation:
        y = labels(rng, self.share, self.n)
        while not 0 < y.sum() < self.n:
            y = labels(rng, self.share, self.n)
        pos, neg = CURVES[self.shape]
        score = np.where(y == 1, mixture(rng, self.n, pos), mixture(rng, self.n, neg))
        return cal.evaluate(y, score, threshold=1.0, level=self.level, **BINARY)

    def few(self, tpr: np.ndarray, fpr: np.ndarray) -> Iterator[bool]:
        positives, negatives = self.n * self.share, self.n * (1 - self.share)
        for a, b in zip(tpr, fpr, strict=True):
            yield bool(min(positives * min(a, 1 - a), negatives * min(b, 1 - b)) < FEW)


@dataclass(frozen=True)
class Bins:
    """The bins of a calibration curve; a sample without rows in a bin has no interval there."""

    strength: str
    n: int
    share: float
    level: float = 0.95

    @property
    def name(self) -> str:
        return f"calibration: {self.strength}, {self.n} rows, {self.share:g}"

    def ready(self) -> Ready:
        how = BINARY | {"threshold": half_way(self.strength, self.share)}
        rows = Scored(self.name, partial(two, self.strength, self.share), self.n, "", how)
        whole = rows.whole(np.random.default_rng(1))
        pick = drawn(whole, self.n)
        true = rows.evaluation(whole).curve("calibration", bins=BINS)
        truth = dict(zip((f"calibration, pointwise, from {x:g}" for x in true.begin), true.outcome, strict=True))

        def ask(rng: Generator) -> dict[str, Answer]:
            c = rows.evaluation(pick(rng)).curve("calibration", bins=BINS, band="pointwise")
            ends = {
                f"calibration, pointwise, from {x:g}": ends for x, *ends in zip(c.begin, c.low, c.high, strict=True)
            }
            return {key: Answer(True, bool(low <= truth[key] <= high)) for key, (low, high) in ends.items()}

        expected = true.rows * (self.n / true.rows.sum())
        few = expected * np.minimum(true.outcome, 1 - true.outcome) < FEW
        return Ready(
            ask, {key: Promise(few=bool(f), judged=e >= 0.25) for key, f, e in zip(truth, few, expected, strict=True)}
        )


def parts() -> dict[str, list[Curve | Bins]]:
    return {
        "ROC and precision-recall": [Curve(shape, n, share) for n, share in reversed(SIZES) for shape in CURVES],
        "calibration": [Bins(strength, n, share) for n, share in SIZES for strength in STRENGTHS],
    }
