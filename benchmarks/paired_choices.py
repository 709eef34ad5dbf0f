"""Why `compare` takes the methods that it takes: rejections of true nulls at 5%, in per cent, of it and its rivals.

    python benchmarks/paired_choices.py [counts] [scores]

counts: F1, MCC, balanced accuracy and precision of two models, by bootstrap percentiles, by the bootstrap's spread with
normal and with Student quantiles (smaller class less one), and by swapping the models' predictions at random; equal
models, and models equal in one measure only. scores: DeLong with normal and Satterthwaite quantiles, average precision
by influence with several degrees of freedom, log loss by Hall's corrected t and the plain one.
"""

import sys

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtri, stdtr
from scipy.stats import multivariate_normal

from calipers.inference import area
from calipers.inference.quantiles import t
from calipers.metrics.scores import influence_on_area, influence_on_precision
from calipers.statistics.scores import ScoreSamples

SAMPLES, RESAMPLES = 1500, 999


def joint(share: float, first: tuple[float, float], second: tuple[float, float], mixed: float = 0.5) -> np.ndarray:
    """Chances of (truth, first, second) for two recalls and specificities whose hits correlate."""
    cells = np.zeros((2, 2, 2))
    for truth, weight in ((1, share), (0, 1 - share)):
        a, b = (p[0] if truth else p[1] for p in (first, second))
        both = float(multivariate_normal([0, 0], [[1, mixed], [mixed, 1]]).cdf([ndtri(a), ndtri(b)]))
        hit = np.array([[1 - a - b + both, b - both], [a - both, both]]) * weight
        cells[truth] = hit if truth else hit[::-1, ::-1]
    return cells


def four(cells: np.ndarray, model: int) -> tuple[np.ndarray, ...]:
    table = cells.sum(-1) if model == 0 else cells.sum(-2)
    return table[..., 1, 1], table[..., 0, 1], table[..., 1, 0], table[..., 0, 0]


def f1(tp, fp, fn, tn):
    return 2 * tp / (2 * tp + fp + fn)


def mcc(tp, fp, fn, tn):
    return (tp * tn - fp * fn) / np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))


def balanced(tp, fp, fn, tn):
    return (tp / (tp + fn) + tn / (tn + fp)) / 2


def precision(tp, fp, fn, tn):
    return tp / (tp + fp)


def gap(f, cells: np.ndarray) -> np.ndarray:
    return np.nan_to_num(f(*four(cells, 0))) - np.nan_to_num(f(*four(cells, 1)))


def rejected(rng: np.random.Generator, f, c: np.ndarray) -> np.ndarray:
    n, observed = c.sum(), gap(f, c)
    draws = gap(f, rng.multinomial(n, c.ravel() / n, RESAMPLES).reshape(-1, 2, 2, 2))
    sides = (draws <= 0).sum() + 1, (draws >= 0).sum() + 1
    error, fewer = draws.std(ddof=1), max(1, min(c[0].sum(), c[1].sum()) - 1)
    apart = (c + np.swapaxes(c, -1, -2))[:, 0, 1]
    swapped = np.broadcast_to(c, (RESAMPLES, 2, 2, 2)).copy()
    swapped[:, :, 0, 1] = rng.binomial(apart, 0.5, (RESAMPLES, 2))
    swapped[:, :, 1, 0] = apart - swapped[:, :, 0, 1]
    as_far = (np.abs(gap(f, swapped)) >= abs(observed) - 1e-12).sum() + 1
    return np.array([
        2 * min(sides) / (RESAMPLES + 1) <= 0.05,
        error > 0 and abs(observed) / error > 1.96,
        error > 0 and 2 * stdtr(fewer, -abs(observed) / error) < 0.05,
        as_far / (RESAMPLES + 1) <= 0.05,
    ])  # fmt: skip


