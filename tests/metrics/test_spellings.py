# ruff: noqa: E501 - a row of a table is a line
"""Names that people type: those of other libraries, in any case and with any separators, and what wrong names suggest."""

from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

import calipers as cal
from calipers.errors import UnknownName
from calipers.metrics.base import CATALOGUE
from calipers.metrics.spellings import SPELLINGS, folded

# Metrics of scikit-learn that have no name here, and why.
NOT_HERE = {
    "class_likelihood_ratios": "two numbers: lr_plus and lr_minus",
    "classification_report": "a table", "confusion_matrix": "a table", "multilabel_confusion_matrix": "a table",
    "precision_recall_fscore_support": "four numbers",
    "d2_brier_score": "not a metric here", "d2_log_loss_score": "not a metric here",
    "precision_samples": "not a metric here", "recall_samples": "not a metric here",
}  # fmt: skip


def of_scikit_learn():
    """The names of scorers, and of metrics of labels, scores, rankings and numbers."""
    metrics = pytest.importorskip("sklearn.metrics")
    cluster = {name for name in dir(metrics.cluster) if not name.startswith("_")}
    functions = {n for n in metrics.__all__ if n.endswith(("_score", "_loss", "_error", "_deviance", "_corrcoef"))}
    names = {*metrics.get_scorer_names(), *functions, "auc", "class_likelihood_ratios", "classification_report"}
    of_clusters = cluster | {"rand_score"} | {name for name in names if "silhouette" in name}
    return sorted(names - of_clusters)


def test_item_4_every_name_of_scikit_learn_is_known_or_listed():
    unknown = []
    for name in of_scikit_learn():
        try:
            CATALOGUE[name]
        except UnknownName:
            unknown.append(name)
    assert set(unknown) <= set(NOT_HERE)


TYPED = {
    "f1_score": "f1", "F1-Score": "f1", "f-measure": "f1", "F1 score": "f1", "neg_log_loss": "log_loss", "Log-Loss": "log_loss",
    "log loss": "log_loss", "auc": "roc_auc", "AUC": "roc_auc", "ROC-AUC": "roc_auc", "ROC AUC": "roc_auc", "AUROC": "roc_auc",
    "roc_auc_score": "roc_auc", "roc_auc_ovr": "roc_auc(average=macro)", "roc_auc_ovo_weighted": "roc_auc_ovo(pairs=prevalence)",
    "auprc": "average_precision", "AUPRC": "average_precision", "PR-AUC": "average_precision", "AP": "average_precision",
    "mAP": "average_precision(average=macro)", "MAP": "map", "MAP@10": "map@10", "AP@10": "map@10",
    "Sensitivity": "recall", "TPR": "recall", "MAE": "mae", "RMSE": "rmse", "R2": "r2", "R²": "r2", "R^2": "r2", "MCC": "mcc",
    "neg_mean_absolute_error": "mae", "neg_root_mean_squared_error": "rmse", "neg_brier_score": "brier",
    "neg_negative_likelihood_ratio": "lr_minus", "LR+": "lr_plus", "LR-": "lr_minus", "Cohen's kappa": "kappa",
    "Youden's J": "youden_j", "MatthewsCorrCoef": "mcc", "BinaryF1Score": "f1", "F1-macro": "f1(average=macro)",
    "Macro F1": "f1(average=macro)", "f1_samples": "f1_of_rows", "P_10": "p@10", "P@5": "p@5", "Precision@5": "p@5",
    "ndcg_cut_10": "ndcg@10", "NDCG@10": "ndcg@10", "hits@10": "success@10", "Hits@3": "success@3", "recall_at_5": "recall@5",
    "hit_rate_at_5": "success@5", "recip_rank": "mrr", "top_k_accuracy_score": "top_k", "Top-5": "top_k@5",
    "top_k_categorical_accuracy": "top_k@5", "SMAPE": "smape", "FBeta(beta=2)": "fbeta(beta=2)",
    "ndcg@10(gain=exponential)": "ndcg(gain=exponential)@10",
}  # fmt: skip


