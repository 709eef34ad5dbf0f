"""Every function of calipers.sklearn against scikit-learn's, at 100 rows and at a million, with integers and text."""

import warnings
from collections.abc import Callable, Iterator
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np
import sklearn.metrics as theirs

import calipers.sklearn as ours
from timing import MILLION, best, disagreement, seconds

# The spine's targets at a million rows, where it names one; ten times is asked of the others.
TARGETS = {
    "roc_auc_score": 20, "average_precision_score": 15, "roc_curve": 12, "precision_recall_curve": 12,
    "confusion_matrix": 50, "classification_report": 80, "log_loss": 20, "brier_score_loss": 20, "f1_score": 50,
    "matthews_corrcoef": 50, "balanced_accuracy_score": 50,
}  # fmt: skip
TEXT_TARGETS = {"confusion_matrix": 20, "classification_report": 40}
MOST = 40e-6  # seconds of a call at 100 rows
SLOW = 20_000  # rows where scikit-learn loops over rows in Python


class Work(NamedTuple):
    """One function: its data by rows and kind of label, options, and the rows of the large case."""

    name: str
    make: Callable[[int, str], tuple]
    options: dict[str, Any]
    rows: int = MILLION


@cache
def binary(n: int, kind: str) -> tuple:
    r = np.random.default_rng(n)
    y = (r.random(n) < 0.3).astype(np.int64)
    score = 1 / (1 + np.exp(-r.normal(1.5 * y - 0.75)))
    pred = (score >= 0.5).astype(np.int64)
    names = np.array(["no", "yes"])
    return (names[y], names[pred], score) if kind == "text" else (y, pred, score)


@cache
def many(n: int, kind: str) -> tuple:
    r = np.random.default_rng(n)
    y = r.integers(0, 10, n)
    y[:10] = np.arange(10)
    p = np.where(r.random(n) < 0.7, y, r.integers(0, 10, n))
    matrix = r.exponential(size=(n, 10))
    matrix[np.arange(n), y] += 1.5
    matrix /= matrix.sum(1, keepdims=True)
    names = np.array([f"class {i}" for i in range(10)])
    return (names[y], names[p], matrix) if kind == "text" else (y, p, matrix)


@cache
def sets(n: int, kind: str) -> tuple:
    r = np.random.default_rng(n)
    return (r.random((n, 10)) < 0.3).astype(int), (r.random((n, 10)) < 0.3).astype(int), r.random((n, 10))


def two_labels(n: int, kind: str) -> tuple:
    return binary(n, kind)[:2]


def ten_labels(n: int, kind: str) -> tuple:
    return many(n, kind)[:2]


def label_sets(n: int, kind: str) -> tuple:
    return sets(n, kind)[:2]


def two_scores(n: int, kind: str) -> tuple:
    y, _, score = binary(n, kind)
    return y, score


def ten_scores(n: int, kind: str) -> tuple:
    y, _, matrix = many(n, kind)
    return y, matrix


def set_scores(n: int, kind: str) -> tuple:
    y, _, score = sets(n, kind)
    return y, score


def tenths(n: int, kind: str) -> tuple:
    y, score = two_scores(n, kind)
    return y, score.round(1)


def points(n: int, kind: str) -> tuple:
    y, score = two_scores(n, "int")
    return np.sort(score), np.cumsum(y) / y.sum()


@cache
def measured(n: int, kind: str) -> tuple:
    r = np.random.default_rng(n)
    y = r.lognormal(3, 0.5, n)
    return y, y * r.lognormal(0, 0.2, n)


