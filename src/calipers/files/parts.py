"""One file, or one query, as rows of DuckDB. Names and paths are passed as values, never inserted into a query."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from calipers.errors import InputError, lacks_memory
from calipers.files import delimited
from calipers.files.formats import SourceFile, not_utf8
from calipers.files.temporary import Spools
from calipers.remarks import Remark

CSV = """select * from read_csv($path, delim=$delim, quote=$quote, escape=$quote, header=false, skip=$skip,
         columns=$columns, auto_detect=false, strict_mode=true, null_padding=false, encoding='utf-8')"""
PLAIN = re.compile(r"BOOLEAN|U?(TINY|SMALL|BIG)?INT(EGER)?|FLOAT|DOUBLE")
ROWS_SAMPLED = 1000
FAILURES = (RuntimeError, UnicodeError)  # exceptions of DuckDB that are not duckdb.Error
OUT_OF_MEMORY = "Out of Memory Error"  # how the message of DuckDB begins, also in the middle of a stream
INTERRUPTED = ("Query interrupted", "INTERRUPT Error")  # what it says after a signal
# The first line of these errors is about the query, not about the data.
OF_THE_QUERY = ("ParserException", "CatalogException", "BinderException")


class Part:
    """Rows with named columns. `columns` are DuckDB's names for them, `text` says that every cell is text."""

    text = False

    def __init__(self, source: SourceFile | None, relation: Any, names: Sequence[str]) -> None:
        self.source, self.relation, self.names = source, relation, list(names)
        self.name = source.name if source else "the query"
        self.columns = [str(column) for column in relation.columns]
        self.types = [str(kind) for kind in relation.types]
        self.steps = source.steps if source else ()  # how it was understood

    def expression(self, duckdb: Any, at: int, number: bool, as_text: bool) -> Any:
        """A column as the native reader takes it: text, or numbers of a plain type."""
        column, kind = duckdb.ColumnExpression(self.columns[at]), self.types[at]
        if as_text and kind != "VARCHAR":
            column = column.cast(duckdb.sqltype("VARCHAR"))
        elif not PLAIN.fullmatch(kind) and kind != "VARCHAR":
            whole = re.fullmatch(r"DECIMAL.*|U?HUGEINT|BIGNUM", kind)
            column = column.cast(duckdb.sqltype("DOUBLE" if number and whole else "VARCHAR"))
        return column

    def sample(self, at: int) -> list[str]:
        """The first cells of a column, as text."""
        import duckdb

        column = self.expression(duckdb, at, False, True)
        rows = self.fetched(lambda: self.relation.limit(ROWS_SAMPLED).select(column))
        return [str(cell) for (cell,) in rows if cell is not None]

    def fetched(self, relation: Callable[[], Any]) -> list[tuple[Any, ...]]:
        """The rows of a query over these rows."""
        import duckdb

        try:
            return list(relation().fetchall())
        except (duckdb.Error, *FAILURES) as error:
            self.recover(error)
            raise

    def count(self) -> int:
        """How many rows there are."""
        return int(self.fetched(lambda: self.relation.aggregate("count(*)"))[0][0])

    def value(self, text: str) -> Any:
        """The label that a text stands for."""
        return text

    def decimal(self, at: int) -> str:
        """The decimal mark of a column."""
        return "."

    def share(self, duckdb: Any, name: str, parts: int, at: int) -> Any:
        """The rows with one part of the values of a column, cut by their hash."""
        text = duckdb.ColumnExpression(self.columns[self.names.index(name)]).cast(duckdb.sqltype("VARCHAR"))
        hashed = duckdb.FunctionExpression("hash", text) % duckdb.ConstantExpression(parts)
        return self.relation.filter(hashed == duckdb.ConstantExpression(at))

    def greatest(self, duckdb: Any, name: str) -> Any:
        """The greatest value of a column, None where it holds none."""
        column = duckdb.ColumnExpression(self.columns[self.names.index(name)])
        return self.fetched(lambda: self.relation.aggregate([duckdb.FunctionExpression("max", column)]))[0][0]

    def recover(self, error: Exception) -> None:
        """After DuckDB refused: find another way to read, or raise the error that the user is to see."""
        raise_other(error)
        if self.source is None:
            raise query_refused(error) from None
        raise InputError("files.cannot_be_read", file=self.name, why=first_line(error)) from None

    def where(self, row: int) -> str:
        """Where a row is, in words; the first one is 0 here and 1 there."""
        return Remark("files.row", row=row + 1)

    def expected(self) -> int:
        """About how many rows there are; 0 if unknown."""
        return 0

    def is_whole(self, rows: int) -> bool:
        """Whether so many rows are all that there are."""
        return True

    def finish(self) -> None:
        """Once all was read: refuse a file that was written to meanwhile."""
        if self.source:
            self.source.check_unchanged()


