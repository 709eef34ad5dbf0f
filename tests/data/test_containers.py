import datetime
import decimal
import gc

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calipers import _native
from calipers.data.containers import Numbers, numbers
from calipers.data.frames import column, columns, is_frame, names
from calipers.data.labels import encode
from calipers.errors import InputError, UnknownName

DATA = {"y": ["a", "b", "a"], "p": [0.25, 0.5, 1.0]}
FRAMES = {
    "dict": dict,
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "arrow table": pa.table,
    "arrow batch": pa.record_batch,
    "duckdb": lambda data: duckdb.connect().from_arrow(pa.table(data)),
}


@pytest.mark.parametrize("kind", FRAMES)
def test_frames(kind):
    frame = FRAMES[kind](DATA)
    assert is_frame(frame)
    assert names(frame) == ["y", "p"]
    assert encode(column(frame, "y"), "y").codes.tolist() == [0, 1, 0]
    assert numbers(column(frame, "p"), "p").tolist() == [0.25, 0.5, 1.0]
    p, y, again = columns(frame, ["p", "y", "p"])
    assert numbers(p, "p").tolist() == numbers(again, "p").tolist() == [0.25, 0.5, 1.0]
    assert encode(y, "y").values == ("a", "b")
    with pytest.raises(UnknownName) as error:
        column(frame, "yy")
    assert str(error.value) == "no column 'yy'; did you mean y?"


@pytest.mark.parametrize(
    "x",
    [
        [1],
        (1,),
        "abc",
        None,
        3,
        np.zeros((3, 2)),
        pd.Series([1], index=["columns"]),
        pl.Series([1]),
        pa.array([1]),
        pa.chunked_array([[1]]),
        pd.Index([1]),
        pd.Categorical(["a"]),
    ],
)
def test_no_frames(x):
    assert not is_frame(x)


def test_names_that_are_no_strings_or_not_unique():
    frame = pd.DataFrame(np.eye(2))
    assert names(frame) == ["0", "1"]
    assert numbers(column(frame, "1"), "1").tolist() == [0, 1]
    with pytest.raises(InputError, match=r"^2 columns are named 'a': rename all but one$"):
        column(pd.DataFrame([[1, 2]], columns=["a", "a"]), "a")


def test_a_query_runs_once_for_all_columns():
    relation = duckdb.connect().sql('select random() as "a ""b""", i from range(5000) t(i)')
    name = 'a "b"'
    first, second = columns(relation, [name, name])
    assert numbers(first, "x").tolist() == numbers(second, "x").tolist()


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"])
def test_numbers_are_not_copied(dtype):
    a = np.array([0, 1, 1], dtype=dtype)
    for x in (a, a[::-1], pd.Series(a, copy=False), a[:, None]):
        assert np.shares_memory(numbers(x, "x"), a)
        assert numbers(x, "x").dtype == a.dtype
    if dtype != "?":
        array = pa.array(a)
        assert np.shares_memory(numbers(array, "x"), np.frombuffer(array.buffers()[1], a.dtype))


@pytest.mark.parametrize(
    ("x", "dtype"),
    [
        ([1, 2], "f8"),
        ((1.0, 2), "f8"),
        ([decimal.Decimal(1), 2], "f8"),
        (np.array([1, 2], "f2"), "f4"),
        (np.array([1, 2], np.longdouble), "f8"),
        (np.array([1, 2], ">f4"), "f4"),
        (np.array([1, decimal.Decimal(2)], dtype=object), "f8"),
        (pd.Series([1, 2], dtype="Float32"), "f4"),
        (pl.Series([1, 2], dtype=pl.Float32), "f4"),
        (pl.Series([1, 2], dtype=pl.Decimal(10, 2)), "f8"),
        (pa.array(np.array([1, 2], "f2")), "f4"),
        (pa.array([decimal.Decimal(1), decimal.Decimal(2)]), "f8"),
    ],
)
def test_numbers_of_every_container(x, dtype):
    assert numbers(x, "x").dtype == dtype
    assert numbers(x, "x").tolist() == [1, 2]


@pytest.mark.parametrize(
    "x",
    [
        [1, None],
        [1, pd.NA],
        np.ma.array([1, 2], mask=[0, 1]),
        np.array([1, None], dtype=object),
        pd.Series([1, None], dtype="Int64"),
        pd.Series([True, None], dtype="boolean"),
        pd.Series([1, None], dtype=pd.ArrowDtype(pa.int8())),
        pl.Series([1, None]),
        pl.Series([True, None]),
        pa.array([1.0, None]),
        pa.chunked_array([[1], [None]], type=pa.uint16()),
    ],
)
def test_missing_numbers_are_nan(x):
    assert numbers(x, "x").dtype == np.float64
    np.testing.assert_array_equal(numbers(x, "x"), [1, np.nan])


