"""`interval=`: which methods a metric takes, what happens where one does not fit, and what the result records."""

import pytest

import calipers as cal
from calipers.errors import InputError, UnknownName

Y = [0, 0, 1, 1, 1, 0, 1, 0]
P = [0.1, 0.6, 0.8, 0.4, 0.9, 0.3, 0.7, 0.2]


def test_a_method_that_does_not_fit_lists_those_that_do():
    with pytest.raises(
        InputError, match="interval='delong' is not available for f1: use wilson, clopper-pearson, jeffreys"
    ):
        cal.metrics.f1(Y, P, interval="delong")
    with pytest.raises(
        InputError, match="interval='wilson' is not available for roc_auc: use delong-wilson, delong-logit"
    ):
        cal.evaluate(Y, P, interval={"auc": "wilson"})
    with pytest.raises(
        InputError, match="interval='delong' is not available for f1: use wilson, clopper-pearson, jeffreys"
    ):
        cal.evaluate(Y, P, metrics=["f1", "recall"], interval="delong")
    with pytest.raises(InputError, match="interval='wilso' is not known; did you mean wilson"):
        cal.evaluate(Y, P, interval="wilso")
    with pytest.raises(UnknownName, match="no metric is called 'acuracy'"):
        cal.evaluate(Y, P, interval={"acuracy": "wilson"})


def test_one_name_for_all_leaves_the_others_their_default():
    ev = cal.evaluate(Y, P, interval="clopper-pearson")
    assert (ev["recall"].method, ev["f1"].method) == ("clopper-pearson", "clopper-pearson")
    assert ev["roc_auc"].method == "delong-wilson"
    assert ev.classes[1]["recall"].method == "clopper-pearson"
    assert ev.at(threshold=0.3)["recall"].method == "clopper-pearson"


def test_a_mapping_is_for_the_metrics_it_names():
    ev = cal.evaluate(Y, P, interval={"sensitivity": "jeffreys", "auc": "newcombe"}, by={"half": list("aaaabbbb")})
    assert (ev["recall"].method, ev["precision"].method, ev["roc_auc"].method) == ("jeffreys", "wilson", "newcombe")
    assert ev.by["half"]["a"]["recall"].method == "jeffreys"
    assert ev.settings.interval == {"recall": "jeffreys", "roc_auc": "newcombe"}


def test_rows_that_make_another_kind_of_value_keep_the_default_later():
    methods = {"precision": "jeffreys", "average_precision": "normal"}
    ev = cal.evaluate(Y, P, interval=methods, by={"half": ["a", "a", "b", "b", "b", "a", "b", "a"]})
    assert ev.at(prevalence=0.1)["precision"].method == "delta (logit)"
    assert ev.by["half"]["b"]["average_precision"].reason == "no interval: every row belongs to this class"
    one_class = cal.metrics.average_precision([1, 1], [0.2, 0.8], interval="normal")
    assert one_class.reason == "no interval: every row belongs to this class"


def test_clustered_is_a_name_too():
    ev = cal.evaluate(Y, P, groups=[1, 1, 2, 2, 3, 3, 4, 4], interval="grouped")
    assert ev["recall"].method == "wilson, grouped"
    with pytest.raises(
        InputError, match="interval='grouped' is not available for accuracy: use wilson, clopper-pearson"
    ):
        cal.evaluate(Y, P, interval="grouped")


def test_an_undefined_metric_is_nan_whatever_was_asked_for():
    estimate = cal.metrics.precision([0, 1, 0], [0, 0, 0], interval="jeffreys")
    assert str(estimate) == "nan (no row was predicted as this class)"


def test_the_document_records_what_was_asked_for():
    for interval in ("jeffreys", {"recall": "jeffreys"}):
        ev = cal.evaluate(Y, P, interval=interval)
        again = cal.loads(ev.to_json())
        assert again.settings == ev.settings
        assert again["recall"].method == "jeffreys"
        assert again.to_json() == ev.to_json()


def test_the_default_asked_for_by_name_is_the_default():
    default = cal.evaluate(Y, P)
    for name in ("recall", "f1", "roc_auc", "mcc", "brier", "balanced_accuracy", "average_precision", "fbeta(beta=2)"):
        method = {"roc_auc": "delong-wilson", "mcc": "delta", "brier": "hall", "balanced_accuracy": "mover",
                  "average_precision": "influence-logit", "fbeta(beta=2)": "logit-half"}.get(name, "wilson")
        assert cal.evaluate(Y, P, interval={name: method})[name].interval == default[name].interval
