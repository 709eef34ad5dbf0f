"""Names of metrics as other libraries and people write them, in any case, with hyphens, underscores or spaces.

`SPELLINGS` is the table: our name, and the other names. Names that are spelled like our names up to case and separators
need no entry, nor do titles (`ROC AUC`), averages (`f1_macro`) and scikit-learn's negated losses (`neg_log_loss`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from unicodedata import normalize

SPELLINGS: Mapping[str, str] = {
    "accuracy": "accuracy_score BinaryAccuracy categorical_accuracy overall_accuracy percent_correct",
    "error_rate": "classification_error misclassification_rate misclassification_error",
    "no_information_rate": "AccuracyNull null_accuracy majority_class_accuracy",
    "balanced_accuracy": "balanced_accuracy_score bal_accuracy bacc bcr",
    "kappa": "cohen_kappa_score kap",
    "mcc": "matthews_correlation_coefficient phi_coefficient",
    "precision": "precision_score BinaryPrecision pos_pred_value",
    "recall": "recall_score BinaryRecall sens detection_probability",
    "specificity": "specificity_score BinarySpecificity spec",
    "f1": "f1_score BinaryF1Score f_measure f_meas f1_measure dice_coefficient dice_score sorensen_dice",
    "fbeta": "fbeta_score BinaryFBetaScore fβ",
    "jaccard": "jaccard_score jaccard_similarity BinaryJaccardIndex intersection_over_union csi",
    "fpr": "false_alarm_rate false_acceptance_rate type_1_error_rate",
    "fnr": "false_rejection_rate type_2_error_rate",
    "npv": "neg_pred_value BinaryNegativePredictiveValue",
    "youden_j": "youden youden_index j_index",
    "g_mean": "geometric_mean_score",
    "lr_plus": "plr positive_lr",
    "lr_minus": "nlr negative_lr",
    "diagnostic_odds_ratio": "odds_ratio",
    "prevalence": "base_rate",
    "roc_auc": "roc_auc_score auc_roc area_under_roc_curve area_under_the_curve BinaryAUROC c_index aroc",
    "roc_auc(average=macro)": "roc_auc_ovr MulticlassAUROC MultilabelAUROC",
    "roc_auc(average=weighted)": "roc_auc_ovr_weighted",
    "roc_auc_ovo": "hand_till hand_till_m mauc",
    "roc_auc_ovo(pairs=prevalence)": "roc_auc_ovo_weighted",
    "partial_auc": "pauc partial_roc_auc",
    "average_precision": "average_precision_score auprc aucpr auc_pr BinaryAveragePrecision "
    "area_under_precision_recall_curve",
    "average_precision(average=macro)": "MulticlassAveragePrecision MultilabelAveragePrecision",
    "ks": "ks_stat ks_score",
    "gini": "normalized_gini",
    "log_loss": "mn_log_loss cross_entropy_loss binary_crossentropy categorical_crossentropy bce nll "
    "negative_log_likelihood",
    "brier": "brier_score_loss brier_class mean_brier",
    "ece": "CalibrationError BinaryCalibrationError",
    "mce": "max_calibration_error",
    "top_k": "top_k_accuracy_score",
    "top_k@5": "top_k_categorical_accuracy sparse_top_k_categorical_accuracy",
    "subset_accuracy": "exact_match_ratio MultilabelExactMatch",
    "hamming_loss": "MultilabelHammingDistance",
    "jaccard_of_rows": "jaccard_samples",
    "f1_of_rows": "f1_samples",
    "label_ranking_average_precision": "label_ranking_average_precision_score MultilabelRankingAveragePrecision",
    "ranking_loss": "MultilabelRankingLoss",
    "coverage_error": "MultilabelCoverageError",
    "hinge": "BinaryHingeLoss",
    "ndcg": "ndcg_score normalized_dcg normalized_discounted_cumulative_gain RetrievalNormalizedDCG ndcg_cut",
    "dcg": "dcg_score discounted_cumulative_gain",
    "map": "RetrievalMAP map_cut",
    "mrr": "mean_reciprocal_rank RetrievalMRR",
    "p": "RetrievalPrecision",
    "recall_at": "RetrievalRecall",
    "success": "RetrievalHitRate hit_ratio",
    "rprec": "RetrievalRPrecision",
    "err": "expected_reciprocal_rank",
    "rbp": "rank_biased_precision",
    "mae": "l1_loss",
    "mse": "mean_square_error MSELoss",
    "rmse": "root_mean_square_error rmsd",
    "median_ae": "mdae",
    "bias": "mean_bias_error mbe",
    "smape": "symmetric_mean_absolute_percentage_error",
    "wape": "weighted_mean_absolute_percentage_error",
    "r2": "rsq_trad",
    "concordance": "concordance_corr_coef concordance_correlation_coefficient",
}  # fmt: skip
# Words that say little about what a metric is.
COMMON = frozenset({
    "score", "scores", "loss", "error", "errors", "mean", "average", "rate", "metric", "value", "index", "coefficient",
    "binary", "multiclass", "multilabel", "class", "classes", "rows", "that", "with", "from", "their", "which", "than",
    "this", "have", "only", "more", "true", "predicted", "number", "total", "first", "large", "random", "good",
    "the", "and", "for", "its", "one", "per", "not", "are", "has", "vs", "all", "two", "each", "between", "relative",
})  # fmt: skip
CLOSE = 0.75  # of two spellings that differ by a typing error
STEM = 6  # letters with which words of one meaning begin: calibrated, calibration
_WORDS = re.compile(r"[A-Z]?[a-zß-ÿ]+|[A-Z]+(?![a-z])|\d+")
_CUTOFF = re.compile(r"(.+?)_(?:at_|cut_)?(\d{1,9})")


def folded(text: str) -> str:
    """A name without case and separators.

    >>> folded("ROC-AUC"), folded("R²"), folded("LR+"), folded("LR-"), folded("Youden's J")
    ('rocauc', 'r2', 'lrplus', 'lrminus', 'youdensj')
    """
    text = normalize("NFKC", text).casefold().replace("+", "plus")
    text = f"{text[:-1]}minus" if text.endswith("-") else text
    return "".join(filter(str.isalnum, text))


def with_cutoff(word: str) -> str | None:
    """A name that ends with a cutoff, as the grammar writes it: `P_10` and `ndcg_cut_10` of trec_eval.

    >>> with_cutoff("ndcg_cut_10"), with_cutoff("hit_rate_at_5"), with_cutoff("f1")
    ('ndcg@10', 'hit_rate@5', None)
    """
    match = _CUTOFF.fullmatch(word)
    return None if match is None else f"{match[1]}@{match[2]}"


def similar(word: str, spellings: Mapping[str, Iterable[str]], texts: Mapping[str, str], count: int = 3) -> list[str]:
    """Our names for what a wrong name may mean: those with a similar spelling, then those with the same words.

    spellings: of each metric; texts: what each metric is, in words.

    >>> known = {"false_alarm": ["false_alarm"], "mcc": ["mcc", "phi"]}
    >>> similar("pearson", known, {}), similar("a correlation", known, {"mcc": "Correlation of two classes"})
    ([], ['mcc'])
    """
    import difflib  # imported here, because only errors need it

    by_fold = {folded(name): name for name in spellings}
    for name, each in spellings.items():
        for spelling in each:
            by_fold.setdefault(folded(spelling), name)
    close = difflib.get_close_matches(folded(word), by_fold, count, CLOSE)
    typed, meant = _stems(word), {}
    for name, each in spellings.items():
        own, said = _stems(" ".join((name, *each))), _stems(texts.get(name, ""))
        meant[name] = sum(2 * _among(stem, own) + (stem in said) for stem in typed)
    by_meaning = sorted((name for name, hits in meant.items() if hits), key=lambda name: -meant[name])
    return list(dict.fromkeys([*(by_fold[fold] for fold in close), *by_meaning]))[:count]


def _among(stem: str, stems: set[str]) -> bool:
    return any(one.startswith(stem) or stem.startswith(one) for one in stems)


def _stems(text: str) -> set[str]:
    """The beginnings of the words that say something."""
    words = (part.casefold() for part in _WORDS.findall(text[:1000]))
    return {word[:STEM] for word in words if len(word) > 2 and word not in COMMON}
