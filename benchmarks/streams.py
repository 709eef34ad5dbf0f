"""Streams: rows per second on one core, and the width of the brackets of AUC and AP.

    CALIPERS_THREADS=1 python benchmarks/streams.py

Every line checks that the bracket contains the exact value.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import calipers as cal
from calipers.evaluation.stream import PER_CELL

BATCH, BATCHES = 100_000, 100
DRIFT = 0.05  # by how much scores move from one batch to the next, in standard deviations


def drawn(drift: float) -> tuple[Any, Any]:
    """True classes and scores in the order in which they arrive."""
    rng = np.random.default_rng(0)
    rows = BATCH * BATCHES
    truth = (rng.random(rows) < 0.2).astype(np.int64)
    moved = drift * (np.arange(rows) // BATCH)
    return truth, 1 / (1 + np.exp(-(rng.normal(size=rows) + truth + moved - moved[-1] / 2)))


def timed(truth: Any, prediction: Any, **options: Any) -> tuple[cal.Stream, float]:
    """A stream of the rows, and the seconds of the processor that its updates took."""
    stream, seconds = cal.Stream(labels=(0, 1), positive=1, **options), 0.0
    for begin in range(0, len(truth), BATCH):
        batch, start = slice(begin, begin + BATCH), time.process_time()
        stream.update(truth[batch], prediction[batch])
        seconds += time.process_time() - start
    return stream, seconds


def main() -> None:
    """Print a table in Markdown."""
    truth, scores = drawn(0.0)
    labels = (scores > 0.5).astype(np.int64)
    _, seconds = timed(truth, labels)
    print("| rows | memory | cells | M rows/s | width of AUC's bracket | of AP's | result | state |")
    print("|---|---|---|---|---|---|---|---|")
    print(f"| labels | | | {len(truth) / seconds / 1e6:.0f} | exact | | | |")
    for name, drift in (("scores", 0.0), ("scores that drift", DRIFT)):
        truth, scores = drawn(drift)
        exact = cal.evaluate(truth, scores, labels=(0, 1), positive=1)
        for memory in ("1 MB", "16 MB", "256 MB"):
            stream, seconds = timed(truth, scores, memory=memory)
            start = time.process_time()
            whole, cells = stream.result(), stream.memory // PER_CELL
            widths = []
            for metric in ("roc_auc", "average_precision"):
                low, high = whole[metric].bracket
                assert low - 1e-12 <= float(exact[metric]) <= high + 1e-12, metric
                widths.append(f"{high - low:.2g} = {(high - low) * cells:.2f} / cells")
            line = f"{len(truth) / seconds / 1e6:.1f} | {widths[0]} | {widths[1]} | {time.process_time() - start:.2f} s"
            print(f"| {name} | {memory} | {cells:,} | {line} | {len(stream.to_bytes()) / 1e6:.1f} MB |")


if __name__ == "__main__":
    main()
