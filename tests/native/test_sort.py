"""The native sort and NumPy's give the same bits, for any number of threads, any data and any layout."""

import itertools

import numpy as np
import pytest

from calipers import _native
from calipers.statistics import sort_choice
from calipers.statistics.sorting import sorted_columns, sorted_samples

N = 150_001
RNG = np.random.default_rng(17)
UNIFORM = RNG.random(N)


def spiky():
    """Half of the rows within 1e-12 of one value, the rest anywhere."""
    return np.where(RNG.random(N) < 0.5, 0.3 + 1e-12 * RNG.random(N), RNG.random(N))


# One kind of data for each way through the sort: each scale of buckets, cuts by value, counting, rows in order.
DATA = {
    "uniform": UNIFORM,
    "logistic": 1 / (1 + np.exp(-5 * RNG.normal(size=N))),
    "near one": 1 - 10.0 ** -(16 * RNG.random(N)),
    "wide": RNG.choice([-1, 1], N) * 10.0 ** (600 * UNIFORM - 300),
    "spiky": spiky(),
    "spikes and infinities": np.where(RNG.random(N) < 0.01, RNG.choice([np.inf, -np.inf], N), spiky()),
    "adjacent": (np.float64(0.7).view(np.int64) + RNG.integers(0, 40_000, N)).view(np.float64),
    "subnormal": UNIFORM * 1e-310,
    "zeros of both signs": RNG.choice([-0.0, 0.0, 0.5], N),
    "few values": RNG.integers(0, 9_000, N) / 9_000,
    "one value and others": np.where(RNG.random(N) < 0.9, 0.5, UNIFORM),
    "constant": np.full(N, 0.25),
    "ascending": np.sort(UNIFORM),
    "descending": np.sort(UNIFORM)[::-1].copy(),
    "nearly ascending": np.r_[np.sort(UNIFORM)[:-1], 0.0],
    "periodic": np.tile(np.arange(1000) / 1000, N // 1000 + 1)[:N] + 1e-9 * UNIFORM,
}
CODES = (RNG.random(N) < 0.3).astype(np.uint8)
WEIGHTS = RNG.choice([0.0, 0.5, 1.0, 2.5], N)


def bits(samples):
    return [None if part is None else part.tobytes() for part in samples[:4]]


def under(monkeypatch, numpy, threads):
    monkeypatch.setattr("calipers.statistics.sorting.numpy_is_faster", lambda rows, columns=1: numpy)
    monkeypatch.setenv("CALIPERS_THREADS", threads)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", DATA)
def test_either_sort_and_any_number_of_threads_give_the_same_bits(monkeypatch, name, dtype):
    with np.errstate(over="ignore"):
        scores = DATA[name].astype(dtype)
    is_positive = CODES == 1
    expected = [np.sort(part + dtype(0)).tobytes() for part in (scores[is_positive], scores[~is_positive])]
    for numpy, threads in itertools.product((False, True), "125"):
        under(monkeypatch, numpy, threads)
        got = sorted_samples(scores, CODES, 1)
        assert bits(got)[:2] == expected
        assert (got.low, got.high, got.nans, got.first_nan) == (scores.min(), scores.max(), 0, -1)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", DATA)
def test_weights_follow_their_rows_and_ties_keep_their_order(monkeypatch, name, dtype):
    with np.errstate(over="ignore"):
        scores = DATA[name].astype(dtype)
    expected = []
    for part in (CODES == 1, CODES != 1):
        at = np.flatnonzero(part & (WEIGHTS != 0))
        at = at[np.argsort(scores[at], kind="stable")]
        expected.append((scores[at] + dtype(0), WEIGHTS[at]))
    (pos, pos_weights), (neg, neg_weights) = expected
    for threads in "125":
        under(monkeypatch, False, threads)
        got = sorted_samples(scores, CODES, 1, WEIGHTS)
        assert bits(got) == [part.tobytes() for part in (pos, neg, pos_weights, neg_weights)]
        assert (got.low, got.high) == (scores.min(), scores.max())


@pytest.mark.parametrize("n", [0, 1, 2, 24, 25, 1_000, 8_191, 8_192, 40_000, 65_536, 300_000])
def test_any_size_any_layout_and_any_width_of_codes(n):
    rng = np.random.default_rng(n)
    table, wide = rng.normal(size=(n, 3)), rng.integers(0, 3, (n, 2)).astype(np.uint32)
    for scores, codes in ((table[:, 1], wide[:, 0]), (table[::-1, 2], wide[:, 1].astype(np.uint16))):
        got = sorted_samples(scores, codes, 2)
        np.testing.assert_array_equal(got.pos, np.sort(scores[codes == 2]))
        np.testing.assert_array_equal(got.neg, np.sort(scores[codes != 2]))


@pytest.mark.parametrize("values", [2, 20_000, 23_000, 26_000])
def test_values_near_the_number_up_to_which_they_are_counted(monkeypatch, values):
    rng = np.random.default_rng(values)
    scores = rng.integers(0, values, 500_000) / values
    codes = (rng.random(len(scores)) < 0.3).astype(np.uint8)
    expected = [np.sort(scores[codes == 1]).tobytes(), np.sort(scores[codes == 0]).tobytes()]
    for threads in "125":
        under(monkeypatch, False, threads)
        assert bits(sorted_samples(scores, codes, 1))[:2] == expected


def leaves(count, rng):
    """Values of a table of leaves: as good as random numbers, of which some are much rarer than others."""
    return np.sort(rng.normal(size=count))[np.minimum(rng.exponential(count / 8, 400_000).astype(int), count - 1)]


# One kind for each way through the table: each scale, the hash, a table that grows, keys in long runs.
COUNTED = {
    "rounded": lambda rng: rng.integers(0, 20_000, 400_000) / 20_000,
    "float16": lambda rng: rng.random(400_000).astype(np.float16).astype(np.float64),
    "float16 near one": lambda rng: 1 - rng.random(400_000).astype(np.float16).astype(np.float64) / 4096,
    "both signs": lambda rng: rng.normal(size=400_000).astype(np.float16).astype(np.float64),
    "random": lambda rng: rng.random(9_000)[rng.integers(0, 9_000, 400_000)],
    "leaves": lambda rng: leaves(20_000, rng),
    "long tails": lambda rng: np.round(rng.standard_t(3, 400_000), 2),
    "values that no sample has": lambda rng: np.where(
        rng.random(400_000) < 0.02, 0.5 + 1e-9 * rng.integers(0, 5_000, 400_000), rng.integers(0, 50, 400_000) / 50
    ),
    "zeros of both signs, infinities, subnormal": lambda rng: rng.choice(
        [-np.inf, -1.0, -5e-324, -0.0, 0.0, 5e-324, 1e-310, 1.0, np.inf], 400_000
    ),
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", COUNTED)
def test_counted_values_are_those_of_the_rows_for_any_number_of_threads(monkeypatch, name, dtype):
    rng = np.random.default_rng(3)
    scores = COUNTED[name](rng).astype(dtype)
    codes = (rng.random(len(scores)) < 0.3).astype(np.uint8)
    is_positive, values = codes == 1, np.unique(scores + dtype(0))
    expected = [np.sort(part + dtype(0)).tobytes() for part in (scores[is_positive], scores[~is_positive])]
    for numpy, threads in itertools.product((False, True), "1238"):
        under(monkeypatch, numpy, threads)
        got = sorted_samples(scores, codes, 1)
        assert bits(got)[:2] == expected
        assert got.groups is not None
        assert got.groups.scores.tobytes() == values.tobytes()
        for counts, part in ((got.groups.positives, is_positive), (got.groups.negatives, ~is_positive)):
            np.testing.assert_array_equal(counts, np.searchsorted(np.sort(scores[part]), values, "right")
                                          - np.searchsorted(np.sort(scores[part]), values, "left"))  # fmt: skip


def test_a_positive_code_that_the_codes_cannot_have():
    got = sorted_samples(np.array([0.3, 0.1]), np.array([0, 1], np.uint8), 256)
    assert (len(got.pos), got.neg.tolist()) == (0, [0.1, 0.3])


@pytest.mark.parametrize("name", ["uniform", "spiky", "few values", "ascending"])
@pytest.mark.parametrize("nan", [np.nan, -np.nan, np.uint64(0xFFFF_FFFF_FFFF_FFFF).view(np.float64),
                                 np.uint64(0x7FFF_FFFF_FFFF_FFFF).view(np.float64)])  # fmt: skip
def test_any_nan_is_counted_whatever_the_way(name, nan):
    scores = DATA[name].copy()
    at = RNG.choice(N, 1_000, replace=False)
    scores[at] = nan
    numbers = scores[~np.isnan(scores)]
    for weights in (None, np.ones(N)):
        got = sorted_samples(scores, CODES, 1, weights)
        assert (got.nans, got.first_nan) == (1_000, at.min())
        assert (got.low, got.high) == (numbers.min(), numbers.max())
        assert len(got.pos) + len(got.neg) == N


def test_the_faster_sort_is_chosen():
    """Figures in ns: Intel with AVX-512, Zen 4, and a CPU on which both take as long."""
    intel, zen4, equal = (sort_choice.Costs(a, b) for a, b in ((7, 19), (45, 9), (12, 12)))
    assert sort_choice._faster(10**6, 1, intel)
    assert sort_choice._faster(10**6, 2, intel)
    assert not sort_choice._faster(10**6, 16, intel)
    assert not any(sort_choice._faster(10**6, threads, zen4) for threads in (1, 2, 16))
    assert not sort_choice._faster(10**7, 1, equal)
    assert not sort_choice.numpy_is_faster(100)


def test_both_sorts_are_timed_and_the_choice_says_so():
    cost = sort_choice.costs()
    assert 0 < cost.numpy < 1e-5
    assert 0 < cost.native < 1e-5
    name = "NumPy" if sort_choice.numpy_is_faster(10**6) else "native"
    assert sort_choice.chosen(10**6).startswith(f"{name} sort for 1000000 rows and {_native.threads()} threads")


@pytest.mark.parametrize("shape", [(0, 3), (5, 1), (900, 7), (30_000, 5)])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("order", ["C", "F"])
def test_columns_are_sorted_as_each_alone_whatever_the_sort_and_the_threads(monkeypatch, shape, dtype, order):
    rng = np.random.default_rng(shape[0])
    scores = np.asarray(rng.normal(size=shape), dtype, order=order)
    classes = rng.integers(0, shape[1], shape[0]).astype(np.uint16)
    sets = (rng.random(shape) < 0.3).astype(np.uint8)
    for codes, is_positive in ((classes, np.equal.outer(classes, np.arange(shape[1]))), (sets, sets == 1)):
        for numpy, threads in itertools.product((False, True), "125"):
            under(monkeypatch, numpy, threads)
            columns = sorted_columns(scores, codes)
            assert len(columns) == shape[1]
            for k, got in enumerate(columns):
                np.testing.assert_array_equal(got.pos, np.sort(scores[is_positive[:, k], k]))
                np.testing.assert_array_equal(got.neg, np.sort(scores[~is_positive[:, k], k]))
                if shape[0]:
                    assert (got.low, got.high) == (scores[:, k].min(), scores[:, k].max())
                if not numpy:
                    walk = _native.walk(got.pos, got.neg, False)
                    for fact in ("pairs2", "distinct", "v10", "v01"):
                        np.testing.assert_equal(getattr(got.area, fact), getattr(walk, fact))


def test_a_nan_in_a_column_is_counted_there():
    scores = np.random.default_rng(0).random((100, 3))
    scores[[7, 9], 1] = np.nan
    columns = sorted_columns(scores, np.arange(100, dtype=np.uint8) % 3)
    assert [(c.nans, c.first_nan) for c in columns] == [(0, -1), (2, 7), (0, -1)]


@pytest.mark.parametrize("decimals", [1, 3, 9])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_merged_samples_are_those_of_all_rows_for_any_number_of_threads(monkeypatch, decimals, dtype):
    rng = np.random.default_rng(decimals)
    a, b = (np.sort(rng.normal(size=n).round(decimals) + 0.0).astype(dtype) for n in (90_000, 70_001))
    wa, wb = rng.random(len(a)), rng.random(len(b))
    values, weights = np.r_[a, b], np.r_[wa, wb]
    order = np.lexsort((weights, values))
    for threads in "125":
        monkeypatch.setenv("CALIPERS_THREADS", threads)
        for pair in (((a, b), (wa, wb)), ((b, a), (wb, wa))):
            merged, merged_weights = _native.merge_weighted(*pair[0], *pair[1])
            assert (merged.tobytes(), merged_weights.tobytes()) == (values[order].tobytes(), weights[order].tobytes())
            assert _native.merge_sorted([*pair[0]]).tobytes() == values[order].tobytes()


@pytest.mark.parametrize("rows", [(0, 5), (1, 1), (3, 100_000), (50_000, 50_000)], ids=str)
@pytest.mark.parametrize("shift", [0.0, 0.5, 1.0, 7.0])
def test_samples_that_hardly_overlap_are_merged_too(rows, shift):
    rng = np.random.default_rng(1)
    a, b = np.sort(rng.random(rows[0])), np.sort(rng.random(rows[1])) + shift
    for first, second in ((a, b), (b, a)):
        assert np.array_equal(_native.merge_sorted([first, second]), np.sort(np.r_[a, b]))


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("shift", [0, 1, -1, -0.4, np.inf])
def test_samples_on_either_side_of_zero_are_merged(shift, dtype):
    rng = np.random.default_rng(2)
    a, b = (np.sort(rng.random(n, dtype=dtype)) for n in (90_000, 50_000))
    a, b = (np.sort(np.append(x[::2], [np.inf, -np.inf])) if shift == np.inf else x + dtype(shift) for x in (a, b))
    merged = _native.merge_sorted([a, b])
    assert merged.tobytes() == np.sort(np.r_[a, b]).tobytes()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("kind", ["alike", "apart", "tied", "either side of zero", "sizes", "empty"])
@pytest.mark.parametrize("count", [1, 3, 5, 8, 17])
def test_any_number_of_samples_is_merged_at_once(monkeypatch, count, kind, dtype):
    rng = np.random.default_rng(count)
    sizes = {"sizes": [10**k for k in range(5)], "empty": [0, 30_000]}.get(kind, [20_000])
    samples = []
    for k in range(count):
        values = rng.random(sizes[k % len(sizes)])
        values += {"apart": 2 * k, "either side of zero": -0.5}.get(kind, 0)
        values = values.round(1) + 0.0 if kind == "tied" else values
        samples.append(np.sort(values.astype(dtype)))
    for threads in "13":
        monkeypatch.setenv("CALIPERS_THREADS", threads)
        assert _native.merge_sorted(samples).tobytes() == np.sort(np.concatenate(samples)).tobytes()


def test_samples_of_other_types_are_refused():
    with pytest.raises(TypeError, match="sample must have the type of the first"):
        _native.merge_sorted([np.zeros(2), np.zeros(2, np.float32)])
    with pytest.raises(ValueError, match="there must be a sample"):
        _native.merge_sorted([])


def test_a_tie_over_whole_blocks_is_merged():
    a, b = np.full(200_000, 0.5), np.r_[np.full(150_000, 0.5), 0.75]
    for first, second in ((a, b), (-a, -b[::-1])):
        assert np.array_equal(_native.merge_sorted([first, second]), np.sort(np.r_[first, second]))


@pytest.mark.parametrize("digits", [2, 12])
def test_the_weighted_walk_has_the_same_bits_for_any_number_of_threads(monkeypatch, digits):
    seen = []
    for threads in "125":
        under(monkeypatch, False, threads)
        got = sorted_samples(UNIFORM.round(digits), CODES, 1, WEIGHTS)
        walk = _native.walk_weighted(*got[:4])
        seen.append([getattr(walk, name) for name in dir(walk) if not name.startswith("_")])
    assert seen[0] == seen[1] == seen[2]
