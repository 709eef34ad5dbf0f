"""How often the default interval of the MSE holds it, beside Hall's, and how wide the two are: docs/regression.md.

    python benchmarks/long_tails.py [SAMPLES]
"""

import sys

import numpy as np

from calipers.inference.mean import hall, long_tailed

ERRORS = {
    "normal": (lambda rng, n: rng.normal(size=n), 1.0),
    "Laplace": (lambda rng, n: rng.laplace(size=n), 2.0),
    "t(6)": (lambda rng, n: rng.standard_t(6, n), 1.5),
    "t(4)": (lambda rng, n: rng.standard_t(4, n), 2.0),
    "t(3)": (lambda rng, n: rng.standard_t(3, n), 3.0),
    "exponential, centred": (lambda rng, n: rng.exponential(size=n) - 1, 1.0),
    "lognormal, centred": (lambda rng, n: rng.lognormal(0, 0.6, n) - np.exp(0.18), np.exp(0.36) * (np.exp(0.36) - 1)),
    "normal, 10 % five times as large": (
        lambda rng, n: np.where(rng.random(n) < 0.1, 5, 1) * rng.normal(size=n),
        3.4,
    ),
    "normal, 2 % ten times as large": (
        lambda rng, n: np.where(rng.random(n) < 0.02, 10, 1) * rng.normal(size=n),
        2.98,
    ),
}
SIZES = (30, 100, 300, 1000)


def main(samples: int) -> None:
    print("| errors | " + " | ".join(f"n = {n}" for n in SIZES) + " |\n|---|" + "---|" * len(SIZES))
    for name, (draw, truth) in ERRORS.items():
        rng, cells = np.random.default_rng(1), []
        for n in SIZES:
            covered, width = np.zeros(2), np.zeros(2)
            for _ in range(samples):
                x = draw(rng, n) ** 2
                d = x - x.mean()
                sums = n, float(x.mean()), float(d @ d), float((d * d) @ d)
                for k, interval in enumerate((hall, long_tailed)):
                    low, high = interval(*sums, 0.95, (0.0, np.inf))
                    covered[k] += low <= truth <= high
                    width[k] += high - low
            before, now = 100 * covered / samples
            cells.append(f"{now:.1f} ({before:.1f}, {width[1] / width[0]:.2f})")
        print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 4000)
