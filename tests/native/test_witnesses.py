"""Rows that show what a column of numbers means, against a plain search."""

import numpy as np
import pytest

from calipers import _native

TYPES = ("f8", "f4", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "?")
ODD = {
    "halves near the last whole number": np.array([2.0**51 + 0.5, 2.0**52 + 1, 2.0**53, 3.0]),
    "large whole numbers": np.array([2.0**51, 2.0**52 + 1, 2.0**53 - 1, 1e300, -1e300, 7.0]),
    "infinities": np.array([np.inf, 1.0, -np.inf, 2.0]),
    "both zeros": np.array([-0.0, 0.0, -1.0]),
    "a tiny fraction": np.append(np.ones(5000), 5e-324),
    "one half in single precision": np.array([2.0**22 + 0.5, 1.0], np.float32),
    "large in single precision": np.array([2.0**23 + 1, 2.0**24, 3e38], np.float32),
}


def plain(x, most):
    """Rows by a search in Python; numbers beyond 64 bits are one label."""
    fraction = np.flatnonzero(np.floor(x) < x)[:1].tolist() if x.dtype.kind == "f" else []
    labels = {}
    for row, value in enumerate(x.tolist()):
        labels.setdefault(int(value) if abs(value) < 2**63 else "beyond", row)
    firsts = fraction or list(labels.values())[:most]
    return sorted({*firsts, int(np.flatnonzero(x == x.min())[0]), int(np.flatnonzero(x == x.max())[0])})


def found(x, most):
    rows, nan = _native.telling_rows(x, most)
    assert nan == -1
    return sorted(set(rows.tolist()))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("rows", [1, 7, 2048, 5001])
@pytest.mark.parametrize("values", [2, 100, 3000])
def test_labels_and_ends(dtype, rows, values):
    x = np.random.default_rng(rows).integers(0, min(values, 100 if dtype in ("i1", "u1") else values), rows)
    x = (x - (values // 2 if dtype[0] in "fi" and values < 3000 else 0)).astype(dtype)
    for column in (x, x[::3], x[::-1]):
        assert found(column, 50) == plain(column, 50)
        assert found(column, 10_000) == plain(column, 10_000)


@pytest.mark.parametrize("at", [0, 5, 2047, 2048, 4999])
@pytest.mark.parametrize("dtype", ["f8", "f4"])
def test_a_fraction_or_a_missing_number_is_found_anywhere(at, dtype):
    x = (np.arange(5000) % 9).astype(dtype)
    x[at] = 0.25
    assert found(x, 50) == plain(x, 50)
    x[at] = np.nan
    assert _native.telling_rows(x, 50)[1] == at


@pytest.mark.parametrize("x", ODD.values(), ids=ODD)
def test_odd_numbers(x):
    for column in (x, np.repeat(x, 9), x[::-1]):
        assert found(column, 50) == plain(column, 50)


def test_nothing_and_other_types():
    rows, nan = _native.telling_rows(np.zeros(0), 50)
    assert (len(rows), nan) == (0, -1)
    with pytest.raises(TypeError, match="values must be numbers of a usual type"):
        _native.telling_rows(np.zeros(2, np.float16), 50)
