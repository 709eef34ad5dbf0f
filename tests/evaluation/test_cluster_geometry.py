"""`evaluate_clusters` with features: silhouettes, centres, samples, the table of clusters, charts and cards."""

import math
import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

import calipers as cal
from calipers.answers import answer
from calipers.errors import InputError


def points(n=120, seed=0, features=4):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    return rng.normal(size=(n, features)) + 3 * truth[:, None], truth


@pytest.mark.parametrize("distance", ["euclidean", "cityblock", "cosine", "l1", lambda a, b: abs(a - b).max()])
def test_silhouettes_are_those_of_scikit_learn(distance):
    from scipy.spatial.distance import cdist
    from sklearn.metrics import silhouette_samples, silhouette_score

    X, labels = points()
    ev = cal.evaluate_clusters(labels, X=X, distance=distance)
    np.testing.assert_allclose(ev.silhouettes, silhouette_samples(X, labels, metric=distance), atol=1e-10)
    assert ev["silhouette"] == pytest.approx(silhouette_score(X, labels, metric=distance))
    if isinstance(distance, str) and distance != "l1":
        apart = cdist(X, X, distance)
        np.fill_diagonal(apart, 0)
        for table in (apart, csr_matrix(apart)):
            given = cal.evaluate_clusters(labels, X=table, distance="precomputed")
            np.testing.assert_allclose(given.silhouettes, ev.silhouettes, atol=1e-8)
            assert "no features" in given["inertia"].reason
        sparse = cal.evaluate_clusters(labels, X=csr_matrix(X), distance=distance)
        np.testing.assert_allclose(sparse.silhouettes, ev.silhouettes, atol=1e-7)
        for name in ("inertia", "davies_bouldin", "calinski_harabasz"):
            assert sparse[name] == pytest.approx(float(ev[name]))


@given(st.integers(0, 10**6), st.integers(3, 40), st.integers(1, 9))
def test_silhouettes_by_brute_force(seed, n, features):
    rng = np.random.default_rng(seed)
    X, labels = rng.normal(size=(n, features)), rng.integers(0, 4, n)
    ev = cal.evaluate_clusters(labels, X=X)
    if not 1 < len(set(labels.tolist())) < n:
        assert math.isnan(ev["silhouette"])
        assert ev["silhouette"].reason
        return
    apart = np.sqrt(((X[:, None] - X) ** 2).sum(2))
    for i, own in enumerate(labels):
        mine = (labels == own) & (np.arange(n) != i)
        b = min(apart[i, labels == c].mean() for c in set(labels.tolist()) - {own})
        a = apart[i, mine].mean() if mine.any() else None
        expected = 0.0 if a is None else (b - a) / max(a, b)
        assert ev.silhouettes[i] == pytest.approx(expected, abs=1e-12)
    same = labels[:, None] == labels
    widest = apart[same].max()
    assert ev["dunn"] == pytest.approx(apart[~same].min() / widest) if widest else math.isnan(ev["dunn"])


def test_small_and_close_numbers_lose_no_digits():
    X, labels = points()
    plain = cal.evaluate_clusters(labels, X=X)
    small = cal.evaluate_clusters(labels, X=np.ldexp(X, -700))
    np.testing.assert_array_equal(small.silhouettes, plain.silhouettes)
    assert small["dunn"] == plain["dunn"]
    with pytest.raises(InputError, match=r"X is .*e\+2\d\d in row \d+, column \d: squares .* divide the features"):
        cal.evaluate_clusters(labels, X=np.ldexp(X, 700))
    # Whole numbers around 2**40: differences are exact, and |a|^2 + |b|^2 - 2ab would keep none of their digits.
    whole = np.round(X)
    far = cal.evaluate_clusters(labels, X=whole + 2.0**40)
    np.testing.assert_array_equal(far.silhouettes, cal.evaluate_clusters(labels, X=whole).silhouettes)


def test_a_row_of_zeros_has_a_cosine_distance():
    from sklearn.metrics import silhouette_samples

    X, labels = points()
    X[3] = 0
    expected = silhouette_samples(X, labels, metric="cosine")
    np.testing.assert_allclose(cal.evaluate_clusters(labels, X=X, distance="cosine").silhouettes, expected, atol=1e-12)


