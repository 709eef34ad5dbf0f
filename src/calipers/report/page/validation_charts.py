"""Charts of models over folds, sizes, values and resamples, each with the numbers behind it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from calipers.choices import ComparedCurve
from calipers.report.layout import Footnotes, Table
from calipers.report.page.elements import ROWS, Chart, Grid, chart, grid, numbers
from calipers.report.sweeps import axis, places
from calipers.validation.bias_variance import BiasVariance
from calipers.validation.cross_validation import Validation
from calipers.validation.sweep import Sweep

if TYPE_CHECKING:
    from calipers.report.language import Language

SWEEP_COLUMNS = ("test", "low", "high", "train", "gap", "gap_low", "gap_high", "folds")
CURVE_COLUMNS: dict[ComparedCurve, tuple[str, ...]] = {
    "roc": ("fpr", "tpr", "low", "high"), "pr": ("recall", "precision", "low", "high"),
}  # fmt: skip


def charts(result: Validation | Sweep | BiasVariance, words: Language) -> list[Chart]:
    """Every chart that fits a result, in the order of its kinds; of a sweep one for each metric."""
    if isinstance(result, Sweep):
        pictures = [_of_sweep(result, name, words) for name in result]
    elif isinstance(result, BiasVariance):
        pictures = [_with_table(chart(result, "parts", words), _parts(result, words))]
    else:
        pictures = [_of_folds(result, kind, words) for kind in CURVE_COLUMNS]
    return [picture for picture in pictures if picture is not None]


def _of_folds(result: Validation, kind: ComparedCurve, words: Language) -> Chart | None:
    """The curves of folds, with the mean one as a table; the values of folds have a table of their own."""
    picture = chart(result, kind, words, key=f"chart-{kind}")
    if picture is None:
        return None
    curve = result.curve(kind, average=None if len(result.problem.classes) == 2 else "macro").mean.thinned(ROWS)
    columns = {words.say(f"page.columns.{name}"): curve[name] for name in CURVE_COLUMNS[kind]}
    return _with_table(picture, numbers(picture.name, columns, words))


def _of_sweep(result: Sweep, name: str, words: Language) -> Chart | None:
    picture = chart(result, result.chart, words, key=f"{result.chart}-{list(result).index(name)}", metric=name)
    curve = result.curve(name)
    columns: dict[str, Any] = {axis(result, words): places(result)}
    columns |= {words.say(f"page.columns.{c}"): curve[c] for c in SWEEP_COLUMNS if c in curve}
    return None if picture is None else _with_table(picture, numbers(picture.name, columns, words))


def _parts(result: BiasVariance, words: Language) -> Grid:
    head = words.say("page.columns.part"), words.say("page.columns.value")
    rows = tuple((words.say(f"sweeps.parts.{name}"), e) for name, e in result.items())
    return grid(Table("", head, rows), Footnotes(words))


def _with_table(picture: Chart | None, table: Grid) -> Chart | None:
    return None if picture is None else replace(picture, table=table)
