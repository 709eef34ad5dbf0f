"""How often nested cross-validation holds the expected error: python benchmarks/nested_coverage.py [samples].

Two populations of the trials over folds, a stable and an unstable learner, five folds; the truth is the expected error
of models of all rows, which the corrected value estimates.
"""

import sys
from dataclasses import replace

import numpy as np

import calipers as cal
from trials.areas.folds import parts

NAMES = ("centroids, 60 rows, 10 folds", "neighbour, 50 rows, 5 folds")
REPEATS = 50


def main(samples: int) -> None:
    listed = {trial.name: trial for trials in parts().values() for trial in trials}
    for name in NAMES:
        trial, rng = listed[name], np.random.default_rng(1)
        metric = trial.metrics.split()[0]
        expected, covered, widths = replace(trial, how={}).expected(rng)[metric], [], []
        for seed in range(samples):
            rows = trial.draw(rng, trial.n)
            how = {"cv": 5, "repeats": REPEATS, "interval": "nested", "train": False}
            estimate = cal.cross_validate(trial.learner(), *rows, metrics=metric, seed=seed, **how)[metric]
            covered.append(estimate.low <= expected <= estimate.high)
            widths.append(estimate.high - estimate.low)
        share = 100 * np.mean(covered)
        print(f"{name.split(', ')[0]}, {trial.n} rows, {metric}: {share:.1f} % of {samples} samples hold "
              f"{expected:.3f}, mean width {np.mean(widths):.3f}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300)
