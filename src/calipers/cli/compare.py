"""`calipers compare`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

import click

from calipers.choices import Missing
from calipers.cli.options import OF_COMPARISONS, names, reads, stacked
from calipers.cli.output import Output, columns_found, outputs, read_as
from calipers.cli.saved_results import are_results, compare_results
from calipers.cli.thresholds import of_models

if TYPE_CHECKING:
    from calipers.files.table import Table

SHOWN = 3  # of the rows whose truth differs


class Models(NamedTuple):
    """What one file says: its truth, the columns of its models (scores, or labels), the key of its rows."""

    title: str
    truth: Any
    predictions: dict[str, Any]
    labelled: bool
    key: Any = None
    groups: Any = None
    weights: Any = None
    named: str = ""  # how the columns were understood, where the options did not say
    steps: tuple[str, ...] = ()
    by: Mapping[str, Any] = MappingProxyType({})


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
@click.option("--metrics", metavar="NAME,...", multiple=True, callback=names, help="Only these metrics.")
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
    from calipers.errors import InputError
    from calipers.files.choosing import measure_numbers
    from calipers.files.spellings import as_in, as_labels
    from calipers.files.table import Table

    out.check(calipers.Comparison)
    if are_results(files):
        out.show(compare_results(files, _stems(files), options))
        return
    if score and pred:
        raise InputError("cli.score_and_pred")
    if len(files) > 1 and key is None:
        raise InputError("cli.key_needed")
    progress, sources = Progress(visible=not out.quiet), []
    with ExitStack() as stack:
        stack.callback(progress.close)
        for at, file in enumerate(files):
            of_rows = (key if len(files) > 1 else None, *((group, weight) if at == 0 else (None, None)))
            with Table([file], watch=progress, **reading) as table:
                read = partial(read_models, by=by if at == 0 else (), alone=len(files) == 1)
                of_numbers = measure_numbers(options["metrics"])
                sources.append(read(table, truth, score, pred, *of_rows, of_numbers=of_numbers))
    first = sources[0]
    if len({one.labelled for one in sources}) > 1:
        columns = [f"{one.title}: {next(iter(one.predictions))}" for one in sources]
        raise InputError("cli.scores_and_labels", columns=columns)
    models = first.predictions
    if key and len(files) > 1:
        models = dict(zip(_stems(files), matched(sources, key), strict=True))
    true, *labels = as_labels([first.truth, *(models.values() if first.labelled else ())])
    compared = partial(
        calipers.compare,
        true,
        dict(zip(models, labels, strict=True)) if labels else models,
        positive=None if positive is None else as_in(true, [positive])[0],
        weights=first.weights,
        groups=first.groups,
        by=first.by or None,
        **options,
    )
    result = compared()
    whole = partial(compared, metrics=None) if options["metrics"] else None
    steps = dict.fromkeys(read_as([step]) for one in sources for step in one.steps)
    named = dict.fromkeys(one.named for one in sources)
    out.show(out.ready(result, whole), *steps, *named)


def read_models(
    table: Table,
    truth: str | None,
    score: Sequence[str],
    pred: Sequence[str],
    key: str | None,
    group: str | None,
    weight: str | None,
    *,
    by: Sequence[str] = (),
    alone: bool,
    of_numbers: bool | None,
) -> Models:
    """The columns of a file; those that were not named are found by their usual names, scores before labels."""
    from calipers.errors import InputError
    from calipers.files.choosing import named, one_of_usual, split
    from calipers.files.column_names import PRED, SCORE, TRUTH
    from calipers.files.guessing import are_measurements

    true = named(table, truth, "truth") if truth else one_of_usual(table, TRUTH, "truth", needed=True)
    option, requested = ("pred", split(table, pred)) if pred else ("score", split(table, score))
    columns = [named(table, name, option) for name in requested]
    if alone and len(columns) < 2:
        raise InputError("cli.one_file", file=table.title)
    if not alone and len(columns) > 1:
        raise InputError("cli.one_column_each", option=option)
    labelled = bool(pred)
    if not columns:
        scores = one_of_usual(table, SCORE, "score")
        labelled = scores is None
        columns = [scores or one_of_usual(table, PRED, "pred", needed=True)]
    other = {"key": key, "groups": group}
    keys = {what: named(table, name, f"--{what}") for what, name in other.items() if name}
    slicing = [named(table, name, "by") for name in split(table, by)]
    weights = None if weight is None else named(table, weight, "weights")
    if of_numbers is None:
        of_numbers = all(are_measurements(table.sample(true), table.sample(name)) for name in columns)
    labelled = labelled and not of_numbers
    numbers = [*([] if labelled else columns), *([true] if of_numbers else []), *([] if weights is None else [weights])]
    labels = [] if of_numbers else [true, *(columns if labelled else [])]
    cells = table.read(labels, numbers, [*keys.values(), *slicing])
    kind = "label" if labelled else "number"
    what = "pred" if labelled or of_numbers else "score"
    description = "" if truth and requested else columns_found({"truth": [true], what: columns})
    return Models(
        table.title,
        cells["number" if of_numbers else "label", true],
        {name: cells[kind, name] for name in columns},
        labelled,
        cells.get(("group", keys.get("key", ""))),
        cells.get(("group", keys.get("groups", ""))),
        None if weights is None else cells["number", weights],
        description,
        tuple(table.steps()),
        {name: cells["group", name] for name in slicing},
    )


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
