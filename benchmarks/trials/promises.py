"""What is promised for a metric of samples of a population, by the rows that it rests on.

Coverage between 93 and 98 % (of a 95 % interval) is promised where the rarest outcome that a metric rests on is
expected often enough. Where it is not, an interval may be wider, and if it covers less, the estimate has to be flagged.
Rows with weights count as their effective number, rows of one group and one class as one row together.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import calipers as cal
from calipers.metrics.base import CATALOGUE
from calipers.metrics.resolve import resolve


@dataclass(frozen=True)
class Promise:
    """`few`: fewer rows than the rule asks for. `test`: rejections are counted. `wide`: there is no upper limit."""

    few: bool = False
    test: bool = False
    wide: bool = False
    judged: bool = True


Columns = Mapping[str, Any]
Size = Callable[[np.ndarray], float]
PLAIN, TEST, UNJUDGED = Promise(), Promise(test=True), Promise(judged=False)
FEW, FEW_OF_A_CLASS, FEW_POSITIVES, UNEVEN = 5, 10, 50, 0.25
RULES = {  # the outcomes of which each has to be expected five times
    "accuracy": (("tp", "tn"), ("fp", "fn")),
    "error_rate": (("tp", "tn"), ("fp", "fn")),
    "recall": (("tp",), ("fn",)),
    "precision": (("tp",), ("fp",)),
    "specificity": (("tn",), ("fp",)),
    "npv": (("tn",), ("fn",)),
    "f1": (("tp",), ("fp", "fn")),
    "fbeta": (("tp",), ("fp", "fn")),
    "jaccard": (("tp",), ("fp", "fn")),
}
CELLS = (("tp",), ("fp",), ("fn",), ("tn",))
LOSSES = ("log_loss", "brier")
LARGEST = ("no_information_rate",)


def promised(
    names: Iterable[str],
    whole: Columns,
    n: int,
    how: Mapping[str, Any],
    truth: cal.Evaluation,
    *,
    restated: bool = False,
) -> dict[str, Promise]:
    """What is promised for these metrics of samples of n rows, or of n groups; `truth` evaluates the population."""
    size, columns = sizes(whole, n), labelled(whole, how, truth)

    def few(name: str, base: str) -> bool:
        if truth.task == "regression":
            return few_decide(base, whole, size)
        if truth.task == "multiclass":
            return any(few_of_classes(base, whole, size))
        if truth.task == "multilabel" and "average" not in name:
            return carrying(name, truth, n) < FEW_OF_A_CLASS
        return any(few_of_two(base, *column, size, restated) for column in columns)

    uneven = few_have_most(whole.get("groups"))
    bases = {name: name.partition("(")[0] for name in names}
    # The interval of a calibration error has to allow for any shape of the error.
    return {
        name: Promise(wide=True) if base in ("ece", "mce") else Promise(uneven or few(name, base))
        for name, base in bases.items()
    }


def few_have_most(groups: np.ndarray | None) -> bool:
    """Whether a quarter of the groups, all of equal size, would be as many as the groups of the population."""
    if groups is None:
        return False
    rows = np.bincount(groups)
    return rows.mean() ** 2 < UNEVEN * (rows.astype(float) ** 2).mean()


def sizes(whole: Columns, n: int) -> Size:
    """How many rows of a kind a sample is expected to hold, given which rows of the population are of that kind."""
    y, weights, groups = whole["y"], whole.get("weights"), whole.get("groups")
    if groups is not None:
        classes = y if y.dtype.kind in "iub" else np.zeros(len(y), int)
        own = groups.astype(np.int64) * (int(classes.max()) + 1) + classes
        each, scale = 1 / np.bincount(own)[own], n / (int(groups.max()) + 1)
        return lambda rows: scale * float(each[rows].sum())
    scale = n / len(y)
    if weights is not None:
        return lambda rows: scale * float(weights[rows].sum() ** 2 / (weights[rows] ** 2).sum()) if rows.any() else 0.0
    return lambda rows: scale * int(np.count_nonzero(rows))


def labelled(whole: Columns, how: Mapping[str, Any], truth: cal.Evaluation) -> list[tuple]:
    """Truth and score of each label (of one, where there are two classes), and the labels cut from the scores."""
    y, p = whole["y"], whole["p"]
    if truth.task not in ("binary", "multilabel"):
        return []
    threshold = how.get("threshold", 0.5)
    if truth.task == "multilabel":
        return [(y[:, k] == 1, p[:, k], p[:, k] >= threshold) for k in range(y.shape[1])]
    return [(y == 1, p, p >= threshold)]


def few_of_two(base: str, y: np.ndarray, score: np.ndarray, predicted: np.ndarray, size: Size, restated: bool) -> bool:
    if base == "roc_auc":
        return min(size(y), size(~y)) * (1 - area(y, score)) < FEW
    if base == "average_precision":
        return size(y) < FEW_POSITIVES
    if base in LOSSES:
        return min(size(y), size(~y)) < FEW_OF_A_CLASS or size(predicted != y) < FEW
    cells = {"tp": y & predicted, "fp": ~y & predicted, "fn": y & ~predicted, "tn": ~y & ~predicted}
    rule = CELLS if restated else RULES.get(base, CELLS)
    return any(size(np.logical_or.reduce([cells[c] for c in outcome])) < FEW for outcome in rule)


def few_of_classes(base: str, whole: Columns, size: Size) -> Iterator[bool]:
    y, p = whole["y"], whole["p"]
    predicted = p.argmax(1) if p.ndim == 2 else p
    classes = [y == c for c in np.unique(y)]
    smallest = min(size(c) for c in classes)
    if base in LARGEST:
        yield size(np.ones(len(y), bool)) < FEW_OF_A_CLASS
    elif base in ("roc_auc", "roc_auc_ovo"):
        yield from (min(size(c), size(~c)) * (1 - area(c, p[:, k])) < FEW for k, c in enumerate(classes))
    elif base == "average_precision":
        yield smallest < FEW_POSITIVES
    else:
        yield base in LOSSES and smallest < FEW_OF_A_CLASS
        yield base != "accuracy" and smallest < FEW
        yield min(size(predicted != y), size(predicted == y)) < FEW


def area(y: np.ndarray, score: np.ndarray) -> float:
    return float(
        cal.evaluate(y.astype(np.int8), score, metrics=["roc_auc"], labels=(0, 1), positive=1, threshold=0.0)["roc_auc"]
    )


def carrying(name: str, truth: cal.Evaluation, n: int) -> float:
    """The rows that carry a mean over rows, n m^2 / (m^2 + s^2): np of a share."""
    moments = getattr(resolve(CATALOGUE[name], truth.views).value, "moments", None)
    if moments is None:
        share = float(truth[name])
        return 2 * n * min(share, 1 - share)
    return n * moments.mean**2 / (moments.mean**2 + moments.m2 / moments.weight)


def few_decide(base: str, whole: Columns, size: Size) -> bool:
    """Whether fewer than five rows decide the spread of what a metric of predicted numbers sums."""
    y, e = whole["y"], whole["p"] - whole["y"]
    squared, spread = e**2, (y - y.mean()) ** 2
    sums = {
        "bias": [e], "mse": [squared], "rmse": [squared], "mape": [abs(e / y)], "median_ae": [],
        "r2": [squared - squared.mean() / spread.mean() * spread], "concordance": [squared, spread],
        "explained_variance": [squared - squared.mean() / spread.mean() * spread],
        "agreement_high": [squared], "poisson_deviance": [squared / np.maximum(whole["p"], 1e-3)],
        "gamma_deviance": [squared / np.maximum(whole["p"] * y, 1e-3)], "d2_tweedie": [squared],
        "msle": [(np.log1p(np.maximum(whole["p"], 0)) - np.log1p(np.maximum(y, 0))) ** 2],
    }.get(base, [abs(e)])  # fmt: skip
    weights = whole.get("weights")
    weights = np.ones(len(y)) if weights is None else weights
    shares = (weights * (x - np.average(x, weights=weights)) for x in sums)
    rows = size(np.ones(len(y), bool)) * np.mean(weights**2) / np.mean(weights) ** 2  # rows, as the weights are in x
    return any(rows * float((x**2).mean() ** 2 / (x**4).mean()) < FEW for x in shares)
