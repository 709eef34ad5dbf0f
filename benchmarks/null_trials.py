"""How often each test finds a difference where there is none: rejections at nominal 5 %, in per cent of samples.

    python benchmarks/null_trials.py [rows] [folds] [sets] [intervals]

rows: two models on the same rows, correlated, equally good: exchangeable, or (weak) equal in the one measure only, by
being good at different things. folds: two learners that are equally good on average over data sets, which is the
question that folds ask. sets: scores of several models over data sets. Resamples are 200 here instead of 2000, which
makes their tests a little worse.
"""

import sys
from collections import Counter
from collections.abc import Iterator

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit, ndtr, ndtri

import calipers as cal
from calipers import resampling
from calipers.inference import folds, friedman, paired
from calipers.inference.resampled import sign_flip
from calipers.inference.signed_rank import wilcoxon

SAMPLES = 1000
LIMIT = 6.0
resampling.FEWEST = resampling.MOST = 200


def report(name: str, setting: str, found: Counter, samples: int) -> None:
    shares = {test: 100 * hits / samples for test, hits in found.items()}
    cells = [f"{test} {share:.1f}{'*' if share > LIMIT else ''}" for test, share in shares.items()]
    print(f"{name:9} {setting:34} " + "  ".join(cells), flush=True)


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


SHARES = ("accuracy", "recall")
COUNTED = ("f1", "mcc", "balanced_accuracy", "precision")
SCORED = ("roc_auc", "average_precision", "log_loss", "brier", "ece")


def row_trials(rng: np.random.Generator) -> Iterator[tuple]:
    names = [*SHARES, *COUNTED, *SCORED]
    sizes = (60, 0.5), (150, 0.2), (300, 0.1), (1000, 0.05)
    every = [(n, share, auc, 0.5) for n, share in sizes for auc in (0.7, 0.9)]
    for n, share, auc, mixed in ((100, 0.4, 0.8, 0.999), (400, 0.4, 0.8, 0.999), *every):
        found: Counter = Counter(dict.fromkeys(names, 0))
        kept = 0
        while kept < SAMPLES:
            y, models = scored(rng, n, share, auc, mixed)
            if not 2 <= y.sum() <= n - 2:
                continue
            kept += 1
            cmp = cal.compare(y, models, metrics=names, threshold=share)
            for name in names:
                found[name] += cmp[name].pvalue < 0.05
        yield "rows", f"n={n} share={share} auc={auc} alike={mixed}", found, SAMPLES
    yield from weak_trials(rng)
    yield from cluster_trials(rng)


def weak_trials(rng: np.random.Generator) -> Iterator[tuple]:
    """Models of equal F1, or equal balanced accuracy, at different recall."""
    for n, share in ((150, 0.3), (300, 0.1)):
        for name, value in (
            ("f1", lambda se, sp, share=share: 2 * share * se / (share * (1 + se) + (1 - share) * (1 - sp))),
            ("balanced_accuracy", lambda se, sp: (se + sp) / 2),
        ):
            specific = brentq(lambda s, value=value: value(0.9, s) - value(0.5, 0.97), 0.3, 0.9999)
            found: Counter = Counter({name: 0})
            for _ in range(SAMPLES):
                y = np.zeros(n, int)
                y[: max(2, rng.binomial(n, share))] = 1
                common = rng.normal(size=n)
                said = []
                for se, sp in ((0.5, 0.97), (0.9, specific)):
                    right = ndtr(0.7 * common + np.sqrt(0.51) * rng.normal(size=n)) < np.where(y == 1, se, sp)
                    said.append(np.where(right, y, 1 - y))
                found[name] += cal.compare(y, dict(zip("AB", said, strict=True)), metrics=[name])[name].pvalue < 0.05
            yield "weak", f"n={n} share={share}", found, SAMPLES


