"""What goes to the terminal: plain text, with a little colour where a terminal shows it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

import click

color_option: Callable[[Any], Any] = click.option(
    "--color/--no-color", default=True, help="Colours, on a terminal only.", hidden=False
)


lang_option: Callable[[Any], Any] = click.option(
    "--lang", metavar="LANGUAGE", help="Of the report: en, vi or zh; else CALIPERS_LANG, else the locale."
)


def say(line: str, *, aside: bool = False) -> None:
    """A line on how something was understood; aside, on standard error, where standard output is for a document."""
    click.echo(line, err=aside)


def show(text: str, *, as_json: bool = False, color: bool = True) -> None:
    """A result on standard output."""
    colored = color and not os.environ.get("NO_COLOR") and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    click.echo(painted(text) if colored and not as_json else text)


def painted(text: str) -> str:
    """The first line of each table bold, what was assumed dim."""
    *tables, assumed = text.split("\n\n")
    bold = [click.style(head, bold=True) + rule + rest for head, rule, rest in (t.partition("\n") for t in tables)]
    return "\n\n".join([*bold, "\n".join(click.style(line, dim=True) for line in assumed.split("\n"))])
