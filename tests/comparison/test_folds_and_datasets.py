"""Folds, data sets, which test fits, and how many rows it takes."""

import json
import math

import numpy as np
import pytest
from scipy import stats

import calipers as cal
from calipers.errors import CalipersError, InputError, UnknownName
from calipers.inference import friedman
from calipers.remarks import Remark

A = [0.81, 0.78, 0.84, 0.80, 0.79, 0.82, 0.77, 0.83, 0.80, 0.81]
B = [0.79, 0.77, 0.81, 0.80, 0.76, 0.80, 0.78, 0.80, 0.79, 0.80]


def test_the_corrected_test_is_the_default_and_needs_the_split():
    comparison = cal.compare_folds(B, A, test_share=0.1)
    d = np.subtract(A, B)
    error = math.sqrt((1 / 10 + 1 / 9) * d.var(ddof=1))
    assert comparison.pvalue == pytest.approx(2 * stats.t.sf(d.mean() / error, 9))
    assert (comparison.low, comparison.high) == pytest.approx(stats.t(9, d.mean(), error).interval(0.95))
    assert cal.compare_folds(B, A, n_train=90, n_test=10) == comparison
    with pytest.raises(InputError, match="pass test_share= "):
        cal.compare_folds(A, B)
    with pytest.raises(InputError, match="pass both n_train= and n_test=, or neither"):
        cal.compare_folds(A, B, n_train=90)
    with pytest.raises(InputError, match="test_share=1: must be a number between 0 and"):
        cal.compare_folds(A, B, test_share=1)
    plain = cal.compare_folds(B, A, method="paired-t")
    assert plain.pvalue == pytest.approx(stats.ttest_rel(A, B).pvalue)
    assert plain.pvalue < comparison.pvalue
    assert plain.verdict == "candidate higher"


def test_repeated_folds_have_the_degrees_of_freedom_of_one_repetition():
    """Repeating ten folds adds no rows: 9 degrees of freedom, not 99; Nadeau and Bengio's own 99 by name."""
    rng = np.random.default_rng(4)
    a, b = rng.normal(0.8, 0.02, 100), rng.normal(0.79, 0.02, 100)
    error = math.sqrt((1 / 100 + 1 / 9) * (a - b).var(ddof=1))
    at = (a - b).mean() / error
    assert cal.compare_folds(a, b, test_share=0.1).pvalue == pytest.approx(2 * stats.t.sf(abs(at), 9))
    published = cal.compare_folds(b, a, test_share=0.1, method="nadeau-bengio")
    assert published.pvalue == pytest.approx(2 * stats.t.sf(abs(at), 99))
    assert (published.low, published.high) == pytest.approx(stats.t(99, (a - b).mean(), error).interval(0.95))
    assert published.method == "corrected resampled t-test (Nadeau and Bengio)"
    with pytest.raises(InputError, match="pass test_share= "):
        cal.compare_folds(a, b, method="nadeau-bengio")


def test_every_test_over_folds_by_name():
    names = ["corrected", "paired-t", "5x2cv-t", "5x2cv-f", "wilcoxon"]
    comparisons = {name: cal.compare_folds(A, B, method=name, test_share=0.5) for name in names}
    assert [comparisons[name].method for name in names] == [
        "corrected resampled t-test", "paired t-test", "5x2cv t-test", "combined 5x2cv F-test",
        "Wilcoxon signed-rank test (exact)",
    ]  # fmt: skip
    assert math.isnan(comparisons["wilcoxon"].low)
    assert comparisons["wilcoxon"].to_dict()["low"] is None
    with pytest.raises(UnknownName, match="no test over folds is called 'correct'; did you mean corrected"):
        cal.compare_folds(A, B, method="correct")
    with pytest.raises(InputError, match="there are scores for 10 and 9 folds: both models"):
        cal.compare_folds(A, B[:-1], test_share=0.1)
    with pytest.raises(InputError, match="1 difference is not enough: at least two"):
        cal.compare_folds([0.1], [0.2], test_share=0.1)
    with pytest.raises(InputError, match="one finite score per fold is needed"):
        cal.compare_folds([0.1, math.nan], [0.2, 0.3], test_share=0.1)


