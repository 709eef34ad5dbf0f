"""Commands that were written in a way that cannot be obeyed: errors of click whose texts are codes."""

from __future__ import annotations

import click

from calipers.errors import CalipersError
from calipers.remarks import rendered


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
