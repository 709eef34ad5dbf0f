import datetime
import enum
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calipers.data.labels import Encoded, encode, recode, union
from calipers.errors import InputError

TEXT = ["đúng", "sai", None, "北京", "sai", "🦜", "", "a\0b"]
STRINGS = {
    "list": list,
    "tuple": tuple,
    "object array": lambda x: np.array(x, dtype=object),
    "pandas str": lambda x: pd.Series(x, dtype="str"),
    "pandas object": lambda x: pd.Series(x, dtype=object),
    "pandas category": lambda x: pd.Series(x, dtype="category"),
    "pandas Categorical": lambda x: pd.Categorical(x),
    "pandas Index": lambda x: pd.Index(x),
    "pandas string[python]": lambda x: pd.Series(x, dtype="string[python]"),
    "pandas string[pyarrow]": lambda x: pd.Series(x, dtype="string[pyarrow]"),
    "pandas arrow": lambda x: pd.Series(x, dtype=pd.ArrowDtype(pa.string())),
    "polars String": lambda x: pl.Series(x, dtype=pl.String),
    "polars Categorical": lambda x: pl.Series(x, dtype=pl.Categorical),
    "polars Enum": lambda x: pl.Series(x, dtype=pl.Enum(sorted({v for v in x if v is not None} | {"zzz"}))),
    "arrow array": lambda x: pa.array(x, type=pa.string()),
    "arrow large": lambda x: pa.array(x, type=pa.large_string()),
    "arrow view": lambda x: pa.array(x, type=pa.string_view()),
    "arrow chunks": lambda x: pa.chunked_array([x[:3], [], x[3:]], type=pa.string()),
    "arrow dictionary": lambda x: pa.array(x, type=pa.string()).dictionary_encode(),
}
INTEGERS = {
    "list": list,
    "NumPy scalars": lambda x: [np.int16(v) for v in x],
    "object array": lambda x: np.array(x, dtype=object),
    "floats": lambda x: np.array(x, dtype=float),
    "list of floats": lambda x: [float(v) for v in x],
    "big endian": lambda x: np.array(x, dtype=">i4"),
    "pandas": pd.Series,
    "pandas Int64": lambda x: pd.Series(x, dtype="Int64"),
    "pandas category": lambda x: pd.Series(x, dtype="category"),
    "polars": pl.Series,
    "polars i8": lambda x: pl.Series(x, dtype=pl.Int8),
    "arrow": pa.array,
    "arrow dictionary": lambda x: pa.array(x).dictionary_encode(),
    "masked": lambda x: np.ma.array(x),
}


def labels(encoded):
    none = np.iinfo(encoded.codes.dtype).max
    return [None if code == none else encoded.values[code] for code in encoded.codes.tolist()]


@pytest.mark.parametrize("container", STRINGS)
def test_strings_of_every_container(container):
    encoded = encode(STRINGS[container](TEXT), "y_true")
    assert encoded.values == tuple(sorted(v for v in set(TEXT) if v is not None))
    assert all(type(value) is str for value in encoded.values)
    assert labels(encoded) == TEXT
    assert (encoded.missing, encoded.first_missing) == (1, 2)
    assert encoded.codes.dtype == np.uint8


@pytest.mark.parametrize("dtype", ["U", "S", np.dtypes.StringDType(), ">U9"])
def test_strings_of_numpy(dtype):
    encoded = encode(np.array(["b", "c", "a", "b"], dtype=dtype)[::-1], "y")
    assert encoded.values == ("a", "b", "c")
    assert labels(encoded) == ["b", "a", "c", "b"]


def test_strings_of_no_width():
    a = np.zeros(2, dtype=[("name", "U0")])["name"]
    assert a.dtype.itemsize == 0
    assert (encode(a, "y").values, encode(a, "y").codes.tolist()) == (("",), [0, 0])


def test_string_dtype_with_missing():
    a = np.array(["b", None, "a"], dtype=np.dtypes.StringDType(na_object=None))
    assert labels(encode(a, "y")) == ["b", None, "a"]


def test_bytes_are_read_as_utf8():
    assert encode(np.array(["Hà Nội".encode(), b"x"]), "y").values == ("Hà Nội", "x")
    with pytest.raises(InputError, match=r"^y contains bytes that are not UTF-8 text: b'\\xff'$"):
        encode(np.array([b"\xff"]), "y")


@pytest.mark.parametrize("container", INTEGERS)
def test_integers_of_every_container(container):
    encoded = encode(INTEGERS[container]([3, -1, 3, 7]), "y_true")
    assert encoded.values == (-1, 3, 7)
    assert all(type(value) is int for value in encoded.values)
    assert encoded.codes.tolist() == [1, 0, 1, 2]
    assert (encoded.missing, encoded.first_missing) == (0, -1)


