"""Options that several commands share: how files are read, which columns and definitions an evaluation takes."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeAlias, get_args

import click

from calipers.choices import Missing
from calipers.cli.thresholds import NumberOrRule
from calipers.cli.usage import WrongUse, WrongValue

MARKS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "bar": "|", "pipe": "|", "space": " "}
Decorator: TypeAlias = Callable[[Callable[..., None]], Callable[..., None]]
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def _size(ctx: click.Context, param: click.Parameter, text: str) -> int:
    if text.lower() == "none":
        return 1 << 62
    match = re.fullmatch(r"(\d+(?:\.\d+)?) *([KMGT]?)i?B?", text, re.IGNORECASE)
    if match is None:
        raise WrongValue("cli.not_a_size", text=text)
    return int(float(match[1]) * UNITS[match[2].upper()])


def _mark(ctx: click.Context, param: click.Parameter, text: str | None) -> str | None:
    mark = text and MARKS.get(text.lower(), text)
    if mark and (len(mark) > 1 or mark in "\"\r\n"):
        raise WrongValue("cli.not_a_delimiter", text=text)
    return mark


OF_FILES = {
    "encoding": click.option("--encoding", metavar="NAME", help="Text encoding: gb18030, cp1258, utf-16-le, ..."),
    "delimiter": click.option("--delimiter", metavar="MARK", callback=_mark, help="Column delimiter: ';', tab, ..."),
    "decimal": click.option("--decimal", type=click.Choice([".", ","]), help="Decimal mark."),
    "header": click.option("--header/--no-header", default=None,
                           help="Whether the first line contains the column names."),
    "quotes": click.option("--quotes/--no-quotes", default=None, help="Whether cells can be quoted."),
    "limit": click.option("--limit", metavar="SIZE", default="1GB", show_default=True, callback=_size,
                          help="Maximum size to decompress or to read from a pipe."),
}  # fmt: skip


def stacked(*options: Callable[[Any], Any]) -> Decorator:
    """Gives a command these options, in this order."""

    def decorated(command: Callable[..., None]) -> Callable[..., None]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorated


def reads(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command the options of reading, which reach it together, as `reading`."""

    @wraps(command)
    def gathered(**options: Any) -> None:
        command(reading={name: options.pop(name) for name in OF_FILES}, **options)

    return stacked(*OF_FILES.values())(gathered)


def names(ctx: click.Context, param: click.Parameter, parts: tuple[str, ...]) -> list[str] | None:
    """Names with commas between them; a comma inside brackets belongs to the name."""
    listed = [name.strip() for part in parts for name in re.split(r",(?![^(]*\))", part) if name.strip()]
    if parts and not listed:
        raise WrongValue("cli.names_nothing", text=parts[0])
    return listed or None


def _with_one_blas_thread(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Before NumPy is imported: its threads for linear algebra, of which there is none here to speak of, would take
    address space (`ulimit -v`) and time."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    return value


memory_option = click.option(
    "--memory",
    metavar="SIZE",
    callback=_with_one_blas_thread,
    help="Memory limit for the rows, such as 2GB; a file that needs more is evaluated on disk. "
    "Default: a quarter of the memory of the machine.",
)

OF_COMPARISONS = {
    "margin": click.option("--margin", type=float,
                           help="Largest difference that does not matter: test for equivalence."),
    "baseline": click.option("--baseline", metavar="MODEL",
                             help="Model to compare the others with. Default: the first."),
    "primary": click.option("--primary", metavar="METRIC", help="Primary metric: it decides which model is better."),
}  # fmt: skip


def judges(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command that may compare the options of comparisons, which reach it together, as `judging`."""

    @wraps(command)
    def gathered(**options: Any) -> None:
        command(judging={name: options.pop(name) for name in OF_COMPARISONS}, **options)

    return stacked(*OF_COMPARISONS.values())(gathered)


def check_of_one_or_several(judging: dict[str, Any], interval: str | None, *, several: bool) -> None:
    """An error for an option of comparisons without any, and for a method of intervals in one."""
    if several and interval is not None:
        raise WrongUse("cli.interval_of_one")
    for name in [name for name, value in judging.items() if value is not None and not several]:
        raise WrongUse("cli.of_a_comparison", option=name)


def intervals(methods: str) -> Decorator:
    """Gives a command the options of its intervals; methods: those that its metrics can have."""
    return stacked(
        click.option("--level", type=float, default=0.95, show_default=True, help="Confidence level."),
        click.option("--interval", metavar="METHOD", help=f"Interval method: {methods}."),
        click.option("--seed", type=int, default=0, show_default=True, help="Random seed of the bootstrap."),
        click.option("--replicates", type=int, default=1000, show_default=True, help="Number of bootstrap samples."),
    )


with_missing = click.option("--missing", type=click.Choice(get_args(Missing)), default="error", show_default=True,
                            help="Rows with missing values: stop, or drop them.")  # fmt: skip
COLUMNS = ("truth", "pred", "score", "weights", "groups")


def _listed(ctx: click.Context, param: click.Parameter, text: str | None) -> list[str] | None:
    """Labels with commas between them."""
    return None if text is None else [label.strip() for label in text.split(",")]


OF_ROWS = (
    click.option("--sql", metavar="SELECT", help="Read the rows from this query instead of from files."),
    click.option("--truth", metavar="COLUMN", help="Column of the true label or value."),
    click.option("--pred", metavar="COLUMN", help="Column of the predicted label or value."),
    click.option("--score", metavar="COLUMN", multiple=True,
                 help="Column of the score; one per class if there are several."),
    click.option("--positive", metavar="LABEL", help="The positive class, which the score is for."),
    click.option("--labels", metavar="A,B,...", callback=_listed,
                 help="All classes, in the order of the score columns."),
    click.option("--weights", metavar="COLUMN", help="Column of row weights."),
    click.option("--groups", metavar="COLUMN", help="Column of groups: rows of a group are not independent."),
    click.option("--threshold", metavar="NUMBER", type=NumberOrRule(),
                 help="Predict positive when score >= this; calipers evaluate can also choose it for a metric, such as "
                 "f1 or 'recall at precision >= 0.5'."),
    intervals("wilson, t, delong, bca, .."),
    with_missing,
    click.option("--task", metavar="TASK", type=click.Choice(["binary", "multiclass", "regression"]),
                 help="Override the detected task: binary, multiclass or regression."),
)  # fmt: skip


def asks(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command FILE... and these options; the names of columns reach it together, as `columns`."""

    @wraps(command)
    def gathered(**options: Any) -> None:
        if not options["files"] and options["sql"] is None:
            raise WrongUse("cli.nothing_to_read")
        if options["files"] and options["sql"] is not None:
            raise WrongUse("cli.files_or_sql")
        if isinstance(options["threshold"], str) and command.__name__ != "evaluate":
            raise WrongUse("cli.threshold_of_evaluate", text=options["threshold"])
        command(columns={name: options.pop(name) for name in COLUMNS}, **options)

    return stacked(click.argument("files", metavar="FILE...", nargs=-1), *OF_ROWS)(gathered)
