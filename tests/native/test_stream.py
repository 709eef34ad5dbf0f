"""`read_stream`: text to codes and numbers, a batch at a time, as one pass over all rows would give them."""

import numpy as np
import pyarrow as pa
import pytest

from calipers import _native


def read(batches, kinds, marks="."):
    counts = []
    parts = [(pa.RecordBatchReader.from_batches(b[0].schema, b).__arrow_c_stream__(), marks) for b in batches]
    return _native.read_stream(iter(parts), kinds, counts.append), counts


def column(values, kind=None):
    return pa.record_batch({"c": pa.array(values, kind)})


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()])
@pytest.mark.parametrize(("classes", "width"), [(3, "uint8"), (300, "uint16"), (70_000, "uint32")])
def test_codes_grow_with_the_classes(kind, classes, width):
    names = [f"a class with a longish name {i}" for i in range(classes)]
    batches = [column([names[0], None], kind), column([], kind), column(names, kind), column([None, names[-1]], kind)]
    ((form, codes, values, unused),), counts = read([batches], "l")
    assert (form, codes.dtype, values, unused) == ("labels", width, names, [])
    none = np.iinfo(codes.dtype).max
    assert codes.tolist() == [0, none, *range(classes), none, classes - 1]
    assert counts == [2, 2, classes + 2, classes + 4]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()])
def test_issue_24_texts_of_any_length_have_one_code_each(kind):
    texts = ["", *(end * n for n in range(1, 40) for end in ("a", "\0")), *("a" * n + "b" for n in range(40))]
    order = np.random.default_rng(0).integers(0, len(texts), 5000)
    rows = [*texts, *(texts[i] for i in order)]
    for n in (len(texts), len(rows)):  # the last texts end with their buffer
        ((_, codes, values, _),), _ = read([[column(rows[:n], kind)]], "l")
        assert values == texts
        assert codes.tolist() == [*range(len(texts)), *order.tolist()][:n]


def test_streams_lie_below_each_other():
    ((_, codes, values, _),), _ = read([[column(["b", "a"])], [column(["a", "c"])]], "l")
    assert (codes.tolist(), values) == ([0, 1, 1, 2], ["b", "a", "c"])


@pytest.mark.parametrize("dtype", ["int8", "uint64", "float32", "float64", "bool"])
def test_numbers_keep_their_type(dtype):
    values = np.array([0, 1, 1], dtype)
    ((form, array, missing),), _ = read([[column(values), column(values[:1])]], "n")
    assert (form, array.dtype, array.tolist(), missing) == ("numbers", dtype, [*values.tolist(), values[0]], None)


def test_a_missing_number_is_marked():
    ((_, array, missing),), _ = read([[column([1, 2]), column([None, 3])]], "n")
    assert (array.tolist(), missing.tolist()) == ([1, 2, 0, 3], [False, False, True, False])


@pytest.mark.parametrize(
    ("text", "number"),
    [("1", 1), ("-0.5", -0.5), ("+2", 2), (" .5\t", 0.5), ("5.", 5), ("1e-3", 1e-3), ("1E5", 1e5), ("inf", np.inf),
     ("-Infinity", -np.inf), ("1e-400", 0), ("4.9e-324", 5e-324), ("0.1", 0.1)],
)  # fmt: skip
def test_text_that_is_a_number(text, number):
    ((_, array, missing),), _ = read([[column([text])]], "n")
    assert (array.tolist(), missing) == ([number], None)


@pytest.mark.parametrize("text", ["", " ", "NA", "n/a", "#N/A", "NaN", "nan", "NULL", "None"])
def test_text_that_stands_for_no_number(text):
    ((_, _, missing),), _ = read([[column([text])]], "n")
    assert missing.tolist() == [True]


@pytest.mark.parametrize(
    "text", ["x", "1_000", "0x10", "1,5", "1 2", "--1", "+-1", "1e999", "50%", "١", "1e", ".", "+", "nan(1)", "true"]
)
def test_text_that_is_none_is_told_with_its_row(text):
    result, _ = read([[column(["1"])], [column(["2", text])]], "n")
    assert result == ("bad", 0, 2, text)


@pytest.mark.parametrize(("text", "number"), [("0,5", 0.5), ("1", 1), ("-1,5e2", -150)])
def test_a_decimal_comma(text, number):
    ((_, array, _),), _ = read([[column([text])]], "n", ",")
    assert array.tolist() == [number]


@pytest.mark.parametrize("text", ["0.5", "1.234,5", "1,2,3", "," * 70])
def test_a_decimal_comma_allows_no_point(text):
    assert read([[column([text])]], "n", ",")[0] == ("bad", 0, 0, text)


def test_a_type_that_changes_is_refused():
    with pytest.raises(TypeError, match="changes its type"):
        read([[column(["a"])], [column([1])]], "l")
    with pytest.raises(TypeError, match="neither text nor numbers"):
        read([[column([[1]])]], "l")


def test_what_progress_raises_comes_through():
    def stop(rows):
        raise KeyboardInterrupt

    reader = pa.RecordBatchReader.from_batches(column(["a"]).schema, [column(["a"])])
    with pytest.raises(KeyboardInterrupt):
        _native.read_stream([(reader.__arrow_c_stream__(), ".")], "l", stop)