def cluster_trials(rng: np.random.Generator) -> Iterator[tuple]:
    """Rows in clusters of 5 whose noise is nearly all the cluster's own: with and without saying so."""
    names = ["accuracy", "roc_auc", "brier", "f1"]
    for groups in (20, 60):
        found: Counter = Counter(dict.fromkeys([*names, *(f"{name} (as rows)" for name in names)], 0))
        for _ in range(SAMPLES // 2):
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
        yield "clusters", f"{groups} of 5 rows", found, SAMPLES // 2


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


def fold_trials(rng: np.random.Generator) -> Iterator[tuple]:
    for n, signal in ((60, 0.9), (200, 0.9), (60, 0.35), (200, 0.35)):
        found: Counter = Counter()
        for _ in range(SAMPLES):
            y = rng.permutation(np.arange(n) % 2)
            # Two learners with five features each, equally telling: neither is better on average over data sets.
            x = rng.normal(size=(2, n, 5)) + signal * y[:, None]

            def gap(train, test, x=x, y=y):
                return learned(x[0], y, train, test) - learned(x[1], y, train, test)

            ten = np.array([gap(*s) for s in splits(rng, n, 10)])
            repeated = np.concatenate([ten, *([gap(*s) for s in splits(rng, n, 10)] for _ in range(9))])
            halves = np.array([[gap(*s) for s in splits(rng, n, 2)] for _ in range(5)])
            tests = {
                "corrected t, 10 folds": folds.shift(ten, 1 / 9).test(""),
                "corrected t, 10x10": folds.shift(repeated, 1 / 9).test(""),
                "paired t, 10 folds": folds.shift(ten).test(""),
                "paired t, 10x10": folds.shift(repeated).test(""),
                "Wilcoxon, 10 folds": wilcoxon(ten),
                "Wilcoxon, 10x10": wilcoxon(repeated),
                "5x2cv t": folds.five_by_two_t(halves),
                "5x2cv F": folds.five_by_two_f(halves),
            }
            for name, outcome in tests.items():
                found[name] += outcome.pvalue < 0.05
        yield "folds", f"n={n} signal={signal}", found, SAMPLES


# Data sets, and the arithmetic alone


def set_trials(rng: np.random.Generator) -> Iterator[tuple]:
    many = 4 * SAMPLES
    for sets, models, decimals in ((8, 3, 6), (14, 4, 6), (14, 4, 1), (30, 6, 6)):
        found: Counter = Counter()
        for _ in range(many):
            ranks = friedman.ranks_of(np.round(rng.normal(size=(sets, models)), decimals))
            found["Friedman"] += friedman.friedman(ranks).pvalue < 0.05
            found["Iman-Davenport"] += friedman.iman_davenport(ranks).pvalue < 0.05
            found["Holm (any pair)"] += min(friedman.holm_ranks(ranks).values()) < 0.05
            gaps = ranks.mean(0).max() - ranks.mean(0).min()
            found["Nemenyi (any pair)"] += gaps > CRITICAL.setdefault(
                (models, sets), friedman.critical_difference(models, sets)
            )
        yield "sets", f"{sets} sets, {models} models, {decimals} decimals", found, many
    for n, share in ((20, 0.2), (50, 0.2), (200, 0.1)):
        found = Counter()
        for b, c in rng.multinomial(n, [share / 2, share / 2, 1 - share], many)[:, :2]:
            for way in paired.WAYS:
                found[f"McNemar {way}"] += paired.mcnemar(int(b), int(c), way).pvalue < 0.05
            low, high = paired.tango(b, c, n, 0.95)
            found["Tango"] += low > 0 or high < 0
            both = (n - b - c) // 2
            low, high = paired.newcombe_paired(both, b, c, n - b - c - both, 0.95)
            found["Newcombe 10"] += low > 0 or high < 0
        yield "counts", f"n={n} discordant={share}", found, many
    for n in (8, 12, 40):
        found = Counter()
        for _ in range(many // 4):
            d = rng.normal(size=n)
            found["Wilcoxon"] += wilcoxon(d).pvalue < 0.05
            found["sign-flip"] += sign_flip(d, 999).pvalue < 0.05
        yield "paired", f"n={n}", found, many // 4


def interval_trials(rng: np.random.Generator) -> Iterator[tuple]:
    """Misses (100 less coverage) of the two intervals for a difference of paired proportions, by enumeration."""
    from scipy.stats import multinomial

    for n in (20, 45):
        tables = np.array([(e, f, g, n - e - f - g) for e in range(n + 1) for f in range(n + 1 - e)
                           for g in range(n + 1 - e - f)])  # fmt: skip
        ends = {
            "Tango": np.array([paired.tango(f, g, n, 0.95) for _, f, g, _ in tables.tolist()]),
            "Newcombe 10": np.array([paired.newcombe_paired(*t, 0.95) for t in tables.tolist()]),
        }
        for p1, p2, both in ((0.6, 0.6, 0.45), (0.9, 0.9, 0.85), (0.9, 0.8, 0.75), (0.7, 0.5, 0.4), (0.95, 0.85, 0.82)):
            chance = multinomial.pmf(tables, n, [both, p1 - both, p2 - both, 1 - p1 - p2 + both])
            found = Counter()
            for name, (low, high) in ((name, e.T) for name, e in ends.items()):
                found[name] = float(chance @ ((low > p1 - p2 + 1e-12) | (high < p1 - p2 - 1e-12)))
                found[name + " width"] = float(chance @ (high - low))
            yield "misses", f"n={n} p={p1}, {p2} both={both}", found, 1


CRITICAL: dict[tuple[int, int], float] = {}
TRIALS = {"rows": row_trials, "folds": fold_trials, "sets": set_trials, "intervals": interval_trials}

if __name__ == "__main__":
    for chosen in sys.argv[1:] or TRIALS:
        for line in TRIALS[chosen](np.random.default_rng(20260201)):
            report(*line)
