"""How the shell names things: arguments are options, a row is a line of the file, an element is a column."""

from __future__ import annotations

import ast
import re
from functools import cache
from typing import TYPE_CHECKING, Any

from calipers.errors import LONGEST, quoted
from calipers.remarks import Remark
from calipers.report.messages import Wording

if TYPE_CHECKING:
    from calipers.files.table import Table

OTHERS = {"requirements": "require"}  # arguments of Python whose options have another name
BARE = re.compile(r"[\w.%,-]+")  # texts that need no quotes in a shell


class Shell(Wording):
    """The words of the shell; with a table, rows are lines of its files, and weights its column of that name.

    >>> Shell().passed("positive", "BAD"), Shell().passed("labels", ["a", "b"]), Shell().written("missing", '"drop"')
    ('--positive BAD', '--labels a,b', '--missing drop')
    >>> Shell().argument("threshold"), Shell().argument("y_true")
    ('--threshold', 'y_true=')
    """

    side = "shell"

    def __init__(self, table: Table | None = None, weights: str | None = None) -> None:
        self.table, self.weights = table, weights

    def argument(self, name: str) -> str:
        """The option of an argument, or the argument where there is none."""
        option = OTHERS.get(name, name)
        return f"--{option.replace('_', '-')}" if option in _options() else super().argument(name)

    def written(self, name: str, literal: str) -> str:
        """An option with what to pass."""
        if self.argument(name).endswith("="):
            return super().written(name, literal)
        if literal.startswith("["):
            return self.passed(name, ast.literal_eval(literal))
        return f"{self.argument(name)} {_bare(literal)}"

    def passed(self, name: str, value: Any) -> str:
        """An option with a value."""
        option = self.argument(name)
        if option.endswith("="):
            return super().passed(name, value)
        each = value if isinstance(value, list | tuple) and value else [value]
        return f"{option} {','.join(_bare(quoted(v, LONGEST)) for v in each)}"

    def element(self, name: str, key: Any) -> str:
        """A column of the file, and the line where the key is a row."""
        if name == "weights" and self.weights is not None and self.table is not None:
            return Remark("cli.column_at", name=self.weights, place=self.table.where(key))
        return Remark("files.column", name=key) if name == "by" else super().element(name, key)

    def place(self, row: int) -> str:
        """The line of a row."""
        return super().place(row) if self.table is None else self.table.where(row)


@cache
def _options() -> frozenset[str]:
    from calipers.cli import shell

    return frozenset(str(param.name) for command in shell.commands.values() for param in command.params)


def _bare(literal: str) -> str:
    inside = literal[1:-1]
    return inside if literal[:1] in ("'", '"') and BARE.fullmatch(inside) else literal
