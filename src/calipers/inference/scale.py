"""Scaling by a power of two, which loses no digits, so that squares of huge or tiny numbers do not overflow."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def scaled(values: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], float]:
    """The values divided by a power of two so that the largest lies between 1/2 and 1, and that power.

    >>> scaled(np.array([3e200, -1e200]))[0].round(3).tolist(), scaled(np.array([0.0, 3.0]))
    ([0.98, -0.327], (array([0.  , 0.75]), 4.0))
    """
    most = float(np.max(np.abs(values), initial=0.0))
    power = float(2.0 ** min(np.frexp(most)[1], 1023)) if 0 < most < np.inf else 1.0
    return values / power, power
