"""`calipers counts`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from calipers.cli.output import Output, outputs
from calipers.cli.usage import WrongValue

Given = float | list[float]


def _numbers(ctx: click.Context, param: click.Parameter, parts: tuple[str, ...]) -> Given | None:
    """One number for one class, or a list for several classes (separated by commas, or by repeating the option)."""
    texts = [text for part in parts for text in part.split(",")]
    try:
        numbers = [float(text) for text in texts]
    except ValueError:
        raise WrongValue("cli.not_counts", text=",".join(texts)) from None
    return (numbers[0] if len(numbers) == 1 else numbers) if numbers else None


def _count(name: str, text: str, *, required: bool = True) -> Callable[[Any], Any]:
    return click.option(
        name, callback=_numbers, multiple=True, required=required, metavar="N[,N...]", help=text
    )


@click.command()
@_count("--tp", "True positives.")
@_count("--fp", "False positives.")
@_count("--fn", "False negatives.")
@_count("--tn", "True negatives, if known.", required=False)
@click.option("--labels", metavar="A,B,...", help="Names of the classes, in the order of the counts.")
@click.option("--positive", metavar="LABEL", help="Name of the class of the counts.")
@click.option("--level", type=float, default=0.95, show_default=True, help="Confidence level.")
@outputs
def counts(
    tp: Given,
    fp: Given,
    fn: Given,
    tn: Given | None,
    labels: str | None,
    positive: str | None,
    level: float,
    out: Output,
) -> None:
    """Metrics from a published confusion matrix.

    For one class, pass a number to each option; for several classes, a list.

    \b
    Examples:
      calipers counts --tp 55 --fp 50 --fn 45 --tn 850 --positive BAD
      calipers counts --tp 10,17,25 --fp 5,7,2 --fn 3,10,4 --labels a,b,c
    """
    import calipers

    out.check(calipers.Evaluation)
    result = calipers.evaluate_counts(
        tp=tp,
        fp=fp,
        fn=fn,
        tn=tn,
        labels=None if labels is None else labels.split(","),
        positive=positive,
        level=level,
    )
    out.show(result)
