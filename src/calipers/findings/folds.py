"""What folds give away about a model."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from calipers.findings.base import VALIDATION, Number, rule
from calipers.inference.estimate import Estimate
from calipers.metrics.base import CATALOGUE

AGREE = 5  # folds with one and the same value that are more than chance


@rule("warning", VALIDATION)
def overfitting(validation: Any) -> Iterator[Mapping[str, Number]]:
    """The model knows its training rows better than others: {metric} is {train} there and {test} on rows left out. The
    gap is {gap}, and may be {low} to {high}.

    Never judge this model by its training rows. See by cal.learning_curve whether more rows would close the gap, and by
    cal.validation_curve whether a simpler model would; forests and nearest neighbours have such a gap by design.
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
