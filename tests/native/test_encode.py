import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from calipers import _native

INTEGERS = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"]
LAYOUTS = {
    "dense": lambda a: a,
    "every second": lambda a: np.repeat(a, 2)[::2],
    "reversed": lambda a: a[::-1].copy()[::-1],
    "a column": lambda a: np.stack([a, a[::-1], a], axis=1)[:, 0],
    "repeated": lambda a: np.broadcast_to(a[:1], a.shape),
}
NAMES = [
    "Hà Nội",
    "Hà Nội",
    "北京",
    "🦜",
    "é",
    "e\u0301",
    "",
    "a",
    "a\0b",
    "class",
    "a label that is long enough",
    "ā",
]


def spread(codes, values, missing=None):
    """Codes back to values: the inverse that np.unique gives, read as labels."""
    return [missing if code == np.iinfo(codes.dtype).max else values[code] for code in codes.tolist()]


def check_integers(a):
    codes, first = _native.encode_integers(a)
    values, inverse = np.unique(a, return_inverse=True)
    np.testing.assert_array_equal(codes, inverse)
    np.testing.assert_array_equal(a[first], values)
    assert codes.dtype == (
        np.uint8 if len(values) <= 255 else np.uint16 if len(values) <= 65535 else np.uint32
    )


@given(dtype=st.sampled_from(INTEGERS), layout=st.sampled_from(sorted(LAYOUTS)), data=st.data())
@settings(max_examples=400)
def test_integers_are_numbered_as_by_unique(dtype, layout, data):
    a = data.draw(hnp.arrays(dtype, st.integers(0, 40)))
    check_integers(LAYOUTS[layout](a))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("classes", [1, 2, 10, 250])
def test_many_rows(dtype, layout, classes):
    a = np.random.default_rng(classes).integers(0, classes, 200_000)
    check_integers(LAYOUTS[layout](a.astype(dtype)))


@pytest.mark.parametrize("n", [1, 1023, 1024, 1025, 65_536, 65_537, 300_000])
@pytest.mark.parametrize(
    "values",
    [
        [-1, 1],
        [0, 254],
        [0, 255],
        [7],
        [-(2**63), 2**63 - 1],
        [10**6, 10**6 + 3, 10**6 + 200],
        list(range(256)),
        list(range(300)),
        list(range(0, 10**9, 10**7)),
    ],
)
def test_ranges(n, values):
    check_integers(np.array(values)[np.random.default_rng(n).integers(0, len(values), n)])


def test_uint64_above_int64():
    check_integers(np.array([2**64 - 1, 0, 2**63, 2**63 - 1], dtype=np.uint64))


@pytest.mark.parametrize("rare", [-5, 100, 254, 255, 100_000, 2**60])
@pytest.mark.parametrize("row", [700, 123_457, 199_999])
def test_a_value_that_no_sample_sees(rare, row):
    a = np.random.default_rng(0).integers(0, 10, 200_000)
    a[row] = rare
    check_integers(a)


@pytest.mark.parametrize("values", [[-1, 1], [0, 200]])
@pytest.mark.parametrize("rare", [0, 100])
def test_a_value_in_a_gap_that_no_sample_sees(values, rare):
    a = np.random.default_rng(0).choice(values, 200_000)
    a[123_457] = rare
    check_integers(a)


@pytest.mark.parametrize("order", [1, -1])
def test_sorted_labels(order):
    check_integers(np.sort(np.random.default_rng(0).integers(0, 9, 200_000))[::order])


@pytest.mark.parametrize("classes", [255, 256, 65_535, 65_536, 70_000])
@pytest.mark.parametrize("step", [1, 10**6])
def test_code_width(classes, step):
    check_integers(np.random.default_rng(0).permutation(np.arange(classes + 5) % classes) * step)


@pytest.mark.parametrize("a", [np.zeros(3), np.zeros((2, 2), int), np.zeros(3, ">i4"), np.array(["a"])])
def test_integers_refuses_what_it_cannot_read(a):
    with pytest.raises((TypeError, ValueError)):
        _native.encode_integers(a)


def fixed(a):
    return _native.encode_fixed(a[:, None].view(np.uint32 if a.dtype.kind == "U" else np.uint8))


def check_appearance(codes, first, values):
    """Classes come in the order in which they first appear, at their first rows."""
    order = list(dict.fromkeys(values))
    assert [values[i] for i in first] == order
    assert first.tolist() == [values.index(value) for value in order]
    assert spread(codes, order) == values


@given(kind=st.sampled_from(["U", "S"]), layout=st.sampled_from(sorted(LAYOUTS)), data=st.data())
@settings(max_examples=200)
def test_fixed_width_text(kind, layout, data):
    names = data.draw(st.lists(st.sampled_from(NAMES), min_size=1, max_size=60))
    a = LAYOUTS[layout](np.array(names if kind == "U" else [name.encode() for name in names]))
    codes, first = fixed(a)
    check_appearance(codes, first, a.tolist())


def test_fixed_width_text_needs_whole_rows():
    with pytest.raises(TypeError, match="the rows whole"):
        _native.encode_fixed(np.zeros((4, 4), np.uint8, order="F"))


@pytest.mark.parametrize("width", [1, 2, 3, 4, 5, 8, 9, 16, 17, 31])
def test_every_width(width):
    alphabet = np.array(["a" * i + "b" * (width - i) for i in range(width + 1)])
    a = alphabet[np.random.default_rng(width).integers(0, width + 1, 70_000)]
    codes, first = fixed(a)
    check_appearance(codes, first, a.tolist())


