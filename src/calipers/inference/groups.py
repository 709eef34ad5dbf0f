"""Rows in groups that are not independent of each other: variances, their degrees of freedom, and shares of rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from calipers.inference.proportion import trust, wilson
from calipers.inference.quantiles import t
from calipers.inference.scale import scaled
from calipers.metrics.between_groups import Between, as_equal

Array = npt.NDArray[Any]
LEAST = 1e-3  # the smallest 1 - h: a group with nearly all rows of a class must not make the variance infinite


class Stratum(NamedTuple):
    """One class within each group: how many rows, the sum of their influences, and the sum of squares of those."""

    rows: Array
    sums: Array
    squares: float

    @property
    def groups(self) -> float:
        """Groups of equal size that would be as many."""
        return as_equal(self.rows)


def between(influence: Array, classes: Array | None, codes: Array, counted: Array | None = None) -> Between:
    """The variance of a sum of influences over groups, corrected for unequal groups within each class (CR2).

    Bell & McCaffrey (2002): a group with the share h of a class's rows shows only 1 - h of its own variance, so its
    sum is divided by √(1 - h). The degrees of freedom are theirs for a mean of each class, with the correlation within
    groups that the rows show, joined over classes after Satterthwaite (1946). `classes`: one where None. `counted`: how
    much of a row each counts as, 0 for rows that have no part in the value.
    """
    count = int(codes.max()) + 1
    counted = np.ones(len(codes)) if counted is None else counted
    influence, unit = scaled(influence)
    strata = []
    for k in (None,) if classes is None else np.unique(classes):
        at = counted > 0 if k is None else (classes == k) & (counted > 0)
        if not at.any():
            continue
        mine = influence[at]
        sums, sizes = np.bincount(codes[at], mine, count), np.bincount(codes[at], counted[at], count)
        strata.append(Stratum(sizes, sums, float(mine @ mine)))
    total, parts, freedoms, shares = np.zeros(count), [], [], []
    for s in strata:
        widened = s.sums / np.sqrt(np.maximum(1 - s.rows / s.rows.sum(), LEAST))
        square = float(widened @ widened)
        total += widened
        if square > 0:
            tau = _working(s)
            parts.append(square)
            freedoms.append(bell_mccaffrey(s.rows, tau))
            shares.append(square * tau / tau.sum())
    variance, groups = float(total @ total) * unit * unit, tuple(s.groups for s in strata)
    rows, carried = tuple(float(s.rows.sum()) for s in strata), tuple(as_equal(np.abs(s.sums)) for s in strata)
    if not parts:
        return Between(0.0, 0.0, total * unit, groups, rows, carried)
    together = np.sum(shares, axis=0)
    crossed = float(together @ together) - sum(float(a @ a) for a in shares)
    spread = sum(a * a / df for a, df in zip(parts, freedoms, strict=True)) + crossed
    return Between(variance, sum(parts) ** 2 / spread, total * unit, groups, rows, carried)


def _working(s: Stratum) -> Array:
    """The variance of each group's sum, up to a factor, with one correlation within groups that the rows show."""
    pairs = np.maximum(0.0, s.rows * (s.rows - 1))
    within = float(s.sums @ s.sums) / s.squares - 1
    correlation = min(1.0, max(0.0, within * s.rows.sum() / pairs.sum())) if pairs.sum() > 0 else 0.0
    return np.asarray(s.rows + pairs * correlation)


def bell_mccaffrey(rows: Array, tau: Array) -> float:
    """The degrees of freedom of the CR2 variance of a mean over groups with these rows and working variances.

    (tr O)²/tr(O²) for O = D(diag τ - hτ' - τh' + (Στ)hh')D, h = rows/Σrows, D = diag 1/√(1-h); O has rank 2 beside its
    diagonal, so that both traces are sums over groups.

    >>> round(bell_mccaffrey(np.ones(10), np.ones(10)), 9), round(bell_mccaffrey(np.array([9.0, 1, 1]), np.ones(3)), 3)
    (9.0, 1.26)
    """
    mask = rows > 0
    if mask.sum() < 2:
        return 0.5
    h, tau = rows[mask] / rows.sum(), tau[mask]
    a, total = 1 / np.maximum(1 - h, LEAST), float(tau.sum())
    own = total * h * h - 2 * h * tau
    hh, ht, tt = float(a @ (h * h)), float(a @ (h * tau)), float(a @ (tau * tau))
    crossed = 2 * hh * tt + (total * hh) ** 2 + 2 * ht * ht - 4 * total * hh * ht
    return float(a @ (tau + own)) ** 2 / (float((a * a) @ (tau * tau + 2 * tau * own)) + crossed)


def share(value: float, variance: float, df: float, rows: float, groups: float, level: float) -> tuple[float, float]:
    """Wilson's interval of a share of `rows` in groups, with the independent rows that would vary as much.

    Korn & Graubard (1998). The variance is deff times that of independent rows. While few errors show it, it is shrunk
    to that of the (Σm)²/Σm² `groups` alone, which is all that is known when every row is a hit; so is the quantile.

    >>> [round(x, 3) for x in share(1.0, 0.0, 0.0, 3, 9 / 5, 0.95)]
    [0.319, 1.0]
    """
    spread = value * (1 - value)
    estimable = rows > 1 and groups > 1 and spread > 0 and variance > 0
    trusted = trust(rows * min(value, 1 - value), groups / rows, level) if estimable else 0.0
    effect, wider = rows / groups, 1.0
    if trusted:
        effect = trusted * variance * (rows - 1) / spread + (1 - trusted) * effect
        wider = trusted * t(level, df) / t(level, max(1.0, rows - 1)) + 1 - trusted
    size = rows / effect / wider**2
    return wilson(value * size, size, level)
