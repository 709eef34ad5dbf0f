"""`result.save(path)`: the ending of the name decides what is written."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from calipers.choices import Lang
from calipers.errors import InputError
from calipers.report import documents, frame, page, rendering
from calipers.report.atomic_write import refuse, write

if TYPE_CHECKING:
    from calipers.evaluation.worst_rows import WorstRows
    from calipers.result import AnyResult


def save(
    result: AnyResult, path: Any, *, lang: Lang | None = None, title: str | None = None, rows: WorstRows | None = None
) -> None:
    """Write a page, the document, the table, Markdown, LaTeX, text, or all statistics, whole or not at all.

    rows: the worst rows, in what has a place for them.
    """
    try:
        name = os.fsdecode(path)
    except TypeError:
        raise InputError("report.not_a_file_name", path=path, kind=type(path).__name__) from None
    ending = ending_of(name)
    if title is not None and ending not in PAGES:
        raise InputError("report.title_of_page", name=name)
    if rows is not None and ending in (".csv", BYTES):
        raise InputError("report.no_rows_in", name=name, ending=ending)
    refuse(name)
    write({name: content(result, ending, lang, title, rows)})


def content(
    result: AnyResult,
    ending: str,
    lang: Lang | None = None,
    title: str | None = None,
    rows: WorstRows | None = None,
) -> bytes:
    """What a file with this ending holds of a result."""
    if ending == BYTES:
        from calipers.evaluation.evaluation import Evaluation

        if not isinstance(result, Evaluation):
            raise InputError("report.bytes_of_evaluations", kind=result.kind)
        return result.to_bytes()
    return FORMATS[ending](result, lang, title, rows).encode()


def ending_of(name: str) -> str:
    """The ending of a file name; one that is not known is an error."""
    ending, known = Path(name).suffix.lower(), [*FORMATS, BYTES]
    if not ending:
        raise InputError("report.no_ending", name=name, known=known)
    if ending not in known:
        raise InputError("report.unknown_ending", name=name, ending=ending, known=known)
    return ending


def _page(result: AnyResult, lang: Lang | None, title: str | None, rows: WorstRows | None) -> str:
    return page.render(result, lang=lang, title=title, rows=rows)


def _json(result: AnyResult, lang: Lang | None, title: str | None, rows: WorstRows | None) -> str:
    return json_of(result, rows) + "\n"


def json_of(result: AnyResult, rows: WorstRows | None = None) -> str:
    """The document as lines of JSON; NaN is null."""
    return json.dumps(documents.to_dict(result, rows), indent=2, ensure_ascii=False, allow_nan=False)


def _csv(result: AnyResult, lang: Lang | None, title: str | None, rows: WorstRows | None) -> str:
    return csv_of(result)


def csv_of(result: AnyResult) -> str:
    """The main table of a result as CSV; a cell is empty where there is no value, as pandas writes it."""
    out = io.StringIO(newline="")
    rows = [{name: "" if cell != cell else cell for name, cell in row.items()} for row in frame.rows(result)]
    writer = csv.DictWriter(out, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def _markdown(result: AnyResult, lang: Lang | None, title: str | None, rows: WorstRows | None) -> str:
    return rendering.to_markdown(result, lang, rows)


def _latex(result: AnyResult, lang: Lang | None, title: str | None, rows: WorstRows | None) -> str:
    return rendering.to_latex(result, lang, rows)


def _text(result: AnyResult, lang: Lang | None, title: str | None, rows: WorstRows | None) -> str:
    return rendering.to_text(result, lang, rows) + "\n"


PAGES = (".html", ".htm")
BYTES = ".calipers"
FORMATS: dict[str, Callable[[AnyResult, Lang | None, str | None, WorstRows | None], str]] = {
    **dict.fromkeys(PAGES, _page), ".json": _json, ".csv": _csv, ".md": _markdown, ".tex": _latex, ".txt": _text,
}  # fmt: skip
