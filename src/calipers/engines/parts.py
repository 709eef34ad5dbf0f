"""One file, or one query, as rows of DuckDB. Names and paths travel as values: none is ever put into a query."""

from __future__ import annotations

import json
import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from calipers.engines import delimited
from calipers.engines.formats import CHUNK, Found, Spools, not_utf8
from calipers.errors import InputError, MissingExtra

CSV = """select * from read_csv($path, delim=$delim, quote='"', escape='"', header=false, skip=$skip, columns=$columns,
         auto_detect=false, strict_mode=true, null_padding=false, encoding='utf-8')"""
JSON = "select * from read_json($path, columns=$columns, format=$format, auto_detect=false)"
PARQUET = "select * from read_parquet($path, hive_partitioning=false)"
PARQUET_NAMES = "select name, num_children from parquet_schema($path)"
PLAIN = re.compile(r"BOOLEAN|U?(TINY|SMALL|BIG)?INT(EGER)?|FLOAT|DOUBLE")
ROWS_SAMPLED = 1000


class Part:
    """Rows with named columns. `columns` are DuckDB's names for them, `text` says that every cell is text."""

    text = False

    def __init__(self, found: Found | None, relation: Any, names: Sequence[str]) -> None:
        self.found, self.relation, self.names = found, relation, list(names)
        self.name = found.name if found else "the query"
        self.columns = [str(column) for column in relation.columns]
        self.types = [str(kind) for kind in relation.types]
        self.steps = found.steps if found else ()  # how it was understood

    def expression(self, duckdb: Any, at: int, alias: str, number: bool, as_text: bool) -> Any:
        """A column as the native reader takes it: text, or numbers of a plain type."""
        column, kind = duckdb.ColumnExpression(self.columns[at]), self.types[at]
        if as_text and kind != "VARCHAR":
            column = column.cast(duckdb.sqltype("VARCHAR"))
        elif not PLAIN.fullmatch(kind) and kind != "VARCHAR":
            whole = re.fullmatch(r"DECIMAL.*|U?HUGEINT|BIGNUM", kind)
            column = column.cast(duckdb.sqltype("DOUBLE" if number and whole else "VARCHAR"))
        return column.alias(alias)

    def sample(self, at: int) -> list[str]:
        """The first cells of a column, as text."""
        import duckdb

        column = self.expression(duckdb, at, "c", False, True)
        rows = self.relation.limit(ROWS_SAMPLED).select(column).fetchall()
        return [str(cell) for (cell,) in rows if cell is not None]

    def value(self, text: str) -> Any:
        """The label that a text stands for."""
        return text

    def decimal(self, at: int) -> str:
        """The decimal mark of a column."""
        return "."

    def mend(self, error: Exception) -> None:
        """After DuckDB refused: find another way to read, or raise the error that the user is to see."""
        raise InputError(f"{self.name} cannot be read: {said(error)}") from None

    def where(self, row: int) -> str:
        """Where a row is, in words; the first one is 0 here and 1 there."""
        return f"row {row + 1}"

    def expected(self) -> int:
        """About how many rows there are; 0 when nobody knows."""
        return 0

    def is_whole(self, rows: int) -> bool:
        """Whether so many rows are all that there are."""
        return True

    def finish(self) -> None:
        """Once all was read: refuse a file that was written to meanwhile."""
        if self.found:
            self.found.check_unchanged()


