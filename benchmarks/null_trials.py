"""How often each test finds a difference where there is none: rejections at nominal 5 %, in per cent of samples.

    python benchmarks/null_trials.py [GROUP ...] [--samples N] [--write]

rows: two models on the same rows, correlated, equally good. weak: equal in the one measure only, by being good at
different things. clusters: rows in groups of five, with and without saying so. folds: two learners that are equally
good on average over data sets, which is the question that folds ask. sets: scores of several models over data sets.
counts and paired: the arithmetic alone. misses: of intervals of paired shares, by enumeration. Resamples are 200 here
instead of 2000, which makes their tests a little worse. --write puts the tables into docs/comparison.md.
"""

import argparse
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit, ndtr, ndtri

import calipers as cal
from calipers import resampling
from calipers.inference import folds, friedman, paired
from calipers.inference.resampled import sign_flip
from calipers.inference.signed_rank import wilcoxon
from coverage_page import spanned, written

LIMIT = 6.0
PAGE = Path(__file__).parents[1] / "docs/comparison.md"
resampling.FEWEST = resampling.MOST = 200

# A trial takes a generator, the number of samples and its setting, and gives the rejections of each test.
Trial = Callable[..., Counter]


# The same rows


def scored(rng: np.random.Generator, n: int, share: float, auc: float, mixed: float) -> tuple[np.ndarray, dict]:
    """Two calibrated scorers of this AUC whose noise has `mixed` in common."""
    y = rng.random(n) < share
    shift, common = float(np.sqrt(2) * ndtri(auc)), rng.normal(size=n)
    models = {}
    for name in "AB":
        x = shift * y + np.sqrt(mixed) * common + np.sqrt(1 - mixed) * rng.normal(size=n)
        models[name] = expit(shift * x - shift**2 / 2 + logit(share))
    return y.astype(int), models


LABELS = ["accuracy", "recall", "f1", "mcc", "balanced_accuracy", "precision"]
NAMES = [*LABELS, "roc_auc", "average_precision", "log_loss", "brier", "ece"]


def rows(rng: np.random.Generator, samples: int, n: int, share: float, auc: float, mixed: float) -> Counter:
    """Two models that are equally good, with more or less of their noise in common."""
    found: Counter = Counter(dict.fromkeys(NAMES, 0))
    kept = 0
    while kept < samples:
        y, models = scored(rng, n, share, auc, mixed)
        if not 2 <= y.sum() <= n - 2:
            continue
        kept += 1
        cmp = cal.compare(y, models, metrics=NAMES, threshold=share)
        for name in NAMES:
            found[name] += cmp[name].pvalue < 0.05
    return found


EQUAL = {
    "f1": lambda se, sp, share: 2 * share * se / (share * (1 + se) + (1 - share) * (1 - sp)),
    "balanced_accuracy": lambda se, sp, share: (se + sp) / 2,
}


def weak(rng: np.random.Generator, samples: int, n: int, share: float, name: str) -> Counter:
    """Models of equal F1, or equal balanced accuracy, at different recall."""
    value = partial(EQUAL[name], share=share)
    specific = brentq(lambda s: value(0.9, s) - value(0.5, 0.97), 0.3, 0.9999)
    found: Counter = Counter({name: 0})
    for _ in range(samples):
        y = np.zeros(n, int)
        y[: max(2, rng.binomial(n, share))] = 1
        common = rng.normal(size=n)
        said = []
        for se, sp in ((0.5, 0.97), (0.9, specific)):
            right = ndtr(0.7 * common + np.sqrt(0.51) * rng.normal(size=n)) < np.where(y == 1, se, sp)
            said.append(np.where(right, y, 1 - y))
        found[name] += cal.compare(y, dict(zip("AB", said, strict=True)), metrics=[name])[name].pvalue < 0.05
    return found


def clusters(rng: np.random.Generator, samples: int, groups: int) -> Counter:
    """Rows in clusters of 5 whose noise is nearly all the cluster's own: with and without saying so."""
    names = ["accuracy", "roc_auc", "brier", "f1"]
    found: Counter = Counter(dict.fromkeys([*names, *(f"{name} (as rows)" for name in names)], 0))
    for _ in range(samples):
        y, models = scored(rng, groups, 0.4, 0.8, 0.3)
        if not 3 <= y.sum() <= groups - 3:
            y[:3], y[3:6] = 0, 1
        y = np.repeat(y, 5)
        models = {k: expit(logit(np.repeat(p, 5)) + 0.3 * rng.normal(size=len(y))) for k, p in models.items()}
        told = cal.compare(y, models, metrics=names, clusters=np.repeat(np.arange(groups), 5))
        as_rows = cal.compare(y, models, metrics=names)
        for name in names:
            found[name] += told[name].pvalue < 0.05
            found[f"{name} (as rows)"] += as_rows[name].pvalue < 0.05
    return found


