"""The net benefit of one score at every threshold, as a curve."""

from __future__ import annotations

import numpy as np

from calipers.errors import InputError
from calipers.evaluation.curve import Curve
from calipers.inference import bands
from calipers.inference.net_benefit import net_benefit_band
from calipers.remarks import Remark
from calipers.statistics.scores import ScoreSamples

THRESHOLDS = np.arange(1, 100) / 100


def decision(s: ScoreSamples) -> Curve:
    """TP/n - FP/n * t/(1 - t) at thresholds t from 0.01 to 0.99, and the same of treating all rows."""
    if not s.probabilities:
        low, high = s.range
        raise InputError("evaluation.decision_of_probabilities", low=low, high=high)
    total, odds = s.positives + s.negatives, THRESHOLDS / (1 - THRESHOLDS)
    counts = [s.at(float(t)) for t in THRESHOLDS]
    tp, fp = (np.array([getattr(c, name) for c in counts]) / total for name in ("tp", "fp"))
    share = s.positives / total
    columns = {
        "threshold": THRESHOLDS, "net_benefit": tp - odds * fp, "treat_all": share - odds * (1 - share),
        "prevalence": np.full(len(THRESHOLDS), share), "tp": tp, "fp": fp,
    }  # fmt: skip
    return Curve("decision", columns, "threshold", "net_benefit")


def decision_band(s: ScoreSamples, c: Curve, band: str, level: float, fixed: bool) -> bands.Band:
    """The limits of the net benefit at each threshold."""
    odds = c.threshold / (1 - c.threshold)
    ends = net_benefit_band(c.tp, c.fp, odds, sum(s.effective), level)
    return bands.Band(*ends, Remark("inference.net_benefit_band"))