def said(error: Exception) -> str:
    """The first line of what DuckDB says."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__


class Delimited(Part):
    """CSV and its like: every cell is text, columns are known by their place."""

    text = True

    def __init__(
        self, query: Callable[..., Any], found: Found, delimiter: str | None, header: bool | None, spools: Spools
    ) -> None:
        self._query, self._spools = query, spools
        self._lines: array[int] | None = None
        self.dialect = delimited.sniff(found.path, found.name, delimiter, header)
        self._original = self.dialect
        self._path, self.name = found.path, found.name
        if self.dialect.odd:
            self._clean()
        super().__init__(found, self._rows(), self.dialect.names)
        self.steps += tuple(self._steps())

    def _steps(self) -> Iterator[str]:
        mark = self._original.delimiter
        if mark != ",":
            yield f"cells divided by {delimited.MARK_NAMES.get(mark, repr(mark))}"
        if not self.dialect.header:
            yield "no header, so columns are called by their numbers"
        if self.dialect.comments:
            yield f"{self.dialect.comments} comment line{'s' * (self.dialect.comments > 1)} skipped"

    def _rows(self) -> Any:
        columns = {f"c{i}": "VARCHAR" for i in range(len(self.dialect.names))}
        return self._query(CSV, path=pattern(self._path), delim=self.dialect.delimiter, skip=self.dialect.skipped,
                           columns=columns)  # fmt: skip

    def _clean(self) -> None:
        spool, total = self._spools.new(), self.expected()
        self.dialect, self._lines = delimited.clean(
            self._path, self.name, self._original, spool, lambda rows: self._spools.watch("rows", rows, total)
        )
        self._path = spool.name

    def sample(self, at: int) -> list[str]:
        """The first cells of a column; the sniffer has seen them."""
        return [row[at].strip() for row in self.dialect.rows if row[at].strip()]

    def decimal(self, at: int) -> str:
        """The decimal mark, by the first cells."""
        return delimited.decimal_mark(self.sample(at), self.names[at])

    def expected(self) -> int:
        """By the length of the first rows."""
        mean = sum(len(cell) + 1 for row in self.dialect.rows for cell in row) / max(1, len(self.dialect.rows))
        return int(Path(self._path).stat().st_size / max(1, mean))

    def mend(self, error: Exception) -> None:
        """Name what is wrong with the encoding or a line; else read by the slow and strict rule."""
        text = str(error)
        self.finish()
        if "unicode" in text:
            self._refuse_encoding()
        if "Maximum line size" in text or "full read" in text:
            raise delimited.too_long(self.name)
        if self._lines is not None:
            super().mend(error)
        self._clean()
        self.relation = self._rows()

    def is_whole(self, rows: int) -> bool:
        """Whether so many rows are all; if not, they are read again by the slow and strict rule."""
        kept = self.dialect.skipped - self.dialect.blank
        if self._lines is not None or rows + kept == delimited.count(self._path):
            return True
        self._clean()
        self.relation = self._rows()
        return rows == len(self._lines or ())

    def _refuse_encoding(self) -> None:
        with open(self._path, "rb") as file:
            for number, line in enumerate(file, 1):
                try:
                    line.decode()
                except UnicodeDecodeError as error:
                    told = not_utf8(self.name, line, error.start)
                    raise InputError(str(told).replace("(line 1)", f"(line {number})")) from None

    def where(self, row: int) -> str:
        """The line on which a row begins."""
        if self._lines is not None:
            return f"line {self._lines[row]}"
        rows = delimited.rows_of(self._path, self.name, self._original)
        record = next(islice(rows, row, None), None)
        return f"line {record.line}" if record else super().where(row)

class Json(Part):
    """JSON lines, or one array of objects. Cells keep the types of JSON."""

    def __init__(self, query: Callable[..., Any], found: Found) -> None:
        keys, self._array = _keys(found)
        path = pattern(found.path)
        form = "array" if self._array else "newline_delimited"
        relation = query(JSON, path=path, columns=dict.fromkeys(keys, "JSON"), format=form)
        super().__init__(found, relation, keys)
        self._path = found.path
        self.steps += ("a JSON array" if self._array else "JSON lines",)

    def expression(self, duckdb: Any, at: int, alias: str, number: bool, as_text: bool) -> Any:
        """The JSON of a cell, or for numbers its text."""
        column = duckdb.ColumnExpression(self.columns[at])
        if number:
            column = duckdb.FunctionExpression("json_extract_string", column, duckdb.ConstantExpression("$"))
        return column.cast(duckdb.sqltype("VARCHAR")).alias(alias)

    def sample(self, at: int) -> list[str]:
        """The first cells, as JSON would show them without quotes."""
        return [str(self.value(cell)) for cell in super().sample(at)]

    def value(self, text: str) -> Any:
        """The label in JSON's own type."""
        value = json.loads(text)
        if isinstance(value, (dict, list)):
            raise InputError(f"{self.name} holds {text[:40]} where a label or a number is needed")
        return value

    def mend(self, error: Exception) -> None:
        """Name the line that is not JSON."""
        self.finish()
        if not self._array:
            for number, line in self._lines():
                try:
                    json.loads(line)
                except ValueError as wrong:
                    raise InputError(f"{self.name} line {number} is not JSON: {wrong}") from None
        super().mend(error)

    def _lines(self) -> Iterator[tuple[int, str]]:
        with open(self._path, encoding="utf-8-sig", errors="replace", newline="\n") as file:
            yield from ((number, line) for number, line in enumerate(file, 1) if line.strip())

    def where(self, row: int) -> str:
        """The line of a row; an array has only rows."""
        found = None if self._array else next(islice(self._lines(), row, None), None)
        return f"line {found[0]}" if found else super().where(row)

