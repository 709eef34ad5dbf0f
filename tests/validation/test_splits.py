"""Every way of splitting rows, and what is said about it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import KFold, TimeSeriesSplit

from calipers.errors import InputError
from calipers.validation.splits import splits

Y = np.repeat([0, 1], [30, 10])
GROUPS = np.arange(40) // 4


@pytest.mark.parametrize(
    ("cv", "how", "description", "count"),
    [
        (5, {}, "5 folds, shuffled", 5),
        (5, {"stratified": True}, "5 folds, stratified, shuffled", 5),
        (5, {"stratified": True, "repeats": 3}, "5 folds, repeated 3 times, stratified, shuffled", 15),
        (5, {"groups": GROUPS}, "5 folds, shuffled, groups kept together", 5),
        (2, {"groups": GROUPS, "stratified": True}, "2 folds, stratified, shuffled, groups kept together", 2),
        ("5x2", {}, "2 folds, repeated 5 times, shuffled", 10),
        ("loo", {}, "leave-one-out", 40),
        ("loo", {"groups": GROUPS}, "leave-one-group-out", 10),
        ("holdout", {"stratified": True}, "hold-out of 25% of the data, stratified, shuffled", 1),
        (0.5, {"repeats": 4}, "hold-out of 50% of the data, repeated 4 times, shuffled", 4),
        (0.2, {"groups": GROUPS}, "hold-out of 20% of the data, shuffled, groups kept together", 1),
        (KFold(4), {}, "KFold(n_splits=4, random_state=None, shuffle=False)", 4),
        ([([0, 1], [2]), ([2], [0, 1])], {}, "given splits", 2),
    ],
)
def test_what_was_done_is_said(cv, how, description, count):
    parts = splits(cv, 40, Y, **how)
    assert (parts.description, len(parts)) == (description, count)


@given(st.integers(0, 2**32), st.integers(2, 6), st.integers(1, 3), st.booleans(), st.booleans())
def test_every_row_is_tested_once_in_each_repetition(seed, k, repeats, stratified, grouped):
    groups = GROUPS if grouped else None
    parts = splits(k, 40, Y, groups=groups, stratified=stratified, repeats=repeats, seed=seed)
    tested = np.bincount(np.concatenate([test for _, test in parts.pairs]), minlength=40)
    assert set(tested) == {repeats}
    for train, test in parts.pairs:
        assert sorted([*train, *test]) == list(range(40))
        if grouped:
            assert not set(GROUPS[train]) & set(GROUPS[test])
    again = splits(k, 40, Y, groups=groups, stratified=stratified, repeats=repeats, seed=seed)
    assert all(np.array_equal(a[1], b[1]) for a, b in zip(parts.pairs, again.pairs, strict=True))


def test_edge_case_53_shuffled_folds():
    """Classes are shuffled apart from each other (scikit-learn issue 13110), folds differ by at most one row of each
    class (PR 14704), and groups stay whole with shuffling (issue 32478)."""
    for seed in range(20):
        parts = splits(4, 40, np.arange(40) % 2, stratified=True, seed=seed)
        places = [set(test[np.arange(40)[test] % 2 == c] // 2) for _, test in parts.pairs for c in (0, 1)]
        assert any(a != b for a, b in zip(places[::2], places[1::2], strict=True))
        sizes = np.array([np.bincount(Y[test], minlength=2) for _, test in splits(7, 40, Y, stratified=True).pairs])
        assert (np.ptp(sizes, axis=0) <= 1).all()
        mixed = splits(3, 40, Y, groups=GROUPS, stratified=True, seed=seed)
        assert all(not set(GROUPS[train]) & set(GROUPS[test]) for train, test in mixed.pairs)
        assert not any("the same group" in note for note in mixed.notes)


def test_what_goes_wrong_is_said_in_notes():
    assert splits([(range(40), range(40))], 40).notes == (
        "1 split uses the same rows for training and testing: the result is too optimistic",
    )
    assert splits([(range(1, 40), [0])], 40, groups=GROUPS).notes == (
        "1 split uses the same group for training and testing: the result is too optimistic",
        "39 of 40 rows are not in any test set",
    )
    assert splits(TimeSeriesSplit(3), 40).notes == ("10 of 40 rows are not in any test set",)
    rare = splits(5, 40, np.repeat([0, 1], [38, 2]), stratified=True)
    assert rare.notes == ("3 test sets contain no row of some class, because the class has too few rows",)


def test_the_ratio_of_test_rows_to_training_rows():
    assert splits(10, 40).ratio == pytest.approx(1 / 9)
    assert splits("5x2", 40).ratio == 1
    assert splits(0.25, 40, repeats=7).ratio == pytest.approx(1 / 3)
    assert splits("loo", 40).alone


def test_masks_are_rows_too():
    mask = np.arange(40) < 10
    (pair,) = splits([(~mask, mask)], 40).pairs
    assert pair[1].tolist() == list(range(10))


@pytest.mark.parametrize(
    ("cv", "how", "message"),
    [
        (1, {}, "cv=1 does not fit 40 rows: pass a number of folds from 2"),
        (41, {}, "cv=41 does not fit 40 rows"),
        (1.5, {}, "cv=1.5: must be a number between 0 and 1"),
        ("lolo", {}, "cv='lolo' is not known: pass a number of folds"),
        (None, {}, "cv=None is not known"),
        (5, {"repeats": 0}, "repeats=0: must be a whole number, 1 or more"),
        ("5x2", {"repeats": 2}, "repeats=2 cannot be used with 5x2, which already"),
        (KFold(3), {"repeats": 2}, "repeats=2 cannot be used with your own splits, which already"),
        ([], {}, "cv has no splits"),
        ([([0], [])], {}, "split 0: training and test rows must be non-empty lists of row numbers"),
        ([([0], [99])], {}, "split 0 contains row 99, but there are only 40 rows"),
        ([([0], [1], [2])], {}, "split 0 has 3 parts"),
        (20, {"groups": GROUPS}, "the data cannot be split in this way: Cannot have number of splits n_splits=20"),
    ],
)
def test_what_cannot_be_split_is_refused(cv, how, message):
    with pytest.raises(InputError, match=message):
        splits(cv, 40, Y, **how)
