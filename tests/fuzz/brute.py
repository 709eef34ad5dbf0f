"""Metrics by their textbook definitions in plain loops: slow, obvious, and written without the library.

Each function returns values by the library's names. None stands for "undefined": the library must give NaN there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

Values = dict[str, float | None]


def share(part: float, whole: float) -> float | None:
    """A ratio, or None where nothing was counted."""
    return None if whole == 0 else part / whole


def of_one_class(tp: float, fp: float, fn: float, tn: float) -> Values:
    """Metrics of one class against the rest."""
    n = tp + fp + fn + tn
    recall, specificity, precision = share(tp, tp + fn), share(tn, tn + fp), share(tp, tp + fp)
    margins = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    expected = ((tp + fp) * (tp + fn) + (tn + fn) * (tn + fp)) / n / n
    return {
        "accuracy": share(tp + tn, n),
        "precision": precision,
        "recall": recall,
        "specificity": specificity,
        "npv": share(tn, tn + fn),
        "f1": share(2 * tp, 2 * tp + fp + fn),
        "fbeta(beta=2)": share(5 * tp, 5 * tp + fp + 4 * fn),
        "jaccard": share(tp, tp + fp + fn),
        "mcc": None if margins == 0 else (tp * tn - fp * fn) / math.sqrt(margins),
        "kappa": None if n in (tp, tn) else ((tp + tn) / n - expected) / (1 - expected),
        "youden_j": None if recall is None or specificity is None else recall + specificity - 1,
        "g_mean": None if recall is None or specificity is None else math.sqrt(recall * specificity),
    }


def of_labels(truth: Sequence[Any], pred: Sequence[Any], weights: Sequence[float], names: Sequence[Any]) -> Values:
    """Metrics of several classes, from labels."""
    n = sum(weights)
    right = sum(w for t, p, w in zip(truth, pred, weights, strict=True) if t == p)
    found: Values = {"accuracy": share(right, n), "error_rate": share(n - right, n)}
    of_class = {}
    for name in names:
        cells = {(a, b): 0.0 for a in (True, False) for b in (True, False)}
        for t, p, w in zip(truth, pred, weights, strict=True):
            cells[t == name, p == name] += w
        of_class[name] = (cells[True, True], cells[False, True], cells[True, False], cells[False, False])
    seen = [name for name, (tp, fp, fn, _) in of_class.items() if tp + fp + fn > 0]
    recalls = [share(tp, tp + fn) for tp, _, fn, _ in of_class.values() if tp + fn > 0]
    found["balanced_accuracy"] = sum(r for r in recalls if r is not None) / len(recalls)
    for metric in ("precision", "recall", "f1", "jaccard"):
        by_class = {name: of_one_class(*of_class[name])[metric] for name in seen}
        # A class only in the truth has no precision, one only in the predictions no recall: both count as 0.
        found[f"{metric}(average=macro)"] = sum(v or 0.0 for v in by_class.values()) / len(seen)
        tp, fp, fn = (sum(counts[i] for counts in of_class.values()) for i in range(3))
        found[f"{metric}(average=micro)"] = of_one_class(tp, fp, fn, 0.0)[metric]
    return found


def of_scores(truth: Sequence[bool], score: Sequence[float], weights: Sequence[float]) -> Values:
    """Metrics of a ranking of rows into two classes, from every pair and every threshold."""
    rows = list(zip(truth, score, weights, strict=True))
    positive = [(s, w) for t, s, w in rows if t]
    negative = [(s, w) for t, s, w in rows if not t]
    total = sum(w for _, w in positive) * sum(w for _, w in negative)
    wins = sum(v * w * (1.0 if p > q else 0.5 if p == q else 0.0) for p, v in positive for q, w in negative)
    area = share(wins, total)
    found: Values = {"roc_auc": area, "gini": None if area is None else 2 * area - 1}
    size, precisions, apart = sum(w for _, w in positive), 0.0, 0.0
    before = 0.0
    for cut in sorted(set(score), reverse=True):
        tp = sum(w for s, w in positive if s >= cut)
        fp = sum(w for s, w in negative if s >= cut)
        if size > 0:
            precisions += (tp - before) / size * tp / (tp + fp)
        if total > 0:
            apart = max(apart, abs(tp / size - fp / sum(w for _, w in negative)))
        before = tp
    found["average_precision"] = precisions if size > 0 else None
    found["ks"] = apart if total > 0 else None
    return found


def of_probabilities(truth: Sequence[bool], score: Sequence[float], weights: Sequence[float]) -> Values:
    """Losses of probabilities of two classes."""
    n, eps = sum(weights), 2.0**-52
    loss = brier = 0.0
    for t, p, w in zip(truth, score, weights, strict=True):
        q = min(max(p, eps), 1 - eps)
        loss -= w * math.log(q if t else 1 - q)
        brier += w * (p - t) ** 2
    return {"log_loss": loss / n, "brier": brier / n}


def of_matrix(truth: Sequence[int], score: Sequence[Sequence[float]], weights: Sequence[float]) -> Values:
    """Metrics of one column of probabilities per class."""
    n, k = sum(weights), len(score[0])
    hits = loss = brier = 0.0
    for t, row, w in zip(truth, score, weights, strict=True):
        above = sum(1 for j, p in enumerate(row) if p > row[t] or (p == row[t] and j < t))
        hits += w * (above < 2)
        loss -= w * math.log(min(max(row[t], 2.0**-52), 1 - 2.0**-52))
        brier += w * sum((p - (j == t)) ** 2 for j, p in enumerate(row))
    found: Values = {"top_k@2": hits / n, "log_loss": loss / n, "brier": brier / n}
    areas = [of_scores([t == c for t in truth], [row[c] for row in score], weights)["roc_auc"] for c in range(k)]
    if all(a is not None for a in areas):
        found["roc_auc(average=macro)"] = sum(a for a in areas if a is not None) / k
    return found


def of_label_sets(truth: Sequence[Sequence[int]], pred: Sequence[Sequence[int]], weights: Sequence[float]) -> Values:
    """Metrics of rows that carry any number of labels."""
    n, k = sum(weights), len(truth[0])
    exact = wrong = jaccard = f1 = 0.0
    for t, p, w in zip(truth, pred, weights, strict=True):
        both = sum(1 for a, b in zip(t, p, strict=True) if a and b)
        either = sum(1 for a, b in zip(t, p, strict=True) if a or b)
        exact += w * (list(t) == list(p))
        wrong += w * sum(1 for a, b in zip(t, p, strict=True) if a != b)
        jaccard += w * (both / either if either else 1.0)
        f1 += w * (2 * both / (both + either) if either else 1.0)
    return {
        "subset_accuracy": exact / n,
        "hamming_loss": wrong / n / k,
        "jaccard_of_rows": jaccard / n,
        "f1_of_rows": f1 / n,
    }


def of_numbers(truth: Sequence[float], pred: Sequence[float], weights: Sequence[float]) -> Values:
    """Metrics of predicted values."""
    n = sum(weights)
    errors = [p - t for t, p in zip(truth, pred, strict=True)]
    mean = sum(w * t for t, w in zip(truth, weights, strict=True)) / n
    bias = sum(w * e for e, w in zip(errors, weights, strict=True)) / n
    squares = sum(w * e * e for e, w in zip(errors, weights, strict=True))
    spread = sum(w * (t - mean) ** 2 for t, w in zip(truth, weights, strict=True))
    around = sum(w * (e - bias) ** 2 for e, w in zip(errors, weights, strict=True))
    sizes = sum(w * abs(e) for e, w in zip(errors, weights, strict=True))
    constant = len(set(truth)) == 1
    return {
        "mae": sizes / n,
        "mse": squares / n,
        "rmse": math.sqrt(squares / n),
        "bias": bias,
        "max_error": max(map(abs, errors)),
        "wape": share(sizes, sum(w * abs(t) for t, w in zip(truth, weights, strict=True))),
        "r2": None if constant else 1 - squares / spread,
        "explained_variance": None if constant else 1 - around / spread,
    }


def of_rankings(relevances: Sequence[Sequence[int]], k: int) -> Values:
    """Metrics of documents in rank order, a list of relevances per query; all documents are judged."""
    found: dict[str, list[float]] = {f"ndcg@{k}": [], "map": [], "mrr": [], f"p@{k}": [], f"recall@{k}": []}
    for grades in relevances:
        hits = [i for i, g in enumerate(grades, 1) if g > 0]
        gain = sum(g / math.log2(i + 1) for i, g in enumerate(grades[:k], 1))
        ideal = sum(g / math.log2(i + 1) for i, g in enumerate(sorted(grades, reverse=True)[:k], 1))
        found[f"ndcg@{k}"].append(gain / ideal if ideal else 0.0)
        found["map"].append(sum(j / i for j, i in enumerate(hits, 1)) / len(hits) if hits else 0.0)
        found["mrr"].append(1 / hits[0] if hits else 0.0)
        within = sum(1 for i in hits if i <= k)
        found[f"p@{k}"].append(within / k)
        found[f"recall@{k}"].append(within / len(hits) if hits else 0.0)
    return {name: sum(values) / len(values) for name, values in found.items()}
