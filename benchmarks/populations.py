"""The populations of coverage_trials.py: scored classes and functions of confusion cells, in plain NumPy."""

import math
from collections.abc import Callable

import numpy as np
from scipy.special import ndtr


def scored(rng: np.random.Generator, n: int, share: float, shift: float, spread: float, decimals: int | None):
    """Binormal scores: the positives are `shift` higher and `spread` times as wide."""
    while True:
        truth = rng.random(n) < share
        if 2 <= truth.sum() <= n - 2:
            score = rng.standard_normal(n) * np.where(truth, spread, 1) + shift * truth
            return truth, score if decimals is None else score.round(decimals)


# No method was chosen on these, but exponential scores had a say in the df of average precision.
ELSEWHERE: dict[str, tuple[Callable, Callable]] = {
    "exponential": (lambda g, m: g.exponential(12, m), lambda g, m: g.exponential(1, m)),
    "student": (lambda g, m: g.standard_t(3, m) + 1.5, lambda g, m: g.standard_t(3, m)),
    "mixed positives": (lambda g, m: g.normal(3.0 * (g.random(m) < 0.9)), lambda g, m: g.normal(size=m)),
    "mixed negatives": (lambda g, m: g.normal(3, 0.7, m), lambda g, m: g.normal(3.0 * (g.random(m) < 0.05))),
    "five levels": (lambda g, m: g.binomial(4, 0.8, m) + 0.0, lambda g, m: g.binomial(4, 0.35, m) + 0.0),
}


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


def tied_auc(shift: float, decimals: int) -> float:
    grid = np.arange(-9, 14, 10.0**-decimals)
    half = 0.5 * 10.0**-decimals
    positive = ndtr(grid + half - shift) - ndtr(grid - half - shift)
    negative = ndtr(grid + half) - ndtr(grid - half)
    return float(positive @ (np.cumsum(negative) - negative / 2))


def cell_se(f: Callable, cells: np.ndarray) -> float:
    """Delta-method standard error of a function of multinomial counts, by complex-step derivatives.

    Every f here has degree 0 in the counts, so the term in 1/n is 0.
    """
    steps = np.repeat(cells[None].astype(complex), cells.size, axis=0).reshape(cells.size, -1)
    steps[np.diag_indices(cells.size)] += 1e-30j
    with np.errstate(all="ignore"):
        gradient = np.imag(f(steps.reshape(-1, *cells.shape))) / 1e-30
        return math.sqrt(float((cells.ravel() * gradient**2).sum()))


def mcc(c):
    tn, fp, fn, tp = c[..., 0, 0], c[..., 0, 1], c[..., 1, 0], c[..., 1, 1]
    return (tp * tn - fp * fn) / np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))


def kappa(c):
    n = c.sum((-2, -1))
    chance = (c.sum(-1) * c.sum(-2)).sum(-1) / n**2
    return (np.trace(c, axis1=-2, axis2=-1) / n - chance) / (1 - chance)


def lr_plus(c):
    return c[..., 1, 1] / c[..., 1].sum(-1) / (c[..., 0, 1] / c[..., 0].sum(-1))


def lr_minus(c):
    return c[..., 1, 0] / c[..., 1].sum(-1) / (c[..., 0, 0] / c[..., 0].sum(-1))


def dor(c):
    return c[..., 1, 1] * c[..., 0, 0] / (c[..., 0, 1] * c[..., 1, 0])


def macro_f1(c):
    hits = np.diagonal(c, axis1=-2, axis2=-1)
    return (2 * hits / (c.sum(-1) + c.sum(-2))).mean(-1)


def macro_precision(c):
    return (np.diagonal(c, axis1=-2, axis2=-1) / c.sum(-2)).mean(-1)
