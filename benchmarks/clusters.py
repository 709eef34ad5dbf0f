"""Clusterings against scikit-learn: python benchmarks/clusters.py. Both sides must agree, or the run fails."""

import resource
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from time import perf_counter

import numpy as np
import sklearn.metrics as theirs

import calipers.sklearn as ours

TABLE = ("adjusted_rand_score", "adjusted_mutual_info_score", "v_measure_score", "fowlkes_mallows_score",
         "normalized_mutual_info_score", "pair_confusion_matrix")  # fmt: skip
TARGETS = {"table": 30.0, "silhouette": 2.0}


def timed(f, *arguments, repeats=1):
    times, value = [], None
    for _ in range(repeats):
        start = perf_counter()
        value = f(*arguments)
        times.append(perf_counter() - start)
    return min(times), value


def compared(name, arguments, label, target, repeats=3):
    mine, value = timed(getattr(ours, name), *arguments, repeats=repeats)
    peer, expected = timed(getattr(theirs, name), *arguments, repeats=2)
    np.testing.assert_allclose(value, expected, rtol=1e-9, atol=1e-11)
    ratio = peer / mine
    verdict = "" if ratio >= target else " MISSED"
    print(f"{label:22} {name:30} {mine * 1e3:9.1f} ms {peer * 1e3:9.1f} ms {ratio:7.1f}x{verdict}")
    return ratio >= target


def memory(points, labels) -> float:
    """By how many MB silhouettes raise the peak of this process."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    ours.silhouette_score(points, labels)
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024


def main() -> int:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 20, 1_000_000)
    labels = np.where(rng.random(len(truth)) < 0.7, truth, rng.integers(0, 20, len(truth)))
    names = np.array([f"cluster_{i:02d}" for i in range(20)])
    kinds = {"1M rows, int64": (truth, labels), "1M rows, text": (names[truth], names[labels])}
    kept = [compared(f, both, kind, TARGETS["table"]) for kind, both in kinds.items() for f in TABLE]
    many = rng.integers(0, 10_000, (2, 1_000_000))
    seconds, _ = timed(ours.adjusted_mutual_info_score, *many)
    print(f"{'10,000 clusters':22} {'adjusted_mutual_info_score':30} {seconds * 1e3:9.1f} ms")
    points = rng.normal(size=(20_000, 32)) + 2 * rng.integers(0, 8, 20_000)[:, None]
    of_points = (points[:, 0] > points[:, 0].mean()) + 2 * (points[:, 1] > points[:, 1].mean())
    with ProcessPoolExecutor(1, get_context("spawn")) as fresh:  # the peak of this process is already higher
        grown = fresh.submit(memory, points, of_points).result()
    kept.append(compared("silhouette_score", (points, of_points), "20,000 x 32", TARGETS["silhouette"], repeats=2))
    print(f"memory of the silhouettes: {grown:.0f} MB more than before")
    return 0 if all(kept) and seconds < 5 and grown < 500 else 1


if __name__ == "__main__":
    sys.exit(main())
