"""What a user writes, for mypy and pyright: every call is one that the library allows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_type

import numpy as np

import calipers as cal
from calipers.sklearn import roc_auc_score


def metrics(y: list[int], score: list[float]) -> None:
    f1 = cal.metrics.f1(y, score, interval="bca", seed=7, threshold=0.4)
    assert_type(f1, cal.Estimate)
    assert_type(cal.metrics.fbeta(y, score, beta=2, average="macro"), cal.Estimate)
    assert_type(cal.metrics.sensitivity(y, score).low, float)
    assert_type(cal.metric("recall"), cal.Measure)
    print(f"F1 {f1:.3f} ({f1.low:.3f} to {f1.high:.3f}), n = {f1.n}; {f1.method} {max(f1, 0.5)}")
    print(roc_auc_score(y, score))


def evaluation(y: np.ndarray, score: np.ndarray, region: list[str]) -> cal.Evaluation:
    ev = cal.evaluate(y, score, by={"region": region}, missing="drop", interval={"f1": "delta"}, metrics=["f1", "mcc"])
    assert_type(ev, cal.Evaluation)
    assert_type(cal.evaluate(y, score, metrics=[cal.metrics.f1, "recall"]), cal.Evaluation)
    assert_type(ev["f1"], cal.Estimate)
    assert_type(ev.by["region"], Mapping[bool | int | str, cal.Evaluation])
    assert_type(ev.confusion, cal.Confusion)
    for finding in ev.findings:
        print(finding.code, finding.severity)
    curve = ev.curve("roc", band="simultaneous")
    assert_type(curve, cal.Curve)
    best: float = ev.best_threshold("f1")
    assert_type(ev.at(best), cal.Evaluation)
    assert_type(ev.explain("f1", lang="vi"), cal.Explanation)
    ev.plot("calibration", lang="zh", theme="dark")
    ev.save("report.html", lang="en", title="My model")
    counted = cal.evaluate_counts([[55, 45], [50, 850]], labels=["BAD", "GOOD"], positive="BAD", rows="truth")
    ranked = cal.evaluate_ranking({"q": {"d": 1}}, {"q": {"d": 0.4}}, ["ndcg@10"], ties="mean", missing_queries="skip")
    print(counted["f1"], ranked["ndcg@10"], ranked.per_query)
    back = cal.loads(ev.to_json())
    assert isinstance(back, cal.Evaluation)
    return back


def comparison(y: np.ndarray, old: np.ndarray, new: np.ndarray) -> bool:
    models = {"old": old, "new": new}
    found = cal.compare(y, models, baseline="old", primary="roc_auc", adjust="holm", method="delong-z")
    assert_type(found, cal.Comparison)
    print(found.curves("roc").dominates, found["roc_auc"]["old", "new"].pvalue)
    folds = cal.compare_folds([0.8, 0.7], [0.9, 0.8], method="paired-t", alternative="greater")
    assert_type(folds, cal.FoldComparison)
    sets = cal.compare_datasets({"A": [0.9, 0.8], "B": [0.8, 0.7]}, method="nemenyi", better="higher")
    assert_type(sets, cal.DatasetComparison)
    assert_type(cal.which_test(y, 2), cal.Advice)
    assert_type(cal.power(auc=(0.8, 0.85)), cal.Power)
    gate = cal.gate(found.models["new"], ["roc_auc >= 0.8"], baseline=found, inconclusive="fail")
    assert_type(gate, cal.GateResult)
    return bool(gate) and gate.verdict == "pass"


def validation(model: object, X: np.ndarray, y: np.ndarray) -> None:
    cv = cal.cross_validate(model, X, y, cv=5, interval="nested", task="classification", seed=0)
    assert_type(cv, cal.Validation)
    assert_type(cv["roc_auc"], cal.Estimate)
    assert_type(cal.bootstrap_validate(model, X, y, method="oob"), cal.BootstrapValidation)
    assert_type(cal.learning_curve(model, X, y, sizes=[0.5, 1.0]), cal.LearningCurve)
    assert_type(cal.validation_curve(model, X, y, "C", [1, 10], simpler="first"), cal.ValidationCurve)
    assert_type(cal.bias_variance(model, X, y, loss="squared"), cal.BiasVariance)
    assert_type(cal.select({"a": model, "b": model}, X, y, rule="best"), cal.Selection)
    assert_type(cal.scorer("roc_auc"), cal.Scorer)
