"""`calipers metrics`."""

from __future__ import annotations

import click

from calipers.cli.output import Output, outputs


@click.command()
@click.argument("name", required=False)
@outputs
def metrics(name: str | None, out: Output) -> None:
    """List the metrics, or explain one of them.

    \b
    Examples:
      calipers metrics
      calipers metrics f1
      calipers metrics "fbeta(beta=2)"
      calipers metrics --csv > metrics.csv
    """
    import calipers
    from calipers.report.language import language

    if name is None:
        out.check(calipers.MetricList)
        out.show(calipers.MetricList())
    else:
        out.check(calipers.Explanation)
        out.show(calipers.explain(name, lang=language(out.lang).code))