@pytest.mark.parametrize(("typed", "ours"), TYPED.items())
def test_item_4_names_resolve_in_any_case(typed, ours):
    assert str(cal.metric(typed)) == ours


@given(st.sampled_from(CATALOGUE.names()), st.sampled_from(["_", "-", " ", ""]), st.sampled_from("lut"))
def test_case_and_separators_do_not_matter(name, separator, case):
    written = {"l": str.lower, "u": str.upper, "t": str.title}[case](name).replace("_", separator)
    if folded(name) in TWO_MEANINGS:
        return
    assert CATALOGUE[written] == CATALOGUE[name]


# Spellings that differ in case alone and mean two things; the exact spelling decides.
TWO_MEANINGS = {"map": {"map", "average_precision(average=macro)"}}


def test_item_4_no_spelling_is_ambiguous():
    meanings = defaultdict(set)
    for name in CATALOGUE.names():
        meanings[folded(name)].add(str(CATALOGUE[name]))
    for ours, others in SPELLINGS.items():
        assert str(CATALOGUE[ours]) == ours, "the table names metrics by their canonical names"
        for other in others.split():
            meanings[folded(other)].add(ours)
            assert str(CATALOGUE[other]) == ours
    assert {fold: each for fold, each in meanings.items() if len(each) > 1} == TWO_MEANINGS


def test_no_entry_of_the_table_is_superfluous():
    own = {folded(name) for name in CATALOGUE.names()}
    assert not [other for others in SPELLINGS.values() for other in others.split() if folded(other) in own]


def test_titles_are_names_unless_another_metric_has_the_name():
    own = set(map(folded, CATALOGUE.names()))
    titles = [metric.title for metric in CATALOGUE]
    for metric in CATALOGUE:
        if "," in metric.title:  # which is not a name
            continue
        if folded(metric.title) in own or titles.count(metric.title) > 1:
            assert metric.title in ("precision", "recall", "cumulative gain") or CATALOGUE[metric.title].metric is metric
        else:
            assert CATALOGUE[metric.title].metric is metric


SUGGESTED = {
    "acuracy": "accuracy", "presicion": "precision", "roc_acu": "roc_auc", "kolmogorov": "ks", "calibration": "ece",
    "matthews": "mcc", "quantile": "pinball", "likelihood": "lr_plus", "auc_roc_curve": "roc_auc",
}  # fmt: skip


@pytest.mark.parametrize(("typed", "meant"), SUGGESTED.items())
def test_item_4_suggestions_look_at_meaning(typed, meant):
    with pytest.raises(UnknownName) as error:
        cal.metric(typed)
    assert meant in error.value.values["near"].values["names"]


@pytest.mark.parametrize("typed", ["bleu", "rouge", "psnr", "wer", "fid", "qqqq", "burstiness"])
def test_item_4_nothing_is_suggested_for_what_is_far_away(typed):
    with pytest.raises(UnknownName, match="available: "):
        cal.metric(typed)


def test_a_name_works_wherever_metrics_are_named():
    y, p = [0, 1, 1, 0, 1, 0], [0.2, 0.7, 0.6, 0.4, 0.9, 0.3]
    ev = cal.evaluate(y, p, metrics=["ROC-AUC", "f1_score", "neg_log_loss"])
    assert list(ev) == ["roc_auc", "f1", "log_loss"]
    assert ev["AUROC"] == ev["roc_auc"]
    assert ev["neg_log_loss"] > 0, "losses keep their sign"
    assert cal.metrics.f1_score(y, [0, 1, 1, 0, 1, 0]) == 1
    assert str(cal.gate(ev, "ROC-AUC.low >= 0.1").checks[0].required) == "roc_auc.low >= 0.1"
    assert str(cal.gate(ev, "log loss <= 5").checks[0].required) == "log_loss <= 5"


def test_a_negated_loss_cannot_be_required_to_be_negative():
    ev = cal.evaluate([0, 1, 1, 0], [0.2, 0.7, 0.6, 0.4])
    with pytest.raises(cal.InputError, match="log_loss"):
        cal.gate(ev, "neg_log_loss >= -0.5")