def test_two_dimensions_pass():
    assert numbers([[1, 2], [3, 4]], "x").tolist() == [[1, 2], [3, 4]]
    assert numbers(pd.DataFrame({"a": [1.0], "b": [2.0]}), "x").tolist() == [[1, 2]]
    assert numbers(pl.DataFrame({"a": [1.0], "b": [2.0]}), "x").tolist() == [[1, 2]]


@pytest.mark.parametrize(
    ("x", "message"),
    [
        ([1, "2"], "y_score contains '2' (row 1), which is not a number"),
        (np.array(["1", "2"]), "y_score contains '1' (row 0), which is not a number"),
        (np.array([1, "b"], dtype=object), "y_score contains 'b' (row 1), which is not a number"),
        (pd.Series([None, "b"], dtype="str"), "y_score contains 'b' (row 1), which is not a number"),
        (pl.Series(["x"]), "y_score contains 'x' (row 0), which is not a number"),
        ([1j], "y_score has type complex128: real numbers are needed"),
        (np.array(["2026-01-01"], "M8[D]"), "y_score has type datetime64[D]: real numbers are needed"),
        ([[1, 2], [3]], "y_score has rows of different lengths: all must have the same length"),
    ],
)
def test_errors(x, message):
    with pytest.raises(InputError) as error:
        numbers(x, "y_score")
    assert str(error.value) == message


LAYOUTS = [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int8(), pa.string())]
LAYOUTS += [pa.dictionary(pa.uint32(), pa.large_string()), pa.dictionary(pa.int64(), pa.string_view())]
WORDS = st.sampled_from(
    [None, "", "a", "é", "Hà Nội", "北京", "a label longer than twelve bytes", "a\0b", "sixteen bytes ok"]
)


def arrow(values, layout):
    """pa.array, also for the dictionaries that pyarrow reads but does not make."""
    if not pa.types.is_dictionary(layout):
        return pa.array(values, type=layout)
    entries = list(dict.fromkeys(value for value in values if value is not None))
    indices = [None if value is None else entries.index(value) for value in values]
    return pa.DictionaryArray.from_arrays(
        pa.array(indices, layout.index_type), pa.array(entries, layout.value_type)
    )


def read(x, names=None):
    return _native.read_arrow(x.__arrow_c_stream__(), names)


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@given(st.lists(st.tuples(st.lists(WORDS, max_size=30), st.integers(0, 9), st.integers(0, 12)), max_size=4))
def test_text_in_every_layout(layout, parts):
    """Several chunks, each a slice, each with a dictionary of its own."""
    chunks = [arrow(words, layout).slice(offset, length) for words, offset, length in parts]
    whole = pa.chunked_array(chunks, type=layout)
    expected = [word for chunk in chunks for word in chunk.to_pylist()]
    [(kind, codes, values, unused)] = read(whole)
    none = np.iinfo(codes.dtype).max
    assert kind == "labels"
    assert values == list(dict.fromkeys(word for word in expected if word is not None))
    assert [None if code == none else values[code] for code in codes.tolist()] == expected
    entries = [
        word for chunk in chunks if pa.types.is_dictionary(layout) for word in chunk.dictionary.to_pylist()
    ]
    assert unused == list(dict.fromkeys(word for word in entries if word not in values))
    table = pa.table({"other": pa.array(range(len(expected)), pa.int32()), "text": whole})
    [again, other] = read(table, ["text", "other"])
    assert (again[1].tolist(), again[2]) == (codes.tolist(), values)
    assert other[1].tolist() == list(range(len(expected)))


NUMBERS = [pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(), pa.int64(), pa.uint64()]
NUMBERS += [pa.float16(), pa.float32(), pa.float64(), pa.bool_(), pa.dictionary(pa.int8(), pa.int64())]
NUMBERS += [pa.dictionary(pa.int16(), pa.float32()), pa.dictionary(pa.uint8(), pa.bool_())]


@pytest.mark.parametrize("layout", NUMBERS, ids=str)
@given(
    st.lists(
        st.tuples(
            st.lists(st.sampled_from([None, 0, 1]), max_size=30), st.integers(0, 9), st.integers(0, 12)
        ),
        max_size=4,
    )
)
def test_numbers_in_every_layout(layout, parts):
    inner = layout.value_type if pa.types.is_dictionary(layout) else layout
    make = bool if pa.types.is_boolean(inner) else np.float16 if pa.types.is_float16(inner) else int
    chunks = [
        arrow([None if x is None else make(x) for x in row], layout).slice(offset, length)
        for row, offset, length in parts
    ]
    expected = [x for chunk in chunks for x in chunk.to_pylist()]
    [(kind, array, missing)] = read(pa.chunked_array(chunks, type=layout))
    assert kind == "numbers"
    assert array.dtype == inner.to_pandas_dtype()
    absent = [False] * len(expected) if missing is None else missing.tolist()
    assert absent == [x is None for x in expected]
    assert [None if a else x for a, x in zip(absent, array.tolist(), strict=True)] == expected


