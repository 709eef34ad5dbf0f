"""Tables of any cells, written in any dialect, come back cell by cell."""

import csv
import io
import unicodedata

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from calipers.errors import InputError
from calipers.files import delimited
from calipers.files.choosing import are_scores
from calipers.files.spellings import as_labels, spelled
from calipers.files.table import Table

LABELS = st.text(st.sampled_from(list("ab01.,;|\t\"' #\n-é中")), max_size=5)
DIALECTS = st.fixed_dictionaries(
    {
        "delimiter": st.sampled_from(",;\t|^ "),
        "lineterminator": st.sampled_from(["\n", "\r\n", "\r"]),
        "quoting": st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    }
    # Python's writer leaves \n bare between lines that end in \r, and writes nothing for an empty cell between spaces.
).filter(lambda d: d["quoting"] == csv.QUOTE_ALL or (d["delimiter"] != " " and d["lineterminator"] != "\r"))


def cells(column):
    """The labels of a column, None where one is missing."""
    return [*column.values, None], np.minimum(column.codes, len(column.values)).tolist()


def written(rows, dialect, bom):
    out = io.StringIO(newline="")
    csv.writer(out, **dialect).writerows(rows)
    return ("\ufeff" if bom else "").encode() + out.getvalue().encode()


@given(
    st.lists(st.tuples(LABELS, LABELS, st.floats(-1e9, 1e9)), min_size=1, max_size=12), DIALECTS, st.booleans()
)
def test_what_a_writer_wrote_is_read(tmp_path_factory, rows, dialect, bom):
    # A line that begins with an unquoted # is a comment to us, and a cell to the writer.
    assume(dialect["quoting"] == csv.QUOTE_ALL or not any(truth.startswith("#") for truth, _, _ in rows))
    path = tmp_path_factory.mktemp("x") / "x.csv"
    path.write_bytes(written([("y_true", "y_pred", "score"), *rows], dialect, bom))
    with Table([str(path)], delimiter=dialect["delimiter"], quotes=True) as table:
        columns = table.read(["y_true", "y_pred"], ["score"])
    for name, expected in (("y_true", [r[0] for r in rows]), ("y_pred", [r[1] for r in rows])):
        values, codes = cells(columns["label", name])
        read = [values[code] for code in codes]
        assert read == [spelled(unicodedata.normalize("NFC", v.strip())) or None for v in expected]
    assert columns["number", "score"].tolist() == [score for _, _, score in rows]


@given(st.lists(st.tuples(LABELS, LABELS, LABELS), min_size=1, max_size=8), DIALECTS)
def test_a_guess_is_right_or_refused(tmp_path_factory, rows, dialect):
    """Without a word on the delimiter: the cells that were written, or an error; never other cells."""
    assume(dialect["quoting"] == csv.QUOTE_ALL or not any(row[0].startswith("#") for row in rows))
    path = tmp_path_factory.mktemp("x") / "x.csv"
    path.write_bytes(written([("y_true", "y_pred", "site"), *rows], dialect, bom=False))
    try:
        with Table([str(path)]) as table:
            columns = table.read(["y_true", "y_pred"], [], ["site"])
            assert table.names == ["y_true", "y_pred", "site"]
    except InputError:
        return
    values, codes = cells(columns["group", "site"])
    assert [values[code] for code in codes] == [unicodedata.normalize("NFC", row[2].strip()) or None for row in rows]


def test_every_row_has_its_line(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text('\n# note\ny_true,y_pred\n\n"a\nb",1\n\n# again\nc,2\nd,3\n')
    with Table([str(path)]) as table:
        table.read(["y_true"], ["y_pred"])
        assert [table.where(row) for row in range(3)] == ["line 5", "line 9", "line 10"]


def test_rows_that_duckdb_leaves_out_are_missed(tmp_path):
    """Were the reader to give fewer rows than there are records, the slow road would be taken."""
    path = tmp_path / "x.csv"
    path.write_text("y_true,y_pred\na,a\nb,b\n")
    with Table([str(path)]) as table:
        part = table.parts[0]
        assert part.is_whole(2)
        part.relation = part.relation.limit(1)
        columns = table.read(["y_true"], [])
        assert columns["label", "y_true"].values == ["a", "b"]


@pytest.mark.parametrize(
    ("columns", "read"),
    [
        ([["1", "0"], ["0"]], [[1, 0], [0]]),
        ([["01", "0"], ["0"]], [["01", "0"], ["0"]]),
        ([["1", "0"], ["1.0", "0.0"]], [[1, 0], [1, 0]]),
        ([["1.0", "0.0"]], [[1, 0]]),
        ([["True", "False"], ["1", "0"]], [[1, 0], [1, 0]]),
        ([["True", "False"]], [[True, False]]),
        ([["True", "false", "maybe"], ["TRUE"]], [["True", "False", "maybe"], ["True"]]),
        ([["true", "True"]], [[True]]),
        ([["-1", "1"]], [[-1, 1]]),
        ([["-0", "1"]], [[0, 1]]),
        ([["9" * 30]], [["9" * 30]]),
        ([["9" * 5000 + ".0", "1"]], [["9" * 5000, "1"]]),
        ([["a", "1"], ["1.0"]], [["a", "1"], ["1"]]),
    ],
)
def test_labels_are_numbers_only_where_all_are_written_so(columns, read):
    from calipers.data.containers import Text

    texts = [Text(np.arange(len(values), dtype=np.uint8), values, []) for values in columns]
    assert [column.values for column in as_labels(texts)] == read


@pytest.mark.parametrize(
    ("cells", "truth", "scores"),
    [(["0.2", "0.7"], ["0", "1"], True), (["0", "1"], ["0", "1"], False), (["0,2", "0,7"], ["a", "b"], True),
     (["2", "3"], ["0", "1"], False), (["a", "0.5"], ["a"], True), (["x", "0.5"], ["a"], False)],
)  # fmt: skip
def test_scores_under_the_name_of_labels(cells, truth, scores):
    assert are_scores(cells, truth) is scores


@pytest.mark.parametrize(
    ("cells", "mark"), [(["0.5"], "."), (["0,5", "1"], ","), (["1,234", "0,5"], ","), (["x", "1"], "."), ([], ".")]
)
def test_decimal_marks(cells, mark):
    assert delimited.decimal_mark(cells, "p") == mark
