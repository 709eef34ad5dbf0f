"""Cells that are known to miss, and why: docs/coverage.md prints them, and `make coverage` does not fail for them."""

from trials.rules import Cell, KnownMiss

SQUARES = "mse|rmse|r2|explained_variance|concordance"
NOT_DRAWN = "few large errors decide it, samples that lack them miss, and nothing in those samples shows it"
KNOWN = (
    KnownMiss(
        "compare", "two models, normal errors and one in twenty five times as large, *", SQUARES, "rejects",
        "one model's rare large errors are most of its mean square, and samples that lack them look sure",
    ),
    KnownMiss(
        "compare", "two models, uniform and Laplace errors, 40 rows", SQUARES, "rejects",
        "40 rows show half of the skewness of squared Laplace errors",
    ),
    KnownMiss(
        "compare", "two models, normal and t5 errors, *", SQUARES, "rejects",
        "the squares of t5 errors have no third moment: samples that lack large errors look sure",
    ),
    KnownMiss(
        "regression", "t3 errors, *", f"{SQUARES}|mae|agreement_high", "low",
        f"the squares of t3 errors have no variance: {NOT_DRAWN}",
    ),
    KnownMiss(
        "regression", "t3 errors, *", "msle|poisson_deviance|gamma_deviance|d2_tweedie", "low",
        "a few of 200 000 predictions are cut off at 0.01 and decide these deviances",
    ),
    KnownMiss(
        "regression", "t2 errors, *", "mse|rmse|r2|mae", "low",
        "the squares of t2 errors have no mean, and their sizes no variance: the largest of 200 000 errors decides",
    ),
    KnownMiss(
        "regression", "lognormal truth and errors, *", f"{SQUARES}|bias|mae|mape|huber|d2_tweedie", "low", NOT_DRAWN,
    ),
    KnownMiss(
        "regression", "errors grow with the truth, *", f"{SQUARES}|gamma_deviance|poisson_deviance", "low", NOT_DRAWN,
    ),
    KnownMiss(
        "regression", "one error in ten is five times as large, 30 rows", "mae|mse|rmse|r2", "low",
        "30 rows hold three large errors on average, and one in 24 samples holds none",
    ),
    KnownMiss(
        "regression", "exponential errors, *", "bias|mse|rmse|r2", "low",
        "bias has Student's t, which suits symmetric errors; for the squares, " + NOT_DRAWN,
    ),
    KnownMiss(
        "weights", "2 % weigh 50, unrelated, *", "accuracy|f1|recall|precision", "low",
        "a few rows have half of the weight: whether one or two of them are wrong decides the share",
    ),
    KnownMiss(
        "weights", "errors weigh 8, 100 rows", "precision", "low",
        "two or three heavy false positives decide it, and a sample may hold none",
    ),
    KnownMiss(
        "weights", "errors weigh 1/4, *", "recall|mcc|precision|balanced_accuracy", "high",
        "the added row of typical weight counts more than the light errors",
    ),
    KnownMiss(
        "weights", "classes weigh 1 and 10, *", "precision|f1", "high",
        "the added row of typical weight counts more than the light false positives",
    ),
    KnownMiss(
        "losses", "unsure, and extreme with 3 % noise, *", "log_loss", "low",
        "one row in a hundred is an extreme score with a wrong label and decides the log loss: " + NOT_DRAWN,
    ),
)  # fmt: skip


def known(cell: Cell) -> KnownMiss | None:
    """The entry that explains this miss."""
    return next((miss for miss in KNOWN if miss.explains(cell)), None)
