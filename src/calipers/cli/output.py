"""How a command shows its result: one set of options for all commands, and one object that obeys them."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple, cast, get_args

import click

from calipers.choices import Lang, Theme
from calipers.cli.charts import Chart, plots_of
from calipers.cli.usage import WrongUse
from calipers.remarks import Remark

if TYPE_CHECKING:
    from calipers.evaluation.evaluation import Evaluation
    from calipers.evaluation.worst_rows import WorstRows
    from calipers.result import AnyResult

ENDINGS = {"json": ".json", "md": ".md", "csv": ".csv"}
VERDICT_COLOURS = {"✓ ": "green", "! ": "yellow", "✗ ": "red"}
FORMATS = {"json": "the result as JSON", "md": "Markdown", "csv": "the main table as CSV"}
OPTIONS: tuple[Callable[[Any], Any], ...] = (
    *(click.option(f"--{name}", f"as_{name}", is_flag=True, help=f"Print only {what}.")
      for name, what in FORMATS.items()),
    click.option("--html", "page", metavar="FILE", help="Write a self-contained HTML report."),
    click.option("-o", "--save", "saved", metavar="FILE",
                 help="Save the result; the extension sets the format: .calipers (for merge), .json, .csv, .md, ..."),
)  # fmt: skip
LOOKS: tuple[Callable[[Any], Any], ...] = (
    click.option("--theme", type=click.Choice(get_args(Theme)), default="light", show_default=True,
                 help="Colours of charts."),
    click.option("--lang", metavar="LANGUAGE",
                 help="Language: en, vi or zh. Default: CALIPERS_LANG, then the locale."),
    click.option("--quiet", is_flag=True, help="Print only the result, not how files were read."),
    click.option("--color/--no-color", default=True, help="Colours on a terminal."),
)  # fmt: skip


with_rows = click.option("--rows", "worst", metavar="N", type=click.IntRange(min=1),
                         help="Also list the N rows (for rankings, queries) with the largest loss.")  # fmt: skip


def outputs(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command the options of its output, which reach it together, as `out`."""

    @wraps(command)
    def gathered(**options: Any) -> None:
        wanted = [name for name in FORMATS if options.pop(f"as_{name}")]
        if len(wanted) > 1:
            raise WrongUse("cli.one_format", first=wanted[0], second=wanted[1])
        named = {name: options.pop(name) for name in ("page", "saved", "charts", "theme", "lang", "quiet", "color")}
        rows = options.pop("worst", None)
        if rows is not None and wanted == ["csv"]:
            raise WrongUse("cli.rows_without_csv")
        command(out=Output(wanted[0] if wanted else "text", **named, rows=rows), **options)

    for option in reversed((*OPTIONS, plots_of(command.__name__), *LOOKS)):
        gathered = option(gathered)
    return gathered


class Ready(NamedTuple):
    """What will be printed, and files by their path."""

    text: str
    files: dict[str, bytes]


