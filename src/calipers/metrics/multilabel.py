"""Rows with any number of labels: means of row-wise measures. Per-label metrics are those of counts.py."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from calipers import _native
from calipers.metrics.base import metric
from calipers.metrics.values import Mean, Proportion
from calipers.metrics.views import RowMean
from calipers.remarks import Remark
from calipers.statistics.moments import Moments

if TYPE_CHECKING:
    from calipers.data.batch import Batch

Array = npt.NDArray[Any]
SHOWN = {"multilabel": (None,)}
NO_ROWS = Remark("metrics.no_rows")


def _exact(batch: Batch) -> Array:
    return np.asarray((batch.truth == batch.pred).all(1), np.float64)


@metric(over=RowMean, better="higher", bounds=(0.0, 1.0), formula="mean({rows})", undefined=NO_ROWS,
        rows=_exact, labelled=True, aliases=("exact_match",), headline=SHOWN)
def subset_accuracy(m: Moments) -> Proportion:
    """Fraction of rows whose predicted labels are exactly the true labels.

    Caution: One wrong label of twenty makes the whole row wrong.
    """
    return Proportion(np.float64(m.mean * m.weight), np.float64(m.weight), effective=m.effective)


def _share_wrong(batch: Batch) -> Array:
    return np.asarray((batch.truth != batch.pred).mean(1))


@metric(title="Hamming loss",
        over=RowMean, better="lower", bounds=(0.0, 1.0), formula="mean({rows})", undefined=NO_ROWS,
        rows=_share_wrong, labelled=True, headline=SHOWN)
def hamming_loss(m: Moments) -> Mean:
    """Fraction of (row, label) pairs that are wrong.

    Caution: If labels are rare, predicting no label at all is already close to 0.
    """
    return Mean(m)


def _overlap(batch: Batch, power: float) -> Array:
    assert batch.pred is not None
    both = np.count_nonzero(batch.truth & batch.pred, 1)
    either = np.count_nonzero(batch.truth | batch.pred, 1)
    share = np.where(either > 0, both / np.maximum(either, 1), 1.0)  # no true label and none predicted: full agreement
    return 2 * share / (1 + share) if power == 1 else share


@metric(title="Jaccard index per row",
        over=RowMean, better="higher", bounds=(0.0, 1.0), formula="mean({rows})", undefined=NO_ROWS,
        rows=lambda batch: _overlap(batch, 0), labelled=True, aliases=("row_jaccard",), headline=SHOWN)
def jaccard_of_rows(m: Moments) -> Mean:
    """Average over rows of the Jaccard index between true and predicted labels; 1 for a row with neither.

    Caution: Rows without labels count as 1 if no label was predicted.
    """
    return Mean(m)


@metric(title="F1 per row",
        over=RowMean, better="higher", bounds=(0.0, 1.0), formula="mean({rows})", undefined=NO_ROWS,
        rows=lambda batch: _overlap(batch, 1), labelled=True, aliases=("row_f1",))
def f1_of_rows(m: Moments) -> Mean:
    """Average over rows of the F1 between true and predicted labels; 1 for a row with neither.

    Caution: Rows without labels count as 1 if no label was predicted.
    """
    return Mean(m)


def _coverage(batch: Batch) -> Array:
    assert batch.score is not None
    return _native.coverage(batch.truth, batch.score)


@metric(over=RowMean, better="lower", bounds=(0.0, float("inf")), formula="mean({rows})", undefined=NO_ROWS,
        rows=_coverage, headline=SHOWN)
def coverage_error(m: Moments) -> Mean:
    """Average number of top-ranked labels needed to include all true labels.

    Caution: The best value is the average number of labels per row, not 0.
    """
    return Mean(m)


@metric(over=RowMean, better="lower", bounds=(0.0, 1.0), formula="mean({rows})", undefined=NO_ROWS,
        rows=lambda batch: batch.label_ranking[0], aliases=("label_ranking_loss",), headline=SHOWN)
def ranking_loss(m: Moments) -> Mean:
    """Average fraction of (true, false) label pairs of a row that are in the wrong order or tied.

    Caution: Ties count as errors.
    """
    return Mean(m)


@metric(title="label-ranking average precision",
        over=RowMean, better="higher", bounds=(0.0, 1.0), formula="mean({rows})", undefined=NO_ROWS,
        rows=lambda batch: batch.label_ranking[1], aliases=("lrap",), headline=SHOWN)
def label_ranking_average_precision(m: Moments) -> Mean:
    """Average, over rows and their true labels, of the fraction of true labels among those ranked at least as high.

    Caution: Rows with many labels are easier than rows with one: do not mix them without care.
    """
    return Mean(m)
