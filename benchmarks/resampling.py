"""1,000 bootstrap replicates of AUC, AP, KS and log loss of 1 M scores, and scikit-learn on as many rows drawn again.

The peer is timed on three replicates and scaled. Both sides draw on their own, so what must agree is the spread that
they find: ours against the peer's on 20,000 rows, 300 replicates each, within four standard errors of a ratio of two
standard deviations.
"""

import sys
import time
from typing import Any

import numpy as np

import calipers as cal
from calipers.metrics.base import CATALOGUE
from calipers.metrics.resolve import resolve
from calipers.resampling.bootstrap import Bootstrap
from sklearn import metrics as sk
from timing import MILLION, line, seconds

NAMES = ("roc_auc", "average_precision", "ks", "log_loss")
WORK = "bootstrap of AUC, AP, KS and log loss, 1 M, 1,000 replicates"


def ours(y: Any, s: Any, count: int) -> np.ndarray:
    """The replicates of the four measures, with the sort."""
    ev = cal.evaluate(y, s, metrics=NAMES, interval="percentile", replicates=count)
    bootstrap = Bootstrap(ev.views, 0, count)
    return np.array([bootstrap.draws(CATALOGUE[n], resolve(CATALOGUE[n], ev.views).value).values for n in NAMES])


def peers(y: Any, s: Any, count: int) -> np.ndarray:
    rng, values = np.random.default_rng(1), []
    for _ in range(count):
        at = rng.integers(0, len(y), len(y))
        a, b = y[at], s[at]
        fpr, tpr, _ = sk.roc_curve(a, b)
        apart = np.abs(tpr - fpr).max()
        values.append((sk.roc_auc_score(a, b), sk.average_precision_score(a, b), apart, sk.log_loss(a, b)))
    return np.array(values).T


def table(y: Any, s: Any) -> str:
    """The line of the benchmark; a disagreement ends the run."""
    few = slice(0, 20_000)
    ratio = ours(y[few], s[few], 300).std(1) / peers(y[few], s[few], 300).std(1)
    if (np.abs(np.log(ratio)) > 4 / np.sqrt(300)).any():
        sys.exit(f"\nDISAGREEMENT in {WORK!r}: ratios of standard deviations {ratio}")
    start = time.perf_counter()
    ours(y[:MILLION], s[:MILLION], 1000)
    middle = time.perf_counter()
    peers(y[:MILLION], s[:MILLION], 3)
    return line(WORK, "100x", middle - start, (time.perf_counter() - middle) / 3 * 1000, seconds)
