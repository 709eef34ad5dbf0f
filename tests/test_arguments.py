# ruff: noqa: E501 - a row of a table is a line
"""Arguments by their names elsewhere: the error names ours."""

import inspect
import pickle

import pytest

import calipers as cal
from calipers.arguments import ELSEWHERE, UnknownArgument

Y, P = [0, 1, 1, 0], [0.2, 0.7, 0.6, 0.4]
FUNCTIONS = (
    "evaluate", "evaluate_counts", "evaluate_ranking", "compare", "compare_folds", "compare_datasets", "gate", "power",
    "cross_validate", "bootstrap_validate", "learning_curve", "validation_curve", "bias_variance", "select",
)  # fmt: skip


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cal.evaluate(Y, P, sample_weight=[1] * 4), r"evaluate\(\) has no argument sample_weight=: use weights= instead"),
        (lambda: cal.evaluate(Y, P, pos_label=1), r"evaluate\(\) has no argument pos_label=: use positive= instead"),
        (lambda: cal.evaluate(Y, P, clusters=[1, 1, 2, 2]), r"evaluate\(\) has no argument clusters=: use groups= instead"),
        (lambda: cal.evaluate(Y, y_score=P), r"evaluate\(\) has no argument y_score=: use score= instead"),
        (lambda: cal.evaluate(Y, P, thresold=0.3), "threshold"),
        (lambda: cal.metrics.f1(Y, P, sample_weight=[1] * 4), r"f1\(\) has no argument sample_weight=: use weights= instead"),
        (lambda: cal.metrics.roc_auc(Y, y_score=P), r"roc_auc\(\) has no argument y_score=: use score= instead"),
        (lambda: cal.compare(Y, {"a": P, "b": P}, clusters=[1, 1, 2, 2]), r"compare\(\) has no argument clusters=: use groups= instead"),
        (lambda: cal.evaluate_ranking([[1, 0]], missing="skip"), r"evaluate_ranking\(\) has no argument missing=: use missing_queries= instead"),
        (lambda: cal.cross_validate(None, Y, Y, scoring="f1"), r"cross_validate\(\) has no argument scoring=: use metrics= instead"),
        (lambda: cal.cross_validate(None, Y, Y, random_state=1), r"cross_validate\(\) has no argument random_state=: use seed= instead"),
        (lambda: cal.scorer("f1", sample_weight=[1]), r"scorer\(\) has no argument sample_weight=: use weights= instead"),
    ],
)  # fmt: skip
def test_the_error_names_our_argument(call, message):
    with pytest.raises(UnknownArgument, match=message) as error:
        call()
    assert isinstance(error.value, TypeError)
    assert isinstance(error.value, cal.InputError)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_knows_its_arguments_and_keeps_its_signature(name):
    function = getattr(cal, name)
    with pytest.raises(UnknownArgument, match=rf"{name}\(\) has no argument nonsense="):
        function(nonsense=1)
    assert "wrapped" not in str(inspect.signature(function))
    assert pickle.loads(pickle.dumps(function)) is function


def test_no_name_of_ours_stands_for_another():
    ours = {p for name in FUNCTIONS for p in inspect.signature(getattr(cal, name)).parameters}
    assert set(ELSEWHERE.values()) <= ours


def test_an_old_name_leads_to_the_new_one():
    with pytest.raises(AttributeError, match="no attribute 'rank': it is called evaluate_ranking now"):
        _ = cal.rank
