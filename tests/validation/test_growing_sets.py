"""Training sets that grow: nested, stratified, of whole groups, and sizes that cannot be."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB

import calipers as cal
from calipers.errors import InputError
from calipers.validation.experiment import setting
from calipers.validation.growing_sets import GrowingSets, _by_class, growing_sets, sizes_of

IRIS = load_iris(return_X_y=True)
OPTIONS = {"cv": 5, "repeats": 1, "seed": 0, "fit_params": None, "metrics": None}


@given(st.lists(st.integers(0, 3), min_size=1, max_size=80), st.integers(0, 99))
def test_every_beginning_has_the_classes_in_their_shares(codes, seed):
    codes = np.array(codes)
    order = _by_class(codes, np.random.default_rng(seed))
    assert sorted(order) == list(range(len(codes)))
    counts = np.bincount(codes)
    for size in range(1, len(codes) + 1):
        observed = np.bincount(codes[order[:size]], minlength=len(counts))
        # The order of midpoints is within one row of the share for two classes, and of many within one for each other.
        assert np.abs(observed - size * counts / len(codes)).max() <= max(1, np.count_nonzero(counts) / 2)


def test_training_sets_are_nested_drawn_anew_in_each_fold_and_the_same_for_a_seed():
    first, again = (growing_sets(setting(GaussianNB(), *IRIS, groups=None, **OPTIONS)) for _ in range(2))
    assert all(np.array_equal(a.rows, b.rows) for a, b in zip(first, again, strict=True))
    assert not np.array_equal(first[0].rows[:20], first[1].rows[:20])
    small, large = (set(first[0].first(size).tolist()) for size in (12, 60))
    assert small < large
    assert np.bincount(IRIS[1][first[0].first(12)]).tolist() == [4, 4, 4]


def test_groups_are_taken_whole():
    groups = np.repeat(np.arange(50), 3)
    of = setting(GaussianNB(), *IRIS, groups=groups, **OPTIONS)
    rows = growing_sets(of)[0].first(20)
    assert len(rows) == 18
    assert np.bincount(groups[rows])[groups[rows]].tolist() == [3] * 18
    assert GrowingSets(np.arange(9), ends=np.array([5, 9])).first(4) == "no complete group fits into 4 training rows"
    curve = cal.learning_curve(GaussianNB(), *IRIS, groups=groups, seed=0, sizes=[30, 60, 1.0])
    assert "training sets: each training set contains the smaller ones, in complete groups" in curve.to_text("en")
    assert curve.misses == ()


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ([500], "size 500 is too large: the smallest training set has 120 rows; pass numbers of"),
        ([0], "size 0 is not valid: pass numbers of training rows such as 50, or fractions"),
        ([1.5], "size 1.5 is not valid: pass numbers of training rows such as 50, or fractions"),
        (["many"], "size 'many' is not valid: pass numbers of training rows such as 50, or fractions such as 0.5"),
        ([], "no sizes were given"),
    ],
)
def test_sizes_that_cannot_be(sizes, message):
    with pytest.raises(InputError, match=message):
        cal.learning_curve(GaussianNB(), *IRIS, sizes=sizes)


def test_sizes_are_counts_or_shares():
    assert sizes_of(np.array([0.25, 1.0]), 120) == (30, 120)
    assert sizes_of([30, 0.25, 60], 120) == (30, 60)
    assert sizes_of(None, 16) == (8, 16)