def test_documents_of_folds_and_data_sets():
    folds = cal.compare_folds(A, B, method="wilcoxon")
    assert json.loads(folds.to_json()) == {**folds.to_dict()}
    sets = cal.compare_datasets({"A": A, "B": B, "C": A[::-1]})
    document = json.loads(sets.to_json(indent=2))
    assert document["ranks"] == pytest.approx(dict(sets.ranks))
    assert [p["first"] for p in document["pairs"]] == ["A", "A", "B"]


def test_equal_scores_and_constant_differences():
    same = cal.compare_folds(A, A, test_share=0.1, rope=0.01)
    assert (same.difference, same.pvalue, same.probabilities) == (0, 1, (0, 1, 0))
    constant = cal.compare_folds([0.8, 0.7, 0.9], [0.7, 0.6, 0.8], test_share=0.2)
    assert 0 < constant.pvalue < 1e-300
    assert "note: all folds have the same difference" in repr(constant)


def test_rope_adds_up_and_turns():
    forward = cal.compare_folds(A, B, test_share=0.1, rope=0.01).probabilities
    backward = cal.compare_folds(B, A, test_share=0.1, rope=0.01).probabilities
    assert sum(forward) == pytest.approx(1)
    assert forward.better == pytest.approx(backward.worse)
    none = cal.compare_folds(A, B, test_share=0.1, rope=0).probabilities
    assert none.better == pytest.approx(1 - cal.compare_folds(A, B, test_share=0.1, alternative="greater").pvalue)


def test_datasets_rank_models():
    rng = np.random.default_rng(3)
    table = rng.normal((1.5, 0, 0), size=(12, 3))
    scores = dict(zip("ABC", table.T.tolist(), strict=True))
    comparison = cal.compare_datasets(scores)
    ranks = friedman.ranks_of(table)
    assert comparison.ranks == pytest.approx(dict(zip("ABC", ranks.mean(0), strict=True)))
    assert comparison.friedman.statistic == pytest.approx(stats.friedmanchisquare(*table.T).statistic)
    assert comparison.overall.method == "Iman-Davenport F-test"
    assert comparison.method == "nemenyi"
    assert comparison.pairs["A", "B"] == pytest.approx(friedman.nemenyi(ranks)[0, 1])
    against = cal.compare_datasets(scores, control="C")
    assert list(against.pairs) == [("C", "A"), ("C", "B")]
    assert against.method == "holm"
    assert "C - A: p = " in repr(against)
    assert "A is better" in repr(against)
    turned = cal.compare_datasets(-table, names=list("ABC"), better="lower")
    assert turned.ranks == pytest.approx(comparison.ranks)
    assert max(map(len, repr(comparison).splitlines())) <= 80
    assert comparison.to_dict()["pairs"][0]["first"] == "A"


def test_datasets_that_cannot_be_ranked():
    with pytest.raises(InputError, match="different numbers of data sets: A 2, B 3"):
        cal.compare_datasets({"A": [1, 2], "B": [1, 2, 3]})
    with pytest.raises(InputError, match="data set 1, model 0 has no finite score"):
        cal.compare_datasets([[1.0, 2.0], [math.nan, 1.0]])
    with pytest.raises(UnknownName, match="no model is called 'D'"):
        cal.compare_datasets({"A": [1, 2], "B": [2, 1]}, control="D")
    with pytest.raises(InputError, match="Nemenyi's test compares all pairs"):
        cal.compare_datasets({"A": [1, 2], "B": [2, 1]}, control="A", method="nemenyi")
    with pytest.raises(InputError, match="better='more' is not known"):
        cal.compare_datasets({"A": [1, 2], "B": [2, 1]}, better="more")