@pytest.mark.parametrize("sizes", [(1, 8, 9), (16, 7), (33, 1, 1, 40)])
def test_clusters_that_do_not_fill_a_group_of_eight(sizes):
    """One feature and many, so that parts of a cluster are compared one after the other."""
    from sklearn.metrics import silhouette_samples

    labels = np.random.default_rng(1).permutation(np.repeat(np.arange(len(sizes)), sizes))
    for features in (1, 700):
        X = np.random.default_rng(0).normal(size=(sum(sizes), features))
        expected = silhouette_samples(X, labels)
        np.testing.assert_allclose(cal.evaluate_clusters(labels, X=X).silhouettes, expected, atol=1e-9)


def test_noise_has_no_silhouette_and_no_centre():
    X, labels = points()
    noisy_labels = labels.copy()
    noisy_labels[:20] = -1
    ev, alone = cal.evaluate_clusters(noisy_labels, X=X), cal.evaluate_clusters(labels[20:], X=X[20:])
    assert np.isnan(ev.silhouettes[:20]).all()
    np.testing.assert_allclose(ev.silhouettes[20:], alone.silhouettes)
    for name in ("silhouette", "davies_bouldin", "calinski_harabasz", "dunn", "inertia"):
        assert ev[name] == pytest.approx(float(alone[name]))


def test_a_sample_of_silhouettes_has_the_error_of_the_subsample():
    X, labels = points(600)
    whole = float(cal.evaluate_clusters(labels, X=X)["silhouette"])
    covered = 0
    for seed in range(60):
        part = cal.evaluate_clusters(labels, X=X, sample=60, seed=seed)["silhouette"]
        assert part.method == "error of the subsample: 60 of 600 rows"
        covered += part.low <= whole <= part.high
    assert covered >= 51
    assert "dunn" in cal.evaluate_clusters(labels, X=X, sample=60).explain("dunn").to_text().lower()


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[1.0], [math.nan], [3.0]], r"X is nan in row 1, column 0: fill or drop missing values first"),
        ([[1.0], [2.0], [-math.inf]], r"X is -inf in row 2, column 0"),
        (csr_matrix([[1.0, 0.0], [0.0, math.nan], [3.0, 0.0]]), r"X is nan in row 1, column 1"),
        (np.zeros((3, 0)), r"X has shape \(3, 0\): pass a table"),
        ([[1.0], [2.0]], r"X has shape \(2, 1\), but there are 3 rows"),
        ([1.0, 2.0, 3.0], r"X has shape \(3,\): pass a table"),
        ([[1j], [2], [3]], "X is complex128, not a table of numbers"),
        ("points.csv", "X is str, not a table of numbers"),
        ([["a"], ["b"], ["c"]], "not a table of numbers"),
    ],
)
def test_features_that_are_none(X, message):
    with pytest.raises(InputError, match=message):
        cal.evaluate_clusters([0, 1, 1], X=X)


