"""What `evaluate` and `gate` ask alike: which rows, which columns, and by which definitions."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

COLUMNS = ("truth", "pred", "score", "weights", "groups")


def _listed(ctx: click.Context, param: click.Parameter, text: str | None) -> list[str] | None:
    """Labels with commas between them."""
    return None if text is None else [label.strip() for label in text.split(",")]


OPTIONS = (
    click.option("--sql", metavar="SELECT", help="Measure the rows of this query instead of files."),
    click.option("--truth", metavar="COLUMN", help="The true label, or number."),
    click.option("--pred", metavar="COLUMN", help="The predicted label, or number."),
    click.option("--score", metavar="COLUMN", multiple=True,
                 help="The score; one for each class when there are several."),
    click.option("--positive", metavar="LABEL", help="The class that the score is for."),
    click.option("--labels", metavar="A,B,...", callback=_listed,
                 help="The classes, in the order of the score columns."),
    click.option("--weights", metavar="COLUMN", help="How much a row counts."),
    click.option("--groups", metavar="COLUMN", help="Rows that belong together and are not independent."),
    click.option("--threshold", type=float, help="Predict the positive class from this score on."),
    click.option("--level", type=float, default=0.95, show_default=True, help="Confidence level."),
    click.option("--interval", metavar="METHOD", help="How bounds are found: wilson, t, delong, bca, ..."),
    click.option("--seed", type=int, default=0, show_default=True, help="Seed of resamples."),
    click.option("--replicates", type=int, default=1000, show_default=True, help="Draws of bootstrap intervals."),
    click.option("--missing", type=click.Choice(["error", "drop"]), default="error", show_default=True,
                 help="What to do about rows with something missing."),
    click.option("--task", metavar="TASK", type=click.Choice(["binary", "multiclass", "regression"]),
                 help="Where the guess must be overruled: binary, multiclass or regression."),
)  # fmt: skip


def asks(command: Callable[..., None]) -> Callable[..., None]:
    """Gives a command FILE... and these options; the names of columns reach it together, as `columns`."""

    @wraps(command)
    def gathered(**given: Any) -> None:
        if not given["files"] and given["sql"] is None:
            raise click.UsageError("nothing to read: give a FILE, - for standard input, or --sql")
        if given["files"] and given["sql"] is not None:
            raise click.UsageError("give files or --sql: a query names its own files, as in  from 'x.parquet'")
        command(columns={name: given.pop(name) for name in COLUMNS}, **given)

    for option in reversed(OPTIONS):
        gathered = option(gathered)
    return click.argument("files", metavar="FILE...", nargs=-1)(gathered)
