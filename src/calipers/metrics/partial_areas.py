"""Parts of the area under the ROC curve, as they are: over a band of false positive rates, or of sensitivities."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.errors import InputError
from calipers.metrics.base import metric
from calipers.metrics.scores import NEEDS_BOOTSTRAP, ONE_CLASS, UNIT
from calipers.metrics.values import Without
from calipers.statistics.scores import ScoreSamples

Array = npt.NDArray[Any]


def band_area(x: Array, y: Array, low: float, high: float) -> float:
    """The area under a polyline between two places of its rising x; at a jump the line goes straight up.

    >>> band_area(np.array([0.0, 0.0, 1.0]), np.array([0.0, 0.5, 1.0]), 0.0, 0.5)
    0.3125
    """
    begin, end = int(np.searchsorted(x, low, "right")), int(np.searchsorted(x, high, "left"))
    first = y[begin - 1] if begin and x[begin - 1] == low else np.interp(low, x, y)
    last = y[end] if end < len(x) and x[end] == high else np.interp(high, x, y)
    return float(np.trapezoid([first, *y[begin:end], last], [low, *x[begin:end], high]))


@metric(title="partial AUC, raw",
        over=ScoreSamples, better="higher", bounds=UNIT, undefined=ONE_CLASS,
        formula="band_area({fpr}, {tpr}, {min_fpr}, {max_fpr})")
def partial_auc_raw(s: ScoreSamples, *, min_fpr: float = 0.0, max_fpr: float = 0.1) -> Without:
    """Area under the ROC curve between two false positive rates, not rescaled; at most max_fpr minus min_fpr.

    Caution: Do not compare values for different limits, or raw and rescaled values.
    """
    if not 0 <= min_fpr < max_fpr <= 1:
        raise InputError("metrics.not_a_band", low=f"min_fpr={min_fpr:g}", high=f"max_fpr={max_fpr:g}")
    _, tp, fp = s.sweep(True)
    if not s.positives or not s.negatives:
        return Without(np.nan, NEEDS_BOOTSTRAP)
    return Without(band_area(fp / s.negatives, tp / s.positives, min_fpr, max_fpr), NEEDS_BOOTSTRAP)


@metric(title="partial AUC over sensitivity",
        over=ScoreSamples, better="higher", bounds=UNIT, undefined=ONE_CLASS,
        formula="band_area({tpr}, 1 - {fpr}, {min_tpr}, {max_tpr})",
        reference="Jiang, Metz and Nishikawa 1996, Radiology 201:745-750")
def partial_auc_of_tpr(s: ScoreSamples, *, min_tpr: float = 0.8, max_tpr: float = 1.0) -> Without:
    """Area of the specificity over a band of sensitivities, not rescaled; at most max_tpr minus min_tpr.

    Caution: Do not compare values for different limits, or with areas over false positive rates.
    """
    if not 0 <= min_tpr < max_tpr <= 1:
        raise InputError("metrics.not_a_band", low=f"min_tpr={min_tpr:g}", high=f"max_tpr={max_tpr:g}")
    _, tp, fp = s.sweep(True)
    if not s.positives or not s.negatives:
        return Without(np.nan, NEEDS_BOOTSTRAP)
    return Without(band_area(tp / s.positives, 1 - fp / s.negatives, min_tpr, max_tpr), NEEDS_BOOTSTRAP)
