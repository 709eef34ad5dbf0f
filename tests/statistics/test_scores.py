"""Scores split by class, and the matrix of many classes: samples, sweeps, pairs and influences."""

import numpy as np
import pytest

import calipers as cal
from calipers.data.reading import read
from calipers.errors import InputError
from calipers.metrics.scores import influence_on_area, influence_on_precision
from calipers.settings import Settings
from calipers.statistics.classes import ClassScores
from calipers.statistics.combine import Evidence
from calipers.statistics.confusion import ConfusionCounts
from calipers.statistics.moments import Moments
from calipers.statistics.scores import ScoreSamples

RNG = np.random.default_rng(11)
TRUTH, SCORE, W = RNG.integers(0, 2, 40), np.round(RNG.random(40), 1), RNG.exponential(size=40)


@pytest.fixture(params=[None, W], ids=["plain", "weighted"])
def weights(request):
    return request.param


def samples(weights=None, score=SCORE):
    return ScoreSamples.of(read(Settings(), TRUTH, score, weights=weights))


def test_split(weights):
    s = samples(weights)
    assert s.pos.tolist() == sorted(SCORE[TRUTH == 1])
    assert s.neg.tolist() == sorted(SCORE[TRUTH == 0])
    w = np.ones(40) if weights is None else weights
    assert (s.positives, s.negatives) == pytest.approx((w[TRUTH == 1].sum(), w[TRUTH == 0].sum()))
    assert (s.rows, s.range) == (40, (SCORE.min(), SCORE.max()))


@pytest.mark.parametrize("threshold", [-np.inf, 0.0, 0.3, 0.35, 1.0, np.inf])
def test_counts_at_a_threshold(weights, threshold):
    w = np.ones(40) if weights is None else weights
    c, pred = samples(weights).at(threshold), threshold <= SCORE
    expected = [
        (w * x).sum() for x in (pred & (TRUTH == 1), pred & (TRUTH == 0), ~pred & (TRUTH == 1), ~pred & (TRUTH == 0))
    ]
    assert [float(x) for x in c.counts] == pytest.approx(expected)
    table = samples(weights).confusion(threshold, ("n", "y"), 1)
    assert table.cells.ravel().tolist() == pytest.approx([expected[3], expected[1], expected[2], expected[0]])
    turned = samples(weights).confusion(threshold, ("a", "b"), 0)
    assert turned.cells.tolist() == table.cells[::-1, ::-1].tolist()


def test_restated(weights):
    s = samples(weights).restated(0.2)
    assert s.positives / (s.positives + s.negatives) == pytest.approx(0.2)
    assert s.pos.tolist() == samples(weights).pos.tolist()


def test_nan_is_named_by_its_row():
    score = SCORE.copy()
    score[[7, 20]] = np.nan
    with pytest.raises(InputError, match=r"y_pred contains 2 NaN \(first at row 7\)"):
        samples(score=score)


def leave_one_out(value, n):
    """The empirical influence of each row: how the value moves when a row gets a little more weight."""
    step = 1e-6
    return np.array([(value(np.ones(n) + step * n * (np.arange(n) == i)) - value(np.ones(n))) / step for i in range(n)])


@pytest.mark.parametrize(("influence", "name"), [(influence_on_area, "areas"), (influence_on_precision, "walk")])
def test_influences_are_derivatives(influence, name):
    """d value / d weight of a row, at equal weights, is its influence (the infinitesimal jackknife)."""

    def value(w):
        s = ScoreSamples.of(read(Settings(), TRUTH, SCORE, weights=w))
        return s.areas.pairs2 / (2 * s.positives * s.negatives) if name == "areas" else s.walk.ap

    influences = influence(samples(), SCORE, TRUTH == 1)
    assert influences == pytest.approx(leave_one_out(value, 40), abs=1e-3)
    assert influences.sum() == pytest.approx(0, abs=1e-9)


def matrix(weights=None):
    truth, scores = RNG.integers(0, 3, 30), np.round(RNG.random((30, 3)), 1)
    return (
        ClassScores.of(read(Settings(), truth, scores, weights=None if weights is None else weights[:30])),
        truth,
        scores,
    )


