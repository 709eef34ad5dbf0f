"""The rows of slices: grouped, sorted and counted as NumPy does it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calipers import _native

SCORES = st.sampled_from([-np.inf, -1.0, -0.0, 0.0, 1e-300, 0.25, 0.5, 1.0, np.inf])
ROWS = st.lists(st.tuples(SCORES, st.integers(0, 4), st.integers(0, 2)), max_size=300)


def columns(rows, dtype):
    scores, codes, truth = zip(*rows, strict=True) if rows else ((), (), ())
    return np.array(scores, dtype), np.array(codes, np.uint16), np.array(truth, np.uint8)


@given(ROWS, st.sampled_from([np.float32, np.float64]), st.booleans())
def test_scores_are_grouped_by_code(rows, dtype, ascending):
    scores, codes, _ = columns(rows, dtype)
    values, starts = _native.group_scores(scores, codes, 5, ascending)
    assert values.dtype == dtype
    assert starts.tolist() == [0, *np.cumsum(np.bincount(codes, minlength=5))]
    for code in range(5):
        own = scores[codes == code]
        assert values[starts[code] : starts[code + 1]].tolist() == (np.sort(own) if ascending else own).tolist()


@pytest.mark.parametrize("rows", [100, 100_000])
@pytest.mark.parametrize("count", [1, 3, 1000])
def test_many_scores_are_sorted_within_codes(rows, count):
    rng = np.random.default_rng(rows + count)
    scores, codes = rng.normal(size=rows), rng.integers(0, count, rows).astype(np.uint16)
    values, _ = _native.group_scores(scores, codes, count, ascending=True)
    assert values.tolist() == scores[np.lexsort((scores, codes))].tolist()


@given(ROWS, st.integers(0, 2), st.sampled_from([np.uint8, np.uint16, np.uint32]))
def test_positives_and_others_are_counted_by_code(rows, positive, kind):
    _, codes, truth = columns(rows, np.float64)
    counts = _native.count_codes(codes, truth.astype(kind), positive, 5)
    both = [np.bincount(codes[side], minlength=5) for side in (truth == positive, truth != positive)]
    assert counts.tolist() == np.stack(both, 1).tolist()


@pytest.mark.parametrize("call", [
    lambda codes: _native.group_scores(np.zeros(3), codes, 2),
    lambda codes: _native.CodedScores(np.zeros(3), codes, 2),
    lambda codes: _native.count_codes(codes, np.zeros(3, np.uint8), 0, 2),
])  # fmt: skip
def test_wrong_codes_are_refused(call):
    with pytest.raises(ValueError, match="too large"):
        call(np.array([0, 2, 1], np.uint16))
    with pytest.raises(ValueError, match="differ in length"):
        call(np.zeros(2, np.uint16))
    with pytest.raises(TypeError, match="uint16"):
        call(np.zeros(3, np.uint8))


@given(st.lists(st.integers(0, 40), max_size=400))
def test_repeats_are_counted(numbers):
    values = np.sort(np.array(numbers, np.float64) / 3)
    times = np.unique(values, return_counts=True)[1]
    assert _native.count_repeats(values, 5).tolist() == np.bincount(np.minimum(times, 5), minlength=6).tolist()


@given(st.integers(0, 300), st.integers(0, 300))
def test_repeats_are_counted_among_values_that_occur_once(rows, at):
    values = np.arange(rows, dtype=np.float64)
    values[at : at + 2] = at
    values.sort()
    times = np.unique(values, return_counts=True)[1]
    assert _native.count_repeats(values, 3).tolist() == np.bincount(np.minimum(times, 3), minlength=4).tolist()


@given(ROWS, st.sampled_from([np.float32, np.float64]))
def test_one_sort_serves_all_scores_and_each_code(rows, dtype):
    scores, codes, _ = columns(rows, dtype)
    coded = _native.CodedScores(scores, codes, 5)
    if coded.words is None:  # scores of different magnitude or sign leave no room for codes
        assert dtype is np.float64
        assert scores.max() - scores.min() > 0.2
        return
    ascending, values, starts = coded.part(np.sort(coded.words))
    assert ascending.dtype == values.dtype == dtype
    assert ascending.tolist() == np.sort(scores).tolist()
    expected = _native.group_scores(scores, codes, 5, ascending=True)
    assert (values.tolist(), starts.tolist()) == tuple(each.tolist() for each in expected)


@pytest.mark.parametrize("count", [1, 2, 20, 1000])
@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (1e-9, 0.01), (0.4, 0.41), (-3.0, -2.0)])
def test_many_scores_and_codes_fit_one_word(count, low, high):
    rng = np.random.default_rng(count)
    scores, codes = rng.uniform(low, high, 50_000), rng.integers(0, count, 50_000).astype(np.uint16)
    coded = _native.CodedScores(scores, codes, count)
    if coded.words is None:
        assert count == 1000
        assert np.ptp(np.frexp(scores)[1]) > 8  # many exponents
        return
    ascending, values, _ = coded.part(np.sort(coded.words))
    assert ascending.tolist() == np.sort(scores).tolist()
    assert values.tolist() == scores[np.lexsort((scores, codes))].tolist()


def test_words_that_were_not_made_are_refused():
    coded = _native.CodedScores(np.array([0.25, 0.5]), np.array([0, 1], np.uint16), 2)
    with pytest.raises(ValueError, match="differ"):
        coded.part(np.sort(coded.words)[[0, 0]])
    with pytest.raises(TypeError, match="words"):
        coded.part(coded.words[:1])
