"""A formula with the reader's own numbers put in."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from calipers.metrics.base import Measure, Metric
from calipers.metrics.views import Unavailable, Views
from calipers.statistics.confusion import ConfusionCounts, Margins, OneVsRest
from calipers.statistics.queries import QueryGains
from calipers.statistics.ranks import RankCounts
from calipers.statistics.scores import ScoreSamples

if TYPE_CHECKING:
    from calipers.report.language import Language

SYMBOL = re.compile(r"\{(\w+)\}")
OF_NUMBERS, OF_QUERIES = ("truth", "predicted", "rows"), ("precision", "k", "p")
LISTED = 8  # longer lists of numbers explain nothing


def read(formula: str) -> str:
    """A formula as it is read: {tp} becomes TP, ** a power.

    >>> read("2*{tp} / (2*{tp} + {fp} + {fn})")
    '2*TP / (2*TP + FP + FN)'
    """
    return SYMBOL.sub(lambda m: m[1].upper() if len(m[1]) == 2 else m[1], formula)


def key(metric: Metric, name: str) -> str:
    """The key of the words for a symbol; truth and predictions are counts of classes, or numbers of rows."""
    if metric.of_numbers and name in OF_NUMBERS:
        return f"explain.symbols.numbers.{name}"
    if metric.over is QueryGains and name in OF_QUERIES:
        return f"explain.symbols.queries.{name}"
    return f"explain.symbols.{name}"


def known(measure: Measure, views: Views, index: int | None) -> dict[str, Any]:
    """The symbols of a formula that are a number or a short list here."""
    over = measure.metric.over
    if over is OneVsRest:
        every = views.one_vs_rest
        c = every.pooled() if measure.average == "micro" else every.at(_class(views, index))
        values: dict[str, Any] = {"tp": c.tp, "fp": c.fp, "fn": c.fn, "tn": c.tn}
    elif over is Margins:
        m = views.confusion.margins
        values = {"agreed": m.agreed, "truth": m.truth, "predicted": m.predicted, "total": m.total}
    elif over is ConfusionCounts:
        cells = views.confusion.cells
        mask = cells.sum(1) > 0
        values = {"diagonal": cells.diagonal()[mask], "truth": cells.sum(1)[mask]}
    elif over is ScoreSamples and views.facts.one_score and index in (None, views.positive):
        s = views.samples
        total = s.positives + s.negatives
        values = {"pairs": s.areas.pairs2 / 2, "positives": s.positives, "negatives": s.negatives,
                 "base": s.positives / total if total else np.nan}  # fmt: skip
    elif over is RankCounts:
        values = {"rank_counts": views.ranks.cells}
    else:
        values = {}
    return {**values, **measure.metric.parameters, **measure.parameters}


def _class(views: Views, index: int | None) -> int:
    at = views.positive if index is None else index
    if at is None:
        raise Unavailable("no class is meant")
    return at


def filled(measure: Measure, values: Mapping[str, Any], lang: Language) -> str:
    """The formula with numbers in the place of its symbols; empty where a symbol is no number or short list."""
    formula = measure.metric.formula
    if not set(SYMBOL.findall(formula)) <= set(values):
        return ""
    if any(np.size(values[name]) > LISTED for name in SYMBOL.findall(formula)):
        return ""
    return SYMBOL.sub(lambda m: written(values[m[1]], lang), formula)


def written(value: Any, lang: Language) -> str:
    """A number, or a list of numbers in brackets."""
    if isinstance(value, str):
        return value
    if np.ndim(value):
        between = "; " if lang.code == "vi" else ", "
        return f"[{between.join(written(x, lang) for x in np.asarray(value).tolist())}]"
    number = float(value)
    if (2 * number).is_integer() and abs(number) < 1e15:  # a count, in which a tie may be half
        return lang.local(f"{number:.12g}" if abs(number) < 1e11 else f"{number:.0f}")
    return lang.number(number)


def mean_of_classes(each: Sequence[float], shares: Sequence[float] | None, lang: Language) -> str:
    """The average over classes written out: (a + b + c) / 3, or with the rows of each class as factors."""
    if len(each) > LISTED:
        return ""
    if shares is None:
        return f"({' + '.join(lang.number(x) for x in each)}) / {len(each)}"
    terms = (f"{written(w, lang)}*{lang.number(x)}" for w, x in zip(shares, each, strict=True))
    return f"({' + '.join(terms)}) / {written(sum(shares), lang)}"


def mean_of_queries(each: Sequence[float], lang: Language) -> str:
    """The mean over queries: their measures written out where they are few, else the sum of them."""
    if len(each) <= LISTED:
        return mean_of_classes(each, None, lang)
    return f"{written(sum(each), lang)} / {len(each)}"
