"""Coverage of intervals of balanced accuracy: Wilson's with an effective number of rows, and the one that is used.

    python benchmarks/means_of_shares.py [SAMPLES] [--fresh]

Classes are of equal or of unlike size, with few or many rows, and their recalls are alike or not. --fresh: populations
that were written down after the choice, and are run once.
"""

import sys
from collections.abc import Iterator
from itertools import product

import numpy as np

from calipers.inference.proportion import mean_of_shares, wilson

LEVEL = 0.95
Population = tuple[str, np.ndarray, np.ndarray, int]  # its name, the classes' shares and recalls, and the rows


def chosen() -> Iterator[Population]:
    """The populations on which the interval was chosen."""
    for k, n, falling in product((3, 5, 10, 30, 100), (30, 100, 300, 1000), (False, True)):
        if n < 3 * k:
            continue
        falls = 0.75 ** np.arange(k) if k <= 10 else 1 / (1 + np.arange(k))
        shares = normed(falls) if falling else normed(np.ones(k))
        by_size = 0.95 - 0.35 * (1 - shares / shares.max()) if falling else np.linspace(0.6, 0.95, k)
        recalls = {"0.9": np.full(k, 0.9), "0.6": np.full(k, 0.6), "0.97 to 0.4": np.linspace(0.97, 0.4, k),
                   "by size": by_size, "the last 0.7": np.r_[np.full(k - 1, 0.95), 0.7]}  # fmt: skip
        for name, recall in recalls.items():
            yield f"{k} classes, {'falling' if falling else 'equal'} shares, recall {name}", shares, recall, n
    for n in (100, 200):
        yield "3 classes, one of ten rows in a hundred", np.array([0.6, 0.3, 0.1]), np.array([0.95, 0.88, 0.7]), n
    yield "3 classes, one hardly predicted", np.array([0.68, 0.3, 0.02]), np.array([0.8, 0.45, 0.03]), 1000


def fresh() -> Iterator[Population]:
    """Recalls that are drawn."""
    rng = np.random.default_rng(77)
    for k, n, ratio, (a, b) in product((3, 4, 7, 20, 60), (50, 150, 500), (0.6, 0.9, 1.0), ((8, 2), (2, 2), (18, 1))):
        if n >= 2 * k:
            recall = np.clip(rng.beta(a, b, k), 0.02, 0.98)
            yield f"{k} classes, ratio {ratio}, recall beta({a}, {b})", normed(ratio ** np.arange(k)), recall, n


def normed(sizes: np.ndarray) -> np.ndarray:
    return sizes / sizes.sum()


def covered(population: Population, samples: int, rng: np.random.Generator) -> np.ndarray:
    """In per cent: Wilson's interval, and the one that is used."""
    _, shares, recalls, n = population
    k, hits = len(shares), np.zeros(2)
    parts, true = np.full(k, 1 / k), float(recalls.mean())
    for _ in range(samples):
        rows = np.maximum(rng.multinomial(n, shares), 1)
        each = rng.binomial(rows, recalls) / rows
        low, high, size = mean_of_shares(each, rows.astype(float), parts, LEVEL)
        least, most = wilson(float(each.mean()) * size, size, LEVEL)
        hits += least <= true <= most, low <= true <= high
    return 100 * hits / samples


def main(samples: int, populations: Iterator[Population]) -> None:
    rng, listed = np.random.default_rng(1), list(populations)
    found = np.array([covered(population, samples, rng) for population in listed])
    for (name, _, _, n), (before, now) in zip(listed, found, strict=True):
        if min(before, now) < 93 or max(before, now) > 98:
            print(f"{name}, {n} rows: {before:.1f} -> {now:.1f}")
    for name, column in zip(("Wilson's", "used"), found.T, strict=True):
        print(f"{name}, {len(column)} populations: least {column.min():.1f}, {np.sum(column < 93)} below 93, "
              f"{np.sum(column > 98)} above 98, mean {column.mean():.1f}")  # fmt: skip


if __name__ == "__main__":
    arguments = [word for word in sys.argv[1:] if word != "--fresh"]
    main(int(arguments[0]) if arguments else 2_000, fresh() if "--fresh" in sys.argv else chosen())
