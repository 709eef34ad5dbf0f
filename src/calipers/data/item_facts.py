"""What is known about items: the catalogue, how popular they were in the history, and their features."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from calipers.data import labels
from calipers.data.item_pairs import ByUser, Coded
from calipers.data.ranking_columns import query_codes
from calipers.errors import InputError
from calipers.remarks import Remark
from calipers.settings import Label

Array = npt.NDArray[Any]


def catalogue(
    given: Any, truth: Coded, run: Coded, past: Coded | None, compared: tuple[Label, ...] = ()
) -> tuple[tuple[Label, ...], str]:
    """The items that can be recommended, and where they come from.

    Those given; else those of the history, as in the Recommenders library; else those of truth and recommendations.
    Recommended items are always among them, unless a catalogue was given; so are those of other recommenders that are
    compared.
    """
    if given is not None:
        if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
            raise InputError("recommendation.not_a_catalogue", kind=type(given).__name__)
        encoded = query_codes(given if hasattr(given, "__len__") else list(given), "catalogue")
        if not encoded.values:
            raise InputError("recommendation.empty_catalogue")
        return encoded.values, Remark("recommendation.catalogue_given")
    if past is not None:
        return labels.union(past.item_labels, run.item_labels, compared), Remark("recommendation.catalogue_of_history")
    return labels.union(truth.item_labels, run.item_labels, compared), Remark("recommendation.catalogue_of_pairs")


class Features(NamedTuple):
    """A row of numbers for each item."""

    items: Any
    matrix: Any

    def vectors(self, items: tuple[Label, ...], needed: Iterable[Label]) -> Array:
        """The features of these items, scaled to length 1; 0 for items that have none, which `needed` must not be."""
        encoded = query_codes(self.items, Remark("recommendation.item_of", name="items"))
        matrix = np.asarray(self.matrix, float)
        if matrix.ndim != 2 or len(matrix) != len(encoded.codes):
            raise InputError("recommendation.not_features", shape=matrix.shape, items=len(encoded.codes))
        if not np.isfinite(matrix).all():
            row = int((~np.isfinite(matrix)).any(1).argmax())
            raise InputError("recommendation.feature_missing", item=encoded.values[encoded.codes[row]])
        if len(encoded.values) < len(encoded.codes):
            twice = int((np.bincount(encoded.codes) > 1).argmax())
            raise InputError("recommendation.features_twice", item=encoded.values[twice])
        rows = dict(zip((encoded.values[code] for code in encoded.codes.tolist()), range(len(matrix)), strict=True))
        if absent := [item for item in needed if item not in rows]:
            raise InputError("recommendation.no_features", count=len(absent), item=absent[0])
        at = np.array([rows.get(item, len(matrix)) for item in items])
        chosen = np.vstack((matrix, np.zeros((1, matrix.shape[1]))))[at]
        length = np.sqrt((chosen * chosen).sum(1, keepdims=True))
        return np.asarray(np.divide(chosen, length, out=np.zeros_like(chosen), where=length > 0))


@dataclass(frozen=True, eq=False)
class History:
    """Pairs of the past, each once. popularity: how many users have each item; users: how many users there are."""

    pairs: Coded
    popularity: Array
    users: int
    repeated: int

    @classmethod
    def of(cls, pairs: Coded, items: int) -> History:
        """Pairs with codes of users and items; what comes twice counts once."""
        again = ByUser.of(pairs).repeated
        repeated = int(np.count_nonzero(again))
        once = pairs.take(~again) if repeated else pairs
        return cls(once, np.bincount(once.items, minlength=items), len(pairs.user_labels), repeated)

    def profile(self, among: Coded, count: int) -> Array:
        """The mean share of users that have the items of each of `count` users' own history; NaN without history.

        among: the same pairs with codes of these users.
        """
        share, mine = self.popularity / max(self.users, 1), among.users < count
        size = np.bincount(among.users[mine], minlength=count)
        with np.errstate(all="ignore"):
            return np.asarray(np.bincount(among.users[mine], share[among.items[mine]], count) / size)


def tastes(past: Coded, count: int, vectors: Array) -> Array:
    """The mean of the vectors of the items in the history of each of `count` users.

    Items of the history without features do not count, and users without any other have NaN.
    """
    known = past.users < count
    known[known] &= np.any(vectors != 0, 1)[past.items[known]]
    users, items = past.users[known], past.items[known]
    sums = [np.bincount(users, column[items], count) for column in vectors.T]
    with np.errstate(all="ignore"):
        return np.asarray(np.stack(sums, 1) / np.bincount(users, minlength=count)[:, None])
