"""Products of long columns, summed."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


def inner(a: npt.NDArray[Any], b: npt.NDArray[Any]) -> float:
    """Σab without BLAS, whose threads wait busily and whose order of summing depends on how many there are.

    >>> inner(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    11.0
    """
    return float(np.einsum("i,i->", a, b))
