"""Cells that are known to miss, and why: docs/coverage.md prints them, and `make coverage` does not fail for them."""

from trials.rules import Cell, KnownMiss

SQUARES = "mse|rmse|r2|explained_variance|concordance"
NOT_DRAWN = "a few large errors determine the value, and samples without them miss it and cannot show that"
UNSEEN_NEGATIVES = (
    "one negative weighs as much as four positives here, and the allowance for high negatives that were not drawn "
    "grows with it: the lower bound never misses"
)
SHARED = "the allowance for training rows that folds share is larger than necessary"
LARGE = "rare large errors are most of the mean squared error of one model, and samples without them look too certain"
THREE_ROWS = (
    "three rows of the rarest class are expected, one sample in 24 contains none of them, and two or three decide its "
    "part of the mean"
)
KNOWN = (
    KnownMiss(
        "compare", "two models, normal errors and one in twenty five times as large, 40 rows", SQUARES, "rejects",
        LARGE,
    ),
    KnownMiss(
        "compare", "two models, normal errors and one in twenty five times as large, 100 rows", SQUARES, "rejects",
        LARGE,
    ),
    KnownMiss(
        "regression", "t3 errors, *", SQUARES, "low", f"the squares of t3 errors have no variance: {NOT_DRAWN}",
    ),
    KnownMiss(
        "regression", "t3 errors, 1000 rows", "agreement_high", "low",
        "the limits of agreement are the bias and 1.96 standard deviations, and these errors have no fourth moment",
    ),
    KnownMiss(
        "regression", "t3 errors, *", "msle|poisson_deviance|gamma_deviance|d2_tweedie", "low",
        "a few of 200,000 predictions are clipped at 0.01 and determine these deviances",
    ),
    KnownMiss(
        "regression", "t2 errors, *", "r2|mae", "low",
        "the squares of t2 errors have no mean, and their sizes no variance: "
        "the largest of 200,000 errors determines the value",
    ),
    KnownMiss(
        "regression", "lognormal truth and errors, 30 rows", "mae|mse|rmse|huber|r2|concordance", "low", NOT_DRAWN,
    ),
    KnownMiss("regression", "lognormal truth and errors, 100 rows", "mape", "low", NOT_DRAWN),
    KnownMiss("named", "lognormal truth and errors, 30 rows", "relative_absolute_error|log_cosh", "low", NOT_DRAWN),
    KnownMiss(
        "named", "3 × 3, 10 % right, *", "goodman_kruskal_lambda", "low",
        "labels are nearly independent, and the most common class of each prediction is found on the same rows",
    ),
    KnownMiss("regression", "errors grow with the truth, 30 rows", "gamma_deviance", "low", NOT_DRAWN),
    KnownMiss("regression", "errors grow with the truth, 100 rows", "gamma_deviance", "low", NOT_DRAWN),
    KnownMiss(
        "regression", "one error in ten is five times as large, 30 rows", "mae|r2", "low",
        "30 rows contain three large errors on average, and one sample in 24 contains none",
    ),
    KnownMiss(
        "groups", "10 devices x 60 rows, Laplace offsets of 1", "log_loss", "low",
        "a sample of ten devices without one of a large offset looks too certain, and cannot show that",
    ),
    KnownMiss(
        "weights", "2 % weigh 50, unrelated, 100 rows", "recall|precision|average_precision", "low",
        "a few rows have half of the weight, and the value depends on whether one or two of them are wrong",
    ),
    KnownMiss(
        "weights", "2 % weigh 50, unrelated, 400 rows", "accuracy|f1", "low",
        "eight rows have half of the weight, and the value depends on whether one or two of them are wrong",
    ),
    KnownMiss(
        "weights", "errors weigh 8, 100 rows", "precision|recall|balanced_accuracy|roc_auc", "low",
        "two or three heavy errors determine the value, and a sample may contain none",
    ),
    KnownMiss(
        "weights", "8 % weigh 20 and are harder, 400 rows", "recall", "low",
        "three or four heavy errors determine the value, and a sample may contain none",
    ),
    KnownMiss(
        "weights", "errors weigh 1/4, 400 rows", "recall|mcc", "high",
        "the added row of typical weight counts more than the light errors",
    ),
    KnownMiss(
        "weights", "classes weigh 1 and 10, *", "precision", "high",
        "the added row of typical weight counts more than the light false positives",
    ),
    KnownMiss(
        "weights", "audit of uncertain rows, 100 rows", "log_loss", "high",
        "wrong predictions are light here and count as few effective rows, so the allowance for those that were not "
        "drawn is large: the upper bound never misses",
    ),
    KnownMiss(
        "weights", "audit of uncertain rows, 400 rows", "roc_auc", "high",
        "misranked rows are light here and count as fewer than two effective rows (95% of these samples are flagged), "
        "so the variance is mostly the safe one, four times as large; DeLong's alone covers 90%",
    ),
    KnownMiss(
        "losses", "unsure, and extreme with 3 % noise, 50 rows", "log_loss", "low",
        "one row in a hundred has an extreme score with a wrong label: " + NOT_DRAWN,
    ),
    KnownMiss(
        "losses", "unsure, and extreme with 3 % noise, 100 rows", "log_loss", "low",
        "one row in a hundred has an extreme score with a wrong label: " + NOT_DRAWN,
    ),
    KnownMiss(
        "losses", "unsure, and extreme with 3 % noise, 300 rows", "log_loss", "low",
        "one row in a hundred has an extreme score with a wrong label: " + NOT_DRAWN,
    ),
    KnownMiss(
        "classes", "2 classes, equal shares, 98.0% known, 300 rows", "balanced_accuracy", "low",
        "three errors are expected in all, and Wilson's interval of a class with one or none covers 84 to 90%; "
        "79% of the samples have a flag",
    ),
    KnownMiss(
        "classes", "10 classes, the rarest mostly missed, 1000 rows", "precision(average=macro)", "high",
        "a few predictions of the rarest class determine its precision, which counts as 0 without one",
    ),
    KnownMiss(
        "classification", "two classes, restated for a prevalence of 0.2: weak, 100 rows, 0.5", "average_precision",
        "high", UNSEEN_NEGATIVES,
    ),
    KnownMiss(
        "classification", "two classes, restated for a prevalence of 0.2: strong, 100 rows, 0.5", "average_precision",
        "high", UNSEEN_NEGATIVES,
    ),
    KnownMiss(
        "classification", "three classes: weak, 1000 rows, 0.02", "f1(average=macro)|precision(average=macro)", "high",
        "the class of 20 rows is hardly ever predicted, so its precision is nearly unknown",
    ),
    KnownMiss(
        "classification", "three classes: weak, 1000 rows, 0.02", "balanced_accuracy", "high",
        "the class of 20 rows is hardly ever predicted: its recall is near 0, where intervals are wide",
    ),
    KnownMiss("classification", "three classes: strong, 30 rows, 0.1", "f1(average=macro)", "low", THREE_ROWS),
    KnownMiss("classification", "three labels: strong, 30 rows, 0.1", "precision(average=macro)", "low", THREE_ROWS),
    KnownMiss(
        "ranking", "reciprocal ranks, geometric(0.03), 30 queries", "mean", "low",
        "three ranks in a hundred are 1 and make up 28% of the mean, and 40% of the samples contain none of them",
    ),
    KnownMiss("folds", "logistic, weak, 10 % of 200, 10 folds", "log_loss, learning procedure", "high", SHARED),
    KnownMiss("folds", "logistic, 50 rows, 5 folds", "brier, learning procedure", "high", SHARED),
    KnownMiss("folds", "logistic, 20 % of 500, 5 folds", "precision, learning procedure", "high", SHARED),
    KnownMiss("folds", "tree of depth 4, 20 % of 500, 5 folds", "brier, learning procedure", "high", SHARED),
    KnownMiss("folds", "tree of depth 3, 60 rows, 4 x 5 folds", "brier, learning procedure", "high", SHARED),
    KnownMiss("folds", "tree of depth 3, 20 % of 200, 5 folds", "precision, learning procedure", "high", SHARED),
    KnownMiss(
        "folds", "tree of depth 4, 100 rows, .632+", "roc_auc, learning procedure", "high",
        "the out-of-bag value is a mean over 50 resamples and varies less than one model's, and the allowance for "
        "training rows that resamples share comes on top",
    ),
)  # fmt: skip


def known(cell: Cell) -> KnownMiss | None:
    """The entry that explains this miss."""
    return next((miss for miss in KNOWN if miss.explains(cell)), None)
