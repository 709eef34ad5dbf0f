"""Arrow data that breaks the rules of its format is refused by every way in: reading it would end the process."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import ipc

import calipers as cal

TEXT = pa.string()
WAYS = {
    "truth": lambda bad: cal.evaluate(bad, ["a", "b"]),
    "prediction": lambda bad: cal.evaluate(["a", "b"], bad),
    "score": lambda bad: cal.evaluate([0, 1], score=bad),
    "weights": lambda bad: cal.evaluate([0, 1], [0, 1], weights=bad),
    "groups": lambda bad: cal.evaluate([0, 1], [0, 1], groups=bad),
    "by": lambda bad: cal.evaluate([0, 1], [0, 1], by={"group": bad}),
    "frame": lambda bad: cal.evaluate(pa.table({"y": bad, "p": ["a", "b"]}), truth="y", pred="p"),
    "pandas": lambda bad: cal.evaluate(pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([bad]))), ["a", "b"]),
    "compare": lambda bad: cal.compare(["a", "b"], {"old": ["a", "b"], "new": bad}),
    "query": lambda bad: cal.evaluate_ranking(pa.table({"query": bad, "score": [0.2, 0.1], "relevance": [1, 0]})),
    "document": lambda bad: cal.evaluate_ranking(
        pa.table({"query": ["q", "q"], "doc": bad, "score": [0.2, 0.1], "relevance": [1, 0]})
    ),
}


def text(offsets, letters=b"hello", kind=TEXT):
    """Text with these offsets; pyarrow itself looks only at the last one when it makes it."""
    width = "i8" if kind == pa.large_string() else "i4"
    buffers = [None, pa.py_buffer(np.array(offsets, width)), pa.py_buffer(letters)]
    return pa.Array.from_buffers(kind, len(offsets) - 1, buffers)


def view():
    """Two views, the first of which points far beyond its buffer."""
    whole = pa.array(["a" * 20, "b" * 30], pa.string_view())
    views = bytearray(whole.buffers()[1])
    views[12:16] = (10**9).to_bytes(4, "little")
    return pa.Array.from_buffers(pa.string_view(), 2, [None, pa.py_buffer(bytes(views)), *whole.buffers()[2:]])


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()], ids=str)
@pytest.mark.parametrize("offsets", [[0, 1_000_000_000, 5], [0, -1, 5]], ids=str)
def test_item_5_broken_offsets_are_refused_by_every_way_in(way, kind, offsets):
    with pytest.raises(cal.InputError, match=r"is broken Arrow data \(.+\): write or build the column again"):
        WAYS[way](text(offsets, kind=kind))


@pytest.mark.parametrize("way", ["truth", "by", "document"])
def test_item_5_a_view_beyond_its_buffer(way):
    with pytest.raises(cal.InputError, match="a text lies outside of its buffer"):
        WAYS[way](view())


@pytest.mark.parametrize("entries", [["a", "b"], [0.5, 0.2]], ids=["text", "numbers"])
@pytest.mark.parametrize("index", [7, -1])
def test_item_5_an_entry_that_the_dictionary_lacks(entries, index):
    codes = pa.array([0, index], pa.int8())
    bad = pa.DictionaryArray.from_arrays(codes, pa.array(entries), safe=False)
    with pytest.raises(cal.InputError, match="a row names an entry that its dictionary does not have"):
        WAYS["truth" if entries[0] == "a" else "score"](bad)


@pytest.mark.parametrize("way", ["truth", "by", "query"])
def test_item_5_text_that_is_not_utf8(way):
    with pytest.raises(cal.InputError, match=r"is broken Arrow data .*'utf-8' codec can't decode"):
        WAYS[way](text([0, 2, 5], b"\xff\xfeabc"))


def test_item_5_the_argument_is_named():
    with pytest.raises(cal.InputError, match=r"by\['group'\] is broken Arrow data"):
        WAYS["by"](text([0, 10**9, 5]))


def test_sound_data_with_odd_layouts_is_read():
    parts = pa.chunked_array([pa.array(["x", "a"])[1:], pa.array([], pa.string()), pa.array(["b"])])
    for sound in (parts, parts.cast(pa.string_view()), parts.dictionary_encode(), pa.array(["", None, "a", "b"])[2:]):
        assert float(cal.evaluate(sound, ["a", "b"])["accuracy"]) == 1


@pytest.fixture(params=["file", "stream"])
def write(request, tmp_path):
    """Write columns as an Arrow file or stream and give its path."""

    def written(columns):
        path = tmp_path / "x.arrow"
        batch = pa.RecordBatch.from_arrays(list(columns.values()), names=list(columns))
        new = ipc.new_file if request.param == "file" else ipc.new_stream
        with new(str(path), batch.schema) as out:
            out.write_batch(batch)
        return path

    return written


@pytest.mark.parametrize("broken", ["y_true", "y_pred", "site"])
def test_item_5_a_file_with_broken_offsets(write, broken):
    sound = {name: pa.array(["a", "b"]) for name in ("y_true", "y_pred", "site")}
    path = write(sound | {broken: text([0, 1_000_000_000, 5])})
    from click.testing import CliRunner

    from calipers.cli import shell

    done = CliRunner().invoke(shell, ["evaluate", str(path), "--by", "site"])
    assert isinstance(done.exception, cal.InputError)
    assert str(done.exception).startswith(f"{path} cannot be read: ")


def test_item_5_a_ranking_with_broken_offsets(write):
    path = write({"query": text([0, 1_000_000_000, 5]), "doc": pa.array(["a", "b"]),
                  "score": pa.array([0.5, 0.2]), "relevance": pa.array([1, 0])})  # fmt: skip
    from click.testing import CliRunner

    from calipers.cli import shell

    done = CliRunner().invoke(shell, ["rank", str(path)])
    assert isinstance(done.exception, cal.InputError)
