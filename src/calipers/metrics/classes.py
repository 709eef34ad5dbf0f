"""Formulas that need the scores of all classes of a row."""

from __future__ import annotations

from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from calipers.choices import Pairs
from calipers.errors import InputError
from calipers.metrics.base import metric
from calipers.metrics.spread import of_influence
from calipers.metrics.values import Proportion, Smooth, Without
from calipers.remarks import Remark
from calipers.statistics.classes import ClassScores
from calipers.statistics.ranks import RankCounts

Array = npt.NDArray[Any]
ROUNDING = 1e-14


@metric(title="top-k accuracy",
        over=RankCounts, better="higher", bounds=(0.0, 1.0), formula="sum({rank_counts}[:{k}]) / sum({rank_counts})",
        undefined=Remark("metrics.no_rows"), aliases=("top_k_accuracy",), shorthands={"top5": "top_k(k=5)"})
def top_k(r: RankCounts, *, k: int = 1) -> Proportion:
    """Fraction of rows whose true class is among the k highest scores; with tied scores, the first column wins.

    Caution: With few classes, guessing is already good: with k of K classes it gives k/K.
    """
    return Proportion(np.float64(r.cells[: int(k)].sum()), np.float64(r.cells.sum()))


@metric(title="top-k error",
        over=RankCounts, better="lower", bounds=(0.0, 1.0),
        formula="1 - sum({rank_counts}[:{k}]) / sum({rank_counts})", undefined=Remark("metrics.no_rows"))
def top_k_error(r: RankCounts, *, k: int = 1) -> Proportion:
    """Fraction of rows whose true class is not among the k highest scores.

    Caution: With few classes, guessing is already good: with k of K classes it gives 1 - k/K.
    """
    return Proportion(np.float64(r.cells[int(k) :].sum()), np.float64(r.cells.sum()))


@metric(title="ROC AUC, one vs. one",
        over=ClassScores, better="higher", bounds=(0.0, 1.0), formula="average({pair_areas}, weights={pair_weights})",
        undefined=Remark("metrics.few_classes"), reference="Hand and Till 2001, Mach. Learn. 45:171-186")
def roc_auc_ovo(s: ClassScores, *, pairs: str = "equal") -> Smooth | Without:
    """Average ROC AUC over all pairs of classes (one vs. one).

    Caution: Every pair of classes has the same weight, including the rare ones.
    """
    if pairs not in get_args(Pairs):
        raise InputError("metrics.unknown_pairs", pairs=pairs)
    areas, weights = pair_areas(s, pairs == "prevalence")
    if not weights.sum():
        return Without(np.nan, Remark("metrics.few_classes"))
    weights = weights / weights.sum()
    w = np.ones(s.rows) if s.weights is None else s.weights

    value = float((weights * np.nan_to_num(areas)).sum())
    value = float(round(value)) if abs(value - round(value)) < ROUNDING else value  # sums of weights in two orders

    def per_row() -> Array:
        return np.asarray(w * _influence(s, w, weights))

    effective = float(w.sum() ** 2 / (w @ w))
    rows = float(s.totals.min() * effective / w.sum())
    wrong = rows * min(value, 1 - value)
    def trials() -> float:  # in each pair of its class a row can take weight/total, and these add up to 2
        shares = (weights + weights.T).sum(1) / np.where(s.totals > 0, s.totals, 1.0)
        return 2 / float(((w * shares[s.truth.astype(np.intp)]) ** 2).sum())

    spread, rarest, method = of_influence(value, per_row), wrong or rows, Remark("metrics.influence_of_rows")
    return Smooth(value, spread, 0, rarest, effective, method, influence=per_row, trials=trials)


def pair_areas(s: ClassScores, by_prevalence: bool) -> tuple[Array, Array]:
    """The mean area of each pair of classes over its two columns (upper triangle), and the pairs' weights."""
    product = np.outer(s.totals, s.totals)
    with np.errstate(invalid="ignore", divide="ignore"):
        one_way = s.pairs / product
    mask = np.triu(product > 0, 1)
    weights = mask * np.add.outer(s.totals, s.totals) if by_prevalence else mask.astype(np.float64)
    return (one_way + one_way.T) / 2, weights


def _influence(s: ClassScores, w: Array, weights: Array) -> Array:
    """Influence of each row, already divided by the weight of all rows: placements in the columns of each pair."""
    total = np.zeros(s.rows)
    members = [np.flatnonzero(s.truth == k) for k in range(len(s.labels))]
    both = weights + weights.T
    for k, mine in enumerate(members):
        column = s.scores[:, k]
        for j in np.flatnonzero(both[k]):
            theirs = members[j]
            placed = _shares(column[theirs], w[theirs], column[mine])
            total[mine] += both[k, j] / 2 * (placed - (placed @ w[mine]) / s.totals[k]) / s.totals[k]
            placed = 1 - _shares(column[mine], w[mine], column[theirs])
            total[theirs] += both[k, j] / 2 * (placed - (placed @ w[theirs]) / s.totals[j]) / s.totals[j]
    return total


def _shares(sample: Array, weights: Array, scores: Array) -> Array:
    order = np.argsort(sample)
    below = np.concatenate(([0.0], np.cumsum(weights[order])))
    left, right = (np.searchsorted(sample[order], scores, side) for side in ("left", "right"))
    share: Array = (below[left] + below[right]) / (2 * below[-1])
    return share
