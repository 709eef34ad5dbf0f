"""`gate(...).check()`, and gates of cross-validations."""

import pickle

import numpy as np
import pytest

import calipers as cal

EV = cal.evaluate_counts(tp=90, fp=20, fn=10, tn=380)


def test_check_returns_a_gate_that_passes():
    result = cal.gate(EV, "recall >= 0.8")
    assert result.check() is result


def test_check_raises_with_the_whole_table():
    result = cal.gate(EV, ["recall >= 0.8", "recall >= 0.88"])
    with pytest.raises(AssertionError) as error:
        result.check()
    assert str(error.value) == result.to_text()
    assert error.value.text("zh") == result.to_text("zh")
    assert error.value.result is result
    assert str(pickle.loads(pickle.dumps(error.value))) == result.to_text()
    assert cal.gate(EV, "recall >= 0.88", inconclusive="pass").check()


@pytest.fixture(scope="module")
def validation():
    linear = pytest.importorskip("sklearn.linear_model")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = (X[:, 0] + 0.5 * rng.normal(size=300) > 0).astype(int)
    return cal.cross_validate(linear.LogisticRegression(), X, y, seed=0)


def test_a_validation_is_gated_by_its_interval_over_folds(validation):
    result = cal.gate(validation, ["roc_auc >= 0.8", "kappa >= 0.1", "accuracy.low >= 0.99"])
    assert [c.answer for c in result.checks] == ["pass", "pass", "fail"]
    for name, check in zip(("roc_auc", "kappa", "accuracy"), result.checks, strict=True):
        estimate = validation[name]
        assert (check.value, check.low, check.high) == (float(estimate), estimate.low, estimate.high)
    assert result.rows == 300
    assert "300 rows" in result.to_text("en")


def test_what_a_validation_cannot_answer(validation):
    with pytest.raises(cal.InputError, match="chooses a threshold, which needs one model"):
        cal.gate(validation, "recall >= 0.8 at precision >= 0.5")
    with pytest.raises(cal.InputError, match="gate needs the result of evaluate"):
        cal.gate([1], "recall >= 0.8")
