"""`calipers power`."""

from __future__ import annotations

import click


@click.command()
@click.option("--auc", type=float, nargs=2, metavar="A B", help="Two areas under the ROC curve.")
@click.option("--accuracy", type=float, nargs=2, metavar="A B", help="Two accuracies, or other shares of rows.")
@click.option("--difference", type=float, help="A difference of means, such as log loss; with --sd.")
@click.option("--sd", type=float, help="The spread of the row differences of a mean.")
@click.option("--prevalence", type=float, default=0.5, show_default=True, help="Share of positives, for --auc.")
@click.option("--correlation", type=float, default=0.5, show_default=True,
              help="Correlation of the two areas, for --auc.")  # fmt: skip
@click.option("--discordance", type=float,
              help="Share of rows that only one model gets right, for --accuracy; "
              "as of independent errors unless told.")  # fmt: skip
@click.option("--power", type=float, default=0.8, show_default=True, help="How often the difference is to be seen.")
@click.option("--level", type=float, default=0.95, show_default=True, help="Confidence level.")
@click.option("--rows", type=int, help="Say what difference this many rows see; of a pair, the first number counts.")
def power(
    auc: tuple[float, float] | None,
    accuracy: tuple[float, float] | None,
    difference: float | None,
    sd: float | None,
    prevalence: float,
    correlation: float,
    discordance: float | None,
    power: float,
    level: float,
    rows: int | None,
) -> None:
    """How many rows tell two models apart.

    Both models are measured on the same rows.

    \b
    Examples:
      calipers power --auc 0.80 0.82 --prevalence 0.1
      calipers power --accuracy 0.90 0.92 --discordance 0.08
      calipers power --difference 0.01 --sd 0.2
    """
    import calipers

    found = calipers.power(
        auc=auc if rows is None or auc is None else auc[0],
        accuracy=accuracy if rows is None or accuracy is None else accuracy[0],
        difference=difference if rows is None else None,
        sd=sd,
        rows=rows,
        prevalence=prevalence,
        correlation=correlation,
        discordance=discordance,
        power=power,
        level=level,
    )
    click.echo(repr(found))
