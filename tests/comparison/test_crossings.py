"""Which curve is above, against curves drawn on a fine grid."""

import numpy as np
import pytest

import calipers as cal
from calipers.comparison.crossings import crossing
from calipers.errors import InputError
from calipers.evaluation.curve import Curve


def roc(*points):
    x, y = zip(*points, strict=True)
    return Curve("roc", {"fpr": np.array(x, float), "tpr": np.array(y, float)}, "fpr", "tpr")


def test_one_crossing_is_where_the_lines_meet():
    steep, flat = roc((0, 0), (0, 0.5), (1, 1)), roc((0, 0), (0.5, 1), (1, 1))
    result = crossing("roc", "A", steep, "B", flat)
    assert result.dominates is None
    assert result.crossings == pytest.approx((1 / 3,))  # 1/2 + x/2 = 2x
    assert repr(result) == "ROC curves: A is above up to FPR 0.333, then B"
    assert result.share("A") == pytest.approx(1 / 3)


def test_dominance_allows_stretches_in_common():
    low, high = roc((0, 0), (1, 1)), roc((0, 0), (0.2, 0.2), (0.5, 0.9), (1, 1))
    result = crossing("roc", "A", low, "B", high)
    assert result.dominates == "B"
    assert result.crossings == ()
    assert result.stretches[0] == (0, pytest.approx(0.2), None)
    assert repr(result) == "ROC curves: B is never below A"


@pytest.mark.parametrize("kind", ["roc", "pr"])
def test_against_a_grid(kind):
    rng = np.random.default_rng(7)
    y = np.arange(60) % 3 == 0
    for _ in range(30):
        a, b = (np.round(rng.normal(size=60) + y, 1) for _ in range(2))
        crossings = cal.compare(y, {"A": a, "B": b}, threshold=0.5, metrics=["roc_auc"]).curves(kind)
        grid = (np.arange(2000) + 0.5) / 2000
        heights = []
        for s in (a, b):
            order = np.unique(s)[::-1]
            tpr, fpr = ([np.mean(s[c] >= t) for t in order] for c in (y, ~y))
            if kind == "roc":
                heights.append(np.interp(grid, [0, *fpr], [0, *tpr]))
            else:
                at = [next(i for i, r in enumerate(tpr) if r >= g - 1e-12) for g in grid]
                heights.append(np.array([np.mean(y[s >= order[i]]) for i in at]))
        gap = np.round(heights[0] - heights[1], 12)
        for low, high, who in crossings.stretches:
            inside = gap[(grid > low + 1e-3) & (grid < high - 1e-3)]
            assert np.all(inside == 0 if who is None else inside > 0 if who == "A" else inside < 0), (low, high, who)
        assert crossings.share("A") == pytest.approx(np.mean(gap > 0), abs=0.01)
        assert crossings.stretches[0][0] == 0
        assert crossings.stretches[-1][1] == 1


def test_other_curves_are_refused():
    with pytest.raises(InputError, match="curves are compared for roc and pr, not for 'det'"):
        crossing("det", "A", roc((0, 0), (1, 1)), "B", roc((0, 0), (1, 1)))
