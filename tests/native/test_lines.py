import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from calipers import _native

CELLS = st.sampled_from(["a", "", '"x\ny"', '"p""\n""q"', '"\r\n"', '5" pipe', ' "x\ny"', "a b"])
LINES = st.lists(CELLS, min_size=1, max_size=3).map(",".join)


@given(st.lists(LINES), st.sampled_from(["\n", "\r\n", "\r", "\n\n"]), st.booleans(), st.integers(1, 9))
def test_records_are_counted_as_python_reads_them(lines, end, closed, size):
    text = end.join(lines) + (end if closed else "")
    assert fed(text, size).count == sum(map(bool, csv.reader(io.StringIO(text, newline=""), skipinitialspace=True)))
    plain = csv.reader(io.StringIO(text, newline=""), quoting=csv.QUOTE_NONE)
    assert fed(text, size, quotes=False).count == sum(map(bool, plain))


def fed(text, size, quotes=True):
    records, data = _native.Records(",", 2, quotes), text.encode()
    for at in range(0, len(data), size):
        records.feed(data[at : at + size])
    return records


@pytest.mark.parametrize("size", [1, 3, 100])
@pytest.mark.parametrize(
    ("text", "ambiguous"),
    [
        ('a,b\n"c,d\ne",f\n', True),  # quotes may be text
        ('a,b\n"c,d\ne",f', True),
        ('a,b\n"c\ne",f\n', False),  # the lines alone are no rows
        ('a,b\n"c,d\ne",f\ng,"h\ni"\n', False),
        ('a,b\n"c",d\n', False),  # nothing is joined
        ("a,b\nc,d\n", False),
    ],
)
def test_quotes_that_join_what_would_be_rows(text, ambiguous, size):
    assert fed(text, size).ambiguous is ambiguous
