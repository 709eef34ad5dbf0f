"""Ranked documents: is the first one relevant, how do queries differ, and which are worst?"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from calipers.answers.base import Card, Number
from calipers.errors import InputError, UnknownName
from calipers.metrics.values import QueryMean

if TYPE_CHECKING:
    from calipers.evaluation.evaluation import Evaluation

Array = npt.NDArray[Any]
WORST = 3  # queries that are named


def cards(ev: Evaluation) -> Iterator[Card]:
    """The first result, the spread over queries, and the worst of them."""
    try:
        first = ev["success@1"]
    except (InputError, UnknownName):
        first = None
    if first is not None and not math.isnan(first):
        numbers: dict[str, Number] = {"hits": round(first * ev.rows), "queries": ev.rows}
        yield Card("first", "measured", "success@1", first, numbers=numbers)
    yield from spread(ev, "queries")
    if not ev.is_live or not ev.listed or (measured := _measured(ev)) is None:
        return
    name, values, known = measured
    order = np.argsort(np.where(known, values, np.inf), kind="stable")[:WORST]
    names = "\n".join(str(ev.per_query["query"][i]) for i in order)
    ends = {"least": float(values[order[0]]), "most": float(values[order[-1]])}
    yield Card("worst", "measured", numbers={"names": names, "metric": name, **ends})


def spread(ev: Evaluation, question: str) -> Iterator[Card]:
    """How the first metric is spread over queries, or over users."""
    if not ev.is_live or not ev.listed or (measured := _measured(ev)) is None:
        return
    name, values, known = measured
    low, middle, high = (float(x) for x in np.quantile(values[known], (0.25, 0.5, 0.75)))
    numbers: dict[str, Number] = {"low": low, "middle": middle, "high": high, "zero": int((values[known] == 0).sum())}
    numbers |= {"queries": int(known.sum()), "metric": name}
    yield Card(question, "measured", name, ev[name], numbers=numbers)


def _measured(ev: Evaluation) -> tuple[str, Array, Array] | None:
    """The first metric, its values, and which queries have one; None with fewer than two.

    None too for a metric that is no mean over queries (geometric MAP): what a query has is another metric.
    """
    measure, table = ev.listed[0], ev.per_query
    values = table[measure.name] if measure.name in table else np.full(0, np.nan)
    known = ~np.isnan(values)
    if known.sum() < 2 or not isinstance(measure.formula(values[known]), QueryMean):
        return None
    return measure.name, values, known
