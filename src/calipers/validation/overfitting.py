"""How much a model overfits, and the .632+ estimate that allows for it."""

from __future__ import annotations

import math

from calipers.metrics.base import Metric

LEFT_OUT = 0.632  # as published; the share of distinct rows in a large resample is 1 - 1/e


def unseen_share(train: float, test: float, metric: Metric) -> float:
    """How much of the loss on test rows training rows do not show: the root of 1 - (best - train)/(best - test).

    It is 0 for a model that is no better on its training rows, and 1 for one that is perfect there, or where it is
    unknown. The mean fall of a row's loss when the row is used for training is the mean influence of one row on the
    model (on-average replace-one stability, Shalev-Shwartz et al. 2010), and this influence makes folds depend on each
    other. The root is cautious: a learner close to chance shows little of its instability in the loss. Without the
    root, intervals of 7 neighbours, a tree with one split and a ridge regression covered 90 to 93%.

    Metrics that count classes apart have 1. A learner weighs recall against precision by the class shares of its
    training rows, and another sample moves both, on both training and test data.

    >>> from calipers.metrics.base import CATALOGUE
    >>> [round(unseen_share(train, 0.8, CATALOGUE["accuracy"].metric), 3) for train in (1.0, 0.85, 0.7)]
    [1.0, 0.5, 0.0]
    """
    left, whole = metric.best_value - train, metric.best_value - test
    if not metric.better or metric.view.by_class or not math.isfinite(left) or not math.isfinite(whole) or not whole:
        return 1.0
    return math.sqrt(min(1.0, max(0.0, 1 - left / whole)))


def worse(value: float, other: float, better: str) -> bool:
    """Whether a value is worse than another one; never for a metric that has no better direction.

    >>> worse(0.3, 0.5, "higher"), worse(0.3, 0.5, "lower"), worse(0.3, 0.5, "")
    (True, False, False)
    """
    return value > other if better == "lower" else bool(better) and value < other


def relative(own: float, out: float, chance: float, better: str) -> float:
    """Efron and Tibshirani's relative overfitting rate, 0 where rows left out are no worse, 1 where they are at chance.

    >>> relative(0.0, 0.25, 0.5, "lower"), relative(0.1, 0.6, 0.5, "lower"), relative(0.9, 0.95, 0.5, "higher")
    (0.5, 1.0, 0.0)
    """
    sign = -1.0 if better == "higher" else 1.0
    own, out, chance = sign * own, sign * out, sign * chance
    if math.isnan(own + out + chance):
        return math.nan
    return min(1.0, (min(out, chance) - own) / (chance - own)) if out > own and chance > own else 0.0


def plus(own: float, out: float, chance: float, better: str) -> float:
    """The .632+ estimate of Efron and Tibshirani (1997), eq. 32.

    The .632 estimate plus (out' - own) 0.368 · 0.632 R / (1 - 0.368 R), where out' is `out`, but not worse than chance.
    Without overfitting (R = 0) it is the .632 estimate. Where `out` is worse than chance, so is the estimate: only the
    added part is bounded.

    >>> round(plus(0.0, 0.5, 0.5, "lower"), 6), round(plus(0.1, 0.85, 0.05, "lower"), 6)
    (0.5, 0.574)
    """
    if not better:
        return math.nan
    rate = relative(own, out, chance, better)
    nearer = min(out, chance) if better == "lower" else max(out, chance)
    added = (1 - LEFT_OUT) * LEFT_OUT * rate / (1 - (1 - LEFT_OUT) * rate)
    return (1 - LEFT_OUT) * own + LEFT_OUT * out + added * (nearer - own)
