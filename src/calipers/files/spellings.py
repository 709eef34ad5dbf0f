"""Labels that are written as text: which cells are the same label, and whether all of them are numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from calipers import _native
from calipers.data.containers import Text
from calipers.data.labels import encode
from calipers.errors import InputError
from calipers.files.column_names import fold

WHOLE = re.compile(r"(-?)(0|[1-9][0-9]*)(?:\.0*)?")
LONGEST = 18  # digits that a 64-bit integer can always hold
WORDS = {"True": True, "False": False}


def spelled(cell: str) -> str:
    """The one spelling of a label. It depends on the cell alone, so no other row decides which cells are the same.

    >>> [spelled(cell) for cell in ("1", "1.0", "1.", "-0.0", "TRUE", "01", "+1", "1e0", "1.5")]
    ['1', '1', '1', '0', 'True', '01', '+1', '1e0', '1.5']
    """
    match = WHOLE.fullmatch(cell)
    if match is None:
        return cell.capitalize() if cell.lower() in ("true", "false") else cell
    return "0" if match[2] == "0" else match[1] + match[2]


def merged(column: Text, values: Sequence[Any]) -> Text:
    """The column with these values instead of its own; equal ones become one label, "" is a missing label."""
    if list(values) == column.values:
        return column
    unique = list(dict.fromkeys(value for value in values if value != ""))
    place = {value: code for code, value in enumerate(unique)}
    none = np.iinfo(column.codes.dtype).max
    table = np.array([none if value == "" else place[value] for value in values], column.codes.dtype)
    return Text(_native.recode(column.codes, table), unique, [])


def as_labels(columns: Sequence[Any], listed: Sequence[str] = ()) -> list[Any]:
    """Columns of labels. Text is integers, or True and False, where every label of every column is written so.

    listed: labels that may occur, such as those of --labels: a column that has only some of them is read like the rest.
    """
    texts = [c for c in columns if isinstance(c, Text) and all(isinstance(v, str) for v in c.values)]
    if len(texts) < len(columns):
        return list(columns)
    alike = [merged(c, [spelled(v) for v in c.values]) for c in texts]
    cells = dict.fromkeys([*(v for c in alike for v in c.values), *map(spelled, listed)])
    words = [v for v in cells if v in WORDS]
    numbers = [v for v in cells if WHOLE.fullmatch(v) and len(v.lstrip("-")) <= LONGEST]
    if words and numbers and not {*cells} <= {"0", "1", *WORDS}:
        other = next(v for v in cells if v not in ("0", "1", *WORDS))
        raise InputError("files.mixed_spellings", word=words[0], number=numbers[0], other=other)
    if len(words) + len(numbers) < len(cells):
        return alike
    # Beside 1 and 0, True and False are those numbers.
    read = {v: int(WORDS[v]) if v in WORDS else int(v) for v in cells} if numbers else {v: WORDS[v] for v in cells}
    return [merged(c, [read[v] for v in c.values]) for c in alike]


def as_known(column: Any, labels: Sequence[Any]) -> Any:
    """A column of text with known labels: "1" becomes 1 if that is a label, also if other texts occur."""
    if not isinstance(column, Text):
        return column
    known = {str(v): v for v in labels} | ({"1": True, "0": False} if any(v is True for v in labels) else {})
    return merged(column, [known.get(str(v), known.get(spelled(str(v)), v)) for v in column.values])


def values(column: Any) -> tuple[Any, ...]:
    """The labels that occur in a column."""
    return encode(column, "y_true").values


def as_in(true: Any, labels: Sequence[Any]) -> list[Any]:
    """Labels that a person wrote, as the column holds them: 1 is a number where labels are numbers."""
    known = values(true)
    words = {**WORDS, "1": True, "0": False} if any(isinstance(v, bool) for v in known) else {}
    exact = {str(v): v for v in known} | words
    folded = {fold(str(v)): v for v in known}
    numbers = bool(known) and not isinstance(known[0], (str, bool))
    return [
        exact[t] if t in exact
        else exact[spelled(t)] if spelled(t) in exact
        else folded[fold(t)] if fold(t) in folded
        else int(t) if numbers and re.fullmatch(r"-?[0-9]+", t)
        else t
        for t in map(str, labels)
    ]  # fmt: skip
