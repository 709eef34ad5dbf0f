"""Training sets that grow: the rows of a fold in an order of which every beginning is a smaller training set."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from calipers.data import labels
from calipers.errors import InputError
from calipers.remarks import Remark
from calipers.settings import Label
from calipers.validation.experiment import Setting
from calipers.validation.models import Array

HALVINGS, LEAST, EACH = 5, 10, 2  # default sizes: how many halvings, the fewest rows, and of each class


@dataclass(frozen=True)
class GrowingSets:
    """Training rows in order; codes: their classes, if any; ends: after how many rows a group is whole, if any."""

    rows: Array
    codes: Array | None = None
    classes: tuple[Label, ...] = ()
    ends: Array | None = None

    def first(self, size: int) -> Array | str:
        """The first rows, or the whole groups among them; a text if that is not a valid training set."""
        if self.ends is not None:
            whole = self.ends[self.ends <= size]
            if not len(whole):
                return Remark("validation.no_whole_group", count=size)
            size = int(whole[-1])
        if self.codes is not None:
            lacking = np.setdiff1d(self.codes, self.codes[:size])
            if len(lacking):
                return Remark("validation.class_lacking", count=size, label=self.classes[lacking[0]])
        return self.rows[:size]

    @property
    def rarest(self) -> float:
        """The share of the rarest class, 1 without classes."""
        return 1.0 if self.codes is None else float(np.unique(self.codes, return_counts=True)[1].min() / len(self.rows))


def growing_sets(of: Setting) -> tuple[GrowingSets, ...]:
    """The training rows of every fold in a random order, drawn from the seed."""
    classes = of.problem.classes
    codes = labels.recode(labels.encode(of.data.y, "y"), classes) if classes else None
    groups = None if of.data.groups is None else np.unique(np.asarray(of.data.groups), return_inverse=True)[1]
    sets = []
    for number, (train, _) in enumerate(of.splits.pairs):
        rng = np.random.default_rng((of.seed, number))
        if groups is not None:
            order, ends = _by_group(groups[train], rng)
        else:
            order, ends = _by_class(np.zeros(len(train), int) if codes is None else codes[train], rng), None
        rows = train[order]
        sets.append(GrowingSets(rows, None if codes is None else codes[rows], classes, ends))
    return tuple(sets)


def sizes_of(sizes: Sequence[float] | None, most: int, rarest: float = 1.0) -> tuple[int, ...]:
    """Sizes as counts, smallest first; by default halvings of `most`, down to two rows of the rarest class.

    >>> sizes_of(None, 400), sizes_of([0.1, 50, 1.0], 400), sizes_of(None, 400, rarest=0.02)
    ((12, 25, 50, 100, 200, 400), (40, 50, 400), (100, 200, 400))
    """
    if sizes is None:
        least = max(LEAST, math.ceil(EACH / rarest))
        return tuple(sorted({most >> k for k in range(HALVINGS + 1) if most >> k >= least or k < 2}))
    counts = {_count(size, most) for size in np.asarray(sizes, object).ravel().tolist()}
    if not counts:
        raise InputError("validation.no_sizes")
    return tuple(sorted(counts))


def _count(size: object, most: int) -> int:
    if isinstance(size, bool) or not isinstance(size, (int, float)):
        raise InputError("validation.unknown_size", size=size)
    count = size if isinstance(size, int) else round(size * most) if 0 < size <= 1 else 0
    if count < 1:
        raise InputError("validation.unknown_size", size=size)
    if count > most:
        raise InputError("validation.size_does_not_fit", size=size, most=most)
    return count


def _by_class(codes: Array, rng: np.random.Generator) -> Array:
    """An order in which every prefix has each class in its proportion, up to about one row.

    The j-th row of a class with m rows comes at (j - 1/2)/m of the way; rows of a class, and equal places, at random.
    """
    shuffled = rng.permutation(len(codes))
    mine = codes[shuffled]
    together = np.argsort(mine, kind="stable")
    counts = np.bincount(mine)
    place = np.empty(len(codes))
    place[together] = np.concatenate([(np.arange(m) + 0.5) / m for m in counts if m])
    return np.asarray(shuffled[np.argsort(place, kind="stable")])


def _by_group(groups: Array, rng: np.random.Generator) -> tuple[Array, Array]:
    """Groups at random, the rows of each together as they come, and after how many rows each ends."""
    place = rng.permutation(int(groups.max()) + 1)[groups]
    order = np.argsort(place, kind="stable")
    return order, np.cumsum(np.bincount(place)[np.unique(place)])
