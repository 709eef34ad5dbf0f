"""Known answers for calibration and net benefit, from other libraries: python make.py > known.json.

Needs statsmodels, dcurves, betacal and scikit-learn in an environment of its own; the versions are written beside the
numbers. Calipers is not imported.
"""

import json
import sys
from importlib.metadata import version

import numpy as np
import pandas as pd
import statsmodels.api as sm
from betacal import BetaCalibration
from dcurves import dca
from sklearn.calibration import _SigmoidCalibration, calibration_curve
from sklearn.isotonic import IsotonicRegression
from statsmodels.nonparametric.smoothers_lowess import lowess


def rows(n=300):
    rng = np.random.default_rng(27)
    x = rng.normal(size=n)
    y = (rng.random(n) < 1 / (1 + np.exp(0.8 - 1.2 * x))).astype(int)
    p = np.round(1 / (1 + np.exp(0.2 - 2 * x)), 4).clip(0.001, 0.999)
    q = np.round(1 / (1 + np.exp(0.8 - 0.9 * x - 0.4 * rng.normal(size=n))), 4)
    return y, p, q, rng.integers(1, 4, n).astype(float)


def logistic(y, x, w, **more):
    fit = sm.GLM(y, x, family=sm.families.Binomial(), freq_weights=w, **more).fit(tol=1e-13, maxiter=200)
    return fit.params.tolist()


def gaps(y, p, bins, strategy):
    """The calibration error over scikit-learn's bins, which are closed on the right."""
    shares = np.linspace(0, 1, bins + 1)
    edges = shares if strategy == "uniform" else np.percentile(p, shares * 100)
    at = np.searchsorted(edges[1:-1], p)
    share = np.bincount(at, minlength=bins)[np.unique(at)] / len(p)
    true, predicted = calibration_curve(y, p, n_bins=bins, strategy=strategy)
    return float(share @ np.abs(true - predicted))


def main():
    y, p, q, w = rows()
    logit = np.log(p / (1 - p))
    one = np.ones(len(y))
    grid = np.array([0.01, 0.1, 0.25, 0.37, 0.5, 0.8])
    answers = {
        "versions": {name: version(name) for name in ("numpy", "statsmodels", "dcurves", "betacal", "scikit-learn")},
        "rows": {"y": y.tolist(), "p": p.tolist(), "q": q.tolist(), "weights": w.tolist()},
        "logistic": logistic(y, sm.add_constant(logit), one),
        "logistic_weighted": logistic(y, sm.add_constant(logit), w),
        "shift": logistic(y, one, one, offset=logit)[0],
        "shift_weighted": logistic(y, one, w, offset=logit)[0],
        "ici": float(np.abs(lowess(y, p, frac=2 / 3, it=0, delta=0, return_sorted=False) - p).mean()),
        "uniform": gaps(y, p, 10, "uniform"),
        "quantile": gaps(y, p, 7, "quantile"),
        "isotonic": IsotonicRegression(out_of_bounds="clip").fit(p, y).predict(grid).tolist(),
        "isotonic_weighted": IsotonicRegression(out_of_bounds="clip").fit(p, y, w).predict(grid).tolist(),
        "platt": _SigmoidCalibration().fit(logit, y).predict(np.log(grid / (1 - grid))).tolist(),
        "beta": BetaCalibration(parameters="abm").fit(p.reshape(-1, 1), y).predict(grid.reshape(-1, 1)).tolist(),
        "grid": grid.tolist(),
    }
    # A model fitted on all rows: the R² of its own probabilities is that of the textbook.
    fit = sm.GLM(y, sm.add_constant(logit), family=sm.families.Binomial()).fit(tol=1e-13)
    n, gain = len(y), 2 * (fit.llf - fit.llnull)
    answers["fitted"] = fit.fittedvalues.tolist()
    answers["nagelkerke"] = float((1 - np.exp(-gain / n)) / (1 - np.exp(2 * fit.llnull / n)))
    frame = pd.DataFrame({"y": y, "p": p, "q": q})
    curve = dca(data=frame, outcome="y", modelnames=["p", "q"], thresholds=np.arange(1, 100) / 100)
    answers["net_benefit"] = {
        name: part.sort_values("threshold").net_benefit.tolist() for name, part in curve.groupby("model")
    }
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