@pytest.mark.parametrize(
    "column",
    [
        [4, None, 2, float("nan")],
        [4.0, None, 2, pd.NaT],
        np.array([4, np.nan, 2, np.nan]),
        np.array([4, np.nan, 2, np.nan], dtype=np.float16),
        np.array([4, None, np.int8(2), np.nan], dtype=object),
        np.ma.array([4, 0, 2, 0], mask=[0, 1, 0, 1]),
        pd.Series([4, None, 2, None], dtype="Int64"),
        pd.Series([4, None, 2, None]),
        pd.Series([4, pd.NA, 2, pd.NA], dtype=object),
        pl.Series([4, None, 2, None]),
        pl.Series([4.0, None, 2.0, float("nan")]),
        pa.array([4, None, 2, None]),
        pa.array([4, None, 2, None]).dictionary_encode(),
    ],
)
def test_missing_integers(column):
    encoded = encode(column, "y")
    assert encoded.values == (2, 4)
    assert labels(encoded) == [4, None, 2, None]
    assert (encoded.missing, encoded.first_missing) == (2, 1)


@pytest.mark.parametrize(
    "column",
    [
        [True, False, True],
        [np.True_, False, True],
        np.array([True, False, True]),
        np.array([True, False, True], dtype=object),
        pd.Series([True, False, True]),
        pd.Series([True, False, True], dtype="boolean"),
        pl.Series([True, False, True]),
        pa.array([True, False, True]),
    ],
)
def test_booleans(column):
    encoded = encode(column, "y")
    assert [(value, type(value)) for value in encoded.values] == [(False, bool), (True, bool)]
    assert encoded.codes.tolist() == [1, 0, 1]


def test_missing_booleans():
    for column in (
        [True, None, False],
        pd.Series([True, None, False], dtype="boolean"),
        pl.Series([True, None, False]),
    ):
        assert labels(encode(column, "y")) == [True, None, False]


@pytest.mark.parametrize(
    "column",
    [
        [],
        (),
        np.array([]),
        np.array([], dtype=int),
        np.array([], dtype="U4"),
        np.array([], dtype=object),
        pd.Series([], dtype="str"),
        pd.Series([], dtype="category"),
        pl.Series([], dtype=pl.String),
        pa.array([]),
        pa.chunked_array([], type=pa.string()),
        pa.chunked_array([], type=pa.int8()),
        pl.Series([], dtype=pl.Int8),
    ],
)
def test_no_rows(column):
    encoded = encode(column, "y")
    assert (len(encoded.codes), encoded.codes.dtype, *encoded[1:]) == (0, np.uint8, (), 0, -1)


def test_nothing_but_missing():
    for column in ([None, None], pl.Series([None, None]), pa.nulls(2), pd.Series([None, None], dtype="str")):
        assert encode(column, "y")[1:] == ((), 2, 0)


def test_integers_beyond_64_bits():
    assert encode([2**70, 1, 2**70], "y").values == (1, 2**70)
    assert encode(np.array([2**64 - 1, 3], dtype=np.uint64), "y").values == (3, 2**64 - 1)


def test_subclasses_of_str_are_their_text():
    class Answer(str, enum.Enum):  # noqa: UP042
        YES = "yes"

    encoded = encode([Answer.YES, np.str_("no"), "yes"], "y")
    assert (encoded.values, encoded.codes.tolist()) == (("no", "yes"), [1, 0, 1])
    assert [type(value) for value in encoded.values] == [str, str]


@pytest.mark.parametrize("classes", [300, 70_000])
def test_many_classes(classes):
    names = [f"k{i}" for i in np.random.default_rng(0).permutation(classes)]
    values, inverse = np.unique(names, return_inverse=True)
    for column in (names, np.array(names), pa.array(names), pd.Series(names, dtype="category")):
        encoded = encode(column, "y")
        assert encoded.values == tuple(values.tolist())
        np.testing.assert_array_equal(encoded.codes, inverse)


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=18), min_size=1, max_size=50))
def test_text_is_sorted_by_code_point(names):
    for column in (names, pa.array(names), pl.Series(names)):
        encoded = encode(column, "y")
        assert list(encoded.values) == sorted(set(names))
        assert labels(encoded) == names


class Tensor:
    """What a torch tensor shows of itself."""

    dtype = "torch.int64"

    def __init__(self, data, taped=True):
        self.data, self.taped = data, taped

    def detach(self):
        return Tensor(self.data, taped=False)

    def cpu(self):
        return self

    def __array__(self, dtype=None, copy=None):
        if self.taped:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad.")
        return self.data


class OnlyDLPack:
    def __init__(self, data):
        self.data = data

    def __dlpack__(self, **options):
        return self.data.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.data.__dlpack_device__()


def test_tensors():
    assert encode(Tensor(np.array([2, 1])), "y").values == (1, 2)
    assert encode(OnlyDLPack(np.array([2, 1])), "y").values == (1, 2)


