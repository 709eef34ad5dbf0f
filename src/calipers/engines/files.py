"""Columns of a CSV or Parquet file, read by DuckDB. Names travel as values: none is ever put into a query."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from calipers import _native, columns
from calipers.errors import InputError, MissingExtra, UnknownName, nearest

DELIMITERS = ",;\t|"
KEPT = re.compile(r"BOOLEAN|U?(TINY|SMALL|BIG)?INT(EGER)?|VARCHAR|ENUM.*|FLOAT|DOUBLE")


class File:
    """A file with named columns. CSV cells stay text until a column is asked for as numbers."""

    def __init__(self, path: str) -> None:
        try:
            import duckdb
        except ImportError:
            raise MissingExtra('reading files needs DuckDB: pip install "calipers[files]"') from None
        self.path, self._duckdb = path, duckdb
        with Path(path).open("rb") as file:
            start = file.read(4)
        if not start:
            raise InputError(f"{path} is empty")
        self.text = start != b"PAR1"
        connection = duckdb.connect(config={"autoinstall_known_extensions": False})
        # DuckDB takes a path as a pattern; a character in brackets stands for itself.
        pattern = re.sub(r"[*?\[]", r"[\g<0>]", str(Path(path).absolute()))
        try:
            if self.text:
                self._rows = connection.read_csv(
                    pattern, all_varchar=True, header=True, skiprows=0, quotechar='"', escapechar='"'
                )
            else:
                self._rows = connection.read_parquet(pattern)
        except duckdb.Error as error:
            raise self._unreadable(error) from None
        self.names = [str(name) for name in self._rows.columns]
        if self.text and len(self.names) == 1 and any(mark in self.names[0] for mark in DELIMITERS):
            raise InputError(f"{path}: rows differ in their number of cells: each must have as many as the header")

    def read(self, labels: Sequence[str], numbers: Sequence[str]) -> dict[str, Any]:
        """Columns by name: labels as text (or what Parquet holds), and numbers. One pass gives them all."""
        wanted = list(dict.fromkeys([*labels, *numbers]))
        for name in wanted:
            if name not in self.names:
                raise UnknownName(f"{self.path} has no column {name!r}: {nearest(name, self.names)}")
        chosen = [self._expression(name, name in numbers and name not in labels) for name in wanted]
        try:
            stream = self._rows.select(*chosen).__arrow_c_stream__()
            read = _native.read_arrow(stream, wanted)
        except (self._duckdb.Error, RuntimeError) as error:
            for name in numbers:
                self._find_text(name)
            raise self._unreadable(error) from None
        found: dict[str, Any] = {}
        for name, (kind, *parts) in zip(wanted, read, strict=True):
            if kind == "labels":
                found[name] = columns.Text(*parts)
            else:
                held = columns.Numbers(*parts)
                found[name] = held.array if held.missing is None else columns.numbers(held, name)
        return found

    def _expression(self, name: str, number: bool) -> Any:
        column = self._duckdb.ColumnExpression(name)
        kind = str(self._rows.types[self.names.index(name)])
        to = "DOUBLE" if number else "" if KEPT.fullmatch(kind) else "VARCHAR"
        return column.cast(self._duckdb.sqltype(to)).alias(name) if to and to != kind else column

    def _find_text(self, name: str) -> None:
        """Say which cell of a column of numbers is none."""
        column = self._rows.select(self._expression(name, False)).__arrow_c_stream__()
        kind, *parts = _native.read_arrow(column, [name])[0]
        if kind != "labels":
            return
        for row, text in enumerate(spelled(columns.Text(*parts)).tolist()):
            if text is not None and not _is_number(text):
                comma = "; the decimal mark is a point" if _is_number(text.replace(",", ".")) else ""
                raise InputError(f"column {name!r} holds {text!r} in row {row + 1}: numbers are needed{comma}")

    def _unreadable(self, error: Exception) -> InputError:
        said = [line for line in str(error).splitlines() if line.strip()]
        if "utf-8" in str(error):
            return InputError(f"{self.path} is not UTF-8 text: save it as UTF-8 first")
        told = [line for line in said[:3] if not line.startswith(("Original Line", "Possible", "*"))]
        return InputError(f"{self.path} cannot be read: {'; '.join(told)}")


def spelled(column: Any, values: Sequence[Any] | None = None) -> Any:
    """The labels of a column of text, or the values that stand for them; None where one is missing."""
    if not isinstance(column, columns.Text):
        return column
    values = column.values if values is None else values
    missing = column.codes >= len(values)
    if values and isinstance(values[0], int) and not missing.any():
        return np.array(values)[column.codes]
    return np.array([*values, None], dtype=object)[np.minimum(column.codes, len(values))]


def as_labels(given: Sequence[Any]) -> list[Any]:
    """Columns of labels. Text is integers where every label of every column is written as one (1, not 01).

    A column of 0.0 and 1.0 beside one of 0 and 1 holds the same labels.
    """
    texts = [c for c in given if isinstance(c, columns.Text)]
    strict = [_integers(c.values) for c in texts]
    if any(found is not None for found in strict):
        loose = [_integers([v.removesuffix(".0") for v in c.values]) for c in texts]
        if len(texts) == len(given) and all(found is not None for found in loose):
            return [spelled(c, values) for c, values in zip(texts, loose, strict=True)]
    return [spelled(c) for c in given]


def _integers(values: Sequence[str]) -> list[int] | None:
    if not values or not all(v.removeprefix("-").isascii() and v.removeprefix("-").isdigit() for v in values):
        return None
    found = [int(v) for v in values]
    plain = all(str(number) == text for number, text in zip(found, values, strict=True))
    return found if plain and max(map(abs, found)) < 2**63 else None


def are_scores(column: Any, truth: Any) -> bool:
    """Whether a column of text that was taken for labels holds scores: numbers that are no labels of the truth."""
    if not isinstance(column, columns.Text) or not isinstance(truth, columns.Text):
        return False
    new = [v for v in column.values[:1000] if v not in truth.values]
    return bool(new) and all(map(_is_number, new)) and any(float(v) % 1 for v in new)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
