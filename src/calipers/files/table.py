"""Columns of files or of a query, read by DuckDB in bounded batches into codes and numbers."""

from __future__ import annotations

import glob
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

from calipers import _native
from calipers.data import containers
from calipers.errors import InputError, MissingExtra
from calipers.files import coded, formats, opening, parts, temporary
from calipers.files.coded import Requested
from calipers.files.json_lines import Json
from calipers.files.labels import labels_of
from calipers.files.parts import Part
from calipers.remarks import Remark

# Nothing is fetched, loaded or taken from Python's variables because a query names it.
SETTINGS = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
    "python_enable_replacements": False,
}
Columns = dict[tuple[str, str], Any]


class Table:
    """The rows of one or several files, or of a query. Text stays text until a column is asked for as numbers."""

    def __init__(
        self,
        files: Sequence[str],
        *,
        sql: str | None = None,
        encoding: str | None = None,
        delimiter: str | None = None,
        decimal: str | None = None,
        header: bool | None = None,
        quotes: bool | None = None,
        limit: int = temporary.GIGABYTE,
        watch: temporary.Watch = lambda what, done, total: None,
    ) -> None:
        try:
            import duckdb
        except ImportError as error:
            parts.raise_other(error)
            raise MissingExtra("files.needs_duckdb") from None
        self._duckdb, self._decimal = duckdb, decimal
        self._resources, self._watch = ExitStack(), watch
        scratch = self._resources.enter_context(temporary.private_folder())
        self._spools = temporary.Spools(self._resources, scratch, limit, watch)
        settings: dict[str, Any] = {**SETTINGS, "threads": _native.threads(), "temp_directory": scratch}
        if int(duckdb.__version__.split(".")[0]) >= 2:
            settings["async_threads"] = 0  # 8 threads for remote files, each of which takes address space (`ulimit -v`)
        self.parts: list[Part] = []
        try:
            self._connection = self._resources.enter_context(duckdb.connect(config=settings))
            # Local files gain nothing from prefetching, which takes as much memory as whole row groups; and in an
            # interactive session DuckDB would print a bar to standard output.
            self._connection.execute("set disable_parquet_prefetching = true; set enable_progress_bar = false")
            self._connection.execute("set lock_configuration = true")
            if sql is not None:
                self.parts.append(opening.selected(duckdb, self._connection, sql))
            for name in _expanded(files):
                source = formats.find(name, encoding, self._spools)
                dialect = delimiter, header, quotes
                self.parts.append(opening.part_of(duckdb, self._connection, source, self._spools, *dialect))
        except BaseException as error:
            self._close()
            parts.raise_other(error)
            raise
        if len({isinstance(part, Json) for part in self.parts}) > 1:
            self._close()
            raise InputError("files.json_and_others")
        self.names = self.parts[0].names
        self._starts: list[int] = []
        self._tidied: set[str] = set()  # what was done to labels
        self.marks: set[str] = set()  # decimal marks that were met

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._close()
        parts.raise_other(error)

    def _close(self) -> None:
        self.parts = []
        self._resources.close()

    @property
    def title(self) -> str:
        """What the rows come from, in a few words."""
        return self.parts[0].name if len(self.parts) == 1 else f"{self.parts[0].name} and {len(self.parts) - 1} more"

    @property
    def headed(self) -> bool:
        """Whether the names were taken from a first line that might have been data."""
        first = self.parts[0]
        return isinstance(first, parts.Delimited) and first.dialect.header

    def steps(self) -> list[str]:
        """How the files were understood, where that was not beyond doubt."""
        steps = dict.fromkeys(step for part in self.parts for step in part.steps)
        return [*([Remark("files.several", count=len(self.parts))] if len(self.parts) > 1 else []), *steps,
                *([Remark("files.decimal_commas")] if "," in self.marks else []),
                *sorted(self._tidied)]  # fmt: skip

    def sample(self, name: str) -> list[str]:
        """The first cells of a column, as text, blanks left out."""
        part = self.parts[0]
        return part.sample(part.names.index(name))

    @property
    def can_be_parted(self) -> bool:
        """Whether some of the rows can be read at little cost: those of Parquet files and of queries."""
        return not any(part.text or isinstance(part, Json) for part in self.parts)

    def expected(self) -> int:
        """About how many rows there are; 0 if unknown."""
        return sum(part.expected() for part in self.parts)

    def watch(self, what: str, done: int, total: int) -> None:
        """Say how far the work on the rows is."""
        self._watch(what, done, total)

    def count(self) -> int:
        """How many rows there are."""
        return sum(part.count() for part in self.parts)

    def greatest(self, name: str) -> float:
        """The greatest number of a column."""
        values = [part.greatest(self._duckdb, name) for part in self.parts]
        return float(max((value for value in values if value is not None), default=0.0))

    def read(
        self,
        labels: Sequence[str],
        numbers: Sequence[str],
        groups: Sequence[str] = (),
        only: tuple[str, int, int] | None = None,
    ) -> Columns:
        """Columns by kind and name: labels as Text, or as what Parquet holds; numbers; groups, which may be anything.

        One pass gives them all. `only` is a column, in how many parts its values are taken, and which part is wanted.
        """
        requested = _requested(labels, numbers, groups)
        columns = self._passed(requested, lambda: self._streams(requested, only))
        assert columns is not None
        if self._rows == 0 and only is None:
            raise InputError("files.no_rows", file=self.title)
        return columns

    def read_distinct(self, labels: Sequence[str]) -> Columns:
        """The combinations of labels that occur, once each."""
        requested = _requested(labels, (), ())
        columns = self._passed(requested, lambda: self._streams(requested, distinct=True), whole=False)
        assert columns is not None
        return columns

    def read_chunks(
        self,
        labels: Sequence[str],
        numbers: Sequence[str],
        groups: Sequence[str],
        rows: int,
        start: Callable[[], Callable[[Columns], object]],
    ) -> None:
        """About so many rows at a time, as `read` gives them, to what `start` returns; it is called again where the
        rows have to be read again from the first one."""
        requested = coded.in_bytes(self._duckdb, self.parts, _requested(labels, numbers, groups))
        self._passed(requested, lambda: self._streams(requested), start, rows)

    def _passed(
        self,
        requested: Sequence[Requested],
        streams: Callable[[], Iterator[tuple[object, str]]],
        start: Callable[[], Callable[[Columns], object]] | None = None,
        rows: int = 0,
        *,
        whole: bool = True,
    ) -> Columns | None:
        """One pass over the rows, or several where the first ones failed."""
        letters = "".join("n" if one.kind == "number" else "l" for one in requested)

        def chunks() -> Callable[[list[tuple[Any, ...]]], object] | None:
            if start is None:
                return None
            each = start()
            return lambda read: each(self._columns(requested, read))

        while True:
            try:
                read = _native.read_stream(streams(), letters, self._counter(), chunks(), rows)
                if isinstance(read, tuple) or not whole or self._is_whole():
                    break
            except (self._duckdb.Error, *parts.FAILURES) as error:
                self._reading.recover(error)
        for part in self.parts:
            part.finish()
        if isinstance(read, tuple):
            _, column, row, text = read
            raise self._no_number(requested[column].name, row, text)
        return None if read is None else self._columns(requested, read)

    def _columns(self, requested: Sequence[Requested], read: Sequence[tuple[Any, ...]]) -> Columns:
        columns: Columns = {}
        for (kind, name, texts, _), (form, *data) in zip(requested, read, strict=True):
            if form == "labels" or texts is not None:
                column = containers.Text(*data) if texts is None else coded.as_text(containers.Numbers(*data), texts)
                columns[kind, name] = labels_of(self.parts[0], column, name, self._tidied, as_text=kind == "group")
            else:
                number = containers.Numbers(*data)
                columns[kind, name] = number.array if number.missing is None else number
        return columns

    def where(self, row: int) -> str:
        """The line of a row (the first is 0), and its file where there are several."""
        at = max(i for i, start in enumerate(self._starts) if start <= row)
        place = self.parts[at].where(row - self._starts[at])
        return Remark("files.place_of", place=place, file=self.parts[at].name) if len(self.parts) > 1 else place

    def _is_whole(self) -> bool:
        ends = [*self._starts[1:], self._rows]
        counts = [end - start for start, end in zip(self._starts, ends, strict=True)]
        return all(part.is_whole(rows) for part, rows in zip(self.parts, counts, strict=True))

    def _counter(self) -> Callable[[int], None]:
        total = self.expected()

        def count(rows: int) -> None:
            self._rows = rows
            self._watch("rows", rows, total)

        return count

    def _streams(
        self,
        requested: Sequence[Requested],
        only: tuple[str, int, int] | None = None,
        *,
        distinct: bool = False,
    ) -> Iterator[tuple[object, str]]:
        self._rows, self._starts = 0, []
        alike = self._alike([one.name for one in requested])
        for part in self.parts:
            self._reading = part
            self._starts.append(self._rows)
            chosen, marks = [], ""
            for i, one in enumerate(requested):
                kind, name, *_ = one
                at = part.names.index(name)
                as_text = not alike[name] or (kind == "group" and part.types[at] in ("FLOAT", "DOUBLE"))
                column = part.expression(self._duckdb, at, kind == "number", as_text)
                chosen.append(coded.expression(self._duckdb, column, one).alias(f"c{i}"))
                marks += "." if kind != "number" else self._decimal or part.decimal(at)
            self.marks |= set(marks)
            relation = part.relation if only is None else part.share(self._duckdb, *only)
            rows = relation.select(*chosen)
            yield (rows.distinct() if distinct else rows).__arrow_c_stream__(), marks

    def _alike(self, names: Sequence[str]) -> dict[str, bool]:
        """Whether each column has one type in all files; a file that lacks one is refused."""
        for part in self.parts:
            for name in names:
                if name not in part.names:
                    raise InputError("files.column_lacking", file=part.name, name=name, other=self.parts[0].name)
        return {name: len({part.types[part.names.index(name)] for part in self.parts}) == 1 for name in names}

    def _no_number(self, name: str, row: int, text: str) -> InputError:
        place = self.where(row)
        if self.parts[0].source is None:  # a query can read what the user never looked at
            code = "files.query_not_numbers_comma" if "," in text else "files.query_not_numbers"
            return InputError(code, name=name, place=place)
        code = "files.not_numbers_comma" if "," in text else "files.not_numbers"
        return InputError(code, name=name, place=place, cell=text)


def _requested(labels: Sequence[str], numbers: Sequence[str], groups: Sequence[str]) -> list[Requested]:
    """Each column once, by kind and name."""
    kinds = {"label": labels, "number": numbers, "group": groups}
    return list(dict.fromkeys(Requested(kind, name) for kind, names in kinds.items() for name in names))


def _expanded(names: Sequence[str]) -> Iterator[str]:
    """The files that names and patterns stand for."""
    for name in names:
        if name == "-" or Path(name).exists() or not re.search(r"[*?\[]", name):
            yield name
            continue
        matches = sorted(glob.glob(name, recursive=True))
        if not matches:
            raise InputError("files.no_match", pattern=name)
        yield from matches
