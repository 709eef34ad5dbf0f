"""Curves of very many rows, which are drawn from fewer thresholds."""

import numpy as np
import pytest

import calipers as cal
from calipers.evaluation import curves


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ["roc", "pr", "det", "gain", "lift", "sweep", "thresholds"])
def test_a_curve_of_many_rows_goes_through_points_of_the_whole_one(monkeypatch, kind, weighted):
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 4000)
    score = np.round(1 / (1 + np.exp(-rng.normal(size=4000) - truth)), 4)
    ev = cal.evaluate(truth, score, weights=rng.integers(1, 5, 4000).astype(float) if weighted else None)
    whole = ev.curve(kind)
    monkeypatch.setattr(curves, "MANY", 1000)
    monkeypatch.setattr(curves, "GRID", 200)
    monkeypatch.setattr(curves, "TOP", 50)
    thin = ev.curve(kind, points=300)
    assert 100 < len(thin.x) <= 300
    at = {float(t): i for i, t in enumerate(whole.threshold)}
    kept = [i for i, t in enumerate(thin.threshold) if float(t) in at]
    assert len(kept) >= len(thin.x) / 2  # the whole ROC curve has corners only
    rows = [at[float(thin.threshold[i])] for i in kept]
    for name, column in whole.items():
        assert thin[name][kept] == pytest.approx(column[rows], rel=1e-12, nan_ok=True), name
    assert thin.x[0] == whole.x[0]
    assert thin.x[-1] == pytest.approx(whole.x[-1])
    apart = np.abs(np.interp(whole.x, np.sort(thin.x), thin.y[np.argsort(thin.x)]) - whole.y)
    if kind in ("roc", "det", "gain"):
        assert apart.max() < 0.02


def test_bands_of_many_rows_know_how_many_there_are(monkeypatch):
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 4000)
    ev = cal.evaluate(truth, np.round(rng.normal(size=4000) + truth, 3), positive=1, threshold=0.5)
    for kind in ("roc", "pr"):
        whole = ev.curve(kind, band="pointwise")
        with monkeypatch.context() as here:
            here.setattr(curves, "MANY", 1000)
            thin = ev.curve(kind, band="pointwise", points=500)
        width = np.interp(0.5, thin.x, thin.high - thin.low)
        assert width == pytest.approx(np.interp(0.5, whole.x, whole.high - whole.low), rel=0.1)
