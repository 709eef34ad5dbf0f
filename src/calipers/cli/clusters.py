"""`calipers clusters`."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any, get_args

import click

from calipers.choices import Missing, Noise
from calipers.cli.options import names, reads
from calipers.cli.output import Output, columns_found, outputs
from calipers.cli.usage import WrongUse


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option("--labels", metavar="COLUMN", help="Column of the cluster of each row.")
@click.option("--truth", metavar="COLUMN", help="Column of the true class, if there is one.")
@click.option("--feature", "features", metavar="COLUMN,...", multiple=True, callback=names,
              help="Columns of numbers by which the rows were clustered.")
@click.option("--distance", metavar="NAME", default="euclidean", show_default=True,
              help="Distance between rows: euclidean, cityblock, cosine, ...")
@click.option("--noise", type=click.Choice(get_args(Noise)), default="drop", show_default=True,
              help="Rows with the label -1: leave them out, or treat them as a cluster.")
@click.option("-m", "--metrics", metavar="NAME,...", multiple=True, callback=names, help="Only these metrics.")
@click.option("--level", type=float, default=0.95, show_default=True, help="Confidence level.")
@click.option("--interval", metavar="METHOD", help="Interval method: jackknife, bca, percentile, basic.")
@click.option("--seed", type=int, default=0, show_default=True, help="Random seed.")
@click.option("--replicates", type=int, default=1000, show_default=True, help="Number of bootstrap samples.")
@click.option("--missing", type=click.Choice(get_args(Missing)), default="error", show_default=True,
              help="Rows with missing values: stop, or drop them.")
@reads
@outputs
def clusters(
    files: tuple[str, ...],
    labels: str | None,
    truth: str | None,
    features: list[str] | None,
    distance: str,
    reading: dict[str, Any],
    out: Output,
    **options: Any,
) -> None:
    """Evaluate clusters against true classes, or by the distances between rows.

    FILE has a column with the cluster of each row, and a column with its true
    class, columns of features, or both. Rows with the label -1 are noise.

    \b
    Examples:
      calipers clusters rows.csv --labels cluster --truth species
      calipers clusters rows.csv --labels cluster --feature width,height
      calipers clusters rows.parquet --labels dbscan --truth class --noise cluster
    """  # fmt: skip
    import calipers
    from calipers.cli.progress import Progress
    from calipers.files.choosing import named, one_of_usual
    from calipers.files.column_names import CLUSTER, TRUTH
    from calipers.files.table import Table

    out.check(calipers.Evaluation)
    progress = Progress(visible=not out.quiet)
    with ExitStack() as stack:
        stack.callback(progress.close)
        table = stack.enter_context(Table(files, watch=progress, **reading))
        found = named(table, labels, "labels") if labels else one_of_usual(table, CLUSTER, "labels", needed=True)
        true = named(table, truth, "truth") if truth else one_of_usual(table, TRUTH, "truth", needed=False)
        numbers = [named(table, name, "--feature") for name in features or ()]
        if true is None and not numbers:
            raise WrongUse("cli.clusters_of_nothing", file=table.title)
        cells = table.read([found, *([] if true is None else [true])], numbers)
        result = calipers.evaluate_clusters(
            cells["label", found],
            None if true is None else cells["label", true],
            _table([cells["number", name] for name in numbers]),
            distance=distance,
            **options,
        )
    shown = {"labels": [found]} | ({} if true is None else {"truth": [true]})
    out.show(result, "" if labels and (truth or true is None) else columns_found(shown))


def _table(columns: list[Any]) -> Any:
    """The columns of numbers side by side; None where there are none."""
    import numpy as np

    from calipers.data import containers

    if not columns:
        return None
    return np.column_stack([containers.numbers(column, "X") for column in columns])
