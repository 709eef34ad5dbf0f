"""How often the 95 % bands hold the true curve: python benchmarks/band_trials.py [--samples N] [--write].

Pointwise bands at fixed false positive rates, recalls and bins; the simultaneous band over the whole ROC curve. A point
counts as within the rule where five rows are expected on either side of its threshold, in both classes for ROC and PR.
"""

import argparse
import zlib
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np
from scipy.special import ndtr

from calipers.inference.bands import height
from coverage_page import spanned, written
from coverage_trials import PAGE
from populations import GRID, SHAPES, binary, of_mixtures

RATES = np.array([0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8])
RECALLS = np.array([0.1, 0.2, 0.4, 0.6, 0.8, 0.9])
DENSE = np.linspace(0, 1, 1001)[1:-1]
FEW = 5
CURVES = {
    "weak": ([(1.0, 0.74, 1.0)], [(1.0, 0.0, 1.0)]),
    "strong": ([(1.0, 1.99, 1.0)], [(1.0, 0.0, 1.0)]),
    "wide positives": SHAPES["wide positives"],
    "narrow positives": SHAPES["narrow positives"],
}
SIZES = ((30, 0.5), (100, 0.5), (100, 0.1), (1000, 0.5), (1000, 0.1), (1000, 0.02))
BINS = 10


def tails(parts: list) -> np.ndarray:
    """The chance of a score above each point of the grid."""
    return sum(w * ndtr((mean - GRID) / sd) for w, mean, sd in parts)


def trial(samples: int, setting: tuple[str, int, float]) -> dict[tuple[str, bool], list[float]]:
    """Coverage in per cent of each kind of band: (name, whether within the rule) to its points."""
    name, n, share = setting
    rng = np.random.default_rng(zlib.crc32(repr(setting).encode()))
    pos, neg = CURVES[name]
    above, alarms = tails(pos)[::-1], tails(neg)[::-1]
    population = of_mixtures(name, share, pos, neg, lambda x: x, 1.0)
    found: list[list] = [[], [], []]
    true_tpr, true_all = np.interp(RATES, alarms, above), np.interp(DENSE, alarms, above)
    true_fpr = np.interp(RECALLS, above, alarms)
    true_precision = share * RECALLS / (share * RECALLS + (1 - share) * true_fpr)
    while len(found[0]) < samples:
        rows = population.draw(rng, n)
        if not 0 < rows["truth"].sum() < n:
            continue
        ev = population.evaluate(rows)
        c = ev.curve("roc", band="pointwise")
        found[0].append(between(c, RATES, true_tpr))
        c = ev.curve("roc", band="simultaneous")
        found[1].append([between(c, DENSE, true_all).all()])
        c = ev.curve("pr", band="pointwise")
        at = np.searchsorted(c.recall, RECALLS - 1e-12)
        found[2].append((c.low[at] <= true_precision) & (true_precision <= c.high[at]))
    roc, whole, pr = (100 * np.mean(part, 0) for part in found)
    p, m = n * share, n * (1 - share)
    rule = np.minimum(p * np.minimum(true_tpr, 1 - true_tpr), m * np.minimum(RATES, 1 - RATES)) >= FEW
    of_pr = np.minimum(p * np.minimum(RECALLS, 1 - RECALLS), m * np.minimum(true_fpr, 1 - true_fpr)) >= FEW
    out = defaultdict(list)
    for band, shares, within in (
        ("ROC, pointwise", roc, rule),
        ("PR, pointwise", pr, of_pr),
        ("ROC, simultaneous", whole, [True]),
    ):
        for value, good in zip(shares, within, strict=True):
            out[band, bool(good)].append(float(value))
    return out


def between(c, at: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Whether the band holds the curve there: from the foot of a vertical piece to its top."""
    return (height(c.fpr, c.low, at, top=False) <= truth + 1e-9) & (truth - 1e-9 <= height(c.fpr, c.high, at, top=True))


def calibration_trial(samples: int, setting: tuple[str, int, float]) -> dict[tuple[str, bool], list[float]]:
    """The same of the bins of a calibration curve, each over the samples that have rows in it."""
    strength, n, share = setting
    rng = np.random.default_rng(zlib.crc32(repr(setting).encode()))
    population = binary(strength, share)
    whole = population.truth(n).curve("calibration", bins=BINS)
    truth = dict(zip(whole.begin.tolist(), zip(whole.outcome, whole.rows, strict=True), strict=True))
    held, seen = defaultdict(int), defaultdict(int)
    for _ in range(samples):
        c = population.evaluate(population.draw(rng, n)).curve("calibration", bins=BINS, band="pointwise")
        for begin, low, high in zip(c.begin.tolist(), c.low, c.high, strict=True):
            seen[begin] += 1
            held[begin] += low <= truth[begin][0] <= high
    out = defaultdict(list)
    for begin, times in seen.items():
        if times >= samples / 4:
            outcome, rows = truth[begin]
            within = bool(rows * min(outcome, 1 - outcome) >= FEW)
            out["calibration, pointwise", within].append(100 * held[begin] / times)
    return out


def run(samples: int) -> dict[tuple[str, bool], list[float]]:
    curves = [(name, n, share) for n, share in reversed(SIZES) for name in CURVES]
    bins = [(strength, n, share) for n, share in SIZES for strength in ("weak", "strong")]
    found = defaultdict(list)
    with ProcessPoolExecutor(2) as pool:
        for find, settings in ((trial, curves), (calibration_trial, bins)):
            for part in pool.map(partial(find, samples), settings):
                for key, shares in part.items():
                    found[key] += shares
    return found


def text(found: dict[tuple[str, bool], list[float]], samples: int) -> str:
    lines = [
        f"Samples of each of {len(CURVES) * len(SIZES)} settings (calibration: {2 * len(SIZES)}): {samples}.",
        "",
        "| band | points within the rule | coverage, % | points outside | coverage, % |",
        "|---|--:|---|--:|---|",
    ]
    for band in dict.fromkeys(name for name, _ in found):
        within, beyond = found.get((band, True), []), found.get((band, False), [])
        lines.append(f"| {band} | {len(within)} | {spanned(within)} | {len(beyond)} | {spanned(beyond)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, default=2000)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    table = text(run(given.samples), given.samples)
    print(table)
    if given.write:
        written(PAGE, "bands", table)
