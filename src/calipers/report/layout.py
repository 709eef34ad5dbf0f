"""What a first look at an evaluation shows, as tables of labels, counts and estimates: text and HTML draw the same."""

from __future__ import annotations

import math
import re
import string
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from calipers.errors import InputError, UnknownName
from calipers.inference.estimate import Estimate, digits
from calipers.metrics.counts import A_COUNT
from calipers.question import TIES, UNJUDGED
from calipers.report.display import harmless

if TYPE_CHECKING:
    from calipers.confusion import Confusion
    from calipers.evaluation import Evaluation

MATRIX, LISTED, PAIRS, BESIDE = 10, 20, 10, 3
# Of the metrics in a first table, those that are shown of each slice; a reader who named metrics sees those instead.
SLICED = ("accuracy", "f1", "roc_auc", "recall", "precision", "mae", "rmse", "r2")
KINDS = {"multilabel": "label", "regression": "output"}  # what labels are called; else classes


@dataclass(frozen=True)
class Count:
    """A number of rows, or their weight."""

    value: float

    def __str__(self) -> str:
        return f"{self.value:.0f}" if float(self.value).is_integer() else digits(self.value)


Cell = str | Count | Estimate


@dataclass(frozen=True)
class Table:
    """Rows under a head; the first cell of a row is its own head. `more` says what was left out."""

    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    more: str = ""


class Footnotes:
    """Remarks with a letter each, in the order in which they are met; remarks that differ in their numbers are one."""

    def __init__(self) -> None:
        self._met: dict[str, list[list[str]]] = {}

    def marks(self, estimate: Estimate) -> str:
        """The letters of an estimate's remarks, such as "a" or "ac"; empty when there is nothing to say."""
        letters = [self._letter(r) for r in dict.fromkeys((estimate.reason, *estimate.flags)) if r]
        return "".join(dict.fromkeys(letters))

    def _letter(self, remark: str) -> str:
        shape = NUMBER.sub("{}", harmless(remark).replace("{", "{{").replace("}", "}}"))
        self._met.setdefault(shape, []).append(NUMBER.findall(remark))
        return _letter(list(self._met).index(shape))

    def __iter__(self) -> Iterator[tuple[str, str]]:
        for at, (shape, met) in enumerate(self._met.items()):
            yield _letter(at), shape.format(*(_span(numbers) for numbers in zip(*met, strict=True)))


NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w.]*\w)")


def _letter(index: int) -> str:
    return string.ascii_letters[index] if index < len(string.ascii_letters) else f"({index + 1})"


def _span(numbers: Sequence[str]) -> str:
    low, high = min(numbers, key=float), max(numbers, key=float)
    return low if low == high else f"{low} to {high}"


def percent(level: float) -> str:
    """A confidence level as people say it.

    >>> percent(0.95), percent(0.995)
    ('95%', '99.5%')
    """
    return f"{100 * level:.6g}%"


def value(estimate: Estimate) -> str:
    """The value alone; a dash when it is undefined, and no decimals for a count."""
    if math.isnan(estimate):
        return "-"
    if estimate.is_integer() and estimate.reason.endswith(A_COUNT):
        return str(Count(float(estimate)))
    return digits(estimate) if math.isnan(estimate.low) else estimate.shown()[0]


def bounds(estimate: Estimate) -> tuple[str, str] | None:
    """The two bounds, or None where there are none."""
    return None if math.isnan(estimate.low) else estimate.shown()[1:]


def title(ev: Evaluation) -> tuple[str, list[str]]:
    """Task, rows and number of classes, and the names of the classes."""
    if ev.task == "ranking":
        return f"ranking: {_plural(ev.rows, 'query')}", []
    counted = [_plural(ev.rows, "row")]
    if ev.task != "regression" or ev.labels:
        counted.append(_plural(len(ev.labels), KINDS.get(ev.task, "class")))
    return f"{ev.task}: {', '.join(counted)}", [harmless(v) for v in ev.labels[:LISTED]]


def _plural(count: int, noun: str) -> str:
    many = noun.removesuffix("y") + "ies" if noun.endswith("y") else noun + ("es" if noun.endswith("s") else "s")
    return f"{count} {noun if count == 1 else many}"


def headline(ev: Evaluation) -> Table:
    """Every metric that was listed."""
    rows = tuple((name, ev[name]) for name in ev)
    return Table("", ("metric", "value"), rows)


