"""Text that Parquet files hold as codes, and small whole numbers, come in one byte: the same labels as cell by cell."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from calipers.files import coded
from calipers.files.table import Table

ROWS = 5000
FEW = ["north", "", "đông", "it's", 'a "quote"', "south ", None]


def wrote(path, texts, **how):
    numbers = np.arange(len(texts)) % 7
    pq.write_table(pa.table({"t": pa.array(texts, pa.string()), "n": numbers}), path, **how)
    return str(path)


def chunks(files, kind="group"):
    """The cells of column t by chunks, and the texts that DuckDB gave codes of, None where it gave texts."""
    found, requested = [], []
    with Table(files) as table:
        columns = {"labels": ["t"], "groups": []} if kind == "label" else {"labels": [], "groups": ["t"]}

        def add(cells):
            column = cells[kind, "t"]
            values = [*column.values, None]
            found.extend(values[code] for code in np.minimum(column.codes, len(column.values)).tolist())

        requested = coded.in_bytes(table._duckdb, table.parts, [coded.Requested(kind, "t")])
        table.read_chunks(**columns, numbers=["n"], rows=1000, start=lambda: add)
    return found, requested[0].texts


def drawn(texts, rows=ROWS, seed=0):
    return [texts[k] for k in np.random.default_rng(seed).integers(0, len(texts), rows)]


@pytest.mark.parametrize("kind", ["label", "group"])
def test_few_texts_come_as_codes(tmp_path, kind):
    cells = drawn(FEW)
    found, texts = chunks([wrote(tmp_path / "x.parquet", cells, row_group_size=700)], kind)
    assert texts == sorted(text for text in FEW if text is not None)
    assert found == cells


def test_files_with_other_texts_have_the_same_codes(tmp_path):
    first, second = drawn(["a", "b"]), drawn(["c", "b", None])
    files = [wrote(tmp_path / "1.parquet", first), wrote(tmp_path / "2.parquet", second)]
    assert chunks(files) == (first + second, ["a", "b", "c"])


@pytest.mark.parametrize("count", [255, 256])
def test_so_many_texts_have_codes_of_one_byte(tmp_path, count):
    cells = drawn([f"text {k}" for k in range(count)], 20 * count)
    found, texts = chunks([wrote(tmp_path / "x.parquet", cells)])
    assert found == cells
    assert (texts is None) == (count == 256)


def test_other_columns_come_as_texts(tmp_path):
    plain = wrote(tmp_path / "plain.parquet", drawn(FEW), use_dictionary=False)
    ids = wrote(tmp_path / "ids.parquet", [f"user {k}" for k in range(ROWS)])
    coded_too = wrote(tmp_path / "coded.parquet", drawn(FEW))
    for files in ([plain], [ids], [coded_too, plain]):
        found, texts = chunks(files)
        assert texts is None
        assert found == [cell for file in files for cell in pq.read_table(file)["t"].to_pylist()]


def test_all_cells_may_be_missing(tmp_path):
    found, _ = chunks([wrote(tmp_path / "x.parquet", [None] * ROWS)])
    assert found == [None] * ROWS


@pytest.mark.parametrize(
    ("numbers", "small"),
    [([0, 255], "UTINYINT"), ([-128, 127], "TINYINT"), ([-1, 255], None), ([0, 256], None), ([7], "TINYINT")],
)
@pytest.mark.parametrize("kind", [pa.int64(), pa.int32(), pa.int16(), pa.uint64(), pa.uint16()])
def test_small_whole_numbers_come_in_one_byte(tmp_path, numbers, small, kind):
    if min(numbers) < 0 and str(kind).startswith("u"):
        return
    cells = drawn([*numbers, None])
    paths = [tmp_path / "1.parquet", tmp_path / "2.parquet"]
    for path in paths:
        pq.write_table(pa.table({"t": pa.array(cells, kind), "n": np.zeros(ROWS)}), path, row_group_size=700)
    found = []
    with Table(list(map(str, paths))) as table:
        (one,) = coded.in_bytes(table._duckdb, table.parts, [coded.Requested("group", "t")])
        table.read_chunks([], ["n"], ["t"], 1000, lambda: lambda cells: found.append(cells["group", "t"]))
    assert one.small == small
    read = [None if gone else number for c in found for number, gone in zip(c.array.tolist(), c.missing, strict=True)]
    assert read == cells * 2


def test_numbers_of_unknown_range_stay_as_they_are(tmp_path):
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"t": np.zeros(ROWS, np.int64)}), path, write_statistics=False)
    with Table([str(path)]) as table:
        assert coded.in_bytes(table._duckdb, table.parts, [coded.Requested("group", "t")])[0].small is None
