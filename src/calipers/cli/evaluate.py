"""`calipers evaluate`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import click

from calipers.cli.options import as_in, asks, names, reads, values
from calipers.cli.output import Output, outputs

if TYPE_CHECKING:
    from calipers.cli.columns import Chosen
    from calipers.evaluation.evaluation import Evaluation
    from calipers.files.table import Columns, Table
    from calipers.result import AnyResult

R = TypeVar("R", bound="AnyResult")


@click.command()
@asks
@click.option("--by", metavar="COLUMN", multiple=True, help="Evaluate the slices of this column too.")
@click.option("--metrics", metavar="NAME,...", multiple=True, callback=names, help="Only these metrics.")
@reads
@outputs
def evaluate(
    files: tuple[str, ...],
    sql: str | None,
    columns: dict[str, Any],
    by: tuple[str, ...],
    reading: dict[str, Any],
    out: Output,
    **options: Any,
) -> None:
    """Measure the predictions in a file.

    FILE is CSV or other delimited text, JSON lines, Parquet or Arrow, also
    packed with gzip or zstd; several files or a quoted pattern are read as one,
    and - is standard input. What a file is, its content tells, not its name.

    \b
    Columns that are not named are found by their usual names, and the choice
    is printed: y_true, truth, label, nhãn, 标签, ...; y_pred, prediction,
    dự_đoán, 预测, ...; score, prob, xác_suất, 概率, ..., or p_CLASS for each
    class.

    Numbers with fractions in the truth are measured as numbers (regression).

    Text labels are kept as is (001, NA), except that 1, 1.0 and 1. are the
    same number. They become integers or booleans only if every label is one.

    \b
    Examples:
      calipers evaluate predictions.csv
      calipers evaluate loans.csv --truth y --score p --positive BAD --by region
      calipers evaluate 'part-*.csv.gz' --metrics roc_auc,f1 --json
      calipers evaluate loans.csv --html report.html
      calipers evaluate loans.csv --plot roc=roc.png --plot confusion=c.svg
      zcat big.csv.gz | calipers evaluate - --limit 20GB
      calipers evaluate --sql "select y, p from 'x.parquet' where site = 2" \\
          --truth y --score p
    """
    from calipers.evaluation.evaluation import Evaluation

    out.check(Evaluation)
    read_file(files, sql, {**columns, "by": by}, reading, options, out, result_of=lambda ev: ev)


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
) -> R:
    """Shows what `result_of` makes of the evaluation of a file, after a word on how the file was read.

    columns: what each is called (truth, pred, score, by, weights, groups); options: arguments of `calipers.evaluate`;
    beside: more files of the result; deciding: metrics that say what the rows are, if options has none.
    """
    from calipers.cli.columns import as_numbers, choose, measure_numbers, named
    from calipers.cli.messages import Shell, in_words
    from calipers.cli.progress import Progress
    from calipers.data.containers import Text
    from calipers.errors import InputError
    from calipers.evaluation.evaluation import Evaluation
    from calipers.files.table import Table
    from calipers.report.messages import worded
    from calipers.settings import Settings

    # What can be refused without reading is refused before.
    early = ("level", "threshold", "missing", "task", "interval", "seed", "replicates")
    Settings(**{key: options[key] for key in early})
    of_numbers = measure_numbers(deciding or options["metrics"])
    progress = Progress(visible=not out.quiet)
    with ExitStack() as stack:
        stack.callback(progress.close)
        table = stack.enter_context(Table(files, sql=sql, watch=progress, **reading))
        chosen = choose(
            table, columns["truth"], columns["pred"], columns["score"], has_threshold=options["threshold"] is not None
        )
        chosen = as_numbers(table, chosen, options, of_numbers=of_numbers)
        slices = [named(table, name, "by") for name in columns["by"]]
        weight = None if columns["weights"] is None else named(table, columns["weights"], "weights")
        together = None if columns["groups"] is None else named(table, columns["groups"], "groups")
        group_columns = slices if together is None else [*slices, together]
        cells = _read(table, chosen, weight, group_columns)
        # Fractions may come further down than the sample.
        if not chosen.numbers and isinstance(true_labels := cells["label", chosen.truth], Text):
            again = as_numbers(table, chosen, options, [str(v) for v in true_labels.values], of_numbers=of_numbers)
            cells, chosen = (_read(table, again, weight, group_columns) if again.numbers else cells), again
        options["groups"] = None if together is None else cells["group", together]
        stack.enter_context(worded(Shell(table, weight)))
        try:
            ev = _measured(cells, chosen, slices, weight, options)
            result = result_of(ev)
            whole = partial(_measured, cells, chosen, slices, weight, {**options, "metrics": None})
            ready = out.ready(result, whole if options["metrics"] and isinstance(result, Evaluation) else None)
            ready.files.update({} if beside is None else beside(result))
        except InputError as error:
            lang = click.get_current_context().params.get("lang")
            raise click.ClickException(in_words(error, lang)) from None  # while the table knows its lines
        steps = table.steps()
    out.show(ready, f"read as: {', '.join(steps)}" if steps else "", f"columns: {chosen}" if chosen.inferred else "")
    return result


def _read(table: Table, chosen: Chosen, weight: str | None, slices: Sequence[str]) -> Columns:
    """The columns: labels and scores, or numbers alone."""
    both = [name for name in (chosen.truth, chosen.pred) if name is not None]
    numbers = [*(both if chosen.numbers else chosen.scores), *([] if weight is None else [weight])]
    return table.read([] if chosen.numbers else both, numbers, slices)


def _measured(cells: Columns, chosen: Chosen, slices: Sequence[str], weight: str | None, options: Any) -> Evaluation:
    """The evaluation of what was read."""
    from calipers.data.batch import Names
    from calipers.evaluation.evaluate import of_columns
    from calipers.files.spellings import as_labels
    from calipers.remarks import Remark
    from calipers.settings import Settings

    scores: str = Remark("cli.column", name=chosen.scores[0]) if chosen.scores else ""
    names = Names(
        Remark("cli.column", name=chosen.truth),
        "" if chosen.pred is None else Remark("cli.column", name=chosen.pred),
        Remark("cli.score_columns", names=chosen.scores) if len(chosen.scores) > 1 else scores,
    )
    groups, options = options["groups"], {name: x for name, x in options.items() if name != "groups"}
    weights = None if weight is None else cells["number", weight]
    by = {name: cells["group", name] for name in slices} or None
    if chosen.numbers:
        assert chosen.pred is not None
        true, predicted = cells["number", chosen.truth], cells["number", chosen.pred]
        settings = Settings(**{**options, "task": "regression"})
        return of_columns(settings, names, true, predicted, None, weights, by, groups)
    labelled = [name for name in (chosen.truth, chosen.pred) if name is not None]
    true, *labels = as_labels([cells["label", name] for name in labelled])
    positive = options["positive"]
    options = {**options, "positive": None if positive is None else as_in(true, [positive])[0]}
    if options["labels"] is not None:
        options["labels"] = as_in(true, options["labels"])
    columns = {name: cells["number", name] for name in chosen.scores}
    if chosen.classes and len(columns) > 1 and options["labels"] is None:
        options["labels"] = _matched(true, chosen)
    elif chosen.classes and len(columns) == 1 and options["positive"] is None:
        options["positive"] = as_in(true, chosen.classes)[0]
    score = None if not columns else next(iter(columns.values())) if len(columns) == 1 else columns
    predicted = labels[0] if labels else None
    return of_columns(Settings(**options), names, true, predicted, score, weights, by, groups)


def _matched(true: Any, chosen: Chosen) -> list[Any]:
    """The classes of the score columns, as the truth writes them; a true label without a column is an error."""
    from calipers.errors import InputError

    classes = as_in(true, chosen.classes)
    lacking = [v for v in values(true) if v not in classes]
    if lacking:
        raise InputError("cli.no_score_column", label=lacking[0], truth=chosen.truth, columns=chosen.scores)
    return classes
