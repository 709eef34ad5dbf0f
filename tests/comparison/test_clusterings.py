"""`compare` of clusterings of the same rows, by the distances between rows, with and without classes."""

import math

import numpy as np
import pytest

import calipers as cal
from calipers.errors import InputError

GEOMETRY = ["silhouette", "davies_bouldin", "calinski_harabasz"]


def two(n=120, seed=0, noise=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    X = rng.normal(size=(n, 2)) + 4 * np.eye(3, 2)[truth]
    worse = np.where(rng.random(n) < 0.15, rng.integers(0, 3, n), truth)
    worse[:noise] = -1
    return truth, worse, X


def test_without_classes_clusterings_are_paired_by_row():
    good, worse, X = two()
    compared = cal.compare(None, {"good": good, "worse": worse}, task="clustering", rules={"X": X})
    assert list(compared) == GEOMETRY
    alone = [cal.evaluate_clusters(labels, X=X) for labels in (good, worse)]
    for name in GEOMETRY:
        d = compared[name]
        assert d.difference == float(alone[1][name]) - float(alone[0][name])
        assert d.winner == "good"
        assert d.low <= d.difference <= d.high
        assert "jackknife" in d.method
    assert compared["silhouette"].pvalue < 0.01
    assert "2 clusterings compared on the same 120 rows" in compared.to_text()
    same = cal.compare(None, {"a": good, "b": good + 5}, rules={"X": X})["silhouette"]
    assert (same.difference, same.pvalue) == (0, 1)
    # Of the same rows: what both have in common cancels out.
    apart = math.hypot(*(float(ev["silhouette"].stderr) for ev in alone))
    assert compared["silhouette"].stderr < 0.85 * apart


def test_with_classes_agreement_is_compared_as_without_features():
    good, worse, X = two(noise=6)
    both = {"good": good, "worse": worse}
    with_x = cal.compare(good, both, task="clustering", rules={"X": X})
    without = cal.compare(good, both, task="clustering")
    for name in without:
        assert repr(with_x[name]) == repr(without[name])
    assert {*GEOMETRY} < {*with_x}
    kept = cal.compare(good, both, task="clustering", rules={"noise": "cluster"})
    assert kept["purity"].measured[0] < 1


def test_noise_that_one_clustering_has_leaves_rows_in_the_other():
    good, _, X = two()
    noisy = good.copy()
    noisy[:20] = -1
    d = cal.compare(None, {"good": good, "noisy": noisy}, rules={"X": X})["silhouette"]
    alone = cal.evaluate_clusters(noisy, X=X)["silhouette"]
    assert d.measured[0] == float(alone)
    assert math.isfinite(d.pvalue)


def test_samples_of_rows_have_the_error_of_the_subsample():
    good, worse, X = two(600)
    whole = cal.compare(None, {"good": good, "worse": worse}, rules={"X": X})["silhouette"].difference
    covered = 0
    for seed in range(40):
        d = cal.compare(None, {"good": good, "worse": worse}, rules={"X": X, "sample": 60}, seed=seed)["silhouette"]
        assert d.method == "error of the subsample: 60 of 600 rows"
        covered += d.low <= whole <= d.high
    assert covered >= 33
    worse[:50] = -1  # other rows are drawn
    apart = cal.compare(None, {"good": good, "worse": worse}, rules={"X": X, "sample": 60})["silhouette"]
    assert apart.stderr > d.stderr


def test_groups_and_missing_features():
    good, worse, X = two()
    both = {"good": good, "worse": worse}
    rows = cal.compare(None, both, rules={"X": X})["silhouette"]
    alone = cal.compare(None, both, rules={"X": X}, groups=np.arange(120))["silhouette"]
    assert alone.stderr == pytest.approx(rows.stderr, rel=0.02)
    paired = cal.compare(None, both, rules={"X": X}, groups=np.arange(120) // 4)["silhouette"]
    assert "grouped" in paired.method
    holes = X.copy()
    holes[3, 0] = np.nan
    left = cal.compare(None, both, rules={"X": holes}, missing="drop")
    kept = np.arange(120) != 3
    again = cal.compare(None, {name: labels[kept] for name, labels in both.items()}, rules={"X": X[kept]})
    assert left.rows == 119
    assert left["silhouette"].measured == again["silhouette"].measured


@pytest.mark.parametrize(
    ("y_true", "options", "message"),
    [
        (None, {"task": "clustering"}, r'pass y_true, or the features as rules=\{"X": \.\.\.\}'),
        (None, {"rules": {"features": 1}}, r"evaluate_clusters\(\) has no argument features="),
        (None, {"rules": {"X": np.zeros((4, 1))}, "weights": [1] * 4}, "weights= is not available for clustering"),
        (None, {"rules": {"X": np.zeros((3, 1))}}, r"X has shape \(3, 1\), but there are 4 rows"),
        ([0, 1, 0, 1], {"rules": {"X": 1}}, "rules= is for rankings, recommendations and clusterings"),
        (None, {"rules": {"X": np.zeros((4, 1))}, "metrics": ["f1"]}, "f1"),
    ],
)
def test_hostile_input(y_true, options, message):
    with pytest.raises((InputError, TypeError), match=message):
        cal.compare(y_true, {"a": [0, 0, 1, 1], "b": [0, 1, 0, 1]}, **options)
