"""Mean losses of margins: the score is a signed distance, positive for the positive class.

Zero-one loss is `error_rate`, cross-entropy is `log_loss`, squared loss of probabilities is `brier`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from calipers import _native
from calipers.metrics.base import metric
from calipers.metrics.brackets import by_ranking
from calipers.metrics.probabilities import mean_of
from calipers.metrics.values import Mean
from calipers.remarks import Remark
from calipers.statistics.scores import ScoreSamples

if TYPE_CHECKING:
    from calipers.data.batch import Batch

Array = npt.NDArray[Any]
POSITIVE = (0.0, float("inf"))
NO_ROWS = Remark("metrics.no_rows")


def hinge_of_rows(batch: Batch) -> Array:
    """How far the true class's score fails to exceed the best other one by 1 (Crammer and Singer)."""
    assert batch.score is not None
    if batch.score.ndim == 1:
        lead = np.where(batch.truth == batch.positive, batch.score, -batch.score)
    else:
        lead = _native.own_lead(batch.score, batch.truth)
    missing: Array = np.maximum(0.0, 1 - lead)
    return missing


@metric(title="hinge loss",
        over=ScoreSamples, better="lower", bounds=POSITIVE, formula="mean(maximum(0, 1 - {margin}))", undefined=NO_ROWS,
        aliases=("hinge_loss",), rows=hinge_of_rows, ends=by_ranking)
def hinge(s: ScoreSamples) -> Mean:
    """Average shortfall of the margin below 1.

    Caution: It is made for margins, not for probabilities.
    """
    return Mean(mean_of(s, lambda x: np.maximum(0.0, 1 - x), lambda x: np.maximum(0.0, 1 + x)))


@metric(over=ScoreSamples, better="lower", bounds=POSITIVE, formula="mean(log1p(exp(-{margin})))", undefined=NO_ROWS,
        ends=by_ranking)
def logistic_loss(s: ScoreSamples) -> Mean:
    """Average log loss of margins, taken as log odds.

    Caution: It treats scores as log odds: do not pass probabilities.
    """
    return Mean(mean_of(s, lambda x: np.logaddexp(0.0, -x), lambda x: np.logaddexp(0.0, x)))


@metric(over=ScoreSamples, better="lower", bounds=POSITIVE, formula="mean(exp(-{margin}))", undefined=NO_ROWS,
        ends=by_ranking)
def exponential_loss(s: ScoreSamples) -> Mean:
    """Average of exp(-margin), the loss of AdaBoost.

    Caution: A single row far on the wrong side can outweigh all others.
    """
    return Mean(mean_of(s, lambda x: np.exp(-x), np.exp))
