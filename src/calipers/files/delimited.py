"""Delimited text: which character divides it, whether it has a header, where its rows lie. DuckDB reads the rows; what
it would misread, and what it refuses, is read here by a slow, strict rule that keeps the line number of every row."""

from __future__ import annotations

import csv
import io
import re
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import IO, Literal, NamedTuple

from calipers import _native
from calipers.errors import InputError
from calipers.files.column_names import USUAL, class_of, fold
from calipers.files.temporary import room_for_spools
from calipers.remarks import Remark

USUAL_MARKS = ",;\t|"
SAMPLE = 1 << 20  # bytes
LONGEST = 2 << 20  # bytes of a line that may be a row, as DuckDB has it
LOOKED_AT = 2000  # records
MARK_NAMES = {
    ",": Remark("files.comma"), ";": Remark("files.semicolon"), "\t": Remark("files.tab"), "|": Remark("files.bar"),
    " ": Remark("files.space"),
}  # fmt: skip
SEP = re.compile(r'"?sep=([^"\r\n])"?\r?\n')
NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")
COMMA_NUMBER = re.compile(r"\s*[+-]?\d*,\d+([eE][+-]?\d+)?\s*")
THOUSANDS = re.compile(r"\s*[+-]?[1-9]\d{0,2},\d{3}\s*")
csv.field_size_limit(SAMPLE)


class Record(NamedTuple):
    """Cells, and the line on which they begin and end."""

    line: int
    last: int
    cells: list[str]
    comment: bool


@dataclass(frozen=True)
class Dialect:
    """How a file of delimited text is to be read."""

    delimiter: str
    names: tuple[str, ...]
    header: bool
    skipped: int  # records before the first row
    blank: int  # how many of these are blank
    head: int  # the line that says how many cells a row has
    comments: int  # lines that begin with #, before the header
    odd: bool  # DuckDB would misread it
    quotes: bool  # whether quotes enclose cells, or are part of the text
    rows: tuple[tuple[str, ...], ...]  # the first ones


def records(lines: Iterable[str], delimiter: str, name: str, *, quotes: bool = True) -> Iterator[Record]:
    """The records of a text, blank ones as no cells; lines that begin with # are marked."""
    at, begun = 0, ""

    def tracked() -> Iterator[str]:
        nonlocal begun
        for line in lines:
            begun = begun or line[:1]
            yield line

    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE
    reader = csv.reader(tracked(), delimiter=delimiter, quoting=quoting, skipinitialspace=True, strict=True)
    try:
        for cells in reader:
            blank = not cells or (len(cells) == 1 and not cells[0].strip())
            yield Record(at + 1, reader.line_num, [] if blank else cells, begun == "#")
            at, begun = reader.line_num, ""
    except csv.Error as error:
        message = str(error)
        code = (
            "files.open_quote" if "end of data" in message
            else "files.long_cell" if "field limit" in message
            else "files.text_after_quote"
        )  # fmt: skip
        raise InputError(code, file=name, line=at + 1) from None


def sniff(path: str, name: str, delimiter: str | None, header: bool | None, quotes: bool) -> Dialect:
    """Look at the beginning of a file. What could be read in two ways is refused, with the option that decides."""
    with open(path, "rb") as file:
        start = file.read(SAMPLE)
        whole = not file.read(1)
    if b"\n" not in start and b"\r" not in start and not whole:
        raise InputError("files.long_first_line", file=name, size=SAMPLE >> 20)
    check_last_line(path, name)
    if not whole:
        start = start[: max(start.rfind(b"\n"), start.rfind(b"\r")) + 1]
    text = start.decode("utf-8-sig", "replace")
    separator = SEP.match(text)  # Excel writes the delimiter into a separate line
    mark = delimiter or (separator[1] if separator else _delimiter(text, name, quotes))
    head, rows, skipped, blank, comments, odd = None, [], 0, 0, 0, mark == " "
    for record in islice(records(io.StringIO(text, newline=""), mark, name, quotes=quotes), LOOKED_AT):
        odd |= record.comment
        if head is None:
            skipped, blank = skipped + 1, blank + (not record.cells)
            if separator and record.line == 1:
                continue
            if record.comment and not _is_head(record):
                comments += 1
            elif record.cells:
                head = record
                odd |= record.last > record.line
        elif record.cells and not record.comment:
            rows.append(record)
    if head is None:
        raise InputError("files.only_comments", file=name)
    if len(head.cells) < 2:
        raise InputError("files.one_column", file=name, name=head.cells[0])
    wrong = next((r for r in rows if len(r.cells) != len(head.cells)), None)
    if wrong is not None:
        raise ragged(name, wrong, head)
    first = [cell.strip() for cell in head.cells]
    named = header if header is not None else _is_header(first, [r.cells for r in rows])
    if named:
        first[0] = first[0].removeprefix("#").strip() if head.comment else first[0]
        names = tuple(first)
    else:
        names = tuple(str(i + 1) for i in range(len(first)))
        skipped, rows = skipped - 1, [head, *rows]
    newlines = {m.group() for m in re.finditer(r"\r\n|\r|\n", text)}
    odd |= len(newlines) > 1 or "\r" in newlines
    sample = tuple(tuple(r.cells) for r in rows)
    return Dialect(mark, names, named, skipped, blank, head.line, comments, odd, quotes, sample)


def ragged(name: str, record: Record, head: Record) -> InputError:
    """The error for a row with other cells than the header has."""
    lines = {"line": record.line, "head": head.line}
    return InputError("files.ragged", file=name, **lines, count=len(record.cells), expected=len(head.cells))


def _is_head(record: Record) -> bool:
    """Whether a line that begins with # is the header all the same: # y_true,y_pred."""
    cells = [fold(cell.removeprefix("#")) for cell in record.cells]
    return len(cells) > 1 and sum(cell in USUAL for cell in cells) > 1


