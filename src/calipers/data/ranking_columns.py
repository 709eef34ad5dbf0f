"""Columns and lists of rankings, checked: relevances, scores, queries and documents, and what is refused."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from calipers import _native
from calipers.data import containers, labels
from calipers.data.ids import Identifiers, text_codes
from calipers.errors import InputError
from calipers.remarks import Remark
from calipers.settings import Label

Array = npt.NDArray[Any]
MANY = 1000
NOT_SAMPLED = -1.0  # the relevance of a document of the pool that was not in the sample to judge
Where = Callable[[int], str]
ROW: Where = lambda row: Remark("common.row", row=row)  # noqa: E731 - the default of `where`


def relevances(column: Any, name: str, where: Where = ROW) -> Array:
    """Relevances as float64, NaN where one is missing; -1 is a document of the pool that was not judged."""
    grades = containers.numbers(column, name).astype(np.float64, copy=False)
    if grades.ndim != 1:
        raise InputError("data.one_a_document", name=name, shape=grades.shape)
    bad = ((grades < 0) & (grades != NOT_SAMPLED)) | np.isinf(grades)
    if bad.any():
        row = int(bad.argmax())
        raise InputError("data.relevance_negative", name=name, value=float(grades[row]), place=where(row))
    return grades


def scored(column: Any, where: Where = ROW) -> Array:
    """Scores as float64, so that no two become equal that are not; NaN has no rank."""
    scores = containers.numbers(column, "score").astype(np.float64, copy=False)
    if scores.ndim != 1:
        raise InputError("data.one_a_document", name="score", shape=scores.shape)
    if np.isnan(scores).any():
        count, row = int(np.isnan(scores).sum()), int(np.isnan(scores).argmax())
        raise InputError("data.scores_missing", count=count, place=where(row))
    return np.ascontiguousarray(scores)


def numbers_of(values: Iterable[Any], count: int, name: str) -> Array:
    """Numbers of an iterator. A second pass finds and names values that are not numbers."""
    items = list(values)
    try:
        return np.fromiter(items, np.float64, count)
    except (TypeError, ValueError, OverflowError):
        return containers.numbers(items, name)


def query_codes(column: Any, name: str) -> labels.Encoded:
    """Queries by code, in order."""
    texts = text_codes(column, name) if len(column) > MANY else None
    if texts is not None:
        order = sorted(range(len(texts[1])), key=texts[1].__getitem__)
        table = np.empty(len(order), np.uint32)
        table[order] = np.arange(len(order))
        return labels.Encoded(_native.recode(texts[0], table), tuple(texts[1][i] for i in order), 0, -1)
    encoded = labels.encode(column, name)
    if encoded.missing:
        raise InputError("data.values_missing", name=name, count=encoded.missing, row=encoded.first_missing)
    return encoded


def codes_among(queries: labels.Encoded, known: tuple[Label, ...]) -> tuple[Array, int]:
    """The codes of the run's queries among those that have judgements; one more for all others, and how many."""
    place = {query: code for code, query in enumerate(known)}
    table = np.array([place.get(query, len(known)) for query in queries.values], np.uint32)
    return _native.recode(queries.codes, table), sum(query not in place for query in queries.values)


def as_lists(value: Any, name: str) -> list[Any]:
    """The lists of all queries; anything else is an error."""
    if isinstance(value, (str, bytes, Mapping)) or not is_list(value):
        raise InputError("data.not_lists", name=name, value=value)
    return list(value)


def is_list(value: Any) -> bool:
    """Whether it has a length and items: a list, an array, a column."""
    return hasattr(value, "__len__") and hasattr(value, "__getitem__") and getattr(value, "ndim", 1) > 0


def refuse_scalars(lists: Sequence[Any], name: str) -> None:
    """An error where a query has anything else than one list."""
    for query, one in enumerate(lists):
        if isinstance(one, (str, bytes, Mapping)) or not is_list(one) or getattr(one, "ndim", 1) != 1:
            raise InputError("data.element_not_a_list", name=name, query=query, value=one)


def flattened(lists: Sequence[Any], name: str) -> tuple[Array, list[int]]:
    """The numbers of all lists, one after another, and the length of each list.

    >>> flattened([[2, 0], [], (1,)], "relevances")
    (array([2., 0., 1.]), [2, 0, 1])
    """
    refuse_scalars(lists, name)
    parts = [containers.numbers(one, name) if len(one) else np.zeros(0) for one in lists]
    for query, part in enumerate(parts):
        if part.ndim != 1:
            raise InputError("data.lists_of_lists", name=name, query=query)
    return np.concatenate([np.zeros(0), *parts]), [len(part) for part in parts]


def refuse_other_than_dicts(table: Mapping[Any, Any], name: str) -> None:
    """An error where a query has anything else than a dict by document."""
    for query, one in table.items():
        if not isinstance(one, Mapping):
            raise InputError("data.element_not_a_dict", name=name, query=query, kind=type(one).__name__)


def refuse_repeated(row: int, ids: Identifiers, queries: labels.Encoded, what: str, where: Where = ROW) -> None:
    """An error where a query has a document twice: `row` is the second one, below 0 where there is none."""
    if row >= 0:
        query = queries.values[queries.codes[row]]
        raise InputError("data.given_twice", document=ids.quoted(row), what=what, query=query, place=where(row))


def same_length(first: Any, second: Any, third: Any, what: str) -> None:
    """An error where three columns differ in length."""
    if not len(first) == len(second) == len(third):
        raise InputError("data.columns_differ", what=what, first=len(first), second=len(second), third=len(third))
