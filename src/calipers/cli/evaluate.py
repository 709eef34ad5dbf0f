"""`calipers evaluate`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from calipers.cli.options import asks, memory_option, names, reads
from calipers.cli.output import Output, columns_found, outputs, read_as, with_rows

if TYPE_CHECKING:
    from calipers.data.schema import Schema
    from calipers.evaluation.evaluation import Evaluation
    from calipers.files.choosing import Chosen
    from calipers.files.table import Table
    from calipers.result import AnyResult

R = TypeVar("R", bound="AnyResult")


@click.command()
@asks
@click.option("--by", metavar="COLUMN", multiple=True, help="Also evaluate each slice of this column.")
@click.option("--metrics", metavar="NAME,...", multiple=True, callback=names, help="Compute only these metrics.")
@click.option("--schema", metavar="FILE", help="Read the columns as in this .calipers file.")
@click.option("--model", metavar="NAME", help="Name of the model; merge refuses to mix models.")
@click.option("--source", metavar="NAME", multiple=True,
              help="Where the rows come from; merge refuses the same source twice. Default: the content of the files.")
@memory_option
@reads
@with_rows
@outputs
def evaluate(
    files: tuple[str, ...],
    sql: str | None,
    columns: dict[str, Any],
    by: tuple[str, ...],
    reading: dict[str, Any],
    schema: str | None,
    model: str | None,
    source: tuple[str, ...],
    memory: str | None,
    out: Output,
    **options: Any,
) -> None:
    """Evaluate the predictions in a file.

    FILE is CSV or other delimited text, JSON lines, Parquet or Arrow, also
    compressed with gzip or zstd; several files or a quoted pattern are read as
    one, and - is standard input. The format is detected from the content.

    \b
    Columns that are not given are found by their usual names, and the choice
    is printed: y_true, truth, label, nhãn, 标签, ...; y_pred, prediction,
    dự_đoán, 预测, ...; score, prob, xác_suất, 概率, ..., or p_CLASS for each
    class.

    True values with decimals are evaluated as a regression.

    Text labels are kept as is (001, NA), except that 1, 1.0 and 1. are the
    same number. They become integers or booleans only if every label is one.

    \b
    Examples:
      calipers evaluate predictions.csv
      calipers evaluate loans.csv --truth y --score p --positive BAD --by region
      calipers evaluate 'part-*.csv.gz' --metrics roc_auc,f1 --json
      calipers evaluate loans.csv --html report.html --rows 20
      calipers evaluate loans.csv --plot roc=roc.png --plot confusion=c.svg
      zcat big.csv.gz | calipers evaluate - --limit 20GB
      calipers evaluate --sql "select y, p from 'x.parquet' where site = 2" \\
          --truth y --score p
    """
    from calipers.evaluation.evaluation import Evaluation

    out.check(Evaluation)
    asked = None if schema is None else schema_of(schema)
    origin = Origin(model, source)
    columns["by"] = by
    limit = Limit(memory, in_memory=bool(out.rows))
    read_file(files, sql, columns, reading, options, out, result_of=lambda ev: ev, schema=asked, origin=origin,
              limit=limit)


class Limit(NamedTuple):
    """How much memory rows may take, and whether they must be in memory."""

    memory: str | None
    in_memory: bool = False


class Origin(NamedTuple):
    """The name of the model, and where the rows come from, as given."""

    model: str | None = None
    sources: tuple[str, ...] = ()

    def of(self, ev: Evaluation, table: Table, out: Output) -> Evaluation:
        """The evaluation with its origin; what will be merged has the content of its files as a source."""
        from calipers.evaluation.evaluate import with_origin

        contents = [part.source.fingerprint() for part in table.parts if part.source] if out.saves_bytes else []
        return with_origin(ev, self.model, self.sources or contents or None)


def schema_of(file: str) -> Schema:
    """The schema of an evaluation that was saved."""
    from calipers.errors import InputError
    from calipers.evaluation.evaluation import Evaluation
    from calipers.report.documents import load

    saved = load(file)
    if not isinstance(saved, Evaluation) or not saved.is_live:
        raise InputError("cli.no_schema", file=file)
    return saved.schema


def read_file(
    files: tuple[str, ...],
    sql: str | None,
    columns: dict[str, Any],
    reading: dict[str, Any],
    options: dict[str, Any],
    out: Output,
    *,
    result_of: Callable[[Evaluation], R],
    beside: Callable[[R], dict[str, bytes]] | None = None,
    deciding: Sequence[str] | None = None,
    schema: Schema | None = None,
    origin: Origin | None = None,
    limit: Limit,
) -> R:
    """Shows what `result_of` makes of the evaluation of a file, after a word on how the file was read.

    columns: what each is called (truth, pred, score, by, weights, groups); options: arguments of `calipers.evaluate`;
    beside: more files of the result; deciding: metrics that say what the rows are, if options has none; schema: what
    the rows mean; origin: where they come from; limit: how much memory they may take.
    """
    from calipers.cli.messages import Shell
    from calipers.cli.progress import Progress
    from calipers.cli.thresholds import at_best, check_rule
    from calipers.errors import InputError
    from calipers.evaluation.evaluate_file import other_columns, read_rows
    from calipers.evaluation.evaluation import Evaluation
    from calipers.files.choosing import measure_numbers
    from calipers.files.table import Table
    from calipers.report.messages import worded
    from calipers.settings import Settings

    rule = options["threshold"] if isinstance(options["threshold"], str) else None
    options = options | {"threshold": None} if rule is not None else options
    # Errors that do not depend on the rows are raised before the file is read.
    early = ("level", "threshold", "missing", "task", "interval", "seed", "replicates")
    Settings(**{key: options[key] for key in early})
    measure_numbers(deciding or options["metrics"])
    if rule is not None:
        check_rule(rule)
    progress = Progress(visible=not out.quiet)
    with ExitStack() as stack:
        stack.callback(progress.close)
        table = stack.enter_context(Table(files, sql=sql, watch=progress, **reading))
        memory, cells = limit
        rows = read_rows(table, columns, options, deciding=deciding, schema=schema, memory=memory, cells=cells)
        stack.enter_context(worded(Shell(table, rows.weight)))
        try:
            rows = replace(rows, others=other_columns(table, rows) if out.rows else {})
            ev = rows.evaluation(options, schema)
            if rule is not None:
                ev = at_best(ev, rule, lambda at: rows.evaluation({**options, "threshold": at}, schema))
            ev = ev if origin is None else origin.of(ev, table, out)
            result = result_of(ev)
            whole = partial(rows.evaluation, {**options, "metrics": None}, schema)
            ready = out.ready(result, whole if options["metrics"] and isinstance(result, Evaluation) else None)
            ready.files.update({} if beside is None else beside(result))
            steps = table.steps()
        except InputError as error:
            lang = click.get_current_context().params.get("lang")
            # Here, because the table still knows the line numbers.
            raise click.ClickException(error.text(lang)) from None
    out.show(ready, read_as(steps), described(rows.chosen))
    return result


def described(chosen: Chosen) -> str:
    """The columns that were found by their usual names; empty where all were named."""
    if not chosen.inferred:
        return ""
    predicted = [chosen.pred] if chosen.pred else []
    return columns_found({"truth": [chosen.truth], "pred": predicted, "score": chosen.scores})
