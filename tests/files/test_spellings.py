"""Labels written as text: adding a row never changes whether two other cells are the same label."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calipers.data.containers import Text
from calipers.data.labels import encode, recode, union
from calipers.errors import InputError
from calipers.files.spellings import as_labels
from calipers.files.table import Table

CELLS = ("1", "1.0", "1.", "01", "+1", "1e0", "0", "0.0", "-0.0", "-1", "-1.0", "2", "true", "True", "FALSE", "cat",
         "9" * 30, "9" * 30 + ".0", "9" * 5000)  # fmt: skip
ROWS = st.lists(st.tuples(st.sampled_from(CELLS), st.sampled_from(CELLS)), min_size=1, max_size=6)


def column(cells):
    values = list(dict.fromkeys(cells))
    return Text(np.array([values.index(cell) for cell in cells], np.uint8), values, [])


def same(rows):
    """Which of all cells, true ones first, are the same label; None where the labels are refused."""
    try:
        read = [encode(c, "y") for c in as_labels([column(part) for part in zip(*rows, strict=True)])]
        classes = union(*(part.values for part in read))
    except InputError:
        return None
    codes = np.concatenate([recode(part, classes) for part in read])
    return codes[:, None] == codes


@given(ROWS, st.tuples(st.sampled_from(CELLS), st.sampled_from(CELLS)))
def test_item_1_another_row_never_changes_which_cells_are_the_same(rows, another):
    before, after = same(rows), same([*rows, another])
    if before is None or after is None:
        return
    n = len(rows)
    kept = [*range(n), *range(n + 1, 2 * n + 1)]
    np.testing.assert_array_equal(before, after[np.ix_(kept, kept)])


def test_item_1_json_numbers_are_one_label(tmp_path):
    (tmp_path / "x.jsonl").write_text('{"y": 1}\n{"y": 1.0}\n{"y": 2}\n')
    with Table([str(tmp_path / "x.jsonl")]) as table:
        assert table.read(["y"], [])["label", "y"].values == [1, 2]


def test_item_1_true_beside_other_numbers_is_refused():
    with pytest.raises(
        InputError, match="labels mix True with the number 2 and '2': True and False count as 1 and 0 only if there"
    ):
        as_labels([column(["True", "False"]), column(["2", "True"])])
