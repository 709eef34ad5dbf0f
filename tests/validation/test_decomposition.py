"""The parts of a loss add up, and are those of the definitions."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from calipers.validation.decomposition import squared, zero_one

MODELS, ROWS = st.integers(2, 9), st.integers(1, 6)


def domingos(predicted, truth):
    """One test row by the text of the paper: main prediction, bias, variance, and c2 P(p ≠ main)."""
    values, votes = np.unique(predicted, return_counts=True)
    main = values[votes.argmax()]
    apart = predicted[predicted != main]
    variance = len(apart) / len(predicted)
    if main == truth:
        return main, 0.0, variance, variance
    c2 = -np.mean(apart == truth) if len(apart) else 0.0
    return main, 1.0, variance, c2 * variance


@given(st.data(), MODELS, ROWS, st.integers(2, 4))
def test_zero_one_is_domingos_and_adds_up(data, models, rows, classes):
    codes = st.integers(0, classes - 1)
    predicted = data.draw(hnp.arrays(np.uint8, (models, rows), elements=codes))
    truth = data.draw(hnp.arrays(np.uint8, rows, elements=codes))
    parts = zero_one(predicted, truth, classes)
    assert parts.loss == pytest.approx((predicted != truth).mean(0))
    assert parts.bias + parts.variance == pytest.approx(parts.loss)
    for row in range(rows):
        main, bias, variance, net = domingos(predicted[:, row], truth[row])
        assert (parts.main[row], parts.bias[row]) == (main, bias)
        assert parts.variance[row] == pytest.approx(net)
        if not bias or classes == 2:
            assert parts.unbiased[row] + parts.biased[row] == pytest.approx(variance)  # c2 is 1 or -1


@given(st.data(), MODELS, ROWS)
def test_squared_adds_up(data, models, rows):
    numbers = st.floats(-100, 100)
    predicted = data.draw(hnp.arrays(float, (models, rows), elements=numbers))
    truth = data.draw(hnp.arrays(float, rows, elements=numbers))
    parts = squared(predicted, truth)
    assert parts.loss == pytest.approx(((predicted - truth) ** 2).mean(0))
    assert parts.bias + parts.variance == pytest.approx(parts.loss, abs=1e-9)
    assert parts.variance == pytest.approx(predicted.var(0, ddof=1), abs=1e-9)


def test_the_parts_of_few_models_are_unbiased():
    """Over all pairs of 27 equally likely models, bias² and variance are on the average those of the 27."""
    y = np.array([1.0, 2.0, 6.0])
    every = np.array([[y[list(draw)].mean()] for draw in itertools.product(range(3), repeat=3)])
    pairs = [squared(every[list(two)], np.array([4.0])) for two in itertools.product(range(27), repeat=2)]
    assert np.mean([p.bias for p in pairs]) == pytest.approx((y.mean() - 4) ** 2)
    assert np.mean([p.variance for p in pairs]) == pytest.approx(y.var(ddof=1) * 2 / 9)  # s²(n - 1)/n²