def counts(rng: np.random.Generator) -> None:
    populations = []
    for n in (50, 100, 300):
        populations += [(f"equal share={s}", n, joint(s, (0.7, 0.8), (0.7, 0.8))) for s in (0.5, 0.2, 0.1)]
    for n in (100, 300):
        for s in (0.3, 0.1):
            for f in (f1, balanced):

                def value(se, sp, s=s, f=f):
                    return f(s * se, (1 - s) * (1 - sp), s * (1 - se), (1 - s) * sp)

                other = brentq(lambda sp, value=value: value(0.9, sp) - value(0.5, 0.97), 0.3, 0.999)
                populations.append((f"equal {f.__name__} share={s}", n, joint(s, (0.5, 0.97), (0.9, other))))
    for name, n, cells in populations:
        draws = rng.multinomial(n, cells.ravel(), SAMPLES).reshape(-1, 2, 2, 2)
        for f in (f1, mcc, balanced, precision):
            if abs(gap(f, cells)) < 1e-3:
                shares = 100 * np.mean([rejected(rng, f, c) for c in draws], 0)
                rates = zip(("percentile", "normal", "t", "swap"), shares, strict=True)
                print(f"{name:28} n={n:<4} {f.__name__:9} " + "  ".join(f"{k} {v:.1f}" for k, v in rates), flush=True)


def scores(rng: np.random.Generator) -> None:
    for n, share in ((40, 0.5), (100, 0.5), (100, 0.2), (100, 0.1), (300, 0.1), (300, 0.03), (1000, 0.02)):
        for auc in (0.6, 0.8, 0.95):
            shift, hits = float(np.sqrt(2) * ndtri(auc)), np.zeros(7)
            y = np.arange(n) < max(2, round(n * share))
            p, q = int(y.sum()), int((~y).sum())
            for _ in range(SAMPLES):
                common = rng.normal(size=n)
                columns = [np.sqrt(0.5) * (common + rng.normal(size=n)) + shift * y for _ in range(2)]
                hits += scored(y, columns, p, q, shift, share)
            names = ("DeLong z", "t", "AP z", "t(min-1)", "t((P-1)/2)", "loss Hall", "t")
            cells = [f"{k} {100 * v / SAMPLES:.1f}" for k, v in zip(names, hits, strict=True)]
            print(f"n={n:<4} share={share:<4} auc={auc:<4} " + "  ".join(cells), flush=True)


def scored(y: np.ndarray, columns: list[np.ndarray], p: int, q: int, shift: float, share: float) -> np.ndarray:
    n = len(y)
    samples = [ScoreSamples.split(s, y.view(np.uint8), 1, None) for s in columns]
    apart = np.subtract(*(influence_on_area(s, x, y) for s, x in zip(samples, columns, strict=True)))
    areas = [s.areas.pairs2 / (2 * p * q) for s in samples]
    sums = ((apart[y] * p / n) ** 2).sum(), ((apart[~y] * q / n) ** 2).sum()
    variance, df = area.delong(*map(float, sums), p, q)
    z = abs(areas[0] - areas[1]) / np.sqrt(variance) if variance > 0 else 0.0
    pulls = np.subtract(*(influence_on_precision(s, x, y) for s, x in zip(samples, columns, strict=True)))
    ap = abs(samples[0].walk.ap - samples[1].walk.ap) / (np.sqrt((pulls**2).sum()) / n)
    odds = np.log(share / (1 - share))
    losses = [np.logaddexp(0, np.where(y, -1, 1) * (shift * x - shift**2 / 2 + odds)) for x in columns]
    d = losses[0] - losses[1]
    m2, m3 = ((d - d.mean()) ** 2).sum(), ((d - d.mean()) ** 3).sum()
    plain, skew = d.mean() / np.sqrt(m2 / (n - 1) / n), m3 / (3 * m2**1.5)
    hall = plain + skew * plain**2 + skew**2 * plain**3 / 3 + skew / 2
    far = t(0.95, n - 1)
    return np.array([z > 1.96, variance > 0 and z > t(0.95, df), ap > 1.96, ap > t(0.95, min(p, q) - 1),
                     ap > t(0.95, max(1, (p - 1) / 2)), abs(hall) > far, abs(plain) > far])  # fmt: skip


if __name__ == "__main__":
    np.seterr(all="ignore")
    for chosen in sys.argv[1:] or ("counts", "scores"):
        {"counts": counts, "scores": scores}[chosen](np.random.default_rng(20260202))
