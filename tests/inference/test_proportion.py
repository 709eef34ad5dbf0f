import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calipers.inference.proportion import mover, wilson
from calipers.inference.quantiles import z

counts = (
    st.floats(0, 1e6).flatmap(lambda n: st.tuples(st.floats(0, n), st.just(n))).filter(lambda c: c[1] > 0)
)
levels = st.floats(0.5, 0.999)


# Newcombe 1998, Statist. Med. 17:857-872, table I, method 3.
@pytest.mark.parametrize(
    ("hits", "trials", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_wilson_is_newcombes_table(hits, trials, low, high):
    assert wilson(hits, trials, 0.95) == pytest.approx((low, high), abs=5e-5)


# Newcombe 1998, Statist. Med. 17:873-890, table II, method 10: (a/m, b/n).
@pytest.mark.parametrize(
    ("a", "m", "b", "n", "low", "high"),
    [
        (56, 70, 48, 80, 0.0524, 0.3339),
        (9, 10, 3, 10, 0.1705, 0.8090),
        (6, 7, 2, 7, 0.0582, 0.8062),
        (5, 56, 0, 29, -0.0381, 0.1926),
        (0, 10, 0, 20, -0.1611, 0.2775),
        (10, 10, 0, 20, 0.6791, 1),
    ],
)
def test_difference_of_two_proportions_is_newcombes_table(a, m, b, n, low, high):
    parts = [(1, a / m, *wilson(a, m, 0.95)), (-1, b / n, *wilson(b, n, 0.95))]
    assert mover(a / m - b / n, parts, (-1, 1)) == pytest.approx((low, high), abs=5e-5)


@given(counts, levels)
def test_wilson_ends_solve_the_score_equation(count, level):
    hits, trials = count
    for p in wilson(hits, trials, level):
        assert trials * (p - hits / trials) ** 2 == pytest.approx(z(level) ** 2 * p * (1 - p), abs=1e-8)


@given(counts, levels)
def test_wilson_holds_the_estimate_inside_the_range(count, level):
    low, high = wilson(*count, level)
    assert 0 <= low <= count[0] / count[1] <= high <= 1


@given(counts, levels)
def test_wilson_widens_with_level_and_shrinks_with_trials(count, level):
    hits, trials = count
    low, high = wilson(hits, trials, level)
    wider = wilson(hits, trials, (1 + level) / 2)
    narrower = wilson(4 * hits, 4 * trials, level)
    assert wider[0] <= low
    assert high <= wider[1]
    assert narrower[1] - narrower[0] <= (high - low) * (1 + 1e-9)


@pytest.mark.parametrize("trials", [1, 2.5, 7, 1e9])
def test_wilson_is_exact_at_the_ends(trials):
    assert wilson(0, trials, 0.95)[0] == 0.0
    assert wilson(trials, trials, 0.95)[1] == 1.0
    assert wilson(0, trials, 0.95)[1] == pytest.approx(1 - wilson(trials, trials, 0.95)[0], abs=1e-15)


def test_no_trials_no_interval():
    assert all(map(math.isnan, wilson(0, 0, 0.95)))


@given(
    st.lists(st.tuples(st.floats(-3, 3), st.floats(0, 1), st.floats(0, 0.3), st.floats(0, 0.3)), max_size=4)
)
def test_mover_holds_the_value_and_mirrors_under_a_change_of_sign(raw):
    parts = [(c, p, p - down, p + up) for c, p, down, up in raw]
    value = sum(c * p for c, p, _, _ in parts)
    low, high = mover(value, parts)
    mirrored = mover(-value, [(-c, p, a, b) for c, p, a, b in parts])
    assert low <= value <= high
    assert mirrored == pytest.approx((-high, -low))


def test_one_part_keeps_its_own_interval():
    assert mover(0.3, [(1, 0.3, *wilson(30, 100, 0.95))]) == pytest.approx(wilson(30, 100, 0.95))
