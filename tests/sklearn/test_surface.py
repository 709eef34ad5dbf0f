"""The same names, signatures and imports."""

import inspect
import json
import subprocess
import sys

import pytest
import sklearn.metrics as theirs

import calipers.sklearn as ours

NAMES = [
    "accuracy_score", "balanced_accuracy_score", "brier_score_loss", "class_likelihood_ratios",
    "classification_report", "cohen_kappa_score", "confusion_matrix", "confusion_matrix_at_thresholds",
    "d2_brier_score", "d2_log_loss_score", "f1_score", "fbeta_score", "hamming_loss", "hinge_loss", "jaccard_score",
    "log_loss", "matthews_corrcoef", "metric_at_thresholds", "multilabel_confusion_matrix",
    "precision_recall_fscore_support", "precision_score", "recall_score", "zero_one_loss", "auc",
    "average_precision_score", "det_curve", "precision_recall_curve", "roc_auc_score", "roc_curve",
    "top_k_accuracy_score", "coverage_error", "label_ranking_average_precision_score", "label_ranking_loss",
    "dcg_score", "ndcg_score",
    "mean_absolute_error", "mean_pinball_loss", "mean_absolute_percentage_error", "mean_squared_error",
    "root_mean_squared_error", "mean_squared_log_error", "root_mean_squared_log_error", "median_absolute_error",
    "explained_variance_score", "r2_score", "max_error", "mean_tweedie_deviance",
    "mean_poisson_deviance", "mean_gamma_deviance", "d2_tweedie_score", "d2_pinball_score",
    "d2_absolute_error_score",
    "adjusted_mutual_info_score", "adjusted_rand_score", "completeness_score", "consensus_score",
    "fowlkes_mallows_score", "homogeneity_completeness_v_measure", "homogeneity_score", "mutual_info_score",
    "normalized_mutual_info_score", "pair_confusion_matrix", "rand_score", "v_measure_score",
    "calinski_harabasz_score", "davies_bouldin_score", "silhouette_samples", "silhouette_score",
]  # fmt: skip


def test_every_name_is_there():
    displays = {name for name in ours.__all__ if name.endswith("Display")}
    assert set(NAMES) == set(ours.__all__) - {"UndefinedMetricWarning"} - displays
    assert displays <= set(dir(theirs)) | {"CalibrationDisplay"}  # which is in sklearn.calibration


@pytest.mark.parametrize("name", NAMES)
def test_signature(name):
    mine, peer = (inspect.signature(getattr(module, name)).parameters.values() for module in (ours, theirs))
    assert [(p.name, p.kind, repr(p.default)) for p in mine] == [(p.name, p.kind, repr(p.default)) for p in peer]


@pytest.mark.parametrize("name", NAMES)
def test_it_says_what_it_does(name):
    function = getattr(ours, name)
    assert function.__name__ == name
    assert len(inspect.getdoc(function) or "") > 20


def _in_a_process(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_scikit_learn_is_not_imported():
    code = """
import json, sys, warnings
import calipers.sklearn as cs
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    cs.precision_score([0, 1], [0, 0])
print(json.dumps([[m for m in sys.modules if m.split(".")[0] in ("sklearn", "pandas")],
                  [w.category.__module__ for w in said], issubclass(cs.UndefinedMetricWarning, UserWarning)]))
"""
    assert _in_a_process(code) == [[], ["calipers.sklearn.inputs"], True]


def test_its_warning_class_is_used_where_it_is_loaded():
    code = """
import json, warnings
import calipers.sklearn as cs
from sklearn.exceptions import UndefinedMetricWarning
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    cs.precision_score([0, 1], [0, 0])
print(json.dumps([w.category is UndefinedMetricWarning for w in said]))
"""
    assert _in_a_process(code) == [True]


def test_a_warning_points_at_the_caller():
    with pytest.warns(UserWarning, match="precision is undefined") as caught:
        ours.precision_score([0, 1], [0, 0])
    assert caught[0].filename == __file__


def test_warnings_are_in_the_language_of_the_reader(monkeypatch):
    monkeypatch.setenv("CALIPERS_LANG", "vi")
    with pytest.warns(UserWarning, match="không xác định khi không mẫu nào được dự đoán là lớp này.*zero_division="):
        ours.precision_score([0, 1], [0, 0])
