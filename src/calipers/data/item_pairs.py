"""Pairs of users and items: truth, recommendations and history as codes, and looking pairs up in others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
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

    def among(self, users: Sequence[Label], items: Sequence[Label]) -> Coded:
        """The same pairs with codes of these users and items."""
        return replace(
            self,
            user_labels=tuple(users),
            item_labels=tuple(items),
            users=_moved(self.users, self.user_labels, users),
            items=_moved(self.items, self.item_labels, items),
        )

    @lazy
    def ids(self) -> _native.Ids:
        """The items as identifiers, in the order of their codes."""
        return _native.ids_integers(self.items.astype(np.int64))

    def quoted(self, row: int) -> dict[str, Any]:
        """User and item of a row, for a message."""
        return {"user": self.user_labels[self.users[row]], "item": self.item_labels[self.items[row]]}


def _moved(codes: Array, mine: Sequence[Label], every: Sequence[Label]) -> Array:
    place = {label: code for code, label in enumerate(every)}
    table = np.array([place.get(label, len(every)) for label in mine], np.uint32)
    return _native.recode(codes, table) if len(codes) else codes.astype(np.uint32)


class Pool(NamedTuple):
    """The numbers of pairs by user, in which other pairs can be looked up."""

    starts: Array
    numbers: Array
    order: Array
    fingerprints: Array
    ids: _native.Ids

    @classmethod
    def of(cls, pairs: Coded, numbers: Array) -> Pool:
        """Pairs with a number each, of which none may come twice."""
        known = pairs.users < len(pairs.user_labels)
        if not known.all():
            return cls.of(pairs.take(known), numbers[known])
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

    def has(self, pairs: Coded) -> Array:
        """Whether each pair is among these."""
        numbers, order = self._look_up(pairs, ordered=True)
        found = np.zeros(len(pairs), bool)
        found[order] = ~np.isnan(numbers)
        return found

    def count(self, pairs: Coded) -> int:
        """How many pairs are among these, which takes less time than to say which."""
        return int(np.count_nonzero(~np.isnan(self._look_up(pairs, ordered=False)[0])))

    def _look_up(self, pairs: Coded, *, ordered: bool) -> tuple[Array, Array]:
        _, numbers, _, _, _, order, _ = _native.rank_rows(
            pairs.users, len(pairs.user_labels), np.zeros(len(pairs)), pairs.ids, False, None, self.judgements, ordered
        )
        return numbers, order


def refuse_repeated(pairs: Coded, row: int) -> None:
    """An error where a user has an item twice: `row` is the second one, below 0 where there is none."""
    if row >= 0:
        raise InputError("recommendation.pair_twice", name=pairs.name, row=row, **pairs.quoted(row))
