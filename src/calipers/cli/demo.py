"""`calipers demo`."""

from __future__ import annotations

import click


@click.command()
def demo() -> None:
    """Evaluate the embedded example.

    1000 loans, 100 of them bad, and what a model said about each.

    \b
    Example:
      calipers demo
    """
    import calipers
    from calipers import datasets

    loans = datasets.load("bad_debt")
    result = calipers.evaluate(
        loans, truth="truth", pred="predicted", score="score", positive="BAD", by="region"
    )
    click.echo(repr(result))
    click.echo()
    click.echo("Your own file:      calipers evaluate predictions.csv")
    click.echo("What a number is:   calipers metrics mcc")
