"""Regression functions: the same answer, type, error and warning class as scikit-learn, over inputs drawn by seed."""

import warnings

import numpy as np
import pandas as pd
import pytest
import sklearn.metrics as theirs

import calipers.sklearn as ours

OUTPUTS = ["uniform_average", "raw_values", "weights", "unknown"]
SHARES = [*OUTPUTS[:3], "variance_weighted"]
FUNCTIONS = {
    "mean_absolute_error": {"multioutput": OUTPUTS},
    "mean_squared_error": {"multioutput": OUTPUTS},
    "root_mean_squared_error": {"multioutput": OUTPUTS},
    "mean_squared_log_error": {"multioutput": OUTPUTS[:3]},
    "root_mean_squared_log_error": {"multioutput": OUTPUTS[:3]},
    "median_absolute_error": {"multioutput": OUTPUTS[:3]},
    "mean_absolute_percentage_error": {"multioutput": OUTPUTS[:3]},
    "mean_pinball_loss": {"alpha": [0, 0.1, 0.5, 0.9, 1, 1.5], "multioutput": OUTPUTS[:3]},
    "explained_variance_score": {"multioutput": SHARES, "force_finite": [True, False]},
    "r2_score": {"multioutput": [*SHARES, None], "force_finite": [True, False]},
    "max_error": {},
    "mean_tweedie_deviance": {"power": [-1, 0, 0.5, 1, 1.5, 2, 3]},
    "mean_poisson_deviance": {},
    "mean_gamma_deviance": {},
    "d2_tweedie_score": {"power": [-1, 0, 0.5, 1, 1.5, 2, 3]},
    "d2_pinball_score": {"alpha": [0, 0.1, 0.5, 0.9, 1], "multioutput": OUTPUTS[:3]},
    "d2_absolute_error_score": {"multioutput": OUTPUTS[:3]},
}
FORMS = {
    "float64": lambda x: x,
    "list": lambda x: x.tolist(),
    "series": lambda x: pd.Series(x) if x.ndim == 1 else pd.DataFrame(x),
    "column": lambda x: x[:, None] if x.ndim == 1 else x,
    "fortran": np.asfortranarray,
    "whole": lambda x: np.round(x).astype(int),
    "strided": lambda x: np.repeat(x, 2, 0)[::2],
    "objects": lambda x: x.astype(object),
    "missing": lambda x: np.where(x > np.median(x), np.nan, x),
    "infinite": lambda x: np.where(x > np.median(x), np.inf, x),
}


def rows(r):
    n, k = int(r.choice([1, 2, 3, 7, 50])), int(r.choice([1, 1, 2, 3]))
    y = r.lognormal(0, 1, (n, k))
    p = y * r.lognormal(0, 0.4, (n, k))
    kind = r.integers(8)
    if kind == 0:
        y, p = y - 1, p - 1
    if kind == 1:
        y[:, 0] = 0.1
    if kind == 2:
        y = p = np.full((n, k), 2.5)
    if kind == 3:
        y[r.random((n, k)) < 0.3] = 0
    if kind == 4:
        y, p = np.round(y), np.round(p) + 1
    if kind == 5:
        y, p = 1e9 + y, 1e9 + p
    return (y[:, 0], p[:, 0]) if k == 1 else (y, p)


def outcome(function, *arguments, **named):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            answer = function(*arguments, **named)
        except (ValueError, TypeError, ZeroDivisionError) as error:
            answer = error
    return answer, {w.category for w in caught if not issubclass(w.category, RuntimeWarning)}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_like_scikit_learn(name):
    seen = set()
    for seed in range(250):
        r = np.random.default_rng((seed, len(name)))
        y, p = rows(r)
        named = {key: allowed[r.integers(len(allowed))] for key, allowed in FUNCTIONS[name].items()}
        if named.get("multioutput") == "weights":
            named["multioutput"] = [0.2, 0.5, 0.3][: y.shape[1]] if y.ndim == 2 else [1.0]
        if name != "max_error":
            whole = r.integers(0, 3, len(y)) + (np.arange(len(y)) == 0)
            named["sample_weight"] = [None, None, whole, r.random(len(y)) + 0.1][r.integers(4)]
        form = str(r.choice([*FORMS][:7])) if r.random() < 0.85 else str(r.choice([*FORMS][7:]))
        other = form if r.random() < 0.8 else "float64"
        arguments = FORMS[form](y), FORMS[other](p)
        outcomes = (outcome(getattr(module, name), *arguments, **named) for module in (ours, theirs))
        (mine, warned), (peer, peer_warnings) = outcomes
        context = (name, seed, form, other, named)
        w = named.get("sample_weight")
        present = y if w is None else y[w > 0]
        constant = name in ("r2_score", "explained_variance_score") and (np.ptp(present, axis=0) == 0).any()
        if isinstance(peer, ZeroDivisionError) or (constant and not isinstance(peer, Exception)):
            continue  # 0/0; and the mean of equal numbers, which theirs misses by rounding
        if isinstance(peer, Exception):
            assert isinstance(mine, ValueError), (context, mine, peer)
            assert isinstance(mine, TypeError) == isinstance(peer, TypeError), (context, mine, peer)
            seen.add("error")
            continue
        assert not isinstance(mine, Exception), (context, mine, peer)
        assert type(mine) is type(peer), context
        cancels = "deviance" in name or "log" in name or "d2" in name
        scale = float(np.max(np.abs(y))) if cancels else 0.0
        if scale > 1e6 and named.get("power") not in (0, None):
            continue  # their deviances have no digit left where numbers are large and near each other
        loose = 1e-9 if scale < 1e6 else 1e-2
        near = np.allclose(mine, peer, rtol=loose, atol=1e-12 + 1e-15 * scale, equal_nan=True)
        degenerate = name.startswith("d2_tweedie") and not np.all(np.isfinite(peer))
        assert near or degenerate or np.any(np.abs(peer) > 1e9), (context, mine, peer)
        assert {c.__name__ for c in warned} == {c.__name__ for c in peer_warnings}, (context, warned, peer_warnings)
        seen.add("value")
    assert seen == {"error", "value"}


def test_the_mean_of_equal_numbers_is_that_number():
    """Theirs is 0.10000000000000002 for three of 0.1, which makes R² of a constant truth -1e30 or so."""
    y, p = [0.1] * 3, [0.2, 0.3, 0.4]
    assert ours.r2_score(y, p) == 0.0
    assert ours.r2_score(y, y) == 1.0
    assert ours.r2_score(y, p, force_finite=False) == -np.inf
    assert np.isnan(ours.r2_score(y, y, force_finite=False))
