"""What the library says, as the shell says it: arguments are options, y_true is a column, a row is a line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from calipers.files.table import Table

# Arguments of the library that messages name, and the options that stand for them.
SAME = ("positive", "threshold", "missing", "labels", "level", "metrics", "task", "score", "tp", "fp", "fn", "tn",
        "interval", "seed", "replicates", "margin", "auc", "accuracy", "sd", "difference", "rows", "discordance",
        "prevalence", "correlation", "power", "got", "lang", "ties", "unjudged", "query", "doc",
        "relevance", "weights", "groups", "baseline", "inconclusive")  # fmt: skip
OTHERS = {"requirements": "require", "no_relevant": "no-relevant", "missing_queries": "missing-queries"}
OPTIONS = {name: name for name in SAME} | OTHERS
ROW = re.compile(r"(?<=\(first at )row (\d+)(?=\))|(?<=\()row (\d+)(?=\))|\brow (\d+)(?= sums to )")


def as_options(message: str) -> str:
    """A message of the library as the shell says it: its arguments are options here.

    >>> as_options("pass positive='BAD', or threshold=; labels=['a', 'b'] lacks 'c'")
    "pass --positive BAD, or --threshold; --labels a,b lacks 'c'"
    """
    names = "|".join(OPTIONS)
    text = re.sub(rf"(?<![\w(])({names})=(?=[\w\"'\[.-])", lambda m: f"--{OPTIONS[m[1]]} ", message)
    text = re.sub(rf"(?<![\w(-])({names})=", lambda m: f"--{OPTIONS[m[1]]}", text)
    text = re.sub(r"(--labels )\[([^\]]*)\]", lambda m: m[1] + m[2].replace("', '", ",").strip("'"), text)
    text = re.sub(r"(--[a-z]+ )([\"'])([\w.%-]+)\2", r"\1\3", text)
    return re.sub(r", or see ev\.classes|: see ev\.classes for each class against the rest", "", text)


def in_file(message: str, table: Table, weight: str | None) -> str:
    """A message about arrays as one about the columns and lines of a file."""
    place = re.match(r"weights\[(\d+)\]", message)
    if place and weight:
        message = f"column {weight!r} ({table.where(int(place[1]))})" + message[place.end() :]
    else:
        message = with_lines(message, table)
    return re.sub(r"\bby\[('[^']*')\]", r"column \1", message)


def with_lines(message: str, table: Table) -> str:
    """The rows that a message numbers from 0, as lines of the file."""
    return ROW.sub(lambda m: table.where(int(next(filter(None, m.groups())))), message)
