"""The page of the command line, made from the commands themselves."""

from __future__ import annotations

import inspect
from collections.abc import Iterator

import click

from calipers.cli import shell

INTRODUCTION = """\
# Commands

Every command of the shell with its arguments and options, as `calipers COMMAND --help` prints them.
[Command line](../shell.md) shows them at work.
"""


def pages() -> Iterator[tuple[str, str]]:
    """One page with all commands."""
    yield "api/commands.md", "\n".join([INTRODUCTION, *(entry(name, shell.commands[name]) for name in shell.commands)])


def entry(name: str, command: click.Command) -> str:
    """A command: what it does, its usage, options and examples."""
    described, _, examples = inspect.cleandoc(command.help or "").partition("\b\nExamples:\n")
    text = described.replace("\b\n", "")
    context = click.Context(command, info_name=f"calipers {name}")
    usage = command.get_usage(context).removeprefix("Usage: ")
    parts = [f"## calipers {name}\n", f"```text\n{usage}\n\n{text.strip()}\n```\n"]
    options = [param for param in command.params if isinstance(param, click.Option) and not param.hidden]
    rows = [row(option, context) for option in options]
    if rows:
        parts += ["| option | meaning |\n|---|---|", *rows, ""]
    if examples:
        parts.append(f"```text\n{inspect.cleandoc(examples)}\n```\n")
    return "\n".join(parts)


def row(option: click.Option, context: click.Context) -> str:
    """An option as a line of a table."""
    names, text = option.get_help_record(context) or ("", "")
    return f"| `{names}` | {text.replace('|', '&#124;').replace('<', '&lt;')} |".replace("\n", " ")
