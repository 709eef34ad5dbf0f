"""A result as one flat dict of names and numbers, as experiment trackers take it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from calipers.errors import InputError
from calipers.report.frame import rows

if TYPE_CHECKING:
    from calipers.result import AnyResult

# Columns that say which row it is, in the order of a name; a candidate and a baseline are a pair.
NAMES = ("slice", "class", "metric", "part", "candidate", "baseline", "model", "test", "required", "name")
PLAIN = ("value", "mean_rank", "power")  # columns that need no name of their own
BOUNDS = ("low", "high")
LEFT_OUT = ("level", "n", "rows", "df", "stderr", "statistic")  # facts of the computation
SEPARATORS = ("_", ".", "-", "/", " ", ":")  # what MLflow allows in a name; other trackers allow more


def to_flat_dict(result: AnyResult, sep: str = "_", *, bounds: bool = True) -> dict[str, float]:
    """The numbers of the table of a result by name; what is undefined is left out."""
    if sep not in SEPARATORS:
        raise InputError("report.not_a_separator", sep=sep, known=SEPARATORS)
    flat: dict[str, float] = {}
    for row in rows(result):
        of = {name: row[name] for name in NAMES if row.get(name) is not None}
        start = [_word(f"class {x}" if name == "class" else str(x), sep) for name, x in of.items()]
        for column, value in _numbers(row):
            if not bounds and (column in BOUNDS or column.endswith(tuple(f"_{bound}" for bound in BOUNDS))):
                continue
            key = sep.join([*start, *([] if column in PLAIN else [_word(column, sep)])])
            flat[_free(key, flat, sep)] = value
    return flat


def _numbers(row: dict[str, Any]) -> Iterator[tuple[str, float]]:
    for column, value in row.items():
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if number and column not in (*LEFT_OUT, *NAMES) and math.isfinite(value):
            yield column, float(value)


def _word(text: str, sep: str) -> str:
    """A text with letters, digits and separators only: `fbeta(beta=2)` is fbeta_beta_2, `ndcg@10` is ndcg_at_10."""
    text = text.replace("@", f"{sep}at{sep}").replace("+", f"{sep}plus{sep}")
    return re.sub(r"[^\w.]+|_", sep, text).strip(sep) or sep


def _free(key: str, taken: dict[str, float], sep: str) -> str:
    """The key, with a number where labels differ in signs alone."""
    if key not in taken:
        return key
    return next(f"{key}{sep}{at}" for at in range(2, len(taken) + 3) if f"{key}{sep}{at}" not in taken)
