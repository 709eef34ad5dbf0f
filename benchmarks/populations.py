"""Populations with known truth, for coverage_trials.py and band_trials.py, and plain forms of two influences."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit, logit, ndtri, softmax

import calipers as cal

Draw = Callable[[np.random.Generator, int], dict[str, Any]]
GRID = np.linspace(-9, 14, 23_001)
MANY = 200_000  # rows that stand for a population which no grid describes


@dataclass(frozen=True)
class Population:
    """Rows drawn at random, and all of it: weighted rows whose metrics are the truth."""

    name: str
    share: float
    draw: Draw
    whole: dict[str, Any]
    how: dict[str, Any]

    def evaluate(self, rows: dict[str, Any], **more: Any) -> cal.Evaluation:
        return cal.evaluate(rows["truth"], rows["score"], **self.how, **more)

    def truth(self, n: int, **more: Any) -> cal.Evaluation:
        """The evaluation of the population, its weights adding up to n rows."""
        weights = self.whole["weights"]
        return self.evaluate(self.whole, weights=weights * (n / weights.sum()), **more)


def mixture(*parts: tuple[float, float, float]) -> tuple[Callable, np.ndarray]:
    """How to draw from normals (weight, mean, sd), and their density on the grid."""
    weights, means, sds = (np.array(column) for column in zip(*parts, strict=True))

    def draw(rng: np.random.Generator, m: int) -> np.ndarray:
        which = rng.choice(len(weights), m, p=weights) if len(weights) > 1 else np.zeros(m, int)
        return means[which] + sds[which] * rng.standard_normal(m)

    each = weights * np.exp(-(((GRID[:, None] - means) / sds) ** 2) / 2) / sds
    return draw, each.sum(1)


def of_mixtures(name: str, share: float, pos: tuple, neg: tuple, score: Callable, cut: float) -> Population:
    """Two classes whose scores, before `score` maps them, are mixtures of normals; labels are cut at `cut`."""
    (of_pos, pos_density), (of_neg, neg_density) = mixture(*pos), mixture(*neg)

    def draw(rng: np.random.Generator, n: int) -> dict[str, Any]:
        truth = rng.random(n) < share
        x = np.where(truth, of_pos(rng, n), of_neg(rng, n))
        return {"truth": truth.astype(np.int8), "score": score(x)}

    weights = np.r_[share * pos_density / pos_density.sum(), (1 - share) * neg_density / neg_density.sum()]
    held = weights > 1e-14
    whole = {
        "truth": np.repeat([1, 0], len(GRID))[held],
        "score": np.tile(score(GRID), 2)[held],
        "weights": weights[held],
    }
    how = {"labels": (0, 1), "positive": 1, "threshold": float(score(np.array(cut)))}
    return Population(name, share, draw, whole, how)


def binary(strength: str, share: float) -> Population:
    """Binormal scores as probabilities: calibrated with AUC 0.7, or with AUC 0.92 and overconfident."""
    auc, sharpen = {"weak": (0.7, 1.0), "strong": (0.92, 1.5)}[strength]
    shift = math.sqrt(2) * float(ndtri(auc))

    def probability(x: np.ndarray) -> np.ndarray:
        return expit(sharpen * (shift * x - shift**2 / 2 + logit(share)))

    return of_mixtures(strength, share, [(1.0, shift, 1.0)], [(1.0, 0.0, 1.0)], probability, shift / 2)


# Shapes on which average precision and the AUC are hard, among them a few negatives among or above the best positives.
SHAPES: dict[str, tuple] = {
    "wide positives": ([(1.0, 1.5, 2.0)], [(1.0, 0.0, 1.0)]),
    "narrow positives": ([(1.0, 1.43, 0.5)], [(1.0, 0.0, 1.0)]),
    "mixed positives": ([(0.9, 3.0, 1.0), (0.1, 0.0, 1.0)], [(1.0, 0.0, 1.0)]),
    "5 % of negatives like positives": ([(1.0, 3.0, 0.7)], [(0.95, 0.0, 1.0), (0.05, 3.0, 1.0)]),
    "1 % of negatives like positives": ([(1.0, 3.0, 0.7)], [(0.99, 0.0, 1.0), (0.01, 3.0, 1.0)]),
    "2 % of negatives above": ([(1.0, 2.0, 1.0)], [(0.98, 0.0, 1.0), (0.02, 5.0, 0.5)]),
}


def shaped(shape: str, share: float) -> Population:
    """Scores of a hard shape; they are no probabilities."""
    return of_mixtures(shape, share, *SHAPES[shape], lambda x: x, 1.0)


def several(strength: str, share: float) -> Population:
    """Three classes, the last one with this share, and calibrated probabilities."""
    shares = np.array([0.5, 0.3, 0.2] if share == 0.5 else [0.7 - share, 0.3, share])
    shift = {"weak": 1.0, "strong": 2.2}[strength]

    def draw(rng: np.random.Generator, n: int) -> dict[str, Any]:
        truth = rng.choice(3, n, p=shares)
        x = rng.standard_normal((n, 3)) + shift * np.eye(3)[truth]
        return {"truth": truth, "score": softmax(shift * x + np.log(shares), axis=1)}

    return Population(strength, share, draw, _sampled(draw), {"labels": (0, 1, 2), "task": "multiclass"})


def labelled(strength: str, share: float) -> Population:
    """Rows with any of three labels, which depend on each other; the last has this share."""
    cuts = ndtri(1 - np.array([0.4, 0.25, share]))
    shift = {"weak": 0.8, "strong": 2.0}[strength]

    def draw(rng: np.random.Generator, n: int) -> dict[str, Any]:
        common = rng.standard_normal((n, 1))
        truth = math.sqrt(0.4) * common + math.sqrt(0.6) * rng.standard_normal((n, 3)) > cuts
        x = shift * truth + math.sqrt(0.3) * rng.standard_normal((n, 1)) + math.sqrt(0.7) * rng.standard_normal((n, 3))
        return {"truth": truth.astype(np.int8), "score": expit(2 * (x - shift / 2 - cuts / 4))}

    return Population(strength, share, draw, _sampled(draw), {"labels": ("a", "b", "c"), "task": "multilabel"})


def _sampled(draw: Draw) -> dict[str, Any]:
    return {**draw(np.random.default_rng(1), MANY), "weights": np.ones(MANY)}


def placements(truth: np.ndarray, score: np.ndarray) -> tuple[float, float, float, int, int]:
    """The AUC and the sums of squared deviations of the placement values, by two sorted samples."""
    positives, negatives = np.sort(score[truth]), np.sort(score[~truth])

    def below(others: np.ndarray, own: np.ndarray) -> np.ndarray:
        return (np.searchsorted(others, own) + np.searchsorted(others, own, "right")) / (2 * len(others))

    a, b = below(negatives, positives), 1 - below(positives, negatives)
    return a.mean(), ((a - a.mean()) ** 2).sum(), ((b - b.mean()) ** 2).sum(), len(a), len(b)


def precision_influence(truth: np.ndarray, score: np.ndarray) -> tuple[float, np.ndarray]:
    """Average precision and the influence of each row: the outer mean's part plus that of each precision."""
    distinct, group = np.unique(-score, return_inverse=True)
    here = np.bincount(group, weights=truth, minlength=len(distinct))
    above = np.cumsum(np.bincount(group, minlength=len(distinct)))
    precision, positives, n = np.cumsum(here) / above, here.sum(), len(score)
    ap = float(here @ precision) / positives
    # Sums over the thresholds at or below a row's score, i.e. from its group on.
    kept = np.cumsum((here * (1 - precision) * n / above)[::-1])[::-1] / positives
    lost = np.cumsum((here * precision * n / above)[::-1])[::-1] / positives
    return ap, np.where(truth, n / positives * (precision[group] - ap) + kept[group], -lost[group])
