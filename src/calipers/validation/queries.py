"""The queries of ranked documents: given as sizes, and passed on to rankers that are fitted on queries."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from calipers.data import containers
from calipers.errors import InputError
from calipers.validation.models import Array

# What rankers call their queries: XGBoost's qid and CatBoost's group_id are ids, LightGBM's group are sizes.
IDS, SIZES = ("qid", "group_id"), ("group",)


def of_sizes(sizes: Any, rows: int) -> Array:
    """The query of each row, from the sizes of consecutive queries.

    >>> of_sizes([2, 3], 5).tolist()
    [0, 0, 1, 1, 1]
    """
    counts = np.asarray(containers.numbers(sizes, "group_sizes"))
    if counts.ndim != 1 or not (counts >= 1).all() or (counts != np.floor(counts)).any() or counts.sum() != rows:
        raise InputError("validation.sizes_of_queries", total=float(counts.sum()), rows=rows)
    return np.repeat(np.arange(len(counts)), counts.astype(np.int64))


def ranking_arguments(
    fit: Callable[..., Any], queries: Array, given: Collection[str]
) -> tuple[Array, dict[str, Any]]:
    """The order in which rows of one query stand together, and the argument that tells `fit` about queries, if any.

    given: arguments that the caller passes.
    """
    try:
        known = inspect.signature(fit).parameters
    except (TypeError, ValueError):
        known = {}  # type: ignore[assignment]
    name = next((name for name in (*IDS, *SIZES) if name in known), None)
    if name is None or any(each in given for each in (*IDS, *SIZES)):
        return np.arange(len(queries)), {}
    codes = np.unique(queries, return_inverse=True)[1]
    order = np.argsort(codes, kind="stable")
    return order, {name: codes[order] if name in IDS else np.bincount(codes)}
