"""Statistics made of statistics, by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np

from calipers.errors import InputError
from calipers.statistics.base import Array, Statistic
from calipers.statistics.confusion import ConfusionCounts

if TYPE_CHECKING:
    from calipers.data.batch import Batch
    from calipers.statistics.sketch import ScoreSketch

S = TypeVar("S", bound=Statistic)
Recipe = Callable[["Batch"], Statistic]


@dataclass(frozen=True, eq=False)
class Evidence(Statistic):
    """What one pass over the rows left behind: statistics by name, merged name by name."""

    parts: dict[str, Statistic]

    @classmethod
    def of(cls, batch: Batch, recipes: Mapping[str, Recipe] | None = None) -> Self:
        """One statistic for each recipe; without recipes, the counts of labels."""
        if recipes is None:
            return cls.holding(ConfusionCounts.of(batch))
        with np.errstate(all="ignore"):  # infinite scores have no mean loss
            return cls({name: make(batch) for name, make in recipes.items()})

    @classmethod
    def holding(cls, *parts: Statistic) -> Self:
        """These statistics, by the names of their kinds."""
        return cls({type(part).__name__: part for part in parts})

    @classmethod
    def empty(cls) -> Self:
        """No statistics."""
        return cls({})

    def merge(self, other: Self) -> Self:
        """Merge what both hold; what one side alone holds would be of half the rows, which is an error."""
        return self.merge_many([other])

    def merge_many(self, others: Sequence[Self]) -> Self:
        """The same of any number, name by name."""
        return self._joined(others, lambda part, rest: part.merge_many(rest))

    def _joined(self, others: Sequence[Self], join: Callable[[Any, list[Any]], Statistic]) -> Self:
        first, *rest = [each for each in (self, *others) if each.parts] or [self]
        for other in rest:
            if first.parts.keys() != other.parts.keys():
                raise InputError("statistics.other_statistics", mine=sorted(first.parts), theirs=sorted(other.parts))
        parts = first.parts.items()
        return type(self)({name: join(part, [other.parts[name] for other in rest]) for name, part in parts})

    def scale(self, factor: int) -> Self:
        """Every part repeated."""
        return type(self)({name: part.scale(factor) for name, part in self.parts.items()})

    def summary(self, fences: tuple[float, ...], budget: int, others: Sequence[Self] = ()) -> Self:
        """The summary of every part."""
        return self._joined(others, lambda part, rest: part.summary(fences, budget, rest))

    def within(self, budget: int) -> Self:
        """Every part with at most so many cells in each sketch."""
        return type(self)({name: part.within(budget) for name, part in self.parts.items()})

    def row_arrays(self) -> Iterator[Array]:
        """Those of all parts."""
        for part in self.parts.values():
            yield from part.row_arrays()

    def all_sketches(self) -> Iterator[ScoreSketch]:
        """The sketches of all parts."""
        for part in self.parts.values():
            yield from part.all_sketches()

    def get(self, kind: type[S], name: str | None = None) -> S | None:
        """The part of this kind, if the plan made one."""
        part = self.parts.get(name or kind.__name__)
        return part if isinstance(part, kind) else None

    def has(self, kind: type[Statistic], name: str | None = None) -> bool:
        """Whether the plan made a part of this kind."""
        return (name or kind.__name__) in self.parts

    def replacing(self, kind: type[Statistic], part: Statistic) -> Self:
        """All parts, with another one in the place of the one of this kind."""
        return type(self)(self.parts | {kind.__name__: part})

    def with_part(self, name: str, part: Statistic) -> Self:
        """All parts, with this one under its name."""
        return type(self)({**self.parts, name: part})

    def without(self, kind: type[Statistic]) -> Self:
        """All parts but the one of this kind."""
        return type(self)({name: part for name, part in self.parts.items() if name != kind.__name__})
