"""The loss of each row, by what was given: probabilities, other scores, labels, sets of labels, or numbers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from calipers import _native
from calipers.data.batch import Array, Batch
from calipers.errors import InputError


class RowLosses(NamedTuple):
    """What the loss is, by its key in rows.toml, the loss of each row, and which label has the largest part in it."""

    name: str
    values: Array
    label: Array | None = None


def losses_of(batch: Batch) -> RowLosses:
    """The loss of each row.

    Its mean is the metric of that name, where there is one: log loss, error rate, mean absolute error, Hamming loss.

    >>> from calipers.data.reading import read
    >>> from calipers.settings import Settings
    >>> losses_of(read(Settings(), [0, 1, 1], [0.2, 0.75, 0.5])).values.round(3)
    array([0.223, 0.288, 0.693])
    """
    if batch.facts.of_numbers:
        return _of_numbers(batch)
    if batch.score is None:
        return _of_labels(batch)
    probabilities = not batch.why_not_probabilities and batch.score.min() >= 0 and batch.score.max() <= 1
    if batch.facts.label_sets:
        return _of_label_scores(batch, batch.score) if probabilities else _of_label_ranking(batch)
    if batch.score.ndim == 2:
        own = batch.score[np.arange(len(batch)), batch.truth]
        return RowLosses("log_loss", _logs(own)) if probabilities else _of_columns(batch, batch.score)
    if not probabilities:
        return _of_ranking(batch, batch.score)
    return RowLosses("log_loss", _logs(np.where(batch.truth == batch.positive, batch.score, 1 - batch.score)))


def _logs(p: Array) -> Array:
    """Minus the log of the probability of what was true, clipped as in the metric."""
    eps = np.finfo(p.dtype).eps
    return np.asarray(-np.log(np.clip(p, eps, 1 - eps)))


def _of_numbers(batch: Batch) -> RowLosses:
    assert batch.score is not None
    errors = np.abs(batch.score - batch.truth)
    return RowLosses("absolute_error", errors) if errors.ndim == 1 else RowLosses("mean_error", errors.mean(1))


def _of_labels(batch: Batch) -> RowLosses:
    assert batch.pred is not None
    wrong: Array = np.asarray(batch.pred != batch.truth)
    return RowLosses("wrong_labels", wrong.mean(1)) if wrong.ndim == 2 else RowLosses("wrong", wrong.astype(float))


def _of_label_scores(batch: Batch, score: Array) -> RowLosses:
    each = _logs(np.where(batch.truth, score, 1 - score))
    return RowLosses("label_log_loss", each.mean(1), each.argmax(1))


def _of_label_ranking(batch: Batch) -> RowLosses:
    return RowLosses("label_ranking", batch.label_ranking[0])


def _of_columns(batch: Batch, score: Array) -> RowLosses:
    """How far the score of the true class is below the best other one."""
    return RowLosses("margin", np.maximum(0.0, -_native.own_lead(score, batch.truth)))


def _of_ranking(batch: Batch, score: Array) -> RowLosses:
    """The share of the other class that is ranked on the wrong side of the row, ties half: its mean over both classes
    is 1 - ROC AUC."""
    weights = np.ones(len(batch)) if batch.weights is None else batch.weights
    positive = batch.truth == batch.positive
    if positive.all() or not positive.any():
        raise InputError("evaluation.no_loss_of_rows")
    losses = np.empty(len(batch))
    for of, sign in ((positive, 1.0), (~positive, -1.0)):
        others, mine = sign * score[~of], sign * score[of]
        order = np.argsort(others, kind="stable")
        below = np.concatenate(([0.0], np.cumsum(weights[~of][order])))
        least, most = (below[np.searchsorted(others[order], mine, side)] for side in ("left", "right"))
        losses[of] = 1 - (least + most) / 2 / below[-1]
    return RowLosses("misranked", losses)
