"""`calipers validate`."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

import click

from calipers.choices import ModelTask
from calipers.cli.options import names, reads
from calipers.cli.output import Output, columns_found, outputs, read_as
from calipers.cli.usage import WrongValue
from calipers.remarks import Remark
from calipers.tasks import task_of

if TYPE_CHECKING:
    from calipers.files.table import Table

SHOWN, MOST_TEXTS = 8, 20  # columns named on screen; different texts that no column needs a reason for


class Rows(NamedTuple):
    """What a file holds for a model: features, which of them are texts and how many of these differ, target, groups."""

    X: Any
    texts: list[int]
    categories: int
    y: Any
    groups: Any
    notes: list[str]


def _cv(ctx: click.Context, param: click.Parameter, text: str) -> Any:
    if text in ("loo", "5x2", "holdout"):
        return text
    try:
        return int(text) if text.isdigit() else float(text)
    except ValueError:
        raise WrongValue("cli.not_folds", text=text) from None


@click.command()
@click.argument("files", metavar="FILE...", nargs=-1, required=True)
@click.option("--truth", "target", metavar="COLUMN", help="Column to predict.")
@click.option("--model", "model_name", metavar="MODULE:CLASS", required=True, help="Class of the model.")
@click.option("--param", "params", metavar="NAME=VALUE", multiple=True, help="Parameter of the model.")
@click.option("--cv", metavar="HOW", default="5", show_default=True, callback=_cv,
              help="Number of folds, a fraction to hold out, loo or 5x2.")  # fmt: skip
@click.option("--repeats", type=int, default=1, show_default=True, help="Number of repetitions with different folds.")
@click.option("--groups", "group", metavar="COLUMN",
              help="Column of groups that stay together; for rankings, the query.")  # fmt: skip
@click.option("--feature", "features", metavar="COLUMN,...", multiple=True, help="Use only these columns.")
@click.option("--drop", metavar="COLUMN,...", multiple=True, help="Use all columns except these.")
@click.option("--category", "categories", metavar="COLUMN,...", multiple=True,
              help="Numeric columns that are codes: encode them one-hot.")  # fmt: skip
@click.option("--positive", metavar="LABEL", help="The positive class.")
@click.option("--metrics", metavar="NAME,...", multiple=True, callback=names, help="Compute only these metrics.")
@click.option("--task", type=click.Choice(get_args(ModelTask)),
              help="Override the detected task.")  # fmt: skip
@click.option("--level", type=float, default=0.95, show_default=True, help="Confidence level.")
@click.option("--seed", type=int, default=0, show_default=True, help="Random seed of folds and models.")
@click.option("--jobs", type=int, default=1, show_default=True, help="Number of processes; -1 uses all cores.")
@reads
@outputs
def validate(
    files: tuple[str, ...],
    target: str | None,
    model_name: str,
    params: tuple[str, ...],
    group: str | None,
    features: tuple[str, ...],
    drop: tuple[str, ...],
    categories: tuple[str, ...],
    positive: str | None,
    jobs: int,
    reading: dict[str, Any],
    out: Output,
    **options: Any,
) -> None:
    """Cross-validate a model on a file.

    MODULE:CLASS is imported by name; pickled models are never loaded. Importing
    a module runs its code, even if the class is then refused, so use only
    modules that you trust. (Set PYTHONPATH=. to use a module of this folder.)
    Numeric columns are used unchanged; text columns are one-hot encoded.

    \b
    Examples:
      calipers validate loans.csv --truth y \\
          --model sklearn.linear_model:LogisticRegression --param C=0.1 --cv 10
      calipers validate flats.csv --truth price --drop id --repeats 5 \\
          --model sklearn.ensemble:RandomForestRegressor --html cv.html
    """
    import calipers
    from calipers.cli.progress import Progress
    from calipers.files.choosing import named
    from calipers.files.spellings import as_in
    from calipers.files.table import Table
    from calipers.validation.from_tables import model_named, parameter, with_texts
    from calipers.validation.models import required

    out.check(calipers.Validation)
    required()
    parameters = dict(map(parameter, params))
    progress = Progress(visible=not out.quiet)
    with ExitStack() as stack:
        stack.callback(progress.close)
        table = stack.enter_context(Table(files, watch=progress, **reading))
        for option, columns in (("--truth", [target]), ("--groups", [group])):
            for name in filter(None, columns):
                named(table, name, option)
        # Not before the options are checked, because importing a model runs code.
        model = model_named(model_name, parameters)
        rows = read_rows(table, target, group, features, drop, categories, model, options["task"])
        steps = table.steps()
    options["positive"] = None if positive is None else as_in(rows.y, [positive])[0]
    whole = with_texts(model, rows.texts, rows.categories)
    result = calipers.cross_validate(whole, rows.X, rows.y, groups=rows.groups, n_jobs=jobs, **options)
    out.show(result, read_as(steps), *rows.notes)


def read_rows(
    table: Table,
    target: str | None,
    group: str | None,
    features: Sequence[str],
    drop: Sequence[str],
    categories: Sequence[str],
    model: Any,
    task: str | None,
) -> Rows:
    """The columns of a table as features, target and groups, with a word on each kind."""
    from calipers.errors import InputError
    from calipers.files.choosing import named, one_of_usual, split
    from calipers.files.column_names import TRUTH
    from calipers.validation.from_tables import matrix

    true = named(table, target, "truth") if target else one_of_usual(table, TRUTH, "truth", needed=True)
    together = None if group is None else named(table, group, "groups")
    kept, left, codes = (
        [named(table, name, option) for name in split(table, listed)]
        for option, listed in (("--feature", features), ("--drop", drop), ("--category", categories))
    )
    used = [name for name in kept or table.names if name not in {true, together, *left}]
    if not used:
        raise InputError("cli.no_features", file=table.title)
    numbers = [name for name in used if name not in codes and _are_numbers(table.sample(name))]
    texts = [name for name in used if name not in numbers]
    of_numbers = _predicts_numbers(model, table.sample(true), task)
    cells = table.read([] if of_numbers else [true], [*numbers, *([true] if of_numbers else [])],
                       [*texts, *([] if together is None else [together])])  # fmt: skip
    columns = {name: _filled(cells["number" if name in numbers else "group", name]) for name in used}
    differ = {name: len(set(columns[name].tolist())) for name in texts}
    for name, count in differ.items():
        if count > max(MOST_TEXTS, len(columns[name]) // 2):
            raise InputError("cli.many_texts", name=name, count=count, rows=len(columns[name]))
    feature_matrix, places = matrix(columns)
    y = _target(cells["number" if of_numbers else "label", true], table, true)
    groups = None if together is None else _filled(cells["group", together])
    return Rows(feature_matrix, places, sum(differ.values()), y, groups, _notes(true, target, numbers, texts))


def _notes(true: str, target: str | None, numbers: Sequence[str], texts: Sequence[str]) -> list[str]:
    lines: list[str] = [] if target else [columns_found({"target": [true]})]
    if numbers:
        lines.append(Remark("cli.numbers_as_they_are", count=len(numbers), names=_first(numbers)))
    if texts:
        lines.append(Remark("cli.texts_one_hot", count=len(texts), names=_first(texts)))
    return lines


def _first(names: Sequence[str]) -> list[str]:
    from calipers.report.terminal import escape_label

    return [*map(escape_label, names[:SHOWN]), *(["..."] if len(names) > SHOWN else [])]


def _are_numbers(sample: Sequence[str]) -> bool:
    """Whether the first cells of a column are numbers, but for those that say that nothing is there."""
    from calipers.files.delimited import NUMBER
    from calipers.files.guessing import ABSENT

    cells = [cell.replace(",", ".") for cell in sample if cell.lower() not in ABSENT]
    return bool(cells) and all(map(NUMBER.fullmatch, cells))


def _predicts_numbers(model: Any, sample: Sequence[str], task: str | None) -> bool:
    """Whether the target is to be read as numbers: the model says so, or its cells do."""
    from calipers.validation.models import kind_of

    cells = [cell.replace(",", ".") for cell in sample]
    fractions = _are_numbers(sample) and any(float(c) % 1 for c in cells if c and c[-1].isdigit())
    guess = kind_of(model, [0.5, 1.5] if fractions else ["a", "b"])
    facts = task_of(guess if task is None else task)
    return facts.of_numbers or facts.ranked


def _filled(column: Any) -> Any:
    """A column as an array: numbers with NaN where one is missing, texts with an empty one."""
    import numpy as np

    from calipers.data.containers import Numbers, Text

    if isinstance(column, Text):
        values = np.array([*map(str, column.values), ""], dtype=object)
        return values[np.minimum(column.codes, len(column.values))]
    if isinstance(column, Numbers):
        numbers = column.array.astype(np.float64)
        if column.missing is not None:
            numbers[column.missing] = np.nan
        return numbers
    return column


def _target(column: Any, table: Table, name: str) -> Any:
    """The target as an array of labels or numbers; rows without one are refused."""
    import numpy as np

    from calipers.data.containers import Numbers, Text
    from calipers.errors import InputError
    from calipers.files.spellings import as_labels

    if isinstance(column, Text):
        (column,) = as_labels([column])
        lacking = np.flatnonzero(column.codes >= len(column.values))
        values = np.array(column.values)[np.minimum(column.codes, len(column.values) - 1)]
    else:
        values = _filled(column) if isinstance(column, Numbers) else np.asarray(column)
        lacking = np.flatnonzero(np.isnan(values)) if values.dtype.kind == "f" else np.array([], int)
    if len(lacking):
        place = table.where(int(lacking[0]))
        raise InputError("cli.no_target", count=len(lacking), name=name, place=place)
    return values
