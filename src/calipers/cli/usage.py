"""Commands that were written in a way that cannot be obeyed: errors of click whose texts are codes."""

from __future__ import annotations

import re
from typing import Any

import click

from calipers.errors import CalipersError
from calipers.remarks import rendered

REFUSED = re.compile(r"(?P<value>'.*'|\"[^\"]*\"|\S+) is not ")  # how click begins to say what is wrong with a value
EXTRA = re.compile(r"Got unexpected extra arguments? \((?P<text>.*)\)")
NUMBERS = {click.INT.name: "cli.not_an_integer", click.FLOAT.name: "cli.not_a_float"}


class WrongUse(CalipersError, click.UsageError):
    """Options that do not fit each other, or that are missing."""

    def format_message(self) -> str:
        """The message in the reader's language."""
        return self.text()


class WrongValue(CalipersError, click.BadParameter):
    """An option whose value cannot be read; the message names the option."""

    def text(self, lang: str | None = None) -> str:
        """The option, and what is wrong with it."""
        option = "" if self.param is None else self.param.get_error_hint(self.ctx)
        return rendered("cli.wrong_value", {"option": option, "why": super().text(lang)}, lang)

    def format_message(self) -> str:
        """The message in the reader's language."""
        return self.text()


def message_of(error: click.ClickException, lang: str | None) -> str:
    """What an error of click's own says, in the reader's language; a text that we do not know stays as it is."""
    if isinstance(error, CalipersError):
        return error.text(lang)
    known = _code(error)
    if known is None:
        return error.format_message()
    code, values = known
    text = rendered(code, values, lang)
    if isinstance(error, click.BadParameter) and not isinstance(error, click.MissingParameter):
        option = "" if error.param is None else error.param.get_error_hint(error.ctx)
        return rendered("cli.wrong_value", {"option": option, "why": text}, lang)
    return text


def _code(error: click.ClickException) -> tuple[str, dict[str, object]] | None:
    if isinstance(error, click.NoSuchOption):
        code = "cli.no_such_option_near" if error.possibilities else "cli.no_such_option"
        return code, _named(error.option_name, error.possibilities)
    if (name := getattr(error, "command_name", None)) is not None:  # NoSuchCommand, since click 8.4
        near = getattr(error, "possibilities", None)
        return "cli.no_such_command_near" if near else "cli.no_such_command", _named(name, near)
    if isinstance(error, click.MissingParameter) and error.param is not None:
        code = "cli.missing_argument" if error.param.param_type_name == "argument" else "cli.missing_option"
        return code, {"option": error.param.get_error_hint(error.ctx)}
    if isinstance(error, click.BadOptionUsage) and "requires" in error.message:
        return "cli.option_needs_value", {"option": error.option_name}
    if isinstance(error, click.BadParameter) and error.param is not None:
        return _wrong_value(error.message, error.param.type)
    extra = EXTRA.match(getattr(error, "message", ""))
    return None if extra is None else ("cli.extra_arguments", {"text": extra["text"]})


def _named(name: str, near: list[str] | None) -> dict[str, object]:
    values: dict[str, object] = {"name": name}
    return values | {"near": [repr(each) for each in near]} if near else values


def _wrong_value(message: str, kind: click.ParamType[Any]) -> tuple[str, dict[str, object]] | None:
    value = REFUSED.match(message)
    if value is None:
        return None
    if isinstance(kind, click.Choice):
        return "cli.not_one_of", {"value": value["value"], "known": [repr(each) for each in kind.choices]}
    if " in the range " in message:
        allowed = message.partition(" in the range ")[2].rstrip(".")
        return "cli.not_in_range", {"value": value["value"], "range": allowed}
    code = NUMBERS.get(kind.name.removesuffix(" range"))
    return None if code is None else (code, {"value": value["value"]})