def works() -> Iterator[Work]:
    for name in ("balanced_accuracy_score", "matthews_corrcoef"):
        yield Work(name, two_labels, {})
    for name in ("accuracy_score", "zero_one_loss", "hamming_loss", "cohen_kappa_score", "confusion_matrix",
                 "multilabel_confusion_matrix", "precision_recall_fscore_support",
                 "classification_report"):  # fmt: skip
        yield Work(name, ten_labels, {})
    yield Work("class_likelihood_ratios", two_labels, {})
    for name in ("precision_score", "recall_score", "f1_score", "jaccard_score"):
        yield Work(name, two_labels, {"pos_label": True})
    yield Work("fbeta_score", ten_labels, {"beta": 2.0, "average": "macro"})
    yield Work("f1_score", label_sets, {"average": "samples", "zero_division": 0.0})
    yield Work("accuracy_score", label_sets, {})
    yield Work("roc_auc_score", two_scores, {})
    for name in ("average_precision_score", "roc_curve", "precision_recall_curve", "det_curve",
                 "confusion_matrix_at_thresholds"):  # fmt: skip
        yield Work(name, two_scores, {"pos_label": True})
    yield Work("roc_auc_score", ten_scores, {"multi_class": "ovr"}, 100_000)
    yield Work("roc_auc_score", ten_scores, {"multi_class": "ovo"}, 100_000)
    yield Work("auc", points, {})
    yield Work("log_loss", two_scores, {})
    yield Work("log_loss", ten_scores, {})
    yield Work("brier_score_loss", two_scores, {"pos_label": True})
    yield Work("brier_score_loss", ten_scores, {})
    yield Work("d2_log_loss_score", two_scores, {})
    yield Work("d2_brier_score", two_scores, {"pos_label": True})
    yield Work("hinge_loss", two_scores, {})
    yield Work("hinge_loss", ten_scores, {})
    yield Work("top_k_accuracy_score", ten_scores, {"k": 2})
    yield Work("metric_at_thresholds", tenths, {"metric_func": "accuracy_score"})
    yield Work("coverage_error", set_scores, {})
    for name in ("label_ranking_loss", "label_ranking_average_precision_score"):
        yield Work(name, set_scores, {}, SLOW)
    for name in ("mean_absolute_error", "mean_squared_error", "root_mean_squared_error", "r2_score",
                 "explained_variance_score", "median_absolute_error", "mean_absolute_percentage_error",
                 "mean_squared_log_error", "root_mean_squared_log_error", "max_error", "mean_poisson_deviance",
                 "mean_gamma_deviance", "d2_absolute_error_score"):  # fmt: skip
        yield Work(name, measured, {})
    for name in ("mean_pinball_loss", "d2_pinball_score"):
        yield Work(name, measured, {"alpha": 0.9})
    for name in ("mean_tweedie_deviance", "d2_tweedie_score"):
        yield Work(name, measured, {"power": 1.5})


def calls(work: Work, n: int, kind: str) -> list[Callable[[], Any]]:
    """Ours and theirs."""
    data, functions = work.make(n, kind), []
    for module in (ours, theirs):
        options = dict(work.options)
        if "pos_label" in options:
            options["pos_label"] = "yes" if kind == "text" else 1
        if "metric_func" in options:  # the function of the same side, over labels 0 and 1
            options["metric_func"] = getattr(module, options["metric_func"])
            data = (binary(n, "int")[0], data[1])
        functions.append(partial(getattr(module, work.name), *data, **options))
    return functions


def compared(work: Work, n: int, kind: str, budget: float) -> tuple[float, float]:
    pair = calls(work, n, kind)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        mine, peer = (call() for call in pair)
        if isinstance(mine, str):
            wrong = "" if mine == peer else "the texts differ"
        else:
            if work.name == "precision_recall_fscore_support":
                mine, peer = mine[:3], peer[:3]
            wrong = disagreement(mine, peer, 1e-9)
        if wrong:
            raise SystemExit(f"\nDISAGREEMENT in {work.name}, {n} rows, {kind}: {wrong}")
        least = best(pair, budget)
    return least[0], least[1]


def shape(work: Work) -> str:
    what = {two_labels: "two classes", ten_labels: "ten classes", label_sets: "ten labels per row"}
    what |= {ten_scores: "ten classes", set_scores: "ten labels per row", tenths: "11 thresholds"}
    options = [f"{k}={v}" for k, v in work.options.items() if k not in ("pos_label", "zero_division", "metric_func")]
    return ", ".join(filter(None, [f"`{work.name}`", what.get(work.make, ""), *options]))


def table(selected: Callable[[str], bool], budget: float) -> None:
    """One line a function: time at 100 rows and ratios at 100 rows and a million, with integers and with text."""
    header = "\n| function | 100 rows | ratio | 1 M | ratio | ratio, text | target | met |\n"
    header += "|---|--:|--:|--:|--:|--:|--:|---|"
    for work in works():
        if not selected(work.name):
            continue
        if header:
            print(header, flush=True)
            header = ""
        (small, small_peer), (large, large_peer) = (compared(work, n, "int", budget) for n in (100, work.rows))
        of_text = work.make in (two_labels, ten_labels, two_scores, ten_scores) and work.name != "hinge_loss"
        text = small_text = np.inf
        if of_text:
            mine, peer = compared(work, work.rows, "text", budget)
            text = peer / mine
            mine, peer = compared(work, 100, "text", budget)
            small_text = peer / mine
        named = work.make in (two_labels, two_scores) or work.name in ("confusion_matrix", "classification_report")
        target, text_target = TARGETS.get(work.name, 10) if named else 10, TEXT_TARGETS.get(work.name, 10)
        enough = large_peer / large >= target and text >= text_target and min(small_peer / small, small_text) >= 1
        time = seconds(large) + ("" if work.rows == MILLION else f" ({work.rows:,} rows)")
        print(f"| {shape(work)} | {seconds(small)} | {small_peer / small:.0f}x | {time} | {large_peer / large:.0f}x | "
              f"{'' if text == np.inf else f'{text:.0f}x'} | {target}x | "
              f"{'yes' if enough and small <= MOST else '**no**'} |", flush=True)  # fmt: skip
        binary.cache_clear(), many.cache_clear(), sets.cache_clear(), measured.cache_clear()
