"""How often a model on the bar passes "recall >= r at precision >= p": python benchmarks/chosen_trials.py [samples].

Scores are N(gap, 1) for the positives and N(0, 1) for the others, so that the best recall at a precision is known. Each
line gives, in percent, how often the lower bound lies above it and the upper bound below it: for the interval that
chooses again in every resample (2.5% each is right), and for that of the recall at the threshold that was chosen.
"""

import sys
from statistics import NormalDist

import numpy as np

import calipers as cal

SETTINGS = (
    (200, 0.3, 1.5, 0.6), (500, 0.5, 2.0, 0.9), (1000, 0.1, 1.5, 0.5), (1000, 0.3, 1.0, 0.5), (3000, 0.05, 2.0, 0.5)
)  # fmt: skip


def best_recall(share: float, gap: float, precision: float) -> float:
    """The largest recall among thresholds of such a precision."""
    cdf = np.vectorize(NormalDist().cdf)
    thresholds = np.linspace(-4, 6, 20_001)
    recall, fpr = 1 - cdf(thresholds - gap), 1 - cdf(thresholds)
    return float(recall[share * recall >= precision * (share * recall + (1 - share) * fpr)].max())


def main(samples: int) -> None:
    print(f"{'rows, positives, gap, precision':40}{'choosing again':>20}{'threshold fixed':>20}")
    for rows, share, gap, precision in SETTINGS:
        rng, missed, truth = np.random.default_rng(1), np.zeros(4), best_recall(share, gap, precision)
        for _ in range(samples):
            y = (rng.random(rows) < share).astype(int)
            ev = cal.evaluate(y, rng.normal(size=rows) + gap * y, positive=1, threshold=0.5)
            check = cal.gate(ev, f"recall >= 0.5 at precision >= {precision}").checks[0]
            fixed = ev.at(threshold=float(check.notes[-1].split()[3].rstrip(",")))["recall"]
            missed += [check.low > truth, check.high < truth, fixed.low > truth, fixed.high < truth]
        rates = "".join(f"{100 * missed[i] / samples:13.1f}{100 * missed[i + 1] / samples:7.1f}" for i in (0, 2))
        print(f"{f'{rows}, {share:.0%}, {gap}, {precision}':40}{rates}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000)
