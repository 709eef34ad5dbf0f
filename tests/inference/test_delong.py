"""Paired DeLong against brute force over all pairs of rows, and against R's pROC."""

import json
from pathlib import Path

import numpy as np
import pytest

from calipers import datasets
from calipers.inference import area
from calipers.inference.delong import covariance, delong_many, delong_test, placements

FROZEN = json.loads((Path(__file__).parents[1] / "known" / "r" / "delong.json").read_text())


def brute(scores):
    """Placements as the definition has them: every positive against every negative."""
    pos, neg = scores
    wins = np.where(pos[:, None] > neg, 1.0, np.where(pos[:, None] == neg, 0.5, 0.0))
    return wins.mean(1), wins.mean(0)


@pytest.mark.parametrize("decimals", [None, 1], ids=["continuous", "tied"])
def test_placements_are_those_of_all_pairs(decimals):
    rng = np.random.default_rng(4)
    for p, n in ((1, 1), (3, 7), (40, 25)):
        scores = rng.normal(size=p) + 1, rng.normal(size=n)
        scores = scores if decimals is None else tuple(np.round(s, decimals) for s in scores)
        for result, right in zip(placements(*scores), brute(scores), strict=True):
            assert result == pytest.approx(right, abs=1e-15)


def test_the_diagonal_is_delongs_variance():
    rng = np.random.default_rng(5)
    v10, v01 = placements(rng.normal(1, 1, 30), rng.normal(size=50))
    whole = area.delong(v10.var() * 30, v01.var() * 50, 30, 50)[0]
    assert covariance(v10[None], v01[None])[0, 0] == pytest.approx(whole, rel=1e-12)
    assert np.isnan(covariance(v10[None, :1], v01[None])).all()


def models():
    loans = datasets.load("bad_debt")
    bad, score = np.array(loans["truth"]) == "BAD", np.asarray(loans["score"], float)
    row = np.arange(1, len(score) + 1)
    return bad, {
        "plain": score,
        "mixed": 0.6 * score + 0.4 * ((row * 0.6180339887) % 1),
        "tied": np.round(0.7 * score + 0.3 * ((row * 0.7548776662) % 1), 2),
    }


@pytest.mark.parametrize("frozen", FROZEN, ids=lambda f: f"{f['first']}-{f['second']}")
def test_against_proc(frozen):
    bad, scores = models()
    each = [placements(scores[frozen[k]][bad], scores[frozen[k]][~bad]) for k in ("first", "second")]
    v10, v01 = (np.array(part) for part in zip(*each, strict=True))
    areas, result = v10.mean(1), covariance(v10, v01)
    assert areas == pytest.approx(frozen["areas"], rel=1e-12)
    assert result[0, 1] == pytest.approx(frozen["covariance"], rel=1e-9)
    assert result[0, 0] == pytest.approx(frozen["variance"], rel=1e-9)
    error = float(np.sqrt(result[0, 0] + result[1, 1] - 2 * result[0, 1]))
    gap = float(areas[0] - areas[1])
    assert delong_test(gap, error).statistic == pytest.approx(frozen["z"], rel=1e-9)
    assert delong_test(gap, error).pvalue == pytest.approx(frozen["p"], rel=1e-8)
    assert delong_test(gap, error, "greater").pvalue == pytest.approx(frozen["greater"], rel=1e-8)
    assert delong_many(areas, result)[:2] == pytest.approx((frozen["z"] ** 2, frozen["p"]), rel=1e-8)


def test_many_areas_do_not_depend_on_the_order_nor_on_a_copy():
    bad, scores = models()
    each = [placements(s[bad], s[~bad]) for s in scores.values()]
    v10, v01 = (np.array(part) for part in zip(*each, strict=True))
    whole = delong_many(v10.mean(1), covariance(v10, v01))
    turned = delong_many(v10[::-1].mean(1), covariance(v10[::-1], v01[::-1]))
    assert whole.df == 2
    assert whole[:2] == pytest.approx(turned[:2], rel=1e-9)
    twice = [np.concatenate((v, v[:1])) for v in (v10, v01)]
    assert delong_many(twice[0].mean(1), covariance(*twice))[:2] == pytest.approx(whole[:2], rel=1e-6)
