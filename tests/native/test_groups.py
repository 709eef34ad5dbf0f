"""A walk over distinct values with their counts has the bits of a walk over the rows."""

import numpy as np
import pytest

from calipers import _native
from calipers.statistics.scores import ScoreSamples
from calipers.statistics.sorting import sorted_samples

NUMBERS = [name for name in vars(_native.Walk) if not name.startswith("_")]


def numbers(walk):
    return {name: np.float64(getattr(walk, name)).tobytes() for name in NUMBERS}


def rows(n, values, *, seed=0, dtype="float64", share=0.3):
    rng = np.random.default_rng(seed)
    codes = (rng.random(n) < share).astype(np.uint8)
    scores = 1 / (1 + np.exp(-rng.normal(1.5 * codes - 0.75)))
    return (np.floor(scores * values) / values).astype(dtype), codes


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("values", [2, 40, 1500, 10_000])
@pytest.mark.parametrize("full", [True, False])
def test_a_walk_over_groups_has_the_bits_of_one_over_rows(values, full, dtype):
    scores, codes = rows(400_000, values, dtype=dtype)
    got = sorted_samples(scores, codes, 1)
    assert got.groups is not None
    assert len(got.groups.scores) == len(np.unique(scores))
    assert got.groups.scores.dtype == dtype
    assert numbers(_native.walk_groups(*got.groups, full)) == numbers(_native.walk(got.pos, got.neg, full))


@pytest.mark.parametrize("share", [0.0, 1e-5, 0.99999, 1.0])
def test_a_class_without_rows_or_with_few(share):
    scores, codes = rows(300_000, 300, share=share)
    got = sorted_samples(scores, codes, 1)
    assert got.groups is not None
    assert numbers(_native.walk_groups(*got.groups)) == numbers(_native.walk(got.pos, got.neg))


def test_classes_that_do_not_overlap():
    scores, codes = rows(300_000, 300)
    got = sorted_samples(scores + codes, codes, 1)
    assert got.groups is not None
    assert numbers(_native.walk_groups(*got.groups)) == numbers(_native.walk(got.pos, got.neg))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_losses_of_groups_are_those_of_rows(dtype):
    scores, codes = rows(300_000, 1000, dtype=dtype)
    counted = ScoreSamples.split(scores, codes, 1, None)
    assert counted.groups is not None
    plain = ScoreSamples(counted.pos, counted.neg, None, None)
    for ours, theirs in zip(counted.losses, plain.losses, strict=True):
        for name in ("n", "weight", "squares", "mean", "m2", "m3", "q2"):
            assert getattr(ours.moments, name) == pytest.approx(getattr(theirs.moments, name), rel=1e-12), name
        assert (ours.wrong, ours.other) == pytest.approx((theirs.wrong, theirs.other), rel=1e-12)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("closed", ["left", "right"])
@pytest.mark.parametrize("share", [0.0, 0.3])
def test_sums_of_bins_of_groups_are_those_of_rows(dtype, closed, share):
    scores, codes = rows(300_000, 1000, dtype=dtype, share=share)
    counted = ScoreSamples.split(scores, codes, 1, None)
    assert counted.groups is not None
    plain = ScoreSamples(counted.pos, counted.neg, None, None)
    edges = np.array([0.0, 0.1, 0.1, 0.25, 0.9995, 2.0])
    for ours, theirs in zip(counted.sums_between(edges, closed), plain.sums_between(edges, closed), strict=True):
        np.testing.assert_array_equal(ours[:2], theirs[:2])
        np.testing.assert_allclose(ours[2:], theirs[2:], rtol=1e-12)


def test_distinct_scores_have_no_groups():
    scores, codes = rows(300_000, 10**12)
    assert sorted_samples(scores, codes, 1).groups is None


def test_wrong_counts_are_refused():
    values, counts = np.array([0.1, 0.2]), np.array([1, 2], np.uint32)
    with pytest.raises(ValueError, match="values and counts differ in length"):
        _native.walk_groups(values, counts[:1], counts)
    with pytest.raises(TypeError, match="pos must be uint32"):
        _native.walk_groups(values, np.array([1, 2]), counts)
    with pytest.raises(OverflowError, match=r"2\*\*31 - 1 rows"):
        _native.walk_groups(values, np.array([2**31, 2**31], np.uint32), counts)
