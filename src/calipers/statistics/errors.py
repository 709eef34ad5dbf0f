"""Numbers predicted for numbers: everything about the errors that has a small statistic, in one pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import numpy as np

from calipers import _native
from calipers.errors import InputError
from calipers.statistics.base import Array, Statistic
from calipers.statistics.combine import Evidence
from calipers.statistics.losses import Loss
from calipers.statistics.moments import JointMoments, Moments
from calipers.statistics.rows import Rows

if TYPE_CHECKING:
    from calipers.data.batch import Batch


@dataclass(frozen=True, eq=False)
class Errors(Statistic):
    """One column of predictions: joint moments of truth and error (prediction less truth) and of their sizes, moments
    of the losses asked for, the least true and predicted value, and the largest error.
    """

    joint: JointMoments
    sizes: JointMoments
    losses: dict[str, Moments]
    least_truth: float
    least_predicted: float
    largest: float

    @classmethod
    def of(cls, batch: Batch, losses: Sequence[Loss] = (Loss("absolute"),)) -> Self:
        """One pass over the rows."""
        assert batch.score is not None
        return cls.of_columns(batch.truth, batch.score, batch.weights, losses)

    @classmethod
    def of_columns(cls, truth: Array, predicted: Array, weights: Array | None, losses: Sequence[Loss]) -> Self:
        """The same of two columns of numbers."""
        return cls._of_pass(losses, _native.regression(truth, predicted, weights, _kinds(losses), True))

    @classmethod
    def of_rows(cls, batch: Batch, losses: Sequence[Loss], compared: Sequence[Loss]) -> Self:
        """The same, with the rows kept, which learn on the way how losses compare with those of the best answer."""
        assert batch.score is not None
        wide = not Rows.is_kept(batch) and batch.truth.dtype == batch.score.dtype == np.float64
        rows = Rows.borrowed(batch) if wide else Rows.of(batch)
        all_losses = list(dict.fromkeys((*losses, *compared)))
        answers = [(all_losses.index(loss), rows.best(loss)) for loss in compared]
        result = _native.regression(rows.truth, rows.predictions, rows.weights, _kinds(all_losses), True, answers, wide)
        rows.found.against_best.update(zip(compared, map(JointMoments.of_kernel, result[4]), strict=True))
        rows.found.least = result[3][:2]
        if wide:  # the pass has copied them
            rows.keep(batch, result[5])
        return cls._of_pass(losses, result)

    @classmethod
    def _of_pass(cls, losses: Sequence[Loss], result: _native.Pass) -> Self:
        moments = {loss.key: Moments(*each) for loss, each in zip(losses, result[2], strict=False)}
        square = moments.get("squared")
        if square is not None and square.mean != square.mean and square.n:  # of finite errors, beyond what doubles hold
            moments["squared"] = replace(square, mean=np.inf)
        return cls(JointMoments.of_kernel(result[0]), JointMoments.of_kernel(result[1]), moments, *result[3])

    @classmethod
    def of_outputs(cls, batch: Batch, losses: Sequence[Loss], compared: Sequence[Loss] = ()) -> Statistic:
        """Of one column of predictions, or of each of several, by their place.

        `compared`: losses of which the rows, kept beside, will be asked how they compare with the best single answer.
        """
        if batch.truth.ndim == 1:
            return cls.of_rows(batch, losses, compared) if compared else cls.of(batch, losses)
        assert batch.score is not None
        columns = zip(batch.truth.T, batch.score.T, strict=True)
        return Evidence({str(k): cls.of_columns(y, p, batch.weights, losses) for k, (y, p) in enumerate(columns)})

    @classmethod
    def empty(cls) -> Self:
        """No rows."""
        return cls(JointMoments.empty(), JointMoments.empty(), {}, np.inf, np.inf, 0.0)

    def merge(self, other: Self) -> Self:
        """Part by part; what one side alone holds would be of half the rows, which is an error."""
        if not self.n or not other.n:
            return self if self.n else other
        if self.losses.keys() != other.losses.keys():
            raise InputError("statistics.other_losses", mine=sorted(self.losses), theirs=sorted(other.losses))
        return type(self)(
            self.joint.merge(other.joint),
            self.sizes.merge(other.sizes),
            {key: mine.merge(other.losses[key]) for key, mine in self.losses.items()},
            min(self.least_truth, other.least_truth),
            min(self.least_predicted, other.least_predicted),
            max(self.largest, other.largest),
        )

    def scale(self, factor: int) -> Self:
        """Every sum times `factor`; extremes stay."""
        if not factor:
            return self.empty()
        losses = {key: each.scale(factor) for key, each in self.losses.items()}
        joint, sizes = self.joint.scale(factor), self.sizes.scale(factor)
        return type(self)(joint, sizes, losses, self.least_truth, self.least_predicted, self.largest)

    @property
    def n(self) -> int:
        """Rows."""
        return self.joint.n

    def loss(self, kind: str, parameter: float = 0.0) -> Moments:
        """The moments of one loss."""
        return self.losses[Loss(kind, parameter).key]


def _kinds(losses: Sequence[Loss]) -> list[tuple[str, float]]:
    return [(loss.kind, float(loss.parameter)) for loss in losses]
