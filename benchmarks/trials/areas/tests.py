"""Tests that are called by name, on true nulls: over folds, over data sets, of counts and of pairs."""

from collections.abc import Iterator, Mapping
from functools import partial

import numpy as np

from calipers.inference import folds, friedman, paired
from calipers.inference.resampled import sign_flip
from calipers.inference.signed_rank import wilcoxon
from trials.cells import Tests
from trials.draws import Generator
from trials.learners import Centroids


def splits(rng: Generator, n: int, k: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    order = rng.permutation(n)
    for part in np.array_split(order, k):
        yield np.setdiff1d(order, part), part


def accuracy(x: np.ndarray, y: np.ndarray, train: np.ndarray, test: np.ndarray) -> float:
    model = Centroids()
    model.fit(x[train], y[train])
    return float(np.mean(model.predict(x[test]) == y[test]))


def over_folds(n: int, signal: float, rng: Generator) -> Mapping[str, float]:
    """Two learners with five features each, equally telling: neither is better on average over data sets."""
    y = rng.permutation(np.arange(n) % 2)
    x = rng.normal(size=(2, n, 5)) + signal * y[:, None]

    def gaps(k: int, times: int) -> np.ndarray:
        each = [[accuracy(x[0], y, *s) - accuracy(x[1], y, *s) for s in splits(rng, n, k)] for _ in range(times)]
        return np.array(each)

    repeated, halves = gaps(10, 10), gaps(2, 5)
    ten, every = repeated[0], repeated.ravel()
    outcomes = {
        "corrected t, 10 folds": folds.shift(ten, 1 / 9).of_one_repetition(1 / 9).test(""),
        "corrected t, 10 x 10 folds": folds.shift(every, 1 / 9).of_one_repetition(1 / 9).test(""),
        "Nadeau and Bengio, 10 x 10 folds": folds.shift(every, 1 / 9).test(""),
        "paired t, 10 folds": folds.shift(ten).test(""),
        "paired t, 10 x 10 folds": folds.shift(every).test(""),
        "Wilcoxon, 10 folds": wilcoxon(ten),
        "Wilcoxon, 10 x 10 folds": wilcoxon(every),
        "5x2cv t": folds.five_by_two_t(halves),
        "combined 5x2cv F": folds.five_by_two_f(halves),
    }
    return {name: outcome.pvalue for name, outcome in outcomes.items()}


def data_sets(count: int, models: int, decimals: int, rng: Generator) -> Mapping[str, float]:
    ranks = friedman.ranks_of(np.round(rng.normal(size=(count, models)), decimals))
    apart = np.ptp(ranks.mean(0)) > friedman.critical_difference(models, count)
    return {
        "Friedman": friedman.friedman(ranks).pvalue,
        "Iman-Davenport": friedman.iman_davenport(ranks).pvalue,
        "Holm, any pair": min(friedman.holm_ranks(ranks).values()),
        "Nemenyi, any pair": 0.0 if apart else 1.0,
    }


def counts(n: int, share: float, rng: Generator) -> Mapping[str, float]:
    """Two labellers that disagree on this share of the rows; an interval rejects where 0 lies outside."""
    b, c, same = rng.multinomial(n, [share / 2, share / 2, 1 - share]).tolist()
    pvalues = {f"McNemar {way}": paired.mcnemar(b, c, way).pvalue for way in paired.WAYS}
    ends = {
        "Tango": paired.tango(b, c, n, 0.95),
        "Newcombe 10": paired.newcombe_paired(same // 2, b, c, same - same // 2, 0.95),
    }
    return pvalues | {name: 0.0 if low > 0 or high < 0 else 1.0 for name, (low, high) in ends.items()}


def pairs(n: int, rng: Generator) -> Mapping[str, float]:
    d = rng.normal(size=n)
    return {"Wilcoxon": wilcoxon(d).pvalue, "sign-flip": sign_flip(d, 999).pvalue}


def parts() -> dict[str, list[Tests]]:
    corrected = ("corrected t, 10 folds", "corrected t, 10 x 10 folds")
    learners = [
        Tests(
            f"two equal learners, {n} rows" + ("" if signal > 0.5 else ", hard"),
            partial(over_folds, n, signal),
            corrected,
        )
        for n, signal in ((60, 0.9), (200, 0.9), (60, 0.35), (200, 0.35))
    ]
    ranks = ("Iman-Davenport", "Holm, any pair", "Nemenyi, any pair")
    sets = [
        Tests(f"{models} models on {count} data sets" + ("" if decimals > 1 else ", ties"),
              partial(data_sets, count, models, decimals), ranks)
        for count, models, decimals in ((8, 3, 6), (14, 4, 6), (14, 4, 1), (30, 6, 6))
    ]  # fmt: skip
    mcnemar = ("McNemar mid-p", "McNemar exact", "Newcombe 10")
    of_counts = [Tests(f"{n} rows, {share:.0%} disagree", partial(counts, n, share), mcnemar)
                 for n, share in ((20, 0.2), (50, 0.2), (200, 0.1))]  # fmt: skip
    of_pairs = [Tests(f"{n} normal differences", partial(pairs, n), ("Wilcoxon", "sign-flip")) for n in (8, 12, 40)]
    return {"over folds": learners, "over data sets": sets, "of counts": of_counts, "of pairs": of_pairs}
