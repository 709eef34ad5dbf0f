"""The largest of several shares is a maximum."""

import numpy as np
import pytest

import calipers as cal
from calipers.inference.proportion import largest, wilson

EQUAL = {k: np.full(k, 1 / k) for k in (2, 3, 10, 40, 100, 400)}
POPULATIONS = EQUAL | {
    "geometric": 0.8 ** np.arange(30) * 0.2 / (1 - 0.8**30),
    "two lead": np.array([0.3, 0.3] + [0.04] * 10),
    "one leads": np.array([0.6, 0.25, 0.15]),
    "nearly all": np.array([0.96, 0.03, 0.01]),
}


@pytest.mark.parametrize("name", POPULATIONS)
@pytest.mark.parametrize("rows", [150, 1200])
def test_item_9_the_interval_of_a_maximum_holds_the_largest_share(name, rows):
    shares = POPULATIONS[name]
    samples = np.random.default_rng([9, rows]).multinomial(rows, shares, 1500)
    ends = np.array([largest(counts.astype(float), 0.95) for counts in samples])
    covered = ((ends[:, 0] <= shares.max() + 1e-12) & (shares.max() <= ends[:, 1])).mean()
    assert covered > 0.925  # three standard errors below 94.3%


def test_item_9_one_leading_class_has_the_interval_of_a_share():
    assert largest(np.array([700.0, 200.0, 100.0]), 0.95) == wilson(700, 1000, 0.95)


def test_item_9_of_two_classes_one_has_at_least_half():
    assert largest(np.array([51.0, 49.0]), 0.95)[0] == 0.5


def test_item_9_no_information_rate():
    rng = np.random.default_rng(9)
    truth, pred = rng.integers(0, 100, (2, 2000))
    estimate = cal.evaluate(truth, pred)["no_information_rate"]
    assert estimate.low <= 0.01 <= estimate.high
    assert estimate.method == "largest-share"
    weighted = cal.evaluate(truth, pred, weights=rng.exponential(1, 2000))["no_information_rate"]
    assert weighted.low <= 0.01 <= weighted.high
    grouped = cal.evaluate(truth, pred, groups=np.arange(2000) // 4)["no_information_rate"]
    assert grouped.low <= 0.01 <= grouped.high
    assert grouped.method == "largest-share, grouped"


def test_item_9_a_maximum_is_not_resampled():
    with pytest.raises(cal.InputError, match=r"not available for no_information_rate: use largest-share$"):
        cal.evaluate([0, 1, 2, 1], [0, 1, 2, 2], interval={"no_information_rate": "bca"})


def test_item_9_a_largest_class_of_few_rows_is_flagged():
    estimate = cal.evaluate([0, 1, 2, 1], [0, 1, 2, 2])["no_information_rate"]
    assert estimate.flags == ("the largest class has very few rows (2)",)