@pytest.mark.parametrize("sparse", [False, True])
def test_rows_without_features_can_be_dropped(sparse):
    X, labels = points()
    labels = labels.copy()
    labels[:4] = -1
    holes, truth = X.copy(), np.array(["a", "b", "c"])[labels]
    holes[[0, 1, 7], [0, 3, 2]] = np.nan
    kept = np.delete(np.arange(120), [0, 1, 7])
    given = csr_matrix(holes) if sparse else holes
    ev = cal.evaluate_clusters(labels, truth, given, missing="drop", groups=np.arange(120) // 2)
    alone = cal.evaluate_clusters(labels[kept], truth[kept], X[kept], groups=kept // 2)
    assert ev.rows == 117
    assert [str(ev[name]) for name in ev] == [str(alone[name]) for name in alone]
    assert any("2 rows have the label -1 (noise)" in note for note in ev.notes)
    with pytest.raises(InputError, match="X is nan in row 0, column 0"):
        cal.evaluate_clusters(labels, truth, given)
    with pytest.raises(InputError, match="labels has 120 rows and groups has 3"):
        cal.evaluate_clusters(labels, truth, given, groups=[1, 2, 3])
    with pytest.raises(InputError, match="missing"):
        cal.evaluate_clusters([0, 1], X=[[np.nan], [np.nan]], missing="drop")


def test_other_hostile_input():
    with pytest.raises(InputError, match="pass truth=, X=, or both"):
        cal.evaluate_clusters([0, 1, 1])
    with pytest.raises(InputError, match=r"distance <function .* of the rows 0 and 0 is not a number"):
        cal.evaluate_clusters([0, 1, 1], X=[[1.0], [2.0], [3.0]], distance=lambda a, b: math.nan)
    with pytest.raises(InputError, match="the distance nonsense cannot be computed"):
        cal.evaluate_clusters([0, 1, 1], X=[[1.0], [2.0], [3.0]], distance="nonsense")
    with pytest.raises(InputError, match="square table"):
        cal.evaluate_clusters([0, 1, 1], X=[[1.0], [2.0], [3.0]], distance="precomputed")
    with pytest.raises(InputError, match="fill_diagonal"):
        cal.evaluate_clusters([0, 1], X=np.ones((2, 2)), distance="precomputed")
    with pytest.raises(InputError, match=r"negative distance -1 in row 0, column 1: pass distances, not similarities"):
        cal.evaluate_clusters([0, 1], X=np.eye(2) - 1, distance="precomputed")
    with pytest.raises(InputError, match="sample=1: must be a number of rows, 2 or more"):
        cal.evaluate_clusters([0, 1, 1], X=[[1.0], [2.0], [3.0]], sample=1)
    all_noise = cal.evaluate_clusters([-1, -1], X=[[1.0], [2.0]])
    assert math.isnan(all_noise["silhouette"])
    assert all_noise.to_text()
    X, labels = points()
    with pytest.raises(InputError, match="evaluations with X cannot be merged"):
        cal.merge([cal.evaluate_clusters(labels[:60], X=X[:60]), cal.evaluate_clusters(labels[60:], X=X[60:])])


def test_any_number_of_threads_gives_the_same_bits():
    code = """
import numpy as np, calipers as cal, zlib
X = np.random.default_rng(0).normal(size=(3000, 7)); labels = (X[:, 0] > 0) + 2 * (X[:, 1] > 0.5)
print(zlib.crc32(cal.evaluate_clusters(labels, X=X).silhouettes.tobytes()))
"""
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "CALIPERS_THREADS": n}, capture_output=True, text=True
        ).stdout
        for n in ("1", "2")
    }
    assert len(outputs) == 1
    assert outputs != {""}


def test_the_table_of_clusters():
    X, labels = points()
    truth = np.array(["a", "b", "c"])[labels]
    ev = cal.evaluate_clusters(labels, truth, X)
    table = ev.per_cluster
    assert sorted(table["cluster"].tolist()) == [0, 1, 2]
    assert table["rows"].tolist() == sorted(np.bincount(labels).tolist(), reverse=True)
    assert table["share"].tolist() == [1, 1, 1]
    for cluster, mean, commonest in zip(table["cluster"], table["silhouette"], table["class"], strict=True):
        assert mean == pytest.approx(ev.silhouettes[labels == cluster].mean())
        assert commonest == "abc"[cluster]
    assert "per cluster" in ev.to_text()
    back = cal.loads(ev.to_bytes())
    np.testing.assert_array_equal(back.silhouettes, ev.silhouettes)
    with pytest.raises(InputError, match="per_cluster is for clusters"):
        _ = cal.evaluate([0, 1], [0, 1]).per_cluster
    with pytest.raises(InputError, match="there are no silhouettes"):
        _ = cal.evaluate_clusters(labels, truth).silhouettes


@pytest.mark.parametrize("kind", ["contingency", "silhouette", "intervals"])
def test_charts(kind):
    pytest.importorskip("matplotlib")
    X, labels = points()
    ev = cal.evaluate_clusters(labels, np.array(["a", "b", "c"])[labels], X)
    ax = ev.plot(kind)
    assert ax.get_title("left")
    with pytest.raises(InputError, match="silhouettes"):
        cal.evaluate_clusters(labels, labels).plot("silhouette")