def _delimiter(text: str, name: str, quotes: bool) -> str:
    lines = list(io.StringIO(text, newline=""))
    heads = [line for line in lines[:100] if line.strip() and not line.startswith("#")] or lines[:1]
    fits: list[str] = []
    near: list[InputError] = []
    for mark in (m for m in USUAL_MARKS if m in heads[0]):
        against, head = _against(lines, mark, name, quotes)
        if against is not None:
            near.append(against)
        elif len(head.cells) > 1:
            fits.append(mark)
    if len(fits) == 1:
        return fits[0]
    if fits:
        raise InputError("files.two_delimiters", file=name, marks=[MARK_NAMES[mark] for mark in fits])
    if near:
        raise near[0]
    for mark in dict.fromkeys(c for c in heads[0] if not c.isalnum() and c not in "_\"'().#-\r\n"):
        against, head = _against(lines, mark, name, quotes)
        if against is None and len(head.cells) > 1:
            return mark
    return ","


def _against(lines: Sequence[str], mark: str, name: str, quotes: bool) -> tuple[InputError | None, Record]:
    """The reason to reject a delimiter, and the first record that it gives."""
    head = Record(1, 1, [], False)
    try:
        for record in islice(records(lines, mark, name, quotes=quotes), LOOKED_AT):
            if not record.cells or record.comment:
                continue
            if not head.cells:
                head = record
            elif len(record.cells) != len(head.cells):
                return ragged(name, record, head), head
    except InputError as error:
        return error, head
    return None, head


def _is_header(first: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Names, unless each cell is a number or a label of its column; a fraction is never a name."""
    if any(fold(cell) in USUAL or class_of(cell) for cell in first):
        return True
    if any(NUMBER.fullmatch(cell) and not cell.strip().lstrip("+-").isdigit() for cell in first):
        return False
    below = [{row[i].strip() for row in rows} for i in range(len(first))]
    return not all(NUMBER.fullmatch(cell) or cell in values for cell, values in zip(first, below, strict=True))


def decimal_mark(cells: Iterable[str], column: str) -> str:
    """The decimal mark of a column of numbers, by its first cells.

    >>> decimal_mark(["0,5", "1", "0,25"], "p"), decimal_mark(["0.5", "1"], "p")
    (',', '.')
    """
    with_comma = [cell for cell in cells if COMMA_NUMBER.fullmatch(cell)]
    if not with_comma:
        return "."
    if all(THOUSANDS.fullmatch(cell) for cell in with_comma):
        raise InputError("files.comma_or_thousands", name=column, cell=with_comma[0].strip())
    return ","


def clean(
    path: str, name: str, dialect: Dialect, out: IO[bytes], watch: Callable[[int], object]
) -> tuple[Dialect, array[int]]:
    """Write the rows again, as DuckDB reads them beyond doubt; gives their lines. A row that is none is an error."""
    lines = array("q")
    # A file that is only written: one that can be read too has a decoder, which every row would reset.
    with room_for_spools(), open(out.fileno(), "w", encoding="utf-8", newline="", closefd=False) as text:
        writer = csv.writer(text, quoting=csv.QUOTE_MINIMAL, lineterminator="\n")
        for record in rows_of(path, name, dialect):
            if len(record.cells) != len(dialect.names):
                raise ragged(name, record, Record(dialect.head, dialect.head, list(dialect.names), False))
            writer.writerow(record.cells)
            lines.append(record.line)
            if len(lines) % 10_000 == 0:
                watch(len(lines))
    return replace(dialect, delimiter=",", skipped=0, odd=False, quotes=True), lines


def count(path: str, name: str, dialect: Dialect, *, quotes_given: bool) -> int:
    """How many records a file holds, blank ones not counted: the newlines outside quotes.

    Where lines that quotes join would be rows on their own, the quotes may be part of the text: refused, unless the
    user stated whether they are.
    """
    mark = dialect.delimiter if dialect.delimiter.isascii() else "\x1a"  # a byte is what it looks for
    counter = _native.Records(mark, len(dialect.names), dialect.quotes)
    with open(path, "rb") as file:
        while chunk := file.read(4 * SAMPLE):
            counter.feed(chunk)
    if counter.ambiguous and not quotes_given:
        raise InputError("files.joined_lines", file=name)
    return counter.count


def check_last_line(path: str, name: str) -> None:
    """Refuse a last line that no row can be: DuckDB would leave it out without a word."""
    with open(path, "rb") as file:
        size = file.seek(0, io.SEEK_END)
        file.seek(max(0, size - LONGEST))
        tail = file.read().rstrip(b"\r\n")
    if len(tail) > LONGEST - 4 and b"\n" not in tail and b"\r" not in tail:
        raise too_long(name)


def too_long(name: str) -> InputError:
    """The error for a line without end."""
    return InputError("files.long_line", file=name, size=LONGEST >> 20)


def _lines(file: io.TextIOBase, name: str) -> Iterator[str]:
    while line := file.readline(LONGEST):
        if len(line) == LONGEST and line[-1] not in "\r\n":
            raise too_long(name)
        yield line


def rows_of(path: str, name: str, dialect: Dialect) -> Iterator[Record]:
    """Every row, without blank lines and comments."""
    with open(path, encoding="utf-8-sig", errors="replace", newline="") as file:
        every = records(_lines(file, name), dialect.delimiter, name, quotes=dialect.quotes)
        for record in islice(every, dialect.skipped, None):
            if not record.cells:
                continue
            if record.comment:
                if len(record.cells) != len(dialect.names):
                    continue
                if dialect.comments:
                    raise InputError("files.comment_or_row", file=name, line=record.line)
            yield record
