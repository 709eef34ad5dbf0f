"""Rejections of true nulls at 5%, in per cent, by the textbook's paired t and by the default test of mean losses.

    python benchmarks/paired_losses.py [SAMPLES]

Squared errors of equal mean and unlike shape; docs/decisions/skewed-differences.md has the table. The last two lines
are power: the errors of one model are larger by 3/√n.
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


def main(samples: int) -> None:
    print("| squared errors, n = 20 / 40 / 100 / 300 | textbook | default |\n|---|---|---|")
    for name, draw in POPULATIONS.items():
        rng, rates = np.random.default_rng(7), []
        for n in SIZES:
            contrasts = [paired_t(draw(rng, n), None, np.ones(n)) for _ in range(samples)]
            plain = [replace(c, skew=0.0, df=n - 1.0) for c in contrasts]
            rates.append([100 * np.mean([c.pvalue() < 0.05 for c in each]) for each in (plain, contrasts)])
        columns = (" / ".join(f"{rate:.1f}" for rate in column) for column in zip(*rates, strict=True))
        print(f"| {name} | " + " | ".join(columns) + " |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 4000)
