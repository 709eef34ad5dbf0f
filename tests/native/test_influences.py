"""Influences of rows on areas, as their definitions give them."""

import numpy as np
import pytest

from calipers import _native
from calipers.metrics.scores import influence_on_area, influence_on_precision
from calipers.statistics.scores import ScoreSamples

RNG = np.random.default_rng(2)
SCORES = {
    "two": [0.0, 1.0],
    "all tied": [2.0] * 50,
    "infinite": [-np.inf, 0.0, 0.0, np.inf, 1.0],
    "beyond the largest range": [-1.7e308, 0.0, 1.7e308, 5.0],
    "tied": np.round(RNG.normal(size=500), 1),
    "skewed": RNG.exponential(size=500) ** 9,
    "many steps": RNG.random(3000),
    "single precision": RNG.random(500).astype(np.float32),
}


def share_below(x, sample, weights):
    return ((sample < x) @ weights + (sample <= x) @ weights) / (2 * weights.sum())


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", SCORES)
def test_influences_are_those_of_the_definitions(name, weighted):
    scores = np.asarray(SCORES[name], getattr(SCORES[name], "dtype", float))
    truth = np.arange(len(scores)) % 2 == 0
    w = RNG.exponential(size=len(scores)) if weighted else np.ones(len(scores))
    s = ScoreSamples.split(scores, truth.astype(np.uint8), 1, w if weighted else None)
    p, n, total = w[truth].sum(), w[~truth].sum(), w.sum()
    below = np.array([share_below(x, scores[~truth], w[~truth]) for x in scores])
    above = np.array([1 - share_below(x, scores[truth], w[truth]) for x in scores])
    area = w[truth] @ below[truth] / p
    expected = np.where(truth, (below - area) * total / p, (above - area) * total / n)
    np.testing.assert_allclose(influence_on_area(s, scores, truth), expected, rtol=1e-9, atol=1e-9)

    called = np.array([w[scores >= x].sum() for x in scores])
    precision = np.array([w[truth & (scores >= x)].sum() for x in scores]) / called
    ap = w[truth] @ precision[truth] / p
    # A row joins all that are called at thresholds at or below it, and changes the precision there.
    pull = [(w * truth * (scores <= x) * (own - precision) * total / called).sum() / p
            for x, own in zip(scores, truth.astype(float), strict=True)]  # fmt: skip
    expected = np.where(truth, total / p * (precision - ap), 0) + pull
    np.testing.assert_allclose(influence_on_precision(s, scores, truth), expected, rtol=1e-9, atol=1e-9)


def test_rows_have_the_type_of_the_samples():
    sample, rows = np.zeros(2), np.zeros(2, np.float32)
    with pytest.raises(TypeError, match="scores must have the type of the sorted ones"):
        _native.area_influences(sample, sample, None, None, rows, np.zeros(2, np.uint8), 0.5, 2, 2)
