"""Sketches of scores: brackets contain the exact value, whatever the scores, the budget and the order of merges."""

from __future__ import annotations

from typing import Any

import numpy as np
from checks import Disagreement
from draws import Draw

from calipers.metrics.base import CATALOGUE
from calipers.metrics.values import number
from calipers.metrics.views import Unavailable
from calipers.statistics.base import Statistic
from calipers.statistics.scores import ScoreSamples
from calipers.statistics.sketch import ScoreSketch

BUDGETS = (32, 33, 40, 64, 100, 256, 1000, 4000)
SHAPES = (
    "normal", "ties", "few", "sorted", "descending", "drift", "zoom", "log-uniform", "constant", "infinite", "tiny",
    "probabilities", "rounded", "extreme",
)  # fmt: skip
RANKED = (
    "roc_auc", "gini", "average_precision", "average_precision(interpolation=all-point)",
    "average_precision(interpolation=11-point)", "ks", "eer", "break_even", "partial_auc", "partial_auc(max_fpr=0.5)",
)  # fmt: skip
OF_MARGINS = ("hinge", "logistic_loss")
OF_PROBABILITIES = (
    "log_loss", "brier", "ece", "mce", "reliability", "resolution", "uncertainty", "ece(bins=7)", "mce(bins=2)",
)  # fmt: skip


def sketch(draw: Draw) -> None:
    """One stream of scores in batches, merged in any tree."""
    rng = np.random.default_rng(draw.integer(0, 2**62))
    truth, scores = stream(rng, draw.pick(SHAPES))
    if draw.chance(0.3):
        with np.errstate(over="ignore"):
            scores = scores.astype(np.float32)
    budget = draw.pick(BUDGETS)
    merged, largest = tree(draw, [ScoreSketch.of_samples(x, budget) for x in batches(rng, truth, scores)])
    if largest > budget:
        raise Disagreement(f"{largest} cells in a budget of {budget}")
    if draw.chance(0.2):
        merged = Statistic.from_bytes(merged.to_bytes())
    encloses(merged, ScoreSamples.split(scores, truth, 1, None))


def stream(rng: Any, shape: str) -> tuple[Any, Any]:
    """True classes and scores in the order in which they arrive."""
    n = int(rng.choice([1, 2, 10, 100, 400, 1500]))
    share = rng.choice([0.0, 0.01, 0.2, 0.5, 0.9, 1.0])
    truth = (rng.random(n) < share).astype(np.uint8)
    scores = rng.normal(size=n) + truth * rng.choice([-1.0, 0.0, 0.5, 3.0])
    at = np.arange(n) / n
    if shape == "ties":
        scores = np.round(scores, 1)
    elif shape == "few":
        scores = np.floor(scores)
    elif shape in ("sorted", "descending"):
        order = np.argsort(scores if shape == "sorted" else -scores)
        truth, scores = truth[order], scores[order]
    elif shape == "drift":
        scores = scores + 50 * at
    elif shape == "zoom":
        scores = 0.3 + scores * 10.0 ** (-12 * at)
    elif shape == "log-uniform":
        scores = np.exp(rng.uniform(-600, 600, n)) * rng.choice([1.0, -1.0], n)
    elif shape == "constant":
        scores = np.full(n, rng.choice([0.0, -0.0, 0.5, np.inf, 5e-324]))
    elif shape == "infinite":
        scores[rng.random(n) < 0.3] = np.inf
        scores[rng.random(n) < 0.2] = -np.inf
    elif shape == "tiny":
        scores = scores * 1e-300
    elif shape == "extreme":
        scores = rng.choice([-1.7e308, -1.0, -5e-324, 0.0, 5e-324, 1e-300, 1.0, 1.7e308], n) * rng.choice([1, 0.5], n)
    elif shape in ("probabilities", "rounded"):
        scores = 1 / (1 + np.exp(-scores))
        scores = np.round(scores, 2) if shape == "rounded" else scores
    return truth, scores


def batches(rng: Any, truth: Any, scores: Any) -> list[ScoreSamples]:
    """The stream cut at random, with empty batches and batches of one row."""
    cuts = np.sort(rng.integers(0, len(scores) + 1, int(rng.choice([0, 1, 3, 20]))))
    parts = zip(np.split(truth, cuts), np.split(scores, cuts), strict=True)
    return [ScoreSamples.split(s, y, 1, None) for y, s in parts]


def tree(draw: Draw, parts: list[Any]) -> tuple[Any, int]:
    """All parts merged, and the most cells that any of them had: one after the other, or in a tree drawn at random."""
    largest = max(len(part.low) for part in parts)
    in_order = draw.chance(0.5)
    while len(parts) > 1:
        other = parts.pop(1 if in_order else draw.integer(1, len(parts) - 1))
        at = 0 if in_order else draw.integer(0, len(parts) - 1)
        pair = (parts[at], other) if draw.chance(0.5) else (other, parts[at])
        parts[at] = pair[0].merge(pair[1])
        largest = max(largest, len(parts[at].low))
    return parts[0], largest


def encloses(merged: ScoreSketch, exact: ScoreSamples) -> None:
    """The brackets of a sketch contain the values of the scores behind it."""
    if (int(merged.pos.sum()), int(merged.neg.sum())) != (len(exact.pos), len(exact.neg)):
        raise Disagreement("rows were lost")
    probable = exact.probabilities and exact.rows > 0
    names = RANKED + (OF_PROBABILITIES if probable else ()) + (OF_MARGINS if np.isfinite(exact.range).all() else ())
    with np.errstate(all="ignore"):
        for name in names:
            value = float(number(CATALOGUE[name].formula(exact)))
            if value == value:
                within(name, value, *ends(name, merged))
        best_f1 = exact.walk.f1_max
        if best_f1 == best_f1:
            within("best F1", best_f1, merged.worst.walk.f1_max, merged.best.walk.f1_max)
    for threshold in (0.5, 1 / 15, 0.123, *exact.pos[:1], *exact.neg[-1:]):
        counts, low, high = (s.at(float(threshold)) for s in (exact, merged.worst, merged.best))
        within(f"tp at {threshold}", float(counts.tp), float(low.tp), float(high.tp))
        within(f"fp at {threshold}", float(counts.fp), float(high.fp), float(low.fp))


def ends(name: str, merged: ScoreSketch) -> tuple[float, float]:
    """The bracket of a metric; without bounds where the sketch gives a reason instead."""
    measure = CATALOGUE[name]
    assert measure.metric.ends is not None
    try:
        low, high = measure.metric.ends(measure, merged)
    except Unavailable:
        return -np.inf, np.inf
    return float(number(low)), float(number(high))


def within(name: str, value: float, low: float, high: float) -> None:
    """A value is in its bracket, up to the rounding of sums."""
    slack = 1e-11 * max(1.0, abs(value)) if np.isfinite(value) else 0.0
    if not low - slack <= value <= high + slack:
        raise Disagreement(f"{name} is {value!r}, outside [{low!r}, {high!r}]")
