"""How often intervals of predicted numbers hold: python benchmarks/regression_trials.py [--samples N] [--write].

Samples are drawn with replacement from fixed populations of 200 000 rows, whose own value of a metric is the truth:
normal errors, heavy tails (Student's t with 3 degrees of freedom, whose fourth moment does not exist), skewed
(lognormal truth and errors), and errors that grow with the truth. --write puts the table into docs/coverage.md.
"""

import argparse
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path

import numpy as np

import calipers as cal
from coverage_page import written

PAGE = Path(__file__).parents[1] / "docs/coverage.md"
SIZES, ROWS, LEVEL = (30, 100, 1000), 200_000, 0.95
# Each metric with the methods that are tried, the default first.
METHODS = {
    "mae": ("hall", "t"), "mse": ("hall", "t"), "rmse": ("hall", "t"), "bias": ("hall", "t"),
    "median_ae": ("order-statistics",), "mape": ("hall", "t"), "smape": ("hall",), "msle": ("hall",),
    "huber": ("hall",), "poisson_deviance": ("hall",), "gamma_deviance": ("hall",),
    "wape": ("jackknife", "delta"), "r2": ("jackknife", "delta", "normal"),
    "explained_variance": ("jackknife", "delta"), "concordance": ("jackknife", "delta"),
    "d2_absolute": ("jackknife", "delta"), "d2_tweedie": ("jackknife", "delta"),
    "agreement_high": ("jackknife", "delta"),
}  # fmt: skip
POPULATIONS = ("normal", "heavy tails", "skewed", "growing errors")


@cache
def population(kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Positive true and predicted numbers."""
    rng = np.random.default_rng(POPULATIONS.index(kind))
    x = rng.normal(size=ROWS)
    if kind == "normal":
        y, e = 20 + 2 * x, rng.normal(size=ROWS)
    elif kind == "heavy tails":
        y, e = 60 + 2 * x, rng.standard_t(3, ROWS)
    elif kind == "skewed":
        y, e = np.exp(x), 0.5 * (rng.lognormal(0, 0.6, ROWS) - np.exp(0.18))
    else:
        y = 3 * np.exp(0.7 * x)
        e = 0.3 * y * np.clip(rng.normal(size=ROWS), -3, 3)
    return y, np.maximum(y + e, 0.01)


def trial(setting: tuple[str, int], samples: int) -> dict[tuple[str, str], float]:
    """The coverage of each metric and method, in per cent."""
    kind, n = setting
    y, p = population(kind)
    whole = cal.evaluate(y, p)
    held = {(name, method): [] for name, methods in METHODS.items() for method in methods}

    def note(ev: cal.Evaluation, asked: dict[str, str]) -> None:
        for name, method in asked.items():
            if ev[name].low == ev[name].low:
                held[name, method].append(ev[name].low <= whole[name] <= ev[name].high)

    rng = np.random.default_rng((SIZES.index(n), POPULATIONS.index(kind)))
    for _ in range(samples):
        rows = rng.integers(0, ROWS, n)
        for slot in range(3):  # the first method of every metric, then the second of those that have one, ...
            asked = {name: methods[slot] for name, methods in METHODS.items() if slot < len(methods)}
            note(cal.evaluate(y[rows], p[rows], metrics=[*asked], interval=asked, task="regression"), asked)
    return {key: 100 * float(np.mean(inside)) for key, inside in held.items()}


def table(samples: int) -> str:
    settings = [(kind, n) for kind in POPULATIONS for n in SIZES]
    with ProcessPoolExecutor(2) as pool:
        found = dict(zip(settings, pool.map(partial(trial, samples=samples), settings), strict=True))
    lines = [
        f"Samples of each setting: {samples}.",
        "",
        "| metric | method | " + " | ".join(f"{kind}, {n}" for kind, n in settings) + " |",
        "|---|---|" + "--:|" * len(settings),
    ]
    for key in dict.fromkeys(key for each in found.values() for key in each):
        cells = [f"{each[key]:.1f}" if key in each else "" for each in found.values()]
        lines.append(f"| {key[0]} | {key[1]} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    text = table(given.samples)
    print(text)
    if given.write:
        written(PAGE, "regression", text)
