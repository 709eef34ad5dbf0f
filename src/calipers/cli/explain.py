"""`calipers explain`."""

from __future__ import annotations

from typing import Any

import click

from calipers.cli.evaluate import read_file
from calipers.cli.output import lang_option
from calipers.cli.reading import reads

# What `calipers.evaluate` is asked beside what this command has options for.
ASKED = dict.fromkeys(("labels", "metrics", "interval", "task")) | {"seed": 0, "replicates": 1000, "missing": "error"}


@click.command()
@click.argument("name", metavar="METRIC")
@click.argument("files", metavar="[FILE...]", nargs=-1)
@click.option("--got", metavar="NUMBER", help="What another tool gave, as printed: name the definition that gives it.")
@click.option("--truth", metavar="COLUMN", help="The true label.")
@click.option("--pred", metavar="COLUMN", help="The predicted label.")
@click.option("--score", metavar="COLUMN", multiple=True, help="The score; one for each class when there are several.")
@click.option("--positive", metavar="LABEL", help="The class that the score is for.")
@click.option("--weight", "weights", metavar="COLUMN", help="How much a row counts.")
@click.option("--threshold", type=float, help="Predict the positive class from this score on.")
@click.option("--level", type=float, default=0.95, show_default=True, help="Confidence level.")
@reads
@lang_option
def explain(
    name: str,
    files: tuple[str, ...],
    got: str | None,
    truth: str | None,
    pred: str | None,
    score: tuple[str, ...],
    weights: str | None,
    reading: dict[str, Any],
    lang: str | None,
    **asked: Any,
) -> None:
    """Explain a metric, with the numbers of a file when one is given.

    Definition, formula, the formula with your counts put in, interval, when
    it misleads, and the value under every definition that goes by its name.

    \b
    Examples:
      calipers explain f1
      calipers explain roc_auc predictions.csv --lang vi
      calipers explain average_precision predictions.csv --got 0.731
    """
    import calipers
    from calipers.report.language import language

    spoken = language(lang).code
    calipers.metric(name)  # a name that is not known is refused before a file is read
    if not files:
        click.echo(calipers.explain(name, lang=spoken, got=got))
        return
    columns = {"truth": truth, "pred": pred, "score": score, "by": (), "weights": weights, "cluster": None}
    text = read_file(
        files, None, columns, reading, {**ASKED, **asked},
        lambda ev: str(ev.explain(name, lang=spoken, got=got)), aside=True, quiet=False,
    )  # fmt: skip
    click.echo(text)
