"""`select_n_clusters`, and `compare` of clusterings."""

import numpy as np
import pytest
from sklearn.cluster import DBSCAN, KMeans
from sklearn.mixture import GaussianMixture

import calipers as cal
from calipers.errors import InputError


def groups(n=150, centres=3, apart=9.0, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 2)) + apart * np.repeat(np.eye(centres, 2), n // centres, axis=0)


def test_clear_groups_are_found_and_stable():
    result = cal.select_n_clusters(KMeans(n_init=5), groups(), k=range(2, 6), pairs=5)
    assert result.choice == result.best == 3
    assert 3 in result.stable
    by_number = {c.k: c for c in result.candidates}
    assert by_number[3].stability == pytest.approx(1)
    assert by_number[5].stability < 0.9
    for c in result.candidates:
        assert -1 <= c.silhouette.low <= c.silhouette <= c.silhouette.high <= 1
        assert -1 <= c.stability.low <= c.stability <= c.stability.high <= 1
    assert not result.findings


def test_noise_has_no_stable_number():
    X = np.random.default_rng(1).normal(size=(120, 10))
    result = cal.select_n_clusters(KMeans(n_init=1), X, k=[6, 9], pairs=4)
    assert "no_stable_number" in [finding.code for finding in result.findings]


def test_it_is_repeatable_and_comes_back_from_a_document():
    X = groups(90)
    one, two = (cal.select_n_clusters(KMeans(n_init=2), X, k=[2, 3], pairs=3, seed=4) for _ in range(2))
    assert one.to_json() == two.to_json()
    back = cal.loads(one.to_json())
    assert back.to_dict() == one.to_dict()
    for lang in ("en", "vi", "zh"):
        assert back.to_text(lang) == one.to_text(lang)
    assert [row["k"] for row in one.to_frame().to_dict("records")] == [2, 3]
    assert one.plot().get_title("left")


def test_a_mixture_has_components():
    assert cal.select_n_clusters(GaussianMixture(), groups(), k=[2, 3], pairs=3).choice == 3


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"model": DBSCAN()}, "DBSCAN is not a clusterer with a number of clusters"),
        ({"k": [1, 2]}, "is not a list of numbers of clusters: pass whole numbers, 2 or more"),
        ({"k": [2.5]}, "is not a list of numbers of clusters"),
        ({"X": np.ones((40, 2)), "model": KMeans(n_init=1)}, "found fewer than two clusters, or one per row"),
        ({"k": []}, "is not a list of numbers of clusters"),
        ({"k": [200]}, "200 clusters need more than 150 rows"),
        ({"pairs": 1}, "pairs=1: must be a number of pairs, 2 or more"),
    ],
)
@pytest.mark.filterwarnings("ignore:Number of distinct clusters")
def test_what_is_refused(arguments, message):
    options = {"model": KMeans(), "X": groups(), "k": [2], **arguments}
    with pytest.raises(InputError, match=message):
        cal.select_n_clusters(**options)


def clusterings(n=300, first=0.8, second=0.6, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    each = [np.where(rng.random(n) < right, truth, rng.integers(0, 3, n)) for right in (first, second)]
    return truth, {"A": each[0], "B": each[1]}


def test_clusterings_of_the_same_rows_are_compared_in_pairs():
    truth, both = clusterings()
    comparison = cal.compare(truth, both, task="clustering")
    text = comparison.to_text()
    assert "2 clusterings compared on the same 300 rows" in text
    assert "A better" in str(comparison["adjusted_rand"])
    renamed = cal.compare(truth, {"A": both["A"], "C": (both["A"] + 1) % 3}, metrics=["adjusted_rand"])
    assert "no evidence" in renamed.to_text()  # other numbers for the same clusters


def test_equal_clusterings_are_seldom_distinguished():
    rejected = 0
    for seed in range(40):
        truth, both = clusterings(120, 0.7, 0.7, seed)
        verdict = str(cal.compare(truth, both, metrics=["adjusted_rand"], seed=seed)["adjusted_rand"])
        rejected += "better" in verdict
    assert rejected <= 7


def test_a_number_is_not_a_table():
    from sklearn.cluster import KMeans

    with pytest.raises(InputError, match=r"X has shape \(\): pass a table"):
        cal.select_n_clusters(KMeans(n_init=1), 5)
