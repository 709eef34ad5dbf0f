"""How often scores occur, counted in bounded memory."""

import tracemalloc

import numpy as np
import pytest

from calipers.statistics import repeats
from calipers.statistics.scores import ScoreSamples


def expected(*parts):
    times = np.concatenate([np.unique(part, return_counts=True)[1] for part in parts])
    return np.bincount(np.minimum(times, repeats.MOST_TIMES), minlength=2).tolist()


def samples(pos, neg):
    return ScoreSamples(np.sort(pos), np.sort(neg), None, None)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_issue_24_runs_of_equal_scores_are_counted(seed):
    rng = np.random.default_rng(seed)
    for size in (1, 2, 6, 7, 8, 60, 5000):
        pos, neg = rng.integers(0, 9, size) / 9, rng.integers(0, 30, 2 * size) / 30
        assert samples(pos, neg).occurring.tolist() == expected(pos, neg)
    assert samples(np.zeros(50), np.zeros(0)).occurring.tolist() == expected(np.zeros(50))
    assert samples(np.zeros(0), np.zeros(0)).occurring.tolist() == [0, 0]


@pytest.mark.parametrize("kind", ["distinct", "one value"])
def test_issue_24_counting_repeats_needs_little_memory_beside_the_scores(kind):
    rows = 4_000_000
    values = np.arange(rows) / rows if kind == "distinct" else np.zeros(rows)
    both = samples(values, values[:1])
    tracemalloc.start()
    counts = both.occurring
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert counts.sum() == (rows + 1 if kind == "distinct" else 2)
    assert peak < values.nbytes / 4
    assert len(counts) <= repeats.MOST_TIMES + 1
