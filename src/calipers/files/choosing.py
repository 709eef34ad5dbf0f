"""Which column is which: as named, else by the usual names. Two candidates are an error that names both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from calipers.errors import InputError, UnknownName, nearest
from calipers.files.column_names import PRED, SCORE, TRUTH, class_of, fold
from calipers.files.delimited import NUMBER
from calipers.files.spellings import spelled
from calipers.tasks import task_of

if TYPE_CHECKING:
    from calipers.files.table import Table


@dataclass(frozen=True)
class Chosen:
    """The columns of a table that are to be measured."""

    truth: str
    pred: str | None
    scores: tuple[str, ...]
    classes: tuple[str, ...] = ()  # of the score columns, where their names say it
    inferred: bool = True  # from the usual names; False when the options name all of them
    numbers: bool = False  # truth and prediction are numbers, not labels


def choose(table: Table, truth: str | None, pred: str | None, score: Sequence[str], *, has_threshold: bool) -> Chosen:
    """The columns that the options name, and those that they leave to be found."""
    true = named(table, truth, "truth") if truth else one_of_usual(table, TRUTH, "truth", needed=True)
    scores = tuple(named(table, name, "score") for name in split(table, score))
    pred_column = None if pred is None else named(table, pred, "pred")
    classes: tuple[str, ...] = ()
    if pred_column is None and not scores:
        # With a threshold, predictions come from the scores, so a column of predicted labels is not searched for.
        pred_column = None if has_threshold else one_of_usual(table, PRED, "pred")
        scores, classes = _find_scores(table, true)
    elif len(scores) == 1 or len({class_of(name) is None for name in scores}) == 1:
        classes = _classes(table, true, scores)
    if pred_column is None and not scores:
        raise InputError("files.name_a_column", file=table.title, names=_listed(table.names))
    if pred_column is not None and not scores and are_scores(table.sample(pred_column), table.sample(true)):
        scores, pred_column = (pred_column,), None
    requested = {truth, pred, *score, *split(table, score)}
    return Chosen(true, pred_column, scores, classes, not {true, pred_column, *scores} <= {*requested, None})


def measure_numbers(metrics: Sequence[str] | None) -> bool | None:
    """Whether the metrics that were asked for measure predicted numbers; None where none was asked for."""
    from calipers.metrics import named

    flags = [named(name).metric.of_numbers for name in metrics or ()]
    return all(flags) if flags else None


def as_numbers(
    table: Table,
    chosen: Chosen,
    options: Mapping[str, Any],
    truth: Sequence[str] | None = None,
    *,
    of_numbers: bool | None,
) -> Chosen:
    """The columns as true and predicted numbers, where they are: asked for by the task or by metrics that measure such
    numbers (`of_numbers`), or seen from their cells.

    `truth`: every cell that occurs, where the column was read already.
    """
    from calipers.files.guessing import are_measurements

    pred_column = chosen.pred or (chosen.scores[0] if len(chosen.scores) == 1 else None)
    if task_of(options["task"]).of_numbers or (options["task"] is None and of_numbers):
        if pred_column is None:
            raise InputError("files.one_column_of_numbers")
        return replace(chosen, pred=pred_column, scores=(), classes=(), numbers=True)
    of_classes = any(options[name] is not None for name in ("task", "positive", "labels", "threshold"))
    both = chosen.pred is not None and chosen.scores
    if pred_column is None or of_classes or both or chosen.classes or (of_numbers is False and chosen.pred):
        return chosen
    cells = table.sample(chosen.truth) if truth is None else truth
    if not are_measurements(cells, table.sample(pred_column)):
        return chosen
    if of_numbers is False:
        if len(set(cells)) > 2:  # the numbers of one column cannot be scores of several classes
            raise InputError("files.metrics_of_classes", truth=chosen.truth, pred=pred_column)
        return chosen
    return replace(chosen, pred=pred_column, scores=(), numbers=True)


def named(table: Table, name: str, option: str) -> str:
    """The column of that name: as written, else composed and caseless, else by its number."""
    same = [n for n in table.names if n == name] or [n for n in table.names if fold(n) == fold(name)]
    if len(same) == 1:
        return same[0]
    if len(same) > 1:
        places = [str(i + 1) for i, n in enumerate(table.names) if n in same]
        raise InputError("files.columns_alike", file=table.title, count=len(same), name=name, places=places)
    if name.isascii() and name.isdigit() and 1 <= int(name) <= len(table.names):
        at = table.names[int(name) - 1]
        return named(table, at, option)
    raise UnknownName("files.no_column", file=table.title, name=name, nearest=nearest(name, table.names))


def one_of_usual(table: Table, usual: Sequence[str], option: str, *, needed: bool = False) -> Any:
    """The column with one of the usual names, or None; two are an error, and so is none where one is needed."""
    known = set(map(fold, usual))
    matches = [name for name in table.names if fold(name) in known]
    if len(matches) > 1:
        raise InputError("files.which_of_columns", file=table.title, names=matches, option=option)
    if needed and not matches:
        # When no name of the first line is known, it may be data.
        code = "files.name_column_or_header" if table.headed else "files.name_one_column"
        raise InputError(code, file=table.title, names=_listed(table.names), option=option)
    return matches[0] if matches else None


def _find_scores(table: Table, truth: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """One column of scores, or one per class (p_cat, p_dog), and the classes in their names."""
    one = one_of_usual(table, SCORE, "score")
    labels = {fold(spelled(cell)) for cell in table.sample(truth)}
    prefixes: dict[str, list[str]] = {}
    for name in table.names:
        parts = class_of(name)
        if parts is not None and name != truth:
            prefixes.setdefault(parts[0], []).append(name)
    groups = [names for names in prefixes.values() if any(fold(_class(n)) in labels for n in names)]
    if len(groups) + (one is not None) > 1:
        both = [*([one] if one else []), *(names[0] for names in groups)]
        raise InputError("files.which_scores", file=table.title, names=both)
    if groups:
        return tuple(groups[0]), tuple(_class(name) for name in groups[0])
    return ((one,) if one else ()), ()


def _classes(table: Table, truth: str, scores: Sequence[str]) -> tuple[str, ...]:
    """The classes of named score columns, if each name contains a class that occurs."""
    labels = {fold(spelled(cell)) for cell in table.sample(truth)}
    classes = [_class(name) for name in scores if class_of(name)]
    return tuple(classes) if classes and len(classes) == len(scores) and all(fold(t) in labels for t in classes) else ()


def _class(name: str) -> str:
    parts = class_of(name)
    return parts[1] if parts else name


def split(table: Table, names: Sequence[str]) -> list[str]:
    """Names separated by commas; if a column with a comma in its name exists, the name is not split."""
    folded = set(map(fold, table.names))
    return [n.strip() for part in names for n in ([part] if fold(part) in folded else part.split(",")) if n.strip()]


def _listed(names: Sequence[str]) -> list[str]:
    return [*names[:12], *(["..."] if len(names) > 12 else [])]


def are_scores(sample: Sequence[str], truth: Sequence[str]) -> bool:
    """Whether cells that were read as labels are scores: numbers that are not labels of the truth."""
    new = [cell.replace(",", ".") for cell in set(sample) - set(truth)]
    return bool(new) and all(map(NUMBER.fullmatch, new)) and any(float(v) % 1 for v in new)