def test_columns_pairs_and_pool(weights):
    s, truth, scores = matrix(weights)
    w = np.ones(30) if weights is None else weights[:30]
    for k in range(3):
        assert s.columns[k].pos.tolist() == sorted(scores[truth == k, k])
        for j in range(3):
            if k != j:
                gap = scores[truth == k, k][:, None] - scores[truth == j, k]
                expected = (((gap > 0) + (gap == 0) / 2) * np.outer(w[truth == k], w[truth == j])).sum()
                assert s.pairs[k, j] == pytest.approx(expected)
    assert s.totals == pytest.approx([w[truth == k].sum() for k in range(3)])
    assert len(s.pooled.pos) == 30
    assert len(s.pooled.neg) == 60


def test_classes_must_agree():
    a, b = (ClassScores.of(read(Settings(), list(x), np.eye(3))) for x in ("abc", "abd"))
    with pytest.raises(
        InputError, match=r"scores for classes \['a', 'b', 'c'\] cannot be merged with scores for \['a', 'b', 'd'\]"
    ):
        a.merge(b)


def test_merged_and_loaded_scores_are_walked_once_for_several_metrics():
    ev = cal.evaluate(TRUTH, SCORE)
    for found in (ev, cal.loads(ev.to_bytes()), cal.merge([ev, ev]), cal.merge([cal.loads(ev.to_bytes()), ev])):
        samples = found.views.evidence.get(ScoreSamples)
        assert samples.areas is samples.walk
    alone = cal.loads(cal.evaluate(TRUTH, SCORE, metrics=["roc_auc"]).to_bytes()).views.evidence.get(ScoreSamples)
    assert alone.areas is not alone.walk


def test_bytes_that_may_change_are_copied_and_others_are_not():
    samples = ScoreSamples.of(read(Settings(), TRUTH, SCORE))
    sent = np.frombuffer(samples.to_bytes(), np.uint8).copy()
    view, copy = ScoreSamples.from_bytes(sent.data.toreadonly()), ScoreSamples.from_bytes(sent.data)
    for found in (view, copy):
        np.testing.assert_array_equal(found.pos, samples.pos)
    assert np.shares_memory(view.pos, sent)
    assert not np.shares_memory(copy.pos, sent)


def test_evidence_of_different_statistics_does_not_merge():
    batch = read(Settings(), TRUTH, (SCORE > 0.5).astype(int))
    one, two = Evidence.of(batch), Evidence.of(batch, {"Moments": Moments.of})
    with pytest.raises(
        InputError, match=
            r"these results use different statistics \(ConfusionCounts and Moments\): request the same metrics for both"
    ):
        one.merge(two)
    assert one.get(ConfusionCounts).rows == 40
    assert one.get(Moments) is None


@pytest.mark.parametrize("shift", [0.0, 1e8])
def test_moments(shift):
    x, w = RNG.normal(size=500) + shift, RNG.exponential(size=500)
    m = Moments.of_values(x, w)
    mean = np.average(x, weights=w)
    assert m.mean == pytest.approx(mean, rel=1e-14)
    assert m.m2 == pytest.approx((w * (x - mean) ** 2).sum(), rel=1e-6)
    parts = [Moments.of_values(x[i : i + 50], w[i : i + 50]) for i in range(0, 500, 50)]
    merged = parts[0]
    for part in parts[1:]:
        merged = merged.merge(part)
    assert (merged.m2, merged.m3) == pytest.approx((m.m2, m.m3), rel=1e-5, abs=1e-5)
    assert m.effective == pytest.approx(w.sum() ** 2 / (w @ w))


def test_more_rows_than_one_walk_takes_are_refused_with_a_way_out(monkeypatch):
    monkeypatch.setattr("calipers.statistics.scores.MOST_ROWS", 5)
    y, p = np.array([0, 1, 0, 1, 1, 0]), np.linspace(0.1, 0.9, 6)
    refused = r"6 rows of scores are too many for memory \(at most 5\): save them as a Parquet file"
    with pytest.raises(InputError, match=refused):
        cal.evaluate(y, p)
    halves = [cal.evaluate(y[rows], p[rows]) for rows in (slice(0, 3), slice(3, 6))]
    with pytest.raises(InputError, match=refused):
        halves[0].merge(halves[1])
