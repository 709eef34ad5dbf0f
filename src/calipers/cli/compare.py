"""`calipers compare`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import click

from calipers.choices import Missing
from calipers.cli.options import OF_COMPARISONS, memory_option, names, reads, stacked
from calipers.cli.output import Output, columns_found, outputs, read_as
from calipers.cli.saved_results import are_results, compare_results
from calipers.cli.thresholds import of_models

if TYPE_CHECKING:
    from calipers.comparison.file_models import ModelColumns, Models
    from calipers.files.table import Table

SHOWN = 3  # rows whose truth differs that the error names


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option("--key", metavar="COLUMN", help="Column that identifies a row; needed with several files.")
@click.option("--truth", metavar="COLUMN", help="Column of the true label.")
@click.option("--score", metavar="COLUMN", multiple=True, help="Column of the score; with one file, one per model.")
@click.option("--pred", metavar="COLUMN", multiple=True,
              help="Column of the predicted label; with one file, one per model.")  # fmt: skip
@click.option("--positive", metavar="LABEL", help="The positive class, which the scores are for.")
@click.option("--threshold", metavar="NUMBER", multiple=True, callback=of_models,
              help="Predict positive when score >= this; MODEL=NUMBER sets it for one model.")  # fmt: skip
@click.option("--weights", "weight", metavar="COLUMN", help="Column of row weights.")
@click.option("--groups", "group", metavar="COLUMN", help="Column of groups: rows of a group are not independent.")
@click.option("--by", metavar="COLUMN", multiple=True, help="Also compare in each slice of this column.")
@click.option("--metrics", metavar="NAME,...", multiple=True, callback=names, help="Compute only these metrics.")
@stacked(*OF_COMPARISONS.values())
@click.option("--method", metavar="NAME",
              help="Use a published test if it applies: delong-z, paired-t, mcnemar-exact, ...")  # fmt: skip
@click.option("--adjust", type=click.Choice(["max-t", "bonferroni", "holm", "bh", "none"]), default="max-t",
              show_default=True, help="Adjustment for several pairs of models; holm and bh adjust only p.",
              )  # fmt: skip
@click.option("--level", type=float, default=0.95, show_default=True, help="Confidence level.")
@click.option("--missing", type=click.Choice(get_args(Missing)), default="error", show_default=True,
              help="Rows with missing values: stop, or drop them for all models.")  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="Random seed of the bootstrap.")
@memory_option
@reads
@outputs
def compare(
    files: tuple[str, ...],
    key: str | None,
    truth: str | None,
    score: tuple[str, ...],
    pred: tuple[str, ...],
    positive: str | None,
    weight: str | None,
    group: str | None,
    by: tuple[str, ...],
    memory: str | None,
    reading: dict[str, Any],
    out: Output,
    **options: Any,
) -> None:
    """Compare models on the same rows, or two saved evaluations.

    Pass one FILE per model, matched by --key, or one file with a column per
    model. The first model is the baseline; differences are candidate minus
    baseline, each with a paired interval, a p-value and a verdict that names
    the winner. Files are read as in calipers evaluate.

    Two evaluations of different rows, saved as .json or .calipers, are
    compared without pairing; they take --metrics, --margin, --primary and
    --level.

    \b
    Examples:
      calipers compare a.csv b.csv --key id --positive BAD
      calipers compare march.json april.json
      calipers compare both.csv --score a,b --margin 0.01
      calipers compare a.csv b.csv c.csv --key id --metrics roc_auc,f1
      calipers compare a.csv b.csv --key id --plot difference=difference.png
      calipers compare a.csv b.csv --key id --by region --html compare.html
    """
    import calipers
    from calipers.cli.progress import Progress
    from calipers.comparison.compare_file import compare_columns, compare_read
    from calipers.comparison.file_models import choose_models
    from calipers.errors import InputError
    from calipers.files.choosing import measure_numbers
    from calipers.files.table import Table

    out.check(calipers.Comparison)
    if are_results(files):
        out.show(compare_results(files, _stems(files), options))
        return
    if score and pred:
        raise InputError("cli.score_and_pred")
    if len(files) > 1 and key is None:
        raise InputError("cli.key_needed")
    progress = Progress(visible=not out.quiet)
    arguments = {**options, "positive": positive, "labels": None, "task": None, "rules": None}
    with ExitStack() as stack:
        stack.callback(progress.close)
        sources = []
        for at, file in enumerate(files):
            of_rows = (key if len(files) > 1 else None, *((group, weight) if at == 0 else (None, None)))
            table = stack.enter_context(Table([file], watch=progress, **reading))
            chosen = choose_models(
                table, truth, score, pred, *of_rows, by=by if at == 0 else (), alone=len(files) == 1,
                of_numbers=measure_numbers(options["metrics"]),
            )  # fmt: skip
            sources.append((table, chosen))
        if len(files) == 1:
            table, chosen = sources[0]
            compared = partial(compare_columns, table, chosen, chosen.models, memory)
        else:
            if memory is not None:
                raise InputError("cli.memory_of_one_file")
            compared = partial(compare_read, *_matched(sources, files, key))
        whole = partial(compared, {**arguments, "metrics": None}) if options["metrics"] else None
        ready = out.ready(compared(arguments), whole)
        steps = dict.fromkeys(read_as([step]) for table, _ in sources for step in table.steps())
    named = dict.fromkeys(columns_found(chosen.found) if chosen.inferred else "" for _, chosen in sources)
    out.show(ready, *steps, *named)


def _matched(
    sources: Sequence[tuple[Table, ModelColumns]], files: Sequence[str], key: str | None
) -> tuple[Models, list[str]]:
    """The models of several files on the rows of the first one, and their names."""
    from calipers.errors import InputError

    assert key is not None
    read = [columns.read(table) for table, columns in sources]
    if len({one.labelled for one in read}) > 1:
        columns = [f"{one.title}: {next(iter(one.predictions))}" for one in read]
        raise InputError("cli.scores_and_labels", columns=columns)
    names = _stems(files)
    return read[0]._replace(predictions=dict(zip(names, matched(read, key), strict=True)), key=None), names


def matched(sources: Sequence[Models], key: str) -> list[Any]:
    """What each model says about the rows of the first file, matched by key; refused where rows do not match."""
    import numpy as np

    from calipers.errors import InputError
    from calipers.remarks import Remark

    base, keys = sources[0], _keys(sources[0], key)
    columns = [next(iter(base.predictions.values()))]
    mine = _spelled(base.truth)
    for other in sources[1:]:
        others = _keys(other, key)
        apart = [
            Remark("cli.rows_only_in", count=len(rows), file=one.title, other=two.title, example=rows[0])
            for rows, one, two in (
                ([k for k in keys if k not in others], base, other),
                ([k for k in others if k not in keys], other, base),
            )
            if rows
        ]
        if apart:
            raise InputError("cli.other_rows", apart=apart, key=key)
        order = np.fromiter((others[k] for k in keys), np.intp, len(keys))
        theirs = _spelled(other.truth)[order]
        differ = np.flatnonzero(mine != theirs).tolist()
        if differ:
            rows = [(list(keys)[i], mine[i], theirs[i]) for i in differ[:SHOWN]]
            files = {"file": base.title, "other": other.title}
            examples: list[str] = [
                Remark("cli.differing_truth", key=key, value=k, first=a, second=b, **files) for k, a, b in rows
            ]
            examples += ["..."] if len(differ) > SHOWN else []
            raise InputError("cli.truth_differs", count=len(differ), total=len(keys), examples=examples)
        columns.append(_taken(next(iter(other.predictions.values())), order))
    return columns


def _keys(models: Models, key: str) -> dict[str, int]:
    """The row of each key; keys that are absent or not unique are counted and refused."""
    from calipers.errors import InputError

    keys = _spelled(models.key).tolist()
    absent = keys.count("")
    if absent:
        raise InputError("cli.no_key", file=models.title, count=absent, total=len(keys), key=key)
    rows = {k: i for i, k in enumerate(keys)}
    if len(rows) < len(keys):
        again = next(k for i, k in enumerate(keys) if rows[k] != i)
        count = len(keys) - len(rows)
        raise InputError("cli.key_repeats", file=models.title, count=count, key=key, example=again)
    return rows


def _spelled(column: Any) -> Any:
    """The values of a column as text, one for each row; "" where one is missing."""
    import numpy as np

    from calipers.data.containers import Numbers, Text

    if isinstance(column, Text):
        texts = np.array([*map(str, column.values), ""], dtype=object)
        return texts[np.minimum(column.codes, len(column.values))]
    array, missing = (column.array, column.missing) if isinstance(column, Numbers) else (column, None)
    texts = np.array([*map(str, array.tolist())], dtype=object)
    if missing is not None:
        texts[missing] = ""
    return texts


def _taken(column: Any, rows: Any) -> Any:
    """The column in this order of rows."""
    from calipers.data.containers import Numbers, Text

    if isinstance(column, Text):
        return column._replace(codes=column.codes[rows])
    if isinstance(column, Numbers):
        return Numbers(column.array[rows], None if column.missing is None else column.missing[rows])
    return column[rows]


def _stems(files: Sequence[str]) -> list[str]:
    """Names of the models: the files' own, with their folders where those are the same."""
    stems = [Path(file).name.partition(".")[0] or file for file in files]
    return stems if len(set(stems)) == len(stems) else list(files)
