"""`--html FILE`: the page of a result, written beside what is printed."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from typing import Any

import click

from calipers.choices import Lang

html_option: Callable[[Any], Any] = click.option(
    "--html", "page", metavar="FILE", help="Write a page: one HTML file with everything in it."
)


def check_page(page: str | None) -> None:
    """Refuse what can be refused before anything is read: a missing package, another kind of file, no folder."""
    if page is not None:
        from calipers.report.atomic_write import refuse
        from calipers.report.page import path_of, required

        path_of(page)
        required()
        refuse(page)


def paged(page: str | None, result: Any, lang: Lang | None) -> dict[str, bytes]:
    """The page by its path; nothing where none was asked for."""
    if page is None:
        return {}
    from calipers.report.page import render

    return {page: render(result, lang=lang, command=typed()).encode()}


def with_page(
    page: str | None, lang: Lang | None, picture: Callable[..., Mapping[str, bytes]]
) -> Callable[..., dict[str, bytes]]:
    """Charts and the page together, so that all are written or none."""
    return lambda result, whole: {**picture(result, whole=whole), **paged(page, result, lang)}


def typed() -> str:
    """The command as it was typed."""
    args = click.get_current_context().obj
    return shlex.join(["calipers", *(args if isinstance(args, list) else [])])
