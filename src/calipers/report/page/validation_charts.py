"""Charts of models over folds, sizes, values and resamples, each with the numbers behind it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from calipers.report.layout import Footnotes, Table
from calipers.report.page.elements import ROWS, Chart, Grid, chart, grid, numbers
from calipers.report.plots import KINDS
from calipers.report.sweeps import axis, places
from calipers.validation.bias_variance import BiasVariance
from calipers.validation.cross_validation import Validation
from calipers.validation.sweep import Sweep

if TYPE_CHECKING:
    from calipers.report.language import Language

SWEPT = ("test", "low", "high", "train", "gap", "gap_low", "gap_high", "folds")
CURVED = {"roc": ("fpr", "tpr", "low", "high"), "pr": ("recall", "precision", "low", "high")}


def charts(result: Validation | Sweep | BiasVariance, words: Language) -> list[Chart]:
    """Every chart that fits a result, in the order of its kinds; of a sweep one for each metric."""
    if isinstance(result, Sweep):
        found = [_swept(result, name, words) for name in result]
    elif isinstance(result, BiasVariance):
        found = [_with_table(chart(result, "parts", words), _parts(result, words))]
    else:
        found = [_of_folds(result, kind, words) for kind in KINDS[Validation]]
    return [drawn for drawn in found if drawn is not None]


def _of_folds(result: Validation, kind: str, words: Language) -> Chart | None:
    """A chart of folds; behind curves is the mean one, and the values of folds have a section of their own."""
    drawn = chart(result, kind, words, key=f"chart-{kind}")
    if drawn is None or kind not in CURVED:
        return drawn
    curve = result.curve(kind, average=None if len(result.problem.classes) == 2 else "macro").mean.thinned(ROWS)
    shown = {words.say(f"page.columns.{name}"): curve[name] for name in CURVED[kind]}
    return _with_table(drawn, numbers(drawn.name, shown, words))


def _swept(result: Sweep, name: str, words: Language) -> Chart | None:
    drawn = chart(result, result.chart, words, key=f"{result.chart}-{list(result).index(name)}", metric=name)
    curve = result.curve(name)
    columns: dict[str, Any] = {axis(result, words): places(result)}
    columns |= {words.say(f"page.columns.{c}"): curve[c] for c in SWEPT if c in curve}
    return None if drawn is None else _with_table(drawn, numbers(drawn.name, columns, words))


def _parts(result: BiasVariance, words: Language) -> Grid:
    head = words.say("page.columns.part"), words.say("page.columns.value")
    rows = tuple((words.say(f"sweeps.parts.{name}"), e) for name, e in result.items())
    return grid(Table("", head, rows), Footnotes(words))


def _with_table(drawn: Chart | None, table: Grid) -> Chart | None:
    return None if drawn is None else replace(drawn, table=table)
