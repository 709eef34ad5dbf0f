"""`calipers rank`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from calipers.choices import MissingQueries, NoRelevant, Ties, Unjudged
from calipers.cli.options import intervals, names, reads
from calipers.cli.output import Output, columns_found, outputs, with_rows
from calipers.cli.per_query import with_queries
from calipers.cli.usage import WrongUse

if TYPE_CHECKING:
    from calipers.comparison.compare import Comparison
    from calipers.evaluation.evaluation import Evaluation
    from calipers.settings import Settings

WORDS = {"ties": get_args(Ties), "unjudged": get_args(Unjudged), "missing_queries": get_args(MissingQueries),
         "no_relevant": get_args(NoRelevant)}  # fmt: skip


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option("-m", "--metrics", metavar="NAME,...", multiple=True, callback=names, help="Compute only these metrics.")
@click.option("--per-query", is_flag=True, help="Also print the metrics of each query.")
@click.option("--query", metavar="COLUMN", help="Column of the query, if a file is a table.")
@click.option("--doc", metavar="COLUMN", help="Column of the document ID.")
@click.option("--score", metavar="COLUMN", help="Column of the score that ranks the documents.")
@click.option("--relevance", metavar="COLUMN", help="Column of the judgement: 0 is not relevant.")
@click.option("--ties", type=click.Choice(WORDS["ties"]),
              help="Tied scores: by descending ID (default, as trec_eval), mean over orders, or given order.")
@click.option("--unjudged", type=click.Choice(WORDS["unjudged"]), default="zero", show_default=True,
              help="Unjudged documents: not relevant, or left out.")
@click.option("--missing-queries", type=click.Choice(WORDS["missing_queries"]), default="zero", show_default=True,
              help="Queries missing from the run.")
@click.option("--no-relevant", type=click.Choice(WORDS["no_relevant"]), default="zero", show_default=True,
              help="Queries without relevant documents.")
@intervals("t, hall, percentile, basic, bca")
@reads
@with_rows
@outputs
def rank(
    files: tuple[str, ...],
    metrics: list[str] | None,
    per_query: bool,
    reading: dict[str, Any],
    out: Output,
    **options: Any,
) -> None:
    """Evaluate rankings against relevance judgements.

    Pass judgements and a run as two FILEs in TREC format (query 0 document
    relevance; query Q0 document rank score tag) or as tables with these
    columns, or one table with query, document, score and relevance. Several
    runs are compared with each other on the same queries.

    \b
    Examples:
      calipers rank qrels.txt run.txt
      calipers rank qrels.txt run.txt.gz -m ndcg@10 -m map --per-query --json
      calipers rank ranked.parquet -m "rbp(p=0.9)@20" --query user_id
      calipers rank qrels.txt bm25.txt dense.txt -m ndcg@10
    """  # fmt: skip
    import calipers
    from calipers.evaluation.evaluate_ranking import ranking_settings
    from calipers.settings import Rules

    if per_query and out.format in ("md", "csv"):
        raise WrongUse("cli.per_query_without", format=out.format)
    out.check(calipers.Evaluation if len(files) < 3 else calipers.Comparison)
    named = {name: options.pop(name) for name in ("query", "doc", "score", "relevance")}
    named = {name: column for name, column in named.items() if column is not None}
    settings = ranking_settings(metrics, Rules(**{name: options.pop(name) for name in WORDS}), **options)
    if len(files) > 2:
        if per_query:
            raise WrongUse("cli.per_query_of_one_run")
        if out.rows is not None:
            raise WrongUse("cli.rows_of_one_run")
        out.show(_compared(files, settings))
        return
    result, note = measured(files, settings, named, reading, out.quiet)
    ready = out.ready(result)
    out.show(ready._replace(text=with_queries(result, ready.text, out.format, out.lang)) if per_query else ready, note)


def measured(
    files: Sequence[str], settings: Settings, named: dict[str, str], reading: dict[str, Any], quiet: bool
) -> tuple[Evaluation, str]:
    """The evaluation of a table or of a pair of files, and how its columns were understood."""
    from calipers.cli.progress import Progress
    from calipers.data import reading_rankings
    from calipers.errors import InputError
    from calipers.evaluation.evaluate_ranking import of_rankings, of_table
    from calipers.files import rankings, trec
    from calipers.files.table import Table

    if len(files) == 2:
        assert settings.ranking is not None
        pairs = zip(files, trec.BOTH, strict=True)
        judgements, run = (rankings.read_pair(file, form, named, reading) for file, form in pairs)
        return of_rankings(settings, reading_rankings.of_tables(settings.ranking, judgements, run)), ""
    if files[0] != "-" and Path(files[0]).is_file() and any(trec.is_trec(files[0], form) for form in trec.BOTH):
        raise InputError("cli.trec_alone", file=files[0])
    progress = Progress(visible=not quiet)
    with ExitStack() as stack:
        stack.callback(progress.close)
        table = stack.enter_context(Table(files, watch=progress, **reading))
        kinds = ("query", "doc", "score", "relevance")
        columns = rankings.find_columns(table.names, kinds, named, table.title)
        result = of_table(settings, table, columns)
    return result, "" if columns == named else columns_found({what: [name] for what, name in columns.items()})


def _compared(files: Sequence[str], settings: Settings) -> Comparison:
    from dataclasses import asdict

    import calipers

    runs = {Path(name).name.partition(".")[0]: name for name in files[1:]}
    if len(runs) < len(files) - 1:
        runs = {name: name for name in files[1:]}
    assert settings.ranking is not None
    return calipers.compare(
        files[0], runs, metrics=settings.metrics, level=settings.level, rules=asdict(settings.ranking)
    )