GEOMETRY = ("silhouette", "davies_bouldin", "calinski_harabasz", "dunn", "inertia")


@given(st.integers(0, 10**6), st.integers(5, 30), st.integers(1, 4))
def test_laws_of_geometry(seed, n, features):
    """The order of rows, names of clusters, shifts, turns and reflections change nothing; a scale only inertia."""
    rng = np.random.default_rng(seed)
    X, labels = rng.normal(size=(n, features)), np.r_[0, 1, rng.integers(0, 3, n - 2)]
    turn, _ = np.linalg.qr(rng.normal(size=(features, features)))
    order = rng.permutation(n)
    plain = cal.evaluate_clusters(labels, X=X)
    for other in (
        cal.evaluate_clusters(labels[order], X=X[order]),
        cal.evaluate_clusters(np.array(["b", "c", "a"])[labels], X=X),
        cal.evaluate_clusters(labels, X=X @ turn + 5),
        cal.evaluate_clusters(labels, X=-3 * X),
    ):
        for name in GEOMETRY:
            factor = 9 if name == "inertia" and other["inertia"] > 2 * plain["inertia"] else 1
            assert other[name] == pytest.approx(factor * float(plain[name]), rel=1e-9, abs=1e-12, nan_ok=True), name


def test_centres_by_brute_force():
    X, labels = points(60)
    centres = np.array([X[labels == k].mean(0) for k in range(3)])
    within = sum(((X[labels == k] - centres[k]) ** 2).sum() for k in range(3))
    between = sum((labels == k).sum() * ((centres[k] - X.mean(0)) ** 2).sum() for k in range(3))
    spread = [np.sqrt(((X[labels == k] - centres[k]) ** 2).sum(1)).mean() for k in range(3)]
    ratios = [
        max((spread[i] + spread[j]) / np.linalg.norm(centres[i] - centres[j]) for j in range(3) if j != i)
        for i in range(3)
    ]
    ev = cal.evaluate_clusters(labels, X=X)
    assert ev["inertia"] == pytest.approx(within)
    assert ev["calinski_harabasz"] == pytest.approx((between / 2) / (within / 57))
    assert ev["davies_bouldin"] == pytest.approx(np.mean(ratios))


def test_the_page_begins_with_agreement_and_separation_and_shows_both_charts(tmp_path):
    X, labels = points()
    ev = cal.evaluate_clusters(np.r_[-1, labels[1:]], np.array(["a", "b", "c"])[labels], X)
    ev.save(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "The clusters agree with the classes completely, and 0 of 119 rows are closer to another cluster." in page
    for place in ('id="contingency"', 'id="silhouette"', 'id="clusters"', 'id="number-silhouette"'):
        assert place in page
    assert page.count('class="group') == 2


def test_the_answer_follows_from_the_interval():
    rng = np.random.default_rng(0)
    truth = np.tile([0, 1], 60)
    cases = {
        "perfect": truth + 5,
        "better": np.where(rng.random(120) < 0.8, truth, 1 - truth),
        "open": rng.integers(0, 2, 120),
        "worse": np.repeat(np.arange(60), 2),  # a row of each class in every cluster
    }
    for code, labels in cases.items():
        cards = answer(cal.evaluate_clusters(labels, truth)).cards
        assert [(card.question, card.code) for card in cards] == [("agreement", code)]
    few = cal.evaluate_clusters([0, 0, 1, 1], ["a", "a", "b", "b"])
    assert [card.code for card in answer(few).cards] == ["open"]  # four rows that agree may agree by chance
    assert not answer(cal.evaluate_clusters(truth, truth, metrics=["noise_share"])).cards
    X = np.column_stack([truth, rng.normal(size=120)])
    (card,) = answer(cal.evaluate_clusters(truth, X=X)).cards
    assert card.question == "separation"
    assert card.numbers["points"] == 120