@pytest.mark.parametrize("classes", [300, 70_000])
def test_many_classes_of_text(classes):
    values = [f"k{i}" for i in range(classes)]
    a = np.array(values)[np.random.default_rng(0).permutation(np.arange(100_000) % classes)]
    codes, first = fixed(a)
    order = list(dict.fromkeys(a.tolist()))
    assert np.array(order)[codes].tolist() == a.tolist()
    assert a[first].tolist() == order
    objects, rows, missing, odd = _native.encode_objects(a.astype(object))
    assert (missing, odd) == (0, -1)
    assert objects.dtype == codes.dtype
    np.testing.assert_array_equal(objects, codes)
    np.testing.assert_array_equal(rows, first)


@pytest.mark.parametrize("container", [list, tuple, lambda x: np.array(x, dtype=object)])
@given(names=st.lists(st.sampled_from([*NAMES, None, float("nan")]), max_size=60))
def test_objects(container, names):
    column = container(names)
    codes, first, missing, odd = _native.encode_objects(column)
    present = [name for name in names if isinstance(name, str)]
    order = list(dict.fromkeys(present))
    assert [column[i] for i in first] == order
    assert spread(codes, order) == [name if isinstance(name, str) else None for name in names]
    assert (missing, odd) == (len(names) - len(present), -1)


@given(st.lists(st.text(max_size=20), max_size=50))
def test_objects_with_any_text(names):
    codes, first, *_ = _native.encode_objects([name + "" for name in names])
    assert spread(codes, [names[i] for i in first]) == names
    assert len({names[i] for i in first}) == len(first)


def test_objects_strided():
    a = np.array(["b", "x", "a", "x", "b", "x"], dtype=object)
    assert [part.tolist() for part in _native.encode_objects(a[::2])[:2]] == [[0, 1, 0], [0, 1]]
    assert [part.tolist() for part in _native.encode_objects(a[::-2])[:2]] == [[0, 0, 0], [0]]


def test_text_of_the_same_bytes_in_another_width():
    assert _native.encode_objects(["\u6161", "aa", "\U00016161", "\u6161\u0001"])[0].tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize("odd", [1, True, 0.5, b"a", (), object()])
def test_the_first_row_that_is_no_text(odd):
    assert _native.encode_objects(["a", None, odd, "b", 3])[3] == 2


def test_missing_values_of_every_kind():
    import decimal

    import pandas as pd

    nothing = [
        None,
        float("nan"),
        np.float64("nan"),
        np.float32("nan"),
        pd.NA,
        pd.NaT,
        decimal.Decimal("nan"),
    ]
    codes, _, missing, odd = _native.encode_objects([*nothing, "a"])
    assert codes.tolist() == [255] * len(nothing) + [0]
    assert (missing, odd) == (len(nothing), -1)


def test_a_list_that_shrinks_under_its_reader():
    class Rude:
        def __ne__(self, other):
            column.clear()
            return True

    column = ["a", "b", Rude(), "c"]
    with pytest.raises(RuntimeError, match="the list changed while it was read"):
        _native.encode_objects(column)


def test_reference_counts_stay():
    shared, own = "a shared label", [f"label {i}" for i in range(300)]
    column = [shared, *own, None, float("nan")] * 3
    before = [sys.getrefcount(x) for x in (shared, None, *own)]
    array = np.array(column, dtype=object)
    counts = [sys.getrefcount(x) for x in (shared, *own)]
    for _ in range(10):
        _native.encode_objects(array)
        _native.encode_objects(column)
    assert [sys.getrefcount(x) for x in (shared, *own)] == counts
    del array
    after = [sys.getrefcount(x) for x in (shared, None, *own)]
    assert after[0] == before[0]
    assert after[2:] == before[2:]


@pytest.mark.parametrize("code", [np.uint8, np.uint16, np.uint32])
@pytest.mark.parametrize("target", [np.uint8, np.uint16, np.uint32])
def test_recode(code, target):
    none, missing = np.iinfo(code).max, np.iinfo(target).max
    table = np.array([2, 0, 1], dtype=target)
    out = _native.recode(np.array([0, 1, 2, none, 0], dtype=code), table)
    assert out.dtype == target
    assert out.tolist() == [2, 0, 1, missing, 2]
    assert _native.recode(np.array([0, 9, 1, 9], dtype=code)[::2], table).tolist() == [2, 0]
    assert _native.recode(np.array([3, 200], dtype=code), table).tolist() == [missing, missing]


ANY_THREADS = """
import hashlib, numpy as np, pyarrow as pa
from calipers import _native as native
rng = np.random.default_rng(5)
codes = rng.integers(0, 40, 400_001)
names = np.array([f"class {i}" for i in range(40)])[codes]
weights = rng.random(len(codes))
out = [part for step in (1, 999, 10**9) for part in native.encode_integers(codes * step)]
out += native.encode_fixed(names[:, None].view(np.uint32))
chunks = pa.chunked_array([names[:300_000], names[300_000:]])
out += native.read_arrow(chunks.__arrow_c_stream__(), None)[0][1:2]
small = native.encode_integers(codes)[0]
out += [native.recode(small, np.arange(40, dtype=np.uint16)[::-1])]
out += [native.confusion(small, small[::-1], 40, None), native.confusion(small, small[::-1], 40, weights)]
out += [native.bincount(small, 40, None), native.bincount(small, 40, weights)]
print(hashlib.sha256(b"".join(x.tobytes() for x in out)).hexdigest())
"""


def test_any_number_of_threads_gives_the_same_bits():
    def run(threads):
        environment = {**os.environ, "CALIPERS_THREADS": str(threads)}
        return subprocess.run(
            [sys.executable, "-c", ANY_THREADS], env=environment, capture_output=True, text=True, check=True
        ).stdout

    assert len({run(threads) for threads in (1, 2, 3)}) == 1
