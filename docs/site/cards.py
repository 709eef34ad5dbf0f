"""Metric cards: what docs/metrics.md says of each metric, with a drawing, the value of guessing, the method of the
interval and scikit-learn's function."""

from __future__ import annotations

import math
import re
from functools import cache
from typing import Any

import chance
import drawings
import numpy as np

import calipers as cal
from calipers import datasets
from calipers.answers.guessing import ALWAYS, guessing
from calipers.errors import CalipersError
from calipers.metrics.base import CATALOGUE
from calipers.report.language import Language

SKLEARN = {
    "accuracy": "accuracy_score", "balanced_accuracy": "balanced_accuracy_score", "kappa": "cohen_kappa_score",
    "mcc": "matthews_corrcoef", "precision": "precision_score", "recall": "recall_score", "f1": "f1_score",
    "fbeta": "fbeta_score", "jaccard": "jaccard_score", "lr_plus": "class_likelihood_ratios",
    "lr_minus": "class_likelihood_ratios", "roc_auc": "roc_auc_score", "roc_auc_ovo": "roc_auc_score",
    "partial_auc": "roc_auc_score", "average_precision": "average_precision_score", "log_loss": "log_loss",
    "brier": "brier_score_loss", "hinge": "hinge_loss", "top_k": "top_k_accuracy_score",
    "hamming_loss": "hamming_loss", "coverage_error": "coverage_error", "ranking_loss": "label_ranking_loss",
    "label_ranking_average_precision": "label_ranking_average_precision_score", "subset_accuracy": "accuracy_score",
    "ndcg": "ndcg_score", "dcg": "dcg_score", "mae": "mean_absolute_error", "mse": "mean_squared_error",
    "rmse": "root_mean_squared_error", "median_ae": "median_absolute_error", "max_error": "max_error",
    "mape": "mean_absolute_percentage_error", "msle": "mean_squared_log_error",
    "rmsle": "root_mean_squared_log_error", "pinball": "mean_pinball_loss",
    "poisson_deviance": "mean_poisson_deviance", "gamma_deviance": "mean_gamma_deviance",
    "tweedie_deviance": "mean_tweedie_deviance", "r2": "r2_score", "explained_variance": "explained_variance_score",
    "d2_absolute": "d2_absolute_error_score", "d2_pinball": "d2_pinball_score", "d2_tweedie": "d2_tweedie_score",
    "adjusted_rand": "adjusted_rand_score", "rand": "rand_score", "fowlkes_mallows": "fowlkes_mallows_score",
    "mutual_information": "mutual_info_score", "normalised_mutual_information": "normalized_mutual_info_score",
    "adjusted_mutual_information": "adjusted_mutual_info_score", "homogeneity": "homogeneity_score",
    "completeness": "completeness_score", "v_measure": "v_measure_score", "silhouette": "silhouette_score",
    "davies_bouldin": "davies_bouldin_score", "calinski_harabasz": "calinski_harabasz_score",
    "error_rate": "zero_one_loss", "weighted_kappa": "cohen_kappa_score", "jaccard_of_rows": "jaccard_score",
    "f1_of_rows": "f1_score",
}  # fmt: skip
# What a model that guesses has, where this is one number or one share of the data.
BY_CHANCE = {
    "0": "kappa weighted_kappa nagelkerke_r2 d2_pinball d2_tweedie adjusted_r2 rating_r2",
    "0 on average": "adjusted_rand adjusted_mutual_information pearson spearman kendall concordance",
    "about 0, more on few rows": "ks silhouette",
    "0.5": "partial_auc roc_auc_ovo eer",
    "1": "lift lr_plus lr_minus diagnostic_odds_ratio top_lift",
    "1 for the naive forecast whose error is `scale=`": "mase",
    "1 divided by the number of classes": "balanced_accuracy",
    "the share of the most common class, if it is always predicted": "accuracy",
    "the share of rows predicted as the class": "recall fpr",
    "the prevalence": "precision average_precision top_precision false_omission_rate break_even "
    "mean_precision_over_thresholds",
    "1 minus the prevalence": "fdr npv",
    "the share of rows that are not predicted as the class": "fnr specificity",
    "the fraction of the rows that is taken": "top_recall",
    "the share of all classes but the most common": "error_rate",
    "1 for a calibrated model": "calibration_slope",
    "0 for a calibrated model": "calibration_intercept calibration_in_the_large spiegelhalter_z",
    "about the number of bins for a calibrated model": "hosmer_lemeshow",
    "any value from 0 to 1 equally often for a calibrated model": "hosmer_lemeshow_p spiegelhalter_p",
    "any value from 0 to 1 about equally often": "permutation_p",
    "the same for every model: it describes the data": "prevalence no_information_rate uncertainty idcg",
    "none: it counts rows that are in no cluster": "noise_share",
    "that of a model without topics, which gives each word its frequency": "perplexity",
}
GUESSED = {name: text for text, names in BY_CHANCE.items() for name in names.split()}
NAMED = {"adjusted_r2": "adjusted_r2(features=3)", "mase": "mase(scale=50000)"}  # metrics that need a parameter