# Folds


def learned(x: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray) -> float:
    """Accuracy of the nearest centroid."""
    ones, zeros = x[train][y[train] == 1].mean(0), x[train][y[train] == 0].mean(0)
    said = (x[test] - (ones + zeros) / 2) @ (ones - zeros) > 0
    return float(np.mean(said == y[test]))


def splits(rng: np.random.Generator, n: int, k: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    order = rng.permutation(n)
    for part in np.array_split(order, k):
        yield np.setdiff1d(order, part), part


def over_folds(rng: np.random.Generator, samples: int, n: int, signal: float) -> Counter:
    found: Counter = Counter()
    for _ in range(samples):
        y = rng.permutation(np.arange(n) % 2)
        # Two learners with five features each, equally telling: neither is better on average over data sets.
        x = rng.normal(size=(2, n, 5)) + signal * y[:, None]

        def gap(train, test, x=x, y=y):
            return learned(x[0], y, train, test) - learned(x[1], y, train, test)

        ten = np.array([gap(*s) for s in splits(rng, n, 10)])
        repeated = np.concatenate([ten, *([gap(*s) for s in splits(rng, n, 10)] for _ in range(9))])
        halves = np.array([[gap(*s) for s in splits(rng, n, 2)] for _ in range(5)])
        tests = {
            "corrected t, 10 folds": folds.shift(ten, 1 / 9).of_one_repetition(1 / 9).test(""),
            "corrected t, 10 x 10 folds": folds.shift(repeated, 1 / 9).of_one_repetition(1 / 9).test(""),
            "Nadeau and Bengio, 10 x 10 folds": folds.shift(repeated, 1 / 9).test(""),
            "paired t, 10 folds": folds.shift(ten).test(""),
            "paired t, 10 x 10 folds": folds.shift(repeated).test(""),
            "Wilcoxon, 10 folds": wilcoxon(ten),
            "Wilcoxon, 10 x 10 folds": wilcoxon(repeated),
            "5x2cv t": folds.five_by_two_t(halves),
            "combined 5x2cv F": folds.five_by_two_f(halves),
        }
        for name, outcome in tests.items():
            found[name] += outcome.pvalue < 0.05
    return found


# Data sets, and the arithmetic alone


def sets(rng: np.random.Generator, samples: int, count: int, models: int, decimals: int) -> Counter:
    found: Counter = Counter()
    critical = friedman.critical_difference(models, count)
    for _ in range(samples):
        ranks = friedman.ranks_of(np.round(rng.normal(size=(count, models)), decimals))
        found["Friedman"] += friedman.friedman(ranks).pvalue < 0.05
        found["Iman-Davenport"] += friedman.iman_davenport(ranks).pvalue < 0.05
        found["Holm, any pair"] += min(friedman.holm_ranks(ranks).values()) < 0.05
        found["Nemenyi, any pair"] += ranks.mean(0).max() - ranks.mean(0).min() > critical
    return found


def counts(rng: np.random.Generator, samples: int, n: int, share: float) -> Counter:
    found: Counter = Counter()
    for b, c in rng.multinomial(n, [share / 2, share / 2, 1 - share], samples)[:, :2]:
        for way in paired.WAYS:
            found[f"McNemar {way}"] += paired.mcnemar(int(b), int(c), way).pvalue < 0.05
        low, high = paired.tango(b, c, n, 0.95)
        found["Tango"] += low > 0 or high < 0
        both = (n - b - c) // 2
        low, high = paired.newcombe_paired(both, b, c, n - b - c - both, 0.95)
        found["Newcombe 10"] += low > 0 or high < 0
    return found


def pairs(rng: np.random.Generator, samples: int, n: int) -> Counter:
    found: Counter = Counter()
    for _ in range(samples):
        d = rng.normal(size=n)
        found["Wilcoxon"] += wilcoxon(d).pvalue < 0.05
        found["sign-flip"] += sign_flip(d, 999).pvalue < 0.05
    return found


def misses(rng: np.random.Generator, samples: int, n: int) -> Counter:
    """Misses (100 less coverage) of the intervals for a difference of paired shares, the worst of five, enumerated."""
    from scipy.stats import multinomial

    tables = np.array([(e, f, g, n - e - f - g) for e in range(n + 1) for f in range(n + 1 - e)
                       for g in range(n + 1 - e - f)])  # fmt: skip
    ends = {
        "Tango": np.array([paired.tango(f, g, n, 0.95) for _, f, g, _ in tables.tolist()]),
        "Newcombe 10": np.array([paired.newcombe_paired(*t, 0.95) for t in tables.tolist()]),
    }
    found: Counter = Counter()
    for p1, p2, both in ((0.6, 0.6, 0.45), (0.9, 0.9, 0.85), (0.9, 0.8, 0.75), (0.7, 0.5, 0.4), (0.95, 0.85, 0.82)):
        chance = multinomial.pmf(tables, n, [both, p1 - both, p2 - both, 1 - p1 - p2 + both])
        for name, (low, high) in ((name, e.T) for name, e in ends.items()):
            missed = float(chance @ ((low > p1 - p2 + 1e-12) | (high < p1 - p2 - 1e-12)))
            found[name] = max(found[name], samples * missed)
    return found


SIZES = (60, 0.5), (150, 0.2), (300, 0.1), (1000, 0.05)
GROUPS: dict[str, tuple[Trial, float, list[tuple]]] = {  # the trial, how many times the samples, its settings
    "rows": (rows, 1, [(100, 0.4, 0.8, 0.999), (400, 0.4, 0.8, 0.999),
                       *((n, share, auc, 0.5) for n, share in SIZES for auc in (0.7, 0.9))]),
    "weak": (weak, 1, [(n, share, name) for n, share in ((150, 0.3), (300, 0.1)) for name in EQUAL]),
    "clusters": (clusters, 1, [(20,), (60,)]),
    "folds": (over_folds, 1, [(60, 0.9), (200, 0.9), (60, 0.35), (200, 0.35)]),
    "sets": (sets, 4, [(8, 3, 6), (14, 4, 6), (14, 4, 1), (30, 6, 6)]),
    "counts": (counts, 4, [(20, 0.2), (50, 0.2), (200, 0.1)]),
    "paired": (pairs, 1, [(8,), (12,), (40,)]),
    "misses": (misses, 1, [(20,), (45,)]),
}  # fmt: skip


def one(samples: int, case: tuple[str, tuple]) -> dict[str, float]:
    """The rejections of one setting, in per cent."""
    group, setting = case
    trial, times, _ = GROUPS[group]
    many = int(samples * times)
    found = trial(np.random.default_rng(zlib.crc32(repr(case).encode())), many, *setting)
    return {test: 100 * hits / many for test, hits in found.items()}


def run(groups: list[str], samples: int) -> dict[str, dict[tuple, dict[str, float]]]:
    cases = [(group, setting) for group in groups for setting in GROUPS[group][2]]
    found: dict[str, dict[tuple, dict[str, float]]] = defaultdict(dict)
    with ProcessPoolExecutor(2) as pool:
        for (group, setting), shares in zip(cases, pool.map(partial(one, samples), cases), strict=True):
            found[group][setting] = shares
            told = (f"{test} {share:.1f}{'*' if share > LIMIT else ''}" for test, share in shares.items())
            print(f"{group:9} {', '.join(map(str, setting)):22} " + "  ".join(told), flush=True)
    return found


# The tables of docs/comparison.md


def ranges(*groups: dict[tuple, dict[str, float]]) -> dict[str, str]:
    """The least and the greatest share of every test over its settings."""
    every = defaultdict(list)
    for shares in (shares for group in groups for shares in group.values()):
        for test, share in shares.items():
            every[test].append(share)
    return {test: spanned(shares) for test, shares in every.items()}


def listed(title: str, found: dict[str, str]) -> list[str]:
    rows = [f"| {test} | {share} |" for test, share in found.items()]
    return [f"| {title} | rejected, % |", "|---|---|", *rows, ""]


def by_setting(found: dict[tuple, dict[str, float]]) -> Iterator[str]:
    settings = (f"n = {n}{'' if signal > 0.5 else ', hard'}" for n, signal in found)
    yield f"| test over folds | {' | '.join(settings)} |"
    yield "|---|" + "--:|" * len(found)
    for test in next(iter(found.values())):
        shares = [f[test] for f in found.values()]
        yield f"| {test} | " + " | ".join(f"**{x:.1f}**" if x > LIMIT else f"{x:.1f}" for x in shares) + " |"
    yield ""


def text(found: dict[str, dict[tuple, dict[str, float]]], samples: int) -> str:
    chance = 196 * np.sqrt(0.05 * 0.95 / samples)
    shown = f"{5 - chance:.1f} to {5 + chance:.1f}"
    lines = [
        f"In per cent of {samples} samples a setting, in which a true 5 % shows as {shown};",
        "the least and the greatest over the settings.",
        "",
    ]
    lines += listed("default of `compare`", ranges(found["rows"], found["weak"]))
    lines += listed("20 or 60 clusters of five rows", ranges(found["clusters"]))
    lines += by_setting(found["folds"])
    lines += listed(f"over data sets ({4 * samples} samples)", ranges(found["sets"]))
    lines += listed("the arithmetic alone", ranges(found["counts"], found["paired"]))
    return "\n".join(lines).rstrip()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("groups", nargs="*", choices=[*GROUPS, []])
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    found = run(given.groups or list(GROUPS), given.samples)
    if given.write:
        written(PAGE, "nulls", text(found, given.samples))
