import csv
import io

from hypothesis import given
from hypothesis import strategies as st

from calipers import _native

CELLS = st.sampled_from(["a", "", '"x\ny"', '"p""\n""q"', '"\r\n"'])
LINES = st.lists(CELLS, min_size=1, max_size=3).map(",".join)


@given(st.lists(LINES), st.sampled_from(["\n", "\r\n", "\r", "\n\n"]), st.booleans(), st.integers(1, 9))
def test_records_are_counted_as_python_reads_them(lines, end, closed, size):
    text = end.join(lines) + (end if closed else "")
    data, count, quoted, begun = text.encode(), 0, False, False
    for at in range(0, len(data), size):
        more, quoted, begun = _native.count_records(data[at : at + size], quoted, begun)
        count += more
    assert count + begun == sum(map(bool, csv.reader(io.StringIO(text, newline=""))))
    assert not quoted
