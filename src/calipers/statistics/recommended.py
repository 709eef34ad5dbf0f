"""The lists of items that users were recommended: coverage, exposure, novelty and diversity are formulas over them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from calipers.cached import lazy
from calipers.errors import InputError
from calipers.settings import Label
from calipers.statistics.base import Array, Statistic

if TYPE_CHECKING:
    from calipers.data.recommendations import Recommendations

# Facts of the items, which are the same for all parts of the users, and the argument that they come from.
SHARED = {"items": "catalogue", "popularity": "history", "history_users": "history", "vectors": "items"}
OF_USERS, OF_ENTRIES = ("tested", "profile", "taste"), ("codes", "relevant")


@dataclass(frozen=True, eq=False)
class RecommendedLists(Statistic):
    """The list of each user, best item first, and what is known about the items.

    The list of user u is at starts[u] to starts[u + 1]. codes: the items, as places in `items`, which is the catalogue.
    relevant: whether the truth of the user contains the item. tested: whether a user has truth. popularity: how many
    users of the history have each item; history_users: how many users it has. profile: the mean share of the history's
    users that have the items of a user's own history, NaN for a user without history. vectors: the features of each
    item, scaled to length 1. taste: the mean of the vectors of the items in a user's history. Arrays of what was not
    given are empty. seen: recommended items that were in the user's history.
    """

    users: tuple[Label, ...]
    tested: Array
    starts: Array
    codes: Array
    relevant: Array
    items: tuple[Label, ...]
    popularity: Array
    history_users: int
    profile: Array
    vectors: Array
    taste: Array
    seen: int = 0

    @classmethod
    def of(cls, batch: Any) -> Self:
        """The lists of recommendations that were read."""
        read: Recommendations = batch
        tested = np.arange(len(read.users)) < len(read.rankings)
        return cls(
            read.users, tested, read.starts, read.codes, read.relevant, read.items, read.popularity,
            read.history_users, read.profile, read.vectors, read.taste, read.seen,
        )  # fmt: skip

    @classmethod
    def empty(cls) -> Self:
        """No users."""
        none = np.zeros(0)
        return cls((), none.astype(bool), np.zeros(1, np.int64), none.astype(np.uint32), none.astype(bool), (),
                   none.astype(np.int64), 0, none, np.zeros((0, 0)), np.zeros((0, 0)))  # fmt: skip

    @lazy
    def cut(self) -> dict[float, Any]:
        """What was found of the first k items of each list, by k."""
        return {}

    @property
    def rows(self) -> int:
        """How many users there are."""
        return len(self.users)

    @property
    def sizes(self) -> Array:
        """How many items each list has."""
        return np.diff(self.starts)

    def merge(self, other: Self) -> Self:
        """The users of both; the facts of the items must be the same."""
        if not self.users or not other.users:
            return self if self.users else other
        for name, argument in SHARED.items():
            if not np.array_equal(getattr(self, name), getattr(other, name)):
                raise InputError("recommendation.other_items", name=argument)
        joined: dict[str, Any] = {
            name: np.concatenate((getattr(self, name), getattr(other, name))) for name in (*OF_USERS, *OF_ENTRIES)
        }
        starts = np.concatenate((self.starts, other.starts[1:] + self.starts[-1]))
        return replace(self, users=self.users + other.users, starts=starts, seen=self.seen + other.seen, **joined)

    def scale(self, factor: int) -> Self:
        """Every user repeated."""
        if not factor:
            return self.empty()
        repeated: dict[str, Any] = {
            name: np.concatenate([getattr(self, name)] * factor) for name in (*OF_USERS, *OF_ENTRIES)
        }
        starts = np.concatenate(([0], np.cumsum(np.tile(self.sizes, factor))))
        return replace(self, users=self.users * factor, starts=starts, seen=self.seen * factor, **repeated)

    def first(self, k: float) -> Self:
        """The same users with the first k items of each list."""
        sizes = self.sizes
        if k >= sizes.max(initial=0):
            return self
        kept = np.minimum(sizes, int(k))
        starts = np.concatenate(([0], np.cumsum(kept)))
        at = np.arange(starts[-1]) + np.repeat(self.starts[:-1] - starts[:-1], kept)
        return replace(self, starts=starts, codes=self.codes[at], relevant=self.relevant[at])

    def sums(self, entries: Array) -> Array:
        """The sum over the list of each user of a number that each recommended item has."""
        filled = self.sizes > 0
        totals = np.zeros(len(self.users), np.result_type(entries.dtype, np.int64 if entries.dtype == bool else 0))
        if filled.any():
            totals[filled] = np.add.reduceat(entries, self.starts[:-1][filled], dtype=totals.dtype)
        return totals

    def means(self, entries: Array) -> Array:
        """The mean over the list of each user; NaN for an empty list."""
        with np.errstate(all="ignore"):
            return np.asarray(self.sums(entries) / self.sizes)


@dataclass(frozen=True, eq=False)
class RatingErrors(Statistic):
    """Sums over the rated items of each user: how many, and of |e|, e², e, y and y² for ratings y and errors e."""

    users: tuple[Label, ...]
    totals: Array

    @classmethod
    def of(cls, batch: Any) -> Self:
        """The errors of recommendations that were read; 0 rated items without ratings or scores."""
        read: Recommendations = batch
        if read.rated is None:
            return cls(read.users, np.zeros((len(read.users), 6)))
        at, ratings, predicted = read.rated
        e = predicted - ratings
        columns = (np.ones(len(e)), np.abs(e), e * e, e, ratings, ratings * ratings)
        return cls(read.users, np.stack([np.bincount(at, column, len(read.users)) for column in columns], 1))

    @classmethod
    def empty(cls) -> Self:
        """No users."""
        return cls((), np.zeros((0, 6)))

    @property
    def rows(self) -> int:
        """How many users there are."""
        return len(self.users)

    def merge(self, other: Self) -> Self:
        """The users of both."""
        return type(self)(self.users + other.users, np.concatenate((self.totals, other.totals)))

    def scale(self, factor: int) -> Self:
        """Every user repeated."""
        return type(self)(self.users * factor, np.tile(self.totals, (factor, 1)))
