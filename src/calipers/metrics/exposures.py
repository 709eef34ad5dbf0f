"""How often each item of the catalogue is recommended, with and without each user."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.cached import lazy
from calipers.metrics.left_out import LeftOut
from calipers.metrics.views import Unavailable
from calipers.remarks import Remark
from calipers.statistics.recommended import RecommendedLists

Array = npt.NDArray[Any]
BLOCK = 1 << 22  # numbers of features that are added up at once
NO_HISTORY = Remark("recommendation.needs_history")


@dataclass(frozen=True, eq=False)
class Exposures:
    """The first k items of each list. Values without a user follow from the counts of the user's own items."""

    lists: RecommendedLists

    @lazy
    def counts(self) -> Array:
        """How many lists have each item of the catalogue."""
        return np.bincount(self.lists.codes, minlength=len(self.lists.items))

    @lazy
    def total(self) -> int:
        """How many recommendations there are."""
        return len(self.lists.codes)

    @lazy
    def served(self) -> int:
        """How many users have a list."""
        return int(np.count_nonzero(self.lists.sizes))

    def _over(self, value: Any, left_out: Callable[[], Array]) -> LeftOut:
        return LeftOut(float(value) if self.total else np.nan, self.served, left_out)

    @property
    def coverage(self) -> LeftOut:
        """The share of the catalogue that is recommended to someone."""
        recommended, items = np.count_nonzero(self.counts), len(self.counts)
        alone = self.counts == 1  # items of one user
        return self._over(
            recommended / items, lambda: (recommended - self.lists.sums(alone[self.lists.codes])) / items
        )

    @property
    def entropy(self) -> LeftOut:
        """The entropy of the shares of the recommendations that items have, in bits."""
        c = self.counts.astype(np.float64)
        terms, fewer = _x_log_x(c), _x_log_x(np.maximum(c - 1, 0))
        every, n = float(terms.sum()), float(self.total)

        def left_out() -> Array:
            left = n - self.lists.sizes
            return np.log2(left) - (every - self.lists.sums((terms - fewer)[self.lists.codes])) / left

        return self._over(np.log2(n) - every / n if n else np.nan, left_out)

    @property
    def gini(self) -> LeftOut:
        """The Gini coefficient of the counts: 0 if all items are recommended equally often.

        In rising order, with places from 1, it is 2 Σ place · count / (items · total) - (items + 1) / items. One less
        of a count that several items have is one less at the first of their places.
        """
        items, rising = len(self.counts), np.sort(self.counts)
        weighted = float(np.arange(1, items + 1) @ rising)

        def of(weighted: Any, total: Any) -> Any:
            return 2 * weighted / (items * total) - (items + 1) / items

        def left_out() -> Array:
            first = np.searchsorted(rising, self.counts) + 1
            mine = self.counts[self.lists.codes]
            less = self.lists.sums(first[self.lists.codes]) + _equal_pairs(mine, self.lists.sizes)
            return np.asarray(of(weighted - less, self.total - self.lists.sizes))

        return self._over(of(weighted, self.total) if self.total else np.nan, left_out)

    @property
    def personalisation(self) -> LeftOut:
        """1 less the mean cosine similarity of the lists of two users."""
        sizes, users = self.lists.sizes, self.served
        with np.errstate(all="ignore"):
            each = np.repeat(1 / np.sqrt(sizes), sizes)
        weight = np.bincount(self.lists.codes, each, len(self.counts))
        square = float(weight @ weight)

        def left_out() -> Array:
            mine = self.lists.sums(each * weight[self.lists.codes])
            left = np.where(sizes > 0, users - 1, users)
            apart = np.where(sizes > 0, square - 2 * mine + 1, square)
            return 1 - (apart - left) / (left * (left - 1.0))

        value = 1 - (square - users) / (users * (users - 1)) if users > 1 else np.nan
        return self._over(value, left_out)

    # Users

    @lazy
    def popularity(self) -> Array:
        """The share of the history's users that have each item."""
        if not len(self.lists.popularity):
            raise Unavailable(NO_HISTORY)
        return self.lists.popularity / max(self.lists.history_users, 1)

    @property
    def mean_popularity(self) -> Array:
        """The mean popularity of each list."""
        return self.lists.means(self.popularity[self.lists.codes])

    @property
    def lift(self) -> LeftOut:
        """How much more popular the lists are than the users' own histories: a ratio of two means, less 1."""
        lists, own = self.mean_popularity, self.lists.profile
        both = ~(np.isnan(lists) | np.isnan(own))
        a, b = np.where(both, lists, 0.0), np.where(both, own, 0.0)
        with np.errstate(all="ignore"):
            value = a.sum() / b.sum() - 1
        return LeftOut(float(value), int(both.sum()), lambda: (a.sum() - a) / (b.sum() - b) - 1)

    @property
    def information(self) -> Array:
        """The mean self-information of each list, in bits; items that the history lacks do not count."""
        if not len(self.lists.popularity):
            raise Unavailable(NO_HISTORY)
        with np.errstate(divide="ignore"):
            bits = -np.log2(self.lists.popularity / max(self.lists.popularity.sum(), 1))
        known = np.isfinite(bits)
        each = np.where(known, bits, 0.0)[self.lists.codes]
        with np.errstate(all="ignore"):
            return np.asarray(self.lists.sums(each) / self.lists.sums(known[self.lists.codes]))

    @property
    def without_history(self) -> int:
        """How many recommendations are of items that nobody has in the history."""
        return int((self.lists.popularity == 0)[self.lists.codes].sum()) if len(self.lists.popularity) else 0

    @property
    def diversity(self) -> Array:
        """1 less the mean cosine similarity of two items of each list; NaN with fewer than two items.

        The square of a sum of vectors is the sum over all pairs, those of a vector with itself included.
        """
        vectors, lists = self._vectors, self.lists
        sizes, square = lists.sizes, np.zeros(lists.rows)
        filled = np.flatnonzero(sizes)
        step = max(1, int(BLOCK / max(vectors.shape[1] * sizes.mean(), 1)))
        for at in range(0, len(filled), step):
            some = filled[at : at + step]
            begin, end = lists.starts[some[0]], lists.starts[some[-1] + 1]
            sums = np.add.reduceat(vectors[lists.codes[begin:end]], lists.starts[some] - begin, axis=0)
            square[some] = np.einsum("ij,ij->i", sums, sums)
        own = lists.sums(np.any(vectors != 0, 1)[lists.codes])
        with np.errstate(all="ignore"):
            return np.where(sizes > 1, 1 - (square - own) / (sizes * (sizes - 1.0)), np.nan)

    @property
    def _vectors(self) -> Array:
        if not self.lists.vectors.size:
            raise Unavailable(Remark("recommendation.needs_features"))
        return self.lists.vectors

    @property
    def serendipity(self) -> Array:
        """The mean over each list of how unexpected an item is, 0 for items that are not relevant.

        Vectors have length 1, so that the product with their mean is the mean cosine similarity.
        """
        vectors, lists = self._vectors, self.lists
        if not len(lists.taste):
            raise Unavailable(NO_HISTORY)
        hits = np.flatnonzero(lists.relevant)
        users = np.searchsorted(lists.starts, hits, side="right") - 1
        each = 1 - np.einsum("ij,ij->i", vectors[lists.codes[hits]], lists.taste[users])
        known = lists.tested & ~np.isnan(lists.taste[:, 0])
        with np.errstate(all="ignore"):
            return np.where(known, np.bincount(users, each, lists.rows) / lists.sizes, np.nan)


def _x_log_x(x: Array) -> Array:
    return np.asarray(x * np.log2(x, out=np.zeros_like(x), where=x > 0))


def _equal_pairs(values: Array, sizes: Array) -> Array:
    """How many pairs of equal values each user has, of values one user after the other."""
    users = np.repeat(np.arange(len(sizes)), sizes)
    ordered = np.sort(users * (int(values.max(initial=0)) + 1) + values)
    at = np.flatnonzero(np.diff(ordered, prepend=-1))
    alike = np.diff(at, append=len(ordered))  # equal values of one user; these keep their places when sorted
    return np.bincount(users[at], alike * (alike - 1) / 2, len(sizes))
