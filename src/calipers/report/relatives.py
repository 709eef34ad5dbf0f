"""Which metrics belong together: what an explanation points to."""

from __future__ import annotations

from calipers.metrics import catalogue
from calipers.metrics.base import Metric

MOST = 6
# Each group says the same in other words, or what the others leave out.
GROUPS = (
    ("accuracy", "error_rate", "no_information_rate", "balanced_accuracy", "kappa", "mcc"),
    ("precision", "recall", "f1", "fbeta", "jaccard", "average_precision"),
    ("recall", "specificity", "fpr", "fnr", "youden_j", "balanced_accuracy", "g_mean"),
    ("precision", "npv", "fdr", "false_omission_rate", "markedness", "prevalence", "lift"),
    ("lr_plus", "lr_minus", "diagnostic_odds_ratio"),
    ("roc_auc", "gini", "partial_auc", "average_precision", "ks", "eer", "roc_auc_ovo"),
    ("average_precision", "mean_precision_over_thresholds", "break_even"),
    ("log_loss", "brier", "ece", "mce"),
    ("brier", "reliability", "resolution", "uncertainty"),
    ("ece", "hosmer_lemeshow", "hosmer_lemeshow_p", "spiegelhalter_z", "spiegelhalter_p"),
    ("top_k", "top_k_error", "accuracy"),
    ("subset_accuracy", "hamming_loss", "jaccard_of_rows", "f1_of_rows"),
    ("coverage_error", "ranking_loss", "label_ranking_average_precision"),
    ("hinge", "logistic_loss", "exponential_loss", "log_loss"),
    ("tp", "fp", "fn", "tn"),
    ("mae", "median_ae", "mse", "rmse", "huber", "max_error", "bias"),
    ("mape", "smape", "wape", "msle", "rmsle"),
    ("r2", "adjusted_r2", "explained_variance", "concordance", "d2_absolute"),
    ("pinball", "d2_pinball", "d2_absolute"),
    ("poisson_deviance", "gamma_deviance", "tweedie_deviance", "d2_tweedie"),
    ("agreement_low", "agreement_high", "bias", "rmse"),
    ("cost", "error_rate", "youden_j"),
)


def relatives(metric: Metric) -> list[str]:
    """The metrics of its groups, nearest first; of the same module where it is in none.

    >>> from calipers.metrics import named
    >>> relatives(named("f1").metric)
    ['precision', 'recall', 'fbeta', 'jaccard', 'average_precision']
    """
    names = dict.fromkeys(name for group in GROUPS if metric.name in group for name in group)
    if not names:
        home = metric.function.__module__
        names = dict.fromkeys(m.name for m in catalogue() if m.function.__module__ == home and m.over is metric.over)
    return [name for name in names if name != metric.name][:MOST]