@dataclass(frozen=True)
class Output:
    """What is printed, what is written beside it, and how."""

    format: str
    page: str | None
    saved: str | None
    charts: list[Chart]
    theme: Theme
    lang: Lang | None
    quiet: bool
    color: bool
    notes_aside: bool = False  # whether notes go to standard error also beside text
    rows: int | None = None  # how many of the worst rows are shown

    def check(self, of: type) -> None:
        """Refuse what can be refused before anything is read: a language, kinds of charts, files, missing packages."""
        from calipers.cli.charts import check
        from calipers.report.language import language

        language(self.lang)
        check(self.charts, of)
        if self.page is not None:
            from calipers.report.atomic_write import refuse
            from calipers.report.page import path_of, required

            path_of(self.page)
            required()
            refuse(self.page)
        if self.saved is not None:
            from calipers.report.atomic_write import refuse
            from calipers.report.saving import BYTES, ending_of

            if ending_of(self.saved) == BYTES and of.__name__ != "Evaluation":
                raise WrongUse("cli.bytes_of_evaluations", file=self.saved)
            refuse(self.saved)

    @property
    def saves_bytes(self) -> bool:
        """Whether the evaluation is saved with its statistics, so that it can be merged."""
        return self.saved is not None and self.saved.lower().endswith(".calipers")

    @property
    def is_document(self) -> bool:
        """Whether standard output contains only the result; all other messages then go to standard error."""
        return self.format != "text"

    def say(self, line: str) -> None:
        """A line on how something was understood."""
        from calipers.report.language import language

        if not self.quiet:
            click.echo(language(self.lang).remark(line), err=self.is_document or self.notes_aside)

    def formatted(self, result: AnyResult, rows: WorstRows | None = None) -> str:
        """The result in the format that was asked for."""
        from calipers.report import rendering, saving, terminal

        if self.format == "text":
            return rendering.to_text(result, self.lang, rows, terminal.columns())
        return saving.content(result, ENDINGS[self.format], self.lang, rows=rows).decode().rstrip("\n")

    def files(
        self, result: AnyResult, whole: Callable[[], AnyResult] | None = None, rows: WorstRows | None = None
    ) -> dict[str, bytes]:
        """The charts and the page, by path; `whole` gives the result of all metrics, for charts that none asked for."""
        from calipers.cli.charts import draw

        drawn = draw(self.charts, result, self.theme, self.lang, whole or (lambda: result))
        if self.saved is not None:
            from calipers.report.saving import content, ending_of

            drawn[self.saved] = content(result, ending_of(self.saved), self.lang, rows=rows)
        if self.page is None:
            return drawn
        from calipers.report.page import render

        return {**drawn, self.page: render(result, lang=self.lang, command=typed(), rows=rows).encode()}

    def write(self, files: Mapping[str, bytes]) -> None:
        """Write all of them, or none, and say so."""
        if files:
            from calipers.report.atomic_write import write

            write(files)
            self.say(Remark("cli.written", files=list(files)))

    def print(self, text: str) -> None:
        """A text on standard output, with a little colour where a terminal shows it."""
        colored = self.color and not os.environ.get("NO_COLOR") and sys.stdout.isatty()
        plain = self.is_document or not colored or os.environ.get("TERM") == "dumb"
        click.echo(text if plain else painted(text))

    def ready(self, result: AnyResult, whole: Callable[[], AnyResult] | None = None) -> Ready:
        """The text and the files of a result: all of it is made before anything is written or printed."""
        rows = None if self.rows is None else cast("Evaluation", result).worst_rows(self.rows)
        return Ready(self.formatted(result, rows), self.files(result, whole, rows))

    def show(self, result: AnyResult | Ready, *notes: str) -> None:
        """A result, after what is to be said about how it was read."""
        ready = result if isinstance(result, Ready) else self.ready(result)
        for note in filter(None, notes):
            self.say(note)
        self.write(ready.files)
        self.print(ready.text)


def read_as(steps: Sequence[str]) -> str:
    """How files were understood; empty where that was beyond doubt."""
    return Remark("cli.read_as", steps=list(steps)) if steps else ""


def columns_found(columns: Mapping[str, Sequence[str]]) -> str:
    """The columns that were found by their usual names, by what they are."""
    from calipers.report.terminal import escape_label

    each = {what: [escape_label(name) for name in names] for what, names in columns.items() if names}
    return Remark("cli.columns_found", columns=[Remark("cli.column_found", what=k, names=v) for k, v in each.items()])


def painted(text: str) -> str:
    """The first line of each table bold, a verdict in its colour, what was assumed dim."""
    *tables, assumed = text.split("\n\n")
    bold = [_head(head) + rule + _verdicts(rest) for head, rule, rest in (t.partition("\n") for t in tables)]
    return "\n\n".join([*bold, "\n".join(click.style(line, dim=True) for line in assumed.split("\n"))])


def _head(line: str) -> str:
    return _verdicts(line) if line[:2] in VERDICT_COLOURS else click.style(line, bold=True)


def _verdicts(text: str) -> str:
    """Lines that begin with the sign of a verdict, in its colour; the sign says the same without one."""
    lines = (
        click.style(line, fg=VERDICT_COLOURS[line[:2]], bold=True) if line[:2] in VERDICT_COLOURS else line
        for line in text.split("\n")
    )
    return "\n".join(lines)


def typed() -> str:
    """The command as it was typed."""
    args = click.get_current_context().obj
    return shlex.join(["calipers", *(args if isinstance(args, list) else [])])
