# ruff: noqa: E501 - a row of a table is a line
"""The grammar of metric names: the same string in Python, shell, JSON and reports."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import calipers as cal
from calipers.errors import CalipersError, InputError, UnknownName
from calipers.metrics.base import CATALOGUE
from calipers.metrics.names import parse, render

WORD = st.from_regex(r"[a-z][a-z0-9_]{0,8}", fullmatch=True)
TEXT = st.from_regex(r"[a-z][a-z0-9_.\-]{0,6}", fullmatch=True).filter(lambda t: t not in ("nan", "inf", "infinity"))
VALUE = st.one_of(
    st.integers(-(10**6), 10**6),
    st.floats(allow_nan=False, allow_infinity=False).filter(lambda x: not x.is_integer()),
    TEXT,
)


@given(WORD, st.dictionaries(WORD, VALUE, max_size=3))
def test_parse_is_the_inverse_of_render(word, parameters):
    text = render(word, parameters)
    assert parse(text) == (word, parameters)
    assert render(*parse(text)) == text


CANONICAL = {
    "f1": "f1", " f1 ( ) ": "f1", "dice": "f1", "f1_macro": "f1(average=macro)", "macro_f1": "f1(average=macro)",
    "f1(average=means)": "f1(average=means)", "f2": "fbeta(beta=2)", "fbeta(beta=2.0)": "fbeta(beta=2)", "fbeta(beta=1)": "fbeta",
    "f2_macro": "fbeta(beta=2, average=macro)", "fbeta(average=macro, beta=2)": "fbeta(beta=2, average=macro)", "sensitivity": "recall",
    "top_k(k=5)": "top_k@5", "top5": "top_k@5", "top_k_accuracy@1": "top_k", "mAP": "average_precision(average=macro)",
    "ap(interpolation=11-point)": "average_precision(interpolation=11-point)", "partial_auc(max_fpr=0.1)": "partial_auc",
    "ece(rule=mass, bins=10)": "ece(bins=10, rule=mass)", "cost(fn_cost=10)": "cost(fn_cost=10)", "weighted_auc": "roc_auc(average=weighted)",
}  # fmt: skip


@pytest.mark.parametrize(("text", "canonical"), CANONICAL.items())
def test_canonical_form(text, canonical):
    assert str(cal.metric(text)) == repr(cal.metric(text)) == canonical
    assert cal.metric(text) == cal.metric(canonical)
    assert hash(cal.metric(text)) == hash(cal.metric(canonical))


WRONG = {
    "f1(": "'f1(' is not a metric name: write name, name(key=value, ...) or name@k",
    "": "'' is not a metric name",
    "fbeta(2)": "'fbeta(2)' is not a metric name: '2' should read key=value",
    "fbeta(beta=2, beta=3)": "'fbeta(beta=2, beta=3)' gives beta twice",
    "top_k(k=3)@5": "'top_k(k=3)@5' gives k twice: @5 is short for (k=5)",
    "top_k@0": "'top_k@0': k=0 is not a cutoff: pass a whole number, 1 or more",
    "f1(average=median)": "average=median is not known; use macro, weighted, micro or means",
    "precision(average=means)": "average=means is only for F scores, which are computed from mean precision and mean recall",
    "fbeta(beta=x)": "beta=x should be a number",
    "average_precision(interpolation=3)": "interpolation=3 should be a word such as step",
    "average_precision(interpolation=linear)": "interpolation=linear is not known; use step, trapezoid, 11-point or all-point",
    "ece(rule=equal)": "rule=equal is not known; use width, mass, quantile or sas",
    "ece(bins=2.5)": "bins=2.5: must be a whole number from 1 to 10000",
    "roc_auc_ovo(pairs=all)": "pairs=all is not known; use equal or prevalence",
    "partial_auc(max_fpr=2)": "partial_auc(max_fpr=2): max_fpr must be greater than 0 and at most 1",
}


@pytest.mark.parametrize(("text", "message"), WRONG.items())
def test_wrong_names(text, message):
    binary, many = (
        cal.evaluate([0, 1, 1], [0.2, 0.7, 0.4]),
        cal.evaluate([0, 1, 2], [[0.6, 0.2, 0.2], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]]),
    )
    with pytest.raises((InputError, UnknownName), match=re.escape(message)):
        (many if text.startswith(("top_k", "roc_auc_ovo")) else binary)[text]


def test_unknown_names_show_the_nearest():
    with pytest.raises(UnknownName, match="no metric is called 'acuracy'; did you mean accuracy"):
        cal.metric("acuracy")
    with pytest.raises(UnknownName, match="no metric is called 'qqqq'; available: "):
        cal.metric("qqqq")
    with pytest.raises(AttributeError, match="no metric is called 'acuracy'; did you mean accuracy"):
        _ = cal.metrics.acuracy


def test_parameters_may_be_arguments():
    truth, pred = [0, 1, 2, 1], [0, 1, 1, 2]
    assert cal.metrics.fbeta(truth, pred, beta=2, average="macro") == cal.metric("fbeta(beta=2, average=macro)")(
        truth, pred
    )
    assert cal.metrics.f1_macro(truth, pred) == cal.metrics.f1(truth, pred, average="macro")
    with pytest.raises(InputError, match="average=mean is not known"):
        cal.metrics.f1(truth, pred, average="mean")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("ece(bins=inf)", r"'ece\(bins=inf\)': bins=inf should be 0 or a number with absolute value from 1e-15 to 1e\+15"),
        ("ece(bins=nan)", r"bins=nan should be 0 or a number with absolute value from"),
        ("fbeta(beta=1e200)", r"beta=1e\+200 should be 0 or a number with absolute value from"),
        ("fbeta(beta=1e-200)", r"beta=1e-200 should be 0 or a number with absolute value from"),
        ("fbeta(beta=" + "9" * 400 + ")", r"beta=9{60} should be 0 or a number with absolute value from"),
        ("f1@" + "1" * 5000, r"^'f1@1+\.\.\.1+': the cutoff after @ has 5000 digits; at most 9 are allowed$"),
        ("x" * 5000, r"^no metric is called 'x+\.\.\.x+'; available: "),
        ("f1(" + "x" * 5000 + ")", r"is not a metric name: 'x+\.\.\.x+' should read key=value"),
        ("f1(average=" + "x" * 5000 + ")", r"average=x{60} is not known; use macro, weighted, micro or means"),
        ("", "'' is not a metric name"),
        (5, "a metric is requested by its name, such as 'f1', not by 5"),
        (["f1"], "a metric is requested by its name, such as 'f1', not by"),
    ],
)
def test_item_7_names_beyond_the_limits(name, message):
    with pytest.raises(CalipersError, match=message) as refused:
        CATALOGUE[name]
    assert len(str(refused.value)) < 400


def test_item_7_parameters_within_the_limits_are_measured():
    for name in ("fbeta(beta=1e15)", "fbeta(beta=1e-15)", "cost(fp_cost=1e15, fn_cost=0)", "ece(bins=10000)"):
        ev = cal.evaluate([0, 0, 1, 1, 0, 1], score=[0.1, 0.6, 0.4, 0.9, 0.2, 0.7], positive=1, metrics=[name])
        assert ev[name].low <= ev[name] <= ev[name].high, name
