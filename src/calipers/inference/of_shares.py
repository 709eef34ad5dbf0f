"""Intervals of shares, of sums of shares, of F scores, and of the largest share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from calipers.inference import delta, proportion
from calipers.inference.estimate import Interval
from calipers.inference.method import DEGENERATE, FEW, FEW_ENOUGH, FEW_WEIGHTED, Bounds, Method, few_rows, normal
from calipers.metrics.values import Combination, FScore, Largest, Proportion, Value
from calipers.remarks import Remark


def by_rule(name: str, rule: Callable[[float, float, float], tuple[Any, Any]], fewest: float = FEW_ENOUGH) -> Method:
    """An interval of hits and trials, mapped where the value is a monotone map of the share.

    `fewest`: rows of the rarer outcome that the rule needs, where rows have no weights.
    """

    def find(v: Proportion, level: float, bounds: Bounds) -> Interval:
        share = float(v.hits / v.trials)
        trials = float(v.trials if v.effective is None else v.effective)
        low, high = rule(share * trials, trials, level)
        if v.through is not None:
            low, high = v.through(low), v.through(high)
        rarest = min(share, 1 - share) * trials
        if v.rarer is not None:
            rarest = min(rarest, float(v.rarer))
        alike = v.effective is None or v.equal_weights
        needed = fewest if alike else max(fewest, FEW_WEIGHTED)
        flags = (DEGENERATE,) if low == high else few_rows(rarest, "inference.rows_of_rarer", needed)
        return Interval(float(low), float(high), name if alike else Remark("inference.effective", method=name), flags)

    return find


wilson = by_rule("wilson", proportion.wilson)


def largest(v: Largest, level: float, bounds: Bounds) -> Interval:
    """An interval of the largest of several shares."""
    total = float(v.counts.sum())
    return largest_of_rows(v, total if v.effective is None else float(v.effective), level)


def largest_of_rows(v: Largest, rows: float, level: float, code: str = "") -> Interval:
    """The interval of counts that stand for so many independent rows; the code says what the method allows for."""
    total, name = float(v.counts.sum()), "largest-share"
    low, high = proportion.largest(v.counts * (rows / total), level)
    if not code and v.effective is not None and not v.equal_weights:
        code = "inference.effective"
    most = float(v.value) * rows
    few = (Remark("inference.largest_class", count=most),) if most < FEW else ()
    return Interval(low, high, Remark(code, method=name) if code else name, few)


def mover(v: Combination, level: float, bounds: Bounds) -> Interval:
    """The method of variance estimates recovery over the intervals of independent shares."""
    each = [(c, p, wilson(p, level, bounds)) for c, p in v.parts]
    parts = [(c, float(p.value), interval.low, interval.high) for c, p, interval in each]
    low, high = proportion.mover(float(v.value), parts, bounds)
    flags = {flag for *_, interval in each for flag in interval.flags}
    return Interval(low, high, Remark("inference.mover", method=each[0][2].method), tuple(sorted(flags)[:1]))


def wilson_of_sum(v: Combination, level: float, bounds: Bounds) -> Interval:
    """The score interval of a mean of many proportions, with an effective number of rows."""
    terms = np.array([float(c) for c, _ in v.terms])
    each = np.array([float(p.hits / p.trials) for _, p in v.parts])
    rows = np.array([float(p.trials if p.effective is None else p.effective) for _, p in v.parts])
    total, parts = float(terms.sum() / v.over), terms / terms.sum()
    low, high, size = proportion.mean_of_shares(each, rows, parts, level)
    share = (float(v.value) - v.offset) / total
    spread = parts * parts / rows  # of one class of three with few rows most of the variance is its own
    carrying = float(spread.sum() ** 2 / (spread * spread / rows).sum())
    flags = few_rows(carrying, "inference.rows_of_rarest", FEW)
    flags = flags or few_rows(min(share, 1 - share) * size, "inference.rows_of_rarer")
    ends = v.offset + total * low, v.offset + total * high
    return Interval(*ends, Remark("inference.effective", method="wilson"), flags)


def normal_sum(v: Combination, level: float, bounds: Bounds) -> Interval:
    """The textbook's value ± z·sd of independent shares, clipped; shares of 0 and 1 add no width."""
    variance = 0.0
    for c, p in v.parts:
        share, trials = float(p.hits / p.trials), float(p.trials if p.effective is None else p.effective)
        variance += c * c * share * (1 - share) / trials
    return normal(float(v.value), variance, level, bounds)


def normal_f_score(v: FScore, level: float, bounds: Bounds) -> Interval:
    """The delta method on the scale of the score, clipped."""
    tp, fp, fn = (float(c * v.shrink) for c in (v.tp, v.fp, v.fn))
    value, inside = float(v.value), tp > 0 and fp + fn > 0
    variance = delta.logit_variance(tp, fp, fn, v.beta) * (value * (1 - value)) ** 2 if inside else 0.0
    return normal(value, variance, level, bounds)


def logit_half(v: FScore, level: float, bounds: Bounds) -> Interval:
    """The logit with half a count added; of F1, Wilson's interval of the share TP / (TP + FP + FN), mapped."""
    tp, fp, fn = (float(c * v.shrink) for c in (v.tp, v.fp, v.fn))
    needed = FEW_ENOUGH if v.shrink == 1 else FEW_WEIGHTED
    few = few_rows(min(tp, fp + fn), "inference.rows_of_rarer", needed)
    if v.beta == 1:
        low, high = (2 * j / (1 + j) for j in proportion.wilson(tp, tp + fp + fn, level))
        return Interval(low, high, "wilson", few)
    low, high = delta.logit_half(tp, fp, fn, v.beta, level)
    return Interval(low, high, Remark("inference.logit_half"), few)


def few_hits(v: Value) -> tuple[str, ...]:
    """A remark if a proportion, or one of a sum, is based on few rows."""
    shares = [v] if isinstance(v, Proportion) else [p for _, p in v.parts] if isinstance(v, Combination) else []
    rarest = min((float(min(p.hits, p.trials - p.hits)) for p in shares), default=FEW)
    return few_rows(rarest, "inference.rows_of_rarer")
