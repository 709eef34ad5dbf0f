"""How often intervals over folds hold the true error: python benchmarks/validation_trials.py [--samples N] [--write].

Three plain models whose true error is known exactly or by quadrature: nearest centroids of two normal classes in five
dimensions (stable), least squares (mean squared error), and the nearest neighbour in one dimension (unstable). There
are two truths that an interval over folds may be meant for: the expected error of models fitted on as many rows as the
folds' are (what cross-validation estimates), and the error of the one model that is fitted on all rows of this sample.
"""

import argparse
import zlib
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

import calipers as cal
from calipers.inference.folds import shift
from coverage_page import written

PAGE = Path(__file__).parents[1] / "docs/coverage.md"
FOLDS = {"10 folds": {"cv": 10}, "10 x 10 folds": {"cv": 10, "repeats": 10}, "5 x 2 folds": {"cv": "5x2"},
         "15 hold-outs of 20 %": {"cv": 0.2, "repeats": 15}}  # fmt: skip
SHARES = {"10 folds": 0.9, "10 x 10 folds": 0.9, "5 x 2 folds": 0.5, "15 hold-outs of 20 %": 0.8}  # of training rows
SIZES = {"10 folds": (60, 200), "10 x 10 folds": (60, 200), "5 x 2 folds": (200,), "15 hold-outs of 20 %": (200,)}
REPLICATES, OF_RESAMPLES = 50, (60, 200)
TRAINED = 2000  # training sets whose mean error is the expected one
AWAY = 0.4 * np.ones(5)  # each class's centre is so far from the origin
SLOPES = np.array([1.0, -0.5, 0.0, 0.0, 0.25])
GRID = np.linspace(-5, 5, 2001)


class Centroids:
    """The class of the nearer mean."""

    metric = "error_rate"

    def fit(self, X, y):
        low, high = (X[y == c].mean(0) for c in (0, 1))
        self.w, self.b = high - low, (high @ high - low @ low) / 2

    def predict(self, X):
        return (X @ self.w > self.b).astype(int)

    def error(self):
        length = np.linalg.norm(self.w)
        missed = ndtr((self.b - AWAY @ self.w) / length)
        return (missed + ndtr((-AWAY @ self.w - self.b) / length)) / 2

    @staticmethod
    def draw(rng, n):
        y = rng.permutation(np.arange(n) % 2)
        return rng.normal(size=(n, 5)) + np.where(y[:, None], AWAY, -AWAY), y


class LeastSquares:
    """A linear fit with an intercept."""

    metric = "mse"

    def fit(self, X, y):
        self.beta = np.linalg.lstsq(np.c_[X, np.ones(len(X))], y, rcond=None)[0]

    def predict(self, X):
        return np.c_[X, np.ones(len(X))] @ self.beta

    def error(self):
        return 1 + ((self.beta[:-1] - SLOPES) ** 2).sum() + self.beta[-1] ** 2

    @staticmethod
    def draw(rng, n):
        X = rng.normal(size=(n, 5))
        return X, X @ SLOPES + rng.normal(size=n)


class Neighbour:
    """The class of the nearest row."""

    metric = "error_rate"

    def fit(self, X, y):
        order = np.argsort(X[:, 0])
        self.x, self.y = X[order, 0], np.asarray(y)[order]
        self.between = (self.x[1:] + self.x[:-1]) / 2

    def predict(self, X):
        return self.y[np.searchsorted(self.between, X[:, 0])]

    def error(self):
        said, share = self.predict(GRID[:, None]), ndtr(1.5 * GRID)
        weight = np.exp(-(GRID**2) / 2)
        return float(weight @ np.where(said == 1, 1 - share, share) / weight.sum())

    @staticmethod
    def draw(rng, n):
        X = rng.normal(size=(n, 1))
        return X, (rng.random(n) < ndtr(1.5 * X[:, 0])).astype(int)


MODELS = {"nearest centroid": Centroids, "least squares": LeastSquares, "nearest neighbour": Neighbour}


class Found(NamedTuple):
    """Coverage in per cent: (method, truth) to it, and the mean width of each method."""

    setting: tuple[str, int, str]
    coverage: dict[tuple[str, str], float]
    width: dict[str, float]


def fitted(model, rows):
    model.fit(*rows)
    return model.error()


