"""The rows of one task, checked and encoded; every statistic is computed from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from calipers import _native
from calipers.cached import lazy
from calipers.data import labels
from calipers.data.schema import HasSchema, Names, Schema
from calipers.settings import Label

Array = npt.NDArray[Any]

MEANS = "means"  # of two columns of numbers, in what was found of the rows


class Scan(NamedTuple):
    """What one pass over a score matrix found."""

    top: Array
    rank: Array
    own: Array
    square: Array
    low: float
    high: float
    nans: int
    first_nan: int
    worst_sum: float
    worst_row: int

    @classmethod
    def joined(cls, scans: Sequence[Scan]) -> Scan:
        """What one pass over the rows of all would have found."""
        top, rank, own, square = (np.concatenate([scan[at] for scan in scans]) for at in range(4))
        worst = max(scans, key=lambda scan: abs(scan.worst_sum - 1))
        low, high = min(scan.low for scan in scans), max(scan.high for scan in scans)
        return cls(top, rank, own, square, low, high, 0, -1, worst.worst_sum, worst.worst_row)


@dataclass(frozen=True)
class Batch(HasSchema):
    """Checked rows, and what they mean.

    truth: codes into the labels (multi-label: n x K booleans); pred likewise, or None; score: one number per row for
    the positive class, or n x K; slices: codes and values of each slicing column; groups: keys of what the rows belong
    to, where they are not independent; kept: which of the rows given these are, where some were left out; code_names:
    of a clustering, the classes and the clusters that truth and pred are codes into.
    """

    schema: Schema
    truth: Array
    pred: Array | None = None
    score: Array | None = None
    weights: Array | None = None
    scan: Scan | None = None
    slices: Mapping[str, tuple[Array, tuple[Label, ...]]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    dropped: int = 0
    groups: Array | None = None
    kept: Array | None = None
    code_names: tuple[tuple[Label, ...], tuple[Label, ...]] | None = None

    @property
    def names(self) -> Names:
        """What messages call the columns."""
        return self.schema.names

    def meaning(self, **facts: Any) -> Batch:
        """The same rows with these facts in their schema."""
        return replace(self, schema=replace(self.schema, **facts))

    def __len__(self) -> int:
        return len(self.truth)

    @lazy
    def group_codes(self) -> Array | None:
        """The groups as codes from 0; None where every row is alone in its own, so that rows are independent."""
        if self.groups is None:
            return None
        values, codes = np.unique(self.groups, return_inverse=True)
        return codes if len(values) < len(codes) else None

    @lazy
    def group_sizes(self) -> Array:
        """How many rows each group has."""
        assert self.group_codes is not None
        return np.bincount(self.group_codes)

    def take(self, rows: Array) -> Batch:
        """The batch of these rows (indices, or a mask)."""

        def pick(a: Array | None) -> Array | None:
            return None if a is None else a[rows]

        scan = self.scan
        if scan is not None:
            top, rank, own, square = (part[rows] if len(part) else part for part in scan[:4])
            scan = scan._replace(top=top, rank=rank, own=own, square=square)
        return replace(
            self,
            truth=self.truth[rows],
            pred=pick(self.pred),
            score=pick(self.score),
            weights=pick(self.weights),
            groups=pick(self.groups),
            kept=pick(self.kept),
            scan=scan,
            slices={name: (codes[rows], values) for name, (codes, values) in self.slices.items()},
        )

    @classmethod
    def joined(cls, batches: Sequence[Batch]) -> Batch:
        """The rows of batches of one schema, one after the other; without their slices."""
        batches = _with_the_same_codes(batches)

        def column(name: str) -> Array | None:
            parts = [getattr(batch, name) for batch in batches]
            return None if parts[0] is None else np.concatenate(parts)

        scans = [batch.scan for batch in batches if batch.scan is not None]
        return cls(
            batches[0].schema,
            np.concatenate([batch.truth for batch in batches]),
            column("pred"),
            column("score"),
            column("weights"),
            Scan.joined(scans) if len(scans) == len(batches) else None,
            groups=column("groups"),
            code_names=batches[0].code_names,
        )

    def parts(self, name: str) -> Iterator[tuple[Label, Batch]]:
        """The batch split by a slicing column, values in order."""
        codes, values = self.slices[name]
        order = np.argsort(codes, kind="stable")
        ends = np.searchsorted(codes[order], np.arange(len(values) + 1))
        for value, begin, end in zip(values, ends, ends[1:], strict=False):
            if end > begin:
                yield value, self.take(order[begin:end])

    @lazy
    def cache(self) -> dict[Any, Any]:
        """Results that several statistics of these rows share, by the type of the statistic."""
        return {}

    @lazy
    def label_ranking(self) -> tuple[Array, Array]:
        """Ranking loss and label-ranking AP of each row of a multi-label score matrix."""
        assert self.score is not None
        return _native.label_ranking(self.truth, self.score)


def _with_the_same_codes(batches: Sequence[Batch]) -> list[Batch]:
    """Classes and clusters of all batches as codes into the same names; noise stays noise."""
    every = [batch.code_names for batch in batches if batch.code_names is not None]
    if len(every) < len(batches):
        return list(batches)
    classes, clusters = (labels.union(*names) for names in zip(*every, strict=True))

    def codes(column: Array | None, own: tuple[Label, ...], names: tuple[Label, ...]) -> Array:
        assert column is not None
        return labels.recode(labels.Encoded(column, own, 0, -1), names)

    return [
        replace(batch, truth=codes(batch.truth, own[0], classes), pred=codes(batch.pred, own[1], clusters),
                code_names=(classes, clusters))
        for batch, own in zip(batches, every, strict=True)
    ]  # fmt: skip