def _keys(found: Found) -> tuple[list[str], bool]:
    """The keys of the first objects, and whether they stand in an array."""
    with open(found.path, "rb") as file:
        start = file.read(CHUNK)
        whole = not file.read(1)
    text = start.decode("utf-8-sig", "ignore").lstrip()
    array_of = text.startswith("[")
    decoder, at, count = json.JSONDecoder(), int(array_of), 0
    keys: dict[str, None] = {}
    while (at := _skipped(text, at)) < len(text) and text[at] != "]":
        try:
            one, at = decoder.raw_decode(text, at)
        except ValueError as error:
            if count and not whole:
                break  # the sample ends inside it
            line = text[:at].count("\n") + 1
            raise InputError(f"{found.name} line {line} is not JSON: {error}") from None
        if not isinstance(one, dict):
            raise InputError(f"{found.name} holds {json.dumps(one)[:40]}: one JSON object a row is needed")
        keys |= dict.fromkeys(one)
        count += 1
        if count == 1 and one and all(isinstance(v, (dict, list)) for v in one.values()):
            raise InputError(
                f"{found.name} holds a JSON object of whole columns: write one object a row, as in "
                '{"y_true": 1, "score": 0.7}'
            )
    if not keys:
        raise InputError(f"{found.name} holds no objects with values: one JSON object a row is needed")
    return list(keys), array_of


def _skipped(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n,":
        at += 1
    return at


def top_names(tree: Sequence[tuple[str, int | None]]) -> list[str]:
    """The columns of a Parquet file as it names them, out of its schema, a tree whose root comes first.

    DuckDB makes names differ that are equal or differ in case only.

    >>> top_names([("root", 2), ("a", None), ("b", 1), ("inner", None)])
    ['a', 'b']
    """
    names, inside = [], 0
    for name, children in tree[1:]:
        if inside == 0:
            names.append(name)
        inside += (children or 0) - (inside > 0)
    return names


class ArrowSource:
    """An Arrow file that can be streamed again and again."""

    def __init__(self, found: Found) -> None:
        try:
            import pyarrow as pa
        except ImportError:
            raise MissingExtra(f'{found.name} is an Arrow file: pip install "calipers[arrow]"') from None
        self._pa, self._found = pa, found
        # Now, so that a broken file is refused before a query is made of it.
        self.names = list(self.reader().schema.names)

    def reader(self) -> Any:
        """The batches, from the start."""
        from pyarrow import ipc

        pa = self._pa
        try:
            if self._found.kind == "arrow stream":
                return ipc.open_stream(pa.memory_map(self._found.path))
            file = ipc.open_file(pa.memory_map(self._found.path))
        except (pa.ArrowInvalid, OSError) as error:
            raise InputError(f"{self._found.name} cannot be read: {said(error)}") from None
        batches = (file.get_batch(i) for i in range(file.num_record_batches))
        return pa.RecordBatchReader.from_batches(file.schema, batches)

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        return self.reader().__arrow_c_stream__(requested_schema)


def pattern(path: str) -> str:
    """A path as DuckDB takes it: a pattern, in which a character in brackets stands for itself."""
    return re.sub(r"[*?\[]", r"[\g<0>]", str(Path(path).absolute()))
