"""Intervals of metrics of geometry: how much they vary with the rows, all in the clusters that they have."""

import json
import math

import numpy as np
import pytest
from scipy.sparse import csr_matrix

import calipers as cal
from calipers.errors import InputError
from calipers.statistics.geometry import Geometry

NAMES = ("silhouette", "davies_bouldin", "calinski_harabasz", "inertia")


def drawn(n=90, seed=0, apart=3.0):
    """Rows of three groups, each in the cluster whose middle is nearest."""
    rng = np.random.default_rng(seed)
    middles = apart * np.eye(3, 2)
    X = rng.normal(size=(n, 2)) + middles[rng.integers(0, 3, n)]
    return X, ((X[:, None] - middles) ** 2).sum(2).argmin(1)


@pytest.mark.parametrize("distance", ["euclidean", "l1", "cosine", "precomputed", "sparse"])
def test_metrics_without_each_row_are_those_of_the_other_rows(distance):
    from scipy.spatial.distance import cdist

    X, labels = drawn(60)
    X, labels = np.r_[X, [[9.0, 9.0]]], np.r_[labels, 7]  # a cluster of one row
    table = {"precomputed": cdist(X, X), "sparse": csr_matrix(X)}.get(distance, X)
    metric = "euclidean" if distance == "sparse" else distance
    found = Geometry.of_points(table, np.r_[labels[:-1], 3], (0, 1, 2, 7), metric, errors=True).left_out
    names = ("silhouette",) if distance == "precomputed" else NAMES
    assert set(found) == set(names)
    left = {name: [] for name in names}
    for i in range(60):
        rows = np.arange(61) != i
        part = table[rows][:, rows] if distance == "precomputed" else table[rows]
        ev = cal.evaluate_clusters(labels[rows], X=part, distance=metric)
        for name in names:
            left[name].append(float(ev[name]))
    for name in names:
        exact, ours = np.array(left[name]), found[name][:60]
        if name in ("inertia", "calinski_harabasz"):
            np.testing.assert_allclose(ours, exact, rtol=1e-10)
        else:  # to first order
            assert np.corrcoef(exact, ours)[0, 1] > 0.998, name
            assert ours.std() == pytest.approx(exact.std(), rel=0.03), name


def test_features_far_from_0_and_very_small_ones_have_the_same_interval():
    X, labels = drawn()
    plain = cal.evaluate_clusters(labels, X=X)["silhouette"]
    for moved in (X + 2.0**30, np.ldexp(X, -700)):
        other = cal.evaluate_clusters(labels, X=moved)["silhouette"]
        assert (other.low, other.high) == pytest.approx((plain.low, plain.high), abs=1e-6)


def test_intervals_cover_the_value_of_the_population():
    large = (drawn(2000, seed) for seed in range(900, 904))
    truth = float(np.mean([cal.evaluate_clusters(labels, X=X)["silhouette"] for X, labels in large]))
    covered = alone = 0
    for seed in range(150):
        X, labels = drawn(60, seed)
        ev = cal.evaluate_clusters(labels, X=X)
        covered += ev["silhouette"].low <= truth <= ev["silhouette"].high
        reach = 2.0 * ev.silhouettes.std(ddof=1) / math.sqrt(60)
        alone += abs(float(ev["silhouette"]) - truth) <= reach
    assert covered >= 135
    assert alone <= 125  # what the silhouettes alone would give


def test_noise_changes_no_interval_much_and_groups_are_left_out_together():
    X, labels = drawn()
    plain = cal.evaluate_clusters(labels, X=X)
    noisy = cal.evaluate_clusters(np.r_[labels, [-1] * 5], X=np.r_[X, np.full((5, 2), 50.0)])
    twice = cal.evaluate_clusters(np.repeat(labels, 2), X=np.repeat(X, 2, 0), groups=np.repeat(np.arange(90), 2))
    for name in NAMES:
        assert noisy[name] == plain[name]
        size = 2 if name in ("inertia", "calinski_harabasz") else 1  # these grow with the rows that are in clusters
        assert noisy[name].stderr == pytest.approx(plain[name].stderr, rel=0.02 if size == 1 else 0.1)
        assert twice[name].stderr == pytest.approx(size * plain[name].stderr, rel=0.08), name
        assert "grouped" in twice[name].method


def test_what_has_no_interval_says_why():
    X, labels = drawn()
    ev = cal.evaluate_clusters(labels, X=X)
    assert "two pairs of rows decide it" in ev["dunn"].reason
    gate = cal.gate(ev, ["silhouette > 0.2", "dunn > 0.5"])
    assert [check.answer for check in gate.checks] == ["pass", "inconclusive"]
    assert "two pairs of rows decide it" in gate.checks[1].notes[0]
    few = cal.evaluate_clusters([0, 0, 1], X=[[0.0], [1.0], [5.0]])
    assert few["silhouette"] == pytest.approx(float(few["silhouette"]))
    same = cal.evaluate_clusters([0, 0, 1, 1], X=[[0.0], [0.0], [1.0], [1.0]])
    assert same["silhouette"] == 1
    assert math.isnan(same["silhouette"].low)
    assert same["silhouette"].reason


def test_the_document_has_the_table_of_clusters():
    X, labels = drawn()
    ev = cal.evaluate_clusters(np.r_[-1, labels[1:]], np.array(["b", "b", "a"])[labels], X)
    text = ev.to_json()
    back = cal.loads(text)
    assert back.to_json() == text
    assert back.to_text() == ev.to_text()
    for name in ev.per_cluster:
        assert back.per_cluster[name].tolist() == ev.per_cluster[name].tolist()
    assert "clusters" not in json.loads(cal.evaluate([0, 1], [0, 1]).to_json())
    wrong = json.loads(text)
    for change in ({"class": [0, 1, 9]}, {"rows": [1]}, {"silhouette": [0.1, 0.2, 3.0]}):
        with pytest.raises(InputError, match=r"clusters\."):
            cal.loads(json.dumps({**wrong, "clusters": {**wrong["clusters"], **change}}))


def test_hostile_options():
    import pandas as pd

    X, labels = drawn()
    assert "subsample: 20 of 90" in cal.evaluate_clusters(labels, X=X, sample=np.int64(20))["silhouette"].method
    with pytest.raises(InputError, match=r"interval='bca' is not available for silhouette: use jackknife"):
        cal.evaluate_clusters(labels, X=X, interval={"silhouette": "bca"})
    drawn_again = cal.evaluate_clusters(labels, labels, X, interval={"v_measure": "bca"})
    assert "bca" in drawn_again["v_measure"].method
    with pytest.raises(InputError, match="index"):
        cal.evaluate_clusters(pd.Series(labels, index=np.arange(90)[::-1]), pd.Series(labels))
    with pytest.raises(InputError, match="sample=True: must be a number of rows"):
        cal.evaluate_clusters(labels, X=X, sample=True)
