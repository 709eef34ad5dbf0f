"""Text that Parquet files hold as codes comes as codes: the same labels as cell by cell."""

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

        requested = coded.with_texts(table._duckdb, table.parts, [coded.Requested(kind, "t")])
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
