"""`calipers clusters`."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any, get_args

import click

from calipers.choices import Noise
from calipers.cli.options import check_of_one_or_several, intervals, judges, names, reads, with_missing
from calipers.cli.output import Output, columns_found, outputs
from calipers.cli.usage import WrongUse


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option("--labels", metavar="COLUMN,...", multiple=True, callback=names,
              help="Column of the cluster of each row; several clusterings are compared.")
@click.option("--truth", metavar="COLUMN", help="Column of the true class, if there is one.")
@click.option("--feature", "features", metavar="COLUMN,...", multiple=True, callback=names,
              help="Columns of numbers by which the rows were clustered.")
@click.option("--distance", metavar="NAME", default="euclidean", show_default=True,
              help="Distance between rows: euclidean, cityblock, cosine, ...")
@click.option("--sample", metavar="N", type=int, help="Number of rows whose silhouette is computed.")
@click.option("--groups", metavar="COLUMN", help="Column of groups: rows of a group are not independent.")
@click.option("--noise", type=click.Choice(get_args(Noise)), default="drop", show_default=True,
              help="Rows with the label -1: leave them out, or treat them as a cluster.")
@click.option("-m", "--metrics", metavar="NAME,...", multiple=True, callback=names, help="Compute only these metrics.")
@intervals("jackknife, bca, percentile, basic")
@with_missing
@judges
@reads
@outputs
def clusters(
    files: tuple[str, ...],
    labels: list[str] | None,
    truth: str | None,
    features: list[str] | None,
    groups: str | None,
    judging: dict[str, Any],
    reading: dict[str, Any],
    out: Output,
    **options: Any,
) -> None:
    """Evaluate clusters against true classes, or by the distances between rows.

    FILE has a column with the cluster of each row, and a column with its true
    class, columns of features, or both. Rows with the label -1 are noise.
    Several columns of clusters are compared with each other.

    \b
    Examples:
      calipers clusters rows.csv --labels cluster --truth species
      calipers clusters rows.csv --labels cluster --feature width,height
      calipers clusters rows.parquet --labels dbscan --truth class --noise cluster
      calipers clusters rows.csv --labels kmeans,dbscan --feature width,height
    """  # fmt: skip
    import calipers
    from calipers.cli.progress import Progress
    from calipers.files.choosing import named, one_of_usual
    from calipers.files.column_names import CLUSTER, TRUTH
    from calipers.files.table import Table

    several = labels is not None and len(labels) > 1
    out.check(calipers.Comparison if several else calipers.Evaluation)
    check_of_one_or_several(judging, options["interval"], several=several)
    progress = Progress(visible=not out.quiet)
    with ExitStack() as stack:
        stack.callback(progress.close)
        table = stack.enter_context(Table(files, watch=progress, **reading))
        found: list[str] = [named(table, name, "labels") for name in labels or ()]
        found = found or [one_of_usual(table, CLUSTER, "labels", needed=True)]
        true = named(table, truth, "truth") if truth else one_of_usual(table, TRUTH, "truth", needed=False)
        group = [] if groups is None else [named(table, groups, "groups")]
        numbers = [named(table, name, "--feature") for name in features or ()]
        if true is None and not numbers:
            raise WrongUse("cli.clusters_of_nothing", file=table.title)
        cells = table.read([*found, *([] if true is None else [true])], numbers, group)
    columns = {
        "truth": None if true is None else cells["label", true],
        "X": _table([cells["number", name] for name in numbers]),
        "groups": cells["group", group[0]] if group else None,
    }
    clusterings = {name: cells["label", name] for name in found}
    shown = {"labels": found} | ({} if true is None else {"truth": [true]})
    note = "" if labels and (truth or true is None) else columns_found(shown)
    out.show(_measured(clusterings, columns, options, judging), note)


def _measured(
    clusterings: dict[str, Any], columns: dict[str, Any], options: dict[str, Any], judging: dict[str, Any]
) -> Any:
    """The evaluation of one clustering, or the comparison of several."""
    import calipers

    if len(clusterings) == 1:
        (labels,) = clusterings.values()
        return calipers.evaluate_clusters(labels, **columns, **options)
    rules = {name: options[name] for name in ("distance", "sample", "noise")} | {"X": columns["X"]}
    rest = {name: options[name] for name in ("metrics", "level", "seed", "missing")} | judging
    return calipers.compare(columns["truth"], clusterings, task="clustering", rules=rules, groups=columns["groups"],
                            **rest)  # fmt: skip


def _table(columns: list[Any]) -> Any:
    """The columns of numbers side by side; None where there are none."""
    import numpy as np

    from calipers.data import containers

    if not columns:
        return None
    return np.column_stack([containers.numbers(column, "X") for column in columns])
