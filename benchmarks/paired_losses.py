"""Rejections of true nulls at 5%, in per cent, by the textbook's paired t and by the default test of mean losses.

    python benchmarks/paired_losses.py [SAMPLES] [--fresh]

Squared errors of equal mean and unlike shape; docs/decisions/skewed-differences.md has the table. The last two lines
are power: the errors of one model are larger by 3/√n. --fresh: populations that were written down before the test was
chosen, and not looked at for the choice.
"""

import sys
from dataclasses import replace

import numpy as np

from calipers.inference.paired_losses import paired_t

SIZES = (20, 40, 100, 300)


def correlated(rng: np.random.Generator, n: int, larger: float = 0.0) -> np.ndarray:
    errors = (rng.normal(size=n) + rng.normal(size=(2, n))) / np.sqrt(2)
    return (1 + larger) ** 2 * errors[0] ** 2 - errors[1] ** 2


def squares(first, second):
    return lambda rng, n: first(rng, n) ** 2 - second(rng, n) ** 2


def normal(rng: np.random.Generator, n: int) -> np.ndarray:
    return rng.normal(size=n)


def rare(rng: np.random.Generator, n: int) -> np.ndarray:
    return np.where(rng.random(n) < 0.05, 5.0, 1.0) * rng.normal(size=n) / np.sqrt(2.2)


POPULATIONS = {
    "proportional errors, lognormal truth": lambda rng, n: rng.lognormal(0, 1, n) ** 2 * correlated(rng, n),
    "normal against t5 errors": squares(normal, lambda rng, n: rng.standard_t(5, n) / np.sqrt(5 / 3)),
    "uniform against Laplace errors": squares(
        lambda rng, n: rng.uniform(-np.sqrt(3), np.sqrt(3), n), lambda rng, n: rng.laplace(0, np.sqrt(0.5), n)
    ),
    "constant against normal errors": squares(lambda rng, n: np.ones(n), normal),
    "normal errors against 5 % of errors that are five times as large": squares(normal, rare),
    "power: proportional errors, lognormal truth": lambda rng, n: (
        rng.lognormal(0, 1, n) ** 2 * correlated(rng, n, 3 / np.sqrt(n))
    ),
    "power: normal errors": lambda rng, n: correlated(rng, n, 3 / np.sqrt(n)),
}


def mixed(rng: np.random.Generator, n: int) -> np.ndarray:
    """Normal errors whose size differs between rows."""
    return rng.uniform(0.2, 1.8, n) * rng.normal(size=n) / np.sqrt(1 + 1.6**2 / 12)


def alike(rng: np.random.Generator, n: int) -> np.ndarray:
    """t4 errors of both models, half of them in common."""
    errors = (rng.standard_t(4, n) + rng.standard_t(4, (2, n))) / 2
    return errors[0] ** 2 - errors[1] ** 2


FRESH = {
    "normal against logistic errors": squares(normal, lambda rng, n: rng.logistic(0, np.sqrt(3) / np.pi, n)),
    "triangular against t6 errors": squares(
        lambda rng, n: rng.triangular(-np.sqrt(6), 0, np.sqrt(6), n), lambda rng, n: rng.standard_t(6, n) / np.sqrt(1.5)
    ),
    "normal against skewed errors (gamma of shape 2)": squares(
        normal, lambda rng, n: (rng.gamma(2, 1, n) - 2) / np.sqrt(2)
    ),
    "two models of t4 errors": alike,
    "normal errors against those of rows of unlike difficulty": squares(normal, mixed),
    "uniform errors against lognormal times normal ones": squares(
        lambda rng, n: rng.uniform(-np.sqrt(3), np.sqrt(3), n),
        lambda rng, n: rng.lognormal(-0.25, 0.5, n) * rng.normal(size=n),
    ),
}


def main(samples: int, populations: dict) -> None:
    print("| squared errors, n = 20 / 40 / 100 / 300 | textbook | default |\n|---|---|---|")
    for name, draw in populations.items():
        rng, rates = np.random.default_rng(7), []
        for n in SIZES:
            contrasts = [paired_t(draw(rng, n), None, np.ones(n), bounded=False) for _ in range(samples)]
            plain = [replace(c, skew=0.0, skew_error=0.0, df=n - 1.0) for c in contrasts]
            rates.append([100 * np.mean([c.pvalue() < 0.05 for c in each]) for each in (plain, contrasts)])
        columns = (" / ".join(f"{rate:.1f}" for rate in column) for column in zip(*rates, strict=True))
        print(f"| {name} | " + " | ".join(columns) + " |", flush=True)


if __name__ == "__main__":
    counts = [int(word.replace(",", "")) for word in sys.argv[1:] if word != "--fresh"]
    main(counts[0] if counts else 4000, FRESH if "--fresh" in sys.argv else POPULATIONS)