def test_which_test_says_what_compare_does():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 100)
    models = {name: np.clip(0.3 + 0.4 * y + 0.2 * rng.normal(size=100), 0.01, 0.99) for name in "AB"}
    for metric, begins in (("accuracy", "McNemar"), ("roc_auc", "paired DeLong"), ("log_loss", "paired t-test"),
                           ("f1", "paired bootstrap"), ("average_precision", "influence")):  # fmt: skip
        advice = cal.which_test(y, models, metric=metric)
        assert advice.test == cal.compare(y, models, metrics=[metric])[metric].method
        assert advice.test.startswith(begins)
        assert len(advice.why) == 2
    many = cal.which_test(y, {**models, "C": models["A"]})
    assert "(Cochran's Q test)" in many.why[1]
    grouped = cal.which_test(y, models, groups=np.arange(100) // 4)
    assert "rows of the same group are not independent, so" in grouped.why[1]


def test_item_which_test_advises_what_holds_its_level_and_says_which_question_it_answers():
    for folds, repeats in ((10, 1), (10, 10), (2, 5)):
        advice = cal.which_test(folds=folds, repeats=repeats)
        assert advice.test == "corrected resampled t-test"
        assert "sees smaller differences" not in repr(advice)
        assert advice.why[-3].startswith("this shows which learning method is better when trained on")
        assert advice.why[-1].startswith("do not use compare() on out-of-fold predictions: for two equal")
    assert any("reject up to 17% of true null hypotheses" in why for why in cal.which_test(folds=2, repeats=5).why)
    y = np.arange(40) % 2
    rows = cal.which_test(y, {"A": y, "B": np.roll(y, 5)})
    assert rows.why[-1].startswith("this shows which of these fitted models is better on new data, not which")


def test_which_test_over_folds_and_datasets():
    assert cal.which_test(folds=10, repeats=10).call == "compare_folds(a, b, test_share=0.1)"
    assert cal.which_test(datasets=14, models=4).test == "Friedman test"
    assert "data sets no result can be significant at 5%: at least six are needed" in cal.which_test(datasets=5).why[1]
    assert len(cal.which_test(datasets=6).why) == 1
    for wrong in ({}, {"folds": 10, "datasets": 3}):
        with pytest.raises(InputError, match="pass y_true and models"):
            cal.which_test(**wrong)


def test_power_goes_both_ways():
    for options, alone in (
        ({"auc": (0.80, 0.85), "prevalence": 0.2}, {"auc": 0.80, "prevalence": 0.2}),
        ({"accuracy": (0.90, 0.93), "discordance": 0.1}, {"accuracy": 0.90, "discordance": 0.1}),
        ({"accuracy": (0.90, 0.93)}, {"accuracy": 0.90}),
        ({"difference": 0.02, "sd": 0.3}, {"sd": 0.3}),
    ):
        needed = cal.power(**options)
        reach = cal.power(**alone, rows=needed.rows)
        assert reach.difference == pytest.approx(needed.difference, rel=0.002)
        assert cal.power(**options, power=0.9).rows > needed.rows
        assert cal.power(**options, level=0.99).rows > needed.rows
        assert cal.power(**options, rows=needed.rows).power == pytest.approx(0.8, abs=0.01)
        assert cal.power(**options, rows=2 * needed.rows).power > 0.9
    few = cal.power(difference=1e-6, sd=1, rows=10)
    assert 0.02 < few.power < 0.03
    assert json.loads(few.to_json()) == few.to_dict()


def test_power_says_what_it_lacks():
    for wrong, why in (
        ({}, "pass auc=, accuracy="),
        ({"auc": 0.8}, "needs two different values, or one value and"),
        ({"auc": (0.8, 0.8)}, "needs two different values"),
        ({"auc": (0.8, 0.8), "rows": 100}, "needs two different values, or one value and"),
        ({"auc": (0.8, 1.2)}, "between 0 and 1"),
        ({"accuracy": (0.8, 0.9), "discordance": 0.05}, "gets right must be at least the difference, 0.1"),
        ({"sd": 1.0}, "with difference=, rows= or both"),
        ({"auc": (0.8, 0.9), "prevalence": 0}, "prevalence=0: must be a number between 0 and"),
    ):
        with pytest.raises(InputError, match=why):
            cal.power(**wrong)


def test_groups_hold_models_that_do_not_differ():
    scores = {"A": [9, 8, 9, 8, 9, 8, 9, 9], "B": [8, 9, 8, 9, 8, 7, 8, 8], "C": [5, 6, 7, 5, 6, 6, 5, 6]}
    comparison = cal.compare_datasets(scores | {"D": [1, 2, 3, 1, 2, 3, 1, 2]})
    order = sorted(comparison.ranks, key=comparison.ranks.get)
    for group in comparison.groups:
        assert len(group) > 1
        assert list(group) == [name for name in order if name in group]
        assert not any(comparison.differs(a, b) for a in group for b in group if a != b)
    assert not any(set(one) < set(other) for one in comparison.groups for other in comparison.groups)
    assert comparison.differs("A", "D")
    assert comparison.differs("D", "A")
    assert not comparison.differs("A", "B")
    # Mean ranks 1.25, 1.75, 3 and 4; the critical difference is 1.66.
    assert comparison.groups == (("A", "B"), ("B", "C"), ("C", "D"))
    apart = cal.compare_datasets({"A": list(range(10, 40)), "B": list(range(30))})
    assert apart.groups == ()


def test_advice_and_power_are_said_in_three_languages_also_when_they_were_read_again():
    for advice in (cal.which_test(folds=2, repeats=5), cal.which_test(datasets=4), cal.which_test(datasets=8, models=3),
                   cal.which_test([0, 1, 1, 0], {name: [0, 1, 0, 1] for name in "abc"})):  # fmt: skip
        assert all(isinstance(text, Remark) for text in (advice.test, *advice.why))
        again = cal.loads(advice.to_json())
        assert again.to_text("zh") == advice.to_text("zh") != advice.to_text("en")
    assert cal.which_test(datasets=4).to_text("zh").endswith("任何结果都不可能在 5% 水平上显著：至少需要六个")
    assert cal.power(accuracy=0.9, discordance=0.1, rows=1000).to_text("vi").endswith("giả định: tỉ lệ bất đồng 0,1")


def test_an_attribute_that_is_not_there_is_an_error_of_ours(monkeypatch):
    one = cal.compare([0, 1, 1, 0], {name: [0, 1, 0, 1] for name in "abc"}, metrics=["accuracy"])["accuracy"]
    assert not hasattr(one, "nothing")
    with pytest.raises(AttributeError, match=r"^there are several pairs: name one, as in \['b', 'a'\]\.pvalue$"):
        _ = one.pvalue
    monkeypatch.setenv("CALIPERS_LANG", "zh")
    with pytest.raises(CalipersError, match=r"^单个指标的比较中没有 'nothing'$"):
        _ = one.nothing


def test_the_text_says_which_scores_are_subtracted_from_which():
    result = cal.compare_folds([0.8, 0.82, 0.79, 0.81], [0.84, 0.85, 0.8, 0.83], test_share=0.25, level=0.9)
    assert result.difference > 0
    assert str(result).splitlines()[2] == "difference: candidate minus baseline, 90% interval"
    assert "- difference: candidate minus baseline, 90% interval" in result.to_markdown()
    assert "candidate minus baseline" in cal.FoldComparison.__doc__
    wilcoxon = cal.compare_folds([0.8, 0.82, 0.79, 0.81], [0.84, 0.85, 0.8, 0.83], method="wilcoxon")
    assert str(wilcoxon).splitlines()[2] == "difference: candidate minus baseline"