def trial(samples: int, setting: tuple[str, int, str]) -> Found:
    name, n, how = setting
    made, rng = MODELS[name], np.random.default_rng(zlib.crc32(repr(setting).encode()))
    expected = np.mean([fitted(made(), made.draw(rng, round(SHARES[how] * n))) for _ in range(TRAINED)])
    held, widths = {}, {}
    for sample in range(samples):
        rows = made.draw(rng, n)
        truths = {"expected": expected, "this model": fitted(made(), rows)}
        result = cal.cross_validate(made(), *rows, metrics=made.metric, train=False, seed=sample, **FOLDS[how])
        average = result.averaged()[made.metric]
        published = shift(average.values, result.splits.ratio)
        ends = {"plain": average.plain[:2], "corrected": average.corrected[:2], "published": published.interval(0.95)}
        for method, (low, high) in ends.items():
            widths.setdefault(method, []).append(high - low)
            for truth, value in truths.items():
                held.setdefault((method, truth), []).append(low <= value <= high)
    return Found(setting, {k: 100 * float(np.mean(v)) for k, v in held.items()},
                 {k: float(np.mean(v)) for k, v in widths.items()})  # fmt: skip


class Resampled(NamedTuple):
    """Mean estimates by method beside the expected error of models of all rows, and coverage of the .632+ interval."""

    setting: tuple[str, int]
    expected: float
    means: dict[str, float]
    coverage: dict[str, float]


def bootstrap_trial(samples: int, setting: tuple[str, int]) -> Resampled:
    name, n = setting
    made, rng = MODELS[name], np.random.default_rng(zlib.crc32(repr(setting).encode()))
    expected = float(np.mean([fitted(made(), made.draw(rng, n)) for _ in range(TRAINED)]))
    told, held = {}, {"expected": [], "this model": []}
    for sample in range(samples):
        rows = made.draw(rng, n)
        result = cal.bootstrap_validate(made(), *rows, replicates=REPLICATES, metrics=made.metric, seed=sample)
        for method, value in result.estimates(made.metric).items():
            told.setdefault(method, []).append(value)
        e = result[made.metric]
        for truth, value in (("expected", expected), ("this model", fitted(made(), rows))):
            held[truth].append(e.low <= value <= e.high)
    return Resampled(setting, expected, {k: float(np.mean(v)) for k, v in told.items()},
                     {k: 100 * float(np.mean(v)) for k, v in held.items()})  # fmt: skip


def bootstrap_table(found: list[Resampled], samples: int) -> str:
    methods = ("resubstitution", "optimism", ".632", ".632+", "out-of-bag")
    lines = [
        f"Samples of each setting: {samples}, resamples of each: {REPLICATES}. Means of the estimates, and how often "
        "the interval of .632+ holds the expected error and that of this model.",
        "",
        f"| model | rows | expected error | {' | '.join(methods)} | interval of .632+, % |",
        f"|---|--:|--:|{'--:|' * len(methods)}---|",
    ]
    for f in found:
        means = " | ".join(f"{f.means[m]:.3f}" for m in methods)
        shares = f"{f.coverage['expected']:.1f}, {f.coverage['this model']:.1f}"
        lines.append(f"| {f.setting[0]} | {f.setting[1]} | {f.expected:.3f} | {means} | {shares} |")
    return "\n".join(lines)


def table(found: list[Found], samples: int) -> str:
    lines = [
        f"Samples of each setting: {samples}. Coverage, in per cent, of the expected error and of that of this model.",
        "",
        "| model | rows | splits | plain t | corrected | as published | corrected / plain width |",
        "|---|--:|---|---|---|---|--:|",
    ]
    for f in found:
        cells = [
            f"{f.coverage[method, 'expected']:.1f}, {f.coverage[method, 'this model']:.1f}"
            for method in ("plain", "corrected", "published")
        ]
        wider = f.width["corrected"] / f.width["plain"]
        lines.append(f"| {f.setting[0]} | {f.setting[1]} | {f.setting[2]} | {' | '.join(cells)} | {wider:.1f} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=150)
    parser.add_argument("--write", action="store_true", help="put the table into docs/coverage.md")
    asked = parser.parse_args()
    settings = [(name, n, how) for name in MODELS for how in FOLDS for n in SIZES[how]]
    with ProcessPoolExecutor() as pool:
        found = list(pool.map(partial(trial, asked.samples), settings))
        drawn = [(name, n) for name in MODELS for n in OF_RESAMPLES]
        resampled = list(pool.map(partial(bootstrap_trial, asked.samples), drawn))
    print(told := f"{table(found, asked.samples)}\n\n{bootstrap_table(resampled, asked.samples)}")
    if asked.write:
        written(PAGE, "validation", told)


if __name__ == "__main__":
    main()