def cards(page: str) -> str:
    """The page of metrics with the rest of each card."""
    return re.sub(r"^### (\S+)\n", lambda match: f"{match[0]}\n{start(match[1])}\n", extended(page), flags=re.M)


def extended(page: str) -> str:
    """The page with more lines under each metric, after the line of its range."""
    name, lines = "", []
    for line in page.split("\n"):
        name = line.removeprefix("### ") if line.startswith("### ") else name
        lines.append(line)
        if line.startswith("- range: "):
            lines += [f"- {key}: {text}" for key, text in facts(name).items() if text]
    return "\n".join(lines)


def start(name: str) -> str:
    """The drawing of a metric, at the start of its card."""
    drawn, words = drawings.drawing(CATALOGUE[name].metric)
    return f'<img src="drawings/{drawn}.svg" width="72" alt="{words}">'


def facts(name: str) -> dict[str, str]:
    """What a card says besides the facts of the catalogue."""
    function = SKLEARN.get(name)
    return {
        "guessing": guessed(name),
        "interval": interval(name),
        "scikit-learn": f"[`{function}`](api/sklearn.md#{function})" if function else "none",
    }


def guessed(name: str) -> str:
    """What a model that guesses has."""
    if name in ALWAYS or name in GUESSED:
        return GUESSED.get(name) or f"{ALWAYS[name]:g}"
    for title, ev in examples().items():
        try:
            value = guessing(ev, CATALOGUE[name])
        except CalipersError:
            continue
        if not math.isnan(value):
            return f"depends on the data; {value:.3f} for the {title}"
    return chance.about(name)


def interval(name: str) -> str:
    """The method of the interval on the example data, or why there is none."""
    english = Language("en")
    for ev in examples().values():
        try:
            estimate = ev[NAMED.get(name, name)]
        except CalipersError:
            continue
        if not math.isnan(estimate):
            method = english.remark(estimate.method)
            return f"{method} ([methods](intervals.md))" if method else without(english.remark(estimate.reason))
    raise LookupError(f"{name}: no example has this metric: add one to examples()")


def without(reason: str) -> str:
    """Why there is no interval, after the word that says which line of the card it is.

    >>> without("no interval: it is a p-value")
    'none: it is a p-value'
    """
    return f"none: {reason.removeprefix('no interval: ')}"


@cache
def examples() -> dict[str, Any]:
    """One evaluation for each task."""
    loans, days, flats = (datasets.load(name) for name in ("bad_debt", "weather", "flats"))
    classes, features = points()
    films = {name: datasets.path(f"films_{name}.csv") for name in ("truth", "recommendations", "history", "items")}
    return {
        "loans": cal.evaluate(loans, truth="truth", pred="predicted", score="score", positive="BAD"),
        "forecasts": cal.evaluate(days, truth="truth", score=["p_rain", "p_snow", "p_sun"]),
        "flats": cal.evaluate(flats, truth="truth", pred="predicted"),
        "searches": cal.evaluate_ranking(*(datasets.path(f"search.{end}") for end in ("qrels", "run"))),
        "labels": cal.evaluate(*label_sets()),
        "clusters": cal.evaluate_clusters((features[:, 0] > 2).astype(int), classes, features),
        "films": cal.evaluate_recommendations(
            films["truth"], films["recommendations"], history=films["history"], items=films["items"], min_rating=4
        ),
        "articles": cal.evaluate_topics(datasets.path("articles_topics.json"), datasets.path("articles.jsonl")),
    }


def label_sets() -> tuple[Any, Any]:
    """200 rows with up to four labels, and scores for them."""
    rng = np.random.default_rng(0)
    labels = rng.random((200, 4)) < 0.4
    return labels, np.clip(labels * 0.4 + rng.random((200, 4)) * 0.6, 0, 1)


def points() -> tuple[Any, Any]:
    """50 points of each of two classes."""
    rng = np.random.default_rng(0)
    return np.repeat(["a", "b"], 50), np.concatenate([rng.normal(at, 1, (50, 2)) for at in (0, 4)])
