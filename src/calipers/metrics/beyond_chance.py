"""Accuracy against always predicting the most common class, and agreement where some errors are worse than others."""

from __future__ import annotations

from typing import Any

import numpy as np

from calipers.errors import InputError
from calipers.metrics.base import metric
from calipers.metrics.confusion import NO_ROWS
from calipers.metrics.values import Without
from calipers.remarks import Remark
from calipers.statistics.confusion import ConfusionCounts, Margins

PENALTIES = ("linear", "quadratic")


def binomial_tail(hits: Any, trials: Any, share: Any) -> Any:
    """The probability of at least this number of hits.

    >>> round(float(binomial_tail(8, 10, 0.5)), 6)
    0.054688
    """
    from scipy.special import betainc

    hits, trials, share = (np.asarray(x, np.float64) for x in (hits, trials, share))
    inside = betainc(np.maximum(hits, 1e-300), np.maximum(trials - hits + 1, 1e-300), share)
    return np.where(hits > 0, inside, 1.0)


@metric(title="accuracy p-value",
        over=Margins, better="", bounds=(0.0, 1.0), undefined=NO_ROWS,
        formula="binomial_tail({agreed}, {total}, max({truth}) / {total})", aliases=("acc_nir_p", "AccuracyPValue"))
def accuracy_p(m: Margins) -> Without:
    """Binomial p-value of the hypothesis that accuracy is not higher than the no-information rate.

    Caution: It treats the no-information rate of these rows as known, as caret does.
    """
    total = np.real(m.total)
    share = np.real(m.truth).max(-1) / np.where(total > 0, total, np.nan)
    tail = binomial_tail(np.real(m.agreed), total, share) + 0 * share  # NaN without rows
    return Without(tail, Remark("metrics.p_value"), resampled=False)


def penalties(classes: int, penalty: str) -> Any:
    """How bad it is to predict class j for class i: their distance, its square, or a matrix of one's own as text.

    >>> penalties(3, "quadratic").tolist()
    [[0.0, 1.0, 4.0], [1.0, 0.0, 1.0], [4.0, 1.0, 0.0]]
    >>> penalties(2, "0:1/5:0").tolist()
    [[0.0, 1.0], [5.0, 0.0]]
    """
    if penalty not in PENALTIES:
        return own_penalties(classes, penalty)
    apart = np.abs(np.subtract.outer(np.arange(classes), np.arange(classes))).astype(np.float64)
    return apart if penalty == "linear" else apart**2


def own_penalties(classes: int, text: str) -> Any:
    """Rows between slashes, numbers between colons."""
    try:
        matrix: Any = np.array([[float(cell) for cell in row.split(":")] for row in text.split("/")])
    except ValueError:
        matrix = np.zeros(0)
    square = matrix.shape == (classes, classes) and np.isfinite(matrix).all()
    if not square or matrix.diagonal().any() or (matrix < 0).any() or not matrix.any():
        raise InputError("metrics.not_penalties", value=text, classes=classes)
    return matrix


def agreement_beyond_chance(cells: Any, penalty: Any) -> Any:
    """1 less the mean penalty as a fraction of the mean penalty of independent labels with the same margins."""
    total = cells.sum((-1, -2))
    chance = (cells.sum(-1)[..., :, None] * cells.sum(-2)[..., None, :] * penalty).sum((-1, -2))
    return 1 - (cells * penalty).sum((-1, -2)) * total / chance


@metric(title="weighted kappa",
        over=ConfusionCounts, better="higher", bounds=(-1.0, 1.0), undefined=Remark("metrics.one_class_in_both"),
        formula="agreement_beyond_chance({cells}, penalties({classes}, {penalty}))",
        reference="Cohen 1968, Psychol. Bull. 70:213-220")
def weighted_kappa(c: ConfusionCounts, *, penalty: str = "quadratic") -> Any:
    """Agreement beyond chance if classes are ordered: an error counts by the distance of the classes, or its square.

    Caution: The classes must be ordered as their sorted labels are. A matrix of penalties, such as 0:1:4/1:0:2/4:2:0,
    has a row per true class.
    """
    return agreement_beyond_chance(c.cells, penalties(len(c.labels), penalty))