class Counted(Part):
    """A file of Parquet or Arrow, which says about how many rows it has."""

    def __init__(self, source: SourceFile, relation: Any, names: Sequence[str], rows: int) -> None:
        super().__init__(source, relation, names)
        self._rows = rows

    def expected(self) -> int:
        """As the file says."""
        return self._rows


def first_line(error: Exception) -> str:
    """The first line of what DuckDB or pyarrow says, without the traceback that pyarrow puts into it."""
    if str(error).startswith("nanobind::str()") or isinstance(error, UnicodeError):
        return Remark("files.not_utf8_inside")
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0].partition(". Detail: Python exception")[0] if lines else type(error).__name__


def raise_other(error: BaseException | None) -> None:
    """Raise Python's own error where neither the file nor the query is at fault: where DuckDB or the loader of a module
    had not enough memory, and where a signal came while DuckDB was at work, which forgets what its handler raised."""
    if lacks_memory(error):
        raise MemoryError(str(error)) from None
    if isinstance(error, Exception):
        message = first_line(error)
        if message.startswith(OUT_OF_MEMORY):
            raise MemoryError(message) from None
        if message.startswith(INTERRUPTED):
            raise KeyboardInterrupt from None


def query_refused(error: Exception) -> InputError:
    """The error for a query that DuckDB does not run. Parts of the message that could quote the files of a query are
    not shown."""
    message = first_line(error)
    no_files = message.startswith("IO Error: No files found that match the pattern")
    if no_files or "requires the extension" in message or type(error).__name__ in OF_THE_QUERY:
        return InputError("files.query_fails", why=message)
    named = re.match(r"[A-Z][A-Za-z ]* Error:", message)
    kind = message.partition(":")[0] if named else Remark("files.error_of_duckdb")
    return InputError("files.query_fails_secretly", kind=kind)


class Delimited(Part):
    """CSV and its like: every cell is text, columns are known by their place."""

    text = True

    def __init__(
        self, query: Callable[..., Any], source: SourceFile, delimiter: str | None, header: bool | None,
        quotes: bool | None, spools: Spools,
    ) -> None:  # fmt: skip
        self._query, self._spools, self._quotes_given = query, spools, quotes is not None
        self._lines: array[int] | None = None
        self.dialect = delimited.sniff(source.path, source.name, delimiter, header, quotes is not False)
        self._original = self.dialect
        self._path, self.name = source.path, source.name
        if self.dialect.odd:
            self._clean()
        super().__init__(source, self._rows(), self.dialect.names)
        self.steps += tuple(self._steps())

    def _steps(self) -> Iterator[str]:
        mark = self._original.delimiter
        if mark != ",":
            yield Remark("files.cells_divided", mark=delimited.MARK_NAMES.get(mark, repr(mark)))
        if not self.dialect.header:
            yield Remark("files.no_header")
        if self.dialect.comments:
            yield Remark("files.comments_skipped", count=self.dialect.comments)

    def _rows(self) -> Any:
        columns = {f"c{i}": "VARCHAR" for i in range(len(self.dialect.names))}
        return self._query(CSV, path=pattern(self._path), delim=self.dialect.delimiter, skip=self.dialect.skipped,
                           quote='"' if self.dialect.quotes else "", columns=columns)  # fmt: skip

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

    def recover(self, error: Exception) -> None:
        """Name what is wrong with the encoding or a line; else read by the slow and strict rule."""
        raise_other(error)
        text = str(error)
        self.finish()
        if "unicode" in text:
            self._refuse_encoding()
        if "Maximum line size" in text or "full read" in text:
            raise delimited.too_long(self.name)
        if self._lines is not None:
            super().recover(error)
        self._clean()
        self.relation = self._rows()

    def is_whole(self, rows: int) -> bool:
        """Whether so many rows are all; if not, they are read again by the slow and strict rule."""
        assert self.source is not None
        before = self._original.skipped - self._original.blank
        records = delimited.count(self.source.path, self.name, self._original, quotes_given=self._quotes_given)
        if self._lines is not None or rows + before == records:
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
                    raise not_utf8(self.name, line, error.start, number) from None

    def where(self, row: int) -> str:
        """The line on which a row begins."""
        if self._lines is not None:
            return Remark("files.line", line=self._lines[row])
        rows = delimited.rows_of(self._path, self.name, self._original)
        record = next(islice(rows, row, None), None)
        return Remark("files.line", line=record.line) if record else super().where(row)


def pattern(path: str) -> str:
    """A path as DuckDB takes it: a pattern, in which a character in brackets stands for itself."""
    return re.sub(r"[*?\[]", r"[\g<0>]", str(Path(path).absolute()))
