"""How often intervals of a mean over queries hold the truth: python benchmarks/query_trials.py [samples].

Populations look like measures of queries: many zeros or ones, few levels, skewed. Each line gives the coverage in
percent of each method at 95 % confidence.
"""

import sys
from collections.abc import Iterator

import numpy as np

from calipers.inference.intervals import METHODS
from calipers.metrics.values import QueryMean

SIZE, UNIT = 200_000, (0.0, 1.0)


def populations(rng: np.random.Generator) -> Iterator[tuple[str, np.ndarray]]:
    """Values of one query in [0, 1]."""
    some, reciprocal = rng.beta(1, 1.5, SIZE), lambda p: np.where((r := rng.geometric(p, SIZE)) <= 10, 1 / r, 0)
    yield "beta(1/2, 1), as average precision", rng.beta(0.5, 1, SIZE)
    yield "6 in 10 are 0", np.where(rng.random(SIZE) < 0.6, 0, some)
    yield "9 in 10 are 0", np.where(rng.random(SIZE) < 0.9, 0, some)
    yield "95 in 100 are 1", np.where(rng.random(SIZE) < 0.95, 1, rng.random(SIZE))
    for p in (0.03, 0.3, 0.85):
        yield f"reciprocal ranks, geometric({p}), cut at 10", reciprocal(p)
    yield "beta(8, 1), as a high nDCG", rng.beta(8, 1, SIZE)
    yield "beta(2, 2)", rng.beta(2, 2, SIZE)
    yield "tenths, as P@10", rng.binomial(10, rng.beta(1, 3, SIZE)) / 10


def main(samples: int) -> None:
    rng, methods = np.random.default_rng(1), METHODS[QueryMean]
    for n in (10, 30, 50, 200):
        print(f"\n{n} queries: {', '.join(methods)}")
        for name, values in populations(rng):
            truth, held = values.mean(), dict.fromkeys(methods, 0)
            for sample in rng.choice(values, (samples, n)):
                for method, find in methods.items():
                    low, high, *_ = find(QueryMean.of(sample), 0.95, UNIT)
                    held[method] += low <= truth <= high
            print(f"  {name:45}" + "".join(f"{100 * count / samples:7.1f}" for count in held.values()), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3000)