def test_offsets_of_a_batch_add_to_those_of_its_columns():
    inner = pa.array([9, 9, 1, None, 3, 9]).slice(1)
    text = pa.array(["x", "x", "a", None, "c", "x"]).slice(1)
    flags = pa.array([True, True, False, None, True, True]).slice(1)
    batch = pa.StructArray.from_arrays([inner, text, flags], ["n", "t", "b"]).slice(1, 3)
    n, t, b = _native.read_arrow_array(*batch.__arrow_c_array__(), ["n", "t", "b"])
    assert (n[1].tolist(), n[2].tolist()) == ([1, 0, 3], [False, True, False])
    assert (t[1].tolist(), t[2]) == ([0, 255, 1], ["a", "c"])
    assert (b[1].tolist(), b[2].tolist()) == ([False, False, True], [False, True, False])


def test_null_inside_a_dictionary():
    text = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, None, 1], pa.int8()), pa.array(["a", None, "a"]))
    [(_, codes, values, unused)] = _native.read_arrow_array(*text.__arrow_c_array__(), None)
    assert (codes.tolist(), values, unused) == ([0, 255, 0, 255, 255], ["a"], [])
    whole = pa.DictionaryArray.from_arrays(pa.array([0, 1, None], pa.int8()), pa.array([5, None]))
    [(_, array, missing)] = _native.read_arrow_array(*whole.__arrow_c_array__(), None)
    assert (array.tolist(), missing.tolist()) == ([5, 0, 0], [False, True, True])


def test_a_dictionary_larger_than_a_block():
    entries = [f"entry {i}" for i in range(50_000)]
    rows = np.random.default_rng(0).integers(0, 50_000, 80_000)
    column = pa.DictionaryArray.from_arrays(pa.array(rows, pa.int32()), pa.array(entries))
    [(_, codes, values, unused)] = _native.read_arrow_array(*column.__arrow_c_array__(), None)
    assert np.array(values)[codes].tolist() == [entries[i] for i in rows.tolist()]
    assert sorted(values + unused) == sorted(entries)


@pytest.mark.parametrize(
    ("x", "form"),
    [
        (pa.chunked_array([[datetime.date(2026, 1, 1)]]), "tdD"),
        (pa.chunked_array([[b"x"]]), "z"),
        (pa.chunked_array([[[1]]]), r"\+l"),
        (pa.table({"a": [1]}), r"\+s"),
        (pa.chunked_array([pa.array([b"x"]).dictionary_encode()]), "z"),
    ],
)
def test_other_types_are_named(x, form):
    with pytest.raises(TypeError, match=rf"^Arrow format '{form}' is neither text nor numbers$"):
        read(x)


def test_columns_that_are_not_there():
    with pytest.raises(KeyError, match="b"):
        read(pa.table({"a": [1]}), ["b"])
    with pytest.raises(TypeError, match=r"^Arrow format 'l' has no columns$"):
        read(pa.chunked_array([[1]]), ["b"])
    with pytest.raises(ValueError, match="PyCapsule_GetPointer called with incorrect name"):
        _native.read_arrow(pa.array([1]).__arrow_c_array__()[0], None)


def test_a_stream_is_read_once():
    capsule = pa.chunked_array([["a"]]).__arrow_c_stream__()
    _native.read_arrow(capsule, None)
    with pytest.raises(RuntimeError, match=r"^the Arrow data was read before$"):
        _native.read_arrow(capsule, None)


def test_a_stream_that_fails():
    def batches():
        yield pa.record_batch({"a": [1]})
        raise OSError("the disk is gone")

    reader = pa.RecordBatchReader.from_batches(pa.schema({"a": pa.int64()}), batches())
    with pytest.raises(RuntimeError, match=r"the Arrow stream failed: .*the disk is gone"):
        _native.read_arrow(reader.__arrow_c_stream__(), ["a"])


def test_memory_is_given_back():
    before = pa.total_allocated_bytes()
    number, text = pa.array(np.arange(100_000) + 1), pa.array(["a", "b"] * 50_000)
    dates = text.cast(pa.binary())
    array = numbers(number, "x")
    for _ in range(3):
        encode(text, "y")
        with pytest.raises(TypeError):
            _native.read_arrow_array(*dates.__arrow_c_array__(), None)
    del number, text, dates
    gc.collect()
    assert array[-1] == 100_000  # still held by the view
    del array
    gc.collect()
    assert pa.total_allocated_bytes() == before


def test_numbers_read_already():
    assert numbers(Numbers(np.array([1, 2]), np.array([False, True])), "x").tolist()[0] == 1
