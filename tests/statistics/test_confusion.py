"""Counts of classes, of labels and of ranks: what they count, and what they give."""

import numpy as np
import pytest

from calipers.data.reading import read
from calipers.errors import InputError
from calipers.settings import Settings
from calipers.statistics.confusion import ConfusionCounts, sum_of_others
from calipers.statistics.labels import LabelCounts
from calipers.statistics.ranks import RankCounts

TRUE, SAID = ["a", "a", "b", "c", "c"], ["a", "b", "b", "a", "c"]
W = np.array([0.1, 0.2, 0.3, 0.4, 0.5])


def test_four_counts_of_each_class():
    c = ConfusionCounts.of(read(Settings(), TRUE, SAID)).one_vs_rest
    assert [x.tolist() for x in c.counts] == [[1, 1, 1], [1, 1, 0], [1, 0, 1], [2, 3, 3]]
    assert c.at(1).counts == (1, 1, 0, 3)
    assert c.pooled().counts == (3, 2, 2, 8)
    assert c.squares is None


def test_margins():
    m = ConfusionCounts.of(read(Settings(), TRUE, SAID)).margins
    assert (m.agreed, m.total, m.truth.tolist(), m.predicted.tolist()) == (3, 5, [2, 1, 2], [2, 2, 1])


def test_weights_and_their_squares():
    counted = ConfusionCounts.of(read(Settings(), TRUE, SAID, weights=W))
    expected = np.zeros((3, 3))
    np.add.at(expected, ([0, 0, 1, 2, 2], [0, 1, 1, 0, 2]), W)
    assert counted.cells == pytest.approx(expected)
    assert counted.squares == pytest.approx(expected**2)
    assert counted.rows == 5
    assert counted.one_vs_rest.tn == pytest.approx([0.8, 1.0, 0.6])


@pytest.mark.parametrize("seed", range(20))
def test_weighted_counts_are_never_negative_and_nothing_is_0_by_rounding_only(seed):
    """Counts taken as differences of sums leave -1e-16, and a ratio over that is -1e15."""
    rng = np.random.default_rng(seed)
    truth, pred, w = rng.random((12, 3)) < 0.6, rng.random((12, 3)) < 0.6, rng.random(12) / 3
    exact = [
        [(x * w[:, None]).sum(0), (x.sum(0) > 0)] for x in (truth & pred, ~truth & pred, truth & ~pred, ~truth & ~pred)
    ]
    batch = read(Settings(), truth.astype(int), pred.astype(int), weights=w)
    for got, (value, occurs) in zip(LabelCounts.of(batch).cells, exact, strict=True):
        assert (got >= 0).all()
        assert ((got > 0) == occurs).all()
        assert got == pytest.approx(value)
    true, named = (rng.integers(0, 3, 12) for _ in range(2))
    c = ConfusionCounts.of(read(Settings(labels=(0, 1, 2), task="multiclass"), true, named, weights=w)).one_vs_rest
    for k in range(3):
        t, s = true == k, named == k
        for got, occurs in zip(
            c.at(k).counts, ((t & s).any(), (~t & s).any(), (t & ~s).any(), (~t & ~s).any()), strict=True
        ):
            assert got >= 0
            assert (got > 0) == occurs


def test_restated():
    counted = ConfusionCounts(("n", "y"), np.array([[80, 20], [5, 15]]), None, 120)
    again = counted.restated(np.array([0.9, 0.1]))
    assert again.cells / again.cells.sum() == pytest.approx(np.array([[0.72, 0.18], [0.025, 0.075]]))
    assert again.cells.sum() == pytest.approx(120)
    assert again.rows == 120


def test_merging_keeps_labels_sorted_whatever_the_order():
    a = ConfusionCounts.of(read(Settings(), ["b", "d"], ["b", "b"]))
    b = ConfusionCounts.of(read(Settings(), ["a", "c"], ["a", "a"]))
    both = a.merge(b)
    assert both.labels == ("a", "b", "c", "d")
    assert both.cells.tolist() == [[1, 0, 0, 0], [0, 1, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0]]
    with pytest.raises(InputError, match="labels mix int and str"):
        a.merge(ConfusionCounts.of(read(Settings(), [1, 2], [1, 1])))


def test_labels_of_sets_that_one_side_does_not_know_were_absent_there():
    a = LabelCounts.of(read(Settings(), [{"x"}, {"x", "y"}], [{"x"}, {"y"}]))
    b = LabelCounts.of(read(Settings(), [{"z"}], [{"y"}]))
    both = LabelCounts.of(read(Settings(), [{"x"}, {"x", "y"}, {"z"}], [{"x"}, {"y"}, {"y"}]))
    assert a.merge(b).labels == both.labels == ("x", "y", "z")
    assert a.merge(b).cells.tolist() == both.cells.tolist()
    assert a.merge(b).cells.sum(0).tolist() == [3, 3, 3]


def test_ranks():
    scores = [[0.5, 0.3, 0.2], [0.1, 0.8, 0.1], [0.4, 0.4, 0.2], [0.2, 0.2, 0.6]]
    counted = RankCounts.of(read(Settings(), [0, 0, 1, 2], scores))
    assert counted.cells.tolist() == [2, 2, 0]  # tied scores: the first column first
    assert counted.merge(RankCounts(np.array([1, 0, 0, 0, 5]), None, 6)).cells.tolist() == [3, 2, 0, 0, 5]


def test_two_classes_count_as_two_of_three():
    """Two classes have a way of their own; an empty third class must not change them."""
    for cells in (np.array([[3, 1], [2, 7]]), np.array([[0.1, 2.0**60], [1e-9, 0.3]])):
        two = ConfusionCounts((0, 1), cells, None, 4).one_vs_rest
        three = ConfusionCounts((0, 1, 2), np.pad(cells, (0, 1)), None, 4).one_vs_rest
        assert [x.tolist() for x in two.counts] == [x[:2].tolist() for x in three.counts]


def test_sums_of_others():
    x = np.array([[1.0, 2.0**60, 4.0], [5.0, 6.0, 7.0]])
    assert sum_of_others(x).tolist() == [[2.0**60 + 4.0, 5.0, 2.0**60 + 1.0], [13.0, 12.0, 11.0]]
    assert sum_of_others(x[:, :2]).tolist() == [[2.0**60, 1.0], [6.0, 5.0]]
