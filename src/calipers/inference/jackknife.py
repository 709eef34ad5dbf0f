"""The spread of a value from what it is with each row left out, and how many rows decide that spread."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from calipers.inference.inner import inner

Array = npt.NDArray[Any]


def effective_differences(apart: Array) -> float:
    """How many rows determine a difference: those on which the models differ, fewer if a few of them dominate.

    A spread seen in m rows has about m degrees of freedom, however many rows agree; 3(Σd²)²/Σd⁴ is all rows where
    the differences are normal.

    >>> effective_differences(np.array([0.0, 1.0, -1.0, 0.0]))
    2.0
    >>> round(effective_differences(np.array([1e-6, 1e-6, 1e-6, 1e-6, 1.0])), 3)
    3.0
    """
    largest = float(np.abs(apart).max()) if len(apart) else 0.0
    if not 0 < largest < np.inf:
        return float(len(apart))
    d = apart / largest
    mask = np.abs(d) > 1e-12
    square = d[mask] ** 2
    return float(min(mask.sum(), 3 * square.sum() ** 2 / inner(square, square)))


def jackknife(left_out: Array) -> tuple[float, float]:
    """The variance of a value from those with one row left out, and its degrees of freedom by the rows that decide it.

    >>> x = np.array([1.0, 2.0, 4.0, 5.0])
    >>> variance, df = jackknife((x.sum() - x) / 3)
    >>> bool(np.isclose(variance, x.var(ddof=1) / 4)), df
    (True, 3.0)
    """
    n = len(left_out)
    d = left_out - left_out.mean()
    return inner(d, d) * (n - 1) / n, max(1.0, min(effective_differences(d), n) - 1)
