"""What folds give away about a model."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from calipers.findings.base import VALIDATION, Number, rule
from calipers.inference.estimate import Estimate
from calipers.metrics.base import CATALOGUE

AGREE = 5  # this many folds with the same value are more than chance


@rule("warning", VALIDATION)
def overfitting(validation: Any) -> Iterator[Mapping[str, Number]]:
    """Overfitting: {metric} is {train} on training data and {test} on test data (gap {gap}, confidence interval {low}
    to {high}).

    Never judge this model by its training data. Use cal.learning_curve to see whether more data would close the gap,
    and cal.validation_curve to see whether a simpler model would. Random forests and nearest neighbours have a gap by
    design.
    """
    name = validation.main_metric
    if name is None:
        return
    train, test, gap = validation.train[name], validation[name], validation.gap[name]
    known = len(validation.averaged()[name].known)
    (low, high), (worst, best) = (ends(e, known) for e in (gap, test))
    beyond = train < worst if CATALOGUE[name].metric.better == "lower" else train > best
    if low > 0 and beyond:
        yield {"metric": name, "train": float(train), "test": float(test), "gap": float(gap), "low": low, "high": high}


def ends(e: Estimate, folds: int) -> tuple[float, float]:
    """The bounds over folds; the value itself where several agree, as of a model that always says the same."""
    agreed = math.isnan(e.low) and folds >= AGREE and math.isfinite(e)
    return (float(e), float(e)) if agreed else (e.low, e.high)
