"""Predicted numbers: symmetric and skewed errors, light and heavy tails."""

from functools import partial

import numpy as np

from trials.cells import MANY, Columns, Rows
from trials.draws import NUMBERS, Generator

SIZES = (30, 100, 1000)
METRICS = """bias mae mse rmse median_ae mape smape msle huber poisson_deviance gamma_deviance wape r2
    explained_variance concordance d2_absolute d2_tweedie agreement_high"""
FEWER = "bias mae mse rmse median_ae r2"


def numbers(kind: str, rng: Generator) -> Columns:
    """Positive true and predicted numbers."""
    x = rng.normal(size=MANY)
    if kind == "normal errors":
        y, e = 20 + 2 * x, rng.normal(size=MANY)
    elif kind == "t3 errors":
        y, e = 60 + 2 * x, rng.standard_t(3, MANY)
    elif kind == "lognormal truth and errors":
        y, e = np.exp(x), 0.5 * (rng.lognormal(0, 0.6, MANY) - np.exp(0.18))
    elif kind == "errors grow with the truth":
        y = 3 * np.exp(0.7 * x)
        e = 0.3 * y * np.clip(rng.normal(size=MANY), -3, 3)
    elif kind == "t2 errors":
        y, e = 200 + 5 * x, rng.standard_t(2, MANY)
    elif kind == "Laplace errors":
        y, e = 50 + 5 * x, rng.laplace(1, 2, MANY)
    elif kind == "exponential errors":
        y, e = 50 + 5 * x, rng.exponential(2, MANY)
    else:
        y, e = 50 + 5 * x, np.where(rng.random(MANY) < 0.9, rng.normal(0, 1, MANY), rng.normal(0, 5, MANY))
    return {"y": y, "p": np.maximum(y + e, 0.01)}


def trial(kind: str, n: int, metrics: str, level: float = 0.95) -> Rows:
    name = f"{kind}, {n} rows" + ("" if level == 0.95 else f", level {level:.0%}")
    return Rows(name, partial(numbers, kind), n, metrics, NUMBERS, level)


def parts() -> dict[str, list[Rows]]:
    first = ("normal errors", "t3 errors", "lognormal truth and errors", "errors grow with the truth")
    more = ("t2 errors", "Laplace errors", "exponential errors", "one error in ten is five times as large")
    return {
        "every metric": [trial(kind, n, METRICS) for kind in first for n in SIZES],
        "other errors": [trial(kind, n, FEWER) for kind in more for n in (30, 100)],
        "other levels": [trial("normal errors", 60, FEWER, 0.9), trial("exponential errors", 100, FEWER, 0.99)],
    }
