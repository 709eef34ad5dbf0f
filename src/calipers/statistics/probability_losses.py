"""The log loss and the squared error of probabilities, natively: of two samples, and of rows in any order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from calipers import _native
from calipers.errors import InputError, not_a_number
from calipers.statistics.base import Array
from calipers.statistics.moments import Losses, Moments

if TYPE_CHECKING:
    from calipers.data.batch import Batch

AT_A_TIME = 1 << 14  # rows


def losses(pos: Array, neg: Array, pos_weights: Array | None, neg_weights: Array | None) -> tuple[Losses, Losses]:
    """The log loss and the squared error of probabilities, in any order.

    Probabilities are clipped to [eps, 1-eps] of their own type, so that one certain mistake costs 36 nats (16 in
    single precision) and not infinity.
    """
    return _both(*_native.losses(pos, neg, pos_weights, neg_weights, float(np.finfo(pos.dtype).eps)))


def _both(
    log: _native._Moments, square: _native._Moments, others: tuple[float, float, float]
) -> tuple[Losses, Losses]:
    wrong, other_log, other_square = others
    if not log[0]:
        return Losses.empty(), Losses.empty()
    return Losses(Moments(*log), wrong, other_log), Losses(Moments(*square), wrong, other_square)


def surprise(*sides: tuple[Array, Array | None, float]) -> tuple[float, float]:
    """The squared error less its expected value under calibration, and the variance of this difference, both summed.

    sides: scores, their weights and their outcome. Some rows at a time, so that what is computed stays in the cache.
    """
    over = under = 0.0
    for scores, weights, outcome in sides:
        for begin in range(0, len(scores), AT_A_TIME):
            rows = slice(begin, begin + AT_A_TIME)
            p = scores[rows].astype(np.float64, copy=False)
            tilt, w = 1 - 2 * p, 1.0 if weights is None else weights[rows]
            over += float(np.sum(w * (outcome - p) * tilt))
            under += float(np.sum(w * tilt**2 * p * (1 - p)))
    return over, under


def losses_of(batch: Batch) -> tuple[Losses, Losses]:
    """The same of a batch, without sorting it."""
    assert batch.score is not None
    assert batch.positive is not None
    if batch.weights is not None:
        mask = batch.weights != 0
        scores, weights, positive = batch.score[mask], batch.weights[mask], batch.truth[mask] == batch.positive
        undefined = np.isnan(scores)
        if undefined.any():
            raise not_a_number(int(undefined.sum()), int(np.flatnonzero(mask)[undefined.argmax()]), batch.names.score)
        _probable(float(scores.min(initial=np.inf)), float(scores.max(initial=-np.inf)))
        return losses(scores[positive], scores[~positive], weights[positive], weights[~positive])
    eps = float(np.finfo(batch.score.dtype).eps)
    log, square, others, low, high, nan = _native.row_losses(batch.score, batch.truth, batch.positive, eps)
    if nan:
        undefined = np.isnan(batch.score)
        raise not_a_number(int(undefined.sum()), int(undefined.argmax()), batch.names.score)
    _probable(low, high)
    return _both(log, square, others)


def _probable(low: float, high: float) -> None:
    if low < 0 or high > 1:
        raise InputError("statistics.not_probabilities", low=low, high=high)
