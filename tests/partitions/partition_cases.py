"""Rows of every task, cut into odd partitions, and what is asked of them: for the shared code and for real engines."""

from itertools import pairwise

import numpy as np
import pandas as pd

rng = np.random.default_rng(25)
N = 1200
Y = rng.integers(0, 2, N)
P = np.clip(0.35 + 0.3 * Y + rng.normal(0, 0.25, N), 0, 1)
P[:100] = Y[:100]  # a partition with 0.0 and 1.0 only
CLASSES = np.array(["ant", "bee", "cat"])
K = rng.integers(0, 3, N)
K[100:200] = 1  # a partition with one class
MATRIX = rng.dirichlet((1, 1, 1), N) + np.eye(3)[K]
MATRIX /= MATRIX.sum(1, keepdims=True)
TARGET = np.round(rng.normal(50, 20, N), 1)
TARGET[:200] = np.round(TARGET[:200])  # whole numbers
FRAME = pd.DataFrame(
    {
        "y": Y,
        "p": P,
        "q": np.clip(P + rng.normal(0, 0.2, N), 0, 1),
        "word": np.where(Y == 1, "yes", "no"),
        "kind": CLASSES[K],
        "guess": CLASSES[np.where(rng.random(N) < 0.7, K, rng.integers(0, 3, N))],
        "p_ant": MATRIX[:, 0],
        "p_bee": MATRIX[:, 1],
        "p_cat": MATRIX[:, 2],
        "target": TARGET,
        "predicted": TARGET + rng.normal(0, 8, N),
        "news": Y,
        "sport": (K == 2).astype(int),
        "s_news": P,
        "s_sport": np.clip(0.3 + 0.4 * (K == 2) + rng.normal(0, 0.2, N), 0, 1),
        "region": rng.choice(["north", "south", "west"], N),
        "day": np.array(["2026-03-01", "2026-03-02", "2026-03-03"])[np.arange(N) // 400],
        "w": rng.uniform(0.5, 2, N),
        "who": rng.integers(0, 150, N),
        "id": rng.permutation(N),
        "cluster": np.where(np.arange(N) % 17 == 0, -1, (K + (np.arange(N) % 5 == 0)) % 4),  # -1 is noise
    }
)
CUTS = (0, 100, 200, 200, 650, 651, N)  # one is empty, one has a single row
MANY = pd.concat([FRAME[["y", "p", "q", "who"]]] * 20, ignore_index=True)  # which do not fit 64 kB
MANY["p"] += np.arange(len(MANY)) * 1e-8  # distinct scores
PARTS = [FRAME.iloc[a:b].reset_index(drop=True) for a, b in pairwise(CUTS)]
ASKED = {
    "scores": {"truth": "y", "score": "p"},
    "slices": {"truth": "y", "score": "p", "by": ["region", "day"]},
    "weights": {"truth": "y", "score": "p", "weights": "w"},
    "words": {"truth": "word", "score": "p"},
    "labels": {"truth": "kind", "pred": "guess"},
    "classes": {"truth": "kind", "score": ["p_ant", "p_bee", "p_cat"]},
    "label sets": {"truth": ["news", "sport"], "score": ["s_news", "s_sport"]},
    "numbers": {"truth": "target", "pred": "predicted"},
    "clusters": {"truth": "kind", "pred": "cluster", "task": "clustering"},
    "threshold": {"truth": "y", "score": "p", "threshold": 0.4, "metrics": ["f1", "roc_auc"], "level": 0.9},
}
KEYED = ASKED["scores"] | {"key": "id", "interval": "percentile", "replicates": 50, "metrics": ["f1", "roc_auc"]}
CLUSTERINGS = {"models": {"A": "cluster", "B": "guess"}, "truth": "kind", "task": "clustering", "key": "id"}
QUICK = ("slices", "classes", "numbers")


def assert_same(found, wanted, names=None):
    """Every estimate, note and definition of two evaluations; sums may differ in the last bits."""
    assert list(found) == list(wanted)
    assert (found.rows, found.notes, found.predictions) == (wanted.rows, wanted.notes, wanted.predictions)
    assert (found.schema, found.settings) == (wanted.schema, wanted.settings)
    for name in names or wanted:
        np.testing.assert_allclose(
            [float(found[name]), found[name].low, found[name].high],
            [float(wanted[name]), wanted[name].low, wanted[name].high],
            rtol=1e-12,
            atol=1e-13,
            err_msg=name,
        )
        assert (found[name].method, found[name].reason) == (wanted[name].method, wanted[name].reason)
    assert found.by.keys() == wanted.by.keys()
    for column, values in wanted.by.items():
        assert list(found.by[column]) == list(values)
        for value, part in values.items():
            assert_same(found.by[column][value], part)


def assert_same_differences(found, wanted):
    """Every difference of two comparisons, with its bounds and its p-value."""
    assert list(found) == list(wanted)
    for name in wanted:
        for pair, difference in wanted[name].items():
            other = found[name][pair]
            np.testing.assert_allclose(
                [other.difference, other.low, other.high, other.pvalue],
                [difference.difference, difference.low, difference.high, difference.pvalue],
                rtol=1e-9,
                atol=1e-12,
                err_msg=name,
            )


QUERIES = pd.DataFrame(
    {
        "query": [f"q{i // 12}" for i in range(600)],
        "doc": [f"d{i:03}" for i in range(600)],
        "score": np.round(rng.random(600), 2),
        "relevance": rng.integers(0, 4, 600),
    }
).sample(frac=1, random_state=0, ignore_index=True)