def confusion(table: Confusion) -> Table:
    """The matrix with its totals, or the most frequent confusions where there are too many classes for one."""
    names = [harmless(v) for v in table.labels]
    other = "predicted" if table.rows == "truth" else "truth"
    mine = "truth" if table.rows == "truth" else "predicted"
    if len(names) > MATRIX:
        return pairs(table)
    down, across = table.margins
    rows: list[tuple[Cell, ...]] = [
        (name, *map(Count, row.tolist()), Count(total))
        for name, row, total in zip(names, table.counts, down.tolist(), strict=True)
    ]
    rows.append(("total", *map(Count, across.tolist()), Count(float(np.sum(across)))))
    return Table(f"confusion matrix: {mine} in rows, {other} in columns", (mine, *names, "total"), tuple(rows))


def matrix(ev: Evaluation) -> Confusion | None:
    """The confusion matrix; None with several labels a row, or scores that nobody cut, as the footnotes say."""
    try:
        return ev.confusion
    except (InputError, UnknownName):
        return None


def pairs(table: Confusion) -> Table:
    """The confusions that occur most often."""
    names = [harmless(v) for v in table.labels]
    wrong = np.where(np.eye(len(names), dtype=bool), 0, table.counts if table.rows == "truth" else table.counts.T)
    order = np.argsort(-wrong, axis=None, kind="stable")[:PAIRS]
    found = [(int(t), int(p)) for t, p in zip(*np.unravel_index(order, wrong.shape), strict=True) if wrong[t, p] > 0]
    rows = tuple((names[t], names[p], Count(wrong[t, p].item())) for t, p in found)
    left = int(np.count_nonzero(wrong)) - len(rows)
    caption = "most frequent confusions" if rows else "confusions: none, every row was predicted right"
    more = f"{_plural(left, 'rarer pair')} not shown" if left else ""
    return Table(caption, ("truth", "predicted", "rows"), rows, more)


def classes(ev: Evaluation) -> Table | None:
    """A few metrics of each class against the rest; None with one positive class, which the headline is about."""
    if ev.positive is not None or len(ev.labels) < 2:
        return None
    parts: Mapping[Any, Mapping[str, Estimate]] = ev.classes
    names = tuple(next(iter(parts.values())))[:BESIDE]
    if not names:
        return None
    held = _support(ev)
    rows = tuple(
        (harmless(v), *_counted(held, i), *(parts[v][name] for name in names))
        for i, v in enumerate(ev.labels[:LISTED])
    )
    left = len(ev.labels) - LISTED
    kind = KINDS.get(ev.task, "class")
    return Table(
        "each output" if kind == "output" else f"each {kind} against the rest",
        (kind, *(("rows",) if held is not None else ()), *names),
        rows,
        f"{left} more {'classes' if kind == 'class' else kind + 's'}" if left > 0 else "",
    )


def _support(ev: Evaluation) -> Sequence[float] | None:
    table = matrix(ev)
    return None if table is None else list(table.margins[0].tolist())


def _counted(held: Sequence[float] | None, index: int) -> Iterable[Cell]:
    return () if held is None else (Count(held[index]),)


def slices(ev: Evaluation) -> Iterator[Table]:
    """A table for each slicing column: the largest slices, with a few metrics."""
    listed = {str(m): m.metric.name for m in ev.listed}
    if ev.question.metrics is None:
        ranked = [name for wanted in SLICED for name, plain in listed.items() if plain == wanted]
        names = ranked[:BESIDE] or list(listed)[:BESIDE]
    else:
        names = list(listed)[:BESIDE]
    for column, parts in ev.by.items():
        shown = sorted(parts.items(), key=lambda item: -item[1].rows)[:LISTED] if len(parts) > LISTED else parts.items()
        rows: list[tuple[Cell, ...]] = [
            (harmless(v), Count(part.rows), *(part[name] for name in names)) for v, part in shown
        ]
        left = len(parts) - LISTED
        more = f"{_plural(left, 'smaller slice')} not shown" if left > 0 else ""
        yield Table(f"by {harmless(column)}", (harmless(column), "rows", *names), tuple(rows), more)


def tables(ev: Evaluation) -> Iterator[Table]:
    """What comes after the headline and the confusion matrix."""
    of_classes = classes(ev)
    if of_classes is not None:
        yield of_classes
    yield from slices(ev)


def assumed(ev: Evaluation) -> Iterator[tuple[str, str]]:
    """What the numbers rest on: a name and a text each."""
    if ev.positive is not None:
        yield "positive class", harmless(ev.positive)
    if ev.predictions:
        yield "predictions", ev.predictions
    rules = ev.question.ranking
    if rules is not None:
        yield "documents without judgement", UNJUDGED[rules.unjudged]
        if rules.ties is not None:
            yield "tied scores", TIES[rules.ties]
    if ev.task == "regression":
        yield "errors", "prediction less truth"
    yield "intervals", f"{percent(ev.level)} confidence, each metric on its own"
    for note in ev.notes:
        yield "note", harmless(note)
