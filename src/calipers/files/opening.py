"""A file or a query as rows of DuckDB."""

from __future__ import annotations

from typing import Any

from calipers.errors import InputError
from calipers.files import formats, parts
from calipers.files.arrow import ArrowSource
from calipers.files.json_lines import Json
from calipers.files.parquet import Parquet
from calipers.files.parts import Part, first_line
from calipers.files.temporary import Spools


def part_of(
    duckdb: Any,
    connection: Any,
    source: formats.SourceFile,
    spools: Spools,
    delimiter: str | None,
    header: bool | None,
    quotes: bool | None,
) -> Part:
    """The rows of a file, whose format its content has said."""

    def query(text: str, **values: Any) -> Any:
        return connection.sql(text, params=values)

    if source.kind == "delimited":
        return parts.Delimited(query, source, delimiter, header, quotes, spools)
    try:
        if source.kind == "json":
            return Json(query, source)
        if source.kind == "parquet":
            return Parquet(query, source)
        arrow = ArrowSource(source)
        return parts.Counted(source, connection.from_arrow(arrow), arrow.names, arrow.expected())
    except (duckdb.Error, *parts.FAILURES) as error:
        parts.raise_other(error)
        raise InputError("files.cannot_be_read", file=source.name, why=first_line(error)) from None


def selected(duckdb: Any, connection: Any, sql: str) -> Part:
    """The rows of a query."""
    try:
        kinds = [str(one.type) for one in connection.extract_statements(sql)]
        if len(kinds) != 1 or not kinds[0].endswith("SELECT"):
            raise InputError("files.one_select")
        relation = connection.sql(sql)
        return Part(None, relation, [str(name) for name in relation.columns])
    except (duckdb.Error, *parts.FAILURES) as error:
        parts.raise_other(error)
        raise parts.query_refused(error) from None
