"""Bias and variance of a loss, row by row: what models of different training sets agree on, and where they differ."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from calipers.validation.models import Array


class Parts(NamedTuple):
    """Of each test row: the main prediction, the mean loss, and what it is made of. loss = bias + variance, row by row.

    variance is net: of zero-one loss `unbiased` - `biased`, since models that differ from a wrong main prediction may
    be right. Of squared loss all of it is unbiased.
    """

    main: Array
    loss: Array
    bias: Array
    unbiased: Array
    biased: Array

    @property
    def variance(self) -> Array:
        """What variance adds to the loss."""
        return np.asarray(self.unbiased - self.biased)


def zero_one(predicted: Array, truth: Array, classes: int) -> Parts:
    """Domingos' decomposition (2000) of codes of classes, a row for each model and a column for each test row.

    The main prediction is the mode, the first of equally frequent classes; bias is 1 where it is wrong. With variance
    P(p ≠ main), loss = variance where it is right, and 1 - P(p = y | p ≠ main) variance where it is wrong.

    >>> zero_one(np.array([[0, 1], [0, 1], [1, 0], [0, 2]]), np.array([0, 0]), 3)._asdict()
    {'main': array([0, 1]), 'loss': array([0.25, 0.75]), 'bias': array([0., 1.]), 'unbiased': array([0.25, 0.  ]), ...
    """
    every = np.arange(len(truth))
    cells = predicted + classes * every  # a number for each class of each row
    share = np.bincount(cells.ravel(), minlength=classes * len(truth)).reshape(-1, classes) / len(predicted)
    main = share.argmax(1)
    right, apart = share[every, truth], 1 - share[every, main]
    wrong = main != truth
    # P(p = y | p ≠ main) P(p ≠ main) is P(p = y), where the main prediction is not y.
    return Parts(main, 1 - right, wrong.astype(float), np.where(wrong, 0, apart), np.where(wrong, right, 0))


def squared(predicted: Array, truth: Array) -> Parts:
    """(p - y)² of R models as bias² and variance, the main prediction the mean of them.

    Without the share s²/R of the variance that the mean of few models adds to its own bias: both parts are unbiased,
    and their sum is the mean loss exactly.

    >>> parts = squared(np.array([[1.0], [3.0]]), np.array([5.0]))
    >>> [float(x[0]) for x in (parts.main, parts.loss, parts.bias, parts.variance)]
    [2.0, 10.0, 8.0, 2.0]
    """
    main, spread = predicted.mean(0), predicted.var(0, ddof=1)
    loss = ((predicted - truth) ** 2).mean(0)
    return Parts(main, loss, (main - truth) ** 2 - spread / len(predicted), spread, np.zeros_like(spread))
