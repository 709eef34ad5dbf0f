"""Places of numbers among sorted ones, as NumPy finds them."""

import numpy as np
import pytest

from calipers import _native

RNG = np.random.default_rng(2)
SORTED = {
    "none": [],
    "one": [1.0],
    "all tied": [2.0] * 50,
    "infinite": [-np.inf, 0.0, 0.0, np.inf],
    "beyond the largest range": [-1.7e308, 0.0, 1.7e308],
    "tied": np.round(RNG.normal(size=3000), 1),
    "skewed": RNG.exponential(size=3000) ** 9,
    "many": RNG.random(200_000),
    "single precision": RNG.random(3000).astype(np.float32),
}


@pytest.mark.parametrize("name", SORTED)
def test_places_are_those_of_numpy(name):
    ascending = np.sort(np.asarray(SORTED[name], getattr(SORTED[name], "dtype", float)))
    around = [np.nextafter(ascending, ascending.dtype.type(side)) for side in (-np.inf, np.inf)]
    ends = np.array([-np.inf, -1e300, -1, 0, 0.5, 1, 2, 1e300, np.inf])
    with np.errstate(over="ignore"):
        values = RNG.permutation(np.concatenate((ascending, *around, ends)).astype(ascending.dtype))
    left, right = _native.places(ascending, values)
    np.testing.assert_array_equal(left, np.searchsorted(ascending, values, "left"))
    np.testing.assert_array_equal(right, np.searchsorted(ascending, values, "right"))


def test_both_have_one_type():
    with pytest.raises(TypeError, match="values must have the type of `sorted`"):
        _native.places(np.zeros(2), np.zeros(2, np.float32))
