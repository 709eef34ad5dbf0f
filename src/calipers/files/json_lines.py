"""JSON lines, or one JSON array of objects, as rows of DuckDB."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from calipers.errors import InputError
from calipers.files.formats import CHUNK, SourceFile
from calipers.files.parts import Part, pattern
from calipers.remarks import Remark

JSON = "select * from read_json($path, columns=$columns, format=$format, auto_detect=false)"


class Json(Part):
    """JSON lines, or one array of objects. Cells keep the types of JSON."""

    def __init__(self, query: Callable[..., Any], source: SourceFile) -> None:
        keys, self._array = _keys(source)
        path = pattern(source.path)
        form = "array" if self._array else "newline_delimited"
        relation = query(JSON, path=path, columns=dict.fromkeys(keys, "JSON"), format=form)
        super().__init__(source, relation, keys)
        self._path = source.path
        self.steps += (Remark("files.json_array" if self._array else "files.json_lines"),)

    def expression(self, duckdb: Any, at: int, number: bool, as_text: bool) -> Any:
        """The JSON of a cell, or for numbers its text."""
        column = duckdb.ColumnExpression(self.columns[at])
        if number:
            column = duckdb.FunctionExpression("json_extract_string", column, duckdb.ConstantExpression("$"))
        return column.cast(duckdb.sqltype("VARCHAR"))

    def sample(self, at: int) -> list[str]:
        """The first cells, as JSON would show them without quotes."""
        return [str(self.value(cell)) for cell in super().sample(at)]

    def value(self, text: str) -> Any:
        """The label in JSON's own type."""
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InputError("files.json_not_a_label", file=self.name, text=text[:40], why=str(error)) from None
        if isinstance(value, (dict, list)):
            raise InputError("files.json_nested", file=self.name, text=text[:40])
        if isinstance(value, float):
            return int(value) if value.is_integer() else text  # many tools write 1 as 1.0
        return value

    def recover(self, error: Exception) -> None:
        """Name the line that is not JSON."""
        self.finish()
        if not self._array:
            for number, line in self._lines():
                try:
                    json.loads(line)
                except (ValueError, RecursionError) as wrong:
                    raise InputError("files.not_json", file=self.name, line=number, why=str(wrong)) from None
        super().recover(error)

    def _lines(self) -> Iterator[tuple[int, str]]:
        with open(self._path, encoding="utf-8-sig", errors="replace", newline="\n") as file:
            yield from ((number, line) for number, line in enumerate(file, 1) if line.strip())

    def expected(self) -> int:
        """By the length of the first objects."""
        with open(self._path, "rb") as file:
            start = file.read(CHUNK)
        return int(Path(self._path).stat().st_size * max(1, start.count(b"}")) / max(1, len(start)))

    def where(self, row: int) -> str:
        """The line of a row; an array has only rows."""
        entry = None if self._array else next(islice(self._lines(), row, None), None)
        return Remark("files.line", line=entry[0]) if entry else super().where(row)

def _keys(source: SourceFile) -> tuple[list[str], bool]:
    """The keys of the first objects, and whether they stand in an array."""
    with open(source.path, "rb") as file:
        start = file.read(CHUNK)
        whole = not file.read(1)
    text = start.decode("utf-8-sig", "ignore").lstrip()
    array_of = text.startswith("[")
    decoder, at, count = json.JSONDecoder(), int(array_of), 0
    keys: dict[str, None] = {}
    while (at := _skipped(text, at)) < len(text) and text[at] != "]":
        try:
            one, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            if count and not whole:
                break  # the sample ends inside it
            line = text[:at].count("\n") + 1
            raise InputError("files.not_json", file=source.name, line=line, why=str(error)) from None
        if not isinstance(one, dict):
            raise InputError("files.json_not_an_object", file=source.name, text=json.dumps(one)[:40])
        keys |= dict.fromkeys(one)
        count += 1
        if count == 1 and one and all(isinstance(v, (dict, list)) for v in one.values()):
            raise InputError("files.json_columns", file=source.name)
    if not keys:
        raise InputError("files.json_empty", file=source.name)
    return list(keys), array_of


def _skipped(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t\r\n,":
        at += 1
    return at
