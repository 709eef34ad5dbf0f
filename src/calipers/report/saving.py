"""`result.save(path)`: the ending of the name decides what is written."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from calipers.choices import Lang
from calipers.errors import InputError
from calipers.report import frame, page
from calipers.report.atomic_write import refuse, write

if TYPE_CHECKING:
    from calipers.result import AnyResult


def save(result: AnyResult, path: Any, *, lang: Lang | None = None, title: str | None = None) -> None:
    """Write a page, the document, the table, Markdown, LaTeX, text, or all statistics, whole or not at all."""
    try:
        name = os.fsdecode(path)
    except TypeError:
        raise InputError("report.not_a_file_name", path=path, kind=type(path).__name__) from None
    ending = ending_of(name)
    if title is not None and ending not in PAGES:
        raise InputError("report.title_of_page", name=name)
    refuse(name)
    write({name: content(result, ending, lang, title)})


def content(result: AnyResult, ending: str, lang: Lang | None = None, title: str | None = None) -> bytes:
    """What a file with this ending holds of a result."""
    if ending == BYTES:
        from calipers.evaluation.evaluation import Evaluation

        if not isinstance(result, Evaluation):
            raise InputError("report.bytes_of_evaluations", kind=result.kind)
        return result.to_bytes()
    return FORMATS[ending](result, lang, title).encode()


def ending_of(name: str) -> str:
    """The ending of a file name; one that is not known is an error."""
    ending, known = Path(name).suffix.lower(), [*FORMATS, BYTES]
    if not ending:
        raise InputError("report.no_ending", name=name, known=known)
    if ending not in known:
        raise InputError("report.unknown_ending", name=name, ending=ending, known=known)
    return ending


def _page(result: AnyResult, lang: Lang | None, title: str | None) -> str:
    return page.render(result, lang=lang, title=title)


def _json(result: AnyResult, lang: Lang | None, title: str | None) -> str:
    return result.to_json(indent=2) + "\n"


def _csv(result: AnyResult, lang: Lang | None, title: str | None) -> str:
    return csv_of(result)


def csv_of(result: AnyResult) -> str:
    """The main table of a result as CSV; a cell is empty where there is no value, as pandas writes it."""
    out = io.StringIO(newline="")
    rows = [{name: "" if cell != cell else cell for name, cell in row.items()} for row in frame.rows(result)]
    writer = csv.DictWriter(out, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def _markdown(result: AnyResult, lang: Lang | None, title: str | None) -> str:
    return result.to_markdown(lang)


def _latex(result: AnyResult, lang: Lang | None, title: str | None) -> str:
    return result.to_latex(lang)


def _text(result: AnyResult, lang: Lang | None, title: str | None) -> str:
    return result.to_text(lang) + "\n"


PAGES = (".html", ".htm")
BYTES = ".calipers"
FORMATS: dict[str, Callable[[AnyResult, Lang | None, str | None], str]] = {
    **dict.fromkeys(PAGES, _page), ".json": _json, ".csv": _csv, ".md": _markdown, ".tex": _latex, ".txt": _text,
}  # fmt: skip
