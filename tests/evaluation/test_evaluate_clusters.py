"""`evaluate_clusters`: noise, undefined values, intervals, p-values, merging and documents."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import calipers as cal
from calipers.errors import InputError
from calipers.metrics.base import CATALOGUE
from calipers.metrics.overlaps import Overlaps
from calipers.statistics.contingency import Contingency

OF_CLUSTERS = [m.name for m in CATALOGUE if m.view.of_clusters and m.from_labels]
AGREEMENT = [m.name for m in CATALOGUE if m.view.of_clusters and m.from_labels and m.better]


def noisy(n=150, right=0.8, seed=0, clusters=3):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    return truth, np.where(rng.random(n) < right, truth, rng.integers(0, clusters, n))


def test_noise_is_named_and_counted_and_not_a_cluster():
    truth, labels = noisy()
    labels[:30] = -1
    ev = cal.evaluate_clusters(labels, truth)
    alone = cal.evaluate_clusters(labels[30:], truth[30:])
    assert ev["adjusted_rand"] == alone["adjusted_rand"]
    assert ev["noise_share"] == pytest.approx(0.2)
    assert ev.rows == 150
    assert any("30 rows have the label -1 (noise)" in note for note in ev.notes)
    assert "note: 30 rows have the label -1 (noise)" in ev.to_text().replace("\n  ", " ")


def test_noise_can_be_one_more_cluster_as_in_scikit_learn():
    from sklearn.metrics import adjusted_rand_score

    truth, labels = noisy()
    labels[:30] = -1
    ev = cal.evaluate_clusters(labels, truth, noise="cluster")
    assert ev["adjusted_rand"] == pytest.approx(adjusted_rand_score(truth, labels))
    assert ev["noise_share"] == 0
    with pytest.raises(InputError, match=r'noise=\'keep\' is not known: pass "drop"'):
        cal.evaluate_clusters(labels, truth, noise="keep")


def test_noise_in_a_file_is_text():
    assert cal.evaluate_clusters(["-1", "0", "1"], ["a", "a", "b"])["noise_share"] == pytest.approx(1 / 3)


@pytest.mark.parametrize("name", AGREEMENT)
def test_names_of_clusters_do_not_matter(name):
    truth, labels = noisy()
    one, other = cal.evaluate_clusters(labels, truth), cal.evaluate_clusters(np.array(["x", "a", "m"])[labels], truth)
    assert one[name] == pytest.approx(float(other[name]), rel=1e-13)
    assert one[name].low == pytest.approx(other[name].low, rel=1e-9)


@pytest.mark.parametrize(
    ("labels", "truth", "undefined"),
    [
        ([-1, -1, -1], [0, 0, 1], "no row is in a cluster"),
        ([0], [0], "fewer than two rows"),
        ([0, 1, 2], [0, 1, 1], "every cluster or every class has only one row"),
    ],
)
def test_what_is_undefined_says_why(labels, truth, undefined):
    ev = cal.evaluate_clusters(labels, truth)
    reasons = {ev[name].reason for name in AGREEMENT if math.isnan(ev[name])}
    assert any(undefined in reason for reason in reasons)
    for name in OF_CLUSTERS:
        assert not math.isnan(ev[name]) or ev[name].reason, name


@pytest.mark.parametrize(
    ("labels", "same"), [([0] * 9, False), (list(range(9)), False), ([0, 0, 0, 1, 1, 1, 2, 2, 2], True)]
)
def test_one_cluster_and_as_many_as_rows(labels, same):
    ev = cal.evaluate_clusters(labels, ["a"] * 3 + ["b"] * 3 + ["c"] * 3)
    assert ev["adjusted_rand"] == (1 if same else pytest.approx(0, abs=1e-12))
    assert ev["adjusted_mutual_information"] == (1 if same else pytest.approx(0, abs=1e-12))


def test_of_nothing_and_of_other_things():
    with pytest.raises(InputError, match="labels is empty"):
        cal.evaluate_clusters([], [])
    with pytest.raises(InputError, match="truth has 2"):
        cal.evaluate_clusters([0, 1, 1], [0, 1])
    with pytest.raises(InputError, match="accuracy is not a clustering metric; available: "):
        cal.evaluate_clusters([0, 1], [0, 1], metrics=["accuracy"])
    with pytest.raises(InputError, match="weights= is not available for clustering"):
        cal.evaluate([0, 1], [0, 1], weights=[1, 2], task="clustering")
    with pytest.raises(InputError, match="labels"):
        cal.evaluate_clusters([0, None, 1], [0, 1, 1])
    assert cal.evaluate_clusters([0, None, 1, 0], [0, 1, 1, 0], missing="drop").rows == 3


def test_metrics_of_classes_are_not_of_clusters():
    assert "not for clusters" in cal.evaluate_clusters([0, 1, 1], [0, 1, 1])["accuracy"].reason
    assert "for clusters" in cal.evaluate([0, 1, 1], [0, 1, 1])["adjusted_rand"].reason
    assert cal.metrics.adjusted_rand([0, 0, 1, 1], [5, 5, 3, 3]) == 1
    assert cal.evaluate([0, 0, 1, 1], [5, 5, 3, 3], metrics=["adjusted_rand"]).task == "clustering"


@pytest.mark.parametrize("name", AGREEMENT)
@pytest.mark.parametrize("kind", ["usual", "same", "chance", "few"])
def test_intervals_are_in_range_and_hold_the_value(name, kind):
    truth, labels = noisy(150 if kind != "few" else 5, {"usual": 0.8, "same": 1.0, "chance": 0.0, "few": 0.6}[kind])
    estimate, metric = cal.evaluate_clusters(labels, truth)[name], CATALOGUE[name].metric
    if math.isnan(estimate):
        return
    assert metric.bounds[0] <= estimate.low <= estimate <= estimate.high <= metric.bounds[1]
    assert estimate.method == ("delta (logit)" if name == "goodman_kruskal_lambda" else "jackknife")
    if kind != "few":
        assert estimate.low < estimate.high


def test_a_perfect_clustering_has_a_bound_below_one():
    truth = np.repeat([0, 1, 2], 20)
    assert 0.8 < cal.evaluate_clusters(truth, truth)["adjusted_rand"].low < 1


def test_a_table_of_more_cells_than_rows_is_flagged():
    rng = np.random.default_rng(0)
    ev = cal.evaluate_clusters(rng.integers(0, 30, 100), rng.integers(0, 20, 100))
    assert any("cells, more than there are rows" in flag for flag in ev["mutual_information"].flags)
    assert not ev["adjusted_rand"].flags


def test_a_large_table_leaves_out_parts_of_the_rows():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 60, 20_000)
    labels = np.where(rng.random(20_000) < 0.5, truth, rng.integers(0, 60, 20_000))
    ev = cal.evaluate_clusters(labels, truth)
    assert len(ev.views.overlaps.cells) > 1_000
    bca = cal.evaluate_clusters(labels, truth, interval="basic", replicates=200)
    for name in ("adjusted_rand", "purity"):
        assert ev[name].high - ev[name].low == pytest.approx(bca[name].high - bca[name].low, rel=0.25)


@pytest.mark.parametrize("method", ["bca", "percentile", "basic"])
def test_a_bootstrap_can_be_asked_for(method):
    truth, labels = noisy(400)
    ev = cal.evaluate_clusters(labels, truth, interval=method)
    plain = cal.evaluate_clusters(labels, truth)["adjusted_rand"]
    assert method in ev["adjusted_rand"].method
    assert ev["adjusted_rand"].low == pytest.approx(plain.low, abs=0.02)
    assert ev["adjusted_rand"].high == pytest.approx(plain.high, abs=0.02)


def test_rows_in_groups_are_drawn_together():
    truth, labels = noisy(60)
    truth, labels, groups = (np.repeat(x, 5) for x in (truth, labels, np.arange(60)))
    alone, grouped = (cal.evaluate_clusters(labels, truth, groups=g)["adjusted_rand"] for g in (None, groups))
    assert grouped.high - grouped.low > 1.7 * (alone.high - alone.low)
    assert grouped.method.endswith("grouped")


def test_permutations_find_agreement_and_none():
    truth, labels = noisy()
    assert cal.evaluate_clusters(labels, truth)["permutation_p"] == 1 / 1000
    chance = [cal.metrics.permutation_p(*noisy(60, 0.0, seed), count=199) for seed in range(60)]
    assert 0.3 < np.mean(chance) < 0.7
    assert np.mean(np.array(chance) <= 0.05) < 0.2
    with pytest.raises(InputError, match="accuracy does not measure the agreement"):
        cal.metrics.permutation_p(truth, labels, of="accuracy")


def test_random_tables_have_the_margins_and_the_mean_of_chance():
    from calipers.metrics.chance import _dealt

    classes, clusters = np.array([3, 5, 2]), np.array([4, 6])
    tables = _dealt(classes, clusters, 4000, np.random.default_rng(0))
    assert (tables.sum(2) == classes).all()
    assert (tables.sum(1) == clusters).all()
    np.testing.assert_allclose(tables.mean(0), np.outer(classes, clusters) / 10, atol=0.06)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=12))
def test_adjusted_rand_is_corrected_by_the_mean_over_all_orders(pairs):
    """The expected index over random orders, from many of them: within its error."""
    truth, labels = map(np.array, zip(*pairs, strict=True))
    seen = Overlaps.of(Contingency.of_codes(range(4), range(4), truth.astype(np.uint8), labels.astype(np.uint8)))
    rng = np.random.default_rng(0)
    orders = [rng.permutation(labels) for _ in range(400)]
    first, second = np.triu_indices(len(truth), 1)
    both = [((truth[first] == truth[second]) & (o[first] == o[second])).sum() for o in orders]
    expected = float(seen.of_classes * seen.of_clusters / seen.pairs)
    assert np.mean(both) == pytest.approx(expected, abs=5 * np.std(both) / 20 + 1e-9)


def test_parts_merge_to_the_whole_and_bytes_come_back():
    truth, labels = noisy()
    labels[:10] = -1
    whole = cal.evaluate_clusters(labels, truth)
    merged = cal.merge([cal.evaluate_clusters(labels[:70], truth[:70]), cal.evaluate_clusters(labels[70:], truth[70:])])
    back = cal.loads(whole.to_bytes())
    for ev in (merged, back):
        assert {name: str(ev[name]) for name in ev} == {name: str(whole[name]) for name in whole}
        assert ev.notes == whole.notes
    document = cal.loads(whole.to_json())
    assert {name: str(document[name]) for name in document} == {name: str(whole[name]) for name in whole}


@pytest.mark.parametrize("size", [1, 3])
def test_parts_with_other_clusters_draw_the_same_rows(size):
    """A bootstrap draws rows: the codes of both parts must be of the same names, and noise must stay noise."""
    truth, labels = noisy()
    labels[75:] += 300 * (labels[75:] > 0)
    labels[:10] = labels[-4:] = -1

    def of(labels, truth, first=0):
        groups = (first + np.arange(len(labels))) // size if size > 1 else None
        return cal.evaluate_clusters(labels, truth, groups=groups, interval="percentile", replicates=50)

    parts = [of(labels[:75], truth[:75]), of(labels[75:], truth[75:], 75)]
    merged, whole = cal.merge(parts), of(labels, truth)
    for name in ("adjusted_rand", "purity", "noise_share"):
        assert str(merged[name]) == str(whole[name]), name
    many = cal.merge([of(np.arange(300), np.arange(300) % 7, 200), parts[0]])
    assert many["noise_share"] == pytest.approx(10 / 375)
    assert (many.views.source.pred[300:310] == 0xFFFF).all()


def test_ten_thousand_clusters_in_seconds():
    rng = np.random.default_rng(0)
    truth, labels = rng.integers(0, 10_000, (2, 200_000))
    ev = cal.evaluate_clusters(labels, truth, metrics=["adjusted_mutual_information"])
    assert abs(ev["adjusted_mutual_information"]) < 0.01


@pytest.mark.parametrize("lang", ["en", "vi", "zh"])
def test_texts_in_three_languages(lang):
    ev = cal.evaluate_clusters(*reversed(noisy()))
    assert ev.to_text(lang)
    assert ev.to_html(lang)
    assert cal.explain("adjusted_rand", lang=lang).to_text()
    assert ev.explain("v_measure", lang=lang).to_text()
