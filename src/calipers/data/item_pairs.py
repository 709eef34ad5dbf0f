"""Pairs of users and items: truth, recommendations and history as codes, and looking pairs up in others."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from calipers import _native
from calipers.cached import lazy
from calipers.data import containers
from calipers.data.ranking_columns import query_codes, same_length
from calipers.errors import InputError
from calipers.remarks import Remark
from calipers.settings import Label

Array = npt.NDArray[Any]


class Pairs(NamedTuple):
    """User and item of each row and a number for each, None if there is none.

    name: the argument. in_order: the numbers say in which order items were given, and are no scores.
    """

    users: Any
    items: Any
    numbers: Any
    name: str
    in_order: bool = False


@dataclass(frozen=True, eq=False)
class Coded:
    """Pairs as codes of users and items, with their labels. A code beyond the labels is of another user or item."""

    name: str
    user_labels: tuple[Label, ...]
    item_labels: tuple[Label, ...]
    users: Array
    items: Array
    numbers: Array | None
    in_order: bool = False

    @classmethod
    def of(cls, pairs: Pairs) -> Coded:
        """Users and items of a table; missing ones are an error."""
        name = pairs.name
        users, items = (
            query_codes(containers.typed(column, name), Remark(code, name=name))
            for column, code in ((pairs.users, "recommendation.user_of"), (pairs.items, "recommendation.item_of"))
        )
        numbers = None
        if pairs.numbers is not None:
            numbers = containers.numbers(pairs.numbers, name).astype(np.float64, copy=False)
            if numbers.ndim != 1:
                raise InputError("recommendation.one_number_per_pair", name=name, shape=numbers.shape)
        same_length(users.codes, items.codes, users.codes if numbers is None else numbers, name)
        return cls(name, users.values, items.values, users.codes, items.codes, numbers, pairs.in_order)

    def __len__(self) -> int:
        return len(self.items)

    def take(self, rows: Array) -> Coded:
        """These rows (indices, or a mask)."""
        numbers = None if self.numbers is None else self.numbers[rows]
        return replace(self, users=self.users[rows], items=self.items[rows], numbers=numbers)

    def among(self, users: Places, items: Places) -> Coded:
        """The same pairs with codes of these users and items."""
        return replace(
            self,
            user_labels=users.labels,
            item_labels=items.labels,
            users=users.codes(self.users, self.user_labels),
            items=items.codes(self.items, self.item_labels),
        )

    @lazy
    def ids(self) -> _native.Ids:
        """The items as identifiers, in the order of their codes."""
        return _native.ids_integers(self.items.astype(np.int64))

    def quoted(self, row: int) -> dict[str, Any]:
        """User and item of a row, for a message."""
        return {"user": self.user_labels[self.users[row]], "item": self.item_labels[self.items[row]]}


@dataclass(frozen=True, eq=False)
class Places:
    """Labels of users or items by their codes."""

    labels: tuple[Label, ...]

    @lazy
    def _index(self) -> dict[Label, int]:
        return dict(zip(self.labels, range(len(self.labels)), strict=True))

    def codes(self, codes: Array, mine: tuple[Label, ...]) -> Array:
        """Codes of my labels as codes of these, one beyond them for a label that is not among them."""
        if not len(codes) or mine == self.labels[: len(mine)]:
            return codes.astype(np.uint32, copy=False)
        found = map(self._index.get, mine, repeat(len(self.labels)))
        return _native.recode(codes, np.fromiter(found, np.uint32, len(mine)))


class ByUser(NamedTuple):
    """The items of each user one after the other: those of user u from starts[u] to starts[u + 1].

    order: the rows that they come from; items: how many items there are.
    """

    starts: Array
    codes: Array
    order: Array
    items: int

    @classmethod
    def of(cls, pairs: Coded) -> ByUser:
        """Pairs by user, in the given order; those of other users are left out."""
        users, items = len(pairs.user_labels), len(pairs.item_labels)
        order = np.argsort(pairs.users, kind="stable")
        starts = np.searchsorted(pairs.users[order], np.arange(users + 1))
        order = order[: starts[-1]]
        return cls(starts, pairs.items[order].astype(np.uint32, copy=False), order, items)

    @property
    def repeated(self) -> Array:
        """Which of the rows are of an item that the same user had before."""
        return self._of_rows(_native.listed_before(self.starts, self.codes, None, None, self.items))

    def has(self, pairs: Coded) -> Array:
        """Which pairs, of the same users and items, are among these."""
        other = ByUser.of(pairs)
        found = np.zeros(len(pairs), bool)
        found[other.order] = self.has_lists(other.starts, other.codes)
        return found

    def has_lists(self, starts: Array, codes: Array) -> Array:
        """Which items of lists of the same users are among these."""
        return _native.listed_before(starts, codes, self.starts, self.codes, self.items)

    def _of_rows(self, found: Array) -> Array:
        rows = np.zeros(len(found), bool)
        rows[self.order] = found
        return rows


class Pool(NamedTuple):
    """The numbers of the truth by user, in which recommendations are looked up."""

    starts: Array
    numbers: Array
    order: Array
    fingerprints: Array
    ids: _native.Ids

    @classmethod
    def of(cls, pairs: Coded, numbers: Array) -> Pool:
        """Pairs with a number each, of which none may come twice."""
        ids = pairs.ids
        starts, by_user, _, _, again, order, fingerprints = _native.rank_rows(
            pairs.users, len(pairs.user_labels), np.zeros(len(pairs)), ids, False, numbers, None, True
        )
        refuse_repeated(pairs, again)
        return cls(starts, by_user, order, fingerprints, ids)

    @property
    def judgements(self) -> tuple[Any, ...]:
        """As the native module takes them."""
        return self.starts, self.order, self.fingerprints, self.numbers, self.ids


def refuse_repeated(pairs: Coded, row: int) -> None:
    """An error where a user has an item twice: `row` is the second one, below 0 where there is none."""
    if row >= 0:
        raise InputError("recommendation.pair_twice", name=pairs.name, row=row, **pairs.quoted(row))
