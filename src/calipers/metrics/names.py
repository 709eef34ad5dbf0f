"""The grammar of metric names: one string in Python, shell, JSON and reports.

    name  = word [ "(" key "=" value { "," key "=" value } ")" ] [ "@" number ]

A name with " at " in it has a condition, which metrics/conditions.py reads.

`ndcg@10` and `ndcg(k=10)` are one name, and the canonical form is the first; it omits parameters that have their
default value. The cutoff may also stand before the parameters. The word may be written as people write it, `ROC-AUC` or
`log loss`: `metrics/spellings.py`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from calipers.errors import InputError

Parameter = str | int | float  # a bool too, which is an int

DIGITS = 9  # of a cutoff
AT = re.compile(r"\s+at\s+(?=.*[<>]|top\b)")  # between a metric and its condition
WORD = r"(?:\d+-?)?[A-Za-z_]\w*(?:[ .'^/+-]+\w+)*(?:[+-](?!\w))?"
_CUTOFF = r"(?:@\s*(\d+))?\s*"
_NAME = re.compile(rf"\s*({WORD})\s*{_CUTOFF}(?:\(([^()]*)\))?\s*{_CUTOFF}")
_PAIR = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s*([^\s,=()]+)\s*")


def parse(text: str) -> tuple[str, dict[str, Parameter]]:
    """The word and the parameters of a name.

    >>> parse("fbeta(beta=2)"), parse("precision@5"), parse("hosmer_lemeshow_p(fitted=true)")
    (('fbeta', {'beta': 2}), ('precision', {'k': 5}), ('hosmer_lemeshow_p', {'fitted': True}))
    """
    if not isinstance(text, str):
        raise InputError("metrics.not_a_string", name=text)
    name_match = _NAME.fullmatch(text)
    if name_match is None:
        raise InputError("metrics.not_a_name", name=text)
    word, before, inside, after = name_match.groups()
    cutoff = after if before is None else before
    parameters: dict[str, Parameter] = {}
    for pair in (inside or "").split(","):
        if not pair.strip() and not (inside or "").strip():
            continue
        match = _PAIR.fullmatch(pair)
        if match is None:
            raise InputError("metrics.not_a_pair", name=text, pair=pair.strip())
        if match[1] in parameters:
            raise InputError("metrics.parameter_twice", name=text, key=match[1][:60])
        parameters[match[1]] = _value(match[2])
    if cutoff is not None:
        if "k" in parameters or (before and after):
            raise InputError("metrics.cutoff_twice", name=text, cutoff=cutoff[:20])
        if len(cutoff) > DIGITS:
            raise InputError("metrics.long_cutoff", name=text, count=len(cutoff), most=DIGITS)
        parameters["k"] = int(cutoff)
    return word, parameters


def render(word: str, parameters: Mapping[str, Parameter]) -> str:
    """The inverse of parse.

    >>> render("fbeta", {"beta": 0.5}), render("f1", {}), render("rbp", {"p": 0.9, "k": 20})
    ('fbeta(beta=0.5)', 'f1', 'rbp(p=0.9)@20')
    """
    cutoff = parameters.get("k")
    whole = isinstance(cutoff, (int, float)) and cutoff >= 1 and float(cutoff).is_integer()
    at = f"@{int(cutoff)}" if cutoff is not None and whole else ""
    inside = ", ".join(f"{key}={number_text(value)}" for key, value in parameters.items() if key != "k" or not at)
    return (f"{word}({inside})" if inside else word) + at


def _value(text: str) -> Parameter:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def number_text(value: Parameter) -> str:
    """A number as short as it can be without losing anything; words as they are."""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) and float(f"{value:g}") == value else str(value)