@pytest.mark.parametrize(
    ("column", "message"),
    [
        (np.zeros((3, 2)), "y_true has shape (3, 2): one label per row is needed"),
        (np.array(1), "y_true has shape (): one label per row is needed"),
        ("abc", "y_true has shape (): one label per row is needed"),
        (pl.DataFrame({"a": [1, 2]}), "y_true has shape (2, 1): one label per row is needed"),
        (pd.DataFrame({"a": [1, 2]}), "y_true has shape (2, 1): one label per row is needed"),
        ([[1, 2], [3, 4]], "y_true contains a value of type list (row 0): one label per row is needed"),
        ([1, 2, 1, "a"], "y_true mixes int and str (rows 0 and 3): labels must be of one kind"),
        (["a", None, True], "y_true mixes str and bool (rows 0 and 2): labels must be of one kind"),
        ([True, 1], "y_true mixes bool and int (rows 0 and 1): labels must be of one kind"),
        (pd.Series(["a", 1.0]), "y_true mixes str and int (rows 0 and 1): labels must be of one kind"),
        ([1, 0, 0.25], "y_true contains 0.25 (row 2): class labels must be integers, strings or booleans"),
        (
            np.array([1, np.nan, 0.5]),
            "y_true contains 0.5 (row 2): class labels must be integers, strings or booleans",
        ),
        (
            np.array([1, np.inf]),
            "y_true contains inf (row 1): class labels must be integers, strings or booleans",
        ),
        (
            pl.Series([1.0, None, 0.5]),
            "y_true contains 0.5 (row 2): class labels must be integers, strings or booleans",
        ),
        (
            [datetime.date(2026, 1, 2)],
            "y_true contains datetime.date(2026, 1, 2) (row 0), which has type date: "
            "class labels must be integers, strings or booleans",
        ),
        (
            pl.Series([datetime.date(2026, 1, 2)]),
            "y_true has type datetime64[D]: class labels must be integers, strings or booleans",
        ),
        (np.array([1j]), "y_true has type complex128: class labels must be integers, strings or booleans"),
    ],
)
def test_errors(column, message):
    with pytest.raises(InputError) as error:
        encode(column, "y_true")
    assert str(error.value) == message


def test_union():
    assert union((1, 3), (2, 3)) == (1, 2, 3)
    assert union(("b",), ("a", "b"), ()) == ("a", "b")
    assert union() == ()
    assert [type(label) for label in union((False, True), (1,))] == [int, int]
    assert [type(label) for label in union((False,), (True,))] == [bool, bool]


def test_union_of_different_kinds():
    with pytest.raises(InputError) as error:
        union((1, 2), ("cat",))
    assert str(error.value) == "labels mix int and str (such as 1 and 'cat'): labels must be of one kind"
    with pytest.raises(InputError) as error:
        union((False, True), (0, 1, 2))
    assert str(error.value) == "labels mix bool and int (such as False and 2): labels must be of one kind"


def test_recode():
    encoded = encode(["b", None, "d", "b"], "y")
    assert recode(encoded, ("b", "d")) is encoded.codes
    assert recode(encoded, ("a", "b", "c", "d")).tolist() == [1, 255, 3, 1]
    wide = recode(encoded, tuple(sorted({"b", "d", *(f"k{i}" for i in range(300))})))
    assert (wide.dtype, wide.tolist()) == (np.uint16, [0, 65535, 1, 0])
    assert recode(Encoded(np.array([1, 0], np.uint8), (False, True), 0, -1), (0, 1)).tolist() == [1, 0]


def test_no_data_frame_package_is_imported():
    code = (
        "import sys, calipers.data.labels; calipers.data.labels.encode(['a', 'b'], 'y');"
        "print([name for name in ('pandas', 'polars', 'pyarrow', 'scipy', 'sklearn') if name in sys.modules])"
    )
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        == "[]\n"
    )


@pytest.mark.parametrize("row", [0, 32_767, 32_768, 99_999])
@pytest.mark.parametrize("missing", [False, True])
def test_numbers_of_many_rows_are_labels_if_all_are_integers(row, missing):
    """They are compared with integers some rows at a time, and the first one that is none is named."""
    numbers = np.arange(100_000) % 3.0
    if missing:
        numbers[5] = np.nan
    numbers[row] = 1e6  # which does not fit a byte
    found = encode(numbers, "y")
    assert found.values == (0, 1, 2, 1_000_000)
    assert found.codes[row] == 3
    assert np.array_equal(np.array([0, 1, 2, 1e6])[found.codes[~np.isnan(numbers)]], numbers[~np.isnan(numbers)])
    numbers[[row, -1]] = 0.5
    with pytest.raises(InputError, match=rf"\b0\.5\b.*\b{row}\b"):
        encode(numbers, "y")
