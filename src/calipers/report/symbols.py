"""A formula with the reader's own numbers put in."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from calipers.metrics.base import Measure, Metric
from calipers.metrics.views import Views
from calipers.report.messages import COMMAS

if TYPE_CHECKING:
    from calipers.report.language import Language

SYMBOL = re.compile(r"\{(\w+)\}")
LISTED = 8  # longer lists of numbers explain nothing


def read(formula: str) -> str:
    """A formula as it is read: {tp} becomes TP, ** a power.

    >>> read("2*{tp} / (2*{tp} + {fp} + {fn})")
    '2*TP / (2*TP + FP + FN)'
    """
    return SYMBOL.sub(lambda m: m[1].upper() if len(m[1]) == 2 else m[1], formula)


def key(metric: Metric, name: str) -> str:
    """The key of the words for a symbol, which may mean something else in the metrics of its view."""
    own = f"{metric.view.taken}." if name in metric.view.own_symbols else ""
    return f"explain.symbols.{own}{name}"


def known(measure: Measure, views: Views, index: int | None) -> dict[str, Any]:
    """The symbols of a formula that are a number or a short list here."""
    seen = measure.metric.view.symbols(measure, views, index)
    return {**seen, **measure.metric.parameters, **measure.parameters}


def filled(measure: Measure, values: Mapping[str, Any], lang: Language) -> str:
    """The formula with numbers instead of symbols; empty if one is no number or a long list (queries: any list)."""
    formula = measure.metric.formula
    if not set(SYMBOL.findall(formula)) <= set(values):
        return ""
    if not measure.metric.view.of_queries and any(np.size(values[name]) > LISTED for name in SYMBOL.findall(formula)):
        return ""
    return SYMBOL.sub(lambda m: _enclosed(written(values[m[1]], lang)), formula)


def _enclosed(number: str) -> str:
    """A number below 0 in brackets, for a formula may have a sign before it.

    >>> _enclosed("-24,373"), _enclosed("6299")
    ('(-24,373)', '6299')
    """
    return f"({number})" if number[:1] in ("-", "−") else number


def written(value: Any, lang: Language) -> str:
    """A number, or a list of numbers in brackets, of a long one its first and its last."""
    if isinstance(value, str):
        return value
    if np.ndim(value):
        between = "; " if lang.code in COMMAS else ", "
        each = [written(x, lang) for x in np.asarray(value).tolist()]
        return f"[{between.join(each if len(each) <= LISTED else [*each[:2], '...', each[-1]])}]"
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
