"""Over a thousand simulated evaluations in which nothing is wrong, fewer than one in twenty may raise a warning."""

from collections import Counter

import numpy as np

import calipers as cal


def binary(rng, n, centre, spread, **more):
    """Rows whose outcome is drawn with the probability that the model says: calibrated by construction."""
    p = 1 / (1 + np.exp(-rng.normal(centre, spread, n)))
    return cal.evaluate((rng.random(n) < p).astype(int), p, **more)


def strong(rng):
    return binary(rng, 1000, 0.0, 3.0)


def weak(rng):
    return binary(rng, 1500, 0.0, 0.8)


def rounded(rng):
    p = np.round(1 / (1 + np.exp(-rng.normal(0, 2.5, 800))), 2)
    return cal.evaluate((rng.random(800) < p).astype(int), p)


def imbalanced(rng):
    return binary(rng, 4000, -5.0, 4.0)


def labels_alone(rng):
    truth = (rng.random(600) < 0.3).astype(int)
    return cal.evaluate(truth, np.where(rng.random(600) < 0.85, truth, 1 - truth), positive=1)


def many_classes(rng):
    n, k = 1200, 4
    p = rng.dirichlet(np.full(k, 0.3), n)
    truth = (rng.random(n)[:, None] > p.cumsum(1)).sum(1).clip(max=k - 1)
    return cal.evaluate(truth, p)


def sliced(rng):
    by = {"region": rng.integers(0, 12, 2400), "day": rng.integers(0, 30, 2400)}
    return binary(rng, 2400, -1.0, 2.5, by=by)


def weighted(rng):
    n = 1500
    p = 1 / (1 + np.exp(-rng.normal(0, 2.5, n)))
    by = {"region": rng.integers(0, 6, n)}
    return cal.evaluate((rng.random(n) < p).astype(int), p, weights=rng.exponential(1, n) + 0.1, by=by)


def numbers(rng):
    predicted = rng.normal(100, 20, 800)
    return cal.evaluate(predicted + rng.normal(0, 8, 800), predicted, by={"region": rng.integers(0, 5, 800)})


def small_numbers(rng):
    predicted = rng.exponential(5, 60)
    return cal.evaluate(predicted + rng.standard_t(6, 60), predicted)


def heavy_numbers(rng):
    predicted = rng.normal(100, 20, 200)
    return cal.evaluate(predicted + 5 * rng.standard_t(4, 200), predicted)


def shifted(rng):
    part = rng.integers(0, 4, 2400)
    p = 1 / (1 + np.exp(-np.array([-3.0, -1.5, 0.0, 1.0])[part] - rng.normal(0, 2, 2400)))
    return cal.evaluate((rng.random(2400) < p).astype(int), p, by={"part": part})


KINDS = (
    heavy_numbers, shifted, numbers, small_numbers, strong, weak,
    rounded, imbalanced, labels_alone, many_classes, sliced, weighted,
)  # fmt: skip


def test_fewer_than_one_in_twenty_healthy_evaluations_raise_a_warning():
    raised, runs = Counter(), 1000
    kinds = Counter()
    for run in range(runs):
        kind = KINDS[run % len(KINDS)]
        warnings = [f for f in kind(np.random.default_rng([7, run])).findings if f.severity == "warning"]
        raised.update({f"{kind.__name__}: {f.code}" for f in warnings})
        kinds[kind.__name__] += bool(warnings)
    assert sum(kinds.values()) < runs / 20, raised
    assert max(kinds.values()) < runs / len(KINDS) / 10, raised  # nor does one kind hide among the others
