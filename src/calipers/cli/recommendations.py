"""`calipers recommendations`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import click

from calipers.choices import MissingQueries, NoRelevant, Seen, Ties, UnknownItems
from calipers.cli.options import check_of_one_or_several, intervals, judges, names, reads
from calipers.cli.output import Output, outputs
from calipers.cli.per_query import with_queries
from calipers.cli.usage import WrongUse


@click.command()
@click.argument("truth", metavar="TRUTH")
@click.argument("files", metavar="RECOMMENDATIONS...", nargs=-1, required=True)
@click.option("-m", "--metrics", metavar="NAME,...", multiple=True, callback=names, help="Compute only these metrics.")
@click.option("--catalogue", metavar="FILE", help="Items that could be recommended.")
@click.option("--history", metavar="FILE", help="Items that users had before.")
@click.option("--items", metavar="FILE", help="Features of the items.")
@click.option("--user", metavar="COLUMN", help="Column of the user.")
@click.option("--item", metavar="COLUMN", help="Column of the item.")
@click.option("--rating", metavar="COLUMN", help="Column of the rating in TRUTH.")
@click.option("--score", metavar="COLUMN", help="Column of the score that ranks the items.")
@click.option("--rank", metavar="COLUMN", help="Column of the rank, instead of a score.")
@click.option("--min-rating", type=float, help="Lowest rating that counts as relevant.")
@click.option("--seen", type=click.Choice(get_args(Seen)), default="keep", show_default=True,
              help="Recommended items from the user's own history.")
@click.option("--unknown-items", type=click.Choice(get_args(UnknownItems)), default="error", show_default=True,
              help="Recommended items outside the catalogue.")
@click.option("--ties", type=click.Choice(get_args(Ties)),
              help="Tied scores: by descending ID (default), mean over orders, or given order.")
@click.option("--missing-users", type=click.Choice(get_args(MissingQueries)), default="zero", show_default=True,
              help="Users without recommendations.")
@click.option("--no-relevant", type=click.Choice(get_args(NoRelevant)), default="zero", show_default=True,
              help="Users without relevant items.")
@click.option("--per-user", "--per-query", "per_user", is_flag=True, help="Also print the metrics of each user.")
@intervals("t-scaled, t, hall, jackknife, wilson, percentile, basic, bca")
@judges
@reads
@outputs
def recommendations(
    truth: str, files: Sequence[str], metrics: list[str] | None, per_user: bool, level: float, interval: str | None,
    seed: int, replicates: int, judging: dict[str, Any], reading: dict[str, Any], out: Output, **options: Any,
) -> None:  # fmt: skip
    """Evaluate recommended items against what users liked.

    TRUTH and RECOMMENDATIONS are tables with columns of users and items, and a
    rating, a score or a rank. Several files of recommendations are compared
    with each other on the same users.

    \b
    Examples:
      calipers recommendations truth.csv recommendations.csv
      calipers recommendations truth.csv top10.csv --history history.csv
      calipers recommendations truth.csv old.csv new.csv --min-rating 4
    """
    import calipers
    from calipers.evaluation.evaluate_recommendations import evaluate_with

    several = len(files) > 1
    out.check(calipers.Comparison if several else calipers.Evaluation)
    check_of_one_or_several(judging, interval, several=several)
    if per_user and several:
        raise WrongUse("cli.per_query_of_one_run")
    if per_user and out.format in ("md", "csv"):
        raise WrongUse("cli.per_query_without", format=out.format)
    rules = {**options, "reading": reading}
    if not several:
        how: dict[str, Any] = {"level": level, "interval": interval, "seed": seed, "replicates": replicates}
        result = evaluate_with(truth, files[0], metrics, rules, **how)
        ready = out.ready(result)
        out.show(ready._replace(text=with_queries(result, ready.text, out.format, out.lang)) if per_user else ready)
        return
    runs = {Path(name).name.partition(".")[0]: name for name in files}
    runs = runs if len(runs) == len(files) else {name: name for name in files}
    how = {"level": level, "seed": seed, **judging}
    out.show(calipers.compare(truth, runs, metrics=metrics, task="recommendation", rules=rules, **how))
