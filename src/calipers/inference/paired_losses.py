"""Losses of two models on the same rows: the paired t-test of their means, or of means over a scale that both share."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.inference.clusters import between
from calipers.inference.contrast import Contrast, LossRatio

Array = npt.NDArray[Any]
MANY = 50  # rows in which models differ; from here on their number makes less than 3 % of an interval's width


def paired_t(
    apart: Array,
    scale: Array | None,
    weights: Array,
    clusters: Array | None = None,
    fewer: float = np.inf,
    classes: Array | None = None,
) -> Contrast:
    """The test of losses that differ by `apart`; with a scale, of the mean difference over the mean of the scale.

    The degrees of freedom are those of the fewest of: effective rows, clusters (compared within `classes`), rows of the
    smaller class (`fewer`), and rows in which the models differ at all, where these are few.

    >>> found = paired_t(np.array([0.1, 0.3, 0.2, 0.4]), None, np.ones(4))
    >>> found.df, round(found.value, 3), round(found.pvalue(), 4)
    (3.0, 0.25, 0.0305)
    """
    total = weights.sum()

    def together(each: Array) -> Array:
        return each if clusters is None else np.bincount(clusters, each)

    mean, differ = float(weights @ apart / total), together(weights * apart)
    each, method = together(weights * (apart - mean) / total), "paired t" if scale is None else "paired t of the losses"
    if len(each) < 2:
        return Contrast(mean, np.nan, np.nan, "", "too few rows to show a spread")
    rows = int(np.count_nonzero(differ))
    df = max(1.0, min(effective(weights), fewer, float(len(each)), float(rows) if rows < MANY else np.inf) - 1)
    square, lift = float(each @ each), len(each) / (len(each) - 1)
    if clusters is not None and square > 0:
        seen = between(weights * (apart - mean) / total, classes, clusters)
        lift, df = seen.variance / square, max(1.0, min(df, seen.df))
    skew = float((each**3).sum()) / (3 * square**1.5) if square > 0 else 0.0
    method += "" if clusters is None else ", clustered"
    if scale is None or not rows:
        error, skew = (float(np.sqrt(square * lift)), skew) if rows else (0.0, 0.0)
        return Contrast(mean, error, df, method, skew=skew, rows=each)
    height = float(weights @ scale / total)
    other = together(weights * (scale - height) / total)
    covariance = square * lift, float(each @ other) * lift, float(other @ other) * lift
    return LossRatio.of((mean, height), covariance, df, method, skew, each)


def effective(weights: Array) -> float:
    """Kish's effective number of rows.

    >>> effective(np.array([1.0, 1.0, 2.0])) == 16 / 6
    True
    """
    square = float(weights @ weights)
    return float(weights.sum()) ** 2 / square if square else 0.0
